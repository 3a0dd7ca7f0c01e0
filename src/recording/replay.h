/* SPDX-License-Identifier: GPL-2.0-or-later */
/* replay.h - reads a recording, which may be hostile: its items in order, and the session at any time. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "src/base/error_text.h"
#include "src/model/feed.h"
#include "src/recording/entry.h"
#include "src/recording/tick_codec.h"

/* --- the entries of a file, at their offsets --- */

struct replay_file {
	int fd;
	const atomic_bool *stop; /* set by the opener, or NULL; while it is true, reads end with -ECANCELED */
	uint8_t *buffer;         /* owned; the payload that was read last */
	size_t room;
};

struct replay_entry {
	uint64_t offset, next; /* of this entry, and of the following one */
	struct entry_head head;
	bool damaged;        /* next: of the next good head, or of the end */
	struct scan payload; /* the file's, until another one is read */
};

/* Takes the descriptor of a regular file, or -1 with its errno, and stores the offset of the first entry.
 * @name is for the reason. Returns 0 or a negative errno, with its reason; replay_file_close() accepts what
 * is left. */
int replay_file_open(
	struct replay_file *file, int fd, const char *name, uint64_t *first, struct error_text *reason);
void replay_file_close(struct replay_file *file);

/* Reads the head of the entry at @offset. Returns 1, 0 if the file ends or is cut off there, or a negative
 * errno. */
int replay_file_head(const struct replay_file *file, uint64_t offset, struct replay_entry *entry);

/* --- the checkpoints, from which a seek can read --- */

struct replay_checkpoint {
	uint64_t offset, at_ns; /* CLOCK_MONOTONIC */
};

struct replay_index {
	struct replay_checkpoint *checkpoints; /* owned; in order */
	size_t n, room;
	uint64_t end_offset; /* the heads before it were read */
	uint64_t end_ns;     /* of the last tick; 0: none */
	char *ended_by;      /* owned; NULL: the recording has no end, or it is not written yet */
};

/* Reads the heads from @end_offset to the end of the file, which may have grown. Returns 0 or a negative
 * errno; replay_index_finish() accepts what is left. */
int replay_index_extend(struct replay_index *index, struct replay_file *file);
void replay_index_finish(struct replay_index *index);

/* --- the items, and the session at any time --- */

struct replay_item {
	struct feed_item feed; /* valid until the next item is read */
	uint64_t offset;       /* in the file */
	bool damaged;          /* the entry could not be read: the feed has an event that says so */
};

/* For users to read: header, config, index.ended_by and end_ns, the damages, and the item. */
struct replay {
	struct replay_file file;
	struct replay_index index;
	char *header;         /* owned; JSON */
	struct config config; /* of the recorded run, with the options that config_json_read() reads */
	uint64_t n_damages;   /* entries that were read and are damaged */
	uint64_t first_damage, last_damage; /* offsets */

	struct tick_codec codec;
	uint64_t first, offset;  /* of the entries after the header, and of the next one */
	struct replay_item item; /* the last one */
	struct tick tick;        /* what it points to */
	struct event event;      /* owned */
	struct machine machine;
	struct session_ring ring; /* owned */
	struct spike_report spike;
	struct flight_record records[SPIKE_RECORDS_MAX]; /* of it */
	struct feed_sweep sweep;
	struct sweep_result swept[SWEEP_RESULTS_MAX]; /* of it */
	uint32_t n_swept_cpus;                        /* of the header's matrix; 0: there is none */
	int n_swept_kinds;                            /* figures of a result; 0: the same */
};

/* Return 0 or a negative errno, with a reason that names the file; replay_close() accepts what is left. The
 * second takes the result of open(2), also after an error, and makes no index. */
int replay_open(struct replay *replay, const char *path, struct error_text *reason);
int replay_open_fd(struct replay *replay, int fd, const char *name, struct error_text *reason);
/* Accepts a zeroed one if its file.fd is -1. */
void replay_close(struct replay *replay);

/* Prints a sentence each if the recording has no end, and if what was read of it is damaged. */
void replay_complain(const struct replay *replay, const char *path, FILE *out);

/* Makes the session of the start, and goes there. Returns 0 or a negative errno; session_finish() accepts
 * what is left.
 */
int replay_start(struct replay *replay, struct session *session);
/* Reads the next item to replay->item. Returns 1, 0 at the end, or a negative errno. */
int replay_next(struct replay *replay);
/* The same, but returns 0 before an item that is later than @at_ns. */
int replay_next_up_to(struct replay *replay, uint64_t at_ns);
/* Finishes the session, makes the one of @at_ns, and goes to the item after that. From the last tick of the
 * index on, that is all that the index has seen, also what is later. Returns 0 or a negative errno;
 * session_finish() accepts what is left. */
int replay_seek(struct replay *replay, struct session *session, uint64_t at_ns);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* replay.h - reads a recording, which may be hostile: its items in order, and the session at any time. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "src/base/error_text.h"
#include "src/model/feed.h"
#include "src/recording/replay_index.h"
#include "src/recording/tick_codec.h"

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

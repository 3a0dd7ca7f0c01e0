/* SPDX-License-Identifier: GPL-2.0-or-later */
/* replay_file.h - reads the entries of a recording at their places in the file. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/error_text.h"
#include "src/recording/entry.h"

struct replay_file {
	int fd;
	uint8_t *buffer; /* owned; the payload that was read last */
	size_t room;
};

struct replay_entry {
	uint64_t offset, next; /* of it, and of what follows it */
	uint32_t kind;
	bool damaged; /* then there is no payload, and next is where another entry begins, or the end */
	struct scan payload; /* the file's, until the next is read */
};

/* @first: where the first entry is. Returns 0 or a negative errno, with a reason that names the file. */
int replay_file_open(struct replay_file *file, const char *path, uint64_t *first, struct error_text *reason);
/* The same with a descriptor, which becomes the file's whatever happens; @name is for the reason. */
int replay_file_take(
	struct replay_file *file, int fd, const char *name, uint64_t *first, struct error_text *reason);
void replay_file_close(struct replay_file *file);

/* Reads the entry at @offset. Returns 1, 0 where the file ends (or is cut off there), or a negative errno. */
int replay_file_entry(struct replay_file *file, uint64_t offset, struct replay_entry *entry);

struct replay_place {
	uint64_t offset, at_ns;
};

/* The checkpoints, in order. */
struct replay_index {
	struct replay_place *places; /* owned */
	size_t n, room;
	uint64_t end_ns;     /* of the last tick; 0 where there is none */
	uint64_t end_offset; /* of the file, or of what may be read of it */
	char *ended_by;      /* owned; NULL where the recording is cut off */
};

/* From the file's end, or where that is missing by looking at every entry's head. Returns 0 or a negative
 * errno; replay_index_finish() accepts what is left. */
int replay_index_extend(struct replay_index *index, struct replay_file *file, uint64_t first);
int replay_index_add(struct replay_index *index, uint64_t offset, uint64_t at_ns); /* 0 or -ENOMEM */
/* From where a seek is to read: the number of places up to that one; 0: from @start, the first entry. That is
 * not the nearest place, for the last minutes are to be seen too, but never so far back that it would take
 * long. */
size_t replay_index_start(const struct replay_index *index, const struct replay_place *start, uint64_t at_ns);
void replay_index_finish(struct replay_index *index);

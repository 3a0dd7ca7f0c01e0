/* SPDX-License-Identifier: GPL-2.0-or-later */
/* replay_file.h - reads the entries of a recording at their offsets in the file. */
#pragma once

#include <stdatomic.h>

#include "src/base/error_text.h"
#include "src/recording/entry.h"

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

/* Read the entry at @offset, the first its head alone. Return 1, 0 if the file ends or is cut off there, or a
 * negative errno. */
int replay_file_head(const struct replay_file *file, uint64_t offset, struct replay_entry *entry);
int replay_file_entry(struct replay_file *file, uint64_t offset, struct replay_entry *entry);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* replay_index.h - the checkpoints of a recording, from which a seek can read. */
#pragma once

#include "src/recording/replay_file.h"

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
/* Makes a copy without ended_by. Returns 0, or -ENOMEM with an empty copy. */
int replay_index_copy(struct replay_index *copy, const struct replay_index *index);
void replay_index_finish(struct replay_index *index);

/* Returns the number of the checkpoint from which a seek to @at_ns reads; the index must not be empty. That
 * is not always the last one before @at_ns: windows need the ticks of some minutes, but reading them must not
 * take long. */
size_t replay_index_find(const struct replay_index *index, uint64_t at_ns);

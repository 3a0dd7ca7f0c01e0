/* SPDX-License-Identifier: GPL-2.0-or-later */
/* phase_reader.h - reads phases with all their blocks from a recording. */
#pragma once

#include "src/model/session.h"
#include "src/recording/replay.h"

enum { PHASES_READ_KEPT = 2 }; /* that were read last: A and B */

/* Zeroed but for replay.file.fd = -1, which is none, it has nothing open. */
struct phase_reader {
	struct replay replay;   /* the caller opens it, and extends its index */
	struct session session; /* of a phase that goes on: from its start to where it was read last */
	uint64_t start_ns;      /* of that phase */
	struct phase kept[PHASES_READ_KEPT]; /* owned; of those that have ended */
	unsigned n_read;
};

/* Finds a phase that was read before. Returns 0, -ENOENT, or -ENOMEM; as struct phase_source says. */
int phase_reader_find(const struct phase_reader *reader, const struct phase *wanted, struct phase *read);
/* Reads a phase from the recording, as struct phase_source says. */
int phase_reader_read(struct phase_reader *reader, const struct phase *wanted, bool goes_on,
	const atomic_bool *stop, struct phase *read);
void phase_reader_close(struct phase_reader *reader);

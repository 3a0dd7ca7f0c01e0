/* SPDX-License-Identifier: GPL-2.0-or-later */
/* phase.h - the phases of a session: from one mark, or change, to the next. Pure.
 *
 * A phase keeps its sum, and blocks of equally many ticks, from which its statistics can be compared with
 * another's: at first a tick each; when there are 64, or they take too much, each two become one. Phases
 * before the last three keep their sum alone. So memory has a bound.
 *
 * Merging several ticks at once is cheaper, so the newest ticks wait in the series. */
#pragma once

#include "src/model/block.h"

enum {
	PHASES_MAX = 256, /* then the oldest is dropped */
	PHASE_BLOCKS_MAX = 64,
	PHASE_BLOCKS_MIN = 8,          /* no fewer are left, whatever they take */
	PHASE_BLOCKS_BYTES = 8 * 1024, /* for each row: all blocks of a phase may take that much */
	PHASES_WITH_BLOCKS = 3,        /* the last ones */
	PHASE_WAITING_MAX = 8,         /* ticks that wait to be added */
	PHASE_NAME_SIZE = 64,          /* with its 0 */
};

enum phase_cause { PHASE_START, PHASE_KEY, PHASE_MARK, PHASE_CHANGE };

const char *phase_cause_name(enum phase_cause cause); /* "start", "key", "mark", "change" */

/* Copies a name, cut to whole UTF-8 characters and cleaned for a terminal (text.h). */
void phase_copy_name(char copy[PHASE_NAME_SIZE], const char *name);

struct phase {
	uint32_t number; /* from 1 on */
	enum phase_cause cause;
	char name[PHASE_NAME_SIZE]; /* "": none */
	uint64_t start_ns, end_ns;  /* CLOCK_MONOTONIC; end: of its last tick; start_ns without a tick */
	struct block sum;           /* of all ticks that do not wait */
	struct block *blocks;       /* owned; PHASE_BLOCKS_MAX, or NULL; the last one may have fewer ticks */
	unsigned n_blocks;
	unsigned n_halved; /* of the blocks, the first ones have twice the ticks already; 0: all are alike */
	uint32_t block_ticks; /* of each */
};

struct phases {
	struct phase *list; /* owned, PHASES_MAX, oldest first; the last one is the current one */
	size_t n;
	uint64_t dropped; /* forgotten, the oldest first */
	size_t n_waiting; /* ticks of the current phase that are not in it yet: the last ones of the series */
};

/* Begins a phase. No ticks wait. @name may be NULL. Returns 0, 1 if the oldest phase was dropped for it, or
 * -ENOMEM. */
int phases_begin(struct phases *phases, enum phase_cause cause, const char *name, uint64_t start_ns);
/* Adds ticks, and their sum, to the blocks of the current one. Returns 0 or -ENOMEM. */
int phases_add_to_blocks(struct phases *phases, const struct block *ticks, size_t n, const struct block *sum,
	struct row_sums *sums);
/* Makes those of the current one fewer where they take too much, some with each call. Returns 0 or -ENOMEM.
 */
int phases_bound_blocks(struct phases *phases, struct row_sums *sums);
void phases_finish(struct phases *phases);

const struct phase *phases_current(const struct phases *phases); /* NULL before the first */

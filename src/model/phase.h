/* SPDX-License-Identifier: GPL-2.0-or-later */
/* phase.h - the phases of a session: from one mark, or change, to the next. Pure.
 *
 * A phase keeps its sum, and the blocks of ticks that it was made of, for whoever draws samples from them:
 * at first a tick each; when there are 64, or when the blocks of all phases take too much, each two become
 * one, and old phases keep but their sum. So memory has a bound. All blocks of a phase have the same length,
 * but for the last one, and but for the first ones while they are being merged: those are twice as long.
 *
 * Whatever is merged, also of a phase that has ended, is merged a part at a time, with each tick. */
#pragma once

#include <stdbool.h>

#include "src/model/span_list.h"

enum {
	PHASES_MAX = 256, /* then the oldest is forgotten */
	PHASE_BLOCKS_MAX = 64,
	PHASE_BLOCKS_MIN =
		8, /* fewer are not made, whatever they take, of the current phase and some before it */
	PHASES_WITH_BLOCKS = 2,        /* so many */
	PHASES_RING_BYTES = 24 * 1024, /* for the blocks of all phases, for each row */
	PHASE_NAME_SIZE = 64,          /* with its 0 */
};

enum phase_cause { PHASE_START, PHASE_KEY, PHASE_MARK, PHASE_CHANGE };

const char *phase_cause_name(enum phase_cause cause); /* "start", "key", "mark", "change" */

/* As much of it as a phase keeps. */
void phase_copy_name(char copy[PHASE_NAME_SIZE], const char *name);

struct phase {
	uint32_t number; /* from 1 on */
	enum phase_cause cause;
	char name[PHASE_NAME_SIZE]; /* "": none */
	uint64_t start_ns, end_ns;  /* CLOCK_MONOTONIC; end: of its last tick, or start where it has none */
	struct gather sum,
		open; /* of all blocks, and of the ticks that make none yet: see phase_add_figure() */
	struct span *blocks[PHASE_BLOCKS_MAX]; /* owned */
	unsigned n_blocks;
	uint32_t block_ticks; /* of those that are made now */
	unsigned n_doubled,
		n_single; /* of the blocks, the first ones are merged, and the next n_single are to be */
	struct merge merge;
	bool settled; /* it has ended, and nothing of it is left to be merged */
};

struct phases {
	struct phase *list; /* owned, oldest first; the last one is the current one */
	size_t n;
	uint64_t dropped; /* forgotten, the oldest first */
};

/* Ends the current one, where there is one, and begins another. @name may be NULL.
 * Returns 0, 1 where the oldest was forgotten for it, or -ENOMEM. */
int phases_begin(struct phases *phases, enum phase_cause cause, const char *name, uint64_t start_ns);
/* A tick, packed, for the current one. Takes references. Returns 0 or -ENOMEM. */
int phases_feed(struct phases *phases, struct span *span, struct pack_sums *sums);
void phases_finish(struct phases *phases);

/* All that a phase is of, added to a list. Returns 0 or -ENOMEM. */
int phase_spans(const struct phase *phase, struct span_list *list);
/* Add what a row did in the whole phase. Return 0 or -ENOMEM. */
int phase_add_figure(const struct phase *phase, size_t row, enum figure figure, struct hist *hist);
void phase_add_counts(const struct phase *phase, size_t row, struct pack_counts *counts);

/* The same of all figures, in place of what @sums held. Returns 0 or -ENOMEM. */
int phase_sum_row(const struct phase *phase, size_t row, struct pack_sums *sums);

const struct phase *phases_current(const struct phases *phases); /* NULL before the first */

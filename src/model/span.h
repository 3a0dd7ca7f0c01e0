/* SPDX-License-Identifier: GPL-2.0-or-later */
/* span.h - what all rows (rings and groups) did in one tick, or in several in a row, packed. Counted, for it
 * has several owners. Pure. */
#pragma once

#include "src/model/packed_row.h"

struct span {
	unsigned refs;
	uint32_t n_ticks;
	uint64_t start_ns, end_ns; /* CLOCK_MONOTONIC */
	size_t bytes;              /* that it takes, itself included */
	size_t n_rows;
	struct pack *packs[]; /* owned, by row; NULL: it did nothing */
};

/* Of one tick, with no packs yet, and one reference, which is the caller's. NULL without memory. */
struct span *span_create(size_t n_rows, uint64_t start_ns, uint64_t end_ns);
/* What the tick says of a row, once; its cells are sorted by bucket in each figure. Returns 0 or -ENOMEM. */
int span_pack(struct span *span, size_t row, const struct tick_ring *seen, const struct hist_cell *cells,
	struct pack_sums *sums);

/* The same of sums; see pack_make_sums(). */
int span_pack_sums(struct span *span, size_t row, const struct pack_sums *from, struct pack_sums *sums);

struct span *span_ref(struct span *span);
void span_unref(struct span *span); /* NULL is allowed */

/* A merge of spans into one that is done a part at a time, so that no tick takes long. Zeroed: none is going
 * on. */
struct merge {
	struct span *out; /* owned */
	size_t row;
};

/* Goes on with a merge of @spans, which follow one another, and are the same until it is done, at the pace of
 * about a tick and a half each time. Returns 1 when it is done (of one alone it makes no copy), with *@span
 * the caller's; 0 while it is not; or -ENOMEM, and then it has to start anew. */
int merge_step(
	struct merge *merge, struct span *const *spans, size_t n, struct pack_sums *sums, struct span **span);
void merge_finish(struct merge *merge);

/* A sum that spans are added to one by one. What waits is merged some at a time, which is cheaper. Zeroed is
 * empty. */
enum { GATHER_WAITING = 10, GATHER_WAITING_MAX = 2 * GATHER_WAITING };

struct gather {
	struct span *sum; /* owned, or NULL */
	struct span *waiting[GATHER_WAITING_MAX];
	unsigned n_waiting;
	unsigned n_merging; /* of those that wait, the oldest, which are being merged with the sum; 0: none */
	struct merge merge;
};

int gather_add(struct gather *gather, struct span *span, struct pack_sums *sums); /* takes a reference */
/* Goes on with merging; starts where at least @least wait, with those that make @most ticks with the sum.
 * Returns 0 or -ENOMEM. */
int gather_work(struct gather *gather, unsigned least, uint32_t most, struct pack_sums *sums);
/* Merges all that waits, now. Returns 0 or -ENOMEM. */
int gather_flush(struct gather *gather, struct pack_sums *sums);
uint32_t gather_ticks(const struct gather *gather);
void gather_finish(struct gather *gather);

int gather_add_figure(const struct gather *gather, size_t row, enum figure figure, struct hist *hist);
void gather_add_counts(const struct gather *gather, size_t row, struct pack_counts *counts);

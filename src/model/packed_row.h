/* SPDX-License-Identifier: GPL-2.0-or-later */
/* packed_row.h - what one row, a ring or a group, did in some ticks, packed into bytes: about one for each
 * bucket that is not empty. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/figures/hist.h"
#include "src/figures/tick.h"

struct pack_counts {
	uint64_t active_ns, laps, warmup_laps, missed, rested, away;
};

void pack_counts_add(struct pack_counts *counts, const struct pack_counts *more);

/* What is packed, and what is unpacked into: working memory, used again for row after row. Zeroed is empty.
 */
struct pack_sums {
	struct pack_counts counts;
	struct hist hists[N_FIGURES];
	uint8_t *buffer; /* owned */
	uint64_t *flat;  /* owned; HIST_BUCKETS, all 0 */
};

struct pack {
	uint32_t size;
	uint8_t bytes[];
};

/* Adds what a tick says of a row. Returns 0 or -ENOMEM. */
int pack_sums_row(struct pack_sums *sums, const struct tick_ring *row, const struct hist_cell *cells);
int pack_sums_merge(struct pack_sums *sums, const struct pack_sums *from); /* 0 or -ENOMEM */
/* Is there anything in it? */
bool pack_sums_any(const struct pack_sums *sums);
/* Empties it, but keeps its memory. */
void pack_sums_reset(struct pack_sums *sums);
void pack_sums_finish(struct pack_sums *sums);

/* What a tick says of a row, whose cells are sorted by bucket in each figure. The caller frees *@pack, which
 * is NULL where there is nothing to be packed. Of @sums only the working memory is used. Returns 0 or
 * -ENOMEM. */
int pack_make(struct pack **pack, const struct tick_ring *row, const struct hist_cell *cells,
	struct pack_sums *sums);

/* The same of sums, whatever their counts are: those of a recording are anyone's. @from may be @sums. */
int pack_make_sums(struct pack **pack, const struct pack_sums *from, struct pack_sums *sums);

enum { PACK_MERGE_MAX = 128 };

/* The sum of some, of which any may be NULL; the caller frees *@pack, as above. Of @sums only the working
 * memory is used. Returns 0 or -ENOMEM. */
int pack_merge(struct pack **pack, const struct pack *const *packs, size_t n, struct pack_sums *sums);

/* Add what a pack holds; NULL holds nothing. Return 0 or -ENOMEM. */
int pack_add_figure(const struct pack *pack, enum figure figure, struct hist *hist);
void pack_add_counts(const struct pack *pack, struct pack_counts *counts);

/* Take out what was added before. The extremes can't be: where pack_subtract_figure() returns true, those of
 * @hist may have been the pack's, and are to be found anew among what is left. */
bool pack_subtract_figure(const struct pack *pack, enum figure figure, struct hist *hist);
void pack_subtract_counts(const struct pack *pack, struct pack_counts *counts);
void pack_add_extremes(const struct pack *pack, enum figure figure, struct hist *hist);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* packed_row.h - the sums of a row (a ring or a group) in one tick or in several, as bytes: about one byte
 * for each bucket that is not empty. The session's past and recordings consist of packed rows. Pure.
 *
 * The counts of tick_count_fields come first, then a part for each figure, in the order of enum figure:
 * empty, or sum, last sample, time of the maximum (0: no extremes), minimum, maximum - minimum, and the
 * buckets. A bucket is its count; empty buckets are a 0 and their number. The last one, HIST_UNTIMED, has
 * the untimed samples. No empty buckets at the end: the minimum is the wait of a missed slot
 * (hist_extend_by_waits()). */
#pragma once

#include "src/base/bytes.h"
#include "src/figures/tick.h"

/* The sums of a row. Zeroed is empty. */
struct row_sums {
	struct tick_counts counts;
	struct hist hists[N_FIGURES];
};

/* Adds a ring of a tick with the cells @cells. Of the last samples of several rings the largest stays.
 * Returns 0 or -ENOMEM. */
int row_sums_add_tick(struct row_sums *sums, const struct tick_ring *ring, const struct hist_cell *cells);
/* Adds a packed row. Returns 0, -ENOMEM, or -EINVAL if @row is no packed row. */
int row_sums_add(struct row_sums *sums, struct scan row);
void row_sums_reset(struct row_sums *sums); /* empties it, but keeps its memory */
void row_sums_finish(struct row_sums *sums);

/* Writes nothing for an empty row. Without memory it sets bytes->failed. */
void packed_row_encode(struct bytes *bytes, const struct row_sums *sums);

/* Add a packed row, which may be empty. Of bytes that are no packed row a part may be added. */
void packed_row_add_counts(struct scan row, struct tick_counts *counts);
int packed_row_add_figure(struct scan row, enum figure figure, struct hist *hist); /* 0, -ENOMEM, -EINVAL */

/* A single figure. */
void packed_figure_encode(struct bytes *bytes, const struct hist *hist);
/* Both return 0, -ENOMEM, or -EINVAL if the bytes are no figure. @cells: room for HIST_CELLS_MAX; they are
 * sorted. */
int packed_figure_decode(struct scan *scan, struct tick_figure *figure, struct hist_cell *cells);
int packed_figure_add(struct scan *scan, struct hist *hist);

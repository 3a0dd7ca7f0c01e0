/* SPDX-License-Identifier: GPL-2.0-or-later */
/* window_sums.h - the figures of a window, summed from its ticks when they are read. Pure. */
#pragma once

#include "src/model/session.h"

/* For each window and figure, the sum of the row that was read last, and for each figure that of the part of
 * a group: panes and sorting read row by row. So the counts stay in the CPU's cache, with any number of rows.
 * Zeroed is empty. */
struct window_sums {
	const struct session *session;
	struct most_sum {
		struct block sum;         /* of most blocks of a window */
		struct block first, last; /* shares of the first and the last one */
		size_t n_read;            /* rows of this frame, without that sum */
	} most[N_FIGURES];
	struct row_sums working;
	struct window_sum {
		size_t row; /* of_some: a group */
		enum window window;
		bool is_made;
		struct hist hist;
	} sums[WINDOW_ALL][N_FIGURES], of_some[N_FIGURES];
};

/* Before a frame: forgets the sums of the previous one. */
void window_sums_begin(struct window_sums *sums, const struct session *session);
void window_sums_finish(struct window_sums *sums);

/* Returns the samples of the rings of a group that @passes names, by ring. They are valid until another group
 * or window is read so. */
const struct hist *window_sums_of_some(
	struct window_sums *sums, enum window window, size_t group, enum figure figure, const bool *passes);

/* Returns the samples of a ring or a group. They are valid until another row is read in the same window and
 * figure. */
const struct hist *window_sums_hist(
	struct window_sums *sums, enum window window, size_t row, enum figure figure);

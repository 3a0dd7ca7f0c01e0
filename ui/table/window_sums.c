/* SPDX-License-Identifier: GPL-2.0-or-later */
/* window_sums.c - the figures of a window, summed from its ticks when they are read. */
#include "ui/table/window_sums.h"

enum { MANY_ROWS = 64, MANY_BLOCKS = 8, NEWER_MAX = 10 };

#include "src/model/session_rows.h"

void window_sums_begin(struct window_sums *sums, const struct session *session)
{
	sums->session = session;
	for (int w = 0; w < WINDOW_ALL; w++)
		for (int f = 0; f < N_FIGURES; f++)
			sums->sums[w][f].is_made = false;
	for (int f = 0; f < N_FIGURES; f++) {
		sums->of_some[f].is_made = false;
		sums->most[f].n_read = 0;
	}
}

static void most_sum_finish(struct most_sum *sum)
{
	block_finish(&sum->sum);
	block_finish(&sum->first);
	block_finish(&sum->last);
}

void window_sums_finish(struct window_sums *sums)
{
	for (int w = 0; w < WINDOW_ALL; w++)
		for (int f = 0; f < N_FIGURES; f++)
			hist_finish(&sums->sums[w][f].hist);
	for (int f = 0; f < N_FIGURES; f++) {
		hist_finish(&sums->of_some[f].hist);
		most_sum_finish(&sums->most[f]);
	}
	row_sums_finish(&sums->working);
	*sums = (struct window_sums){0};
}

static size_t place_of(const struct block *block, const struct block_list *list)
{
	size_t i = 0;

	while (i < list->n_rest && list->rest[i].ends != block->ends)
		i++;
	return i;
}

static bool sum_most(struct window_sums *sums, struct block_list most, enum figure figure)
{
	struct most_sum *sum = &sums->most[figure];

	most_sum_finish(sum);
	if (block_list_sum_figure(&most, figure, &sum->sum, &sums->working) < 0)
		return false;
	sum->first = block_share(&most.rest[0]);
	sum->last = block_share(&most.rest[most.n_rest - 1]);
	return true;
}

/* Adds the blocks of a window, most of them as one block, their sum: with many rows reading all of them takes
 * most of the time. The sum is good until one of its blocks leaves the window, or is merged with others: what
 * begins and ends with the same blocks has the same ones between; and until too many are newer. So those that
 * leave soon are not in it; of a minute, which the oldest one leaves after 5 s, all are. A frame that reads
 * few rows goes without the sum. */
static int add_blocks(
	struct window_sums *sums, enum window window, size_t row, enum figure figure, struct hist *hist)
{
	struct block_list list = series_window(&sums->session->series, window);
	struct most_sum *sum = &sums->most[figure];
	size_t from = place_of(&sum->first, &list), to = place_of(&sum->last, &list);

	if (from == list.n_rest || to == list.n_rest || list.n_rest - to - 1 > NEWER_MAX) {
		if (list.n_rest < MANY_BLOCKS || sum->n_read++ < MANY_ROWS)
			return block_list_add_figure(&list, row, figure, hist);
		from = window == WINDOW_60S ? 0 : list.n_rest / 4;
		to = list.n_rest - 1;
		if (!sum_most(sums, (struct block_list){.rest = list.rest + from, .n_rest = to + 1 - from},
			    figure))
			return block_list_add_figure(&list, row, figure, hist);
	}
	struct block_list before = {.rest = list.rest, .n_rest = from};
	struct block_list after = {
		.first = sum->sum, .rest = list.rest + to + 1, .n_rest = list.n_rest - to - 1};
	int r = block_list_add_figure(&before, row, figure, hist);

	return r < 0 ? r : block_list_add_figure(&after, row, figure, hist);
}

/* Without memory the screen lacks some samples, until the next frame. */
static void add_row(
	struct window_sums *sums, enum window window, size_t row, enum figure figure, struct hist *hist)
{
	if (window < WINDOW_PHASE)
		add_blocks(sums, window, row, figure, hist);
	else
		session_add_figure(sums->session, row, window, figure, hist);
}

const struct hist *window_sums_of_some(
	struct window_sums *sums, enum window window, size_t group, enum figure figure, const bool *passes)
{
	const struct session *session = sums->session;
	struct window_sum *sum = &sums->of_some[figure];

	if (sum->is_made && sum->row == group && sum->window == window)
		return &sum->hist;
	hist_reset(&sum->hist);
	for (size_t i = 0; i < session->n_rings; i++)
		if (passes[i] && session_row_is_in(session, &session->rings[i], group))
			add_row(sums, window, session->rings[i].id, figure, &sum->hist);
	sum->row = group;
	sum->window = window;
	sum->is_made = true;
	return &sum->hist;
}

const struct hist *window_sums_hist(
	struct window_sums *sums, enum window window, size_t row, enum figure figure)
{
	if (session_window(sums->session, window) == WINDOW_ALL)
		return &session_row_figures(sums->session, row)[figure].hist;
	struct window_sum *sum = &sums->sums[window][figure];

	if (!sum->is_made || sum->row != row) {
		hist_reset(&sum->hist);
		add_row(sums, window, row, figure, &sum->hist);
		sum->row = row;
		sum->is_made = true;
	}
	return &sum->hist;
}

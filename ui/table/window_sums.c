/* SPDX-License-Identifier: GPL-2.0-or-later */
/* window_sums.c - the figures of a window, summed from its ticks when they are read. */
#include "ui/table/window_sums.h"

enum { MANY_ROWS = 64 };

#include "src/model/session.h"
#include "src/model/session_rows.h"

void window_sums_begin(struct window_sums *sums, const struct session *session)
{
	sums->session = session;
	for (int w = 0; w < WINDOW_ALL; w++)
		for (int f = 0; f < N_FIGURES; f++)
			sums->sums[w][f].is_made = false;
	for (int f = 0; f < N_FIGURES; f++) {
		sums->of_some[f].is_made = false;
		sums->older[f].n_read = 0;
	}
}

static void older_sum_finish(struct older_sum *older)
{
	block_finish(&older->sum);
	block_finish(&older->first);
	block_finish(&older->last);
}

void window_sums_finish(struct window_sums *sums)
{
	for (int w = 0; w < WINDOW_ALL; w++)
		for (int f = 0; f < N_FIGURES; f++)
			hist_finish(&sums->sums[w][f].hist);
	for (int f = 0; f < N_FIGURES; f++) {
		hist_finish(&sums->of_some[f].hist);
		older_sum_finish(&sums->older[f]);
	}
	row_sums_finish(&sums->working);
	*sums = (struct window_sums){0};
}

/* Returns the blocks of the last minute, the older ones as one block, their sum: with many rows reading all
 * of them takes most of the time. The sum is good until a block leaves the window, which is each 5 s, or is
 * merged with others: what begins and ends with the same blocks has the same ones between. A frame that reads
 * few rows goes without the sum. */
static struct block_list last_minute(struct window_sums *sums, enum figure figure)
{
	struct block_list list = series_window(&sums->session->series, WINDOW_60S);
	struct older_sum *older = &sums->older[figure];
	size_t n = 0;

	while (n < list.n_rest && list.rest[n].ends != older->last.ends)
		n++;
	bool is_summed = n < list.n_rest && list.rest[0].ends == older->first.ends;

	if (!is_summed && (list.n_rest < 2 || older->n_read++ < MANY_ROWS))
		return list;
	if (!is_summed) {
		older_sum_finish(older);
		if (block_list_sum_figure(&list, figure, &older->sum, &sums->working) < 0)
			return list;
		n = list.n_rest - 1;
		older->first = block_share(&list.rest[0]);
		older->last = block_share(&list.rest[n]);
	}
	list.first = older->sum;
	list.rest += n + 1;
	list.n_rest -= n + 1;
	return list;
}

/* Without memory the screen lacks some samples, until the next frame. */
static void add_row(
	struct window_sums *sums, enum window window, size_t row, enum figure figure, struct hist *hist)
{
	if (session_window(sums->session, window) == WINDOW_ALL) {
		hist_merge(hist, &session_row_figures(sums->session, row)[figure].hist);
	} else if (window == WINDOW_60S) {
		struct block_list list = last_minute(sums, figure);

		block_list_add_figure(&list, row, figure, hist);
	} else {
		session_add_figure(sums->session, row, window, figure, hist);
	}
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

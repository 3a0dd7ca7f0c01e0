/* SPDX-License-Identifier: GPL-2.0-or-later */
/* window_sums.c - the figures of the window that is shown. */
#include "ui/table/window_sums.h"

#include <errno.h>
#include <stdlib.h>

/* Each sum with the turn that it is of; 0: of none, it has to be made anew. */
struct windowed_row {
	struct hist hists[N_FIGURES];
	uint64_t turns[N_FIGURES];
	struct pack_counts counts;
	uint64_t counts_turn;
};

static void forget(struct windowed *windowed)
{
	for (size_t i = 0; i < windowed->n_rows; i++)
		for (int f = 0; f < N_FIGURES; f++)
			hist_finish(&windowed->rows[i].hists[f]);
	free(windowed->rows);
	windowed->rows = NULL;
	windowed->n_rows = 0;
	span_list_finish(&windowed->spans);
	span_list_finish(&windowed->came);
	span_list_finish(&windowed->left);
}

void windowed_finish(struct windowed *windowed)
{
	forget(windowed);
	*windowed = (struct windowed){0};
}

/* Two turns on, no sum is of the one before: all are made anew. So they are where that is less work, and
 * where there is no memory to find out. */
static void move(struct windowed *windowed, struct span_list *now)
{
	struct span_list *came = &windowed->came, *left = &windowed->left;

	span_list_clear(came);
	span_list_clear(left);
	windowed->turn++;
	if (span_list_change(&windowed->spans, now, came, left) <= 0 || came->n + left->n >= now->n) {
		span_list_clear(came);
		span_list_clear(left);
		windowed->turn++;
	}
	span_list_finish(&windowed->spans);
	windowed->spans = *now;
}

static int make_rows(struct windowed *windowed, size_t n_rows)
{
	if (windowed->n_rows != n_rows)
		forget(windowed);
	if (!windowed->rows)
		windowed->rows = calloc(n_rows, sizeof(*windowed->rows));
	windowed->n_rows = windowed->rows ? n_rows : 0;
	return windowed->rows ? 0 : -ENOMEM;
}

int windowed_update(struct windowed *windowed, const struct session *session, enum window window)
{
	struct span_list now = {0};
	int r;

	windowed->session = session;
	windowed->window = session_window(session, window);
	if (windowed->window == WINDOW_ALL) {
		forget(windowed);
		return 0;
	}
	r = make_rows(windowed, session_rows(session));
	if (r == 0)
		r = session_spans(session, windowed->window, &now);
	if (r == 0 && !span_list_equal(&windowed->spans, &now))
		move(windowed, &now);
	else
		span_list_finish(&now);
	return r;
}

static int sum_up(const struct windowed *windowed, size_t row, enum figure figure, struct hist *hist)
{
	int r = 0;

	hist_reset(hist);
	for (size_t i = 0; i < windowed->spans.n && r == 0; i++)
		r = pack_add_figure(windowed->spans.spans[i]->packs[row], figure, hist);
	return r;
}

static void find_extremes(const struct windowed *windowed, size_t row, enum figure figure, struct hist *hist)
{
	hist_reset_extremes(hist);
	for (size_t i = 0; i < windowed->spans.n; i++)
		pack_add_extremes(windowed->spans.spans[i]->packs[row], figure, hist);
}

/* A sum that is of the turn before. */
static int advance(const struct windowed *windowed, size_t row, enum figure figure, struct hist *hist)
{
	bool lost = false;
	int r = 0;

	for (size_t i = 0; i < windowed->came.n && r == 0; i++)
		r = pack_add_figure(windowed->came.spans[i]->packs[row], figure, hist);
	for (size_t i = 0; i < windowed->left.n && r == 0; i++)
		lost |= pack_subtract_figure(windowed->left.spans[i]->packs[row], figure, hist);
	if (lost)
		find_extremes(windowed, row, figure, hist);
	return r;
}

const struct hist *windowed_hist(struct windowed *windowed, size_t row, enum figure figure)
{
	struct hist *hist;
	uint64_t *turn;
	int r;

	if (!windowed->rows)
		return &session_row_figure(windowed->session, row, figure)->hist;
	hist = &windowed->rows[row].hists[figure];
	turn = &windowed->rows[row].turns[figure];
	if (*turn != windowed->turn) {
		r = *turn + 1 == windowed->turn ? advance(windowed, row, figure, hist)
						: sum_up(windowed, row, figure, hist);
		/* Without memory some samples are missing on the screen, until the next tick. */
		*turn = r == 0 ? windowed->turn : 0;
	}
	return hist;
}

static void sum_up_counts(const struct windowed *windowed, size_t row, struct pack_counts *counts)
{
	*counts = (struct pack_counts){0};
	for (size_t i = 0; i < windowed->spans.n; i++)
		pack_add_counts(windowed->spans.spans[i]->packs[row], counts);
}

static void advance_counts(const struct windowed *windowed, size_t row, struct pack_counts *counts)
{
	for (size_t i = 0; i < windowed->came.n; i++)
		pack_add_counts(windowed->came.spans[i]->packs[row], counts);
	for (size_t i = 0; i < windowed->left.n; i++)
		pack_subtract_counts(windowed->left.spans[i]->packs[row], counts);
}

struct pack_counts windowed_counts(struct windowed *windowed, size_t row)
{
	struct pack_counts counts = {0};
	struct windowed_row *sums;

	if (!windowed->rows) {
		session_add_counts(windowed->session, row, WINDOW_ALL, &counts);
		return counts;
	}
	sums = &windowed->rows[row];
	if (sums->counts_turn + 1 == windowed->turn)
		advance_counts(windowed, row, &sums->counts);
	else if (sums->counts_turn != windowed->turn)
		sum_up_counts(windowed, row, &sums->counts);
	sums->counts_turn = windowed->turn;
	return sums->counts;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_rows.c - what a tick says of each row: a ring at a time, then of the groups that were summed up
 * meanwhile. */
#include "src/model/session_rows.h"

#include <errno.h>
#include <stdlib.h>

#include "src/model/session.h"
#include "src/model/session_group.h"

static const struct hist_cell no_cells[1];

static int add_cell(struct row_cells *cells, struct hist_cell cell)
{
	if (cells->n == cells->room) {
		size_t room = cells->room ? 2 * cells->room : HIST_BUCKETS;
		struct hist_cell *list = realloc(cells->list, room * sizeof(*list));

		if (!list)
			return -ENOMEM;
		cells->list = list;
		cells->room = room;
	}
	cells->list[cells->n++] = cell;
	return 0;
}

/* A count that is too large for a cell takes several. */
static int add_count(struct row_cells *cells, unsigned bucket, uint64_t count)
{
	int r = 0;

	for (; count > UINT32_MAX && r == 0; count -= UINT32_MAX)
		r = add_cell(cells, (struct hist_cell){bucket, UINT32_MAX});
	return r < 0 || !count ? r : add_cell(cells, (struct hist_cell){bucket, (uint32_t)count});
}

static int add_hist(struct row_cells *cells, const struct hist *hist, struct tick_figure *seen)
{
	int r = 0;

	seen->first_cell = cells->n;
	for (unsigned o = 0; o < HIST_OCTAVES; o++)
		for (unsigned i = 0; hist->octave_n[o] && i < HIST_OCTAVE && r == 0; i++)
			r = add_count(cells, o * HIST_OCTAVE + i, hist->octave[o][i]);
	seen->n_cells = cells->n - seen->first_cell;
	return r;
}

static bool are_sorted(const struct hist_cell *cells, size_t n)
{
	bool sorted = true;

	for (size_t i = 1; i < n; i++)
		sorted &= cells[i - 1].bucket <= cells[i].bucket;
	return sorted;
}

static bool is_sorted(const struct tick_ring *seen, const struct hist_cell *cells)
{
	for (int f = 0; f < N_FIGURES; f++)
		if (!are_sorted(cells + seen->figures[f].first_cell, seen->figures[f].n_cells))
			return false;
	return true;
}

/* Where a figure has several members, or sources, the cells of each follow those of the one before. */
static int sort(struct session *session, const struct hist_cell *cells, struct tick_ring *seen)
{
	struct hist *hist = &session->packing.hists[0];
	int r = 0;

	session->sorting.n = 0;
	for (int f = 0; f < N_FIGURES && r == 0; f++) {
		struct tick_figure *figure = &seen->figures[f];

		hist_reset(hist);
		r = hist_add_cells(hist, cells + figure->first_cell, figure->n_cells);
		if (r == 0)
			r = add_hist(&session->sorting, hist, figure);
	}
	return r;
}

static int figure_feed(
	struct session_figure *figure, const struct tick_figure *seen, const struct hist_cell *cells)
{
	if (tick_figure_add(seen, cells, &figure->hist) < 0)
		return -ENOMEM;
	if (seen->has_extremes && (!figure->phase_max_at_ns || seen->max_ns > figure->phase_max_ns)) {
		figure->phase_max_ns = seen->max_ns;
		figure->phase_max_at_ns = seen->max_at_ns;
	}
	figure->last_ns = seen->last_ns;
	return 0;
}

static int row_feed(struct session *session, struct span *span, size_t row, const struct tick_ring *seen,
	const struct hist_cell *cells)
{
	struct session_figure *figures = session_row_figures(session, row);
	int r = 0;

	for (int f = 0; f < N_FIGURES && r == 0; f++) {
		const struct tick_figure *figure = &seen->figures[f];

		r = figure_feed(&figures[f], figure, cells);
		if (r == 0)
			r = trails_feed(
				&session->trails, row, (enum figure)f, figure, cells + figure->first_cell);
	}
	return r < 0 ? r : span_pack(span, row, seen, cells, &session->packing);
}

static int ring_feed(
	struct session *session, struct span *span, const struct tick *tick, const struct tick_ring *seen)
{
	const struct hist_cell *cells = tick->cells ? tick->cells : no_cells;
	struct tick_ring sorted;
	int r = 0;

	if (!is_sorted(seen, cells)) {
		sorted = *seen;
		r = sort(session, cells, &sorted);
		seen = &sorted;
		cells = session->sorting.list ? session->sorting.list : no_cells;
	}
	if (r == 0)
		r = row_feed(session, span, seen->id, seen, cells);
	return r < 0 ? r : session_groups_add(session, &session->rings[seen->id], seen, cells);
}

/* Sums as if a tick had said them; the cells are those in session->sorting. */
static int make_row(struct session *session, const struct pack_sums *sums, struct tick_ring *row)
{
	int r = 0;

	*row = (struct tick_ring){.active_ns = sums->counts.active_ns,
		.laps = sums->counts.laps,
		.warmup_laps = sums->counts.warmup_laps,
		.missed = sums->counts.missed,
		.rested = sums->counts.rested,
		.away = sums->counts.away};
	session->sorting.n = 0;
	for (int f = 0; f < N_FIGURES && r == 0; f++) {
		const struct hist *hist = &sums->hists[f];

		row->figures[f] = (struct tick_figure){.sum_ns = hist->sum_ns,
			.min_ns = hist->min_ns,
			.max_ns = hist->max_ns,
			.max_at_ns = hist->max_at_ns,
			.has_extremes = hist->max_at_ns};
		r = add_hist(&session->sorting, hist, &row->figures[f]);
	}
	return r;
}

static int group_feed(struct session *session, struct span *span, struct session_group *group)
{
	struct tick_ring row;
	int r = make_row(session, &group->tick, &row);

	for (int f = 0; f < N_FIGURES; f++)
		row.figures[f].last_ns =
			group->tick_last_ns[f] ? group->tick_last_ns[f] : group->figures[f].last_ns;
	if (r == 0)
		r = row_feed(session, span, session->n_rings + (size_t)(group - session->groups), &row,
			session->sorting.n ? session->sorting.list : no_cells);
	group->active_ns += row.active_ns;
	group->laps += row.laps;
	group->warmup_laps += row.warmup_laps;
	group->missed += row.missed;
	group->rested += row.rested;
	group->away += row.away;
	pack_sums_reset(&group->tick);
	for (int f = 0; f < N_FIGURES; f++)
		group->tick_last_ns[f] = 0;
	return r;
}

int session_rows_feed(struct session *session, const struct tick *tick, struct span **out)
{
	struct span *span = span_create(session_rows(session), tick->start_ns, tick->end_ns);
	int r = span ? 0 : -ENOMEM;

	trails_tick(&session->trails, tick->start_ns, tick->end_ns);
	for (size_t i = 0; i < tick->n_rings && r == 0; i++)
		r = ring_feed(session, span, tick, &tick->rings[i]);
	if (r == 0)
		r = session_groups_add_up(session);
	for (size_t g = 0; g < session->n_groups && r == 0; g++)
		r = group_feed(session, span, &session->groups[g]);
	if (r < 0)
		span_unref(span);
	*out = r < 0 ? NULL : span;
	return r;
}

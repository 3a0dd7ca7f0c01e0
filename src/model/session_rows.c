/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_rows.c - the rows of a session: its rings, then the groups of rings. */
#include "src/model/session_rows.h"

#include <errno.h>

#include "src/figures/tick_fields.h"
#include "src/model/session.h"
#include "src/model/session_group.h"

static const struct hist_cell no_cells[1];

static int figure_feed(struct session_figure *figure, const struct hist *hist, uint64_t last_ns)
{
	if (hist->max_at_ns && (!figure->phase_max_at_ns || hist->max_ns > figure->phase_max_ns)) {
		figure->phase_max_ns = hist->max_ns;
		figure->phase_max_at_ns = hist->max_at_ns;
	}
	if (last_ns)
		figure->last_ns = last_ns;
	return hist_merge(&figure->hist, hist);
}

static int row_feed(struct session *session, struct block *block, size_t row, const struct row_sums *sums)
{
	struct session_figure *figures = session_row_figures(session, row);
	bool is_empty = row_sums_are_empty(sums);
	int r = 0;

	for (int f = 0; f < N_FIGURES && r == 0 && !is_empty; f++) {
		r = figure_feed(&figures[f], &sums->hists[f], sums->last_ns[f]);
		if (r == 0)
			r = second_stats_feed(&session->seconds, row, (enum figure)f, &sums->hists[f]);
	}
	tick_counts_add(session_row_counts(session, row), &sums->counts);
	return r < 0 ? r : block_add_row(block, sums);
}

/* A ring that is not in the tick did nothing. */
static int ring_feed(struct session *session, struct block *block, const struct tick *tick,
	const struct tick_ring *ring, size_t row)
{
	struct row_sums *sums = &session->sums;
	int r = 0;

	row_sums_reset(sums);
	if (ring)
		r = row_sums_add_tick(sums, ring, tick->cells ? tick->cells : no_cells);
	if (r == 0)
		r = row_feed(session, block, row, sums);
	for (size_t g = 0; g < session->n_groups && r == 0 && !row_sums_are_empty(sums); g++)
		if (session_row_is_in(session, &session->rings[row], g))
			r = row_sums_merge(&session->groups[g].tick, sums);
	return r;
}

static int group_feed(struct session *session, struct block *block, size_t group)
{
	struct row_sums *sums = &session->groups[group].tick;
	int r = row_feed(session, block, session->n_rings + group, sums);

	row_sums_reset(sums);
	return r;
}

int session_rows_feed(struct session *session, const struct tick *tick, struct block *block)
{
	int r = block_init(block, session_rows(session), tick->start_ns, tick->end_ns);
	size_t at = 0;

	second_stats_tick(&session->seconds, tick->start_ns, tick->end_ns);
	for (size_t i = 0; i < session->n_rings && r == 0; i++) {
		bool is_there = at < tick->n_rings && tick->rings[at].id == i;

		r = ring_feed(session, block, tick, is_there ? &tick->rings[at++] : NULL, i);
	}
	for (size_t g = 0; g < session->n_groups && r == 0; g++)
		r = group_feed(session, block, g);
	bytes_fit(&block->bytes);
	if (r < 0)
		block_finish(block);
	return r;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_rows.c - the rows of a session: its rings, then the groups of rings. */
#include "src/model/session_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/figures/tick.h"

/* --- groups --- */

static int add_group(struct session *session, enum group_kind kind, const char *name)
{
	struct session_group *groups =
		realloc(session->groups, (session->n_groups + 1) * sizeof(*session->groups));

	if (!groups)
		return -ENOMEM;
	session->groups = groups;
	groups[session->n_groups] = (struct session_group){.kind = kind, .name = name};
	for (size_t i = 0; i < session->n_rings; i++)
		groups[session->n_groups].n_rings +=
			session_row_is_in(session, &session->rings[i], session->n_groups);
	session->n_groups++;
	return 0;
}

static bool has_mechanism(const struct session *session, const char *mechanism)
{
	for (size_t i = 0; i < session->n_groups; i++)
		if (session->groups[i].kind == GROUP_MECHANISM &&
			strcmp(session->groups[i].name, mechanism) == 0)
			return true;
	return false;
}

/* A group of all rings, or of one, would repeat another row. */
static int add_mechanisms(struct session *session)
{
	size_t first = session->n_groups, n;
	int r = 0;

	for (size_t i = 0; i < session->n_rings && r == 0; i++)
		if (!has_mechanism(session, session->rings[i].mechanism))
			r = add_group(session, GROUP_MECHANISM, session->rings[i].mechanism);
	n = session->n_groups - first;
	if (n == 1 || n == session->n_rings)
		session->n_groups = first;
	return r;
}

int session_rows_init(struct session *session)
{
	size_t n_isolated = 0;
	int r = add_group(session, GROUP_ALL, "all");

	for (size_t i = 0; i < session->n_rings; i++)
		n_isolated += session->rings[i].isolated;
	if (r == 0 && n_isolated > 0 && n_isolated < session->n_rings) {
		r = add_group(session, GROUP_ISOLATED, "isolated");
		if (r == 0)
			r = add_group(session, GROUP_HOUSEKEEPING, "housekeeping");
	}
	if (r == 0)
		r = add_mechanisms(session);
	return r < 0 ? r : second_stats_init(&session->seconds, session_rows(session));
}

void session_rows_finish(struct session *session)
{
	for (size_t i = 0; i < session->n_groups; i++) {
		for (int f = 0; f < N_FIGURES; f++)
			hist_finish(&session->groups[i].figures[f].hist);
		row_sums_finish(&session->groups[i].tick);
	}
	free(session->groups);
	session->groups = NULL;
	session->n_groups = 0;
}

bool session_row_is_in(const struct session *session, const struct session_ring *ring, size_t group)
{
	const struct session_group *in = &session->groups[group];

	if (in->kind == GROUP_MECHANISM)
		return strcmp(in->name, ring->mechanism) == 0;
	return in->kind == GROUP_ALL || ring->isolated == (in->kind == GROUP_ISOLATED);
}

size_t session_rows(const struct session *session)
{
	return session->n_rings + session->n_groups;
}

size_t session_n_members(const struct session *session)
{
	size_t n = 0;

	for (size_t i = 0; i < session->n_rings; i++)
		n += session->rings[i].n_members;
	return n;
}

struct session_figure *session_row_figures(const struct session *session, size_t row)
{
	return row < session->n_rings ? session->rings[row].figures
				      : session->groups[row - session->n_rings].figures;
}

struct tick_counts *session_row_counts(const struct session *session, size_t row)
{
	return row < session->n_rings ? &session->rings[row].counts
				      : &session->groups[row - session->n_rings].counts;
}

/* --- ticks --- */

static int figure_feed(struct session_figure *figure, const struct hist *hist)
{
	if (hist->max_at_ns && (!figure->phase_max_at_ns || hist->max_ns > figure->phase_max_ns)) {
		figure->phase_max_ns = hist->max_ns;
		figure->phase_max_at_ns = hist->max_at_ns;
	}
	return hist_merge(&figure->hist, hist);
}

static int row_feed(struct session *session, struct block *block, size_t row, const struct row_sums *sums)
{
	struct session_figure *figures = session_row_figures(session, row);
	int r = 0;

	for (int f = 0; f < N_FIGURES && r == 0; f++) {
		r = figure_feed(&figures[f], &sums->hists[f]);
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
	int r = 0;

	row_sums_reset(&session->sums);
	if (ring)
		r = row_sums_add_tick(&session->sums, ring, tick->cells);
	for (size_t g = 0; g < session->n_groups && ring && r == 0; g++)
		if (session_row_is_in(session, &session->rings[row], g))
			r = row_sums_add_tick(&session->groups[g].tick, ring, tick->cells);
	return r < 0 ? r : row_feed(session, block, row, &session->sums);
}

int session_rows_feed(struct session *session, const struct tick *tick, struct block *block)
{
	int r = block_init(block, session_rows(session), tick->start_ns, tick->end_ns);
	size_t at = 0;

	second_stats_tick(&session->seconds, tick->start_ns, tick->end_ns, own_lateness_is_late(tick));
	for (size_t i = 0; i < session->n_rings && r == 0; i++) {
		bool is_there = at < tick->n_rings && tick->rings[at].id == i;

		r = ring_feed(session, block, tick, is_there ? &tick->rings[at++] : NULL, i);
	}
	for (size_t g = 0; g < session->n_groups && r == 0; g++) {
		struct row_sums *sums = &session->groups[g].tick;

		r = row_feed(session, block, session->n_rings + g, sums);
		row_sums_reset(sums);
	}
	bytes_fit(&block->bytes);
	return r;
}

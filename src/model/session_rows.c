/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_rows.c - the rows of a session: its rings, then the groups of rings. */
#include "src/model/session_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/figures/tick.h"

/* --- groups --- */

/* Adds the row of a new group to a block: the sum of those of its rings. */
static int add_to_block(struct session *session, size_t group, struct block *block)
{
	struct block with;
	int r = 0;

	row_sums_reset(&session->sums);
	for (size_t i = 0; i < session->n_rings && r == 0; i++)
		if (session_row_is_in(session, &session->rings[i], group))
			r = row_sums_add(&session->sums, block_row(block, session->rings[i].id));
	if (r == 0)
		r = block_with_row(&with, block, session->groups[group].row, &session->sums);
	if (r == 0)
		block_replace(block, &with);
	return r;
}

static int add_to_blocks(struct session *session, size_t group)
{
	struct series *series = &session->series;
	int r = 0;

	for (size_t i = 0; i < series->n_chunks + series->n_ticks && r == 0; i++)
		r = add_to_block(session, group, &series->blocks[i]);
	for (size_t i = 0; i < session->phases.n && r == 0; i++) {
		struct phase *phase = &session->phases.list[i];

		r = phase->sum.n_ticks ? add_to_block(session, group, &phase->sum) : 0;
		for (unsigned b = 0; b < phase->n_blocks && r == 0; b++)
			r = add_to_block(session, group, &phase->blocks[b]);
	}
	return r;
}

static int add_figures(struct session_group *group, const struct session_ring *ring)
{
	int r = 0;

	for (int f = 0; f < N_FIGURES && r == 0; f++) {
		const struct session_figure *figure = &ring->figures[f];
		struct session_figure *sum = &group->figures[f];

		if (figure->phase_max_at_ns &&
			(!sum->phase_max_at_ns || figure->phase_max_ns > sum->phase_max_ns)) {
			sum->phase_max_ns = figure->phase_max_ns;
			sum->phase_max_at_ns = figure->phase_max_at_ns;
		}
		uint64_t last_ns = sum->hist.last_ns;

		r = hist_merge(&sum->hist, &figure->hist);
		if (last_ns > sum->hist.last_ns)
			sum->hist.last_ns = last_ns;
	}
	tick_counts_add(&group->counts, &ring->counts);
	return r;
}

/* Adds what its rings have done. */
static int add_past(struct session *session, size_t at)
{
	struct session_group *group = &session->groups[at];
	size_t *rows = calloc(session->n_rings + 1, sizeof(*rows)), n = 0;
	int r = rows ? 0 : -ENOMEM;

	for (size_t i = 0; i < session->n_rings && r == 0; i++) {
		const struct session_ring *ring = &session->rings[i];

		if (!session_row_is_in(session, ring, at))
			continue;
		rows[n++] = ring->id;
		r = add_figures(group, ring);
	}
	if (r == 0)
		r = second_stats_add(&session->seconds, group->row, rows, n);
	free(rows);
	return r < 0 ? r : add_to_blocks(session, at);
}

/* The number of a mechanism never changes, whichever groups there are. Returns it, or -ENOMEM. */
static int number_of(struct session *session, const char *mechanism)
{
	size_t i = 0;

	while (i < session->n_mechanisms && strcmp(session->mechanisms[i], mechanism) != 0)
		i++;
	if (i < session->n_mechanisms || i == CONFIG_PROBES_MAX)
		return (int)i;
	session->mechanisms[i] = strdup(mechanism);
	if (!session->mechanisms[i])
		return -ENOMEM;
	session->n_mechanisms++;
	return (int)i;
}

int session_rows_add_group(struct session *session, enum group_kind kind, const char *name)
{
	int number = kind == GROUP_MECHANISM ? number_of(session, name) : 0;
	size_t row = GROUP_ROW + (size_t)kind + (size_t)number, at = 0;

	if (number < 0)
		return number;
	while (at < session->n_groups && session->groups[at].row < row)
		at++;
	if (number == CONFIG_PROBES_MAX || (at < session->n_groups && session->groups[at].row == row))
		return -EINVAL;
	struct session_group *groups =
		realloc(session->groups, (session->n_groups + 1) * sizeof(*session->groups));

	if (!groups)
		return -ENOMEM;
	session->groups = groups;
	memmove(&groups[at + 1], &groups[at], (session->n_groups - at) * sizeof(*groups));
	session->n_groups++;
	groups[at] = (struct session_group){.kind = kind,
		.row = row,
		.name = kind == GROUP_MECHANISM ? session->mechanisms[number] : name};
	return add_past(session, at);
}

static bool has_group(const struct session *session, enum group_kind kind, const char *name)
{
	for (size_t i = 0; i < session->n_groups; i++)
		if (session->groups[i].kind == kind && strcmp(session->groups[i].name, name) == 0)
			return true;
	return false;
}

static int need_group(struct session *session, enum group_kind kind, const char *name)
{
	return has_group(session, kind, name) ? 0 : session_rows_add_group(session, kind, name);
}

/* A group of all rings, or groups of one each, would repeat other rows. */
static int add_mechanisms(struct session *session)
{
	bool seen[CONFIG_PROBES_MAX + 1] = {false};
	size_t n = 0;
	int r = 0;

	for (size_t i = 0; i < session->n_rings; i++) {
		int number = number_of(session, session->rings[i].mechanism);

		if (number < 0)
			return number;
		n += !seen[number];
		seen[number] = true;
	}
	for (size_t i = 0; n > 1 && n < session->n_rings && i < session->n_mechanisms && r == 0; i++)
		if (seen[i])
			r = need_group(session, GROUP_MECHANISM, session->mechanisms[i]);
	return r;
}

int session_rows_init(struct session *session)
{
	size_t n_isolated = 0;
	int r = need_group(session, GROUP_ALL, "all");

	for (size_t i = 0; i < session->n_rings; i++)
		n_isolated += session->rings[i].isolated;
	if (r == 0 && n_isolated > 0 && n_isolated < session->n_rings) {
		r = need_group(session, GROUP_ISOLATED, "isolated");
		if (r == 0)
			r = need_group(session, GROUP_HOUSEKEEPING, "housekeeping");
	}
	return r < 0 ? r : add_mechanisms(session);
}

void session_rows_finish(struct session *session)
{
	for (size_t i = 0; i < session->n_groups; i++) {
		for (int f = 0; f < N_FIGURES; f++)
			hist_finish(&session->groups[i].figures[f].hist);
		row_sums_finish(&session->groups[i].tick);
	}
	for (size_t i = 0; i < session->n_mechanisms; i++)
		free(session->mechanisms[i]);
	free(session->groups);
	session->groups = NULL;
	session->n_groups = session->n_mechanisms = 0;
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

size_t session_group_size(const struct session *session, size_t group)
{
	size_t n = 0;

	for (size_t i = 0; i < session->n_rings; i++)
		n += !session->rings[i].ended_ns && session_row_is_in(session, &session->rings[i], group);
	return n;
}

size_t session_n_members(const struct session *session)
{
	size_t n = 0;

	for (size_t i = 0; i < session->n_rings; i++)
		n += session->rings[i].n_members;
	return n;
}

size_t session_n_living_members(const struct session *session)
{
	size_t n = 0;

	for (size_t i = 0; i < session->n_rings; i++)
		n += session->rings[i].ended_ns ? 0 : session->rings[i].n_members;
	return n;
}

size_t session_nth_row(const struct session *session, size_t i)
{
	return i < session->n_rings ? session->rings[i].id : session->groups[i - session->n_rings].row;
}

static struct session_group *find_group(const struct session *session, size_t row)
{
	size_t i = 0;

	while (session->groups[i].row != row)
		i++;
	return &session->groups[i];
}

struct session_figure *session_row_figures(const struct session *session, size_t row)
{
	return row < GROUP_ROW ? session_find_ring(session, row)->figures : find_group(session, row)->figures;
}

struct tick_counts *session_row_counts(const struct session *session, size_t row)
{
	return row < GROUP_ROW ? &session_find_ring(session, row)->counts : &find_group(session, row)->counts;
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

static int row_feed(struct session *session, struct block *block, size_t row, struct session_figure *figures,
	struct tick_counts *counts, const struct row_sums *sums)
{
	int r = 0;

	for (int f = 0; f < N_FIGURES && r == 0; f++) {
		r = figure_feed(&figures[f], &sums->hists[f]);
		if (r == 0)
			r = second_stats_feed(&session->seconds, row, (enum figure)f, &sums->hists[f]);
	}
	tick_counts_add(counts, &sums->counts);
	return r < 0 ? r : block_add_row(block, row, sums);
}

/* A ring that is not in the tick did nothing. */
static int ring_feed(struct session *session, struct block *block, const struct tick *tick,
	const struct tick_ring *seen, struct session_ring *ring)
{
	int r = 0;

	row_sums_reset(&session->sums);
	if (seen)
		r = row_sums_add_tick(&session->sums, seen, tick->cells);
	for (size_t g = 0; g < session->n_groups && seen && r == 0; g++)
		if (session_row_is_in(session, ring, g))
			r = row_sums_add_tick(&session->groups[g].tick, seen, tick->cells);
	return r < 0 ? r : row_feed(session, block, ring->id, ring->figures, &ring->counts, &session->sums);
}

int session_rows_feed(struct session *session, const struct tick *tick, struct block *block)
{
	int r = block_init(block, session_rows(session), tick->start_ns, tick->end_ns);
	size_t at = 0;

	second_stats_tick(&session->seconds, tick->start_ns, tick->end_ns, own_lateness_is_late(tick));
	for (size_t i = 0; i < session->n_rings && r == 0; i++) {
		struct session_ring *ring = &session->rings[i];

		while (at < tick->n_rings && tick->rings[at].id < ring->id)
			at++;
		bool is_there = at < tick->n_rings && tick->rings[at].id == ring->id;

		if (is_there || !ring->ended_ns)
			r = ring_feed(session, block, tick, is_there ? &tick->rings[at] : NULL, ring);
	}
	for (size_t g = 0; g < session->n_groups && r == 0; g++) {
		struct session_group *group = &session->groups[g];

		r = row_feed(session, block, group->row, group->figures, &group->counts, &group->tick);
		row_sums_reset(&group->tick);
	}
	bytes_fit(&block->bytes);
	return r;
}

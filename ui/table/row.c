/* SPDX-License-Identifier: GPL-2.0-or-later */
/* row.c - what a line of the table stands for. */
#include "ui/table/row.h"

struct row row_of_ring(const struct session *session, struct windowed *windowed,
	const struct session_ring *ring, enum figure figure, enum unit unit)
{
	enum figure shown = session_figure_of(ring, figure);

	return (struct row){
		.session = session,
		.ring = ring,
		.windowed = windowed,
		.shown = &ring->figures[shown],
		.figure = shown,
		.other = shown != figure,
		.unit = unit,
	};
}

struct row row_of_group(const struct session *session, struct windowed *windowed, size_t group,
	enum figure figure, enum unit unit)
{
	return (struct row){
		.session = session,
		.group = &session->groups[group],
		.windowed = windowed,
		.shown = &session->groups[group].figures[figure],
		.figure = figure,
		.unit = unit,
	};
}

struct row row_of_hop(
	const struct session *session, const struct session_ring *ring, unsigned hop, enum unit unit)
{
	return (struct row){.session = session, .ring = ring, .hop = &ring->hops[hop], .unit = unit};
}

unsigned row_hop(const struct row *row)
{
	return (unsigned)(row->hop - row->ring->hops);
}

size_t row_index(const struct row *row)
{
	if (row->group)
		return row->session->n_rings + (size_t)(row->group - row->session->groups);
	return (size_t)(row->ring - row->session->rings);
}

const struct hist *row_hist(const struct row *row, enum figure figure)
{
	return row->hop ? &row->hop->hist : windowed_hist(row->windowed, row_index(row), figure);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* row.c - a line of the table. */
#include "ui/table/row.h"

#include "src/model/session_turns.h"
#include "ui/table/view_state.h"

struct row row_of_ring(
	const struct session *session, struct view_state *view, const struct session_ring *ring)
{
	enum figure shown = session_figure_of(ring, view->shown);

	return (struct row){
		.session = session,
		.view = view,
		.ring = ring,
		.shown = &ring->figures[shown],
		.figure = shown,
		.other = shown != view->shown,
	};
}

struct row row_of_group(const struct session *session, struct view_state *view, size_t group)
{
	const struct session_group *of = &session->groups[group];

	return (struct row){
		.session = session,
		.view = view,
		.group = of,
		.shown = &of->figures[view->shown],
		.figure = view->shown,
	};
}

struct row row_of_hop(
	const struct session *session, struct view_state *view, const struct session_ring *ring, unsigned hop)
{
	return (struct row){.session = session, .view = view, .ring = ring, .hop = &ring->hops[hop]};
}

struct row row_of(const struct session *session, struct view_state *view, const struct order_row *order_row)
{
	if (order_row->is_group)
		return row_of_group(session, view, order_row->group);
	const struct session_ring *ring = &session->rings[order_row->index];

	return order_row->is_hop ? row_of_hop(session, view, ring, order_row->hop)
				 : row_of_ring(session, view, ring);
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
	return row->hop ? &row->hop->hist : window_sums_hist(&row->view->window_sums, row_index(row), figure);
}

const char *row_word(const struct session_ring *ring)
{
	if (ring->state == RING_FAILED)
		return ring_state_name(ring->state);
	if (ring->condition < CONDITION_LATE && session_faults(ring))
		return token_fault_name(session_worst_fault(ring));
	if (ring->condition != CONDITION_FINE)
		return ring_condition_name(ring->condition);
	if (ring->state != RING_RUNNING)
		return ring_state_name(ring->state);
	return ring->age_ns ? "overdue" : "";
}

bool row_waits(const struct row *row)
{
	return row->ring && row->ring->state != RING_FAILED && row->ring->condition == CONDITION_WAITING;
}

const char *row_state(const struct row *row, char text[ROW_STATE_SIZE])
{
	const char *word = row_word(row->ring);

	if (row_waits(row) && !session_faults(row->ring))
		return session_turn_in_text(row->session, row->ring, text);
	return !*word && row->other ? figure_name(row->figure) : word;
}

size_t row_main_group(const struct session *session)
{
	return session->n_groups > 1 && session->groups[1].kind == GROUP_ISOLATED;
}

const char *row_noun(const struct session *session)
{
	for (size_t i = 0; i < session->n_rings; i++)
		if (session->rings[i].n_members != 2)
			return "ring";
	return "pair";
}

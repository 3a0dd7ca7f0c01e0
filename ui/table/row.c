/* SPDX-License-Identifier: GPL-2.0-or-later */
/* row.c - a line of the table. */
#include "ui/table/row.h"

#include "src/model/session_rows.h"
#include "src/model/session_turns.h"
#include "ui/table/view_state.h"

bool row_includes(const struct row *row, size_t ring)
{
	const struct session *session = row->session;

	return row->view->order.passes[ring] &&
	       session_row_is_in(session, &session->rings[ring], (size_t)(row->group - session->groups));
}

static void count_rings(struct row *row)
{
	const struct session *session = row->session;
	size_t group = (size_t)(row->group - session->groups);

	for (size_t i = 0; i < session->n_rings; i++) {
		bool passes = row->view->order.passes[i], is_there = !session->rings[i].ended_ns;

		if (!session_row_is_in(session, &session->rings[i], group))
			continue;
		row->n_rings += is_there;
		row->n_passed += is_there && passes;
		row->n_gone += !is_there && passes;
		row->is_part |= !passes;
	}
}

struct row row_of(const struct session *session, struct view_state *view, const struct order_row *of)
{
	struct row row = {.session = session, .view = view, .figure = view->shown};

	if (of->is_group) {
		row.group = &session->groups[of->group];
		row.shown = &row.group->figures[row.figure];
		count_rings(&row);
		return row;
	}
	row.ring = &session->rings[of->index];
	row.figure = session_figure_of(row.ring, view->shown);
	row.shown = &row.ring->figures[row.figure];
	row.other = row.figure != view->shown;
	if (of->is_hop)
		row.hop = &row.ring->hops[of->hop];
	return row;
}

unsigned row_hop(const struct row *row)
{
	return (unsigned)(row->hop - row->ring->hops);
}

size_t row_number(const struct row *row)
{
	if (row->group)
		return row->group->row;
	return row->ring->id;
}

const struct hist *row_hist(const struct row *row, enum figure figure)
{
	struct view_state *view = row->view;

	if (row->hop)
		return &row->hop->hist;
	if (row->is_part)
		return window_sums_of_some(&view->sums, view->window,
			(size_t)(row->group - row->session->groups), figure, view->order.passes);
	return window_sums_hist(&view->sums, view->window, row_number(row), figure);
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

enum style row_state_style(const struct row *row)
{
	const struct session_ring *ring = row->ring;

	if (ring->state == RING_FAILED || ring->age_ns || session_faults(ring) ||
		ring_condition_is_away(ring->condition))
		return STYLE_WRONG;
	return row_waits(row) ? STYLE_WAITING : STYLE_PLAIN;
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

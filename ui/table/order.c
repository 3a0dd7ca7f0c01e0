/* SPDX-License-Identifier: GPL-2.0-or-later */
/* order.c - the table's rows, in their order. */
#include "ui/table/order.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "src/model/session.h"
#include "src/model/session_rows.h"
#include "ui/table/view_state.h"

static int compare_keys(double x, double y)
{
	if (isnan(x) != isnan(y))
		return isnan(x) ? 1 : -1;
	return (x > y) - (x < y);
}

static int compare_sizes(size_t x, size_t y)
{
	return (x > y) - (x < y);
}

/* Groups, the rings of a group, and the hops of a ring are sorted by key; a group precedes its rings, a ring
 * its hops, and rings that were removed are last. Rows with equal keys keep the session's order. */
static int compare_rows(const void *a, const void *b)
{
	const struct order_row *x = a, *y = b;
	int r = compare_keys(x->group_key, y->group_key);

	r = r ? r : compare_sizes(x->group, y->group);
	r = r ? r : y->is_group - x->is_group;
	r = r ? r : x->was_removed - y->was_removed;
	r = r ? r : compare_keys(x->key, y->key);
	r = r ? r : compare_sizes(x->index, y->index);
	r = r ? r : x->is_hop - y->is_hop;
	r = r ? r : compare_keys(x->hop_key, y->hop_key);
	return r ? r : compare_sizes(x->hop, y->hop);
}

static int reserve_rows(struct order *order, size_t n)
{
	struct order_row *rows;

	if (n <= order->allocated)
		return 0;
	rows = realloc(order->rows, n * sizeof(*rows));
	if (!rows)
		return -ENOMEM;
	order->rows = rows;
	order->allocated = n;
	return 0;
}

uint64_t order_group_id(size_t group)
{
	return UINT64_MAX - group;
}

static uint64_t hop_id(uint32_t ring_id, unsigned hop)
{
	return ((uint64_t)hop + 1) << 32 | ring_id;
}

static double key_of(const struct session *session, struct view_state *view, const struct order_row *of)
{
	const struct column *column = &columns_table[view->sort];
	struct row row = row_of(session, view, of);
	double key;

	if (view->ranking)
		return -view->ranking->rank(&row);
	if ((row.group && !column->of_groups) || (row.hop && !column->of_hops))
		return 0.0;
	key = column->value(column, &row);
	return column->largest_first != view->inverted ? -key : key;
}

/* The ring, and its hops if it is unfolded. */
static void append_ring(struct order *order, const struct session *session, struct view_state *view,
	size_t index, const struct order_row *line)
{
	const struct session_ring *ring = &session->rings[index];
	struct order_row row = {
		.index = index,
		.id = ring->id,
		.ring_id = ring->id,
		.group = line->group,
		.has_hops = fold_can_show_hops(ring),
		.was_removed = ring->ended_ns,
		.has_stopped = ring->ended_ns || ring_state_has_ended(ring->state),
		.group_key = line->group_key,
	};

	row.key = key_of(session, view, &row);
	order->rows[order->n++] = row;
	row.is_hop = true;
	if (!row.has_hops || !fold_is_turned(&view->fold, ring->id))
		return;
	for (row.hop = 0; row.hop < ring->n_members; row.hop++) {
		row.id = hop_id(ring->id, row.hop);
		row.hop_key = key_of(session, view, &row);
		order->rows[order->n++] = row;
	}
}

/* Returns the group of the ring's mechanism, or 0 where the session has no groups of mechanisms. */
static size_t group_of(const struct session *session, const struct session_ring *ring)
{
	for (size_t g = 1; g < session->n_groups; g++)
		if (session->groups[g].kind == GROUP_MECHANISM && session_row_is_in(session, ring, g))
			return g;
	return 0;
}

/* A mechanism's line and its rings, if any of these pass. */
static void append_group(
	struct order *order, const struct session *session, struct view_state *view, size_t group)
{
	struct order_row line = {
		.index = session->n_rings + group,
		.id = order_group_id(group),
		.group = group,
		.is_group = true,
	};
	bool is_empty = true;

	if (group) {
		line.group_key = key_of(session, view, &line);
		order->rows[order->n++] = line;
	}
	for (size_t i = 0; i < session->n_rings; i++) {
		if (!order->passes[i] || group_of(session, &session->rings[i]) != group ||
			(view->ranking && compared_leaves_out(view, session, &session->rings[i])))
			continue;
		is_empty = false;
		if (!fold_is_turned(&view->fold, order_group_id(group)))
			append_ring(order, session, view, i, &line);
	}
	if (group && is_empty)
		order->n--;
}

static size_t most_rows(const struct session *session, const struct fold *fold)
{
	size_t n = session_rows(session);

	for (size_t i = 0; i < session->n_rings; i++)
		if (fold_is_turned(fold, session->rings[i].id))
			n += session->rings[i].n_members;
	return n;
}

/* Returns 0 or -ENOMEM. */
static int filter_rings(struct order *order, const struct session *session, const struct filter *filter)
{
	bool *passes = order->n_rings < session->n_rings
			       ? realloc(order->passes, session->n_rings * sizeof(*passes))
			       : order->passes;

	if (!passes && session->n_rings)
		return -ENOMEM;
	order->passes = passes;
	order->n_rings = session->n_rings;
	order->n_passed = 0;
	for (size_t i = 0; i < session->n_rings; i++) {
		const struct session_ring *ring = &session->rings[i];

		passes[i] = filter_passes(filter, ring);
		order->n_passed += passes[i] && !ring->ended_ns;
	}
	return 0;
}

int order_make(struct order *order, const struct session *session, struct view_state *view)
{
	if (reserve_rows(order, most_rows(session, &view->fold)) < 0 ||
		filter_rings(order, session, &view->filter) < 0)
		return -ENOMEM;
	order->n = 0;
	for (size_t g = 0; g == 0 || g < session->n_groups; g++)
		if (g == 0 || session->groups[g].kind == GROUP_MECHANISM)
			append_group(order, session, view, g);
	if (order->n)
		qsort(order->rows, order->n, sizeof(*order->rows), compare_rows);
	return 0;
}

void order_finish(struct order *order)
{
	free(order->rows);
	free(order->passes);
	*order = (struct order){0};
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* order.c - the table's rows, in their order. */
#include "ui/table/order.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "src/model/session_rows.h"
#include "ui/table/view_state.h"

static int compare_keys(double x, double y)
{
	if (isnan(x) != isnan(y))
		return isnan(x) ? 1 : -1;
	return (x > y) - (x < y);
}

/* Hops keep their order where the column has nothing of them. */
static int compare_hops(const struct order_row *x, const struct order_row *y)
{
	int by_key = compare_keys(x->hop_key, y->hop_key);

	if (x->is_hop != y->is_hop)
		return x->is_hop ? 1 : -1;
	return by_key ? by_key : (x->hop > y->hop) - (x->hop < y->hop);
}

/* Groups by their key, each before its rings, these by theirs, each before its hops. */
static int compare(const void *a, const void *b)
{
	const struct order_row *x = a, *y = b;
	int by_group = compare_keys(x->group_key, y->group_key), by_key = compare_keys(x->key, y->key);

	if (by_group)
		return by_group;
	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	if (x->is_group != y->is_group)
		return x->is_group ? -1 : 1;
	if (by_key || x->index != y->index)
		return by_key ? by_key : x->index < y->index ? -1 : 1;
	return compare_hops(x, y);
}

static int reserve(struct order *order, size_t n)
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

static double key_of(const struct row *row)
{
	const struct column *column = &columns_table[row->view->sort];
	double key;

	if ((row->group && !column->of_groups) || (row->hop && !column->of_hops))
		return 0.0;
	key = column->value(column, row);
	return column->largest_first != row->view->inverted ? -key : key;
}

static void append_hops(
	struct order *order, const struct session *session, struct view_state *view, struct order_row row)
{
	const struct session_ring *ring = &session->rings[row.index];

	row.is_hop = true;
	for (row.hop = 0; row.hop < ring->n_members; row.hop++) {
		struct row hop = row_of_hop(session, view, ring, row.hop);

		row.id = hop_id(ring->id, row.hop);
		row.hop_key = key_of(&hop);
		order->rows[order->n++] = row;
	}
}

/* The ring, and its hops where they are unfolded. */
static void append_ring(struct order *order, const struct session *session, struct view_state *view,
	size_t index, size_t group, double group_key)
{
	const struct session_ring *ring = &session->rings[index];
	struct row row = row_of_ring(session, view, ring);
	struct order_row appended = {
		.index = index,
		.id = ring->id,
		.ring_id = ring->id,
		.group = group,
		.has_hops = fold_can_show_hops(ring, index),
		.group_key = group_key,
		.key = key_of(&row),
	};

	order->rows[order->n++] = appended;
	if (appended.has_hops && fold_shows_hops(&view->fold, index))
		append_hops(order, session, view, appended);
}

static bool is_mechanism(const struct session *session, size_t group)
{
	return session->groups[group].kind == GROUP_MECHANISM;
}

/* Group 0 has the rings whose mechanism has no line. */
static bool has_its_line(const struct session *session, const struct session_ring *ring, size_t group)
{
	for (size_t g = group ? group : 1; g < session->n_groups; g++)
		if (is_mechanism(session, g) && session_row_is_in(session, ring, g))
			return g == group;
	return group == 0;
}

/* A mechanism's line, before its rings, and none where no ring of it passes. */
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
		struct row row = row_of_group(session, view, group);

		line.group_key = key_of(&row);
		order->rows[order->n++] = line;
	}
	for (size_t i = 0; i < session->n_rings; i++) {
		if (!has_its_line(session, &session->rings[i], group) ||
			!filter_passes(&view->filter, &session->rings[i]))
			continue;
		is_empty = false;
		order->n_passed++;
		if (!fold_hides_rings(&view->fold, group))
			append_ring(order, session, view, i, group, line.group_key);
	}
	if (group && is_empty)
		order->n--;
}

static size_t most_rows(const struct session *session, const struct fold *fold)
{
	size_t n = session_rows(session);

	for (size_t i = 0; i < session->n_rings; i++)
		if (fold_shows_hops(fold, i))
			n += session->rings[i].n_members;
	return n;
}

int order_make(struct order *order, const struct session *session, struct view_state *view)
{
	if (reserve(order, most_rows(session, &view->fold)) < 0)
		return -ENOMEM;
	order->n = order->n_passed = 0;
	for (size_t g = 0; g == 0 || g < session->n_groups; g++)
		if (g == 0 || is_mechanism(session, g))
			append_group(order, session, view, g);
	if (order->n)
		qsort(order->rows, order->n, sizeof(*order->rows), compare);
	return 0;
}

void order_finish(struct order *order)
{
	free(order->rows);
	*order = (struct order){0};
}

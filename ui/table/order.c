/* SPDX-License-Identifier: GPL-2.0-or-later */
/* order.c - the table's rows, in their order. */
#include "ui/table/order.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "src/model/session.h"
#include "src/plan/plan.h"
#include "ui/table/view.h"

static int compare_keys(double x, double y)
{
	if (isnan(x) != isnan(y))
		return isnan(x) ? 1 : -1;
	return (x > y) - (x < y);
}

/* Hops are told apart by their place where the column has nothing of them. */
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

uint32_t order_group_id(size_t group)
{
	return UINT32_MAX - (uint32_t)group;
}

static uint32_t hop_id(size_t ring, unsigned hop)
{
	enum { RINGS_BITS = 12, MEMBERS_BITS = 12 };

	_Static_assert(PLAN_RINGS_MAX <= 1 << RINGS_BITS && PLAN_RING_MEMBERS_MAX <= 1 << MEMBERS_BITS,
		"each hop of each ring has an id of its own");
	return ((uint32_t)1 << RINGS_BITS | (uint32_t)ring) << MEMBERS_BITS | hop;
}

static double key_of(const struct view *view, const struct row *row)
{
	const struct column *column = &columns_table[view->sort];
	struct row with_limit = *row;

	with_limit.limit_ns = view->limit_ns;
	double key = column->value(column, &with_limit);

	return column->largest_first != view->inverted ? -key : key;
}

/* The groups' lines, each once; those that no ring turns out to be in are taken out again. */
static void add_groups(
	struct order *order, const struct session *session, struct view *view, enum figure shown)
{
	for (size_t g = 1; g < session->n_groups; g++) {
		struct row row = row_of_group(session, &view->windowed, g, shown, UNIT_NS);

		if (session->groups[g].kind != GROUP_MECHANISM)
			continue;
		order->rows[order->n++] = (struct order_row){
			.index = session->n_rings + g,
			.id = order_group_id(g),
			.group = g,
			.is_group = true,
			.group_key = columns_table[view->sort].of_groups ? key_of(view, &row) : 0.0,
		};
	}
}

static struct order_row *find_group(
	struct order *order, const struct session *session, size_t n_groups, const struct session_ring *ring)
{
	for (size_t i = 0; i < n_groups; i++)
		if (session_in_group(session, ring, order->rows[i].group))
			return &order->rows[i];
	return NULL;
}

static void drop_empty_groups(struct order *order, size_t n_groups, uint64_t used)
{
	size_t n = 0;

	for (size_t i = 0; i < order->n; i++)
		if (i >= n_groups || i >= 64 || used >> i & 1)
			order->rows[n++] = order->rows[i];
	order->n = n;
}

static void add_hops(
	struct order *order, const struct session *session, struct view *view, const struct order_row *of)
{
	const struct session_ring *ring = &session->rings[of->index];
	struct order_row row = *of;

	row.is_hop = true;
	for (row.hop = 0; row.hop < ring->n_members; row.hop++) {
		struct row hop = row_of_hop(session, ring, row.hop, UNIT_NS);

		row.id = hop_id(row.index, row.hop);
		row.hop_key = columns_table[view->sort].of_hops ? key_of(view, &hop) : 0.0;
		order->rows[order->n++] = row;
	}
}

/* And its hops, where they are unfolded. */
static void add_ring(struct order *order, const struct session *session, struct view *view, size_t index,
	const struct order_row *group, enum figure shown)
{
	const struct session_ring *ring = &session->rings[index];
	struct row row = row_of_ring(session, &view->windowed, ring, shown, UNIT_NS);
	struct order_row added = {
		.index = index,
		.id = ring->id,
		.ring_id = ring->id,
		.group = group ? group->group : 0,
		.has_hops = fold_can_show_hops(ring, index),
		.group_key = group ? group->group_key : 0.0,
		.key = key_of(view, &row),
	};

	order->rows[order->n++] = added;
	if (added.has_hops && fold_shows_hops(&view->fold, index))
		add_hops(order, session, view, &added);
}

static void add_rings(
	struct order *order, const struct session *session, struct view *view, enum figure shown)
{
	size_t n_groups = order->n;
	uint64_t used = 0;

	for (size_t i = 0; i < session->n_rings; i++) {
		const struct session_ring *ring = &session->rings[i];
		struct order_row *group = find_group(order, session, n_groups, ring);

		if (!filter_passes(&view->filter, ring))
			continue;
		order->n_passed++;
		if (group && group - order->rows < 64)
			used |= UINT64_C(1) << (group - order->rows);
		if (!group || !fold_hides_rings(&view->fold, group->group))
			add_ring(order, session, view, i, group, shown);
	}
	drop_empty_groups(order, n_groups, used);
}

static size_t most_rows(const struct session *session, const struct fold *fold)
{
	size_t n = session_rows(session);

	for (size_t i = 0; i < session->n_rings; i++)
		if (fold_shows_hops(fold, i))
			n += session->rings[i].n_members;
	return n;
}

int order_make(struct order *order, const struct session *session, struct view *view, enum figure shown)
{
	if (reserve(order, most_rows(session, &view->fold)) < 0)
		return -ENOMEM;
	order->n = order->n_passed = 0;
	add_groups(order, session, view, shown);
	add_rings(order, session, view, shown);
	if (order->n)
		qsort(order->rows, order->n, sizeof(*order->rows), compare);
	return 0;
}

void order_finish(struct order *order)
{
	free(order->rows);
	*order = (struct order){0};
}

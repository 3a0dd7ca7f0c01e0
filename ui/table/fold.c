/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fold.c - what the table folds. */
#include "ui/table/fold.h"

#include "src/model/session.h"
#include "ui/table/view.h"

static uint64_t group_bit(size_t group)
{
	return group > 0 && group <= FOLD_GROUPS_MAX ? UINT64_C(1) << (group - 1) : 0;
}

bool fold_hides_rings(const struct fold *fold, size_t group)
{
	return fold->groups & group_bit(group);
}

bool fold_shows_hops(const struct fold *fold, size_t ring)
{
	return ring < FOLD_RINGS_MAX && fold->rings[ring / 64] >> ring % 64 & 1;
}

bool fold_can_show_hops(const struct session_ring *ring, size_t index)
{
	return ring->n_members > 2 && ring->hops && index < FOLD_RINGS_MAX;
}

static void set_hops(struct fold *fold, size_t ring, bool shown)
{
	uint64_t bit = UINT64_C(1) << ring % 64;

	fold->rings[ring / 64] = shown ? fold->rings[ring / 64] | bit : fold->rings[ring / 64] & ~bit;
}

static const struct order_row *selected_row(const struct view *view)
{
	static const struct order_row none;

	return view->position < view->order.n ? &view->order.rows[view->position] : &none;
}

/* A hop that is hidden leaves the selection to its ring. */
static void hops_gone(struct view *view, const struct order_row *row)
{
	if (row->is_hop && !fold_shows_hops(&view->fold, row->index))
		view->selected = row->ring_id;
}

static void groups_gone(struct view *view, const struct order_row *row)
{
	if (fold_hides_rings(&view->fold, row->group))
		view->selected = order_group_id(row->group);
}

void view_fold(struct view *view)
{
	const struct order_row *row = selected_row(view);

	if (row->has_hops) {
		set_hops(&view->fold, row->index, !fold_shows_hops(&view->fold, row->index));
		hops_gone(view, row);
	} else {
		view->fold.groups ^= group_bit(row->group);
		groups_gone(view, row);
	}
}

static void fold_all_hops(struct view *view)
{
	const struct order *order = &view->order;
	bool all = true;

	for (size_t i = 0; i < order->n; i++)
		all = all && (!order->rows[i].has_hops || fold_shows_hops(&view->fold, order->rows[i].index));
	for (size_t i = 0; i < order->n; i++)
		if (order->rows[i].has_hops)
			set_hops(&view->fold, order->rows[i].index, !all);
	hops_gone(view, selected_row(view));
}

static void fold_all_groups(struct view *view)
{
	const struct order *order = &view->order;
	uint64_t all = 0;

	for (size_t i = 0; i < order->n; i++)
		all |= group_bit(order->rows[i].group);
	view->fold.groups = (view->fold.groups & all) == all ? 0 : all;
	groups_gone(view, selected_row(view));
}

void view_fold_all(struct view *view)
{
	if (selected_row(view)->has_hops)
		fold_all_hops(view);
	else
		fold_all_groups(view);
}

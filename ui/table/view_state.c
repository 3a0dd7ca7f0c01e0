/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view_state.c - the dashboard's state: the selection, and how it follows the session. */
#include "ui/table/view_state.h"

#include "src/model/session_phases.h"

void view_state_init(struct view_state *view, enum figure figure, uint64_t refresh_ns)
{
	*view = (struct view_state){
		.figure = figure,
		.unit = UNIT_US,
		.window = WINDOW_ALL,
		.refresh_ns = refresh_ns,
		.sort = COLUMN_PAIR,
	};
}

void view_state_finish(struct view_state *view)
{
	order_finish(&view->order);
	window_sums_finish(&view->window_sums);
	window_sums_finish(&view->phase_sums);
}

/* Returns the figure of all rings, or the one asked for if they differ. */
static enum figure common_figure(const struct session *session, enum figure asked)
{
	enum figure figure = asked;

	for (size_t i = 0; i < session->n_rings; i++) {
		enum figure shown = session_figure_of(&session->rings[i], asked);

		if (i > 0 && shown != figure)
			return asked;
		figure = shown;
	}
	return figure;
}

int view_state_order(struct view_state *view, const struct session *session)
{
	view->shortest_window = session_shortest_window(session);
	if (view->window < view->shortest_window)
		view->window = view->shortest_window;
	view->shown = common_figure(session, view->figure);
	filter_settle(&view->filter, session);
	int r = window_sums_update(&view->window_sums, session, view->window);

	if (r == 0)
		r = window_sums_update(&view->phase_sums, session, WINDOW_PHASE);
	return r < 0 ? r : order_make(&view->order, session, view);
}

void view_state_select(struct view_state *view, size_t position)
{
	const struct order *order = &view->order;

	view->has_selected = order->n > 0;
	view->position = position < order->n ? position : order->n ? order->n - 1 : 0;
	if (order->n)
		view->selected = order->rows[view->position].id;
}

/* Finds the selected row again, or selects the one in its place. The first selection is a ring. */
static void follow_selection(struct view_state *view)
{
	const struct order *order = &view->order;

	for (size_t i = 0; i < order->n; i++) {
		if (view->has_selected ? order->rows[i].id == view->selected : !order->rows[i].is_group) {
			view_state_select(view, i);
			return;
		}
	}
	view_state_select(view, view->position);
}

/* Scrolls as little as shows the selected row, and no further than the last page. */
static void scroll(struct view_state *view)
{
	size_t n = view->order.n, page = view->page;

	if (view->position < view->top)
		view->top = view->position;
	if (view->position >= view->top + page)
		view->top = view->position - page + 1;
	if (view->top + page > n)
		view->top = n > page ? n - page : 0;
}

void view_state_fit(struct view_state *view, const struct session *session, struct area table)
{
	view->table = table;
	view->columns = columns_fit(session, view->limit_ns, table.width);
	view->page = table.height > 1 ? table.height - 1 : 1;
	follow_selection(view);
	scroll(view);
}

size_t view_state_place(size_t place, long by, size_t last)
{
	size_t back = by < 0 ? -(size_t)by : 0, on = by > 0 ? (size_t)by : 0;

	place = place < last ? place : last;
	place = back > place ? 0 : place - back;
	return on > last - place ? last : place + on;
}

void view_state_move(struct view_state *view, long by)
{
	if (view->help)
		view->help_top = view_state_place(view->help_top, by, view->help_last);
	else if (view->order.n)
		view_state_select(view, view_state_place(view->position, by, view->order.n - 1));
}

static const struct order_row *selected_row(const struct view_state *view)
{
	static const struct order_row none;

	return view->position < view->order.n ? &view->order.rows[view->position] : &none;
}

/* A row that is hidden leaves the selection to the line that it is folded into. */
static void leave_hidden(struct view_state *view, const struct order_row *row)
{
	if (row->is_hop && !fold_shows_hops(&view->fold, row->index))
		view->selected = row->ring_id;
	if (fold_hides_rings(&view->fold, row->group))
		view->selected = order_group_id(row->group);
}

/* Rows with hops fold these, and others into their mechanism's line, where they have one. */
static bool can_fold(const struct order_row *row, bool hops)
{
	return hops ? row->has_hops : row->group > 0;
}

static bool is_folded(const struct fold *fold, const struct order_row *row, bool hops)
{
	return hops ? !fold_shows_hops(fold, row->index) : fold_hides_rings(fold, row->group);
}

static void set_folded(struct fold *fold, const struct order_row *row, bool hops, bool folded)
{
	if (hops)
		fold_show_hops(fold, row->index, !folded);
	else
		fold_hide_rings(fold, row->group, folded);
}

void view_state_fold(struct view_state *view, bool all)
{
	const struct order_row *selected = selected_row(view), *rows = view->order.rows;
	size_t first = all ? 0 : view->position, end = all ? view->order.n : first + 1;
	bool hops = selected->has_hops;
	bool turned = true; /* all of them are: the key turns them back */

	for (size_t i = first; i < end && i < view->order.n; i++)
		turned = turned &&
			 (!can_fold(&rows[i], hops) || is_folded(&view->fold, &rows[i], hops) != hops);
	for (size_t i = first; i < end && i < view->order.n; i++)
		if (can_fold(&rows[i], hops))
			set_folded(&view->fold, &rows[i], hops, hops == turned);
	leave_hidden(view, selected);
}

const struct session_ring *view_ring(const struct view_state *view, const struct session *session)
{
	const struct order_row *row = selected_row(view);

	return view->has_selected && view->position < view->order.n && !row->is_group
		       ? &session->rings[row->index]
		       : NULL;
}

bool view_state_row(const struct scene *scene, struct row *row)
{
	if (scene->view->position >= scene->view->order.n)
		return false;
	*row = row_of(scene->session, scene->view, selected_row(scene->view));
	return true;
}

bool view_state_is_typing(const struct view_state *view)
{
	return view->prompt.open && !view->too_small;
}

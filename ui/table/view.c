/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view.c - the dashboard's state, its views, and the overview's panes. */
#include "ui/table/view.h"

#include "src/model/session.h"
#include "ui/views/detail.h"

static void overview_draw(const struct frame *frame);

const struct view_kind view_kinds[N_SCREEN_VIEWS] = {
	[SCREEN_OVERVIEW] = {"overview", NULL, overview_draw},
	[SCREEN_DETAIL] = {"detail", detail_update, detail_draw},
};

const char *view_name(unsigned i)
{
	return i < N_SCREEN_VIEWS ? view_kinds[i].name : NULL;
}

void (*const view_panes[N_PANES])(const struct frame *frame, struct area area) = {
	[PANE_HEADER] = header_draw,
	[PANE_TABLE] = table_draw,
	[PANE_TOTALS] = totals_draw,
	[PANE_HEAT] = heat_pane_draw,
	[PANE_HISTOGRAM] = histogram_draw,
	[PANE_EVENTS] = events_draw,
	[PANE_FOOTER] = footer_draw,
};

void view_init(struct view *view, enum figure figure, uint64_t refresh_ns)
{
	*view = (struct view){
		.figure = figure,
		.unit = UNIT_US,
		.window = WINDOW_ALL,
		.refresh_ns = refresh_ns,
		.sort = COLUMN_PAIR,
	};
}

void view_finish(struct view *view)
{
	order_finish(&view->order);
	windowed_finish(&view->windowed);
	windowed_finish(&view->phase);
}

void view_select(struct view *view, size_t position)
{
	const struct order *order = &view->order;

	view->has_selected = order->n > 0;
	view->position = position < order->n ? position : order->n ? order->n - 1 : 0;
	if (order->n)
		view->selected = order->rows[view->position].id;
}

/* The selected row's new place; where it is gone, whoever stands there now. At first it is a ring. */
static void follow_selection(struct view *view)
{
	const struct order *order = &view->order;

	for (size_t i = 0; i < order->n; i++) {
		if (view->has_selected ? order->rows[i].id == view->selected : !order->rows[i].is_group) {
			view_select(view, i);
			return;
		}
	}
	view_select(view, view->position);
}

/* Scrolls as little as shows the selected row, and no further than the last page. */
static void scroll(struct view *view)
{
	size_t n = view->order.n, page = view->page;

	if (view->position < view->top)
		view->top = view->position;
	if (view->position >= view->top + page)
		view->top = view->position - page + 1;
	if (view->top + page > n)
		view->top = n > page ? n - page : 0;
}

/* The figure that all rows show, or the one asked for where they differ. */
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

int view_update(struct view *view, const struct session *session, unsigned columns, unsigned lines)
{
	enum figure shown = common_figure(session, view->figure);
	size_t totals[TOTALS_MAX];

	view->shortest_window = session_shortest_window(session);
	if (view->window < view->shortest_window)
		view->window = view->shortest_window;
	int r = windowed_update(&view->windowed, session, view->window);

	if (r == 0)
		r = windowed_update(&view->phase, session, WINDOW_PHASE);
	filter_settle(&view->filter, session);
	if (r == 0)
		r = order_make(&view->order, session, view, shown);
	if (r < 0)
		return r;
	view->shown = shown;
	view->layout = layout_make(columns, lines, view->order.n, totals_of(session, totals));
	view->columns = columns_fit(session, view->limit_ns, columns);
	unsigned height = view->layout.panes[PANE_TABLE].height;

	view->page = height > 1 ? height - 1 : 1;
	follow_selection(view);
	scroll(view);
	if (view_kinds[view->screen].update && !view->layout.too_small)
		view_kinds[view->screen].update(view, session, columns, lines);
	return 0;
}

size_t view_place(size_t place, long by, size_t last)
{
	size_t back = by < 0 ? -(size_t)by : 0, on = by > 0 ? (size_t)by : 0;

	place = place < last ? place : last;
	place = back > place ? 0 : place - back;
	return on > last - place ? last : place + on;
}

void view_move(struct view *view, long by)
{
	if (view->order.n)
		view_select(view, view_place(view->position, by, view->order.n - 1));
}

const struct session_ring *view_ring(const struct view *view, const struct session *session)
{
	if (!view->has_selected || view->position >= view->order.n)
		return NULL;
	size_t index = view->order.rows[view->position].index;

	return index < session->n_rings ? &session->rings[index] : NULL;
}

bool view_row(const struct frame *frame, struct row *row)
{
	const struct view *view = frame->view;
	const struct session_ring *ring = view_ring(view, frame->session);

	if (view->position >= view->order.n)
		return false;
	const struct order_row *selected = &view->order.rows[view->position];

	if (selected->is_hop)
		*row = row_of_hop(frame->session, ring, selected->hop, view->unit);
	else if (ring)
		*row = row_of_ring(frame->session, frame->windowed, ring, view->shown, view->unit);
	else
		*row = row_of_group(
			frame->session, frame->windowed, selected->group, view->shown, view->unit);
	return true;
}

bool view_is_typing(const struct view *view)
{
	return view->prompt.open && !view->layout.too_small;
}

static void draw_too_small(const struct frame *frame)
{
	struct area all = canvas_area(frame->canvas);
	char text[64];

	snprintf(text, sizeof(text), "%ux%u is too small", all.width, all.height);
	canvas_text(frame->canvas, all, 0, 0, STYLE_STRONG, text);
	snprintf(text, sizeof(text), "%dx%d is needed", LAYOUT_COLUMNS_MIN, LAYOUT_LINES_MIN);
	canvas_text(frame->canvas, all, 0, 1, STYLE_PLAIN, text);
	canvas_text(frame->canvas, all, 0, 2, STYLE_PLAIN, "q quits");
}

static void overview_draw(const struct frame *frame)
{
	const struct area *areas = frame->view->layout.panes;

	for (size_t i = 0; i < N_PANES; i++)
		if (areas[i].height)
			view_panes[i](frame, areas[i]);
}

void view_draw(const struct frame *frame)
{
	const struct layout *layout = &frame->view->layout;

	if (layout->too_small) {
		draw_too_small(frame);
		return;
	}
	view_kinds[frame->view->screen].draw(frame);
	if (frame->view->help)
		help_draw(frame, layout->body);
	if (frame->view->prompt.open)
		prompt_draw(frame, layout->body);
}

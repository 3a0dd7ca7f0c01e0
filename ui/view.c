/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view.c - the overview's state, and which panes draw it. */
#include "ui/view.h"

#include "src/session.h"

static void (*const panes[N_PANES])(const struct frame *, struct area) = {
	[PANE_HEADER] = header_draw,
	[PANE_TABLE] = table_draw,
	[PANE_HISTOGRAM] = histogram_draw,
	[PANE_EVENTS] = events_draw,
	[PANE_FOOTER] = footer_draw,
};

void view_init(struct view *view, enum figure figure, uint64_t refresh_ns)
{
	*view = (struct view){
		.figure = figure,
		.unit = UNIT_US,
		.refresh_ns = refresh_ns,
		.sort = COLUMN_PAIR,
	};
}

void view_finish(struct view *view)
{
	order_finish(&view->order);
}

/* The selected row's new place; where its ring is gone, whoever stands there now. */
static void follow_selection(struct view *view)
{
	const struct order *order = &view->order;

	if (!order->n) {
		view->has_selected = false;
		view->position = 0;
		return;
	}
	for (size_t i = 0; view->has_selected && i < order->n; i++) {
		if (order->rows[i].id == view->selected) {
			view->position = i;
			return;
		}
	}
	view->position = view->position < order->n ? view->position : order->n - 1;
	view->selected = order->rows[view->position].id;
	view->has_selected = true;
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
	struct layout layout = layout_make(columns, lines, session->n_rings);
	unsigned height = layout.panes[PANE_TABLE].height;
	enum figure shown = common_figure(session, view->figure);
	int r = order_make(&view->order, session, shown, view->sort, view->inverted);

	if (r < 0)
		return r;
	view->shown = shown;
	view->layout = layout;
	view->columns = columns_fit(session, columns);
	view->page = height > 1 ? height - 1 : 1;
	follow_selection(view);
	scroll(view);
	return 0;
}

void view_move(struct view *view, long by)
{
	size_t last = view->order.n ? view->order.n - 1 : 0;
	size_t up = by < 0 ? -(size_t)by : 0, down = by > 0 ? (size_t)by : 0;

	if (!view->order.n)
		return;
	view->position = up > view->position ? 0 : view->position - up;
	view->position = down > last - view->position ? last : view->position + down;
	view->selected = view->order.rows[view->position].id;
	view->has_selected = true;
}

const struct session_ring *view_ring(const struct view *view, const struct session *session)
{
	if (!view->has_selected || view->position >= view->order.n)
		return NULL;
	return &session->rings[view->order.rows[view->position].index];
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

void view_draw(const struct frame *frame)
{
	const struct layout *layout = &frame->view->layout;

	if (layout->too_small) {
		draw_too_small(frame);
		return;
	}
	for (size_t i = 0; i < N_PANES; i++)
		if (layout->panes[i].height)
			panes[i](frame, layout->panes[i]);
	if (frame->view->help)
		help_draw(frame, layout->body);
}

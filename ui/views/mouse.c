/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mouse.c - what the mouse does. */
#include "ui/views/mouse.h"

#include "ui/table/view.h"
#include "ui/views/keys.h"

enum { WHEEL_LINES = 3 };

/* The table's first line moves, and takes the selection along where it would leave the page. */
static void scroll_table(struct view *view, bool down)
{
	size_t n = view->order.n;

	view->top =
		view_place(view->top, down ? WHEEL_LINES : -WHEEL_LINES, n > view->page ? n - view->page : 0);
	if (view->position < view->top)
		view_select(view, view->top);
	else if (view->position >= view->top + view->page)
		view_select(view, view->top + view->page - 1);
}

static void scroll(struct view *view, bool down)
{
	if (view->help)
		help_move(view, down ? WHEEL_LINES : -WHEEL_LINES);
	else if (view->screen == SCREEN_OVERVIEW)
		scroll_table(view, down);
	else
		view_move(view, down ? 1 : -1);
}

static void sort_at(struct view *view, unsigned x)
{
	for (size_t i = 0; i < N_COLUMNS; i++) {
		unsigned from = view->columns.x[i], width = view->columns.width[i];

		if (!width || !columns_table[i].value || x < from || x >= from + width)
			continue;
		view->inverted = view->sort == i && !view->inverted;
		view->sort = i;
	}
}

static void click(struct view *view, unsigned x, unsigned y)
{
	const struct area *table = &view->layout.panes[PANE_TABLE];

	if (view->screen != SCREEN_OVERVIEW || !table->height || y < table->y ||
		y >= table->y + table->height)
		return;
	if (y == table->y)
		sort_at(view, x);
	else if (view->top + y - table->y - 1 < view->order.n)
		view_select(view, view->top + y - table->y - 1);
}

bool mouse_obey(struct view *view, uint32_t code, unsigned x, unsigned y)
{
	bool wheel = code == KEY_CODE_WHEEL_UP || code == KEY_CODE_WHEEL_DOWN;

	if (!wheel && code != KEY_CODE_CLICK)
		return false;
	if (view->prompt.open || view->layout.too_small)
		return true;
	if (wheel)
		scroll(view, code == KEY_CODE_WHEEL_DOWN);
	else if (!view->help)
		click(view, x, y);
	return true;
}

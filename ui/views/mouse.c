/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mouse.c - the effects of wheel and clicks. */
#include "ui/views/mouse.h"

#include "ui/views/footer.h"
#include "ui/views/setup.h"
#include "ui/views/views.h"

enum { WHEEL_LINES = 3 };

uint32_t mouse_key(struct view_state *view, uint32_t code, unsigned x, unsigned y)
{
	if (code != KEY_CODE_CLICK || view->prompt.open || view->too_small)
		return code;
	uint32_t key = footer_code_at(view, x, y);

	if (key != KEY_CODE_NONE)
		return key;
	return view->setup.open && !view->list.open ? setup_click(view, code, x, y) : code;
}

static void click_list(struct view_state *view, unsigned x, unsigned y)
{
	size_t line = list_line_at(&view->list, view->body, x, y);

	if (line == view->list.n)
		return;
	view->list.position = line;
	list_choose(&view->list, view);
}

bool mouse_obey(struct view_state *view, uint32_t code, unsigned x, unsigned y)
{
	const struct view_kind *kind = views_table[view->screen];
	bool is_click = code == KEY_CODE_CLICK;
	int by = code == KEY_CODE_WHEEL_DOWN ? 1 : -1;

	if (!is_click && code != KEY_CODE_WHEEL_UP && code != KEY_CODE_WHEEL_DOWN)
		return false;
	if (view->prompt.open || view->too_small)
		return true;
	bool has_dialog = view->help || view->setup.open || view->list.open;

	if (is_click && view->list.open)
		click_list(view, x, y);
	else if (is_click && kind->click && !has_dialog)
		kind->click(view, x, y);
	else if (!is_click && kind->wheel && !has_dialog)
		kind->wheel(view, by * WHEEL_LINES);
	else if (!is_click)
		view_state_move(view, view->help && !view->list.open ? by * WHEEL_LINES : by);
	return true;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mouse.c - the effects of wheel and clicks. */
#include "ui/views/mouse.h"

#include "ui/views/views.h"

enum { WHEEL_LINES = 3 };

static void turn_wheel(struct view_state *view, bool down)
{
	const struct view_kind *kind = views_table[view->screen];
	long lines = down ? WHEEL_LINES : -WHEEL_LINES;

	if (view->help)
		view_state_move(view, lines);
	else if (kind->wheel)
		kind->wheel(view, lines);
	else
		view_state_move(view, down ? 1 : -1);
}

bool mouse_obey(struct view_state *view, uint32_t code, unsigned x, unsigned y)
{
	bool wheel = code == KEY_CODE_WHEEL_UP || code == KEY_CODE_WHEEL_DOWN;

	if (!wheel && code != KEY_CODE_CLICK)
		return false;
	if (view->prompt.open || view->too_small)
		return true;
	if (wheel)
		turn_wheel(view, code == KEY_CODE_WHEEL_DOWN);
	else if (!view->help && views_table[view->screen]->click)
		views_table[view->screen]->click(view, x, y);
	return true;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* frame.c - one frame, for a screen or as text. */
#include "ui/views/frame.h"

#include <langinfo.h>
#include <string.h>

#include "ui/term/dashboard.h"

bool compose_ascii(void)
{
	return strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
}

int compose(const struct session *session, struct view *view, struct canvas *canvas, unsigned columns,
	unsigned lines)
{
	const struct frame frame = {.session = session,
		.view = view,
		.canvas = canvas,
		.windowed = &view->windowed,
		.phase = &view->phase};
	int r = canvas_reset(canvas, columns, lines);

	if (r == 0)
		r = view_update(view, session, columns, lines);
	if (r == 0)
		view_draw(&frame);
	return r;
}

int dashboard_render(const struct session *session, const struct dashboard_picture *picture, FILE *out)
{
	struct canvas canvas;
	struct view view;
	int r = canvas_init(&canvas, picture->columns, picture->lines, picture->ascii || compose_ascii());

	if (r < 0)
		return r;
	view_init(&view, picture->figure, 0);
	view.limit_ns = picture->limit_ns;
	view.screen = (enum screen_view)picture->screen;
	r = compose(session, &view, &canvas, picture->columns, picture->lines);
	if (r == 0)
		r = canvas_print(&canvas, out);
	view_finish(&view);
	canvas_finish(&canvas);
	return r;
}

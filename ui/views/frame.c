/* SPDX-License-Identifier: GPL-2.0-or-later */
/* frame.c - one frame, for a screen or as text. */
#include "ui/views/frame.h"

#include <langinfo.h>
#include <string.h>

#include "src/model/comparison_lines.h"
#include "ui/panes/header.h"
#include "ui/panes/table.h"
#include "ui/views/footer.h"
#include "ui/views/help.h"
#include "ui/views/overview.h"
#include "ui/views/setup.h"
#include "ui/views/views.h"

bool frame_is_ascii(void)
{
	return strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
}

int frame_update(struct view_state *view, const struct session *session, unsigned columns, unsigned lines)
{
	const struct view_kind *kind = views_table[view->screen];
	unsigned header = kind->header_lines(lines);
	struct area table = {.width = columns};

	view->compared.is_open = kind->compares;
	int r = view_state_order(view, session);

	if (r < 0)
		return r;
	view->too_small = columns < FRAME_COLUMNS_MIN || lines < FRAME_LINES_MIN;
	view->body = (struct area){0};
	if (!view->too_small) {
		struct overview_needs needs = overview_needs(session, view, columns);

		table = overview_layout(columns, lines, &needs).panes[PANE_TABLE];
		view->body = (struct area){.y = header, .width = columns, .height = lines - 1 - header};
		view->help_last = help_last(view->help_page, view->body);
		if (kind->table)
			table = kind->table(session, view, view->body);
	}
	view_state_fit(view, session, table);
	return 0;
}

static void draw_too_small(const struct scene *scene)
{
	struct area all = canvas_area(scene->canvas);
	char text[64];

	snprintf(text, sizeof(text), "%ux%u is too small", all.width, all.height);
	canvas_text(scene->canvas, all, 0, 0, STYLE_STRONG, text);
	snprintf(text, sizeof(text), "%dx%d is needed", FRAME_COLUMNS_MIN, FRAME_LINES_MIN);
	canvas_text(scene->canvas, all, 0, 1, STYLE_PLAIN, text);
	canvas_text(scene->canvas, all, 0, 2, STYLE_PLAIN, "q quits");
}

void frame_draw(const struct scene *scene)
{
	struct view_state *view = scene->view;
	struct area header = {.width = view->body.width, .height = view->body.y};
	struct area footer = {.y = view->body.y + view->body.height, .width = view->body.width, .height = 1};

	if (view->too_small) {
		draw_too_small(scene);
		return;
	}
	header_draw(scene, header);
	views_table[view->screen]->draw(scene, view->body);
	footer_draw(scene, footer);
	if (view->help)
		help_draw(scene, view->body);
	if (view->setup.open)
		setup_draw(scene, view->body);
	if (view->list.open)
		list_draw(&view->list, view, scene->canvas, view->body);
	if (view->prompt.open)
		prompt_draw(&view->prompt, scene->canvas, view->body);
}

int frame_make(const struct session *session, struct view_state *view, struct canvas *canvas,
	unsigned columns, unsigned lines)
{
	int r = canvas_reset(canvas, columns, lines);

	if (r == 0)
		r = frame_update(view, session, columns, lines);
	if (r == 0)
		frame_draw(&(struct scene){.session = session, .view = view, .canvas = canvas});
	return r;
}

int frame_print(const struct session *session, const struct frame_picture *picture, FILE *out)
{
	struct comparison_lines compared = {0};
	struct comparison_choice choice;
	struct canvas canvas;
	struct view_state view;
	int r = canvas_init(&canvas, picture->columns, picture->lines, picture->ascii || frame_is_ascii());

	if (r < 0)
		return r;
	view_state_init(&view, picture->figure, 0);
	view.limit_ns = picture->limit_ns;
	view.screen = picture->screen;
	view_state_set_table(&view, &picture->table);
	r = frame_make(session, &view, &canvas, picture->columns, picture->lines);
	if (r == 0 && compared_choice(&view, &choice)) {
		r = comparison_lines_make(&compared, session, &choice, NULL);
		view.compared.lines = &compared;
		if (r == 0)
			r = frame_make(session, &view, &canvas, picture->columns, picture->lines);
	}
	if (r == 0)
		r = canvas_print(&canvas, out);
	comparison_lines_finish(&compared);
	view_state_finish(&view);
	canvas_finish(&canvas);
	return r;
}

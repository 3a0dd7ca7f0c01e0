/* SPDX-License-Identifier: GPL-2.0-or-later */
/* frame.c - the screen, and what keys and mouse do to it. */
#include "ui/frame/frame.h"

#include <errno.h>
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>

#include "src/model/comparison_lines.h"
#include "ui/draw/canvas_svg.h"
#include "ui/frame/header.h"
#include "ui/frame/keys.h"
#include "ui/views/views.h"

bool frame_is_ascii(void)
{
	return strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
}

int frame_init(struct frame *frame, enum figure figure, uint64_t refresh_ns)
{
	*frame = (struct frame){.open = {views_table[0]},
		.n_open = 1,
		.kinds = views_table,
		.n_kinds = views_n + views_n_dialogs,
		.own = calloc(views_n + views_n_dialogs, sizeof(*frame->own)),
		.refresh_ns = refresh_ns};
	view_state_init(&frame->view, figure);
	if (!frame->own)
		return -ENOMEM;
	for (size_t i = 0; i < frame->n_kinds; i++)
		if (frame->kinds[i]->state_size && !(frame->own[i] = calloc(1, frame->kinds[i]->state_size)))
			return -ENOMEM;
	return keys_collect(frame);
}

void frame_finish(struct frame *frame)
{
	for (size_t i = 0; frame->own && i < frame->n_kinds; i++) {
		if (frame->own[i] && frame->kinds[i]->finish)
			frame->kinds[i]->finish(frame->own[i]);
		free(frame->own[i]);
	}
	free(frame->own);
	free(frame->keys);
	view_state_finish(&frame->view);
	*frame = (struct frame){0};
}

int frame_update(struct frame *frame, const struct session *session, unsigned columns, unsigned lines)
{
	const struct view_kind *kind = frame->open[0];
	struct view_state *view = &frame->view;
	struct area table = {0};

	view->ranking = kind->ranking;
	view_state_settle(view, session);
	for (size_t i = 0; i < frame->n_kinds; i++)
		if (frame->kinds[i]->settle)
			frame->kinds[i]->settle(frame, session);
	int r = order_make(&view->order, session, view);

	if (r < 0)
		return r;
	frame->too_small = columns < FRAME_COLUMNS_MIN || lines < FRAME_LINES_MIN;
	frame->body = (struct area){0};
	if (!frame->too_small) {
		unsigned header = kind->header_lines ? kind->header_lines(lines) : lines < 30 ? 1 : 2;

		frame->body = (struct area){.y = header, .width = columns, .height = lines - 1 - header};
		if (kind->fit)
			table = kind->fit(frame, session, frame->body);
		for (size_t i = 1; i < frame->n_open; i++)
			if (frame->open[i]->fit)
				frame->open[i]->fit(frame, session, frame->body);
	}
	view_state_fit(view, session, columns, table);
	frame->has_histogram =
		!frame->too_small && kind->has_histogram && kind->has_histogram(frame, session);
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
	const struct frame *frame = scene->frame;
	struct area header = {.width = frame->body.width, .height = frame->body.y};
	struct area footer = {
		.y = frame->body.y + frame->body.height, .width = frame->body.width, .height = 1};

	if (frame->too_small) {
		draw_too_small(scene);
		return;
	}
	header_draw(scene, header);
	for (size_t i = 0; i < frame->n_open; i++)
		frame->open[i]->draw(scene, frame->body);
	keys_draw_bar(scene, footer);
}

int frame_make(const struct session *session, struct frame *frame, struct canvas *canvas, unsigned columns,
	unsigned lines)
{
	int r = canvas_reset(canvas, columns, lines);

	if (r == 0)
		r = frame_update(frame, session, columns, lines);
	if (r == 0)
		frame_draw(&(struct scene){session, &frame->view, canvas, frame, &frame->histogram});
	return r;
}

static struct effect press_mouse(struct frame *frame, uint32_t code, unsigned x, unsigned y)
{
	const struct view_kind *top = view_top(frame);
	long step = code == KEY_CODE_WHEEL_DOWN ? 1 : -1;

	if (top->type || frame->too_small)
		return (struct effect){SCREEN_NONE};
	if (code != KEY_CODE_CLICK) {
		if (top->wheel)
			top->wheel(frame, step);
		else
			view_move(frame, top->wheel_lines ? step * (long)top->wheel_lines : step);
		return (struct effect){SCREEN_REDRAW};
	}
	uint32_t key = keys_bar_code(frame, x, y);

	if (key == KEY_CODE_NONE && top->click)
		key = top->click(frame, x, y);
	return key == KEY_CODE_NONE ? (struct effect){SCREEN_REFIT} : keys_press(frame, key);
}

struct effect frame_press(struct frame *frame, uint32_t code, unsigned x, unsigned y)
{
	if (code == KEY_CODE_CLICK || code == KEY_CODE_WHEEL_UP || code == KEY_CODE_WHEEL_DOWN)
		return press_mouse(frame, code, x, y);
	return keys_press(frame, code);
}

/* A comparison is made here, where the dashboard has a thread for it, and drawn then. */
static int draw_picture(struct frame *frame, const struct session *session,
	const struct frame_picture *picture, struct canvas *canvas, struct comparison_lines *compared)
{
	struct comparison_choice choice;

	frame->view.limit_ns = picture->limit_ns;
	view_state_set_table(&frame->view, &picture->table);
	if (picture->baseline) {
		frame->view.compared.baseline = picture->baseline->number;
		frame->view.compared.file =
			picture->baseline->number == COMPARISON_FILE ? &picture->baseline->file : NULL;
	}
	view_open(frame, views_table[picture->view]);
	int r = frame_make(session, frame, canvas, picture->columns, picture->lines);

	if (r < 0 || !compared_choice(&frame->view, &choice))
		return r;
	r = comparison_lines_make(compared, session, &choice, picture->phases);
	frame->view.compared.lines = compared;
	return r == 0 ? frame_make(session, frame, canvas, picture->columns, picture->lines) : r;
}

int frame_print(const struct session *session, const struct frame_picture *picture, FILE *out)
{
	struct comparison_lines compared = {0};
	struct canvas canvas;
	struct frame frame;
	int r = canvas_init(&canvas, picture->columns, picture->lines, picture->ascii || frame_is_ascii());

	if (r < 0)
		return r;
	r = frame_init(&frame, picture->figure, 0);
	frame.read_only = true; /* no key acts on a picture, also of a replay */
	frame.palette = picture->palette;
	frame.depth = picture->svg ? DEPTH_TRUE : DEPTH_NONE;
	if (r == 0)
		r = draw_picture(&frame, session, picture, &canvas, &compared);
	if (r == 0)
		r = picture->svg ? canvas_print_svg(&canvas, picture->palette, out)
				 : canvas_print(&canvas, out);
	comparison_lines_finish(&compared);
	frame_finish(&frame);
	canvas_finish(&canvas);
	return r;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* list.c - a small dialog that offers lines, of which one is chosen. */
#include "ui/views/list.h"

enum { WIDTH = 64, INDENT = 2 };

extern const struct view_kind view_list;

void list_open(struct frame *frame, const struct list *list)
{
	*(struct list *)view_own(frame, &view_list) = *list;
	view_open(frame, &view_list);
}

static void press_choose(struct frame *frame, long argument)
{
	const struct list *list = view_own(frame, &view_list);

	view_close(frame);
	list->done(frame, list->position);
}

static void move(struct frame *frame, long by)
{
	struct list *list = view_own(frame, &view_list);

	list->position = view_state_step(list->position, by, list->n - 1);
}

/* The lines' part of the dialog, without title and hint. */
static struct area lines_area(const struct list *list, struct area area)
{
	unsigned width = smaller(area.width, WIDTH), n = smaller((unsigned)list->n, area.height - 2);

	return (struct area){
		area.x + (area.width - width) / 2, area.y + 1 + (area.height - n - 2) / 2, width, n};
}

static size_t first_line(const struct list *list, struct area lines)
{
	return list->position < lines.height ? 0 : list->position - lines.height + 1;
}

/* A click chooses the line. */
static uint32_t click(struct frame *frame, unsigned x, unsigned y)
{
	struct list *list = view_own(frame, &view_list);
	struct area lines = lines_area(list, frame->body);

	if (!area_has(lines, x, y))
		return KEY_CODE_NONE;
	list->position = first_line(list, lines) + y - lines.y;
	return KEY_CODE_ENTER;
}

/* In the middle of the body. Where lines have no room, the marked one is visible. */
static void draw_list(const struct scene *scene, struct area body)
{
	const struct list *list = view_own(scene->frame, &view_list);
	struct canvas *canvas = scene->canvas;
	struct area lines = lines_area(list, body);
	struct area box = {lines.x, lines.y - 1, lines.width, lines.height + 2};
	size_t first = first_line(list, lines);

	canvas_blank(canvas, box);
	canvas_title(canvas, box, list->title);
	for (unsigned y = 0; y < lines.height; y++) {
		struct area line = {lines.x, lines.y + y, lines.width, 1};
		char text[LIST_LINE_SIZE];

		list->line(scene->frame, first + y, text);
		canvas_left(canvas, line, INDENT, 0, line.width - INDENT, STYLE_PLAIN, text);
		if (first + y == list->position)
			canvas_select(canvas, line, true);
	}
	size_t n_left = list->n - first - lines.height;

	unsigned x = canvas_more(canvas, box, INDENT, box.height - 1, n_left);

	if (n_left)
		x = canvas_text(canvas, box, x, box.height - 1, STYLE_PLAIN, "; ");
	canvas_left(canvas, box, x, box.height - 1, box.width, STYLE_PLAIN, list->hint);
}

static const struct key keys[] = {
	{{KEY_CODE_ENTER, '\n'}, "Enter", "choose the marked line", "Choose", "Enter", press_choose},
};

const struct view_kind view_list = {
	.name = "list",
	.is_dialog = true,
	.state_size = sizeof(struct list),
	VIEW_KEYS(keys),
	.draw = draw_list,
	.move = move,
	.click = click,
};

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* list.c - a small dialog that offers lines, of which one is chosen. */
#include "ui/draw/list.h"

enum { WIDTH = 64, INDENT = 2 };

void list_choose(struct list *list, struct view_state *view)
{
	list->open = false;
	list->done(view, list->position);
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

size_t list_line_at(const struct list *list, struct area area, unsigned x, unsigned y)
{
	struct area lines = lines_area(list, area);
	bool is_inside =
		x >= lines.x && x < lines.x + lines.width && y >= lines.y && y < lines.y + lines.height;

	return is_inside ? first_line(list, lines) + y - lines.y : list->n;
}

void list_draw(
	const struct list *list, const struct view_state *view, struct canvas *canvas, struct area area)
{
	struct area lines = lines_area(list, area);
	struct area box = {lines.x, lines.y - 1, lines.width, lines.height + 2};
	size_t first = first_line(list, lines);
	char more[32] = "";

	canvas_blank(canvas, box, STYLE_PLAIN);
	canvas_title(canvas, box, list->title);
	for (unsigned y = 0; y < lines.height; y++) {
		bool marked = first + y == list->position;
		char text[LIST_LINE_SIZE];

		list->line(view, first + y, text);
		canvas_left(canvas, lines, INDENT, y, lines.width - INDENT, STYLE_PLAIN, text);
		if (marked) {
			canvas_put(canvas, lines, 0, y, '>', STYLE_PLAIN);
			canvas_restyle(
				canvas, (struct area){lines.x, lines.y + y, lines.width, 1}, STYLE_SELECTED);
		}
	}
	size_t n_left = list->n - first - lines.height;

	if (n_left)
		snprintf(more, sizeof(more), "%s %zu more; ", canvas->ascii ? "..." : "\u2026", n_left);
	canvas_left(canvas, box, INDENT, box.height - 1, box.width - INDENT, STYLE_PLAIN, more);
	canvas_left(canvas, box, INDENT + canvas_measure(canvas, more), box.height - 1, box.width,
		STYLE_PLAIN, list->hint);
}

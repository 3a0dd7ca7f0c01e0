/* SPDX-License-Identifier: GPL-2.0-or-later */
/* list.h - a small dialog that offers lines, of which one is chosen. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "ui/draw/canvas.h"

struct view_state;

enum { LIST_LINE_SIZE = 96 };

struct list {
	bool open;
	const char *title, *hint;
	size_t n, position; /* of the lines; of the one that is marked */
	/* Writes line @i. */
	void (*line)(const struct view_state *view, size_t i, char text[LIST_LINE_SIZE]);
	/* Called for the chosen line, after the dialog was closed. */
	void (*done)(struct view_state *view, size_t i);
};

void list_choose(struct list *list, struct view_state *view);
/* Returns the line at a cell, or @n of the list. @area: as for list_draw(). */
size_t list_line_at(const struct list *list, struct area area, unsigned x, unsigned y);
/* Draws it in the middle of the area. Where lines have no room, the marked one is visible. */
void list_draw(
	const struct list *list, const struct view_state *view, struct canvas *canvas, struct area area);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* frame.h - one frame: header, view and footer on a canvas of the screen's size. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "ui/table/view_state.h"

enum { FRAME_COLUMNS_MIN = 40, FRAME_LINES_MIN = 10 };

/* Returns whether the locale lacks UTF-8. */
bool frame_is_ascii(void);

/* Pure. Returns 0, or -ENOMEM with no frame drawn. */
int frame_make(const struct session *session, struct view_state *view, struct canvas *canvas,
	unsigned columns, unsigned lines);

/* The two steps of frame_make(). The first fits the view state to session and size: 0 or -ENOMEM. */
int frame_update(struct view_state *view, const struct session *session, unsigned columns, unsigned lines);
void frame_draw(const struct scene *scene);

struct frame_picture {
	unsigned columns, lines;
	enum figure figure;
	unsigned screen;   /* the view: its place in views_table */
	uint64_t limit_ns; /* samples above it are counted; 0: none */
	struct table_options table;
	bool ascii; /* even if the locale has UTF-8 */
};

/* One frame as text, without any terminal. Returns 0 or a negative errno. */
int frame_print(const struct session *session, const struct frame_picture *picture, FILE *out);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* frame.h - one frame: the session as a view shows it, on a canvas of the screen's size. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "ui/table/view_state.h"

enum { FRAME_COLUMNS_MIN = 40, FRAME_LINES_MIN = 10 };

/* Does the locale lack UTF-8? */
bool frame_is_ascii(void);

/* Pure. Returns 0, or -ENOMEM with no frame drawn. */
int frame_make(const struct session *session, struct view_state *view, struct canvas *canvas,
	unsigned columns, unsigned lines);

/* Its two steps: fits the view to the session and the size, which may fail with -ENOMEM; and draws it. */
int frame_update(struct view_state *view, const struct session *session, unsigned columns, unsigned lines);
void frame_draw(const struct scene *scene);

struct frame_picture {
	unsigned columns, lines;
	enum figure figure;
	unsigned screen;   /* the view: its place in views_table */
	uint64_t limit_ns; /* samples above it are counted; 0: none */
	bool ascii;        /* also where the locale has UTF-8 */
};

/* One frame as text, without any terminal. Returns 0 or a negative errno. */
int frame_print(const struct session *session, const struct frame_picture *picture, FILE *out);

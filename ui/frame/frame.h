/* SPDX-License-Identifier: GPL-2.0-or-later */
/* frame.h - the screen: header, view, footer and dialogs on a canvas, and what keys and mouse do to them.
 * Pure.
 */
#pragma once

#include <stdio.h>

#include "ui/draw/palette.h"
#include "ui/views/view.h"

enum { FRAME_COLUMNS_MIN = 40, FRAME_LINES_MIN = 10 };

/* Returns whether the locale lacks UTF-8. */
bool frame_is_ascii(void);

/* The overview without a dialog. Returns 0 or -ENOMEM; frame_finish() accepts what is left. */
int frame_init(struct frame *frame, enum figure figure, uint64_t refresh_ns);
void frame_finish(struct frame *frame);

/* Returns 0, or -ENOMEM with nothing drawn. */
int frame_make(const struct session *session, struct frame *frame, struct canvas *canvas, unsigned columns,
	unsigned lines);
/* The two steps of frame_make(). The first fits the frame to session and size: 0 or -ENOMEM. */
int frame_update(struct frame *frame, const struct session *session, unsigned columns, unsigned lines);
void frame_draw(const struct scene *scene);

/* A key, or an event of the mouse at a cell of the last frame: the wheel scrolls, a click selects, sorts, or
 * is a key. @code: see key_code.h. */
struct effect frame_press(struct frame *frame, uint32_t code, unsigned x, unsigned y);

struct baseline;
struct phase_source;

struct frame_picture {
	unsigned columns, lines;
	enum figure figure;
	unsigned view;     /* an index of views_table */
	uint64_t limit_ns; /* samples above it are counted; 0: none */
	struct table_options table;
	bool ascii; /* even if the locale has UTF-8 */
	bool svg;   /* as a picture, with the colors of @palette */
	enum palette palette;
	const struct baseline *baseline;   /* NULL: none */
	const struct phase_source *phases; /* of those that the session does not have any more; NULL: none */
};

/* One frame as text or SVG, without any terminal. Returns 0 or a negative errno. */
int frame_print(const struct session *session, const struct frame_picture *picture, FILE *out);

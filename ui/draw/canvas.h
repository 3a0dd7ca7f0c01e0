/* SPDX-License-Identifier: GPL-2.0-or-later */
/* canvas.h - a grid of styled cells: views draw into it, and a screen or a file shows it. Pure.
 *
 * All functions clip to their area, and to the canvas. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "ui/draw/style.h"

struct cell {
	uint32_t rune; /* a Unicode code point; 0: the right half of a wide one */
	uint8_t style;
};

struct canvas {
	unsigned columns, lines;
	bool ascii;         /* bars and signs in ASCII; other letters become '?' */
	struct cell *cells; /* owned, line by line */
	/* What a person would see as a flaw, counted for tests since canvas_reset(): texts that were cut
	 * without a mark, and letters that were drawn over other letters. */
	unsigned n_cut, n_overlaps;
};

struct area {
	unsigned x, y, width, height;
};

static inline bool area_has(struct area area, unsigned x, unsigned y)
{
	return x >= area.x && x < area.x + area.width && y >= area.y && y < area.y + area.height;
}

/* Makes a blank canvas of at least one cell. Returns 0 or -ENOMEM. */
int canvas_init(struct canvas *canvas, unsigned columns, unsigned lines, bool ascii);
void canvas_finish(struct canvas *canvas);
/* Blanks it, with a new size if that differs. Returns 0, or -ENOMEM with the canvas as it was. */
int canvas_reset(struct canvas *canvas, unsigned columns, unsigned lines);

struct area canvas_area(const struct canvas *canvas); /* all of it */
/* Splits lines of @width, from @y on, into one area for each height; those of height 0 stay zeroed. */
void canvas_stack(struct area *areas, const unsigned *heights, size_t n, unsigned y, unsigned width);
static inline unsigned larger(unsigned a, unsigned b)
{
	return a > b ? a : b;
}

static inline unsigned smaller(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* @x and @y count from the area's corner. */
void canvas_put(
	struct canvas *canvas, struct area area, unsigned x, unsigned y, uint32_t rune, enum style style);
/* UTF-8; characters that can't be shown become '?'. Returns the column after the text, clipped or not. */
unsigned canvas_text(
	struct canvas *canvas, struct area area, unsigned x, unsigned y, enum style style, const char *text);
/* Wraps a text between words, and cuts it in the area's last line. Returns the number of lines. */
unsigned canvas_wrap(struct canvas *canvas, struct area area, enum style style, const char *text);
/* Returns the bytes of a text that are on its first line when it is wrapped. */
size_t canvas_line_length(const char *text, unsigned width);
unsigned canvas_wrap_lines(unsigned width, const char *text); /* all lines of a text */
/* Write a text into a field of @width columns. A longer text is cut, with an ellipsis (ASCII: +) at its end.
 */
void canvas_left(struct canvas *canvas, struct area area, unsigned x, unsigned y, unsigned width,
	enum style style, const char *text);
void canvas_right(struct canvas *canvas, struct area area, unsigned x, unsigned y, unsigned width,
	enum style style, const char *text);
/* Draws a bar of @fraction (0..1) of @width columns, at least an eighth of a column if it is above 0. */
void canvas_bar(struct canvas *canvas, struct area area, unsigned x, unsigned y, unsigned width,
	double fraction, enum style style);
void canvas_blank(struct canvas *canvas, struct area area);
void canvas_restyle(struct canvas *canvas, struct area area, enum style style);
/* Restyles a line as selected, with `>` as its sign in front. Steps of the scale keep their colors. */
void canvas_select(struct canvas *canvas, struct area line, bool has_sign);
/* The first line of a section: its title, then a rule to the area's end. */
void canvas_title(struct canvas *canvas, struct area area, const char *title);
/* Returns whether the title is not cut there. */
bool canvas_title_fits(const struct canvas *canvas, struct area area, const char *title);

/* "… 4 more": the last line of a list that has no room for them; nothing for 0. Returns the column after it.
 */
unsigned canvas_more(struct canvas *canvas, struct area area, unsigned x, unsigned y, size_t n);

/* "… 3 above, 6 below": the last line of a list that scrolls; nothing if both are 0. */
void canvas_hidden(
	struct canvas *canvas, struct area area, unsigned x, unsigned y, size_t above, size_t below);

/* Returns the width of a text in columns. */
unsigned canvas_measure(const struct canvas *canvas, const char *text);

/* Writes a code point as UTF-8, without a final 0. Returns the number of bytes. */
size_t canvas_encode(uint32_t rune, char bytes[4]);

/* Plain text, without blanks at lines' ends. Returns 0 or a negative errno. */
int canvas_print(const struct canvas *canvas, FILE *out);

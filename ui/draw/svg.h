/* SPDX-License-Identifier: GPL-2.0-or-later */
/* svg.h - writes pictures as SVG: shapes and texts, whose looks are classes of one style sheet. Pure.
 *
 * The sheet has a light and a dark look, of which a browser takes the one that its user prefers. Lines differ
 * in their dashes, too, not in colors alone. Lengths are pixels. Errors of writing stay with the stream. */
#pragma once

#include <stdint.h>
#include <stdio.h>

enum { SVG_LINES = 8 }; /* classes line0 to line7 */

/* A picture that is a file, or a part of an HTML page that has the style sheet. The title is what a reader
 * aloud says. */
void svg_begin(FILE *out, double width, double height, const char *title);
void svg_begin_part(FILE *out, double width, double height, const char *title);
void svg_end(FILE *out);
extern const char svg_style_sheet[];

/* Writes a text of UTF-8 with XML's five entities. What is no character of XML becomes '?'. */
void svg_escape(FILE *out, const char *text);

struct svg_box {
	double x, y, width, height;
};

/* @class: of the style sheet, one or more. A rectangle with @rgb (0xRRGGBB) has that color in both looks. */
void svg_rectangle(FILE *out, struct svg_box box, const char *class);
void svg_shaded(FILE *out, struct svg_box box, const char *class, double opacity);
void svg_colored(FILE *out, struct svg_box box, int32_t rgb, double opacity);
void svg_line(FILE *out, double x1, double y1, double x2, double y2, const char *class);

enum svg_anchor { SVG_START, SVG_MIDDLE, SVG_END };
/* @y: of the letters' base. */
void svg_text(FILE *out, double x, double y, enum svg_anchor anchor, const char *class, const char *text);

/* The fonts of the style sheet: of the class "title", without a class, and of "small". */
enum svg_font { SVG_FONT_TITLE, SVG_FONT_PLAIN, SVG_FONT_SMALL };
/* Returns about how many pixels a text takes, in a font that is wider than most. */
double svg_text_width(const char *text, enum svg_font font);
/* Copies a text, cut to so many pixels: its last letter is an ellipsis then. Returns @cut. */
enum { SVG_TEXT_SIZE = 512 };
char *svg_cut(const char *text, enum svg_font font, double width, char cut[SVG_TEXT_SIZE]);

/* A line through points, of which there is at least one. */
void svg_path_begin(FILE *out, double x, double y, const char *class);
void svg_path_to(FILE *out, double x, double y);
void svg_path_end(FILE *out);

/* A note that a browser shows where the mouse rests on the shapes in between. */
void svg_note_begin(FILE *out, const char *note);
void svg_note_end(FILE *out);

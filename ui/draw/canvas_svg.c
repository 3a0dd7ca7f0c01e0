/* SPDX-License-Identifier: GPL-2.0-or-later */
/* canvas_svg.c - a canvas as a picture: bars and shades are drawn, so that no font is needed for them. */
#include "ui/draw/canvas_svg.h"

#include <errno.h>

#include "ui/draw/svg.h"

static const double cell_width = 8.5, cell_height = 18, base = 13.5, margin = 8;

enum {
	UPPER_HALF = 0x2580,
	EIGHTHS_LOWER = 0x2581,
	FULL_BLOCK = 0x2588,
	EIGHTHS_LEFT = 0x2589,
	EIGHTHS_LEFT_LAST = 0x258f
};
enum { SHADE_LIGHT = 0x2591, SHADE_DARK = 0x2593 };

static struct svg_box box_of(unsigned x, unsigned y, unsigned n)
{
	return (struct svg_box){
		margin + x * cell_width, margin + y * cell_height, n * cell_width, cell_height};
}

/* The terminal's own colors are those of ink and paper; a reversed cell swaps them. */
static void fill_box(FILE *out, struct svg_box box, int32_t rgb, const char *own, double opacity)
{
	if (rgb >= 0)
		svg_colored(out, box, rgb, opacity);
	else
		svg_shaded(out, box, own, opacity);
}

/* --- signs that are shapes --- */

static bool is_shape(uint32_t rune)
{
	return (rune >= UPPER_HALF && rune <= EIGHTHS_LEFT_LAST) ||
	       (rune >= SHADE_LIGHT && rune <= SHADE_DARK);
}

static void draw_shape(FILE *out, struct svg_box box, uint32_t rune, const struct look *look)
{
	double opacity = 1.0;

	if (rune == UPPER_HALF) {
		box.height = cell_height / 2;
	} else if (rune <= FULL_BLOCK) {
		double height = cell_height * (double)(rune - EIGHTHS_LOWER + 1) / 8;

		box.y += cell_height - height;
		box.height = height;
	} else if (rune <= EIGHTHS_LEFT_LAST) {
		box.width = cell_width * (double)(EIGHTHS_LEFT + 7 - rune) / 8;
	} else {
		opacity = (double)(rune - SHADE_LIGHT + 1) / 4;
	}
	fill_box(out, box, look->foreground, look->attributes & LOOK_REVERSE ? "paper" : "ink", opacity);
}

/* --- texts --- */

static void print_text_begin(FILE *out, struct svg_box box, const struct look *look)
{
	bool is_reversed = look->attributes & LOOK_REVERSE;

	fprintf(out,
		"<text x=\"%.2f\" y=\"%.2f\" textLength=\"%.2f\" lengthAdjust=\"spacingAndGlyphs\" "
		"xml:space=\"preserve\" class=\"cells%s%s%s%s\"",
		box.x, box.y + base, box.width, look->attributes & LOOK_BOLD ? " bold" : "",
		look->attributes & LOOK_DIM ? " dim" : "",
		look->attributes & LOOK_UNDERLINE ? " underline" : "",
		is_reversed            ? " paper"
		: look->foreground < 0 ? " ink"
				       : "");
	if (!is_reversed && look->foreground >= 0)
		fprintf(out, " fill=\"#%06x\"", (unsigned)look->foreground);
	fputc('>', out);
}

static void print_rune(FILE *out, uint32_t rune)
{
	char bytes[5] = "";

	bytes[canvas_encode(rune, bytes)] = '\0';
	svg_escape(out, bytes);
}

/* Returns how many cells from @x on have one style, and are all texts or the same shape of full width. */
static unsigned run_length(const struct cell *cells, unsigned x, unsigned columns)
{
	bool is_narrow = cells[x].rune >= EIGHTHS_LEFT && cells[x].rune <= EIGHTHS_LEFT_LAST;
	unsigned n = 1;

	while (!is_narrow && x + n < columns && cells[x + n].style == cells[x].style &&
		(is_shape(cells[x].rune) ? cells[x + n].rune == cells[x].rune : !is_shape(cells[x + n].rune)))
		n++;
	return n;
}

static bool is_blank(const struct cell *cells, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (cells[i].rune != ' ' && cells[i].rune != 0)
			return false;
	return true;
}

static void draw_run(
	FILE *out, const struct cell *cells, struct svg_box box, unsigned n, const struct look *look)
{
	bool is_reversed = look->attributes & LOOK_REVERSE;

	if (is_reversed)
		fill_box(out, box, look->foreground, "ink", 1.0);
	else if (look->background >= 0)
		svg_colored(out, box, look->background, 1.0);
	if (is_shape(cells[0].rune)) {
		draw_shape(out, box, cells[0].rune, look);
		return;
	}
	if (is_blank(cells, n) && !(look->attributes & LOOK_UNDERLINE))
		return;
	print_text_begin(out, box, look);
	for (unsigned i = 0; i < n; i++)
		if (cells[i].rune)
			print_rune(out, cells[i].rune);
	fputs("</text>\n", out);
}

int canvas_print_svg(const struct canvas *canvas, enum palette palette, FILE *out)
{
	svg_begin(out, canvas->columns * cell_width + 2 * margin, canvas->lines * cell_height + 2 * margin,
		"the screen of ipctop");
	for (unsigned y = 0; y < canvas->lines; y++) {
		const struct cell *line = &canvas->cells[(size_t)y * canvas->columns];

		for (unsigned x = 0, n; x < canvas->columns; x += n) {
			struct look look = palette_look(palette, DEPTH_TRUE, line[x].style);

			n = run_length(line, x, canvas->columns);
			draw_run(out, &line[x], box_of(x, y, n), n, &look);
		}
	}
	svg_end(out);
	return ferror(out) ? -EIO : 0;
}

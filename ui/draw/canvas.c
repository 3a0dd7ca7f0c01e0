/* SPDX-License-Identifier: GPL-2.0-or-later */
/* canvas.c - draws into a grid of styled cells. */
#include "ui/draw/canvas.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "src/base/text.h"

enum { RULE = 0x2500, TITLE_X = 2 };

int canvas_init(struct canvas *canvas, unsigned columns, unsigned lines, bool ascii)
{
	*canvas = (struct canvas){.ascii = ascii};
	return canvas_reset(canvas, columns, lines);
}

void canvas_finish(struct canvas *canvas)
{
	free(canvas->cells);
	*canvas = (struct canvas){0};
}

int canvas_reset(struct canvas *canvas, unsigned columns, unsigned lines)
{
	columns = columns ? columns : 1;
	lines = lines ? lines : 1;
	if (columns != canvas->columns || lines != canvas->lines) {
		struct cell *cells = realloc(canvas->cells, sizeof(*cells) * columns * lines);

		if (!cells)
			return -ENOMEM;
		canvas->cells = cells;
		canvas->columns = columns;
		canvas->lines = lines;
	}
	for (size_t i = 0; i < (size_t)columns * lines; i++)
		canvas->cells[i] = (struct cell){.rune = ' ', .style = STYLE_PLAIN};
	canvas->n_cut = canvas->n_overlaps = 0;
	return 0;
}

struct area canvas_area(const struct canvas *canvas)
{
	return (struct area){.width = canvas->columns, .height = canvas->lines};
}

void canvas_stack(struct area *areas, const unsigned *heights, size_t n, unsigned y, unsigned width)
{
	for (size_t i = 0; i < n; y += heights[i++])
		if (heights[i])
			areas[i] = (struct area){.y = y, .width = width, .height = heights[i]};
}

/* Returns the cell at a position in the area, or NULL outside of it. */
static struct cell *cell_at(const struct canvas *canvas, struct area area, unsigned x, unsigned y)
{
	if (x >= area.width || y >= area.height || area.x + x >= canvas->columns ||
		area.y + y >= canvas->lines)
		return NULL;
	return &canvas->cells[(size_t)(area.y + y) * canvas->columns + area.x + x];
}

/* A wide rune that loses one half becomes a blank. */
static void mend(struct canvas *canvas, struct cell *cell)
{
	size_t column = (size_t)(cell - canvas->cells) % canvas->columns;

	if (cell->rune == 0 && column > 0)
		cell[-1].rune = ' ';
	if (column + 1 < canvas->columns && cell[1].rune == 0)
		cell[1].rune = ' ';
}

void canvas_put(
	struct canvas *canvas, struct area area, unsigned x, unsigned y, uint32_t rune, enum style style)
{
	struct cell *cell = cell_at(canvas, area, x, y);

	if (!cell)
		return;
	mend(canvas, cell);
	*cell = (struct cell){.rune = rune, .style = (uint8_t)style};
}

/* Returns the next rune as it is shown, and its columns (0: it combines with the one before). */
static uint32_t next_shown(const struct canvas *canvas, const char **text, unsigned *width)
{
	uint32_t rune = text_next(text);
	bool is_shown = rune != TEXT_BAD && text_is_plain(rune);
	int columns = !is_shown ? -1 : rune < 0x80 ? 1 : canvas->ascii ? -1 : wcwidth((wchar_t)rune);

	*width = columns < 0 ? 1 : (unsigned)columns;
	return columns < 0 ? '?' : rune;
}

/* Rules give way to texts. */
static bool is_letter(const struct canvas *canvas, uint32_t rune)
{
	return rune != ' ' && rune != (canvas->ascii ? '-' : RULE);
}

/* Clips. */
static unsigned draw_text(
	struct canvas *canvas, struct area area, unsigned x, unsigned y, enum style style, const char *text)
{
	while (*text) {
		unsigned width;
		uint32_t rune = next_shown(canvas, &text, &width);

		if (width == 0)
			continue;
		bool cut = width == 2 && !cell_at(canvas, area, x + 1, y);
		const struct cell *cell = cell_at(canvas, area, x, y);

		canvas->n_overlaps += cell && rune != ' ' && is_letter(canvas, cell->rune);
		canvas_put(canvas, area, x, y, cut ? ' ' : rune, style);
		if (width == 2)
			canvas_put(canvas, area, x + 1, y, ' ', style);
		if (width == 2 && !cut && cell_at(canvas, area, x, y))
			cell_at(canvas, area, x + 1, y)->rune = 0;
		x += width;
	}
	return x;
}

unsigned canvas_text(
	struct canvas *canvas, struct area area, unsigned x, unsigned y, enum style style, const char *text)
{
	unsigned end = draw_text(canvas, area, x, y, style, text);

	canvas->n_cut += end > x && !cell_at(canvas, area, end - 1, y);
	return end;
}

unsigned canvas_more(struct canvas *canvas, struct area area, unsigned x, unsigned y, size_t n)
{
	char text[48];

	snprintf(text, sizeof(text), "%s %zu more", canvas->ascii ? "..." : "\u2026", n);
	return n ? canvas_text(canvas, area, x, y, STYLE_PLAIN, text) : x;
}

void canvas_hidden(
	struct canvas *canvas, struct area area, unsigned x, unsigned y, size_t above, size_t below)
{
	char text[80];

	if ((!above && !below) || area.height < 2) /* a single line has a row */
		return;
	snprintf(text, sizeof(text), "%s ", canvas->ascii ? "..." : "\u2026");
	if (above)
		text_print(text, sizeof(text), "%zu above%s", above, below ? ", " : "");
	if (below)
		text_print(text, sizeof(text), "%zu below", below);
	canvas_text(canvas, area, x, y, STYLE_PLAIN, text);
}

unsigned canvas_measure(const struct canvas *canvas, const char *text)
{
	unsigned columns = 0;

	while (*text) {
		unsigned width;

		next_shown(canvas, &text, &width);
		columns += width;
	}
	return columns;
}

/* Returns the area of a field, clipped to @area. */
static struct area field_area(struct area area, unsigned x, unsigned y, unsigned width)
{
	if (x >= area.width || y >= area.height)
		return (struct area){0};
	if (width > area.width - x)
		width = area.width - x;
	return (struct area){.x = area.x + x, .y = area.y + y, .width = width, .height = 1};
}

void canvas_left(struct canvas *canvas, struct area area, unsigned x, unsigned y, unsigned width,
	enum style style, const char *text)
{
	struct area field = field_area(area, x, y, width);

	draw_text(canvas, field, 0, 0, style, text);
	if (field.width > 0 && canvas_measure(canvas, text) > field.width)
		canvas_put(canvas, field, field.width - 1, 0, canvas->ascii ? '+' : 0x2026, style);
}

void canvas_right(struct canvas *canvas, struct area area, unsigned x, unsigned y, unsigned width,
	enum style style, const char *text)
{
	unsigned columns = canvas_measure(canvas, text);
	unsigned skip = columns < width ? width - columns : 0;

	canvas_left(canvas, area, x + skip, y, width - skip, style, text);
}

size_t canvas_line_length(const char *text, unsigned width)
{
	size_t length = strlen(text), n = length;

	if (n > width)
		for (n = width; n > 0 && text[n] != ' ';)
			n--;
	return n ? n : length;
}

static const char *next_line(const char *text, size_t length)
{
	for (text += length; *text == ' ';)
		text++;
	return text;
}

unsigned canvas_wrap_lines(unsigned width, const char *text)
{
	unsigned lines = 0;

	for (; *text; lines++)
		text = next_line(text, canvas_line_length(text, width));
	return lines;
}

unsigned canvas_wrap(struct canvas *canvas, struct area area, enum style style, const char *text)
{
	unsigned y = 0;

	while (*text && y < area.height) {
		size_t n = y + 1 < area.height ? canvas_line_length(text, area.width) : strlen(text);
		char line[512];

		snprintf(line, sizeof(line), "%.*s", (int)n, text);
		canvas_left(canvas, area, 0, y++, area.width, style, line);
		text = next_line(text, n);
	}
	return y;
}

void canvas_bar(struct canvas *canvas, struct area area, unsigned x, unsigned y, unsigned width,
	double fraction, enum style style)
{
	unsigned eighths = (unsigned)(fraction * width * 8.0 + 0.5);

	if (fraction <= 0.0)
		return;
	eighths = eighths < 1 ? 1 : eighths > width * 8 ? width * 8 : eighths;
	if (canvas->ascii)
		eighths = (eighths + 7) / 8 * 8;
	for (unsigned i = 0; i < eighths / 8; i++)
		canvas_put(canvas, area, x + i, y, canvas->ascii ? '#' : 0x2588, style);
	if (eighths % 8) /* U+2589 is seven eighths of a block, U+258F one */
		canvas_put(canvas, area, x + eighths / 8, y, 0x2590 - eighths % 8, style);
}

void canvas_blank(struct canvas *canvas, struct area area)
{
	for (unsigned y = 0; y < area.height; y++)
		for (unsigned x = 0; x < area.width; x++)
			canvas_put(canvas, area, x, y, ' ', STYLE_PLAIN);
}

void canvas_restyle(struct canvas *canvas, struct area area, enum style style)
{
	for (unsigned y = 0; y < area.height; y++) {
		for (unsigned x = 0; x < area.width; x++) {
			struct cell *cell = cell_at(canvas, area, x, y);

			if (cell)
				cell->style = (uint8_t)style;
		}
	}
}

void canvas_select(struct canvas *canvas, struct area line, bool has_sign)
{
	for (unsigned x = 0; x < line.width; x++) {
		struct cell *cell = cell_at(canvas, line, x, 0);

		if (cell && cell->style < STYLE_STEP_1)
			cell->style = STYLE_SELECTED;
	}
	if (has_sign)
		canvas_put(canvas, line, 0, 0, '>', STYLE_SELECTED);
}

void canvas_title(struct canvas *canvas, struct area area, const char *title)
{
	for (unsigned x = 0; x < area.width; x++)
		canvas_put(canvas, area, x, 0, canvas->ascii ? '-' : RULE, STYLE_TITLE);
	if (area.width > 2 * TITLE_X)
		canvas_left(canvas, area, TITLE_X, 0, area.width - TITLE_X, STYLE_TITLE, title);
}

bool canvas_title_fits(const struct canvas *canvas, struct area area, const char *title)
{
	return canvas_measure(canvas, title) + TITLE_X <= area.width;
}

size_t canvas_encode(uint32_t rune, char bytes[4])
{
	static const struct {
		uint32_t below;
		unsigned char lead;
	} forms[] = {{0x80, 0}, {0x800, 0xc0}, {0x10000, 0xe0}, {UINT32_MAX, 0xf0}};
	size_t n = 0;

	while (rune >= forms[n].below)
		n++;
	for (size_t i = n; i > 0; i--, rune >>= 6)
		bytes[i] = (char)(0x80 | (rune & 0x3f));
	bytes[0] = (char)(forms[n].lead | rune);
	return n + 1;
}

int canvas_print(const struct canvas *canvas, FILE *out)
{
	for (unsigned y = 0; y < canvas->lines; y++) {
		const struct cell *line = &canvas->cells[(size_t)y * canvas->columns];
		unsigned end = canvas->columns;

		while (end > 0 && line[end - 1].rune == ' ')
			end--;
		for (unsigned x = 0; x < end; x++) {
			char bytes[4];

			if (line[x].rune)
				fwrite(bytes, 1, canvas_encode(line[x].rune, bytes), out);
		}
		putc('\n', out);
	}
	return fflush(out) != 0 || ferror(out) ? -EIO : 0;
}

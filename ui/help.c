/* SPDX-License-Identifier: GPL-2.0-or-later */
/* help.c - what each key does, over the body, made from the table of keys. */
#include "ui/keys.h"
#include "ui/view.h"

enum { NAMES_WIDTH = 9, GAP = 2, NOTES_GAP = 1 };

static const char *const notes[] = {
	"~   a percentile with fewer than 10 samples beyond it",
	"!   scheduling is not as asked",
	">=  the age of what is overdue",
	"-   no samples",
};

enum { N_NOTES = sizeof(notes) / sizeof(*notes) };

static void draw_line(const struct frame *frame, struct area area, unsigned y, size_t line)
{
	if (line < keys_n) {
		canvas_right(frame->canvas, area, 0, y, NAMES_WIDTH, STYLE_STRONG, keys_table[line].names);
		canvas_left(frame->canvas, area, NAMES_WIDTH + GAP, y, area.width - NAMES_WIDTH - GAP,
			STYLE_PLAIN, keys_table[line].help);
	} else if (line >= keys_n + NOTES_GAP && line < keys_n + NOTES_GAP + N_NOTES) {
		canvas_left(frame->canvas, area, 2, y, area.width - 2, STYLE_PLAIN,
			notes[line - keys_n - NOTES_GAP]);
	}
}

void help_draw(const struct frame *frame, struct area area)
{
	size_t lines = keys_n + NOTES_GAP + N_NOTES, room = area.height - 1;
	size_t top = frame->view->help_top, last = lines > room ? lines - room : 0;
	struct area inner = {area.x, area.y + 1, area.width, area.height - 1};

	top = top < last ? top : last;
	canvas_blank(frame->canvas, area, STYLE_PLAIN);
	canvas_title(frame->canvas, area, last ? " help: j k scroll, Esc closes " : " help: Esc closes ");
	for (unsigned y = 0; y < inner.height && top + y < lines; y++)
		draw_line(frame, inner, y, top + y);
}

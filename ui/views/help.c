/* SPDX-License-Identifier: GPL-2.0-or-later */
/* help.c - the list of all keys, in two columns where they fit. */
#include "ui/views/help.h"

#include "ui/views/keys.h"

enum { NAMES_WIDTH = 8, GAP = 2, HELP_WIDTH = 30, COLUMN_WIDTH = NAMES_WIDTH + GAP + HELP_WIDTH };

static const struct note {
	const char *sign, *meaning;
} notes[] = {
	{"~", "under 10 samples beyond it"},
	{"!", "scheduling is not as asked"},
	{">=", "the age of what is overdue"},
	{"-", "no samples"},
};

enum { N_NOTES = sizeof(notes) / sizeof(*notes) };

static void draw_entry(const struct scene *scene, struct area area, unsigned y, size_t entry)
{
	const char *name = "", *help = "";

	if (entry < keys_count()) {
		struct key key = keys_at(entry);

		name = key.names;
		help = key.help;
	} else if (entry > keys_count() && entry - keys_count() - 1 < N_NOTES) { /* an empty line between */
		name = notes[entry - keys_count() - 1].sign;
		help = notes[entry - keys_count() - 1].meaning;
	}
	canvas_right(scene->canvas, area, 0, y, NAMES_WIDTH, STYLE_STRONG, name);
	canvas_left(
		scene->canvas, area, NAMES_WIDTH + GAP, y, area.width - NAMES_WIDTH - GAP, STYLE_PLAIN, help);
}

static unsigned columns_in(struct area area)
{
	return area.width >= 2 * COLUMN_WIDTH ? 2 : 1;
}

static size_t lines_in(struct area area)
{
	size_t entries = keys_count() + 1 + N_NOTES, columns = columns_in(area);

	return (entries + columns - 1) / columns;
}

size_t help_last(struct area area)
{
	size_t lines = lines_in(area), room = area.height ? area.height - 1 : 0;

	return lines > room ? lines - room : 0;
}

void help_draw(const struct scene *scene, struct area area)
{
	unsigned columns = columns_in(area);
	size_t lines = lines_in(area), room = area.height - 1, last = help_last(area);
	size_t top = view_state_place(scene->view->help_top, 0, last);

	canvas_blank(scene->canvas, area, STYLE_PLAIN);
	canvas_title(scene->canvas, area, last ? " help: j k scroll, Esc closes " : " help: Esc closes ");
	for (unsigned column = 0; column < columns; column++) {
		struct area inner = {area.x + column * COLUMN_WIDTH, area.y + 1,
			columns > 1 ? COLUMN_WIDTH : area.width, area.height - 1};

		for (unsigned y = 0; y < room && top + y < lines; y++)
			draw_entry(scene, inner, y, column * lines + top + y);
	}
}

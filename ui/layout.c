/* SPDX-License-Identifier: GPL-2.0-or-later */
/* layout.c - splits a screen among the panes. */
#include "ui/layout.h"

enum {
	HISTOGRAM_MIN = 8, /* lines, its title included */
	HISTOGRAM_MAX = 26,
	EVENTS_MIN = 3,
	EVENTS_MAX = 10,
	TABLE_MIN = 6, /* where the histogram takes the rest */
};

/* The lines of what lies below the table, for a body of so many. */
static unsigned below_lines(unsigned body, unsigned table_wants)
{
	unsigned least = HISTOGRAM_MIN + (body >= 36 ? EVENTS_MIN : 0);

	if (body < TABLE_MIN + HISTOGRAM_MIN)
		return body > table_wants + HISTOGRAM_MIN ? body - table_wants : 0;
	if (body / 2 > least)
		least = body / 2 < HISTOGRAM_MAX ? body / 2 : HISTOGRAM_MAX;
	return body > table_wants + least ? body - table_wants : least;
}

static unsigned events_lines(unsigned below)
{
	unsigned lines = below / 4;

	if (below < HISTOGRAM_MIN + EVENTS_MIN)
		return 0;
	lines = lines < EVENTS_MIN ? EVENTS_MIN : lines > EVENTS_MAX ? EVENTS_MAX : lines;
	return below - lines > HISTOGRAM_MAX ? below - HISTOGRAM_MAX : lines;
}

struct layout layout_make(unsigned columns, unsigned lines, size_t n_rows)
{
	struct layout layout = {0};

	if (columns < LAYOUT_COLUMNS_MIN || lines < LAYOUT_LINES_MIN) {
		layout.too_small = true;
		return layout;
	}
	unsigned header = lines < 16 ? 2 : 3, body = lines - header - 1;
	unsigned wants = n_rows >= body ? body : n_rows ? (unsigned)n_rows + 1 : 2; /* "no rings" is a row */
	unsigned below = below_lines(body, wants), events = events_lines(below);
	const unsigned heights[N_PANES] = {
		[PANE_HEADER] = header,
		[PANE_TABLE] = body - below,
		[PANE_HISTOGRAM] = below - events,
		[PANE_EVENTS] = events,
		[PANE_FOOTER] = 1,
	};
	unsigned y = 0;

	for (size_t i = 0; i < N_PANES; i++) {
		if (heights[i])
			layout.panes[i] = (struct area){.y = y, .width = columns, .height = heights[i]};
		y += heights[i];
	}
	layout.body = (struct area){.y = header, .width = columns, .height = body};
	return layout;
}

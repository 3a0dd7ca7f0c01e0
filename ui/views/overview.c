/* SPDX-License-Identifier: GPL-2.0-or-later */
/* overview.c - splits a screen among the panes. */
#include "ui/views/overview.h"

enum {
	HEAT_MIN = 6, /* lines, its title included */
	HEAT_MAX = 26,
	EVENTS_MAX = 12,
	TOTALS_FROM = 16, /* screens of so many lines have them */
	HISTOGRAM_WIDTH = 80,
	HEAT_WIDTH = 79, /* where it has a histogram beside it */
};

/* What a screen of so many lines has of each, whatever the table wants. */
static const struct share {
	unsigned lines, header, events, heat;
} shares[] = {
	{60, 4, 10, 14},
	{40, 4, 7, 10},
	{34, 4, 5, 9},
	{24, 4, 5, 0},
	{20, 4, 4, 0},
	{16, 3, 3, 0},
	{0, 2, 0, 0},
};

static const struct share *share_of(unsigned lines)
{
	const struct share *share = shares;

	while (lines < share->lines)
		share++;
	return share;
}

static unsigned smaller(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* What the table leaves goes to the heat map, then to the events. */
static void split_body(unsigned heights[N_PANES], unsigned body, const struct share *share, unsigned wants)
{
	unsigned room = body - heights[PANE_TOTALS];
	unsigned table = smaller(wants, room - share->events - share->heat);
	unsigned left = room - table - share->events;

	heights[PANE_HEAT] = left >= HEAT_MIN ? smaller(left, HEAT_MAX) : 0;
	left -= heights[PANE_HEAT];
	heights[PANE_EVENTS] = share->events ? smaller(share->events + left, EVENTS_MAX) : 0;
	heights[PANE_TABLE] = room - heights[PANE_HEAT] - heights[PANE_EVENTS];
}

/* A wide heat map leaves room for the histogram. */
static void split_heat(struct layout *layout)
{
	struct area *heat = &layout->panes[PANE_HEAT];

	if (!heat->height || heat->width < HEAT_WIDTH + 1 + HISTOGRAM_WIDTH)
		return;
	layout->panes[PANE_HISTOGRAM] = (struct area){.x = heat->width - HISTOGRAM_WIDTH,
		.y = heat->y,
		.width = HISTOGRAM_WIDTH,
		.height = heat->height};
	heat->width -= HISTOGRAM_WIDTH;
}

struct layout layout_make(unsigned columns, unsigned lines, size_t n_rows, size_t n_totals)
{
	struct layout layout = {0};

	if (columns < LAYOUT_COLUMNS_MIN || lines < LAYOUT_LINES_MIN) {
		layout.too_small = true;
		return layout;
	}
	const struct share *share = share_of(lines);
	unsigned body = lines - share->header - 1, y = 0;
	unsigned wants = n_rows >= body ? body : n_rows ? (unsigned)n_rows + 1 : 2; /* "no rings" is a row */
	unsigned heights[N_PANES] = {[PANE_HEADER] = share->header,
		[PANE_TOTALS] = lines >= TOTALS_FROM ? (unsigned)n_totals : 0,
		[PANE_FOOTER] = 1};

	split_body(heights, body, share, wants);
	for (size_t i = 0; i < N_PANES; i++) {
		if (heights[i])
			layout.panes[i] = (struct area){.y = y, .width = columns, .height = heights[i]};
		y += heights[i];
	}
	split_heat(&layout);
	layout.body = (struct area){.y = share->header, .width = columns, .height = body};
	return layout;
}

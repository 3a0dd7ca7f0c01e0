/* SPDX-License-Identifier: GPL-2.0-or-later */
/* detail_layout.c - splits a screen among the detail's panes. */
#include "ui/panes/percentiles.h"
#include "ui/panes/second_strips.h"
#include "ui/views/detail.h"

enum {
	BARS_MIN = 38, /* columns of the histogram */
	BARS_LINES = 8,
	MEMBERS_FROM = 14, /* lines of the screen from which on there is room */
	REASON_LINES = 2,
	HEAT_MIN = 7,
	HEAT_ENOUGH = 26, /* from there on the histogram gets more */
	HISTOGRAM_ENOUGH = 26,
};

static unsigned at_most(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static unsigned header_lines(unsigned lines)
{
	return lines < 30 ? 1 : lines < 50 ? 2 : 4;
}

static unsigned members_lines(unsigned lines, unsigned n_members)
{
	return lines < MEMBERS_FROM ? 0 : at_most(n_members, lines < 20 ? 2 : lines / 8);
}

/* The lines of all panes, one below the other, but for the histogram where it stands beside the percentiles.
 */
static void set_heights(unsigned heights[N_DETAIL_PANES], unsigned room, bool beside)
{
	unsigned *percentiles = &heights[DETAIL_PERCENTILES], *heat = &heights[DETAIL_HEAT];

	if (room < PERCENTILES_LINES_MIN + HEAT_MIN) {
		*percentiles = at_most(room, beside ? room : PERCENTILES_LINES);
		return;
	}
	*percentiles = at_most(PERCENTILES_LINES, room - HEAT_MIN);
	room -= *percentiles;
	if (room >= HEAT_MIN + N_STRIPS) {
		heights[DETAIL_STRIPS] = N_STRIPS;
		room -= N_STRIPS;
	}
	if (!beside && room >= HEAT_MIN + BARS_LINES) {
		heights[DETAIL_HISTOGRAM] = at_most(HISTOGRAM_ENOUGH, room / 2);
		room -= heights[DETAIL_HISTOGRAM];
	}
	*heat = room;
	if (beside && room > HEAT_ENOUGH) {
		unsigned more = at_most(room - HEAT_ENOUGH, HISTOGRAM_ENOUGH - *percentiles);

		*percentiles += more;
		*heat -= more;
	}
}

struct detail_layout detail_layout_make(
	unsigned columns, unsigned lines, unsigned n_members, unsigned reason_lines)
{
	struct detail_layout layout = {0};
	bool beside = columns >= BARS_MIN + 1 + PERCENTILES_WIDTH;
	unsigned heights[N_DETAIL_PANES] = {
		[DETAIL_HEADER] = header_lines(lines),
		[DETAIL_PAIR] = 1 + (lines < MEMBERS_FROM ? 0 : at_most(reason_lines, REASON_LINES)),
		[DETAIL_MEMBERS] = members_lines(lines, n_members),
		[DETAIL_FOOTER] = 1,
	};
	unsigned y = 0, room = lines;

	for (size_t i = 0; i < N_DETAIL_PANES; i++)
		room -= heights[i];
	set_heights(heights, room, beside);
	heights[DETAIL_FOOTER] = 0; /* it stands at the end, whatever is left free before it */
	for (size_t i = 0; i < N_DETAIL_PANES; i++) {
		if (heights[i])
			layout.panes[i] = (struct area){.y = y, .width = columns, .height = heights[i]};
		y += heights[i];
	}
	layout.panes[DETAIL_FOOTER] = (struct area){.y = lines - 1, .width = columns, .height = 1};
	if (beside) {
		struct area *percentiles = &layout.panes[DETAIL_PERCENTILES];

		layout.panes[DETAIL_HISTOGRAM] = *percentiles;
		layout.panes[DETAIL_HISTOGRAM].width = columns - PERCENTILES_WIDTH - 1;
		percentiles->x = columns - PERCENTILES_WIDTH;
		percentiles->width = PERCENTILES_WIDTH;
	}
	layout.body = (struct area){
		.y = heights[DETAIL_HEADER], .width = columns, .height = lines - 1 - heights[DETAIL_HEADER]};
	return layout;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* overview.c - the view of all rings. */
#include "ui/views/overview.h"

#include "ui/panes/events.h"
#include "ui/panes/heat.h"
#include "ui/panes/histogram.h"
#include "ui/panes/table.h"
#include "ui/views/views.h"

enum {
	HEAT_MIN = 6, /* lines, its title included */
	HEAT_MAX = 26,
	EVENTS_MAX = 12,
	TOTALS_FROM = 16, /* lines of the smallest screen with totals */
	HISTOGRAM_WIDTH = 80,
	HEAT_WIDTH = 79, /* at least, beside a histogram */
};

/* On screens of at least so many lines: the lines of the header, and those that a longer table leaves to
 * events and heat map, their titles included. */
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

unsigned overview_header_lines(unsigned lines)
{
	return share_of(lines)->header;
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

/* On a wide screen the histogram is beside the heat map. */
static void split_heat(struct overview_layout *layout)
{
	struct area *heat = &layout->panes[PANE_HEAT], *histogram = &layout->panes[PANE_HISTOGRAM];

	if (!heat->height || heat->width < HEAT_WIDTH + 1 + HISTOGRAM_WIDTH)
		return;
	heat->width -= HISTOGRAM_WIDTH;
	*histogram = *heat;
	histogram->x = heat->width;
	histogram->width = HISTOGRAM_WIDTH;
}

struct overview_layout overview_layout(unsigned columns, unsigned lines, size_t n_rows, size_t n_totals)
{
	struct overview_layout layout = {0};
	const struct share *share = share_of(lines);
	unsigned body = lines - share->header - 1, y = share->header;
	unsigned wants = n_rows >= body ? body : n_rows ? (unsigned)n_rows + 1 : 2; /* "no rings" is a row */
	unsigned heights[N_PANES] = {[PANE_TOTALS] = lines >= TOTALS_FROM ? (unsigned)n_totals : 0};

	split_body(heights, body, share, wants);
	for (size_t i = 0; i < N_PANES; i++) {
		if (heights[i])
			layout.panes[i] = (struct area){.y = y, .width = columns, .height = heights[i]};
		y += heights[i];
	}
	split_heat(&layout);
	return layout;
}

void (*const overview_panes[N_PANES])(const struct scene *scene, struct area area) = {
	[PANE_TABLE] = table_draw,
	[PANE_TOTALS] = totals_draw,
	[PANE_HEAT] = heat_draw_main,
	[PANE_HISTOGRAM] = histogram_draw,
	[PANE_EVENTS] = events_draw,
};

static void draw(const struct scene *scene, struct area body)
{
	size_t totals[TOTALS_MAX];
	struct overview_layout layout = overview_layout(body.width, body.y + body.height + 1,
		scene->view->order.n, totals_of(scene->session, totals));

	for (size_t i = 0; i < N_PANES; i++)
		if (layout.panes[i].height)
			overview_panes[i](scene, layout.panes[i]);
}

/* Scrolls the table. The selection stays on the page. */
static void wheel(struct view_state *view, long lines)
{
	size_t n = view->order.n;

	view->top = view_state_place(view->top, lines, n > view->page ? n - view->page : 0);
	if (view->position < view->top)
		view_state_select(view, view->top);
	else if (view->position >= view->top + view->page)
		view_state_select(view, view->top + view->page - 1);
}

/* A click on a title, or on the gap before it, sorts by its column; a second one inverts the order. */
static void sort_at(struct view_state *view, unsigned x)
{
	for (size_t i = 0; i < N_COLUMNS; i++) {
		unsigned from = view->columns.x[i], width = view->columns.width[i];

		if (!width || !columns_table[i].value || x < from || x >= from + width)
			continue;
		view->inverted = view->sort == i && !view->inverted;
		view->sort = i;
	}
}

static void click(struct view_state *view, unsigned x, unsigned y)
{
	const struct area *table = &view->table;

	if (y < table->y || y >= table->y + table->height)
		return;
	if (y == table->y)
		sort_at(view, x);
	else if (view->top + y - table->y - 1 < view->order.n)
		view_state_select(view, view->top + y - table->y - 1);
}

const struct view_kind view_overview = {
	.name = "overview",
	.header_lines = overview_header_lines,
	.draw = draw,
	.click = click,
	.wheel = wheel,
};

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* overview.c - the view of all rings. */
#include "ui/views/overview.h"

#include <stdio.h>

#include "src/base/text.h"
#include "src/model/session.h"
#include "ui/panes/events.h"
#include "ui/panes/heat.h"
#include "ui/panes/histogram.h"
#include "ui/panes/table.h"
#include "ui/views/view.h"

enum {
	HEAT_MIN = 6, /* lines, its title included */
	HEAT_USUAL = 8,
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
	{40, 4, 6, HEAT_USUAL},
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

/* Of the lines that the table does not need, the heat map has its usual ones, then the events those that they
 * need, and the heat map the rest. */
static void split_body(unsigned heights[N_PANES], unsigned room, const struct share *share,
	const struct overview_needs *needs)
{
	unsigned wants = needs->n_rows >= room ? room : needs->n_rows ? (unsigned)needs->n_rows + 1 : 2;
	unsigned needed = share->events ? smaller(needs->event_lines + 1, EVENTS_MAX) : 0;
	unsigned events = needs->event_lines ? smaller(needed, share->events) : 0;
	unsigned table = smaller(wants, room - events - share->heat), left = room - table - events;
	unsigned heat = left >= HEAT_MIN ? smaller(left, HEAT_USUAL) : 0;

	heights[PANE_EVENTS] = events + smaller(needed - events, left - heat);
	left = room - table - heights[PANE_EVENTS];
	heights[PANE_HEAT] = heat ? smaller(left, HEAT_MAX) : 0;
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

struct overview_needs overview_needs(
	const struct session *session, const struct view_state *view, unsigned columns)
{
	size_t totals[TOTALS_MAX];

	return (struct overview_needs){.n_rows = view->order.n,
		.n_totals = totals_of(session, totals),
		.event_lines = events_lines(session, columns, EVENTS_MAX - 1)};
}

struct overview_layout overview_layout(unsigned columns, unsigned lines, const struct overview_needs *needs)
{
	struct overview_layout layout = {0};
	const struct share *share = share_of(lines);
	unsigned totals = lines >= TOTALS_FROM ? (unsigned)needs->n_totals : 0;
	unsigned heights[N_PANES] = {[PANE_TOTALS] = totals};

	split_body(heights, lines - share->header - 1 - totals, share, needs);
	canvas_stack(layout.panes, heights, N_PANES, share->header, columns);
	split_heat(&layout);
	return layout;
}

/* The map of all rings, or of those on isolated CPUs if the session has both kinds. */
static void draw_heat(const struct scene *scene, struct area area)
{
	const struct session *session = scene->session;
	size_t group = row_main_group(session);
	/* Leaves a column free before the pane to the right. */
	struct area inner = {
		area.x, area.y, area.width - (area.x + area.width < scene->canvas->columns), area.height};
	size_t row = session->n_groups ? session->groups[group].row : 0;
	char title[128], of[64];

	snprintf(of, sizeof(of), "%s %ss, %s", group ? "isolated" : "all", row_noun(session),
		figure_title(scene->view->shown));
	snprintf(title, sizeof(title), " %s ", of);
	if (session->n_groups) {
		text_print(of, sizeof(of), ", ");
		heat_write_title(session, row, inner.width, of, false, title, sizeof(title));
		heat_draw(scene, inner, row, scene->view->shown, title);
	}
	canvas_title(scene->canvas, area, title);
}

void (*const overview_panes[N_PANES])(const struct scene *scene, struct area area) = {
	[PANE_TABLE] = table_draw,
	[PANE_TOTALS] = totals_draw,
	[PANE_HEAT] = draw_heat,
	[PANE_HISTOGRAM] = histogram_draw,
	[PANE_EVENTS] = events_draw,
};

extern const struct view_kind view_overview;

static struct area fit(struct frame *frame, const struct session *session, struct area body)
{
	struct overview_layout *layout = view_own(frame, &view_overview);
	struct overview_needs needs = overview_needs(session, &frame->view, body.width);

	*layout = overview_layout(body.width, body.y + body.height + 1, &needs);
	return layout->panes[PANE_TABLE];
}

static void draw_overview(const struct scene *scene, struct area body)
{
	const struct overview_layout *layout = view_own(scene->frame, &view_overview);

	for (size_t i = 0; i < N_PANES; i++)
		if (layout->panes[i].height)
			overview_panes[i](scene, layout->panes[i]);
}

static bool has_histogram(const struct frame *frame, const struct session *session)
{
	const struct overview_layout *layout = view_own(frame, &view_overview);

	return layout->panes[PANE_HISTOGRAM].height > 0 && frame->view.position < frame->view.order.n;
}

/* Scrolls the table. The selection stays on the page. */
static void wheel(struct frame *frame, long by)
{
	struct view_state *view = &frame->view;

	view->top = view_state_step(view->top, by * WHEEL_LINES, view_state_last_top(view));
	size_t end = view->top + view_state_visible(view);

	if (view->position < view->top)
		view_state_select(view, view->top);
	else if (view->position >= end && end > 0)
		view_state_select(view, end - 1);
}

/* A click on a title, or on the gap before it, sorts by its column; a second one inverts the order. */
static void sort_at(struct view_state *view, unsigned x)
{
	for (size_t i = 0; i < N_COLUMNS; i++) {
		unsigned from = view->columns.x[i], width = view->columns.width[i], gap = from > 0;

		if (!width || !columns_table[i].value || x < from - gap || x >= from + width)
			continue;
		view->inverted = view->sort == i && !view->inverted;
		view->sort = i;
	}
}

static uint32_t click(struct frame *frame, unsigned x, unsigned y)
{
	struct view_state *view = &frame->view;
	const struct area *table = &view->table;

	if (y == table->y)
		sort_at(view, x);
	else if (y > table->y && y < table->y + table->height && y - table->y - 1 < view_state_visible(view))
		view_state_select(view, view->top + y - table->y - 1);
	return KEY_CODE_NONE;
}

const struct view_kind view_overview = {
	.name = "overview",
	.state_size = sizeof(struct overview_layout),
	.header_lines = overview_header_lines,
	.fit = fit,
	.draw = draw_overview,
	.has_histogram = has_histogram,
	.click = click,
	.wheel = wheel,
};

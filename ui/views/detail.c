/* SPDX-License-Identifier: GPL-2.0-or-later */
/* detail.c - the view of the selected pair alone: who passes its token, and how long that takes. */
#include "ui/views/detail.h"

#include <string.h>

#include "src/model/session.h"
#include "ui/panes/heat.h"
#include "ui/panes/percentiles.h"
#include "ui/panes/second_strips.h"
#include "ui/table/view.h"

enum { PAIR_SIZE = 512, INDENT = 1, TITLE_MARGIN = 3 };

static struct detail_layout make_layout(const struct session_ring *ring, unsigned columns, unsigned lines)
{
	size_t reason = ring && ring->reason ? strlen(ring->reason) : 0;

	return detail_layout_make(columns, lines, ring ? ring->n_members : 0,
		(unsigned)((reason + columns - INDENT - 1) / (columns - INDENT)));
}

void detail_update(struct view *view, const struct session *session, unsigned columns, unsigned lines)
{
	view->layout.body = make_layout(view_ring(view, session), columns, lines).body;
}

static void append(char *text, const char *word)
{
	size_t length = strlen(text);

	snprintf(text + length, PAIR_SIZE - length, "%s ", word);
}

/* A group's line says how many rings it sums up. */
static void draw_group(const struct frame *frame, struct area area, const struct session_group *group)
{
	char text[PAIR_SIZE];

	snprintf(text, sizeof(text), " %s, all %zu %ss ", group->name, group->n_rings,
		columns_noun(frame->session));
	canvas_title(frame->canvas, area, text);
}

static void draw_pair(const struct frame *frame, struct area area, const struct row *row)
{
	const struct session_ring *ring = row->ring;
	struct area reason = {area.x + INDENT, area.y + 1, area.width - INDENT, area.height - 1};
	char text[PAIR_SIZE] = " ", age[32], interval[64], state[COLUMNS_STATE_SIZE];
	const char *word = row->other && !ring->age_ns ? "" : columns_state(row, state);
	bool fits;

	append(text, ring->label ? ring->label : "?");
	append(text, locality_name(ring->locality));
	append(text, " ");
	append(text, *word ? word : ring_state_name(ring->state));
	if (ring->age_ns)
		append(text, units_age(age, sizeof(age), ring->age_ns));
	append(text, " ");
	append(text, units_pace(interval, sizeof(interval), "every ", ring->interval_ns));
	append(text, " ");
	fits = strlen(text) + strlen(ring->title) + TITLE_MARGIN <= area.width;
	append(text, fits ? ring->title : ring->mechanism);
	canvas_title(frame->canvas, area, text);
	if (ring->reason)
		canvas_wrap(frame->canvas, reason, ring->state == RING_FAILED ? STYLE_BAD : STYLE_WARNING,
			ring->reason);
}

static void draw_histogram(const struct frame *frame, struct area area, const struct row *row)
{
	struct area bars = {area.x, area.y + 1, area.width, area.height - 1};
	char text[128];

	snprintf(text, sizeof(text), "%s, %s: log count in %s", figure_title(row->figure),
		unit_name(row->unit), window_name(frame->view->window));
	canvas_restyle(frame->canvas, (struct area){area.x, area.y, area.width, 1}, STYLE_HEAD);
	canvas_left(frame->canvas, area, 1, 0, area.width - 1, STYLE_HEAD, text);
	histogram_bars(frame->canvas, bars, row_hist(row, row->figure), row->unit);
}

static void draw_heat(const struct frame *frame, struct area area, const struct row *row, size_t index)
{
	struct area map = {area.x, area.y + 1, area.width, area.height - 1};
	char text[128];

	snprintf(text, sizeof(text), " %s, %s: a column a second, ^ phases ", figure_title(row->figure),
		unit_name(row->unit));
	canvas_title(frame->canvas, area, text);
	heat_draw(frame, map, index, row->figure);
}

static void draw_row(const struct frame *frame, const struct area *panes, const struct row *row)
{
	size_t index = row_index(row);

	if (row->ring) {
		draw_pair(frame, panes[DETAIL_PAIR], row);
		members_draw(frame, panes[DETAIL_MEMBERS], row->ring);
	} else {
		draw_group(frame, panes[DETAIL_PAIR], row->group);
	}
	if (panes[DETAIL_HISTOGRAM].height)
		draw_histogram(frame, panes[DETAIL_HISTOGRAM], row);
	percentiles_draw(frame, panes[DETAIL_PERCENTILES], index, row->figure);
	if (panes[DETAIL_HEAT].height)
		draw_heat(frame, panes[DETAIL_HEAT], row, index);
	strips_draw(frame, panes[DETAIL_STRIPS], index, row->figure);
}

/* A hop is told of with its ring. */
static bool find_row(const struct frame *frame, struct row *row)
{
	if (!view_row(frame, row))
		return false;
	if (row->hop)
		*row = row_of_ring(
			frame->session, frame->windowed, row->ring, frame->view->shown, frame->view->unit);
	return true;
}

void detail_draw(const struct frame *frame)
{
	const struct session_ring *ring = view_ring(frame->view, frame->session);
	struct detail_layout layout = make_layout(ring, frame->canvas->columns, frame->canvas->lines);
	struct row row;

	header_draw(frame, layout.panes[DETAIL_HEADER]);
	footer_draw(frame, layout.panes[DETAIL_FOOTER]);
	if (find_row(frame, &row))
		draw_row(frame, layout.panes, &row);
	else
		canvas_title(frame->canvas, layout.panes[DETAIL_PAIR], " no row is selected ");
}

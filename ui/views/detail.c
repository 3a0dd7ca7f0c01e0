/* SPDX-License-Identifier: GPL-2.0-or-later */
/* detail.c - the view of the selected row alone: its members, and how long its hops take. */
#include "ui/views/detail.h"

#include <string.h>

#include "src/base/text.h"
#include "src/model/asymmetry.h"
#include "src/model/session.h"
#include "ui/panes/compared_table.h"
#include "ui/panes/heat.h"
#include "ui/panes/histogram.h"
#include "ui/panes/members.h"
#include "ui/panes/percentiles.h"
#include "ui/panes/second_strips.h"
#include "ui/panes/spikes.h"
#include "ui/views/view.h"

enum {
	PAIR_SIZE = 512,
	INDENT = 1,
	TITLE_MARGIN = 3,
	BARS_MIN = 38, /* columns of the histogram */
	BARS_LINES = 8,
	MEMBERS_FROM = 14, /* lines of the smallest screen with members */
	REASON_LINES = 2,
	HEAT_MIN = 7,
	HEAT_ENOUGH = 26, /* lines; more go to the histogram */
	HISTOGRAM_ENOUGH = 26,
};

unsigned detail_header_lines(unsigned lines)
{
	return lines < 30 ? 1 : lines < 50 ? 2 : 4;
}

static unsigned members_lines(unsigned lines, unsigned n_members)
{
	return lines < MEMBERS_FROM ? 0 : smaller(n_members, lines < 20 ? 2 : lines / 8);
}

/* Sets the lines of the panes from top to bottom. @beside: the histogram is beside the percentiles. */
static void set_heights(unsigned heights[N_DETAIL_PANES], unsigned room, bool beside)
{
	unsigned *percentiles = &heights[DETAIL_PERCENTILES], *heat = &heights[DETAIL_HEAT];

	if (room < PERCENTILES_LINES_MIN + HEAT_MIN) {
		*percentiles = smaller(room, beside ? room : PERCENTILES_LINES);
		return;
	}
	*percentiles = smaller(PERCENTILES_LINES, room - HEAT_MIN);
	room -= *percentiles;
	if (room >= HEAT_MIN + N_STRIPS) {
		heights[DETAIL_STRIPS] = N_STRIPS;
		room -= N_STRIPS;
	}
	if (!beside && room >= HEAT_MIN + BARS_LINES) {
		heights[DETAIL_HISTOGRAM] = smaller(HISTOGRAM_ENOUGH, room / 2);
		room -= heights[DETAIL_HISTOGRAM];
	}
	*heat = room;
	if (beside && room > HEAT_ENOUGH) {
		unsigned more = smaller(room - HEAT_ENOUGH, HISTOGRAM_ENOUGH - *percentiles);

		*percentiles += more;
		*heat -= more;
	}
}

struct detail_layout detail_layout(
	unsigned columns, unsigned lines, unsigned n_members, unsigned reason_lines, bool has_spike)
{
	struct detail_layout layout = {0};
	bool beside = columns >= BARS_MIN + 1 + PERCENTILES_WIDTH;
	unsigned heights[N_DETAIL_PANES] = {
		[DETAIL_PAIR] =
			1 + (lines < MEMBERS_FROM ? 0 : smaller(reason_lines, REASON_LINES) + has_spike),
		[DETAIL_MEMBERS] = members_lines(lines, n_members),
	};
	unsigned y = detail_header_lines(lines), room = lines - y - 1;

	for (size_t i = 0; i < N_DETAIL_PANES; i++)
		room -= heights[i];
	set_heights(heights, room, beside);
	canvas_stack(layout.panes, heights, N_DETAIL_PANES, y, columns);
	if (beside) {
		struct area *percentiles = &layout.panes[DETAIL_PERCENTILES];

		layout.panes[DETAIL_HISTOGRAM] = *percentiles;
		layout.panes[DETAIL_HISTOGRAM].width = columns - PERCENTILES_WIDTH - 1;
		percentiles->x = columns - PERCENTILES_WIDTH;
		percentiles->width = PERCENTILES_WIDTH;
	}
	return layout;
}

/* "last spike 22:13:49 0>1 212.40us: stress-ng-cpu 4711 (FF90) held CPU 0 for 205 us". */
static void draw_last_spike(const struct scene *scene, struct area line, const struct kept_spike *kept)
{
	const struct session *session = scene->session;
	uint64_t at_ns = session->wall_start_ns + spike_start_ns(&kept->spike) - session->start_ns;
	char text[SPIKE_TEXT_SIZE], clock[32], last[SPIKE_TEXT_SIZE + 64];

	snprintf(last, sizeof(last), "last spike %s %s", units_clock(clock, sizeof(clock), at_ns),
		spike_text(scene, kept, text));
	canvas_left(scene->canvas, line, 0, 0, line.width, STYLE_PLAIN, last);
}

/* Returns the last spike of a ring that is kept; NULL if there is none. */
static const struct kept_spike *last_spike_of(const struct session *session, uint32_t ring)
{
	const struct session_spikes *spikes = &session->spikes;

	for (size_t i = spikes->n_last; i-- > 0;)
		if (spikes->last[i].spike.ring == ring)
			return &spikes->last[i];
	return NULL;
}

static void draw_pair(const struct scene *scene, struct area area, const struct row *row)
{
	const struct session_ring *ring = row->ring;
	const struct kept_spike *spike = area.height > 1 ? last_spike_of(scene->session, ring->id) : NULL;
	struct area last = {area.x + INDENT, area.y + area.height - 1, area.width - INDENT, 1};
	struct area reason = {
		area.x + INDENT, area.y + 1, area.width - INDENT, area.height - 1 - (spike != NULL)};
	char text[PAIR_SIZE], age[32] = "", pace[64], size[32], bytes[48] = "", state[ROW_STATE_SIZE],
			      stamps[SESSION_STAMPS_SIZE];
	const char *word = row->other && !ring->age_ns ? "" : row_state(row, state);

	if (ring->age_ns)
		units_age(age, sizeof(age), ring->age_ns);
	if (ring->token_bytes)
		snprintf(bytes, sizeof(bytes), ", size %s",
			units_bytes(size, sizeof(size), ring->token_bytes));
	bool is_skew = ring->n_members == 2 && asymmetry_of_hop_is_skew(scene->session, ring, 0);
	size_t n = (size_t)snprintf(text, sizeof(text), " %s %s, ring %u   %s %s%s  %s%s%s%s%s   ",
		ring->label, locality_name(ring->locality), (unsigned)ring->id,
		*word ? word : ring_state_name(ring->state), age, *age ? " " : "",
		units_pace(pace, sizeof(pace), "every ", ring->interval_ns), bytes,
		ring->stamps == STAMPS_ALL ? "" : ", ", session_stamps_text(ring, stamps),
		is_skew ? "   hop = answer within skew" : "");
	bool fits = n + strlen(ring->title) + TITLE_MARGIN <= area.width;

	text_print(text, sizeof(text), "%s ", fits ? ring->title : ring->mechanism);
	canvas_title(scene->canvas, area, text);
	if (ring->reason)
		canvas_wrap(scene->canvas, reason, ring->state == RING_FAILED ? STYLE_WRONG : STYLE_WARNING,
			ring->reason);
	if (spike)
		draw_last_spike(scene, last, spike);
}

static void draw_histogram(const struct scene *scene, struct area area, const struct row *row)
{
	struct area bars = {area.x, area.y + 1, area.width, area.height - 1};
	char text[128], axis[HISTOGRAM_AXIS_SIZE];

	snprintf(text, sizeof(text), "%s, %s: %s in %s", figure_title(row->figure),
		unit_name(row->view->unit), histogram_axis(scene->histogram, axis),
		window_name(scene->view->window));
	canvas_restyle(scene->canvas, (struct area){area.x, area.y, area.width, 1}, STYLE_HEAD);
	canvas_left(scene->canvas, area, 1, 0, area.width - 1, STYLE_HEAD, text);
	histogram_bars(scene, bars, row_hist(row, row->figure));
}

/* A single picture, without a refresh, is of the end. */
static bool are_alive(const struct scene *scene, const struct session_ring *ring)
{
	return scene->frame->refresh_ns && !scene->frame->is_replay && !ring->ended_ns &&
	       ring->state != RING_FAILED && ring->state != RING_GONE;
}

/* The histogram is that of the baseline, too. */
static bool shows_both(const struct view_state *view, struct area histogram)
{
	return histogram.height && compared_has_baseline(&view->compared) &&
	       histogram.width >= COMPARED_BARS_MIN;
}

static void draw_row(const struct scene *scene, const struct area *panes, const struct row *row)
{
	size_t index = row_number(row);
	char title[128], of[48];

	if (row->ring) {
		draw_pair(scene, panes[DETAIL_PAIR], row);
		members_draw(scene, panes[DETAIL_MEMBERS], row->ring, are_alive(scene, row->ring));
	} else {
		snprintf(of, sizeof(of), "all %zu", row->n_rings);
		snprintf(title, sizeof(title), " %s, %s %ss ", row->group->name,
			row->n_rings == 2 ? "both" : of, row_noun(scene->session));
		canvas_title(scene->canvas, panes[DETAIL_PAIR], title);
	}
	if (shows_both(scene->view, panes[DETAIL_HISTOGRAM]))
		compared_histograms_draw(scene, panes[DETAIL_HISTOGRAM]);
	else if (panes[DETAIL_HISTOGRAM].height)
		draw_histogram(scene, panes[DETAIL_HISTOGRAM], row);
	percentiles_draw(scene, panes[DETAIL_PERCENTILES], index, row->figure);
	snprintf(of, sizeof(of), "%s, %s: ", figure_title(row->figure), unit_name(scene->view->unit));
	heat_write_title(scene->session, index, panes[DETAIL_HEAT].width, of,
		heat_is_of_turns(scene->session, index), title, sizeof(title));
	if (panes[DETAIL_HEAT].height)
		heat_draw(scene, panes[DETAIL_HEAT], index, row->figure, title);
	second_strips_draw(scene, panes[DETAIL_STRIPS], index, row->figure);
}

/* @ring: NULL: the selected row is a group's. */
static struct detail_layout lay_out(
	const struct session *session, const struct session_ring *ring, struct area body)
{
	unsigned columns = body.width, reason = ring && ring->reason ? (unsigned)strlen(ring->reason) : 0;

	return detail_layout(columns, body.y + body.height + 1, ring ? ring->n_members : 0,
		(reason + columns - INDENT - 1) / (columns - INDENT),
		ring && last_spike_of(session, ring->id));
}

static bool has_histogram(const struct frame *frame, const struct session *session)
{
	int64_t id = view_state_ring(&frame->view);
	struct detail_layout layout =
		lay_out(session, id >= 0 ? session_find_ring(session, (size_t)id) : NULL, frame->body);
	struct area histogram = layout.panes[DETAIL_HISTOGRAM];

	return histogram.height && frame->view.order.n && !shows_both(&frame->view, histogram);
}

static void draw_detail(const struct scene *scene, struct area body)
{
	struct row row = {0};
	bool has_row = view_state_row(scene, &row);
	struct detail_layout layout = lay_out(scene->session, row.ring, body);

	if (has_row) {
		row.hop = NULL; /* the ring's figures, also when a hop is selected */
		draw_row(scene, layout.panes, &row);
	} else {
		canvas_title(scene->canvas, layout.panes[DETAIL_PAIR], " no row is selected ");
	}
}

const struct view_kind view_detail = {
	.name = "detail",
	.key = {{KEY_CODE_ENTER, '\n'}, "Enter", "show the selected pair alone", "Detail", "Enter"},
	.header_lines = detail_header_lines,
	.draw = draw_detail,
	.has_histogram = has_histogram,
};

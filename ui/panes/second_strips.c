/* SPDX-License-Identifier: GPL-2.0-or-later */
/* second_strips.c - p99, max, lateness and rate of each second. */
#include "ui/panes/second_strips.h"

#include <math.h>
#include <string.h>

#include "src/base/text.h"
#include "src/model/session.h"
#include "ui/draw/palette.h"
#include "ui/panes/heat.h"

enum {
	NAME_WIDTH = 5,
	LEVELS = 8,
	MARKED_STEP = 4, /* of a trend: lower ones keep their height, as spikes are many there */
};

static const char *const names[N_STRIPS] = {
	[STRIP_P99] = "p99", [STRIP_MAX] = "max", [STRIP_LATE] = "late", [STRIP_RATE] = "n/s"};

/* Returns a time as bucket + 1, or a rate of at least 1; 0: no sample. */
static uint32_t value_at(
	const struct second_stats *stats, size_t row, enum figure figure, enum strip strip, unsigned back)
{
	const struct second *second =
		second_stats_at(stats, row, strip == STRIP_LATE ? FIGURE_LATENESS : figure, back);

	if (strip == STRIP_RATE) {
		double rate = back ? second_stats_rate(stats, row, figure, back) : 0.0;

		return rate > 0.0 ? (uint32_t)fmin(fmax(rate + 0.5, 1.0), UINT32_MAX) : 0;
	}
	return !second ? 0 : strip == STRIP_MAX ? second->max : second->p99;
}

/* Widens the range to at least an octave of buckets, but not beyond the last bucket. */
static void widen_range(uint32_t *low, uint32_t *high)
{
	if (*high < *low + HIST_OCTAVE)
		*high = *low + HIST_OCTAVE;
	if (*high > HIST_BUCKETS) {
		*high = HIST_BUCKETS;
		*low = *low < *high - HIST_OCTAVE ? *low : *high - HIST_OCTAVE;
	}
}

void second_strips_levels(struct strip_levels *levels, const struct second_stats *stats, size_t row,
	enum figure figure, enum strip strip, const struct heat_seconds *seconds)
{
	uint32_t values[STRIP_COLUMNS_MAX], low = UINT32_MAX, high = 0;
	bool rate = strip == STRIP_RATE;

	*levels = (struct strip_levels){.columns = seconds->n};
	for (unsigned x = 0; x < levels->columns; x++) {
		unsigned back = seconds->back[levels->columns - 1 - x];

		values[x] = value_at(stats, row, figure, strip, back);
		levels->gaps[x] = !values[x] && second_stats_is_gap(stats, row, back);
		low = values[x] && values[x] < low ? values[x] : low;
		high = values[x] > high ? values[x] : high;
	}
	if (!high)
		return;
	if (rate)
		low = 0;
	else
		widen_range(&low, &high);
	levels->lowest = rate ? 0 : hist_middle(low - 1);
	levels->highest = rate ? high : hist_middle(high - 1);
	for (unsigned x = 0; x < levels->columns; x++) {
		if (!values[x])
			continue;
		levels->level[x] =
			(unsigned char)(1 + (uint64_t)(values[x] - low) * (LEVELS - 1) / (high - low));
		levels->ns[x] = rate ? 0 : hist_middle(values[x] - 1);
	}
}

/* The values of the lowest and of the highest level, or only the latter if there is no room. */
static void write_range(
	const struct strip_levels *levels, bool rate, enum unit unit, unsigned room, char *text, size_t size)
{
	uint64_t to_ns = heat_round(levels->highest);
	char to[32];

	if (rate) {
		units_count(to, sizeof(to), 4, levels->highest);
		snprintf(text, size, "0-%s", to);
	} else {
		units_short(to, sizeof(to), to_ns, unit);
		units_range(text, size, heat_round(levels->lowest), to_ns, unit);
	}
	if (!levels->highest || strlen(text) > room)
		snprintf(text, size, "%s", levels->highest ? to : "-");
}

/* A bar in one cell, 1 to 8 eighths of its height from the bottom; 0 draws nothing. Times have the colors of
 * the scale; 0: a rate. */
static void draw_level(const struct scene *scene, struct area line, unsigned x, unsigned level, uint64_t ns)
{
	static const char ascii[] = " _.-:=+*#";
	bool is_ascii = scene->canvas->ascii;
	enum style style = ns ? style_of_step(palette_step(ns, scene->view->calm_ns), is_ascii) : STYLE_BAR;

	if (level) /* U+2581 is the lowest of eight, U+2588 a full block */
		canvas_put(scene->canvas, line, x, 0,
			is_ascii ? (unsigned char)ascii[level] : 0x2580u + level, style);
}

static void draw_levels(const struct scene *scene, struct area line, const struct strip_levels *levels)
{
	unsigned left = line.width - levels->columns;

	for (unsigned x = 0; x < levels->columns; x++)
		if (levels->gaps[x])
			canvas_put(scene->canvas, line, left + x, 0, HEAT_GAP, STYLE_WARNING);
		else
			draw_level(scene, line, left + x, levels->level[x], levels->ns[x]);
}

/* --- trends --- */

/* Returns the bucket of the longest response in a second, + 1, or 0. No lap is longer than its response, and
 * a flood has laps alone. */
static unsigned longest_at(const struct second_stats *stats, size_t row, unsigned back)
{
	uint32_t response = value_at(stats, row, FIGURE_RESPONSE, STRIP_MAX, back);
	uint32_t lap = value_at(stats, row, FIGURE_LAP, STRIP_MAX, back);

	return response > lap ? response : lap;
}

static unsigned longest_of_row(const struct row *row, unsigned back)
{
	const struct session *session = row->session;
	unsigned longest = 0;

	if (!row->is_part)
		return longest_at(&session->seconds, row_number(row), back);
	for (size_t i = 0; i < session->n_rings; i++) {
		unsigned at =
			row_includes(row, i) ? longest_at(&session->seconds, session->rings[i].id, back) : 0;

		longest = at > longest ? at : longest;
	}
	return longest;
}

/* The last step fills its cell. */
static unsigned level_of_step(unsigned step)
{
	return step < STYLE_STEPS ? step : LEVELS;
}

void trend_draw_time(const struct scene *scene, struct area line, unsigned x, uint64_t ns)
{
	draw_level(scene, line, x, level_of_step(palette_step(ns, scene->view->calm_ns)), ns);
}

void trend_draw(const struct scene *scene, struct area line, const struct row *row)
{
	const struct session *session = row->session;
	struct heat_seconds seconds;
	bool spikes[SECONDS_KEPT];
	uint64_t longest_ns[SECONDS_KEPT], marked_ns = 0;

	heat_seconds_find(&seconds, session, row_number(row), line.width);
	heat_spike_seconds(session, row_number(row), row->group ? row->view->order.passes : NULL, spikes);
	for (unsigned i = 0; i < seconds.n; i++) {
		unsigned longest = longest_of_row(row, seconds.back[i]);

		longest_ns[i] = longest ? hist_middle(longest - 1) : 0;
		if (spikes[seconds.back[i]] && longest_ns[i] > marked_ns)
			marked_ns = longest_ns[i];
	}
	for (unsigned i = 0; i < seconds.n; i++) {
		uint64_t ns = longest_ns[i];
		unsigned x = line.width - 1 - i;

		/* The worst one alone: marks in all of them would hide how long they were. */
		if (ns && ns == marked_ns && spikes[seconds.back[i]] &&
			palette_step(ns, scene->view->calm_ns) >= MARKED_STEP)
			canvas_put(scene->canvas, line, x, 0, HEAT_SPIKE,
				style_of_step(palette_step(ns, scene->view->calm_ns), true));
		else if (ns)
			trend_draw_time(scene, line, x, ns);
		else if (second_stats_is_gap(&session->seconds, row_number(row), seconds.back[i]))
			canvas_put(scene->canvas, line, x, 0, HEAT_GAP, STYLE_WARNING);
	}
}

/* Writes a time in at most @room columns, if a larger unit makes it short enough: "13000", or "13ms". */
static void write_edge(char *text, size_t size, unsigned room, uint64_t ns, enum unit unit)
{
	units_short(text, size, ns, unit);
	while (strlen(text) > room && ++unit < N_UNITS) {
		units_short(text, size, ns, unit);
		if (!text[strspn(text, "0123456789.")])
			text_append(text, size, "", unit_name(unit));
	}
}

void trend_draw_scale(const struct scene *scene, struct area line)
{
	uint64_t calm_ns = scene->view->calm_ns, last_ns = calm_ns << (STYLE_STEPS - 2);
	char from[32], to[32], texts[3][80];
	size_t i = 0;

	units_short(from, sizeof(from), heat_round(calm_ns), scene->view->unit);
	write_edge(to, sizeof(to), line.width > STYLE_STEPS ? line.width - STYLE_STEPS - 1 : 0,
		heat_round(last_ns), scene->view->unit);
	if (STYLE_STEPS + strlen(to) > line.width) { /* the end of the scale is never cut */
		canvas_left(scene->canvas, line, 0, 0, line.width, STYLE_HEAD, "trend");
		return;
	}
	snprintf(texts[0], sizeof(texts[0]), "trend <%s", from);
	snprintf(texts[1], sizeof(texts[1]), "<%s", from);
	snprintf(texts[2], sizeof(texts[2]), "%s", "");
	while (i < 2 && strlen(texts[i]) + STYLE_STEPS + 1 + strlen(to) > line.width)
		i++;
	unsigned x = canvas_text(scene->canvas, line, 0, 0, STYLE_HEAD, texts[i]);

	for (unsigned step = 1; step <= STYLE_STEPS; step++, x++)
		draw_level(scene, line, x, level_of_step(step), calm_ns << step >> 2);
	if (x + strlen(to) < line.width)
		canvas_put(scene->canvas, line, x++, 0, '>', STYLE_HEAD);
	canvas_left(scene->canvas, line, x, 0, line.width - x, STYLE_HEAD, to);
}

void second_strips_draw(const struct scene *scene, struct area area, size_t row, enum figure figure)
{
	unsigned margin = heat_margin(area.width), range = margin - 1 - NAME_WIDTH;
	struct heat_seconds seconds;

	if (area.width <= margin)
		return;
	heat_seconds_find(&seconds, scene->session, row, area.width - margin);
	for (unsigned strip = 0; strip < N_STRIPS && strip < area.height; strip++) {
		struct area line = {area.x, area.y + strip, area.width, 1};
		struct strip_levels levels;
		char text[80];

		second_strips_levels(&levels, &scene->session->seconds, row, figure, strip, &seconds);
		write_range(&levels, strip == STRIP_RATE, scene->view->unit, range, text, sizeof(text));
		canvas_left(scene->canvas, line, 0, 0, NAME_WIDTH, STYLE_PLAIN, names[strip]);
		canvas_right(scene->canvas, line, NAME_WIDTH, 0, range, STYLE_PLAIN, text);
		canvas_put(scene->canvas, line, margin - 1, 0, '|', STYLE_PLAIN);
		draw_levels(scene, line, &levels);
	}
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* second_strips.c - p99, max, lateness and rate of each second. */
#include "ui/panes/second_strips.h"

#include <math.h>
#include <string.h>

#include "src/model/session.h"
#include "ui/panes/heat.h"

enum { NAME_WIDTH = 5 };

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

/* To at least an octave of buckets, and not beyond the last bucket. */
static void widen_range(uint32_t *low, uint32_t *high)
{
	if (*high < *low + HIST_OCTAVE)
		*high = *low + HIST_OCTAVE;
	if (*high > HIST_BUCKETS) {
		*high = HIST_BUCKETS;
		*low = *low < *high - HIST_OCTAVE ? *low : *high - HIST_OCTAVE;
	}
}

/* Marks the columns that have no value, and a gap among their seconds. */
static void mark_gaps(struct strip_levels *levels, const struct second_stats *stats,
	const struct heat_seconds *seconds, unsigned each)
{
	for (unsigned i = 0; i < levels->columns * each; i++) {
		unsigned x = levels->columns - 1 - i / each;

		levels->gaps[x] |= !levels->level[x] && second_stats_is_gap(stats, seconds->back[i]);
	}
}

/* Raises each column's value to the largest one of its seconds. */
static void raise_values(uint32_t values[STRIP_COLUMNS_MAX], const struct second_stats *stats, size_t row,
	enum figure figure, enum strip strip, const struct heat_seconds *seconds, unsigned each)
{
	unsigned columns = seconds->n / each;

	for (unsigned i = 0; i < columns * each; i++) {
		uint32_t value = value_at(stats, row, figure, strip, seconds->back[i]);
		uint32_t *column = &values[columns - 1 - i / each];

		*column = value > *column ? value : *column;
	}
}

static void scale_values(
	struct strip_levels *levels, const uint32_t values[STRIP_COLUMNS_MAX], unsigned columns, bool rate)
{
	uint32_t low = UINT32_MAX, high = 0;

	*levels = (struct strip_levels){.columns = columns};
	for (unsigned x = 0; x < columns; x++) {
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
	for (unsigned x = 0; x < columns; x++)
		if (values[x])
			levels->level[x] = (unsigned char)(1 + (uint64_t)(values[x] - low) *
								       (CANVAS_LEVELS - 1) / (high - low));
}

void second_strips_levels(struct strip_levels *levels, const struct second_stats *stats, size_t row,
	enum figure figure, enum strip strip, const struct heat_seconds *seconds, unsigned each)
{
	uint32_t values[STRIP_COLUMNS_MAX] = {0};

	raise_values(values, stats, row, figure, strip, seconds, each);
	scale_values(levels, values, seconds->n / each, strip == STRIP_RATE);
	mark_gaps(levels, stats, seconds, each);
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

static void draw_levels(const struct scene *scene, struct area line, const struct strip_levels *levels)
{
	unsigned left = line.width - levels->columns;

	for (unsigned x = 0; x < levels->columns; x++)
		if (levels->gaps[x])
			canvas_put(scene->canvas, line, left + x, 0, HEAT_GAP, STYLE_WARNING);
		else
			canvas_level(scene->canvas, line, left + x, 0, levels->level[x], STYLE_BAR);
}

void second_strips_sparkline(const struct scene *scene, struct area line, const struct row *row)
{
	const struct session *session = scene->session;
	unsigned each = SERIES_SECONDS / line.width;
	struct heat_seconds seconds;
	uint32_t values[STRIP_COLUMNS_MAX] = {0};
	struct strip_levels levels;

	heat_seconds_all(&seconds, SERIES_SECONDS);
	if (!row_is_part(row))
		raise_values(
			values, &session->seconds, row_number(row), row->figure, STRIP_MAX, &seconds, each);
	else
		for (size_t i = 0; i < session->n_rings; i++)
			if (row_sums(row, i))
				raise_values(values, &session->seconds, session->rings[i].id, row->figure,
					STRIP_MAX, &seconds, each);
	scale_values(&levels, values, line.width, false);
	mark_gaps(&levels, &session->seconds, &seconds, each);
	draw_levels(scene, line, &levels);
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

		second_strips_levels(&levels, &scene->session->seconds, row, figure, strip, &seconds, 1);
		write_range(&levels, strip == STRIP_RATE, scene->view->unit, range, text, sizeof(text));
		canvas_left(scene->canvas, line, 0, 0, NAME_WIDTH, STYLE_PLAIN, names[strip]);
		canvas_right(scene->canvas, line, NAME_WIDTH, 0, range, STYLE_PLAIN, text);
		canvas_put(scene->canvas, line, margin - 1, 0, '|', STYLE_PLAIN);
		draw_levels(scene, line, &levels);
	}
}

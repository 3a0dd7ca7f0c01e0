/* SPDX-License-Identifier: GPL-2.0-or-later */
/* second_strips.c - p99, max, lateness and rate of each second. */
#include "ui/panes/second_strips.h"

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

		return rate <= 0.0         ? 0
		       : rate < 1.0        ? 1
		       : rate < UINT32_MAX ? (uint32_t)(rate + 0.5)
					   : UINT32_MAX;
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

void second_strips_levels(struct strip_levels *levels, const struct second_stats *stats, size_t row,
	enum figure figure, enum strip strip, unsigned columns, unsigned seconds)
{
	uint32_t values[STRIP_COLUMNS_MAX] = {0}, low = UINT32_MAX, high = 0;
	bool rate = strip == STRIP_RATE;

	columns = columns < STRIP_COLUMNS_MAX ? columns : STRIP_COLUMNS_MAX;
	*levels = (struct strip_levels){.columns = columns};
	for (unsigned back = 0; back < columns * seconds; back++) {
		uint32_t value = value_at(stats, row, figure, strip, back);
		uint32_t *column = &values[columns - 1 - back / seconds];

		*column = value > *column ? value : *column;
	}
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

/* The values of a bar of the lowest and of the highest level. */
static void write_range(
	const struct strip_levels *levels, bool rate, enum unit unit, unsigned room, char *text, size_t size)
{
	uint64_t to_ns = heat_round(levels->highest);
	char to[32];

	if (rate)
		units_count(to, sizeof(to), 4, levels->highest);
	else
		units_short(to, sizeof(to), to_ns, unit);
	if (!levels->highest)
		snprintf(text, size, "-");
	else if (rate)
		snprintf(text, size, "0-%s", to);
	else
		units_range(text, size, heat_round(levels->lowest), to_ns, unit);
	if (strlen(text) > room)
		snprintf(text, size, "%s", to);
}

static void draw_levels(const struct scene *scene, struct area line, const struct strip_levels *levels)
{
	unsigned left = line.width - levels->columns;

	for (unsigned x = 0; x < levels->columns; x++)
		canvas_level(scene->canvas, line, left + x, 0, levels->level[x], STYLE_BAR);
}

void second_strips_sparkline(const struct scene *scene, struct area line, size_t row, enum figure figure)
{
	struct strip_levels levels;

	second_strips_levels(&levels, &scene->session->seconds, row, figure, STRIP_MAX, line.width,
		SERIES_SECONDS / line.width);
	draw_levels(scene, line, &levels);
}

void second_strips_draw(const struct scene *scene, struct area area, size_t row, enum figure figure)
{
	unsigned margin = heat_margin(area.width), range = margin - 1 - NAME_WIDTH;

	if (area.width <= margin)
		return;
	for (unsigned strip = 0; strip < N_STRIPS && strip < area.height; strip++) {
		struct area line = {area.x, area.y + strip, area.width, 1};
		struct strip_levels levels;
		char text[80];

		second_strips_levels(
			&levels, &scene->session->seconds, row, figure, strip, line.width - margin, 1);
		write_range(&levels, strip == STRIP_RATE, scene->view->unit, range, text, sizeof(text));
		canvas_left(scene->canvas, line, 0, 0, NAME_WIDTH, STYLE_PLAIN, names[strip]);
		canvas_right(scene->canvas, line, NAME_WIDTH, 0, range, STYLE_PLAIN, text);
		canvas_put(scene->canvas, line, margin - 1, 0, '|', STYLE_PLAIN);
		draw_levels(scene, line, &levels);
	}
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* second_strips.c - p99, max, lateness and rate of each second, a line each. */
#include "ui/panes/second_strips.h"

#include <string.h>

#include "src/model/session.h"
#include "ui/panes/heat.h"
#include "ui/table/view.h"

enum { NAME_WIDTH = 5 };

/* Times as bucket + 1. */
static uint32_t p99_of(const struct trails *trails, size_t row, enum figure figure, unsigned back)
{
	const struct trail_second *second = trails_second(trails, row, figure, back);

	return second ? second->p99 : 0;
}

static uint32_t max_of(const struct trails *trails, size_t row, enum figure figure, unsigned back)
{
	const struct trail_second *second = trails_second(trails, row, figure, back);

	return second ? second->max : 0;
}

/* 1 at least where there is a sample: what was seen stays to be seen. */
static uint32_t rate_of(const struct trails *trails, size_t row, enum figure figure, unsigned back)
{
	double rate = trails_rate(trails, row, figure, back);

	return rate <= 0.0 ? 0 : rate < 1.0 ? 1 : rate < UINT32_MAX ? (uint32_t)(rate + 0.5) : UINT32_MAX;
}

static const struct {
	const char *name;
	uint32_t (*of)(const struct trails *trails, size_t row, enum figure figure, unsigned back);
	bool late; /* of the lateness, whichever figure is shown */
	bool time;
} strips[N_STRIPS] = {
	[STRIP_P99] = {"p99", p99_of, .time = true},
	[STRIP_MAX] = {"max", max_of, .time = true},
	[STRIP_LATE] = {"late", p99_of, .late = true, .time = true},
	[STRIP_RATE] = {"n/s", rate_of},
};

static void set_levels(struct strip_levels *levels, const uint32_t *values, uint32_t low, uint32_t high)
{
	for (unsigned x = 0; x < levels->columns; x++)
		if (values[x])
			levels->level[x] = (unsigned char)(1 + (uint64_t)(values[x] - low) *
								       (CANVAS_LEVELS - 1) / (high - low));
}

void strip_make(struct strip_levels *levels, const struct trails *trails, size_t row, enum figure figure,
	enum strip strip, unsigned columns)
{
	uint32_t values[STRIP_COLUMNS_MAX], low = UINT32_MAX, high = 0;
	unsigned end;

	columns = columns < STRIP_COLUMNS_MAX ? columns : STRIP_COLUMNS_MAX;
	*levels = (struct strip_levels){.columns = columns};
	end = strips[strip].time ? columns : columns - 1;
	for (unsigned x = 0; x < columns; x++) {
		values[x] = x < end ? strips[strip].of(trails, row,
					      strips[strip].late ? FIGURE_LATENESS : figure, columns - 1 - x)
				    : 0;
		low = values[x] && values[x] < low ? values[x] : low;
		high = values[x] > high ? values[x] : high;
	}
	if (!high)
		return;
	if (!strips[strip].time) {
		levels->highest = high;
		set_levels(levels, values, 0, high);
		return;
	}
	if (high < low + HIST_OCTAVE)
		high = low + HIST_OCTAVE;
	if (high > HIST_BUCKETS) {
		high = HIST_BUCKETS;
		low = low < high - HIST_OCTAVE ? low : high - HIST_OCTAVE;
	}
	levels->lowest = hist_middle(low - 1);
	levels->highest = hist_middle(high - 1);
	set_levels(levels, values, low, high);
}

/* What a bar of the lowest and of the highest level is. */
static void write_range(
	const struct strip_levels *levels, bool time, enum unit unit, unsigned room, char *text, size_t size)
{
	uint64_t to_ns = heat_round(levels->highest);
	char to[32];

	if (time)
		units_short(to, sizeof(to), to_ns, unit);
	else
		units_count(to, sizeof(to), 4, levels->highest);
	if (!levels->highest)
		snprintf(text, size, "-");
	else if (time)
		units_range(text, size, heat_round(levels->lowest), to_ns, unit);
	else
		snprintf(text, size, "0-%s", to);
	if (strlen(text) > room)
		snprintf(text, size, "%s", to);
}

static void draw_strip(
	const struct frame *frame, struct area line, size_t row, enum figure figure, enum strip strip)
{
	unsigned margin = heat_margin(line.width), range = margin - 1 - NAME_WIDTH;
	struct strip_levels levels;
	char text[80];

	strip_make(&levels, &frame->session->trails, row, figure, strip, line.width - margin);
	write_range(&levels, strips[strip].time, frame->view->unit, range, text, sizeof(text));
	canvas_left(frame->canvas, line, 0, 0, NAME_WIDTH, STYLE_PLAIN, strips[strip].name);
	canvas_right(frame->canvas, line, NAME_WIDTH, 0, range, STYLE_PLAIN, text);
	canvas_put(frame->canvas, line, margin - 1, 0, '|', STYLE_PLAIN);
	for (unsigned x = 0; x < levels.columns; x++)
		canvas_level(
			frame->canvas, line, line.width - levels.columns + x, 0, levels.level[x], STYLE_BAR);
}

void strips_draw(const struct frame *frame, struct area area, size_t row, enum figure figure)
{
	if (area.width <= heat_margin(area.width))
		return;
	for (unsigned i = 0; i < N_STRIPS && i < area.height; i++)
		draw_strip(
			frame, (struct area){area.x, area.y + i, area.width, 1}, row, figure, (enum strip)i);
}

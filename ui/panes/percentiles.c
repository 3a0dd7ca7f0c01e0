/* SPDX-License-Identifier: GPL-2.0-or-later */
/* percentiles.c - a table of percentiles: in the window, the phase, and all. */
#include "ui/panes/percentiles.h"

#include <assert.h>
#include <stdio.h>

#include "src/model/session.h"
#include "ui/draw/statistic.h"
#include "ui/table/view_state.h"

enum { LABEL_WIDTH = 6, TIME_WIDTH = 8 };

static const struct line {
	struct statistic statistic;
	unsigned gives_way; /* the highest first */
	bool late;          /* of the lateness, not of the figure that is shown */
	enum { LINE_TIME, LINE_N, LINE_MISSED, LINE_RESTED, LINE_AWAY } kind;
} lines[] = {
	{{"min", .of = statistic_min}, .gives_way = 7},
	{{"p50", 50.0}, .gives_way = 2},
	{{"p90", 90.0}, .gives_way = 9},
	{{"p99", 99.0}, .gives_way = 1},
	{{"p99.9", 99.9}, .gives_way = 6},
	{{"p99.99", 99.99}, .gives_way = 8},
	{{"max", .of = statistic_max}, .gives_way = 0},
	{{"mean", .of = statistic_mean}, .gives_way = 10},
	{{"stddev", .of = statistic_stddev}, .gives_way = 11},
	{{"n"}, .gives_way = 3, .kind = LINE_N},
	{{"late99", 99.0}, .gives_way = 4, .late = true},
	{{"missed"}, .gives_way = 5, .kind = LINE_MISSED},
	{{"rested"}, .gives_way = 12, .kind = LINE_RESTED},
	{{"away"}, .gives_way = 13, .kind = LINE_AWAY},
};

enum { N_LINES = sizeof(lines) / sizeof(*lines) };
static_assert(N_LINES + 1 == PERCENTILES_LINES, "one of them for the head");

static char *value_text(const struct scene *scene, struct window_sums *sums, const struct line *line,
	size_t row, enum figure figure, char *text, size_t size)
{
	const struct hist *hist = window_sums_hist(sums, row, line->late ? FIGURE_LATENESS : figure);
	struct tick_counts counts = window_sums_counts(sums, row);
	const uint64_t values[] = {[LINE_N] = hist->n,
		[LINE_MISSED] = counts.missed,
		[LINE_RESTED] = counts.rested,
		[LINE_AWAY] = counts.away};

	if (line->kind != LINE_TIME)
		return units_count(text, size, TIME_WIDTH, values[line->kind]);
	statistic_text(&line->statistic, hist, scene->view->unit, TIME_WIDTH, text, size);
	return text;
}

static void draw_window(const struct scene *scene, struct area area, unsigned *x, const char *title,
	struct window_sums *sums, size_t row, enum figure figure)
{
	unsigned y = 1;
	char text[64];

	canvas_right(scene->canvas, area, *x, 0, TIME_WIDTH, STYLE_HEAD, title);
	for (size_t i = 0; i < N_LINES; i++)
		if (lines[i].gives_way + 1 < area.height)
			canvas_right(scene->canvas, area, *x, y++, TIME_WIDTH,
				lines[i].gives_way ? STYLE_PLAIN : STYLE_STRONG,
				value_text(scene, sums, &lines[i], row, figure, text, sizeof(text)));
	*x += TIME_WIDTH + 1;
}

/* The window that is chosen, then the phase and all, each once. */
void percentiles_draw(const struct scene *scene, struct area area, size_t row, enum figure figure)
{
	enum window window = scene->view->window;
	const struct phase *phase = phases_current(&scene->session->phases);
	struct window_sums all = {0};
	unsigned x = LABEL_WIDTH + 1, y = 1;
	char title[24];

	/* All is there already: nothing is summed up, and no memory taken. */
	if (window_sums_update(&all, scene->session, WINDOW_ALL) < 0)
		return;
	canvas_restyle(scene->canvas, (struct area){area.x, area.y, area.width, 1}, STYLE_HEAD);
	for (size_t i = 0; i < N_LINES; i++)
		if (lines[i].gives_way + 1 < area.height)
			canvas_right(scene->canvas, area, 0, y++, LABEL_WIDTH, STYLE_PLAIN,
				lines[i].statistic.name);
	if (window != WINDOW_PHASE && window != WINDOW_ALL)
		draw_window(scene, area, &x, window_name(window), &scene->view->window_sums, row, figure);
	snprintf(title, sizeof(title), "phase %u", phase ? phase->number : 0);
	draw_window(scene, area, &x, title, &scene->view->phase_sums, row, figure);
	draw_window(scene, area, &x, window_name(WINDOW_ALL), &all, row, figure);
	window_sums_finish(&all);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* percentiles.c - a table of percentiles: in the window, the phase, and all. */
#include "ui/panes/percentiles.h"

#include <assert.h>
#include <stdio.h>

#include "src/model/session.h"
#include "ui/draw/statistic.h"
#include "ui/table/view.h"

enum { LABEL_WIDTH = 6, TIME_WIDTH = 8, WINDOWS_MAX = 3 };

/* One column of the table. */
struct shown {
	char title[24];
	struct windowed *windowed;
};

static const struct line {
	struct statistic statistic;
	unsigned gives_way; /* the highest first */
	bool late;          /* of the lateness, whichever figure is shown */
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

static void write_cell(const struct line *line, const struct frame *frame, struct windowed *windowed,
	size_t row, enum figure figure, char *text, size_t size)
{
	if (line->kind == LINE_MISSED)
		units_count(text, size, TIME_WIDTH, windowed_counts(windowed, row).missed);
	else if (line->kind == LINE_RESTED)
		units_count(text, size, TIME_WIDTH, windowed_counts(windowed, row).rested);
	else if (line->kind == LINE_AWAY)
		units_count(text, size, TIME_WIDTH, windowed_counts(windowed, row).away);
	else if (line->kind == LINE_N)
		units_count(text, size, TIME_WIDTH, windowed_hist(windowed, row, figure)->n);
	else
		statistic_text(&line->statistic,
			windowed_hist(windowed, row, line->late ? FIGURE_LATENESS : figure),
			frame->view->unit, TIME_WIDTH, text, size);
}

static void draw_column(const struct frame *frame, struct area area, unsigned x, const struct shown *shown,
	size_t row, enum figure figure)
{
	unsigned y = 1;

	canvas_right(frame->canvas, area, x, 0, TIME_WIDTH, STYLE_HEAD, shown->title);
	for (size_t i = 0; i < N_LINES; i++) {
		char text[64];

		if (lines[i].gives_way + 1 >= area.height)
			continue;
		write_cell(&lines[i], frame, shown->windowed, row, figure, text, sizeof(text));
		canvas_right(frame->canvas, area, x, y++, TIME_WIDTH,
			lines[i].gives_way ? STYLE_PLAIN : STYLE_STRONG, text);
	}
}

/* The window that is chosen, then the phase and all, each once. Returns how many. */
static size_t choose_windows(const struct frame *frame, struct windowed *all, struct shown shown[WINDOWS_MAX])
{
	enum window window = frame->view->window;
	const struct phase *phase = phases_current(&frame->session->phases);
	size_t n = 0;

	if (window != WINDOW_PHASE && window != WINDOW_ALL) {
		snprintf(shown[n].title, sizeof(shown->title), "%s", window_name(window));
		shown[n++].windowed = &frame->view->windowed;
	}
	snprintf(shown[n].title, sizeof(shown->title), "phase %u", phase ? phase->number : 0);
	shown[n++].windowed = &frame->view->phase;
	snprintf(shown[n].title, sizeof(shown->title), "%s", window_name(WINDOW_ALL));
	shown[n++].windowed = all;
	return n;
}

void percentiles_draw(const struct frame *frame, struct area area, size_t row, enum figure figure)
{
	struct shown shown[WINDOWS_MAX];
	struct windowed all = {0};
	unsigned y = 1;

	/* All is there already: nothing is summed up, and no memory taken. */
	if (windowed_update(&all, frame->session, WINDOW_ALL) < 0)
		return;
	size_t n = choose_windows(frame, &all, shown);

	canvas_restyle(frame->canvas, (struct area){area.x, area.y, area.width, 1}, STYLE_HEAD);
	for (size_t i = 0; i < N_LINES; i++)
		if (lines[i].gives_way + 1 < area.height)
			canvas_right(frame->canvas, area, 0, y++, LABEL_WIDTH, STYLE_PLAIN,
				lines[i].statistic.name);
	for (size_t i = 0; i < n; i++)
		draw_column(frame, area, LABEL_WIDTH + 1 + (unsigned)i * (TIME_WIDTH + 1), &shown[i], row,
			figure);
	windowed_finish(&all);
}

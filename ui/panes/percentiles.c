/* SPDX-License-Identifier: GPL-2.0-or-later */
/* percentiles.c - a table of percentiles: in the window, the phase, and all. */
#include "ui/panes/percentiles.h"

#include <assert.h>
#include <stdio.h>

#include "src/model/comparison_lines.h"
#include "src/model/session.h"
#include "ui/draw/statistic.h"
#include "ui/table/view_state.h"

enum { LABEL_WIDTH = 6, TIME_WIDTH = 8 };

static const struct line {
	struct statistic statistic;
	unsigned gives_way; /* the highest first */
	bool late;          /* of the lateness, not of the figure that is shown */
	enum { LINE_TIME, LINE_N, LINE_MISSED, LINE_RESTED, LINE_AWAY } kind;
	const struct comparison_column *compared; /* NULL: a comparison does not have it */
} lines[] = {
	{{"min", .of = statistic_min}, .gives_way = 7},
	{{"p50", 50.0}, .gives_way = 2, .compared = &comparison_columns[COMPARISON_P50]},
	{{"p90", 90.0}, .gives_way = 9},
	{{"p99", 99.0}, .gives_way = 1, .compared = &comparison_columns[COMPARISON_P99]},
	{{"p99.9", 99.9}, .gives_way = 6, .compared = &comparison_columns[COMPARISON_P999]},
	{{"p99.99", 99.99}, .gives_way = 8},
	{{"max", .of = statistic_max}, .gives_way = 0, .compared = &comparison_columns[COMPARISON_MAX]},
	{{"mean", .of = statistic_mean}, .gives_way = 10},
	{{"stddev", .of = statistic_stddev}, .gives_way = 11},
	{{"n"}, .gives_way = 3, .kind = LINE_N},
	{{"late99", 99.0}, .gives_way = 4, .late = true, .compared = &comparison_columns[COMPARISON_LATE]},
	{{"missed"}, .gives_way = 5, .kind = LINE_MISSED},
	{{"rested"}, .gives_way = 12, .kind = LINE_RESTED},
	{{"away"}, .gives_way = 13, .kind = LINE_AWAY},
};

enum { N_LINES = sizeof(lines) / sizeof(*lines) };
static_assert(N_LINES + 1 == PERCENTILES_LINES, "one of them for the head");

/* What a row did in a window, or in a phase. */
struct sums {
	const struct comparison_side *side; /* all that is known of a file's phase; NULL: what follows */
	const struct hist *hist, *late;
	struct tick_counts counts;
};

static struct sums sums_of_window(
	const struct scene *scene, enum window window, size_t row, enum figure figure)
{
	struct window_sums *windows = &scene->view->sums;
	struct sums sums = {.hist = window_sums_hist(windows, window, row, figure),
		.late = window_sums_hist(windows, window, row, FIGURE_LATENESS)};

	session_add_counts(scene->session, row, window, &sums.counts);
	return sums;
}

/* Returns the percentile of a comparison, or N_SHIFT_PERCENTILES if the line has none. */
static enum shift_percentile percentile_of(const struct line *line)
{
	return line->compared ? line->compared->percentile : N_SHIFT_PERCENTILES;
}

/* Returns whether the line's time is known; else it is 0. */
static bool time_of(const struct sums *sums, const struct line *line, uint64_t *ns, const char **doubt)
{
	const struct hist *hist = line->late ? sums->late : sums->hist;

	*doubt = "";
	if (sums->side) {
		*ns = line->compared ? comparison_ns(line->compared, sums->side) : 0;
		if (percentile_of(line) < N_SHIFT_PERCENTILES &&
			comparison_is_doubtful(sums->side, percentile_of(line)))
			*doubt = "~";
		return *ns > 0;
	}
	bool is_known = statistic_is_known(&line->statistic, hist);

	*ns = is_known ? statistic_ns(&line->statistic, hist) : 0;
	*doubt = statistic_doubt(&line->statistic, hist);
	return is_known;
}

/* Returns the style. */
static enum style value_text(
	const struct scene *scene, const struct sums *sums, const struct line *line, char *text, size_t size)
{
	enum style style = line->gives_way ? STYLE_PLAIN : STYLE_STRONG;
	const uint64_t counts[] = {[LINE_N] = sums->side ? sums->side->n : hist_samples(sums->hist),
		[LINE_MISSED] = sums->counts.missed,
		[LINE_RESTED] = sums->counts.rested,
		[LINE_AWAY] = sums->counts.away};
	const char *doubt;
	char time[32];
	uint64_t ns;

	if (line->kind == LINE_N || (line->kind != LINE_TIME && !sums->side)) {
		units_count(text, size, TIME_WIDTH, counts[line->kind]);
		if (line->kind == LINE_MISSED && counts[LINE_MISSED])
			style = STYLE_UNUSUAL;
	} else if (line->kind != LINE_TIME || !time_of(sums, line, &ns, &doubt)) {
		snprintf(text, size, "-");
	} else {
		snprintf(text, size, "%s%s", doubt,
			units_time(time, sizeof(time), TIME_WIDTH - 1, ns, scene->view->unit));
		style = style_stronger(style, *doubt ? STYLE_THIN : STYLE_PLAIN);
		style = style_stronger(
			style, statistic_time_style(ns, line->late ? 0 : scene->view->limit_ns));
	}
	return style;
}

static void draw_sums(
	const struct scene *scene, struct area area, unsigned x, const char *title, const struct sums *sums)
{
	unsigned y = 1;
	char text[64];

	canvas_right(scene->canvas, area, x, 0, TIME_WIDTH, STYLE_HEAD, title);
	for (size_t i = 0; i < N_LINES; i++) {
		if (lines[i].gives_way + 1 >= area.height)
			continue;
		enum style style = value_text(scene, sums, &lines[i], text, sizeof(text));

		canvas_right(scene->canvas, area, x, y++, TIME_WIDTH, style, text);
	}
}

static void draw_window(const struct scene *scene, struct area area, unsigned x, enum window window,
	size_t row, enum figure figure)
{
	const struct phase *phase = phases_current(&scene->session->phases);
	const struct sums sums = sums_of_window(scene, window, row, figure);
	char text[32];

	snprintf(text, sizeof(text), "phase %u", phase ? phase->number : 0);
	draw_sums(scene, area, x, window == WINDOW_PHASE ? text : window_name(window), &sums);
}

/* --- against a baseline --- */

/* Writes the change of a time; that of a percentile with a verdict is the comparison's, with the sign.
 * Returns the style. */
static enum style change_text(const struct line *line, const struct sums *a, const struct sums *b,
	const struct comparison_line *compared, char *text, size_t size)
{
	enum shift_percentile q = percentile_of(line);
	/* The maximum grows with the length of a phase. */
	bool has_change = line->kind == LINE_TIME && line->statistic.of != statistic_max;
	uint64_t ns_a, ns_b;
	const char *doubt;
	char change[32];

	text[0] = '\0';
	if (compared && q < N_SHIFT_PERCENTILES) {
		snprintf(text, size, "%s %s",
			compared_change(compared, MARK_SHOWN + q, false, change, sizeof(change)),
			shift_verdict_words[compared->marks[MARK_SHOWN + q].verdict].sign);
		return compared_mark_style(&compared->marks[MARK_SHOWN + q]);
	}
	if (has_change && time_of(a, line, &ns_a, &doubt) && time_of(b, line, &ns_b, &doubt) && ns_a && ns_b)
		snprintf(text, size, "%+.0f%%  ", 100 * ((double)ns_b / (double)ns_a - 1));
	return STYLE_PLAIN;
}

static void draw_changes(const struct scene *scene, struct area area, unsigned x, size_t row,
	const struct sums *a, const struct sums *b)
{
	const struct comparison_line *compared = row < GROUP_ROW ? compared_line(scene->view, row) : NULL;
	unsigned y = 1;
	char text[64];

	canvas_right(scene->canvas, area, x, 0, TIME_WIDTH, STYLE_HEAD, "change  ");
	for (size_t i = 0; i < N_LINES; i++) {
		if (lines[i].gives_way + 1 >= area.height)
			continue;
		enum style style = change_text(&lines[i], a, b, compared, text, sizeof(text));

		canvas_right(scene->canvas, area, x, y++, TIME_WIDTH, style, text);
	}
}

/* The columns: A, B and the change. */
static void draw_compared(const struct scene *scene, struct area area, size_t row, enum figure figure,
	const char *title_a, const struct sums *a)
{
	const struct sums b = sums_of_window(scene, WINDOW_PHASE, row, figure);
	unsigned x = LABEL_WIDTH + 1, step = TIME_WIDTH + 1;
	char title[32];

	draw_sums(scene, area, x, title_a, a);
	snprintf(title, sizeof(title), "B %u", (unsigned)scene->view->compared.last);
	draw_sums(scene, area, x + step, title, &b);
	draw_changes(scene, area, x + 2 * step, row, a, &b);
}

static void draw_with_file(const struct scene *scene, struct area area, size_t row, enum figure figure)
{
	static const struct comparison_side unknown;
	const struct comparison_line *line = compared_line(scene->view, row);
	const struct sums a = {.side = line ? &line->a : &unknown};

	draw_compared(scene, area, row, figure, "A base", &a);
}

static void draw_with_phase(const struct scene *scene, struct area area, size_t row, enum figure figure,
	const struct phase *phase)
{
	struct block_list blocks = session_phase_blocks(scene->session, phase);
	struct hist hist = {0}, late = {0};
	struct sums a = {.hist = &hist, .late = &late};
	char title[32];

	snprintf(title, sizeof(title), "A %u", (unsigned)phase->number);
	if (block_list_add_figure(&blocks, row, figure, &hist) == 0 &&
		block_list_add_figure(&blocks, row, FIGURE_LATENESS, &late) == 0) {
		block_list_add_counts(&blocks, row, &a.counts);
		draw_compared(scene, area, row, figure, title, &a);
	}
	hist_finish(&hist);
	hist_finish(&late);
}

static void draw_windows(const struct scene *scene, struct area area, size_t row, enum figure figure)
{
	const enum window windows[] = {scene->view->window, WINDOW_PHASE, WINDOW_ALL};
	size_t first = windows[0] == WINDOW_PHASE || windows[0] == WINDOW_ALL;

	for (size_t i = first; i < 3; i++)
		draw_window(scene, area, LABEL_WIDTH + 1 + (unsigned)(i - first) * (TIME_WIDTH + 1),
			windows[i], row, figure);
}

/* The columns: the window, the phase and all, each once; with a baseline A, B and the change. */
void percentiles_draw(const struct scene *scene, struct area area, size_t row, enum figure figure)
{
	const struct compared *compared = &scene->view->compared;
	const struct phase *phase = phases_find(&scene->session->phases, compared->baseline);
	unsigned y = 1;

	canvas_restyle(scene->canvas, (struct area){area.x, area.y, area.width, 1}, STYLE_HEAD);
	for (size_t i = 0; i < N_LINES; i++)
		if (lines[i].gives_way + 1 < area.height)
			canvas_right(scene->canvas, area, 0, y++, LABEL_WIDTH, STYLE_PLAIN,
				lines[i].statistic.name);
	if (!compared_has_baseline(compared))
		draw_windows(scene, area, row, figure);
	else if (compared->baseline == COMPARISON_FILE)
		draw_with_file(scene, area, row, figure);
	else if (phase)
		draw_with_phase(scene, area, row, figure, phase);
}

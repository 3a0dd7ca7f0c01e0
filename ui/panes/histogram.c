/* SPDX-License-Identifier: GPL-2.0-or-later */
/* histogram.c - the pane with the selected ring's distribution. */
#include "ui/panes/histogram.h"

#include <math.h>

#include "src/base/text.h"
#include "src/model/session.h"
#include "ui/draw/histogram_bins.h"
#include "ui/draw/statistic.h"

enum { RANGE_WIDTH = 13, COUNT_WIDTH = 7, TIME_WIDTH = 8, LABEL_WIDTH = 6, BARS_MIN = 38, SUMMARY_LINES = 1 };

/* For the panel beside the bars, or the line below them. */
static const struct statistic statistics[] = {
	{"Max", .of = statistic_max},
	{"p99.9", 99.9},
	{"p99", 99.0},
	{"p90", 90.0},
	{"p50", 50.0},
	{"Avg", .of = statistic_mean},
};

enum { N_STATISTICS = sizeof(statistics) / sizeof(*statistics) };

static void draw_title(const struct scene *scene, struct area area, const struct row *row)
{
	const char *mechanism = row->ring ? row->ring->mechanism : row->group->name;
	const char *label = row->ring ? row->ring->label : "";
	char title[256], hop[64], all[16], count[32], axis[HISTOGRAM_AXIS_SIZE],
		suffix[SESSION_SUFFIX_SIZE] = "";

	snprintf(all, sizeof(all), "all %ss", row_noun(scene->session));
	if (row->ring)
		session_ring_suffix(row->ring, suffix);
	units_count(count, sizeof(count), 8, hist_samples(row_hist(row, row->figure)));
	if (row->hop)
		snprintf(title, sizeof(title), " hop %s of %s%s %s  n %s in all  %s, %s ",
			session_hop_label(row->ring, row_hop(row), hop, sizeof(hop)), label, suffix,
			mechanism, count, histogram_axis(scene->histogram, axis), unit_name(row->view->unit));
	else
		snprintf(title, sizeof(title), " %s%s %s  %s  n %s  %s, %s ", row->group ? all : label,
			suffix, mechanism, figure_title(row->figure), count,
			histogram_axis(scene->histogram, axis), unit_name(row->view->unit));
	canvas_title(scene->canvas, area, title);
}

/* The percentiles up to which bars are fine. */
static const double zooms[N_HISTOGRAM_ZOOMS] = {100.0, 99.9, 99.0, 90.0, 50.0};

const char *histogram_axis(const struct histogram_scale *scale, char text[HISTOGRAM_AXIS_SIZE])
{
	snprintf(text, HISTOGRAM_AXIS_SIZE, "%s count", scale->linear ? "linear" : "log");
	if (scale->zoom)
		text_print(text, HISTOGRAM_AXIS_SIZE, " to p%g", zooms[scale->zoom]);
	return text;
}

static double share_of(uint64_t count, uint64_t most, bool linear)
{
	return linear ? (double)count / (double)most : log1p((double)count) / log1p((double)most);
}

void histogram_bars(const struct scene *scene, struct area area, const struct hist *hist)
{
	const struct histogram_scale *scale = scene->histogram;
	enum unit unit = scene->view->unit;
	struct canvas *canvas = scene->canvas;
	unsigned bar_x = RANGE_WIDTH + 1 + COUNT_WIDTH + 1;
	struct histogram_bins bins;

	histogram_bins_zoom(&bins, hist, area.height, zooms[scale->zoom]);
	if (!bins.n)
		canvas_text(canvas, area, 1, 0, STYLE_PLAIN,
			hist->n_untimed ? "no single laps: they ran in batches" : "no samples yet");
	for (unsigned i = 0; i < bins.n; i++) {
		char range[80], count[32];
		double share = share_of(bins.count[i], bins.most, scale->linear);

		if (bins.is_cut && i + 1 == bins.n) {
			range[0] = '>';
			units_short(range + 1, sizeof(range) - 1, bins.edge_ns[i], unit);
		} else {
			units_range(range, sizeof(range), bins.edge_ns[i], bins.edge_ns[i + 1], unit);
		}
		canvas_right(canvas, area, 0, i, RANGE_WIDTH, STYLE_PLAIN, range);
		canvas_right(canvas, area, RANGE_WIDTH + 1, i, COUNT_WIDTH, STYLE_PLAIN,
			units_count(count, sizeof(count), COUNT_WIDTH, bins.count[i]));
		if (area.width > bar_x)
			canvas_bar(canvas, area, bar_x, i, area.width - bar_x, share, STYLE_BAR);
	}
}

/* The columns of the panel: the figure shown, lateness and response; a hop has only the first. */
enum { N_BESIDE = 3, PANEL_WIDTH = LABEL_WIDTH + N_BESIDE * (TIME_WIDTH + 1) };

static void draw_panel(const struct scene *scene, struct area area, const struct row *row)
{
	const enum figure figures[N_BESIDE] = {row->figure, FIGURE_LATENESS, FIGURE_RESPONSE};
	const char *const titles[N_BESIDE] = {
		row->hop ? "hop" : figure_name(row->figure), "late", "response"};
	char text[64];

	for (unsigned i = 0; i < N_STATISTICS; i++)
		canvas_right(scene->canvas, area, 0, i + 1, LABEL_WIDTH, STYLE_PLAIN, statistics[i].name);
	for (unsigned c = 0; c < (row->hop ? 1 : N_BESIDE); c++) {
		unsigned x = LABEL_WIDTH + c * (TIME_WIDTH + 1) + 1;

		canvas_right(scene->canvas, area, x, 0, TIME_WIDTH, STYLE_TITLE, titles[c]);
		for (unsigned i = 0; i < N_STATISTICS; i++) {
			const struct hist *hist = row_hist(row, figures[c]);
			enum style style =
				statistic_style(&statistics[i], hist, c == 0 ? scene->view->limit_ns : 0);

			statistic_text(
				&statistics[i], hist, scene->view->unit, TIME_WIDTH, text, sizeof(text));
			canvas_right(scene->canvas, area, x, i + 1, TIME_WIDTH,
				i == 0 ? style_stronger(STYLE_STRONG, style) : style, text);
		}
	}
}

static void draw_summary(const struct scene *scene, struct area area, const struct row *row)
{
	unsigned x = 1;

	for (unsigned i = 0; i < N_STATISTICS; i++) {
		char value[64], text[96];

		statistic_text(&statistics[i], row_hist(row, row->figure), row->view->unit, TIME_WIDTH, value,
			sizeof(value));
		snprintf(text, sizeof(text), "%s %s", statistics[i].name, value);
		if (x + canvas_measure(scene->canvas, text) <= area.width)
			x = canvas_text(scene->canvas, area, x, 0, STYLE_PLAIN, text) + 2;
	}
}

void histogram_draw(const struct scene *scene, struct area area)
{
	struct area inner = {area.x, area.y + 1, area.width, area.height - 1};
	struct row row;

	if (!view_state_row(scene, &row)) {
		canvas_title(scene->canvas, area, " no row is selected ");
		return;
	}
	draw_title(scene, area, &row);
	if (row.ring && row.ring->reason) {
		struct area text = {inner.x + 1, inner.y, inner.width - 2, inner.height / 2};
		unsigned taken = canvas_wrap(scene->canvas, text, STYLE_WARNING, row.ring->reason);

		inner.y += taken;
		inner.height -= taken;
	}
	if (area.width >= BARS_MIN + PANEL_WIDTH && inner.height > N_STATISTICS) {
		struct area panel = {area.x + area.width - PANEL_WIDTH, inner.y, PANEL_WIDTH, inner.height};

		inner.width -= PANEL_WIDTH + 1;
		draw_panel(scene, panel, &row);
	} else if (inner.height > SUMMARY_LINES) {
		inner.height -= SUMMARY_LINES;
		draw_summary(scene, (struct area){inner.x, inner.y + inner.height, inner.width, 1}, &row);
	}
	histogram_bars(scene, inner, row_hist(&row, row.figure));
}

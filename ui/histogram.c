/* SPDX-License-Identifier: GPL-2.0-or-later */
/* histogram.c - the pane with the selected ring's distribution. */
#include <math.h>
#include <string.h>

#include "src/session.h"
#include "ui/bins.h"
#include "ui/cells.h"
#include "ui/view.h"

enum { RANGE_WIDTH = 13, COUNT_WIDTH = 7, TIME_WIDTH = 8, LABEL_WIDTH = 6, BARS_MIN = 38, SUMMARY_LINES = 1 };

/* What the panel beside the bars, or the line below them, tells. Max and tail first, average last. */
static const struct statistic {
	const char *name;
	double percentile; /* 0: not one */
	double (*of)(const struct hist *hist);
} statistics[] = {
	{"Max", 100.0, NULL},
	{"p99.9", 99.9, NULL},
	{"p99", 99.0, NULL},
	{"p90", 90.0, NULL},
	{"p50", 50.0, NULL},
	{"Avg", 0.0, hist_mean},
};

enum { N_STATISTICS = sizeof(statistics) / sizeof(*statistics) };

static void statistic_text(
	const struct statistic *statistic, const struct hist *hist, enum unit unit, char *text, size_t size)
{
	bool maximum = statistic->percentile >= 100.0;
	char time[32];
	uint64_t ns;

	if (!hist->n) {
		snprintf(text, size, "-");
		return;
	}
	ns = statistic->of ? (uint64_t)(statistic->of(hist) + 0.5)
			   : hist_percentile(hist, statistic->percentile);
	snprintf(text, size, "%s%s", statistic->of || maximum ? "" : cell_doubt(hist, statistic->percentile),
		units_time(time, sizeof(time), TIME_WIDTH - 1, maximum ? hist->max_ns : ns, unit));
}

static void draw_title(
	const struct frame *frame, struct area area, const struct session_ring *ring, const struct row *row)
{
	char title[256], count[32];

	snprintf(title, sizeof(title), " %s %s  %s  n %s  log count, %s ", ring->label ? ring->label : "?",
		ring->mechanism ? ring->mechanism : "?", figure_title(row->figure),
		units_count(count, sizeof(count), 8, row->shown->hist.n), unit_name(row->unit));
	canvas_title(frame->canvas, area, title);
}

static void draw_bars(const struct frame *frame, struct area area, const struct row *row)
{
	struct canvas *canvas = frame->canvas;
	unsigned bar_x = RANGE_WIDTH + 1 + COUNT_WIDTH + 1;
	struct bins bins;

	bins_make(&bins, &row->shown->hist, area.height);
	if (!bins.n)
		canvas_text(canvas, area, 1, 0, STYLE_PLAIN, "no samples yet");
	for (unsigned i = 0; i < bins.n; i++) {
		char from[32], to[32], range[80], count[32];
		double share = log1p((double)bins.count[i]) / log1p((double)bins.most);

		snprintf(range, sizeof(range), "%s-%s",
			units_short(from, sizeof(from), bins.edge_ns[i], row->unit),
			units_short(to, sizeof(to), bins.edge_ns[i + 1], row->unit));
		canvas_right(canvas, area, 0, i, RANGE_WIDTH, STYLE_PLAIN, range);
		canvas_right(canvas, area, RANGE_WIDTH + 1, i, COUNT_WIDTH, STYLE_PLAIN,
			units_count(count, sizeof(count), COUNT_WIDTH, bins.count[i]));
		if (area.width > bar_x)
			canvas_bar(canvas, area, bar_x, i, area.width - bar_x, share, STYLE_BAR);
	}
}

/* The columns of the panel: the figure shown, and what stands beside it. */
static const struct beside {
	const char *title;
	enum figure figure; /* N_FIGURES: the one shown */
} besides[] = {
	{"shown", N_FIGURES},
	{"late", FIGURE_LATENESS},
	{"response", FIGURE_RESPONSE},
};

enum {
	N_BESIDES = sizeof(besides) / sizeof(*besides),
	PANEL_WIDTH = LABEL_WIDTH + N_BESIDES * (TIME_WIDTH + 1),
};

static void draw_panel(const struct frame *frame, struct area area, const struct row *row)
{
	for (unsigned c = 0; c < N_BESIDES; c++) {
		bool shown = besides[c].figure == N_FIGURES;
		const struct hist *hist =
			shown ? &row->shown->hist : &row->ring->figures[besides[c].figure].hist;
		unsigned x = LABEL_WIDTH + c * (TIME_WIDTH + 1) + 1;
		char text[64];

		canvas_right(frame->canvas, area, x, 0, TIME_WIDTH, STYLE_TITLE,
			shown ? figure_name(row->figure) : besides[c].title);
		for (unsigned i = 0; i < N_STATISTICS; i++) {
			canvas_right(
				frame->canvas, area, 0, i + 1, LABEL_WIDTH, STYLE_PLAIN, statistics[i].name);
			statistic_text(&statistics[i], hist, row->unit, text, sizeof(text));
			canvas_right(frame->canvas, area, x, i + 1, TIME_WIDTH,
				i == 0 ? STYLE_STRONG : STYLE_PLAIN, text);
		}
	}
}

static void draw_summary(const struct frame *frame, struct area area, const struct row *row)
{
	unsigned x = 1;

	for (unsigned i = 0; i < N_STATISTICS; i++) {
		char value[64], text[96];

		statistic_text(&statistics[i], &row->shown->hist, row->unit, value, sizeof(value));
		snprintf(text, sizeof(text), "%s %s", statistics[i].name, value);
		if (x + canvas_measure(frame->canvas, text) <= area.width)
			x = canvas_text(frame->canvas, area, x, 0, STYLE_PLAIN, text) + 2;
	}
}

/* Why the ring failed, or why a member is not as asked; by words, at most half of the area.
 * Returns the lines that it took. */
static unsigned draw_reason(const struct frame *frame, struct area area, const char *reason)
{
	unsigned y = 0, most = area.height / 2, width = area.width - 2;

	while (*reason && y < most) {
		size_t length = strlen(reason), n = length;
		char text[512];

		if (n > width && y + 1 < most)
			for (n = width; n > 0 && reason[n] != ' ';)
				n--;
		n = n ? n : length;
		snprintf(text, sizeof(text), "%.*s", (int)n, reason);
		canvas_left(frame->canvas, area, 1, y++, width, STYLE_WARNING, text);
		for (reason += n; *reason == ' ';)
			reason++;
	}
	return y;
}

void histogram_draw(const struct frame *frame, struct area area)
{
	const struct session_ring *ring = view_ring(frame->view, frame->session);
	struct area inner = {area.x, area.y + 1, area.width, area.height - 1};

	if (!ring) {
		canvas_title(frame->canvas, area, " no ring is selected ");
		return;
	}
	struct row row = columns_row(frame->session, ring, frame->view->shown, frame->view->unit);

	draw_title(frame, area, ring, &row);
	if (ring->reason) {
		unsigned taken = draw_reason(frame, inner, ring->reason);

		inner.y += taken;
		inner.height -= taken;
	}
	if (area.width >= BARS_MIN + PANEL_WIDTH && inner.height > N_STATISTICS) {
		struct area panel = {area.x + area.width - PANEL_WIDTH, inner.y, PANEL_WIDTH, inner.height};

		inner.width -= PANEL_WIDTH + 1;
		draw_panel(frame, panel, &row);
	} else if (inner.height > SUMMARY_LINES) {
		inner.height -= SUMMARY_LINES;
		draw_summary(frame, (struct area){inner.x, inner.y + inner.height, inner.width, 1}, &row);
	}
	draw_bars(frame, inner, &row);
}

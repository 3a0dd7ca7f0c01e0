/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_ui.c - the screen's pure parts: units, layout, canvas, bins. */
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "src/figures/hist.h"
#include "tests/unit/tap.h"
#include "ui/draw/canvas.h"
#include "ui/draw/histogram_bins.h"
#include "ui/draw/statistic.h"
#include "ui/draw/units.h"
#include "ui/frame/frame.h"
#include "ui/views/overview.h"

static void times_have_five_digits_at_most_and_fit(void)
{
	static const struct {
		uint64_t ns;
		enum unit unit;
		unsigned width;
		const char *text;
	} cases[] = {
		{0, UNIT_US, 6, "0.00"},
		{7, UNIT_US, 6, "0.01"},
		{1452, UNIT_US, 6, "1.45"},
		{14520, UNIT_US, 6, "14.52"},
		{145200, UNIT_US, 6, "145.20"},
		{999994, UNIT_US, 6, "999.99"},
		{999996, UNIT_US, 6, "1000.0"},
		{2411000, UNIT_US, 6, "2411.0"},
		{24110500, UNIT_US, 6, "24110"},
		{150021300, UNIT_US, 6, "150021"},
		{1500213000, UNIT_US, 6, "1.500s"},
		{1500213000, UNIT_US, 7, "1500213"},
		{68719476736, UNIT_US, 6, "68.72s"},
		{1452, UNIT_NS, 6, "1452"},
		{999999, UNIT_NS, 6, "999999"},
		{1500213, UNIT_NS, 6, "1.50ms"},
		{1004000, UNIT_NS, 6, "1.00ms"},
		{1004000, UNIT_NS, 7, "1004000"},
		{999999600, UNIT_US, 5, "1.00s"},
		{1452, UNIT_MS, 6, "0.0015"},
		{2411000, UNIT_MS, 6, "2.4110"},
		{150021300, UNIT_MS, 6, "150.02"},
		{UINT64_C(10800000000000), UNIT_US, 6, "180.0m"},
		{UINT64_MAX, UNIT_US, 6, "9999d"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char text[32];

		units_time(text, sizeof(text), cases[i].width, cases[i].ns, cases[i].unit);
		CHECK(strcmp(text, cases[i].text) == 0, "%s instead of %s", text, cases[i].text);
	}
}

static void no_time_is_wider_than_its_field(void)
{
	for (uint64_t ns = 1; ns < UINT64_MAX / 3; ns += ns / 7 + 1) {
		for (enum unit unit = 0; unit < N_UNITS; unit++) {
			char text[32];

			for (unsigned width = 5; width <= 8; width++)
				CHECK(strlen(units_time(text, sizeof(text), width, ns, unit)) <= width,
					"%s in %u", text, width);
			for (unsigned width = 4; width <= 5 && ns < UINT64_C(999000000000); width++)
				CHECK(strlen(units_brief(text, sizeof(text), width, ns, unit)) <= width &&
						strcmp(text, "0s") != 0 && strcmp(text, "0ms") != 0 &&
						(*text != '.' || unit == UNIT_NS),
					"%s in %u of %llu ns", text, width, (unsigned long long)ns);
		}
	}
}

static void short_times_have_no_idle_zeros(void)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} cases[] = {{2000, "2"}, {1500, "1.5"}, {1250, "1.25"}, {100000, "100"}, {0, "0"}, {20, "0.02"},
		{2000000000, "2s"}, {20000000000, "20s"}, {50000000000, "50s"}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char text[32];

		units_short(text, sizeof(text), cases[i].ns, UNIT_US);
		CHECK(strcmp(text, cases[i].text) == 0, "%s instead of %s", text, cases[i].text);
	}
}

static void both_ends_of_a_range_have_one_unit(void)
{
	static const struct {
		uint64_t from_ns, to_ns;
		enum unit unit;
		const char *text;
	} cases[] = {
		{16000, 33000, UNIT_US, "16-33"},
		{540000000, 990000000, UNIT_US, "540000-990000"},
		{540000000, 1100000000, UNIT_US, "0.54-1.1s"},
		{1100000000, 2100000000, UNIT_US, "1.1-2.1s"},
		{8600000000, 17000000000, UNIT_US, "8.6-17s"},
		{540000, 1100000, UNIT_NS, "0.54-1.1ms"},
		{540000000, 1100000000, UNIT_MS, "540-1100"},
		{25000, 41000000, UNIT_US, "25-41000"},
		{25000, 1100000000, UNIT_US, "25us-1.1s"},
		{2000000000, 1000000000000, UNIT_US, "2s-16.7m"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char text[80];

		units_range(text, sizeof(text), cases[i].from_ns, cases[i].to_ns, cases[i].unit);
		CHECK(strcmp(text, cases[i].text) == 0, "%s instead of %s", text, cases[i].text);
	}
}

static void ages_fit_six_columns_and_never_say_too_much(void)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} cases[] = {
		{1, ">=0us"},
		{20999, ">=20us"},
		{99999, ">=99us"},
		{340999, ">=.3ms"},
		{1999999, ">=1ms"},
		{99999999, ">=99ms"},
		{340000000, ">=0.3s"},
		{1299999999, ">=1.2s"},
		{9999999999, ">=9.9s"},
		{12500000000, ">=12s"},
		{999999999999, ">=999s"},
		{1000000000000, ">=16m"},
		{UINT64_C(36000000000000), ">=10h"},
		{UINT64_MAX, ">=999h"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char text[32];

		units_age(text, sizeof(text), cases[i].ns);
		CHECK(strcmp(text, cases[i].text) == 0, "%s instead of %s", text, cases[i].text);
	}
}

static void counts_shrink_to_their_field(void)
{
	static const struct {
		uint64_t count;
		unsigned width;
		const char *text;
	} cases[] = {{0, 6, "0"}, {123456, 6, "123456"}, {1234567, 6, "1.23M"}, {8000, 4, "8000"},
		{80000, 4, "80k"}, {123456, 4, "123k"}, {1400000, 4, "1.4M"}, {UINT64_MAX, 6, "18.45E"}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char text[32];

		units_count(text, sizeof(text), cases[i].width, cases[i].count);
		CHECK(strcmp(text, cases[i].text) == 0, "%s instead of %s", text, cases[i].text);
	}
}

static bool overlap(const struct area *a, const struct area *b)
{
	return a->x < b->x + b->width && b->x < a->x + a->width && a->y < b->y + b->height &&
	       b->y < a->y + a->height;
}

/* Each cell belongs to one pane. */
static bool layout_is_whole(const struct overview_layout *layout, unsigned columns, unsigned lines)
{
	unsigned header = overview_header_lines(lines), cells = (header + 1) * columns; /* and the footer */

	for (size_t i = 0; i < N_PANES; i++) {
		const struct area *pane = &layout->panes[i];

		if (pane->x + pane->width > columns || pane->y + pane->height > lines - 1 ||
			(pane->height && pane->y < header))
			return false;
		cells += pane->width * pane->height;
		for (size_t j = 0; j < i; j++)
			if (overlap(pane, &layout->panes[j]))
				return false;
	}
	return cells == columns * lines;
}

static void panes_cover_every_size_and_do_not_overlap(void)
{
	static const size_t rows[] = {0, 1, 2, 5, 8, 20, 64, 1024, 100000};

	for (unsigned columns = FRAME_COLUMNS_MIN; columns <= 300; columns++) {
		for (unsigned lines = FRAME_LINES_MIN; lines <= 100; lines++) {
			for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
				const struct overview_needs needs = {rows[i], i % 3, (unsigned)i};
				struct overview_layout layout = overview_layout(columns, lines, &needs);

				CHECK(layout_is_whole(&layout, columns, lines), "%ux%u, %zu rows", columns,
					lines, rows[i]);
				CHECK(layout.panes[PANE_TABLE].height >= (rows[i] > 1 ? 3 : 2),
					"%ux%u, %zu rows", columns, lines, rows[i]);
				CHECK(layout.panes[PANE_TOTALS].height == (lines < 16 ? 0 : i % 3));
				if (!tap_good)
					return;
			}
		}
	}
}

static void screens_have_room_for_their_panes(void)
{
	static const struct {
		unsigned columns, lines;
		size_t rows;
		unsigned event_lines;
		unsigned header, heights[N_PANES]; /* table, totals, heat, histogram, events */
	} cases[] = {
		{80, 24, 2, 10, 4, {3, 2, 8, 0, 6}},
		{80, 24, 8, 10, 4, {9, 2, 0, 0, 8}},
		{80, 24, 8, 1, 4, {9, 2, 6, 0, 2}},
		{80, 24, 12, 10, 4, {13, 2, 0, 0, 4}},
		{80, 24, 14, 1, 4, {15, 2, 0, 0, 2}},
		{80, 24, 1024, 10, 4, {13, 2, 0, 0, 4}},
		{80, 24, 1024, 1, 4, {15, 2, 0, 0, 2}},
		{80, 24, 1024, 0, 4, {17, 2, 0, 0, 0}},
		{120, 39, 1024, 10, 4, {28, 2, 0, 0, 4}},
		{120, 40, 8, 10, 4, {9, 2, 13, 0, 11}},
		{120, 40, 16, 10, 4, {17, 2, 8, 0, 8}},
		{120, 40, 1024, 10, 4, {19, 2, 8, 0, 6}},
		{120, 40, 1024, 2, 4, {22, 2, 8, 0, 3}},
		{200, 60, 16, 10, 4, {17, 2, 25, 25, 11}},
		{200, 60, 16, 0, 4, {26, 2, 26, 26, 1}},
		{200, 60, 1024, 10, 4, {39, 2, 8, 8, 6}},
		{159, 60, 1024, 10, 4, {39, 2, 8, 0, 6}},
		{40, 10, 1024, 10, 2, {7, 0, 0, 0, 0}},
		{40, 15, 1024, 10, 2, {12, 0, 0, 0, 0}},
		{80, 16, 1024, 10, 3, {7, 2, 0, 0, 3}},
		{80, 16, 1024, 0, 3, {10, 2, 0, 0, 0}},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct overview_needs needs = {cases[i].rows, 2, cases[i].event_lines};
		struct overview_layout layout = overview_layout(cases[i].columns, cases[i].lines, &needs);

		CHECK(overview_header_lines(cases[i].lines) == cases[i].header, "case %zu", i);
		for (size_t pane = 0; pane < N_PANES; pane++)
			CHECK(layout.panes[pane].height == cases[i].heights[pane], "case %zu, pane %zu: %u",
				i, pane, layout.panes[pane].height);
	}
}

/* What is printed of a canvas of 12x2. */
static const char *drawn(bool ascii, void (*draw)(struct canvas *canvas, struct area area))
{
	static char text[512];
	const struct area area = {.x = 2, .y = 0, .width = 8, .height = 1};
	FILE *out = fmemopen(text, sizeof(text), "w");
	struct canvas canvas;

	if (!out || canvas_init(&canvas, 12, 2, ascii) < 0)
		abort();
	draw(&canvas, area);
	canvas_print(&canvas, out);
	fclose(out);
	canvas_finish(&canvas);
	return text;
}

static void draw_long(struct canvas *canvas, struct area area)
{
	canvas_text(canvas, area, 3, 0, STYLE_PLAIN, "longer than it");
	canvas_text(canvas, area, 0, 1, STYLE_PLAIN, "below");
	canvas_text(canvas, area, 4000000000u, 0, STYLE_PLAIN, "far");
}

static void draw_cut(struct canvas *canvas, struct area area)
{
	canvas_left(canvas, area, 0, 0, 5, STYLE_PLAIN, "abcdefg");
	canvas_right(canvas, area, 6, 0, 5, STYLE_PLAIN, "hi");
}

static void draw_right(struct canvas *canvas, struct area area)
{
	canvas_right(canvas, area, 0, 0, 6, STYLE_PLAIN, "12.5");
}

static void draw_wide(struct canvas *canvas, struct area area)
{
	canvas_text(canvas, area, 0, 0, STYLE_PLAIN, "日本日本日本");
	canvas_put(canvas, area, 1, 0, 'x', STYLE_PLAIN);
}

static void draw_halved(struct canvas *canvas, struct area area)
{
	canvas_text(canvas, area, 7, 0, STYLE_PLAIN, "日");
}

static void draw_broken(struct canvas *canvas, struct area area)
{
	canvas_text(canvas, area, 0, 0, STYLE_PLAIN, "a\xff\x1b[\xe2\x96z");
}

static void draw_bar(struct canvas *canvas, struct area area)
{
	canvas_bar(canvas, area, 0, 0, 4, 0.5, STYLE_BAR);
	canvas_put(canvas, area, 4, 0, '|', STYLE_PLAIN);
	canvas_bar(canvas, area, 5, 0, 3, 1e-9, STYLE_BAR);
}

static void drawing_is_clipped_to_its_area(void)
{
	static const struct {
		bool ascii;
		void (*draw)(struct canvas *canvas, struct area area);
		const char *text;
	} cases[] = {
		{true, draw_long, "     longe\n\n"},
		{true, draw_cut, "  abcd+\n\n"},
		{false, draw_cut, "  abcd…\n\n"},
		{true, draw_right, "    12.5\n\n"},
		{false, draw_wide, "   x本日本\n\n"},
		{true, draw_wide, "  ?x????\n\n"},
		{false, draw_halved, "\n\n"},
		{true, draw_broken, "  a??[??z\n\n"},
		{true, draw_bar, "  ##  |#\n\n"},
		{false, draw_bar, "  ██  |▏\n\n"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *text = drawn(cases[i].ascii, cases[i].draw);

		CHECK(strcmp(text, cases[i].text) == 0, "case %zu: '%s' instead of '%s'", i, text,
			cases[i].text);
	}
}

static void bins_hold_every_sample_once(void)
{
	static const struct {
		uint64_t from, step_percent, samples;
	} cases[] = {{1, 0, 5}, {1, 20, 100}, {1400, 1, 700}, {0, 0, 3}, {50, 300, 12}, {1000000000, 7, 60}};

	for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
		for (size_t rows = 1; rows < 80; rows++) {
			uint64_t ns = cases[c].from, n = 0, most = 0;
			struct hist hist = {0};
			struct histogram_bins bins;

			for (uint64_t i = 0; i < cases[c].samples;
				i++, ns += ns * cases[c].step_percent / 100) {
				hist_add_cells(&hist, &(struct hist_cell){hist_bucket(ns), 1 + i % 3}, 1);
				hist_extend(&hist, ns, ns, 1);
			}
			const double zooms[] = {100.0, 99.9, 99.0, 90.0, 50.0};
			double percent = zooms[rows % 5];

			histogram_bins_zoom(&bins, &hist, rows, percent);
			CHECK(!bins.is_cut || bins.edge_ns[bins.n - 1] > hist_percentile(&hist, percent),
				"case %zu, %zu rows", c, rows);
			CHECK(bins.n >= 1 && bins.n <= rows && bins.n <= BINS_MAX, "%zu rows: %zu", rows,
				bins.n);
			for (size_t i = 0; i < bins.n; i++) {
				n += bins.count[i];
				most = bins.count[i] > most ? bins.count[i] : most;
				CHECK(bins.edge_ns[i] < bins.edge_ns[i + 1]);
			}
			CHECK(n == hist.n, "case %zu, %zu rows: %zu", c, rows, (size_t)n);
			CHECK(most == bins.most);
			CHECK(bins.edge_ns[0] <= hist.min_ns);
			hist_finish(&hist);
		}
	}
}

static void bins_are_fine_where_the_samples_are(void)
{
	struct hist hist = {0};
	struct histogram_bins bins;

	for (uint64_t ns = 2000; ns < 6000; ns += 10) {
		hist_add_cells(&hist, &(struct hist_cell){hist_bucket(ns), 10}, 1);
		hist_extend(&hist, ns, ns, 1);
	}
	hist_add_cells(&hist, &(struct hist_cell){hist_bucket(2411000), 1}, 1);
	hist_extend(&hist, 2411000, 2411000, 1);
	histogram_bins_zoom(&bins, &hist, 20, 100.0);
	CHECK(bins.n > 12 && bins.n <= 20, "%zu", bins.n);
	CHECK(bins.edge_ns[0] == 2000 && bins.edge_ns[1] < 2500);
	CHECK(bins.edge_ns[bins.n] == 5000000 && bins.count[bins.n - 1] == 1);
	for (size_t rows = 1; rows <= 80; rows++) {
		struct histogram_bins fine;

		histogram_bins_zoom(&bins, &hist, rows, 100.0);
		histogram_bins_make_fine(&fine, &hist, rows);
		CHECK(fine.n >= bins.n && fine.n <= rows, "%zu rows: %zu, %zu fine", rows, bins.n, fine.n);
		CHECK(rows < 40 || fine.n >= 33, "%zu rows: the tail is as fine as they allow: %zu", rows,
			fine.n);
		CHECK(rows < 6 || (fine.edge_ns[0] <= 2000 && fine.edge_ns[fine.n] > hist.max_ns), "%zu rows",
			rows);
	}
	histogram_bins_zoom(&bins, &hist, 20, 50.0);
	CHECK(bins.is_cut && bins.edge_ns[bins.n - 1] > 4000 && bins.edge_ns[bins.n - 1] <= 4500, "%u",
		(unsigned)bins.edge_ns[bins.n - 1]);
	CHECK(bins.n > 9 && bins.count[bins.n - 1] < hist.n / 2 && bins.count[bins.n - 1] > 1);
	hist_finish(&hist);
	histogram_bins_zoom(&bins, &hist, 20, 100.0);
	CHECK(bins.n == 0);
	histogram_bins_zoom(&bins, &hist, 20, 50.0);
	CHECK(bins.n == 0);
}

static void a_mean_that_is_not_known_is_a_dash(void)
{
	static const struct {
		struct statistic statistic;
		bool needs_mean;
	} cases[] = {{{"Avg", .of = statistic_mean}, true}, {{"stddev", .of = statistic_stddev}, true},
		{{"Max", .of = statistic_max}, false}, {{"p50", 50.0}, false}};
	struct hist hist = {0};
	char text[32];

	CHECK(hist_add_cells(&hist, &(struct hist_cell){hist_bucket(5000), 100}, 1) == 0);
	hist_extend(&hist, 5000, 5000, 1);
	for (unsigned is_known = 0; is_known < 2; is_known++)
		for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
			hist.sum_ns = is_known ? 500000 : HIST_SUM_UNKNOWN_NS;
			statistic_text(&cases[i].statistic, &hist, UNIT_US, 7, text, sizeof(text));
			CHECK((strcmp(text, "-") == 0) == (cases[i].needs_mean && !is_known), "%s: %s",
				cases[i].statistic.name, text);
		}
	hist_finish(&hist);
}

int main(void)
{
	setlocale(LC_CTYPE, "C.UTF-8");
	TEST(times_have_five_digits_at_most_and_fit);
	TEST(no_time_is_wider_than_its_field);
	TEST(short_times_have_no_idle_zeros);
	TEST(both_ends_of_a_range_have_one_unit);
	TEST(ages_fit_six_columns_and_never_say_too_much);
	TEST(counts_shrink_to_their_field);
	TEST(panes_cover_every_size_and_do_not_overlap);
	TEST(screens_have_room_for_their_panes);
	TEST(drawing_is_clipped_to_its_area);
	TEST(bins_hold_every_sample_once);
	TEST(bins_are_fine_where_the_samples_are);
	TEST(a_mean_that_is_not_known_is_a_dash);
	return tap_done();
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_ui_heat.c - heat maps and strips: what each second leaves on them. */
#include <locale.h>

#include "tests/unit/screen_fixture.h"
#include "tests/unit/tap.h"
#include "ui/panes/heat.h"
#include "ui/panes/second_strips.h"

static const uint64_t S = 1000000000, START = 7000000000, CALM_NS = 1 << 14;

/* What was seen in one second. */
struct sample {
	unsigned second;
	uint64_t ns;
	uint32_t count;
};

static void feed_figure(struct second_stats *stats, const struct sample *sample, enum figure figure)
{
	struct hist hist = {0};

	if (!second_stats_covered_ns(stats, 0) || sample->second > stats->second)
		second_stats_tick(stats, START + sample->second * S, START + (sample->second + 1) * S, false);
	hist_extend(&hist, sample->ns, sample->ns, 1);
	if (sample->count &&
		(hist_add_cells(&hist, &(struct hist_cell){hist_bucket(sample->ns), sample->count}, 1) < 0 ||
			second_stats_feed(stats, 0, figure, &hist) < 0))
		abort();
	hist_finish(&hist);
}

/* A sample with a count of 0 only lets the time go on. Samples stand in the order of their seconds. */
static void feed(struct second_stats *stats, const struct sample *samples, size_t n)
{
	*stats = (struct second_stats){0};
	for (size_t i = 0; i < n; i++)
		feed_figure(stats, &samples[i], FIGURE_FIRST);
}

#define FEED(stats, samples) feed(stats, samples, sizeof(samples) / sizeof(*(samples)))

static const struct heat_seconds *last(unsigned columns)
{
	static struct heat_seconds seconds;

	heat_seconds_all(&seconds, columns);
	return &seconds;
}

/* The map as text: lines from the top, a digit for each shade. */
static const char *picture(const struct heat *heat)
{
	static char text[(HEAT_COLUMNS_MAX + 1) * HEAT_ROWS_MAX + 1];
	char *at = text;

	for (unsigned y = 0; y < heat->rows; y++) {
		for (unsigned x = 0; x < heat->columns; x++)
			*at++ = heat->cells[y][x].step ? (char)('0' + heat->cells[y][x].shade) : '.';
		*at++ = '\n';
	}
	*at = '\0';
	return text;
}

static void each_second_is_a_column_and_the_newest_is_the_last(void)
{
	static const struct {
		struct sample samples[4];
		unsigned columns, rows;
		const char *picture;
	} cases[] = {
		/* one sample is seen beside a million */
		{{{0, 1100, 1000000}, {1, 1100, 1}, {2, 1100, 1000000}}, 3, 1, "414\n"},
		/* older than the first: blank; older than there is room for: left out */
		{{{0, 1100, 30}}, 4, 1, "...4\n"},
		{{{0, 1100, 30}, {1, 0, 0}, {2, 1100, 30}, {3, 0, 0}}, 3, 1, ".4.\n"},
		{{{0, 1100, 30}}, 1, 1, "4\n"},
		/* rows are half octaves, from 1024 ns here, and no more than there are samples for */
		{{{0, 1100, 30}, {1, 1600, 30}, {2, 2100, 30}}, 3, 4, "..4\n.4.\n4..\n"},
		{{{0, 1100, 30}, {1, 1600, 30}, {2, 3100, 30}}, 3, 9, "..4\n...\n.4.\n4..\n"},
		/* or octaves, with all that they hold in one */
		{{{0, 1100, 30}, {0, 1600, 30}, {1, 2100, 30}, {2, 5000, 30}}, 3, 3, "..4\n.4.\n4..\n"},
		{{{0, 1, 30}, {1, 130, 30}}, 2, 2, ".4\n4.\n"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct second_stats stats;
		struct heat heat;

		FEED(&stats, cases[i].samples);
		heat_make(&heat, &stats, 0, FIGURE_FIRST, last(cases[i].columns), cases[i].rows, CALM_NS);
		CHECK(strcmp(picture(&heat), cases[i].picture) == 0, "case %zu:\n%s", i, picture(&heat));
		second_stats_finish(&stats);
	}
}

static void a_range_too_wide_leaves_outliers_to_the_outermost_rows(void)
{
	static const struct sample samples[] = {{0, 200, 1}, {0, 3100, 9000}, {0, 6200, 9000},
		{0, 12400, 9000}, {1, 3100, 9000}, {1, 2000000000, 1}};

	for (unsigned rows = 1; rows <= 9; rows++) {
		struct second_stats stats;
		struct heat heat;

		FEED(&stats, samples);
		heat_make(&heat, &stats, 0, FIGURE_FIRST, last(2), rows, CALM_NS);
		CHECK(heat.rows == rows, "%u of %u", heat.rows, rows);
		CHECK(heat.cells[0][1].step && heat.cells[rows - 1][0].step, "%u:\n%s", rows, picture(&heat));
		for (unsigned y = 1; y < rows; y++)
			CHECK(heat.lower_ns[y] < heat.lower_ns[y - 1]);
		if (rows >= 5) /* the bulk keeps an octave a row */
			CHECK(heat.lower_ns[rows - 3] == 2 * heat.lower_ns[rows - 2] &&
					heat.cells[rows - 2][1].shade == HEAT_SHADES &&
					heat.cells[rows - 3][0].shade == HEAT_SHADES,
				"%u:\n%s", rows, picture(&heat));
		second_stats_finish(&stats);
	}
}

static void every_row_can_be_reached(void)
{
	for (unsigned t = 0; t < SECOND_BANDS; t++) {
		for (unsigned u = t; u < SECOND_BANDS; u++) {
			const struct sample samples[] = {{0, second_stats_lower_ns(t) + 1, 1},
				{1, second_stats_lower_ns(u) + 1, 3000}};
			unsigned rows = 1 + (t * 7 + u) % (HEAT_ROWS_MAX + 2), n = 0;
			struct second_stats stats;
			struct heat heat;

			FEED(&stats, samples);
			heat_make(&heat, &stats, 0, FIGURE_FIRST, last(2), rows, CALM_NS);
			CHECK(heat.rows >= 1 && heat.rows <= rows && heat.rows <= HEAT_ROWS_MAX);
			for (unsigned y = 0; y < heat.rows; y++)
				n += (heat.cells[y][0].step > 0) + (heat.cells[y][1].step > 0);
			CHECK(n == 2, "%u and %u in %u rows:\n%s", t, u, rows, picture(&heat));
			second_stats_finish(&stats);
		}
	}
}

/* 5 ms in one of a million laps has the last color, and the shade of one. */
static void the_color_is_the_latency_and_the_shade_the_count(void)
{
	static const struct sample samples[] = {
		{0, 3000, 1000000}, {0, 20000, 1}, {0, 5000000, 1}, {1, 3000, 900000}, {1, 40000, 20000}};
	static const unsigned steps[2][3] = {{7, 2, 1}, {3, 1, 0}}, shades[2][3] = {{1, 1, 4}, {3, 4, 0}};
	struct second_stats stats;
	struct heat heat;

	FEED(&stats, samples);
	heat_make(&heat, &stats, 0, FIGURE_FIRST, last(2), HEAT_ROWS_MAX, CALM_NS);
	for (unsigned x = 0; x < 2; x++) {
		unsigned n = 0;

		for (unsigned y = 0; y < heat.rows; y++) {
			const struct heat_cell *cell = &heat.cells[y][x];

			if (!cell->step)
				continue;
			CHECK(n < 3 && cell->step == steps[x][n] && cell->shade == shades[x][n],
				"second %u: %u, %u\n%s", x, cell->step, cell->shade, picture(&heat));
			n++;
		}
	}
	second_stats_finish(&stats);
}

static void without_samples_there_are_no_rows(void)
{
	static const struct sample samples[] = {{0, 1100, 5}};
	struct second_stats stats;
	struct heat heat;

	FEED(&stats, samples);
	heat_make(&heat, &stats, 0, FIGURE_LATENESS, last(10), 5, CALM_NS);
	CHECK(heat.rows == 0);
	heat_make(&heat, &stats, 1, FIGURE_FIRST, last(10), 5, CALM_NS);
	CHECK(heat.rows == 0);
	heat_make(&heat, &stats, 0, FIGURE_FIRST, last(10), 0, CALM_NS);
	CHECK(heat.rows == 0);
	second_stats_finish(&stats);
}

/* A session whose seconds and phases are made here, drawn by one function. */
static void draw_pane(void (*what)(const struct scene *, struct area, size_t, enum figure), unsigned columns,
	unsigned lines)
{
	const struct scene scene = {
		.session = seen.session, .view = &seen.frame.view, .canvas = &seen.canvas};
	FILE *out = fmemopen(seen.text, sizeof(seen.text), "w");

	if (!out || canvas_reset(&seen.canvas, columns, lines) < 0)
		abort();
	what(&scene, canvas_area(&seen.canvas), 0, FIGURE_FIRST);
	canvas_print(&seen.canvas, out);
	fclose(out);
}

/* The first line is the title's. */
static void draw_map(const struct scene *scene, struct area area, size_t row, enum figure figure)
{
	heat_draw(scene, area, row, figure, " map ");
}

/* Of the first ring. */
static void draw_trend(const struct scene *scene, struct area area, size_t row, enum figure figure)
{
	struct row of = row_of(scene->session, scene->view, &(struct order_row){.index = row});

	trend_draw(scene, area, &of);
}

static void draw_trend_of_second(const struct scene *scene, struct area area, size_t row, enum figure figure)
{
	draw_trend(scene, area, 1, figure);
}

static void set_phases(const unsigned *seconds, size_t n)
{
	static struct phase phases[PHASES_MAX];

	for (size_t i = 0; i < n; i++)
		phases[i] = (struct phase){.number = (uint32_t)i + 1, .start_ns = START + seconds[i] * S};
	seen.session->phases.list = phases;
	seen.session->phases.n = n;
}

static void phases_are_marked_below_the_second_in_which_they_began(void)
{
	static const struct {
		unsigned seconds[12];
		size_t n;
		const char *marks;
	} cases[] = {
		{{0}, 1, "^1--------"},
		{{0, 4, 7}, 3, "^1--^2-^3-"},
		{{0, 9}, 2, "^1------2^"},
		{{0, 10}, 2, "^1------2^"}, /* it begins with the tick to come */
		{{0, 1, 2, 3}, 4, "^^^^4-----"},
		{{5, 8, 9}, 3, "-----^1-^^"},
		{{0, 0, 0, 0, 0, 0, 0, 0, 0, 9}, 10, "^9-----10^"},
	};

	seen_init(1);
	feed_figure(&seen.session->seconds, &(struct sample){0, 1100, 1}, FIGURE_FIRST);
	feed_figure(&seen.session->seconds, &(struct sample){9, 1100, 1}, FIGURE_FIRST);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		set_phases(cases[i].seconds, cases[i].n);
		draw_pane(draw_map, 10 + heat_margin(10), 4 + 1);
		const char *line = strchr(seen.text, '+');

		CHECK(line && strncmp(line + 1, cases[i].marks, 10) == 0, "case %zu: %s", i, seen.text);
	}
	/* What is older than the map is on none. */
	set_phases(cases[1].seconds, 3);
	draw_pane(draw_map, 5 + heat_margin(5), 4 + 1);
	CHECK(strstr(seen.text, "+--^3-") && !strstr(seen.text, "^2"), "%s", seen.text);
	seen.session->phases = (struct phases){0};
	seen_finish();
}

static void a_ring_in_turns_has_a_column_for_each_second_in_which_it_ran(void)
{
	static const unsigned ran[] = {1, 4, 7, 10};
	static const struct {
		unsigned phases[3];
		size_t n;
		unsigned columns;
		const char *map, *marks;
	} cases[] = {
		{{0, 5, 11}, 3, 6, "|  ####\n", "+--^1^2\n"},
		{{0, 4, 8}, 3, 6, "|  ####\n", "+--^^2^\n"},
		{{0, 2, 9}, 3, 2, "|##\n", "+3^\n"},
	};

	seen_init(2);
	seen.session->n_turns = 3;
	for (size_t i = 0; i < sizeof(ran) / sizeof(*ran); i++)
		feed_figure(&seen.session->seconds, &(struct sample){ran[i], 1100, 900}, FIGURE_FIRST);
	second_stats_tick(&seen.session->seconds, START + 11 * S, START + 12 * S, false);
	seen.canvas.ascii = true;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		set_phases(cases[i].phases, cases[i].n);
		draw_pane(draw_map, cases[i].columns + heat_margin(10), 4);
		CHECK(shows(cases[i].map) && shows(cases[i].marks), "case %zu: %s", i, seen.text);
	}
	draw_pane(second_strips_draw, 4 + heat_margin(10), N_STRIPS);
	CHECK(!strchr(strchr(line_with("max"), '|'), ' '), "%s", seen.text);
	seen.session->n_turns = 1;
	draw_pane(draw_map, 12 + heat_margin(12), 4);
	CHECK(shows("| #  #  #  # \n") || shows("| #  #  #  #\n"), "all seconds without turns: %s",
		seen.text);
	seen.session->phases = (struct phases){0};
	seen_finish();
}

static void a_map_is_drawn_from_10_columns_and_4_lines_on(void)
{
	static const struct {
		unsigned columns, lines;
		bool ascii;
		const char *texts[5];
	} cases[] = {
		{10, 4, true, {"     >2| #", "1.5-2|\n", "   <1.5|#", "       +--"}},
		{10, 4, false, {"   <1.5|\u2588", "     >2| \u2588", "       +\u2500\u2500"}},
		{60, 6, true, {"\n           >2|", "        1.5-2|", "         <1.5|  "}},
		{300, 6, false, {"         <1.5|"}},
	};

	seen_init(1);
	feed_figure(&seen.session->seconds, &(struct sample){0, 1100, 900}, FIGURE_FIRST);
	feed_figure(&seen.session->seconds, &(struct sample){1, 2100, 900}, FIGURE_FIRST);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		seen.canvas.ascii = cases[i].ascii;
		draw_pane(draw_map, cases[i].columns, cases[i].lines + 1);
		for (size_t t = 0; t < 5 && cases[i].texts[t]; t++)
			CHECK(shows(cases[i].texts[t]), "case %zu: '%s' in\n%s", i, cases[i].texts[t],
				seen.text);
	}
	for (unsigned columns = 1; columns <= 300; columns += columns < 20 ? 1 : 35)
		for (unsigned lines = 1; lines <= 60; lines += lines < 6 ? 1 : 9) {
			draw_pane(draw_map, columns, lines + 1);
			draw_pane(second_strips_draw, columns, lines);
		}
	second_stats_finish(&seen.session->seconds);
	seen.canvas.ascii = true;
	draw_pane(draw_map, 40, 5 + 1);
	CHECK(shows("no samples in these seconds") && shows("+--"), "%s", seen.text);
	seen_finish();
}

static const char *levels_text(const struct strip_levels *levels)
{
	static char text[STRIP_COLUMNS_MAX + 1];

	for (unsigned x = 0; x < levels->columns; x++)
		text[x] = levels->level[x] ? (char)('0' + levels->level[x]) : '.';
	text[levels->columns] = '\0';
	return text;
}

static void strips_are_logarithmic_for_times_and_from_0_for_the_rate(void)
{
	static const struct {
		enum strip strip;
		struct sample samples[5];
		const char *levels;
		uint64_t lowest_ns, highest_ns;
	} cases[] = {
		{STRIP_MAX, {{0, 1024, 5}, {1, 2048, 5}, {2, 4096, 5}, {3, 0, 0}, {4, 131072, 5}}, "123.8",
			1024, 131072},
		{STRIP_P99, {{0, 1024, 5}, {1, 1024, 5}, {2, 2048, 5}}, "..118", 1024, 2048},
		/* an octave at least */
		{STRIP_MAX, {{0, 1024, 5}, {1, 1500, 5}}, "...14", 1024, 2048},
		{STRIP_RATE, {{0, 900, 1}, {1, 900, 500}, {2, 900, 1000}, {3, 900, 7}}, ".148.", 0, 1000},
		{STRIP_LATE, {{0, 1024, 5}}, ".....", 0, 0},
		{STRIP_MAX, {{0, UINT64_C(1) << 40, 5}}, "....8", UINT64_C(34300000000),
			UINT64_C(68600000000)},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct strip_levels levels;
		struct second_stats stats;
		double low, high;

		FEED(&stats, cases[i].samples);
		second_strips_levels(&levels, &stats, 0, FIGURE_FIRST, cases[i].strip, last(5));
		low = (double)levels.lowest - (double)cases[i].lowest_ns;
		high = (double)levels.highest - (double)cases[i].highest_ns;
		CHECK(strcmp(levels_text(&levels), cases[i].levels) == 0, "case %zu: %s", i,
			levels_text(&levels));
		CHECK(low * low <= 0.0009 * (double)cases[i].lowest_ns * (double)cases[i].lowest_ns &&
				high * high <=
					0.0009 * (double)cases[i].highest_ns * (double)cases[i].highest_ns,
			"case %zu: %llu to %llu", i, (unsigned long long)levels.lowest,
			(unsigned long long)levels.highest);
		second_stats_finish(&stats);
	}
}

static void strips_say_what_a_full_bar_is(void)
{
	seen_init(1);
	for (unsigned s = 0; s < 3; s++) {
		feed_figure(&seen.session->seconds, &(struct sample){s, UINT64_C(1000) << 3 * s, 1000},
			FIGURE_FIRST);
		feed_figure(&seen.session->seconds, &(struct sample){s, 20000, 1000}, FIGURE_LATENESS);
	}
	draw_pane(second_strips_draw, 80, N_STRIPS);
	CHECK(strstr(line_with("p99"), "p99      1-64|") && strstr(line_with("max"), "max      1-64|"), "%s",
		seen.text);
	CHECK(strstr(line_with("late"), "late    20-40|") && strstr(line_with("n/s"), "n/s    0-1000|"), "%s",
		seen.text);
	draw_pane(second_strips_draw, 20, N_STRIPS);
	CHECK(strstr(line_with("p99"), "p99  64|"), "%s", seen.text);
	seen_finish();
}

/* Three seconds with samples, four without a tick, the second of the late tick, and one more. */
static void seconds_in_which_ipctop_was_late_are_hatched(void)
{
	seen_init(1);
	struct second_stats *stats = &seen.session->seconds;

	for (unsigned s = 0; s < 3; s++)
		feed_figure(stats, &(struct sample){s, 1100, 900}, FIGURE_FIRST);
	second_stats_tick(stats, START + 3 * S, START + 8 * S, true);
	for (unsigned s = 7; s < 9; s++)
		feed_figure(stats, &(struct sample){s, 1100, 900}, FIGURE_FIRST);
	seen.canvas.ascii = true;
	draw_pane(draw_map, 9 + heat_margin(9), 4);
	CHECK(shows("|###////##\n"), "%s", seen.text);
	draw_pane(second_strips_draw, 9 + heat_margin(9), N_STRIPS);
	CHECK(strstr(line_with("max"), "////") && strstr(line_with("n/s"), "////"), "%s", seen.text);
	CHECK(strcmp(heat_gap_words(seen.session, 0, 2 + heat_margin(9)), "") == 0);
	CHECK(*heat_gap_words(seen.session, 0, 3 + heat_margin(9)));
	look(120, 40);
	CHECK(shows("/ ipctop was late "), "%s", seen.text);
	feed_figure(stats, &(struct sample){8, 1100, 900}, FIGURE_RESPONSE);
	draw_pane(draw_trend, 12, 1);
	CHECK(strcmp(seen.text, "      //// _\n") == 0, "'%s'", seen.text);
	seen_finish();
}

/* One that was added in the sixth second, and the sum of it and one that was there from the start. */
static void a_row_has_no_gap_before_it_began(void)
{
	static const size_t added = 1, both[] = {0, 1};
	struct second_stats stats = {0};
	char gaps[3][10] = {"", "", ""};

	second_stats_tick(&stats, START, START + S, false);
	if (second_stats_begin(&stats, 1, START + 5 * S + S / 2) < 0)
		abort();
	second_stats_tick(&stats, START + S, START + 9 * S, true);
	if (second_stats_add(&stats, GROUP_ROW, both, 2) < 0 ||
		second_stats_add(&stats, GROUP_ROW + 1, &added, 1) < 0)
		abort();
	for (unsigned s = 0; s < 9; s++) {
		gaps[0][s] = second_stats_is_gap(&stats, 1, 8 - s) ? '/' : '.';
		gaps[1][s] = second_stats_is_gap(&stats, GROUP_ROW, 8 - s) ? '/' : '.';
		gaps[2][s] = second_stats_is_gap(&stats, GROUP_ROW + 1, 8 - s) ? '/' : '.';
	}
	CHECK(strcmp(gaps[0], ".....///.") == 0, "'%s'", gaps[0]);
	CHECK(strcmp(gaps[1], ".///////.") == 0, "'%s'", gaps[1]);
	CHECK(strcmp(gaps[2], ".....///.") == 0, "'%s'", gaps[2]);
	second_stats_finish(&stats);
}

/* Added in the sixth second. */
static void a_trend_is_blank_before_its_ring_was_added(void)
{
	seen_init(1);
	struct second_stats *stats = &seen.session->seconds;
	struct session_ring ring = seen.session->rings[0];

	feed_figure(stats, &(struct sample){0, 1100, 900}, FIGURE_RESPONSE);
	ring.id = 1;
	ring.added_ns = START + 5 * S + S / 2;
	CHECK(session_add_ring(seen.session, &ring) == 0);
	second_stats_tick(stats, START + S, START + 9 * S, true);
	seen.canvas.ascii = true;
	draw_pane(draw_trend, 12, 1);
	CHECK(strcmp(seen.text, "   _///////\n") == 0, "'%s'", seen.text);
	draw_pane(draw_trend_of_second, 12, 1);
	CHECK(strcmp(seen.text, "        ///\n") == 0, "'%s'", seen.text);
	seen_finish();
}

int main(void)
{
	setlocale(LC_CTYPE, "C.UTF-8");
	TEST(each_second_is_a_column_and_the_newest_is_the_last);
	TEST(a_range_too_wide_leaves_outliers_to_the_outermost_rows);
	TEST(every_row_can_be_reached);
	TEST(the_color_is_the_latency_and_the_shade_the_count);
	TEST(without_samples_there_are_no_rows);
	TEST(phases_are_marked_below_the_second_in_which_they_began);
	TEST(a_ring_in_turns_has_a_column_for_each_second_in_which_it_ran);
	TEST(a_map_is_drawn_from_10_columns_and_4_lines_on);
	TEST(strips_are_logarithmic_for_times_and_from_0_for_the_rate);
	TEST(strips_say_what_a_full_bar_is);
	TEST(seconds_in_which_ipctop_was_late_are_hatched);
	TEST(a_row_has_no_gap_before_it_began);
	TEST(a_trend_is_blank_before_its_ring_was_added);
	return tap_done();
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_ui_compare.c - the table of two phases: its columns, changes and styles. */
#include <locale.h>
#include <math.h>

#include "src/model/comparison_lines.h"
#include "tests/unit/session_fixture.h"
#include "tests/unit/tap.h"
#include "ui/frame/frame.h"
#include "ui/frame/keys.h"

enum { ROWS = 2 };

static const struct comparison_file file;

static struct fixture *f;
static struct frame frame;
static struct canvas canvas;
static struct comparison_line rows[ROWS];
static struct comparison_lines lines;
static char text[40000];

static const char *draw_screen(unsigned columns, unsigned height)
{
	for (unsigned i = 0; i < 2; i++) { /* the choice is known once it was drawn */
		FILE *out = fmemopen(text, sizeof(text), "w");

		if (!out || frame_make(&f->session, &frame, &canvas, columns, height) < 0)
			abort();
		canvas_print(&canvas, out);
		fclose(out);
		CHECK(compared_choice(&frame.view, &lines.choice) == !f->session.is_sweep);
	}
	return text;
}

/* Two rows with 1,000 and 2,000 samples, p50 1 us, p99 2 us, Max 70 us, Resp99 8.5 us, and 14 % missed in B.
 */
static void open_screen(void)
{
	f = fixture_create(ROWS, 1000000);
	fixture_feed(f);
	lines = (struct comparison_lines){
		.is_complete = true, .lines = rows, .n_lines = ROWS, .n_rings = ROWS};
	for (size_t i = 0; i < ROWS; i++) {
		struct comparison_side side = {.n = 1000,
			.n_timed = 1000,
			.n_least = 1000,
			.active_ns = 10000000000,
			.percentile_ns = {{1000, 2000, 4000}, {1000, 8510, 10000}},
			.max_ns = 70000,
			.late99_ns = 7000,
			.slots = 1000};

		rows[i] = (struct comparison_line){.is_ready = true,
			.is_compared = true,
			.row = i,
			.a = side,
			.b = side,
			.over_ns = 10000000000,
			.verdict = SHIFT_WORSE};
		rows[i].b.n = 2000;
		rows[i].b.percentile_ns[JUDGED_RESPONSE][SHIFT_P99] = 9250;
		rows[i].b.missed = 140;
		for (size_t mark = 0; mark < N_MARKS; mark++)
			rows[i].marks[mark] = (struct mark){SHIFT_SAME, 0.5};
	}
	if (frame_init(&frame, FIGURE_FIRST, 1000000000) < 0 || canvas_init(&canvas, 1, 1, true) < 0)
		abort();
	frame.view.compared.file = &file;
	frame.view.compared.baseline = COMPARISON_FILE;
	frame.view.compared.lines = &lines;
	keys_press(&frame, 'c');
}

static void close_screen(void)
{
	frame.view.compared.lines = NULL;
	frame_finish(&frame);
	canvas_finish(&canvas);
	fixture_destroy(f);
}

/* The style of a word in the row of a pair, or N_STYLES where it is not. */
static enum style style_of(const char *pair, const char *word)
{
	for (unsigned y = 0; y < canvas.lines; y++) {
		const struct cell *line = &canvas.cells[(size_t)y * canvas.columns];
		char row[512] = "";

		for (unsigned x = 0; x < canvas.columns; x++)
			row[x] = line[x].rune < 128 ? (char)line[x].rune : '?';
		const char *found = strstr(row, word);

		if (found && strstr(row, pair) && strstr(row, pair) < found)
			return line[found - row].style;
	}
	return N_STYLES;
}

static void marks_that_do_not_survive_the_correction_are_dim(void)
{
	static const struct {
		enum shift_verdict verdict;
		bool survives;
		enum style style;
	} cases[] = {
		{SHIFT_WORSE, true, STYLE_WORSE},
		{SHIFT_WORSE, false, STYLE_THIN},
		{SHIFT_BETTER, true, STYLE_BETTER},
		{SHIFT_BETTER, false, STYLE_THIN},
	};

	open_screen();
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *verdict = shift_verdict_words[cases[i].verdict].name;

		rows[1].verdict = cases[i].verdict;
		rows[1].marks[MARK_SHOWN + SHIFT_P50] =
			(struct mark){cases[i].verdict, 0.01, cases[i].survives};
		rows[1].shifts[JUDGED_SHOWN][SHIFT_P50].estimate = log(1.37);
		draw_screen(120, 40);
		CHECK(style_of("1>1", "+37%") == cases[i].style, "case %zu: %d in %s", i,
			style_of("1>1", "+37%"), text);
		CHECK(style_of("1>1", verdict) == cases[i].style, "case %zu: %d in %s", i,
			style_of("1>1", verdict), text);
	}
	close_screen();
}

/* Which columns there are, by the length of the labels. */
static void missed_has_its_place_always_and_stalls_from_100_columns_on(void)
{
	static const struct {
		const char *label;
		unsigned columns;
		const char *titles;
	} cases[] = {
		{"1>1", 60, "missed% p99"},
		{"1>1", 80, "missed% p50 p99 Max"},
		{"1>1", 99, "missed% p50 p99 p99.9 Max"},
		{"1>1", 100, "missed% p50 p99 Max Resp99 Late99"},
		{"1>1", 119, "missed% p50 p99 p99.9 Max Resp99 Late99"},
		{"1>1", 120, "missed% p50 p99 p99.9 Max Resp99 Late99"},
		{"1>1", 140, "missed% p50 p99 p99.9 Max Resp99 Late99 n"},
		{"100>101", 100, "missed% p50 p99 Max Resp99 Late99"},
		{"10>11>12>13>14>15>16", 80, "missed% p50 p99"},
		{"10>11>12>13>14>15>16", 99, "missed% p50 p99 Max"},
		{"10>11>12>13>14>15>16", 100, "missed% p50 p99 Resp99 Late99"},
		{"10>11>12>13>14>15>16", 120, "missed% p50 p99 Max Resp99 Late99"},
		{"10>11>12>13>14>15>16", 130, "missed% p50 p99 p99.9 Max Resp99 Late99"},
	};
	static const char *const titles[] = {
		"missed%", " p50 ", " p99 ", " p99.9 ", " Max of 10s ", " Resp99 ", " Late99 ", " n "};

	open_screen();
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char shown[128] = "";

		free(f->session.rings[1].label);
		f->session.rings[1].label = strdup(cases[i].label);
		draw_screen(cases[i].columns, 40);
		const char *from = strstr(text, "missed%");
		char line[256];

		snprintf(line, sizeof(line), "%.*s ", from ? (int)strcspn(from, "\n") : 0, from);
		for (size_t t = 0; t < sizeof(titles) / sizeof(*titles); t++) {
			char name[16] = "";

			if (!strstr(line, titles[t]))
				continue;
			sscanf(titles[t], "%15s", name);
			snprintf(shown + strlen(shown), sizeof(shown) - strlen(shown), "%s%s", t ? " " : "",
				name);
		}
		CHECK(strcmp(shown, cases[i].titles) == 0, "%s in %u: %s in %s", cases[i].label,
			cases[i].columns, shown, text);
		CHECK(strstr(text, " 0.0  14 "), "%u: %s", cases[i].columns, text);
		CHECK(!strstr(text, " 8.51 ") == !strstr(shown, "Resp99"), "%u: %s", cases[i].columns, text);
		CHECK(!strstr(text, " 7.00 ") == !strstr(shown, "Late99"), "%u: %s", cases[i].columns, text);
		CHECK(strstr(text, "VERDICT") && strstr(text, "worse"), "%u: %s", cases[i].columns, text);
	}
	for (unsigned width = 60; width <= 200; width++) {
		CHECK(strstr(draw_screen(width, 40), "missed%"), "%u: %s", width, text);
		CHECK(!strstr(text, "Late99") == (width < 100), "%u: %s", width, text);
	}
	close_screen();
}

static void a_change_of_nothing_has_no_sign(void)
{
	static const struct {
		double percent;
		const char *text;
	} cases[] = {{0, " 0%"}, {0.4, " 0%"}, {-0.4, " 0%"}, {0.6, " +1%"}, {-0.6, " -1%"}, {-25, "-25%"}};

	open_screen();
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		rows[1].shifts[JUDGED_SHOWN][SHIFT_P50].estimate = log1p(cases[i].percent / 100);
		draw_screen(120, 40);
		CHECK(style_of("1>1", cases[i].text) < N_STYLES, "%g: %s", cases[i].percent, text);
		CHECK(!strstr(text, "-0%") && !strstr(text, "+0%"), "%s", text);
	}
	close_screen();
}

static void the_time_of_the_maxima_fits_its_column(void)
{
	static const struct {
		uint64_t s;
		const char *title;
	} cases[] = {{9, "   Max of 9.0s "}, {9999, " Max of 9999s "}, {28800, "   Max of 8.0h "},
		{96 * UINT64_C(3600), "  Max of 96.0h "}};

	open_screen();
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		rows[0].over_ns = rows[1].over_ns = cases[i].s * 1000000000;
		CHECK(strstr(draw_screen(120, 40), cases[i].title), "%s", text);
	}
	close_screen();
}

static void a_row_without_anything_to_show_is_left_out(void)
{
	open_screen();
	rows[1].is_compared = false;
	rows[1].is_of_a = true;
	draw_screen(120, 40);
	CHECK(strstr(text, " only in A"), "%s", text);
	rows[1].is_left_out = true;
	draw_screen(120, 40);
	CHECK(strstr(text, " 0>0 ") && !strstr(text, " 1>1 "), "%s", text);
	keys_press(&frame, 'c'); /* other views have it */
	CHECK(frame_make(&f->session, &frame, &canvas, 120, 40) == 0 && frame.view.order.n == ROWS);
	close_screen();
}

static void the_first_difference_is_cut_where_it_has_no_room(void)
{
	char differences[1024] = "differs in 2\nkernel ";

	for (unsigned i = 0; i < 40; i++)
		strcat(differences, "word ");
	strcat(differences, "> other\nload 1.0 > 9.0");
	open_screen();
	lines.differences = differences;
	strcpy(lines.advice, "2 things changed");
	draw_screen(120, 40);
	CHECK(strstr(text, "differs in 2: kernel word word") && !strstr(text, "2 more"), "%s", text);
	lines.differences = NULL;
	close_screen();
}

static void a_phase_that_just_began_was_active_for_a_part_of_a_second(void)
{
	open_screen();
	lines.b.length_ns = 3400000000;
	lines.b.active_ns = 840000000;
	draw_screen(120, 40);
	CHECK(strstr(text, " 3.4s  active 0.8s "), "%s", text);
	lines.b.active_ns = 10800000000;
	draw_screen(120, 40);
	CHECK(strstr(text, " active 10s "), "%s", text);
	close_screen();
}

/* As a frozen moment of many CPUs. */
static void a_sweep_without_cells_says_where_they_are_compared(void)
{
	open_screen();
	f->session.is_sweep = true;
	draw_screen(120, 40);
	CHECK(strstr(text, "a sweep runs no rings: M, then c compares its cells"), "%s", text);
	close_screen();
}

/* Also where the label is too long for its column. */
static void a_ring_that_has_a_namesake_is_named_with_its_id(void)
{
	open_screen();
	f->session.rings[0].has_namesake = f->session.rings[1].has_namesake = true;
	free(f->session.rings[1].label);
	f->session.rings[1].label = strdup("10>11>12>13>14>15>16");
	draw_screen(120, 40);
	CHECK(strstr(text, " 0>0#0 ") && strstr(text, "10>11>12>13>14>1..#1 "), "%s", text);
	CHECK(strstr(text, "#0: ") || strstr(text, "#1: "), "the sentence: %s", text);
	CHECK(strstr(text, "#0, first hop") || strstr(text, "#1, first hop"), "the histograms: %s", text);
	close_screen();
}

int main(void)
{
	setlocale(LC_CTYPE, "C.UTF-8");
	TEST(marks_that_do_not_survive_the_correction_are_dim);
	TEST(missed_has_its_place_always_and_stalls_from_100_columns_on);
	TEST(a_ring_that_has_a_namesake_is_named_with_its_id);
	TEST(a_change_of_nothing_has_no_sign);
	TEST(the_time_of_the_maxima_fits_its_column);
	TEST(a_row_without_anything_to_show_is_left_out);
	TEST(the_first_difference_is_cut_where_it_has_no_room);
	TEST(a_phase_that_just_began_was_active_for_a_part_of_a_second);
	TEST(a_sweep_without_cells_says_where_they_are_compared);
	return tap_done();
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_ui_detail.c - the detail of a pair: where its panes stand, what they say, and the keys. */
#include <locale.h>

#include "src/machine/fact_rows.h"
#include "src/model/comparison_lines.h"
#include "tests/unit/screen_fixture.h"
#include "tests/unit/tap.h"
#include "ui/frame/frame.h"
#include "ui/frame/keys.h"
#include "ui/panes/percentiles.h"
#include "ui/views/detail.h"

static bool inside(struct area area, unsigned columns, unsigned lines)
{
	return area.x + area.width <= columns && area.y + area.height <= lines;
}

static bool overlap(struct area a, struct area b)
{
	return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

static void check_layout(unsigned columns, unsigned lines, unsigned n_members, unsigned reason_lines)
{
	struct detail_layout layout = detail_layout(columns, lines, n_members, reason_lines, false);
	unsigned cells = 0, end = lines - 1; /* the footer has the last one */

	for (size_t i = 0; i < N_DETAIL_PANES; i++) {
		struct area area = layout.panes[i];

		CHECK(inside(area, columns, end), "%ux%u: pane %zu", columns, lines, i);
		CHECK((area.width == 0) == (area.height == 0), "%ux%u: pane %zu", columns, lines, i);
		cells += area.width * area.height;
		for (size_t k = 0; k < i; k++)
			CHECK(!overlap(area, layout.panes[k]), "%ux%u: panes %zu and %zu", columns, lines, k,
				i);
	}
	CHECK(cells <= columns * lines);
	CHECK(layout.panes[DETAIL_PERCENTILES].height >= PERCENTILES_LINES_MIN &&
		layout.panes[DETAIL_PERCENTILES].width >= PERCENTILES_WIDTH);
	CHECK(layout.panes[DETAIL_PAIR].y == detail_header_lines(lines), "below the header");
}

static void panes_neither_overlap_nor_leave_the_screen(void)
{
	static const unsigned members[] = {0, 2, 3, 1024};

	for (unsigned columns = 40; columns <= 300; columns += columns < 130 ? 1 : 17)
		for (unsigned lines = 10; lines <= 100; lines++)
			for (size_t i = 0; i < 4; i++)
				check_layout(columns, lines, members[i], (unsigned)i % 4);
}

static void what_has_a_place_depends_on_the_size(void)
{
	static const struct {
		unsigned columns, lines;
		bool members, histogram, heat, strips;
	} cases[] = {
		{40, 10, false, false, false, false},
		{80, 10, false, true, false, false},
		{80, 16, true, true, false, false},
		{80, 24, true, true, true, false},
		{60, 24, true, false, true, false},
		{60, 40, true, true, true, true},
		{120, 40, true, true, true, true},
		{200, 60, true, true, true, true},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct detail_layout layout = detail_layout(cases[i].columns, cases[i].lines, 2, 0, false);

		CHECK(layout.panes[DETAIL_MEMBERS].height == (cases[i].members ? 2 : 0), "case %zu", i);
		CHECK((layout.panes[DETAIL_HISTOGRAM].height > 0) == cases[i].histogram, "case %zu", i);
		CHECK((layout.panes[DETAIL_HEAT].height > 0) == cases[i].heat, "case %zu", i);
		CHECK((layout.panes[DETAIL_STRIPS].height > 0) == cases[i].strips, "case %zu", i);
	}
}

static void enter_shows_the_pair_and_enter_or_esc_go_back(void)
{
	static const uint32_t back[] = {KEY_CODE_ENTER, KEY_CODE_ESCAPE, '\n'};

	seen_init(4);
	look(80, 24);
	keys_press(&seen.frame, 'j');
	for (size_t i = 0; i < 3; i++) {
		CHECK(keys_press(&seen.frame, KEY_CODE_ENTER).wish != SCREEN_NONE);
		look(80, 24);
		CHECK(shows("-- 1>2 ") && shows("p99.99") && !shows("PAIR") && shows("Enter Back"), "%s",
			seen.text);
		CHECK(keys_press(&seen.frame, back[i]).wish != SCREEN_NONE);
		look(80, 24);
		CHECK(line_with(" 1>2 ")[0] == '>' && shows("PAIR") && shows("Enter Detail"), "%s",
			seen.text);
	}
	seen_finish();
}

static void keys_mean_in_the_detail_what_they_mean_elsewhere(void)
{
	static const struct {
		uint32_t key;
		const char *text;
	} cases[] = {
		{'j', "-- 1>2 "},
		{KEY_CODE_ARROW_DOWN, "-- 2>3 "},
		{'k', "-- 1>2 "},
		{'G', "-- 3>0 "},
		{'g', "-- 0>1 "},
		{'o', "answer [us]"},
		{'u', "answer [ms]"},
		{'w', "window all"},
		{'+', "LIVE 0.5s"},
		{'h', " help"},
		{KEY_CODE_ESCAPE, "-- 0>1 "}, /* closes the help alone */
		{'m', "name of the new phase"},
		{KEY_CODE_ESCAPE, "-- 0>1 "},
		{'m', "name of the new phase"},
		{KEY_CODE_ENTER, "-- 0>1 "},
	};

	seen_init(4);
	view_open(&seen.frame, views_table[VIEW_DETAIL]);
	look(80, 24);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		CHECK(keys_press(&seen.frame, cases[i].key).wish != SCREEN_NONE);
		look(80, 24);
		CHECK(shows(cases[i].text), "key %zu: no '%s' in\n%s", i, cases[i].text, seen.text);
		CHECK(seen.frame.open[0] == views_table[VIEW_DETAIL]);
	}
	CHECK(keys_press(&seen.frame, ' ').command.kind == COMMAND_FREEZE);
	CHECK(keys_press(&seen.frame, 'q').command.kind == COMMAND_QUIT);
	seen_finish();
}

static void the_wheel_goes_to_the_next_pair_and_a_click_to_none(void)
{
	seen_init(4);
	view_open(&seen.frame, views_table[VIEW_DETAIL]);
	look(80, 24);
	frame_press(&seen.frame, KEY_CODE_WHEEL_DOWN, 5, 5);
	look(80, 24);
	CHECK(shows("-- 1>2 "), "%s", seen.text);
	for (unsigned y = 0; y < 23; y++) /* above the key bar */
		frame_press(&seen.frame, KEY_CODE_CLICK, 5, y);
	look(80, 24);
	CHECK(shows("-- 1>2 ") && seen.frame.view.sort == COLUMN_PAIR && !seen.frame.view.inverted, "%s",
		seen.text);
	frame_press(&seen.frame, KEY_CODE_WHEEL_UP, 5, 5);
	look(80, 24);
	CHECK(shows("-- 0>1 "), "%s", seen.text);
	seen_finish();
}

static void percentiles_stand_for_the_window_the_phase_and_all(void)
{
	static const struct {
		enum window window;
		const char *head;
	} cases[] = {
		{WINDOW_ALL, "phase 0      all"},
		{WINDOW_PHASE, "phase 0      all"},
		{WINDOW_10S, " 10s  phase 0      all"},
	};
	static const char *const lines[] = {
		"   min ",
		"   p50 ",
		"   p90 ",
		"   p99 ",
		" p99.9 ",
		"p99.99 ",
		"   max ",
		"  mean ",
		"stddev ",
		"     n ",
		"late99 ",
		"missed ",
	};

	seen_init(1);
	view_open(&seen.frame, views_table[VIEW_DETAIL]);
	seen.session->rings[0].missed = 777;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		seen.frame.view.window = cases[i].window;
		look(120, 40);
		CHECK(shows(cases[i].head), "case %zu: %s", i, seen.text);
		for (size_t k = 0; k < sizeof(lines) / sizeof(*lines); k++)
			CHECK(shows(lines[k]), "%s", lines[k]);
		CHECK(strstr(line_with("   max "), "96.20") && strstr(line_with("p99.99 "), "~") &&
				!strstr(line_with("   p50 "), "~") && strstr(line_with("     n "), "15202"),
			"%s", seen.text);
	}
	look(40, 10);
	CHECK(shows("max") && shows("p99") && shows("  n ") && !shows("stddev") && !shows("p90"), "%s",
		seen.text);
	seen_finish();
}

static void a_pair_says_what_it_is_and_how_it_is(void)
{
	seen_init(2);
	view_open(&seen.frame, views_table[VIEW_DETAIL]);
	fake_replace(&seen.session->rings[0].title, "POSIX message queue");
	seen.session->rings[0].token_bytes = 4096;
	look(80, 24);
	CHECK(shows("-- 0>1 own, ring 0   running   every 1ms, size 4k   POSIX message queue -"), "%s",
		seen.text);
	seen.session->rings[0].condition = CONDITION_STARVED;
	seen.session->rings[0].age_ns = 1290000000;
	seen.session->rings[0].interval_ns = 0;
	look(80, 24);
	CHECK(shows("starved >=1.2s   flood") && shows(" lap, us"), "%s", seen.text);
	seen.session->rings[0].state = RING_FAILED;
	fake_replace(&seen.session->rings[0].reason,
		"mq_open: no room, raise the limit that is set in "
		"/proc/sys/fs/mqueue/queues_max, or measure fewer pairs");
	look(80, 24);
	CHECK(shows("failed") && shows("\n mq_open: no room") &&
			shows("\n /proc/sys/fs/mqueue/queues_max, or measure fewer pairs\n"),
		"%s", seen.text);
	seen_finish();
	seen_init(0);
	view_open(&seen.frame, views_table[VIEW_DETAIL]);
	look(80, 24);
	CHECK(shows("no row is selected"), "%s", seen.text);
	seen_finish();
}

static void a_mechanism_is_shown_as_the_sum_of_its_pairs(void)
{
	seen_init(4);
	fake_replace(&seen.session->rings[1].mechanism, "svsem");
	fake_replace(&seen.session->rings[3].mechanism, "svsem");
	look(80, 24);
	keys_press(&seen.frame, 'g');
	keys_press(&seen.frame, KEY_CODE_ENTER);
	look(80, 24);
	CHECK(shows("-- mq, both pairs --") && shows("p99.99") && !shows("chrt"), "%s", seen.text);
	keys_press(&seen.frame, 'j');
	look(80, 24);
	CHECK(shows("-- 0>1 ") && shows("chrt"), "%s", seen.text);
	seen_finish();
}

/* The screen shows the phase beside the file, whose only row is the first ring's. */
static void look_at_baseline(const struct comparison_side *a)
{
	static const struct comparison_file file;
	struct comparison_line line = {.is_ready = true,
		.a = *a,
		.b = {.n = 20000, .percentile_ns = {{1200, 2000, 90000}}},
		.shifts = {{{.estimate = 0.0953}}},
		.marks = {{SHIFT_WORSE, 0.001, true}, {SHIFT_SAME, 1}, {SHIFT_TOO_FEW, 1}}};
	struct comparison_lines lines = {.lines = &line, .n_lines = 1, .n_rings = 1};

	seen.frame.view.compared.file = &file;
	seen.frame.view.compared.baseline = COMPARISON_FILE;
	seen.frame.view.compared.lines = &lines;
	look(80, 24);
	CHECK(compared_choice(&seen.frame.view, &lines.choice));
	look(80, 40);
	seen.frame.view.compared.lines = NULL;
}

static void a_file_as_baseline_is_beside_the_phase(void)
{
	static const struct {
		const char *name, *text;
	} cases[] = {{" p50  ", "1.10 "}, {" p50  ", "+10% w"}, {" p90  ", " - "}, {" p99  ", " 0% ="},
		{" p99.9  ", "- ~"}, {" p99.9  ", "~88.89 "}, {" max  ", "99.10 "}, {" n  ", " 5000 "},
		{" late99  ", "3.33 "}, {" missed  ", " - "}};

	seen_init(1);
	view_open(&seen.frame, views_table[VIEW_DETAIL]);
	look_at_baseline(&(struct comparison_side){
		.n = 5000, .percentile_ns = {{1100, 2000, 88890}}, .max_ns = 99100, .late99_ns = 3330});
	CHECK(shows("A base") && shows("B 0 ") && shows("change"), "%s", seen.text);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		CHECK(strstr(line_with(cases[i].name), cases[i].text), "%s: %s", cases[i].text,
			line_with(cases[i].name));
	look_at_baseline(&(struct comparison_side){0});
	CHECK(strstr(line_with(" p50  "), " - "), "a row that the file has not: %s", line_with(" p50  "));
	look(80, 40);
	CHECK(shows("A base") && strstr(line_with(" p50  "), " - "), "not compared yet: %s", seen.text);
	seen_finish();
}

static void it_is_drawn_at_any_size(void)
{
	static const unsigned widths[] = {1, 39, 40, 59, 60, 71, 72, 80, 120, 200, 300};
	static const unsigned heights[] = {1, 9, 10, 13, 14, 17, 21, 24, 30, 40, 60, 100};

	seen_init(3);
	seen.session->rings[1].reason = strdup("because");
	view_open(&seen.frame, views_table[VIEW_DETAIL]);
	for (size_t i = 0; i < sizeof(widths) / sizeof(*widths); i++) {
		for (size_t k = 0; k < sizeof(heights) / sizeof(*heights); k++) {
			unsigned width = widths[i], height = heights[k];

			seen.canvas.ascii = (i + k) % 2;
			keys_press(&seen.frame, "jowuk"[(i + k) % 5]);
			look(width, height);
			CHECK(width < 40 || height < 10 || (shows("max") && shows("p99") && shows("q Quit")),
				"%ux%u:\n%s", width, height, seen.text);
			CHECK(width < 19 || height < 2 || (width >= 40 && height >= 10) ||
				shows("is too small"));
		}
	}
	seen_finish();
}

static void it_can_be_printed(void)
{
	const struct frame_picture picture = {.columns = 80, .lines = 24, .view = VIEW_DETAIL, .ascii = true};
	struct fixture *f = fixture_screen(8);
	char text[8192] = "";
	FILE *out = fmemopen(text, sizeof(text), "w");

	CHECK(frame_print(&f->session, &picture, out) == 0);
	fclose(out);
	CHECK(strstr(text, "p99.99") && strstr(text, "member 0  200") && !strstr(text, "chrt") &&
			!strstr(text, "PAIR"),
		"%s", text);
	fixture_destroy(f);
}

static void set_skew(const char *rows)
{
	fact_rows_release(seen.session->machine.clock_skew);
	seen.session->machine.clock_skew = fact_rows_parse(rows);
}

static void hops_that_clocks_can_not_tell_apart_are_marked(void)
{
	struct session_ring *ring;

	seen_init(4);
	ring = &seen.session->rings[0];
	ring->cpus[1] = 1;
	ring->members[1].cpu = 1;
	fake_sample(&ring->figures[FIGURE_ANSWER], 1100, 1000, 0);
	view_open(&seen.frame, views_table[VIEW_DETAIL]);
	look(120, 40);
	CHECK(!shows("within skew"), "%s", seen.text);
	set_skew("0:0..0ns 1:-1000000..1000000ns");
	look(120, 40);
	CHECK(shows("hop = answer within skew"), "%s", seen.text);
	set_skew("0:0..0ns 1:-1000000..-900000ns"); /* clock 1 is behind for sure */
	look(120, 40);
	CHECK(!shows("within skew"), "%s", seen.text);
	keys_press(&seen.frame, KEY_CODE_ESCAPE);
	fake_members(ring, 4); /* hops of 4, 3, 2 and 1 us */
	for (unsigned m = 0; m < 4; m++) {
		ring->cpus[m] = m % 2;
		ring->members[m].cpu = (int)m % 2;
	}
	look(120, 40);
	keys_press(&seen.frame, 'f');
	set_skew("0:0..0ns 1:-600..600ns"); /* two hops may differ by 1.2 us */
	look(120, 40);
	CHECK(shows("0: 0>1=") && shows("1: 1>0=") && shows("2: 0>1=") && shows("3: 1>0 "), "%s", seen.text);
	set_skew("0:0..0ns 1:-400..400ns");
	look(120, 40);
	CHECK(shows("0: 0>1 ") && shows("1: 1>0 ") && !shows(">1=") && !shows(">0="), "%s", seen.text);
	seen_finish();
}

int main(void)
{
	setlocale(LC_CTYPE, "C.UTF-8");
	TEST(panes_neither_overlap_nor_leave_the_screen);
	TEST(what_has_a_place_depends_on_the_size);
	TEST(enter_shows_the_pair_and_enter_or_esc_go_back);
	TEST(keys_mean_in_the_detail_what_they_mean_elsewhere);
	TEST(the_wheel_goes_to_the_next_pair_and_a_click_to_none);
	TEST(percentiles_stand_for_the_window_the_phase_and_all);
	TEST(a_pair_says_what_it_is_and_how_it_is);
	TEST(a_mechanism_is_shown_as_the_sum_of_its_pairs);
	TEST(a_file_as_baseline_is_beside_the_phase);
	TEST(it_is_drawn_at_any_size);
	TEST(it_can_be_printed);
	TEST(hops_that_clocks_can_not_tell_apart_are_marked);
	return tap_done();
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_ui_phases.c - phases, windows and the last minute on the screen, and the dialog for a name. */
#include <locale.h>

#include "src/model/comparison_lines.h"
#include "src/model/feed.h"
#include "src/model/session.h"
#include "src/model/session_rows.h"
#include "tests/unit/session_fixture.h"
#include "tests/unit/tap.h"
#include "ui/frame/frame.h"
#include "ui/frame/keys.h"

static struct frame frame;
static struct canvas canvas;
static char text[40000];

static const char *draw_screen(const struct fixture *f, unsigned columns, unsigned lines)
{
	FILE *out = fmemopen(text, sizeof(text), "w");

	if (!out || frame_make(&f->session, &frame, &canvas, columns, lines) < 0)
		abort();
	canvas_print(&canvas, out);
	fclose(out);
	return text;
}

static bool shows(const char *words)
{
	return strstr(text, words) != NULL;
}

static struct command asked;

static void open_screen(bool ascii)
{
	if (frame_init(&frame, FIGURE_FIRST, 1000000000) < 0 || canvas_init(&canvas, 1, 1, ascii) < 0)
		abort();
}

static void close_screen(void)
{
	frame_finish(&frame);
	canvas_finish(&canvas);
}

/* Keys; the last command that they make is in @asked. */
static void press(const char *keys)
{
	struct command command;

	asked = (struct command){COMMAND_NONE};
	for (; *keys; keys++)
		if ((command = keys_press(&frame, (unsigned char)*keys).command).kind)
			asked = command;
}

/* Ticks of 0.5 s, each with 100 samples of its own: 1 us in the first, 2 us in the second, ... */
static void feed_ticks(struct fixture *f, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		fixture_sample(f, 0, FIGURE_FIRST, 1000 * (i + 1), 100);
		fixture_sample(f, 1, FIGURE_FIRST, 500, 100);
		f->rings[0].laps = 100;
		f->rings[0].missed = 1;
		if (fixture_feed(f) < 0)
			abort();
	}
}

static struct fixture *with_ticks(unsigned n)
{
	struct fixture *f = fixture_create(2, 1000000);

	feed_ticks(f, n);
	return f;
}

static void w_shows_the_next_window_and_the_header_names_it(void)
{
	static const struct {
		const char *name, *missed;
		const char *cells[3]; /* of the first row */
	} windows[] = {
		{"window phase", "  missed 10, in all 50  ", {"41.00", "50.00", " 10 "}},
		{"window all", "  missed 50  ", {"1.00", "50.00", " 50 "}},
		{"window 1s", "  missed 2, in all 50  ", {"49.00", "50.00", " 2 "}},
		{"window 10s", "  missed 20, in all 50  ", {"31.00", "50.00", " 20 "}},
		{"window 60s", "  missed 50  ", {"1.00", "50.00", " 50 "}},
		{"window phase", "  missed 10, in all 50  ", {"41.00", "50.00", " 10 "}},
	};
	struct fixture *f = with_ticks(40);

	session_phases_begin(&f->session, NULL, 0);
	for (unsigned i = 40; i < 50; i++) {
		fixture_sample(f, 0, FIGURE_FIRST, 1000 * (i + 1), 100);
		f->rings[0].missed = 1;
		fixture_feed(f);
	}
	open_screen(true);
	for (size_t i = 0; i < sizeof(windows) / sizeof(*windows); i++) {
		draw_screen(f, 120, 30);
		CHECK(shows(windows[i].name) && shows(windows[i].missed), "%s%s in\n%s", windows[i].name,
			windows[i].missed, text);
		const char *row = strstr(text, "\n>   0>0 ");

		row = row ? row + 1 : NULL;
		for (size_t c = 0; row && c < 3; c++) {
			const char *cell = strstr(row, windows[i].cells[c]);

			CHECK(cell && cell < strchr(row, '\n'), "%s: no %s in %.100s", windows[i].name,
				windows[i].cells[c], row);
		}
		CHECK(row != NULL);
		draw_screen(f, 40, 10);
		CHECK(shows(windows[i].name), "%s", text);
		press("w");
	}
	close_screen();
	fixture_destroy(f);
}

static void sorting_follows_the_window(void)
{
	struct fixture *f = fixture_create(2, 1000000);

	fixture_sample(f, 0, FIGURE_FIRST, 90000, 1);
	fixture_sample(f, 1, FIGURE_FIRST, 1000, 1);
	fixture_feed(f);
	for (unsigned i = 0; i < 10; i++) {
		fixture_sample(f, 0, FIGURE_FIRST, 1000, 1);
		fixture_sample(f, 1, FIGURE_FIRST, 5000, 1);
		fixture_feed(f);
	}
	open_screen(true);
	frame.view.sort = COLUMN_MAX;
	frame.view.window = WINDOW_ALL;
	draw_screen(f, 80, 24);
	CHECK(frame.view.order.rows[0].id == 0);
	press("w");
	draw_screen(f, 80, 24);
	CHECK(frame.view.order.rows[0].id == 1);
	fixture_sample(f, 0, FIGURE_FIRST, 7000, 1);
	fixture_feed(f);
	draw_screen(f, 80, 24);
	CHECK(frame.view.order.rows[0].id == 0, "a new tick is seen");
	close_screen();
	fixture_destroy(f);
}

static void the_header_has_the_phase_and_its_worst_pair(void)
{
	struct fixture *f = with_ticks(10);

	open_screen(true);
	draw_screen(f, 80, 24);
	CHECK(shows("PHASE 1 'start' 5s"), "%s", text);
	session_phases_begin(&f->session, NULL, 0);
	draw_screen(f, 80, 24);
	CHECK(shows("PHASE 2 0s") && !shows("worst"), "%s", text);
	session_phases_begin(&f->session, "irq to 0-1", 0);
	fixture_sample(f, 0, FIGURE_FIRST, 97300, 1);
	fixture_sample(f, 1, FIGURE_RESPONSE, 96200, 1);
	fixture_feed(f);
	for (unsigned i = 0; i < 8; i++) {
		fixture_sample(f, 0, FIGURE_RESPONSE, 3000, 1);
		fixture_feed(f);
	}
	draw_screen(f, 80, 24);
	for (unsigned i = 0; i < N_FIGURES_SHOWN; i++) { /* whichever figure is shown */
		CHECK(shows("PHASE 3 'irq to 0-1' 4s  worst response 1>1 96.20 at 22:13:25"), "%s", text);
		keys_press(&frame, 'o');
		draw_screen(f, 80, 24);
	}
	CHECK(shows("mark") && shows("phase 3 'irq to 0-1'"), "%s", text);
	close_screen();
	fixture_destroy(f);
}

static void isolated_and_housekeeping_have_a_worst_each(void)
{
	struct fixture *f = fixture_create(2, 1000000);

	f->session.rings[1].isolated = true;
	session_rows_finish(&f->session);
	second_stats_finish(&f->session.seconds);
	if (session_rows_init(&f->session) < 0)
		abort();
	fixture_sample(f, 0, FIGURE_RESPONSE, 10000, 1);
	fixture_sample(f, 1, FIGURE_RESPONSE, 500, 1);
	feed_ticks(f, 10);
	open_screen(true);
	draw_screen(f, 80, 24);
	CHECK(shows("isol worst 1>1 0.50 22:13:20  hk worst 0>0 10.00 22:13:20"), "%s", text);
	draw_screen(f, 60, 24);
	CHECK(shows("isol worst 1>1 0.50 22:13:20") && !shows("hk worst"), "%s", text);
	frame.view.limit_ns = 5000;
	draw_screen(f, 120, 24);
	CHECK(shows("0.50 at 22:13:20  isol >5us in phase: 0  hk worst 0>0 10.00 22:13:20"), "%s", text);
	close_screen();
	fixture_destroy(f);
}

static void ages_are_short(void)
{
	static const struct {
		uint64_t s;
		const char *text;
	} cases[] = {{0, "0s"}, {59, "59s"}, {60, "1m"}, {3599, "59m"}, {3600, "1h"}, {86399, "23h"},
		{86400, "1d"}, {86400 * 20000, "9999d"}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char ago[32];

		CHECK(strcmp(units_ago(ago, sizeof(ago), cases[i].s * 1000000000 + 999999999),
			      cases[i].text) == 0,
			"%s instead of %s", ago, cases[i].text);
	}
}

static void r_begins_a_phase_at_once(void)
{
	struct fixture *f = with_ticks(1);

	open_screen(true);
	draw_screen(f, 80, 24);
	press("r");
	CHECK(asked.kind == COMMAND_NAMED && !strcmp(asked.row_name, "phase") && !keys_are_text(&frame));
	close_screen();
	fixture_destroy(f);
}

static void m_asks_for_a_name_and_letters_are_text_meanwhile(void)
{
	static const struct {
		const char *keys, *name; /* NULL: no phase */
		bool quit, open;
	} cases[] = {
		{"irq to 0-1\r", "irq to 0-1", false, false},
		{"quick\r", "quick", false, false},
		{"\r", "", false, false},
		{"\033", NULL, false, false},
		{"abc\033", NULL, false, false},
		{"abc", NULL, false, true},
		{"abc\177\bx\n", "ax", false, false},
		{"\177\177\r", "", false, false},
		{"a phase\025b\r", "b", false, false},
		{"\025\r", "", false, false},
		{"a\001\tb\r", "ab", false, false},
		{"x\033q", NULL, true, false},
		{"q\r", "q", false, false},
		{"q\rq", NULL, true, false},
		{"0123456789012345678901234567890123456789012345678901234567890123456789\r",
			"012345678901234567890123456789012345678901234567890123456789012", false, false},
	};
	struct fixture *f = with_ticks(1);

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		open_screen(true);
		draw_screen(f, 80, 24);
		press("m");
		draw_screen(f, 80, 24);
		CHECK(shows("name of the new phase") && shows("Enter begins it, Esc closes"), "%s", text);
		press(cases[i].keys);
		CHECK(asked.kind == (cases[i].quit          ? COMMAND_QUIT
					    : cases[i].name ? COMMAND_MARK
							    : COMMAND_NONE),
			"case %zu", i);
		CHECK(!cases[i].name || strcmp(asked.name, cases[i].name) == 0, "case %zu: %s", i,
			asked.name);
		CHECK(keys_are_text(&frame) == cases[i].open, "case %zu", i);
		draw_screen(f, 80, 24);
		CHECK(shows("name of the new phase") == cases[i].open, "case %zu", i);
		close_screen();
	}
	fixture_destroy(f);
}

static void the_dialog_takes_any_letter_and_erases_it_whole(void)
{
	struct fixture *f = with_ticks(1);

	open_screen(false);
	draw_screen(f, 80, 24);
	press("m");
	for (size_t i = 0; i < 3; i++)
		keys_press(&frame, (uint32_t[]){0xe9, 0x65e5, 0x1f600}[i]);
	draw_screen(f, 80, 24);
	CHECK(shows("é日😀_"), "%s", text);
	keys_press(&frame, KEY_CODE_BACKSPACE);
	keys_press(&frame, KEY_CODE_ARROW_UP);
	keys_press(&frame, UINT32_MAX);
	draw_screen(f, 80, 24);
	CHECK(shows("é日_"), "%s", text);
	CHECK(keys_press(&frame, KEY_CODE_F10).command.kind == COMMAND_QUIT, "F10 is no letter");
	close_screen();
	fixture_destroy(f);
}

static void the_dialog_survives_every_size(void)
{
	static const struct {
		unsigned columns, lines;
		bool typing;
	} sizes[] = {{80, 24, true}, {40, 10, true}, {20, 4, false}, {1, 1, false}, {300, 100, true},
		{41, 11, true}};
	struct fixture *f = with_ticks(3);

	open_screen(true);
	draw_screen(f, 80, 24);
	press("mgovernor to performance, and irqs all to 0-1");
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		draw_screen(f, sizes[i].columns, sizes[i].lines);
		CHECK(keys_are_text(&frame) == sizes[i].typing, "%ux%u", sizes[i].columns, sizes[i].lines);
		CHECK(shows("irqs all to 0-1_") == sizes[i].typing, "%s", text);
		CHECK(shows("name of the new phase") == sizes[i].typing, "%s", text);
	}
	draw_screen(f, 20, 4);
	press("\rrwjfmoh\033");
	CHECK(asked.kind == COMMAND_NONE && frame.n_open == 2 && view_top(&frame)->type,
		"what can't be seen is not changed");
	press("q");
	CHECK(asked.kind == COMMAND_QUIT, "it can only be left");
	draw_screen(f, 80, 24);
	CHECK(shows("governor to performance, and irqs all to 0-1_"), "%s", text);
	close_screen();
	fixture_destroy(f);
}

/* In the narrowest column, of 12. */
static void the_end_of_the_scale_of_trends_is_never_cut(void)
{
	static const struct {
		uint64_t usual_ns;
		const char *scale;
	} cases[] = {{100000, "_.-:=+#>8400\n"}, {200000, "_.-:=+#>17ms\n"}, {2000000, "_.-:=+#130ms\n"}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct fixture *f = fixture_create(2, 1000000);
		unsigned width = 80;

		for (unsigned t = 0; t < 20; t++) {
			fixture_sample(f, 0, FIGURE_FIRST, 1200, 1);
			fixture_sample(f, 0, FIGURE_RESPONSE, cases[i].usual_ns, 1);
			fixture_feed(f);
		}
		open_screen(true);
		do
			draw_screen(f, ++width, 24);
		while (frame.view.columns.width[COLUMN_TREND] != 12 && width < 200);
		CHECK(shows(cases[i].scale), "%u columns: %s", width, text);
		close_screen();
		fixture_destroy(f);
	}
}

/* The first step ends at 4.1 us, as the usual response is 1.5 us. A ring without responses has laps. */
static void each_row_has_the_longest_response_of_each_second(void)
{
	struct fixture *f = fixture_create(2, 1000000);

	for (unsigned i = 0; i < 120; i++) {
		fixture_sample(f, 0, FIGURE_FIRST, 1200, 1);
		fixture_sample(f, 0, FIGURE_LAP, 1400, 1);
		fixture_sample(f, 0, FIGURE_RESPONSE, i == 111 ? 50000 : i == 112 ? 3000000 : 1500, 1);
		if (i < 118)
			fixture_sample(f, 1, FIGURE_LAP, 9000, 1);
		fixture_feed(f);
	}
	for (unsigned ascii = 0; ascii < 2; ascii++) {
		open_screen(ascii);
		draw_screen(f, 80, 24);
		CHECK(shows(ascii ? "_.-:=+#>130" : "▁▂▃▄▅▆█>130"), "%s", text);
		CHECK(shows(ascii ? " _________=#___\n" : " ▁▁▁▁▁▁▁▁▁▅█▁▁▁\n"), "%s", text);
		CHECK(shows(ascii ? " -------------\n" : " ▃▃▃▃▃▃▃▃▃▃▃▃▃\n"), "%s", text);
		const struct cell *row = &canvas.cells[(size_t)canvas.columns * (frame.view.table.y + 1)];

		CHECK(row[0].style == STYLE_SELECTED);
		CHECK(row[79].style == style_of_step(1, ascii) && row[76].style == style_of_step(7, ascii),
			"the trend keeps its colors: %u, %u", row[79].style, row[76].style);
		draw_screen(f, 200, 60);
		CHECK(frame.view.columns.width[COLUMN_TREND] == 40 && shows("trend <4.1"), "%s", text);
		for (unsigned width = 300; width >= 40; width--) {
			draw_screen(f, width, 24);
			CHECK(frame.view.columns.end <= width, "%u", width);
			CHECK(width < 80 || frame.view.columns.width[COLUMN_TREND] >= 12, "%u", width);
		}
		close_screen();
	}
	fixture_destroy(f);
}

/* Mechanisms whose names have 11 letters: the table needs 84 columns, with a limit 91. */
static void a_trend_with_fewer_seconds_stays_in_80_columns(void)
{
	static const struct {
		unsigned columns;
		bool limited;
		unsigned width;
		const char *text;
	} cases[] = {
		{84, false, 12, "_.-:=+#>8400\n"},
		{83, false, 11, " missed trend\n"},
		{80, false, 8, " missed trend\n"},
		{77, false, 5, " missed trend\n"},
		{76, false, 0, " missed\n"},
		{84, true, 5, " missed trend\n"},
	};
	struct fixture *f = fixture_create(2, 1000000);

	for (unsigned ring = 0; ring < 2; ring++) {
		free(f->session.rings[ring].mechanism);
		f->session.rings[ring].mechanism = strdup(ring ? "zmq-req-tcp" : "zmq-inproc");
	}
	for (unsigned i = 0; i < 60; i++) {
		fixture_sample(f, 0, FIGURE_FIRST, 1200, 1);
		fixture_sample(f, 0, FIGURE_RESPONSE, 100000, 1);
		fixture_feed(f);
	}
	open_screen(true);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		frame.view.limit_ns = cases[i].limited ? 9000000 : 0;
		draw_screen(f, cases[i].columns, 24);
		CHECK(frame.view.columns.width[COLUMN_TREND] == cases[i].width && shows(cases[i].text),
			"%u columns: %u in\n%s", cases[i].columns, frame.view.columns.width[COLUMN_TREND],
			text);
	}
	close_screen();
	fixture_destroy(f);
}

/* The last of 40 differences that are shown is followed by the number of the others. */
static void check_more(const char *before)
{
	const char *more = strstr(text, before);
	unsigned n = 0;
	char fact[32];

	CHECK(more && sscanf(more + strlen(before), "%u more", &n) == 1 && n > 0 && n < 40, "%s", text);
	snprintf(fact, sizeof(fact), "fact %u is", 39 - n);
	CHECK(shows(fact), "%s: %s", fact, text);
	snprintf(fact, sizeof(fact), "fact %u is", 40 - n);
	CHECK(!shows(fact), "%s: %s", fact, text);
}

static void differences_without_room_are_counted(void)
{
	static const struct comparison_file file;
	static const unsigned sizes[][2] = {{80, 24}, {120, 40}, {60, 30}, {200, 45}};
	struct fixture *f = fixture_create(1, 1000000);
	struct comparison_line line = {0};
	struct comparison_lines lines = {.lines = &line, .n_lines = 1, .n_rings = 1};
	char differences[1024] = "differs in 40";

	for (size_t i = 0; i < 40; i++)
		snprintf(differences + strlen(differences), 32, "\nfact %zu is 1 > 2", i);
	lines.differences = differences;
	strcpy(lines.advice, "40 things changed");
	fixture_feed(f);
	open_screen(true);
	frame.view.compared.file = &file;
	frame.view.compared.baseline = COMPARISON_FILE;
	frame.view.compared.lines = &lines;
	keys_press(&frame, 'c');
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		draw_screen(f, sizes[i][0], sizes[i][1]);
		CHECK(compared_choice(&frame.view, &lines.choice));
		draw_screen(f, sizes[i][0], sizes[i][1]);
		check_more("; and ");
		keys_press(&frame, 'd');
		draw_screen(f, sizes[i][0], sizes[i][1]);
		check_more("\n and ");
		keys_press(&frame, 'd');
	}
	draw_screen(f, 80, 100);
	keys_press(&frame, 'd');
	draw_screen(f, 80, 100);
	CHECK(shows("fact 39 is 1 > 2") && !strstr(text, "\n and "), "all of them: %s", text);
	frame.view.compared.lines = NULL;
	close_screen();
	fixture_destroy(f);
}

/* Beside a baseline, the words of the verdict, and the state's column, give way to them. */
static void the_worst_response_and_the_trend_outlast_the_verdict(void)
{
	static const struct comparison_file file;
	static const struct {
		unsigned columns;
		bool limited;
		const char *text;
	} cases[] = {
		{90, false, "worst 0>0 3000.0 22:13:25         vs base: WORSE: missed 0.0 > 14.0 %"},
		{80, false, "worst 0>0 3000.0 22:13:25       vs base: WORSE: missed 0.0 > 14.0 %"},
		{80, true, "worst 0>0 3000.0 22:13:25  >9ms: 0          vs base: WORSE: missed\u2026"},
		{60, false, " 30s  worst 0>0 3000.0 22:13:25        vs base: WORSE"},
		{44, false, "worst 0>0 3000.0 22:13:25     vs base: WORSE"},
	};
	struct fixture *f = fixture_create(2, 1000000);
	struct comparison_lines lines = {
		.is_complete = true, .summary = {.n_rows = 2, .verdict = SHIFT_WORSE, .missed_b = 0.14}};

	lines.a.number = COMPARISON_FILE;
	lines.summary.marks[MARK_MISSED] = (struct mark){SHIFT_WORSE, 0.001, true};
	for (unsigned i = 0; i < 60; i++) {
		fixture_sample(f, 0, FIGURE_FIRST, 1200, 1);
		fixture_sample(f, 0, FIGURE_RESPONSE, i == 9 ? 3000000 : 1500, 1);
		fixture_feed(f);
	}
	open_screen(false);
	frame.view.compared.file = &file;
	frame.view.compared.baseline = COMPARISON_FILE;
	frame.view.compared.lines = &lines;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		frame.view.limit_ns = cases[i].limited ? 9000000 : 0;
		draw_screen(f, cases[i].columns, 24);
		CHECK(compared_choice(&frame.view, &lines.choice));
		draw_screen(f, cases[i].columns, 24);
		CHECK(shows(cases[i].text), "%u: '%s' in:\n%s", cases[i].columns, cases[i].text, text);
	}
	for (unsigned width = 44; width <= 200; width++) {
		draw_screen(f, width, 24);
		CHECK(shows("worst") && shows("vs base: WORSE"), "%u:\n%s", width, text);
		CHECK(width < 80 || (frame.view.columns.width[COLUMN_TREND] >= 12 &&
					    frame.view.columns.width[COLUMN_SCHED]),
			"%u:\n%s", width, text);
	}
	frame.view.compared.lines = NULL;
	close_screen();
	fixture_destroy(f);
}

/* Phases 2 to 5 have the values in turn; phase 6 is the one after the trial. */
static void after_a_trial_c_compares_its_values(void)
{
	static const struct {
		uint32_t a, b;
	} cycle[] = {{4, 5}, {6, 5}, {1, 5}};
	struct event event = {.kind = EVENT_TRIAL,
		.ring = -1,
		.member = -1,
		.number = SHIFT_BETTER,
		.subject = "try swappiness=10",
		.was = "swappiness=60",
		.is = "swappiness=10",
		.text = "BETTER; restored"};
	struct fixture *f = with_ticks(4);

	for (unsigned phase = 0; phase < 5; phase++) {
		session_phases_begin(&f->session,
			phase == 4  ? "after try"
			: phase % 2 ? event.is
				    : event.was,
			0);
		feed_ticks(f, 4);
	}
	open_screen(true);
	press("c");
	draw_screen(f, 120, 40);
	CHECK(frame.view.compared.a == 5 && frame.view.compared.b == 6);
	press("c");
	event.at_ns = f->session.now_ns;
	CHECK(feed_session(
		      &f->session, &(struct feed_item){FEED_EVENT, event.at_ns, .event = &event}, NULL) == 0);
	press("c");
	for (unsigned i = 0; i < 2; i++) { /* a baseline, and none */
		draw_screen(f, 120, 40);
		press("b");
		draw_screen(f, 120, 40);
		CHECK(frame.view.compared.a == 4 && frame.view.compared.b == 5 &&
				frame.view.compared.baseline == (i ? 0 : 4),
			"%u with %u", (unsigned)frame.view.compared.a, (unsigned)frame.view.compared.b);
	}
	for (size_t i = 0; i < sizeof(cycle) / sizeof(*cycle); i++) {
		draw_screen(f, 120, 40);
		CHECK(frame.view.compared.a == cycle[i].a && frame.view.compared.b == cycle[i].b,
			"%zu: %u with %u", i, (unsigned)frame.view.compared.a,
			(unsigned)frame.view.compared.b);
		press("A");
	}
	press("c");
	session_phases_begin(&f->session, NULL, 0);
	draw_screen(f, 120, 40);
	press("c");
	draw_screen(f, 120, 40);
	CHECK(frame.view.compared.a == 6 && frame.view.compared.b == 7, "%u with %u",
		(unsigned)frame.view.compared.a, (unsigned)frame.view.compared.b);
	close_screen();
	fixture_destroy(f);
}

int main(void)
{
	setlocale(LC_CTYPE, "C.UTF-8");
	TEST(w_shows_the_next_window_and_the_header_names_it);
	TEST(sorting_follows_the_window);
	TEST(the_header_has_the_phase_and_its_worst_pair);
	TEST(isolated_and_housekeeping_have_a_worst_each);
	TEST(ages_are_short);
	TEST(r_begins_a_phase_at_once);
	TEST(m_asks_for_a_name_and_letters_are_text_meanwhile);
	TEST(the_dialog_takes_any_letter_and_erases_it_whole);
	TEST(the_dialog_survives_every_size);
	TEST(differences_without_room_are_counted);
	TEST(the_worst_response_and_the_trend_outlast_the_verdict);
	TEST(the_end_of_the_scale_of_trends_is_never_cut);
	TEST(a_trend_with_fewer_seconds_stays_in_80_columns);
	TEST(each_row_has_the_longest_response_of_each_second);
	TEST(after_a_trial_c_compares_its_values);
	return tap_done();
}

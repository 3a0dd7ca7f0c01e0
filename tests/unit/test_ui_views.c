/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_ui_views.c - what the screen shows of a session. */
#include <locale.h>
#include <sched.h>

#include "tests/unit/screen_fixture.h"
#include "tests/unit/tap.h"
#include "ui/frame/frame.h"
#include "ui/frame/keys.h"

static void a_usual_screen_says_all_that_it_must(void)
{
	static const char *const texts[] = {
		"ipctop",
		"host42",
		"first hop [us]",
		"LIVE 1.0s",
		"6.1.0-rt7",
		"PREEMPT_RT",
		"isol 2-7,10-15",
		"gov perf",
		"smt on",
		"dma 0us",
		"FF80",
		"1ms",
		"load 3.12 2.80 1.95",
		"8 pairs",
		"/s",
		"missed 0",
		"self 0.4% @cpu0-1",
		"00:01:01",
		"PAIR",
		"SCHED",
		"STATE",
		"Cur",
		"p99",
		"Max",
		"Resp99",
		"RMax",
		"missed _.-:=+#>",
		"7>0 FF80",
		"102.20",
		"  all (8 pairs)  ",
		"events (1)",
		"members are throttled",
		"F1 Help",
		"q Quit",
	};

	seen_init(8);
	fake_event(seen.session, EVENT_WARNING, -1, "members are throttled");
	fake_tick(seen.session, 0, 1000, 12000);
	look(80, 24);
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		CHECK(shows(texts[i]), "'%s' in:\n%s", texts[i], seen.text);
	seen_finish();
}

/* The end of a warning is what to do about it. The newest has the lines that are left, each has one. */
static void events_are_told_to_their_end_where_there_is_room(void)
{
	static const char long_text[] = "mq 0>0, mq 1>1 run as OTHER, FIFO:80 was asked: no right to the "
					"real-time policy: raise RLIMIT_RTPRIO or run with CAP_SYS_NICE";

	seen_init(2);
	fake_event(seen.session, EVENT_WARNING, -1, long_text);
	look(80, 24);
	CHECK(shows("FIFO:80 was asked: no right to the\n                 real-time policy: raise") &&
			shows("CAP_SYS_NICE\n"),
		"%s", seen.text);
	for (unsigned i = 0; i < 2; i++)
		fake_event(seen.session, EVENT_NOTE, -1, "short");
	look(80, 24);
	CHECK(shows("CAP_SYS_NICE\n") && shows("note    short\n"), "%s", seen.text);
	for (unsigned i = 0; i < 3; i++)
		fake_event(seen.session, EVENT_WARNING, -1, long_text);
	look(80, 24);
	CHECK(shows("asked: no right to th+\n") && shows("note    short\n") && !shows("CAP_SYS_NICE"), "%s",
		seen.text);
	seen_finish();
}

static void a_wide_screen_has_all_panes(void)
{
	static const char *const texts[] = {"0>1 mq  first hop  n ", "p99.9", "p90", "p50", "####",
		"events (0)", "all pairs, first hop, a column a second"};

	seen_init(8);
	look(200, 60);
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		CHECK(shows(texts[i]), "'%s' in:\n%s", texts[i], seen.text);
	seen_finish();
}

/* Rings of all kinds, with the longest words that there may be. */
static void make_odd(struct session *session)
{
	static const char *const labels[] = {"0>1>2>...>1023 (1024)", "4095>4094", "8>日本語", ""};
	char reason[600];

	memset(reason, 'x', sizeof(reason));
	for (size_t i = 0; i < sizeof(reason); i += 17)
		reason[i] = ' ';
	reason[sizeof(reason) - 1] = '\0';
	for (size_t i = 0; i < session->n_rings; i++) {
		struct session_ring *ring = &session->rings[i];

		if (i % 3 == 1)
			fake_replace(&ring->label, labels[i / 3 % 4]);
		if (i % 5 == 2) {
			ring->state = RING_FAILED;
			fake_replace(&ring->reason, i % 2 ? reason : NULL);
		}
		ring->condition = i % N_CONDITIONS;
		ring->age_ns = i % 4 == 3 ? UINT64_C(1) << i % 64 : 0;
		ring->missed = i % 7 == 0 ? UINT64_MAX / 2 : i;
		ring->locality = i % N_LOCALITIES;
		ring->interval_ns = i % 11 ? 1000000 : 0;
		ring->members[i % 2].policy.policy = i % 6 == 4 ? SCHED_IDLE : SCHED_RR;
		fake_replace(&ring->mechanism, i % 2 ? "mq" : "averylongmechanism");
		if (i % 8 == 5)
			for (size_t f = 0; f < N_FIGURES; f++)
				hist_finish(&ring->figures[f].hist);
	}
	fake_event(session, EVENT_WARNING, 0, reason);
	fake_event(session, EVENT_RING_BACK, -1, "");
}

static void every_size_is_drawn_within_its_bounds(void)
{
	static const unsigned widths[] = {1, 2, 17, 39, 40, 41, 47, 60, 72, 79, 80, 81, 99, 120, 200, 300};
	static const unsigned heights[] = {1, 2, 9, 10, 11, 13, 15, 16, 18, 24, 25, 40, 60, 100};
	static const size_t rings[] = {0, 1, 2, 13, 1024};

	for (size_t r = 0; r < sizeof(rings) / sizeof(*rings); r++) {
		seen_init(rings[r]);
		make_odd(seen.session);
		for (size_t i = 0; i < sizeof(widths) / sizeof(*widths) * sizeof(heights) / sizeof(*heights);
			i++) {
			unsigned width = widths[i % (sizeof(widths) / sizeof(*widths))];
			unsigned height = heights[i / (sizeof(widths) / sizeof(*widths))];

			seen.canvas.ascii = i % 2;
			keys_press(&seen.frame, "jo<>uIGk"[i % 8]);
			look(width, height);
			for (size_t c = 0; c < (size_t)width * height; c++)
				CHECK(seen.canvas.cells[c].style < N_STYLES &&
					(!seen.canvas.ascii || (seen.canvas.cells[c].rune >= ' ' &&
								       seen.canvas.cells[c].rune < 127)));
			CHECK(width < 40 || height < 10 ||
					(shows("PAIR") && shows("Cur") && shows("RMax") && shows("p99") &&
						shows("Max") && shows("q Quit")),
				"%ux%u:\n%s", width, height, seen.text);
			CHECK(width < 19 || height < 2 || (width >= 40 && height >= 10) ||
				shows("is too small"));
		}
		seen_finish();
	}
}

static void columns_give_way_in_their_order(void)
{
	seen_init(3);
	seen.frame.view.limit_ns = 50000;
	fake_replace(&seen.session->rings[1].mechanism, "svsem");
	for (unsigned width = 300; width >= 40; width--) {
		unsigned least_hidden = 99, most_shown = 0;

		look(width, 24);
		for (size_t i = 0; i < N_COLUMNS; i++) {
			unsigned gives_way = columns_table[i].gives_way;

			if (!seen.frame.view.columns.needed[i])
				continue;
			if (!seen.frame.view.columns.width[i])
				least_hidden = gives_way < least_hidden ? gives_way : least_hidden;
			else
				most_shown = gives_way > most_shown ? gives_way : most_shown;
		}
		CHECK(most_shown < least_hidden, "%u columns", width);
		CHECK(seen.frame.view.columns.end <= width, "%u columns: %u", width,
			seen.frame.view.columns.end);
	}
	CHECK(!seen.frame.view.columns.width[COLUMN_STATE]);
	seen_finish();
}

static void only_chosen_columns_are_shown(void)
{
	static const unsigned char columns[] = {COLUMN_N - COLUMN_PAIR, COLUMN_P50 - COLUMN_PAIR};
	const struct table_options options = {.columns = columns, .n_columns = 2, .sort = 2, .unit = UNIT_NS};

	seen_init(3);
	view_state_set_table(&seen.frame.view, &options);
	for (unsigned width = 40; width <= 200; width++) {
		look(width, 24);
		for (size_t i = 0; i < N_COLUMNS; i++)
			CHECK((seen.frame.view.columns.width[i] > 0) ==
					(i <= COLUMN_PAIR || i == COLUMN_CUR || i == COLUMN_P50 ||
						i == COLUMN_N),
				"%u columns: %s", width, columns_table[i].title);
		CHECK(seen.frame.view.columns.x[COLUMN_N] < seen.frame.view.columns.x[COLUMN_P50],
			"%u columns", width);
	}
	CHECK(shows("[ns]") && seen.frame.view.sort == COLUMN_CLASS &&
		strcmp(columns_sort_name(2), "CLASS") == 0);
	for (unsigned i = 0; columns_name(i); i++)
		CHECK(*columns_name(i) && !strchr(columns_name(i), ' '), "%s", columns_name(i));
	CHECK(!columns_name(N_COLUMNS - COLUMN_PAIR) && !columns_sort_name(N_COLUMNS));
	seen_finish();
}

static void samples_above_the_limit_have_a_column(void)
{
	static const struct {
		uint64_t limit_ns;
		const char *title, *cell; /* 50 samples of 60 us, 3 of 2.6 ms */
	} cases[] = {
		{50000, " >50us ", " 53 "},
		{1500, " >1.5us ", " 53 "},
		{100000, " >100us ", " 3 "},
		{2500000, " >2.5ms ", " 3 "},
		{12345678, " >12346us ", " 0 "},
		{60000000000, " >60000ms ", " 0 "},
	};

	seen_init(2);
	hist_finish(&seen.session->rings[0].figures[FIGURE_FIRST].hist);
	fake_sample(&seen.session->rings[0].figures[FIGURE_FIRST], 60000, 50, 1);
	fake_sample(&seen.session->rings[0].figures[FIGURE_FIRST], 2600000, 3, 1);
	look(120, 40);
	CHECK(!seen.frame.view.columns.width[COLUMN_ABOVE]);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		seen.frame.view.limit_ns = cases[i].limit_ns;
		seen.frame.view.sort = COLUMN_PAIR;
		look(140, 40);
		CHECK(shows(cases[i].title) && strstr(line_with(" 0>1 "), cases[i].cell), "%s in:\n%s",
			cases[i].title, seen.text);
	}
	seen.frame.view.limit_ns = 70000;
	seen.frame.view.sort = COLUMN_ABOVE;
	look(140, 40);
	CHECK(shows("v>70us") && shows("by >70us") && seen.frame.view.order.rows[0].id == 0, "%s", seen.text);
	seen_finish();
}

static void rendering_writes_one_frame(void)
{
	struct fixture *f = fixture_screen(8);

	for (int ascii = 0; ascii < 2; ascii++) {
		char text[8192] = "";
		FILE *out = fmemopen(text, sizeof(text), "w");
		size_t lines = 0, beyond = 0;

		const struct frame_picture picture = {.columns = 80,
			.lines = 24,
			.figure = FIGURE_ANSWER,
			.table.unit = UNIT_US,
			.ascii = ascii};

		CHECK(frame_print(&f->session, &picture, out) == 0);
		fclose(out);
		for (const char *at = text; *at; at++) {
			lines += *at == '\n';
			beyond += (unsigned char)*at >= 0x80;
		}
		CHECK(lines == 24, "%zu", lines);
		CHECK(strstr(text, "answer [us]") && !strstr(text, "LIVE") && !strchr(text, '\033'));
		CHECK(strstr(text, "q Quit") && !strstr(text, "r Phase"), "no key acts on it: %s", text);
		CHECK(ascii ? beyond == 0 : beyond > 0, "%zu in %d", beyond, ascii);
	}
	fixture_destroy(f);
}

/* Its matrix compares its cells. */
static void a_sweep_does_not_offer_to_compare_phases_of_rings(void)
{
	seen_init(2);
	look(120, 40);
	CHECK(shows("c Compare"), "%s", seen.text);
	seen.session->is_sweep = true;
	look(120, 40);
	CHECK(!shows("c Compare"), "%s", seen.text);
	keys_press(&seen.frame, 'c');
	look(120, 40);
	CHECK(is_on_top("overview") && shows("a sweep runs no rings: M, then c compares its cells"), "%s",
		seen.text);
	seen_finish();
}

int main(void)
{
	setlocale(LC_CTYPE, "C.UTF-8");
	TEST(a_usual_screen_says_all_that_it_must);
	TEST(events_are_told_to_their_end_where_there_is_room);
	TEST(a_wide_screen_has_all_panes);
	TEST(every_size_is_drawn_within_its_bounds);
	TEST(columns_give_way_in_their_order);
	TEST(only_chosen_columns_are_shown);
	TEST(samples_above_the_limit_have_a_column);
	TEST(rendering_writes_one_frame);
	TEST(a_sweep_does_not_offer_to_compare_phases_of_rings);
	return tap_done();
}

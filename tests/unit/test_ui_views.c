/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_ui_views.c - what the screen shows of a session. */
#include <locale.h>
#include <sched.h>

#include "tests/unit/tap.h"
#include "tests/unit/test_ui_seen.h"
#include "ui/dashboard.h"
#include "ui/keys.h"

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
		"CLASS",
		"SCHED",
		"STATE",
		"Cur",
		"Min",
		"Avg",
		"p99",
		"Max",
		"Late99",
		"missed",
		"7>0 own   FF80",
		"102.20",
		"  all (8 pairs)  ",
		"events (1)",
		"members are throttled",
		"F1 Help",
		"q Quit",
	};

	seen_init(8);
	fake_event(&seen.session, EVENT_WARNING, -1, "members are throttled");
	fake_tick(&seen.session, 0, 1000, 12000);
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
	fake_event(&seen.session, EVENT_WARNING, -1, long_text);
	look(80, 24);
	CHECK(shows("FIFO:80 was asked: no right to the\n                 real-time policy: raise") &&
			shows("CAP_SYS_NICE\n"),
		"%s", seen.text);
	for (unsigned i = 0; i < 2; i++)
		fake_event(&seen.session, EVENT_NOTE, -1, "short");
	look(80, 24);
	CHECK(shows("CAP_SYS_NICE\n") && shows("note    short\n"), "%s", seen.text);
	fake_event(&seen.session, EVENT_WARNING, -1, long_text);
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
		ring->condition = i % (CONDITION_OFFLINE + 1);
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
	fake_event(session, EVENT_RING, -1, "");
}

static void every_size_is_drawn_within_its_bounds(void)
{
	static const unsigned widths[] = {1, 2, 17, 39, 40, 41, 47, 60, 72, 79, 80, 81, 99, 120, 200, 300};
	static const unsigned heights[] = {1, 2, 9, 10, 11, 13, 15, 16, 18, 24, 25, 40, 60, 100};
	static const size_t rings[] = {0, 1, 2, 13, 1024};

	for (size_t r = 0; r < sizeof(rings) / sizeof(*rings); r++) {
		seen_init(rings[r]);
		make_odd(&seen.session);
		for (size_t i = 0; i < sizeof(widths) / sizeof(*widths) * sizeof(heights) / sizeof(*heights);
			i++) {
			unsigned width = widths[i % (sizeof(widths) / sizeof(*widths))];
			unsigned height = heights[i / (sizeof(widths) / sizeof(*widths))];

			seen.canvas.ascii = i % 2;
			keys_press(&seen.view, "jo<>uIGk"[i % 8]);
			look(width, height);
			for (size_t c = 0; c < (size_t)width * height; c++)
				CHECK(seen.canvas.cells[c].style < N_STYLES &&
					(!seen.canvas.ascii || (seen.canvas.cells[c].rune >= ' ' &&
								       seen.canvas.cells[c].rune < 127)));
			CHECK(width < 40 || height < 10 ||
					(shows("PAIR") && shows("Cur") && shows("Min") && shows("Avg") &&
						shows("p99") && shows("Max") && shows("q Quit")),
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
	seen.view.limit_ns = 50000;
	fake_replace(&seen.session.rings[1].mechanism, "svsem");
	for (unsigned width = 300; width >= 40; width--) {
		unsigned least_hidden = 99, most_shown = 0;

		look(width, 24);
		for (size_t i = 0; i < N_COLUMNS; i++) {
			unsigned gives_way = columns_table[i].gives_way;

			if (!seen.view.columns.width[i])
				least_hidden = gives_way < least_hidden ? gives_way : least_hidden;
			else
				most_shown = gives_way > most_shown ? gives_way : most_shown;
		}
		CHECK(most_shown < least_hidden, "%u columns", width);
		CHECK(seen.view.columns.end <= width, "%u columns: %u", width, seen.view.columns.end);
	}
	CHECK(!seen.view.columns.width[COLUMN_STATE]);
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
	hist_finish(&seen.session.rings[0].figures[FIGURE_FIRST].hist);
	fake_sample(&seen.session.rings[0].figures[FIGURE_FIRST], 60000, 50, 1);
	fake_sample(&seen.session.rings[0].figures[FIGURE_FIRST], 2600000, 3, 1);
	look(120, 40);
	CHECK(!seen.view.columns.width[COLUMN_ABOVE]);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		seen.view.limit_ns = cases[i].limit_ns;
		seen.view.sort = COLUMN_PAIR;
		look(140, 40);
		CHECK(shows(cases[i].title) && strstr(line_with(" 0>1 "), cases[i].cell), "%s in:\n%s",
			cases[i].title, seen.text);
	}
	seen.view.limit_ns = 70000;
	seen.view.sort = COLUMN_ABOVE;
	look(140, 40);
	CHECK(shows("v>70us") && shows("by >70us") && seen.view.order.rows[0].id == 0, "%s", seen.text);
	seen_finish();
}

static void words_tell_the_state_of_a_row(void)
{
	static const struct {
		enum ring_state state;
		enum ring_condition condition;
		uint64_t age_ns;
		const char *wide, *narrow;
	} cases[] = {
		{RING_RUNNING, CONDITION_STARVED, 1290000000, "starved   >=1.2s", "starved 1.2s"},
		{RING_RUNNING, CONDITION_THROTTLED, 950000000, "throttled >=0.9s", "throttle 0.9s"},
		{RING_RUNNING, CONDITION_STOPPED, 12000000, "stopped   >=12ms", "stopped 12ms"},
		{RING_RUNNING, CONDITION_LATE, 12000000, "late      >=12ms", "late 12ms"},
		{RING_RUNNING, CONDITION_FINE, 3000000, "overdue    >=3ms", "overdue 3ms"},
		{RING_RUNNING, CONDITION_NEVER_RAN, 0, "never ran ", "never ran "},
		{RING_PAUSED, CONDITION_WAITING, 0, "waiting ", "waiting "},
		{RING_DONE, CONDITION_FINE, 0, "done ", "done "},
		{RING_RUNNING, CONDITION_OFFLINE, 0, "offline ", "offline "},
		{RING_FAILED, CONDITION_FINE, 0, "failed: mq_open: no room", "failed: mq_open: no room"},
	};

	seen_init(2);
	fake_replace(&seen.session.rings[1].label, "8>9");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct session_ring *ring = &seen.session.rings[1];

		ring->state = cases[i].state;
		ring->condition = cases[i].condition;
		ring->age_ns = cases[i].age_ns;
		fake_replace(&ring->reason, ring->state == RING_FAILED ? "mq_open: no room" : NULL);
		look(80, 24);
		CHECK(strstr(line_with("8>9"), cases[i].wide), "%s in '%s'", cases[i].wide, line_with("8>9"));
		look(40, 10);
		CHECK(strstr(line_with("8>9"), cases[i].narrow), "%s in '%s'", cases[i].narrow,
			line_with("8>9"));
	}
	seen_finish();
}

static void tokens_that_went_wrong_are_told(void)
{
	seen_init(2);
	fake_replace(&seen.session.rings[1].label, "8>9");
	seen.session.rings[0].token_bytes = 4096;
	seen.session.work_size = 64 << 10;
	look(200, 40);
	CHECK(shows("size 4k") && shows("work 64k") && !shows("token"), "%s", seen.text);
	seen.session.rings[1].faults[FAULT_LOST] = 2;
	seen.session.rings[1].faults[FAULT_DAMAGED] = 1;
	look(80, 24);
	CHECK(strstr(line_with("8>9"), "damaged "), "'%s'", line_with("8>9"));
	CHECK(shows("2 tokens lost, 1 damaged"), "%s", seen.text);
	seen.session.rings[1].condition = CONDITION_STARVED;
	look(80, 24);
	CHECK(strstr(line_with("8>9"), "starved "), "'%s'", line_with("8>9"));
	seen_finish();
}

static void a_figure_without_samples_is_a_dash(void)
{
	seen_init(2);
	fake_replace(&seen.session.rings[1].label, "8>9");
	for (size_t f = 0; f < N_FIGURES; f++)
		hist_finish(&seen.session.rings[1].figures[f].hist);
	look(40, 10);
	CHECK(strcmp(line_with("8>9"), "  8>9      -      -      -      -      -") == 0, "'%s'",
		line_with("8>9"));
	seen_finish();
}

static void a_percentile_of_few_samples_is_marked(void)
{
	seen_init(1);
	fake_replace(&seen.session.rings[0].label, "8>9");
	for (size_t f = 0; f < N_FIGURES; f++)
		hist_finish(&seen.session.rings[0].figures[f].hist);
	fake_sample(&seen.session.rings[0].figures[FIGURE_FIRST], 145200, 999, 1);
	look(80, 24);
	CHECK(strstr(line_with(" 8>9 "), "~145."), "'%s'", line_with(" 8>9 "));
	fake_sample(&seen.session.rings[0].figures[FIGURE_FIRST], 145200, 1, 1);
	look(80, 24);
	CHECK(!strstr(line_with(" 8>9 "), "~"), "'%s'", line_with(" 8>9 "));
	look(200, 60);
	CHECK(strstr(line_with(" p99.9  ~"), "~145.2"), "%s", seen.text);
	seen_finish();
}

static void scheduling_other_than_asked_is_marked(void)
{
	static const struct {
		struct task_policy policies[2];
		int32_t cpus[2];
		const char *text;
	} cases[] = {
		{{{SCHED_FIFO, 80}, {SCHED_FIFO, 80}}, {0, 0}, " FF80 "},
		{{{SCHED_FIFO, 80}, {SCHED_OTHER, 0}}, {0, 0}, " FF80/OTH! "},
		{{{SCHED_OTHER, 0}, {SCHED_OTHER, 0}}, {0, 0}, " OTH! "},
		{{{SCHED_FIFO, 80}, {SCHED_FIFO, 80}}, {0, 3}, " FF80! "},
		{{{SCHED_FIFO, 80}, {SCHED_RR, 5}}, {0, 0}, " FF80/RR5! "},
	};

	seen_init(1);
	fake_replace(&seen.session.rings[0].label, "8>9");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		for (unsigned m = 0; m < 2; m++) {
			seen.session.rings[0].members[m].policy = cases[i].policies[m];
			seen.session.rings[0].members[m].cpu = cases[i].cpus[m];
		}
		look(80, 24);
		CHECK(strstr(line_with("8>9"), cases[i].text), "%s in '%s'", cases[i].text, line_with("8>9"));
	}
	seen_finish();
}

static void flood_shows_the_lap_and_says_so(void)
{
	seen_init(2);
	for (size_t i = 0; i < 2; i++)
		seen.session.rings[i].interval_ns = 0;
	look(80, 24);
	CHECK(shows("lap [us]") && shows("flood"), "%s", seen.text);
	seen.session.rings[1].interval_ns = 1000000;
	fake_replace(&seen.session.rings[0].label, "8>9");
	look(80, 24);
	CHECK(shows("first hop [us]") && strstr(line_with("8>9"), " lap "), "%s", seen.text);
	seen_finish();
}

static void mechanisms_have_a_column_where_there_are_several(void)
{
	seen_init(3);
	look(80, 24);
	CHECK(!shows("MECH"));
	fake_replace(&seen.session.rings[1].mechanism, "signal");
	look(80, 24);
	CHECK(shows("MECH") && shows("2 signal"), "%s", seen.text);
	seen_finish();
}

static void a_reason_stands_with_the_selected_row(void)
{
	seen_init(2);
	fake_replace(&seen.session.rings[0].reason,
		"FIFO was refused: RLIMIT_RTPRIO is 0, raise it or run as root, "
		"or give CAP_SYS_NICE to the program");
	look(200, 60);
	CHECK(shows("FIFO was refused") && shows("CAP_SYS_NICE to the program"), "%s", seen.text);
	seen_finish();
}

static void rendering_writes_one_frame(void)
{
	struct session session;

	fake_session(&session, 8);
	for (int ascii = 0; ascii < 2; ascii++) {
		char text[8192] = "";
		FILE *out = fmemopen(text, sizeof(text), "w");
		size_t lines = 0, beyond = 0;

		const struct dashboard_picture picture = {
			.columns = 80, .lines = 24, .figure = FIGURE_ANSWER, .ascii = ascii};

		CHECK(dashboard_render(&session, &picture, out) == 0);
		fclose(out);
		for (const char *at = text; *at; at++) {
			lines += *at == '\n';
			beyond += (unsigned char)*at >= 0x80;
		}
		CHECK(lines == 24, "%zu", lines);
		CHECK(strstr(text, "answer [us]") && !strstr(text, "LIVE") && !strchr(text, '\033'));
		CHECK(ascii ? beyond == 0 : beyond > 0, "%zu in %d", beyond, ascii);
	}
	session_finish(&session);
}

int main(void)
{
	setlocale(LC_CTYPE, "C.UTF-8");
	TEST(a_usual_screen_says_all_that_it_must);
	TEST(events_are_told_to_their_end_where_there_is_room);
	TEST(a_wide_screen_has_all_panes);
	TEST(every_size_is_drawn_within_its_bounds);
	TEST(columns_give_way_in_their_order);
	TEST(samples_above_the_limit_have_a_column);
	TEST(words_tell_the_state_of_a_row);
	TEST(tokens_that_went_wrong_are_told);
	TEST(a_figure_without_samples_is_a_dash);
	TEST(a_percentile_of_few_samples_is_marked);
	TEST(scheduling_other_than_asked_is_marked);
	TEST(flood_shows_the_lap_and_says_so);
	TEST(mechanisms_have_a_column_where_there_are_several);
	TEST(a_reason_stands_with_the_selected_row);
	TEST(rendering_writes_one_frame);
	return tap_done();
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_ui_rows.c - what a row of the table says of its ring. */
#include <locale.h>
#include <sched.h>

#include "tests/unit/screen_fixture.h"
#include "tests/unit/tap.h"
#include "ui/views/keys.h"

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
		{RING_PAUSED, CONDITION_WAITING, 0, " in 2.5s  ", " in 2.5s "},
		{RING_DONE, CONDITION_FINE, 0, "done ", "done "},
		{RING_RUNNING, CONDITION_OFFLINE, 0, "offline ", "offline "},
		{RING_RUNNING, CONDITION_EXCLUDED, 0, "excluded ", "excluded "},
		{RING_FAILED, CONDITION_FINE, 0, "failed: mq_open: no room", "failed: mq_open: no room"},
	};

	seen_init(2);
	fake_replace(&seen.session->rings[1].label, "8>9");
	fake_turns(seen.session, 3, 3000000000, 500000000);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct session_ring *ring = &seen.session->rings[1];

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

/* The styles of what the line shows: a letter for each, a point for what is a blank. */
static const char *styles_of(const char *label)
{
	static const char letters[N_STYLES + 1] = "pdsthewbak";
	static char styles[1024];
	unsigned n = 0;

	for (unsigned y = 0; y < seen.canvas.lines; y++) {
		const struct cell *line = &seen.canvas.cells[(size_t)y * seen.canvas.columns];
		char text[1024] = "";

		for (n = 0; n < seen.canvas.columns; n++) {
			text[n] = line[n].rune < 128 ? (char)line[n].rune : '?';
			styles[n] = line[n].rune == ' ' ? '.' : letters[line[n].style];
		}
		styles[n] = '\0';
		if (strstr(text, label))
			return styles;
	}
	return "";
}

static void rows_that_wait_for_their_turn_are_dim(void)
{
	static const struct {
		enum ring_state state;
		enum ring_condition condition;
		unsigned faults;
		bool dim;
	} cases[] = {
		{RING_PAUSED, CONDITION_WAITING, 0, true},
		{RING_PAUSED, CONDITION_WAITING, 1, true}, /* but for the word */
		{RING_RUNNING, CONDITION_FINE, 0, false},
		{RING_RUNNING, CONDITION_NEVER_RAN, 0, false},
		{RING_FAILED, CONDITION_WAITING, 0, false},
	};

	seen_init(3);
	fake_replace(&seen.session->rings[1].label, "8>9");
	fake_turns(seen.session, 3, 1000000000, 500000000);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct session_ring *ring = &seen.session->rings[1];

		ring->state = cases[i].state;
		ring->condition = cases[i].condition;
		ring->faults[FAULT_LOST] = cases[i].faults;
		look(120, 30);
		const char *styles = styles_of("8>9");
		bool plain = strpbrk(styles, "ps"), dim = strchr(styles, 'd');

		CHECK(plain != cases[i].dim && dim == cases[i].dim, "case %zu: %s", i, styles);
		CHECK(!strchr(styles, 'w') == !cases[i].faults, "case %zu: %s", i, styles);
	}
	seen_finish();
}

static void tokens_that_went_wrong_are_told(void)
{
	seen_init(2);
	fake_replace(&seen.session->rings[1].label, "8>9");
	seen.session->rings[0].token_bytes = 4096;
	seen.session->work_size = 64 << 10;
	look(200, 40);
	CHECK(shows("size 4k") && shows("work 64k") && !shows("token"), "%s", seen.text);
	seen.session->rings[1].faults[FAULT_LOST] = 2;
	seen.session->rings[1].faults[FAULT_DAMAGED] = 1;
	look(80, 24);
	CHECK(strstr(line_with("8>9"), "damaged "), "'%s'", line_with("8>9"));
	CHECK(shows("2 tokens lost, 1 damaged"), "%s", seen.text);
	seen.session->rings[1].condition = CONDITION_STARVED;
	look(80, 24);
	CHECK(strstr(line_with("8>9"), "starved "), "'%s'", line_with("8>9"));
	seen_finish();
}

static void a_figure_without_samples_is_a_dash(void)
{
	seen_init(2);
	fake_replace(&seen.session->rings[1].label, "8>9");
	for (size_t f = 0; f < N_FIGURES; f++)
		hist_finish(&seen.session->rings[1].figures[f].hist);
	look(40, 10);
	CHECK(strcmp(line_with("8>9"), "  8>9      -      -      -      -      -") == 0, "'%s'",
		line_with("8>9"));
	seen_finish();
}

static void a_percentile_of_few_samples_is_marked(void)
{
	seen_init(1);
	fake_replace(&seen.session->rings[0].label, "8>9");
	for (size_t f = 0; f < N_FIGURES; f++)
		hist_finish(&seen.session->rings[0].figures[f].hist);
	fake_sample(&seen.session->rings[0].figures[FIGURE_FIRST], 145200, 999, 1);
	look(80, 24);
	CHECK(strstr(line_with(" 8>9 "), "~145."), "'%s'", line_with(" 8>9 "));
	fake_sample(&seen.session->rings[0].figures[FIGURE_FIRST], 145200, 1, 1);
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
		struct task_policy asked; /* 0: FIFO 80 */
	} cases[] = {
		{{{SCHED_FIFO, 80}, {SCHED_FIFO, 80}}, {0, 0}, " FF80 "},
		{{{SCHED_FIFO, 80}, {SCHED_OTHER, 0}}, {0, 0}, " FF80/OTH! "},
		{{{SCHED_OTHER, 0}, {SCHED_OTHER, 0}}, {0, 0}, " OTH! "},
		{{{SCHED_FIFO, 80}, {SCHED_FIFO, 80}}, {0, 3}, " FF80! "},
		{{{SCHED_FIFO, 80}, {SCHED_RR, 5}}, {0, 0}, " FF80/RR5! "},
		{{{SCHED_OTHER, 0, 19}, {SCHED_OTHER, 0, 19}}, {0, 0}, " OTH19! "},
		{{{SCHED_BATCH, 0, -20}, {SCHED_BATCH, 0, -20}}, {0, 0}, " BAT-20! "},
		{{{SCHED_OTHER, 0, 10}, {SCHED_OTHER, 0, 10}}, {0, 0}, " OTH10 ", {SCHED_OTHER, 0, 10}},
		{{{SCHED_OTHER, 0, 10}, {SCHED_OTHER, 0, 0}}, {0, 0}, " OTH10/OTH! ", {SCHED_OTHER, 0, 10}},
		{{{SCHED_OTHER, 0, -19}, {SCHED_OTHER, 0, -20}}, {0, 0}, " OTH-19/OTH-20! "},
	};

	seen_init(1);
	fake_replace(&seen.session->rings[0].label, "8>9");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		seen.session->rings[0].asked =
			cases[i].asked.nice ? cases[i].asked : (struct task_policy){SCHED_FIFO, 80};
		for (unsigned m = 0; m < 2; m++) {
			seen.session->rings[0].members[m].policy = cases[i].policies[m];
			seen.session->rings[0].members[m].cpu = cases[i].cpus[m];
		}
		look(82, 24);
		CHECK(strstr(line_with("8>9"), cases[i].text), "%s in '%s'", cases[i].text, line_with("8>9"));
	}
	seen_finish();
}

static void flood_shows_the_lap_and_says_so(void)
{
	seen_init(2);
	for (size_t i = 0; i < 2; i++)
		seen.session->rings[i].interval_ns = 0;
	look(80, 24);
	CHECK(shows("lap [us]") && shows("flood"), "%s", seen.text);
	seen.session->rings[1].interval_ns = 1000000;
	fake_replace(&seen.session->rings[0].label, "8>9");
	look(80, 24);
	CHECK(shows("first hop [us]") && strstr(line_with("8>9"), " lap "), "%s", seen.text);
	seen_finish();
}

static void mechanisms_have_a_column_where_there_are_several(void)
{
	seen_init(3);
	look(80, 24);
	CHECK(!shows("MECH"));
	fake_replace(&seen.session->rings[1].mechanism, "signal");
	look(80, 24);
	CHECK(shows("MECH") && shows("2 signal"), "%s", seen.text);
	seen_finish();
}

static void a_reason_stands_with_the_selected_row(void)
{
	seen_init(2);
	fake_replace(&seen.session->rings[0].reason,
		"FIFO was refused: RLIMIT_RTPRIO is 0, raise it or run as root, "
		"or give CAP_SYS_NICE to the program");
	look(200, 60);
	CHECK(shows("FIFO was refused") && shows("CAP_SYS_NICE to the program"), "%s", seen.text);
	seen_finish();
}

int main(void)
{
	setlocale(LC_CTYPE, "C.UTF-8");
	TEST(words_tell_the_state_of_a_row);
	TEST(rows_that_wait_for_their_turn_are_dim);
	TEST(tokens_that_went_wrong_are_told);
	TEST(a_figure_without_samples_is_a_dash);
	TEST(a_percentile_of_few_samples_is_marked);
	TEST(scheduling_other_than_asked_is_marked);
	TEST(flood_shows_the_lap_and_says_so);
	TEST(mechanisms_have_a_column_where_there_are_several);
	TEST(a_reason_stands_with_the_selected_row);
	return tap_done();
}

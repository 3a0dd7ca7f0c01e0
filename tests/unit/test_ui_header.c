/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_ui_header.c - what the header says of the machine and its members, in full and shortened. */
#include <locale.h>
#include <sched.h>

#include "src/model/feed.h"
#include "tests/unit/screen_fixture.h"
#include "tests/unit/tap.h"

static void dma_latency_is_told_in_words(void)
{
	static const struct {
		enum machine_state state;
		int32_t us, held_us;
		const char *text;
	} cases[] = {
		{MACHINE_VALUE, 2000000000, -1, "dma none"},
		{MACHINE_VALUE, 20, -1, "dma 20us "},
		{MACHINE_VALUE, 0, 5, "dma 5us held"},
		{MACHINE_DENIED, 0, -1, "dma denied"},
		{MACHINE_ABSENT, 0, -1, "dma absent"},
	};

	seen_init(2);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		seen.session->machine.dma_latency_state = cases[i].state;
		seen.session->machine.dma_latency_us = cases[i].us;
		seen.session->machine.dma_latency_held_us = cases[i].held_us;
		look(200, 24);
		CHECK(shows(cases[i].text), "%s", cases[i].text);
	}
	seen_finish();
}

static void the_rate_is_that_of_the_last_whole_second(void)
{
	static const struct {
		struct {
			uint32_t n;
			uint64_t ms;
		} seconds[3];
		const char *text;
	} cases[] = {
		{{{200, 200}}, "  1000/s  "}, /* at first, of what there is of it */
		{{{700, 700}, {500, 500}}, "  1000/s  "},
		{{{1000, 1000}, {40, 1000}, {9000, 500}}, "  40/s  "},
		{{{1000, 1000}, {0, 1000}, {500, 500}}, "  0/s  "},
		{{{1000, 1000}, {750, 500}, {500, 500}}, "  1500/s  "},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		seen_init(2);
		for (uint64_t s = 0; s < 3 && cases[i].seconds[s].ms; s++)
			fake_tick(seen.session, s, cases[i].seconds[s].ms, cases[i].seconds[s].n);
		look(200, 24);
		CHECK(shows(cases[i].text), "case %zu: %s", i, seen.text);
		seen_finish();
	}
	seen_init(2);
	look(200, 24);
	CHECK(!shows("/s  missed"), "before the first tick: %s", seen.text);
	seen_finish();
}

/* Where there is little room, the least important goes first; which figure it is goes last. */
static void a_narrow_header_says_what_matters_most(void)
{
	static const struct {
		bool frozen, differs;
		uint64_t limit_ns;
		const char *text;
	} cases[] = {
		{false, false, 0,
			"mq  first [us]  window phase   LIVE 1.0s\ndma 0us  FF80  missed 4990      00:01:01\n"},
		{false, false, 50000, "\nFF80  missed 4990  >50us in phase: 2"},
		{false, true, 50000, "\nFF80! 1/4  missed 4990  >50us: 2"},
		{true, false, 0, "first [us]    FROZEN 00:07 ago  22:14:21\n"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		seen_init(2);
		seen.frame.frozen = cases[i].frozen;
		seen.frame.frozen_age_ns = 7000000000;
		seen.frame.view.limit_ns = cases[i].limit_ns;
		seen.session->rings[0].missed = 4990;
		if (cases[i].differs)
			seen.session->rings[1].members[1].policy = (struct task_policy){SCHED_OTHER, 0};
		look(40, 10);
		CHECK(shows(cases[i].text), "case %zu: %s", i, seen.text);
		seen_finish();
	}
}

static void rested_slots_are_apart_from_all_that_were_missed(void)
{
	seen_init(2);
	seen.session->rings[0].missed = 4990;
	seen.session->rings[0].rested = 30;
	look(120, 40);
	CHECK(shows("missed 4990, rested 30  "), "%s", seen.text);
	seen_finish();
}

/* As a frozen moment of many CPUs. */
static void a_sweep_without_cells_has_no_fields_of_rings(void)
{
	static const char *const of_rings[] = {"first", "window", "pairs", "/s  ", "missed"};

	seen_init(2);
	seen.session->is_sweep = seen.frame.frozen = true;
	look(200, 60);
	size_t end = 0;

	for (int line = 0; line < 3; line++)
		end += strcspn(seen.text + end, "\n") + 1;
	seen.text[end] = '\0';
	CHECK(shows("host42  sweep  ") && shows("load 3.12"), "%s", seen.text);
	for (size_t i = 0; i < sizeof(of_rings) / sizeof(*of_rings); i++)
		CHECK(!shows(of_rings[i]), "'%s' in:\n%s", of_rings[i], seen.text);
	seen_finish();
}

static void a_hunt_says_which_load_of_how_many_and_when_it_ends(void)
{
	static const struct {
		unsigned load;
		unsigned columns;
		const char *text;
	} cases[] = {
		{0, 120, "hunt no load, 12s left"},
		{3, 120, "hunt load 3/22, 12s left"},
		{22, 40, "hunt load 22/22"},
	};

	seen_init(2);
	look(120, 40);
	CHECK(!shows("hunt"), "%s", seen.text);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct hunt_progress hunt = {.load = cases[i].load,
			.n_loads = 22,
			.end_ns = seen.session->now_ns + UINT64_C(12000000000)};
		const struct feed_item item = {FEED_HUNT, seen.session->now_ns, .hunt = &hunt};

		CHECK(feed_session(seen.session, &item, NULL) == 0);
		look(cases[i].columns, 40);
		CHECK(shows(cases[i].text), "case %zu: %s", i, seen.text);
	}
	seen_finish();
}

static void a_wide_header_says_it_all_in_full(void)
{
	static const char *const lines[] = {
		"6.1.0-rt7-amd64  PREEMPT_RT  gov performance  isol=nohz_full 2-7,10-15  smt on  dma 0us held  "
		"FIFO:80 as asked  every 1ms  clock 27ns  tsc\n",
		"load 3.12 2.80 1.95  8 pairs  12k/s  missed 0  self 0.4% @cpu0-1  ",
	};

	seen_init(8);
	strcpy(seen.session->machine.nohz_full, seen.session->machine.isolated);
	fake_tick(seen.session, 0, 1000, 12000);
	look(200, 60);
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		CHECK(shows(lines[i]), "'%s' in:\n%s", lines[i], seen.text);
	strcpy(seen.session->machine.nohz_full, "2-7");
	look(200, 60);
	CHECK(shows("isol 2-7,10-15  nohz_full 2-7"), "%s", seen.text);
	seen_finish();
}

static void members_are_told_as_asked_and_as_they_are(void)
{
	static const struct {
		struct task_policy is[4];
		int32_t cpu, tid;
		const char *wide, *narrow;
	} cases[] = {
		{{{SCHED_FIFO, 80}, {SCHED_FIFO, 80}, {SCHED_FIFO, 80}, {SCHED_FIFO, 80}}, 0, 1,
			"  FIFO:80 as asked  ", "  FF80  "},
		{{{SCHED_FIFO, 80}, {SCHED_FIFO, 80}, {SCHED_FIFO, 80}, {SCHED_OTHER, 0}}, 0, 1,
			"asked FIFO:80, 1 of 4 differ", "FF80! 1/4"},
		{{{SCHED_OTHER, 0}, {SCHED_OTHER, 0}, {SCHED_OTHER, 0}, {SCHED_OTHER, 0}}, 0, 1,
			"asked FIFO:80, all are OTHER", "FF80! are OTH"},
		{{{SCHED_FIFO, 80}, {SCHED_FIFO, 80}, {SCHED_FIFO, 80}, {SCHED_FIFO, 80}}, 3, 1,
			"FIFO:80 as asked, 1 of 4 affinities differs  ", "  FF80 aff! 1/4  "},
		{{{SCHED_FIFO, 80}, {SCHED_FIFO, 80}, {SCHED_RR, 5}, {SCHED_OTHER, 0}}, 3, 1,
			"asked FIFO:80, 2 of 4 differ, 1 of 4 affinities differs  ",
			"  FF80! 2/4 aff! 1/4  "},
		{{{SCHED_OTHER, 0}, {SCHED_OTHER, 0}, {SCHED_OTHER, 0}, {SCHED_OTHER, 0}}, 3, 1,
			"asked FIFO:80, all are OTHER, 1 of 4 affinities differs", "FF80! are OTH aff! 1/4"},
		{{{SCHED_OTHER, 0, 19}, {SCHED_OTHER, 0, 19}, {SCHED_OTHER, 0, 19}, {SCHED_OTHER, 0, 19}}, 0,
			1, "asked FIFO:80, all are OTHER nice 19", "FF80! are OTH19"},
		{{{-1, 0}, {-1, 0}, {-1, 0}, {-1, 0}}, 0, 0, "asked FIFO:80  ", "asked FF80"},
	};

	seen_init(2);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		for (unsigned m = 0; m < 4; m++) {
			struct tick_member *member = &seen.session->rings[m / 2].members[m % 2];

			member->policy = cases[i].is[m];
			member->tid = cases[i].tid;
			member->cpu = m ? (int32_t)m / 2 : cases[i].cpu; /* ring 1 is on CPU 1 */
		}
		look(200, 60);
		CHECK(shows(cases[i].wide), "'%s' in:\n%s", cases[i].wide, seen.text);
		look(80, 24);
		CHECK(shows(cases[i].narrow), "'%s' in:\n%s", cases[i].narrow, seen.text);
	}
	seen_finish();
}

static void rings_that_differ_are_mixed_until_they_end(void)
{
	static const struct {
		bool ended[3];
		const char *wide, *narrow;
	} cases[] = {
		{{false, false, false}, "  mixed policies as asked  mixed intervals  mixed sizes  ",
			"mixed policies  mixed pace"},
		{{false, false, true}, "  FIFO:80 as asked  every 1ms  size 4k  ", "  FF80  1ms"},
		{{true, true, false}, "  OTHER as asked  flood  size 64  ", "  OTH  flood"},
		{{true, true, true}, "  dma 0us held  clock 27ns  ", "  dma 0us"},
	};

	seen_init(3);
	struct session_ring *rings = seen.session->rings;

	rings[1].token_bytes = 4096; /* ring 0 carries none */
	rings[2].token_bytes = 64;
	rings[2].interval_ns = 0;
	rings[2].asked = (struct task_policy){SCHED_OTHER, 0};
	for (unsigned m = 0; m < 2; m++)
		rings[2].members[m].policy = rings[2].asked;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		for (unsigned r = 0; r < 3; r++)
			rings[r].ended_ns = cases[i].ended[r];
		look(200, 60);
		CHECK(shows(cases[i].wide), "'%s' in:\n%s", cases[i].wide, seen.text);
		look(80, 24);
		CHECK(shows(cases[i].narrow), "'%s' in:\n%s", cases[i].narrow, seen.text);
	}
	seen_finish();
}

static void header_fields_give_way_one_by_one(void)
{
	static const char *const fields[] = {/* the last to go first */
		"dma ", "PREEMPT_RT", "isol ", "FF80", "1ms", "6.1.0", "gov ", "smt "};

	seen_init(2);
	for (unsigned columns = 150; columns >= FRAME_COLUMNS_MIN; columns--) {
		bool gone = false;

		look(columns, 24);
		for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
			bool there = shows(fields[i]) || (i == 3 && shows("FIFO:80"));

			CHECK(!there || !gone, "%u: %s in:\n%s", columns, fields[i], seen.text);
			gone = gone || !there;
		}
	}
	seen_finish();
}

static void self_becomes_a_warning_while_ipctop_is_late(void)
{
	static const struct {
		unsigned columns;
		struct own_lateness late;
		const char *text;
	} cases[] = {
		{200, {0}, "self 0.4%"},
		{200, {.n = 1, .last_ns = 3149000000}, "self late 3.1s  "},
		{200, {.n = 7, .last_ns = 3149000000}, "self late 3.1s, 7 times"},
		{80, {.n = 7, .last_ns = 20000000000}, "self late 20.0s"},
	};

	seen_init(2);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		seen.session->own_lateness = cases[i].late;
		look(cases[i].columns, 24);
		CHECK(shows(cases[i].text), "case %zu: %s", i, seen.text);
	}
	seen_finish();
}

static void it_is_live_while_a_ring_runs_or_waits(void)
{
	static const struct {
		enum ring_state states[2];
		enum ring_condition condition; /* of the second one */
		bool is_live;
	} cases[] = {
		{{RING_RUNNING, RING_RUNNING}, CONDITION_FINE, true},
		{{RING_PAUSED, RING_RUNNING}, CONDITION_STARVED, true},
		{{RING_FAILED, RING_PLANNED}, CONDITION_FINE, true},
		{{RING_PAUSED, RING_PAUSED}, CONDITION_WAITING, true},
		{{RING_PAUSED, RING_PAUSED}, CONDITION_FINE, false},
		{{RING_FAILED, RING_DONE}, CONDITION_FINE, false},
		{{RING_GONE, RING_GONE}, CONDITION_FINE, false},
	};

	seen_init(2);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		for (size_t r = 0; r < 2; r++)
			seen.session->rings[r].state = cases[i].states[r];
		seen.session->rings[1].condition = cases[i].condition;
		look(80, 24);
		CHECK(shows("LIVE 1.0s") == cases[i].is_live && shows("IDLE") != cases[i].is_live,
			"case %zu: %s", i, seen.text);
	}
	seen_finish();
}

static void removed_rings_leave_the_numbers_of_rings_and_turns(void)
{
	static const struct {
		unsigned turns[4], current, n_removed, removed[4];
		const char *pairs, *turn; /* "": no turn is shown */
	} cases[] = {
		{{0, 1, 2, 3}, 2, 0, {0}, "  4 pairs  ", "  turn 3/4  "},
		{{0, 1, 2, 3}, 2, 1, {1}, "  3 pairs  ", "  turn 2/3  "},
		{{0, 1, 2, 3}, 2, 2, {3, 0}, "  2 pairs  ", "  turn 2/2  "},
		{{0, 1, 2, 3}, 2, 3, {3, 0, 1}, "  1 pair  ", ""},
		{{0, 1, 1, 2}, 1, 1, {1}, "  3 pairs  ", "  turn 2/3  "}, /* another ring has this turn */
		{{0, 1, 2, 3}, 3, 1, {3}, "  3 pairs  ", "  turn 3/3  "}, /* until the next turn begins */
		{{0, 1, 2, 3}, 0, 4, {0, 1, 2, 3}, "  0 pairs  ", ""},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		seen_init(4);
		seen.session->n_turns = 4;
		seen.session->turn = cases[i].current;
		for (size_t r = 0; r < 4; r++)
			seen.session->rings[r].turn = cases[i].turns[r];
		for (size_t r = 0; r < cases[i].n_removed; r++)
			seen.session->rings[cases[i].removed[r]].ended_ns = 1;
		look(200, 24);
		CHECK(shows(cases[i].pairs), "case %zu: %s", i, seen.text);
		CHECK(*cases[i].turn ? shows(cases[i].turn) : !shows("  turn "), "case %zu: %s", i,
			seen.text);
		seen_finish();
	}
}

int main(void)
{
	setlocale(LC_CTYPE, "C.UTF-8");
	TEST(dma_latency_is_told_in_words);
	TEST(the_rate_is_that_of_the_last_whole_second);
	TEST(a_narrow_header_says_what_matters_most);
	TEST(a_hunt_says_which_load_of_how_many_and_when_it_ends);
	TEST(a_wide_header_says_it_all_in_full);
	TEST(rested_slots_are_apart_from_all_that_were_missed);
	TEST(a_sweep_without_cells_has_no_fields_of_rings);
	TEST(members_are_told_as_asked_and_as_they_are);
	TEST(rings_that_differ_are_mixed_until_they_end);
	TEST(removed_rings_leave_the_numbers_of_rings_and_turns);
	TEST(header_fields_give_way_one_by_one);
	TEST(it_is_live_while_a_ring_runs_or_waits);
	TEST(self_becomes_a_warning_while_ipctop_is_late);
	return tap_done();
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_ui_members.c - the lines of a pair's members in its detail. */
#include <locale.h>
#include <sched.h>

#include "tests/unit/screen_fixture.h"
#include "tests/unit/tap.h"

static void a_member_has_a_line_with_the_commands_that_change_it(void)
{
	static const struct {
		struct task_policy asked, is;
		int32_t cpu;
		uint32_t n_cpus;
		const char *text;
		enum ring_condition condition;
	} cases[] = {
		{{SCHED_FIFO, 80}, {SCHED_FIFO, 80}, 5, 1,
			"4711  FF80  cpu 5  chrt -f -p 80 4711  taskset -pc 5 4711"},
		{{SCHED_FIFO, 80}, {SCHED_OTHER, 0}, 5, 1,
			"4711  OTH asked FF80  cpu 5  chrt -f -p 80 4711  taskset -pc 5 4711"},
		{{SCHED_OTHER, 0}, {SCHED_OTHER, 0}, 5, 1,
			"4711  OTH  cpu 5  chrt -f -p 80 4711  taskset -pc 5 4711"},
		{{SCHED_OTHER, 0}, {SCHED_RR, 5}, 5, 1,
			"4711  RR5 asked OTH  cpu 5  chrt -o -p 0 4711  taskset -pc 5 4711"},
		{{SCHED_OTHER, 0}, {SCHED_OTHER, 0, 19}, 5, 1,
			"4711  OTH nice 19 asked OTH  cpu 5  renice 0 -p 4711"},
		{{SCHED_OTHER, 0, 10}, {SCHED_OTHER, 0, -5}, 5, 1,
			"4711  OTH nice -5 asked OTH nice 10  cpu 5  renice 10 -p 4711"},
		{{SCHED_BATCH, 0, 10}, {SCHED_BATCH, 0, 10}, 5, 1,
			"4711  BAT nice 10  cpu 5  chrt -f -p 80 4711"},
		{{SCHED_FIFO, 80}, {SCHED_OTHER, 0, 19}, 5, 1,
			"4711  OTH nice 19 asked FF80  cpu 5  chrt -f -p 80 4711"},
		{{SCHED_BATCH, 0}, {SCHED_RR, 5}, 5, 1, "chrt -b -p 0 4711"},
		{{SCHED_IDLE, 0}, {SCHED_RR, 5}, 5, 1, "chrt -i -p 0 4711"},
		{{SCHED_RR, 7}, {SCHED_RR, 7}, 5, 1, "chrt -r -p 7 4711"},
		{{SCHED_FIFO, 80}, {SCHED_FIFO, 80}, 3, 1, "4711  FF80  cpu 3 asked 5  chrt -f -p 80 4711"},
		{{SCHED_FIFO, 80}, {SCHED_FIFO, 80}, -1, 4, "4711  FF80  4 cpus asked 5  chrt -f -p 80 4711"},
		{{SCHED_FIFO, 80}, {SCHED_FIFO, 80}, -1, 4, "4711  FF80  4 cpus away from 5  chrt",
			CONDITION_OFFLINE},
		{{SCHED_FIFO, 80}, {SCHED_FIFO, 80}, 3, 1, "4711  FF80  cpu 3 away from 5  chrt",
			CONDITION_EXCLUDED},
	};

	seen_init(1);
	view_open(&seen.frame, views_table[VIEW_DETAIL]);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct session_ring *ring = &seen.session->rings[0];

		ring->asked = cases[i].asked;
		ring->condition = cases[i].condition;
		for (unsigned m = 0; m < 2; m++) {
			ring->cpus[m] = 5;
			ring->members[m] = (struct tick_member){.pid = 100,
				.tid = 4711,
				.policy = cases[i].is,
				.cpu = cases[i].cpu,
				.n_cpus = cases[i].n_cpus};
		}
		look(80, 24);
		CHECK(strstr(line_with("member 0"), cases[i].text), "%s in '%s'", cases[i].text,
			line_with("member 0"));
		CHECK(strstr(line_with("member 1"), cases[i].text), "%s", line_with("member 1"));
	}
	/* A command that does not fit is not there: half of one would do something else. */
	look(60, 24);
	CHECK(shows("chrt -f -p 80 4711") && !shows("taskset"), "%s", seen.text);
	seen.session->rings[0].members[1].tid = 0;
	look(80, 24);
	CHECK(strstr(line_with("member 1"), "not started") && !strstr(line_with("member 1"), "chrt"));
	seen_finish();
}

static void tasks_that_have_ended_get_no_commands(void)
{
	static const struct {
		bool is_replay;
		uint64_t ended_ns;
		enum ring_state state;
		bool has_commands;
	} cases[] = {
		{false, 0, RING_RUNNING, true},
		{false, 0, RING_PAUSED, true},
		{false, 0, RING_DONE, true},
		{true, 0, RING_RUNNING, false},
		{false, 7, RING_GONE, false},
		{false, 0, RING_FAILED, false},
	};

	seen_init(1);
	view_open(&seen.frame, views_table[VIEW_DETAIL]);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		seen.frame.is_replay = cases[i].is_replay;
		seen.session->rings[0].ended_ns = cases[i].ended_ns;
		seen.session->rings[0].state = cases[i].state;
		look(120, 40);
		CHECK(strstr(line_with("member 0"), "FF80"), "case %zu: %s", i, seen.text);
		CHECK(shows("chrt") == cases[i].has_commands && shows("taskset") == cases[i].has_commands,
			"case %zu: %s", i, line_with("member 0"));
	}
	seen_finish();
}

static void a_member_says_on_which_node_its_hop_lies(void)
{
	static const struct {
		int32_t node;
		size_t n_nodes;
		unsigned columns;
		const char *text;
	} cases[] = {
		{0, 1, 120, "taskset -pc 0 200  hop on node 0"},
		{0, 1, 80, "taskset -pc 0 200"}, /* commands are worth more than what can't be otherwise */
		{1, 2, 80, "cpu 0  hop on node 1  chrt -f -p 80 200  taskset"},
		{1, 2, 60, "cpu 0  hop on node 1  chrt -f -p 80 200"},
		{1, 2, 42, "cpu 0  hop on node 1"},
		{HOP_NODE_SEVERAL, 2, 120, "cpu 0  hop on several nodes  chrt -f -p 80 200  taskset"},
		{HOP_NODE_UNKNOWN, 2, 120, "cpu 0  chrt -f -p 80 200  taskset -pc 0 200"},
	};

	seen_init(1);
	view_open(&seen.frame, views_table[VIEW_DETAIL]);
	struct session_ring *ring = &seen.session->rings[0];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		seen.session->machine.n_nodes = cases[i].n_nodes;
		ring->hops[0].node = cases[i].node;
		ring->hops[1].node = cases[i].node == HOP_NODE_UNKNOWN ? HOP_NODE_UNKNOWN : 7;
		look(cases[i].columns, 24);
		const char *line = line_with("member 0"), *at = strstr(line, cases[i].text);

		CHECK(at, "%zu: '%s'", i, line);
		CHECK(at && (cases[i].columns >= 120 || at[strlen(cases[i].text)] != 'h'), "%zu: '%s'", i,
			line);
		CHECK(cases[i].columns < 120 || cases[i].node == HOP_NODE_UNKNOWN ||
			strstr(line_with("member 1"), "hop on node 7"));
	}
	seen_finish();
}

static void members_that_do_not_fit_are_counted(void)
{
	static const struct {
		unsigned lines, shown;
		const char *more;
	} cases[] = {{16, 1, "+39 more"}, {24, 2, "+38 more"}, {60, 6, "+34 more"}};
	struct session_ring *ring;

	seen_init(1);
	view_open(&seen.frame, views_table[VIEW_DETAIL]);
	ring = &seen.session->rings[0];
	fake_hops(ring, 40);
	ring->n_members = 40;
	ring->members = realloc(ring->members, 40 * sizeof(*ring->members));
	ring->cpus = realloc(ring->cpus, 40 * sizeof(*ring->cpus));
	for (unsigned m = 0; m < 40; m++) {
		ring->members[m] =
			(struct tick_member){.tid = 1000 + (int)m, .policy = ring->asked, .n_cpus = 1};
		ring->cpus[m] = 0;
	}
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char last[32], next[32];

		look(80, cases[i].lines);
		snprintf(last, sizeof(last), "80 %u  taskset", 999 + cases[i].shown);
		snprintf(next, sizeof(next), "80 %u  taskset", 1000 + cases[i].shown);
		CHECK(shows(cases[i].more) && shows(last) && !shows(next), "%s", seen.text);
	}
	seen_finish();
}

int main(void)
{
	setlocale(LC_CTYPE, "C.UTF-8");
	TEST(a_member_has_a_line_with_the_commands_that_change_it);
	TEST(tasks_that_have_ended_get_no_commands);
	TEST(a_member_says_on_which_node_its_hop_lies);
	TEST(members_that_do_not_fit_are_counted);
	return tap_done();
}

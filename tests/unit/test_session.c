/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_session.c - the model: sums of ticks, and what becomes an event. */
#include "src/model/session.h"

#include "src/figures/spike.h"
#include "src/model/session_turns.h"
#include "tests/unit/session_fixture.h"
#include "tests/unit/tap.h"

enum { MS = 1000000 };

static void ticks_add_up(void)
{
	struct fixture *f = fixture_create(2, MS);
	const struct session_ring *ring = &f->session.rings[1];
	const struct hist *hist = &ring->figures[FIGURE_FIRST].hist;

	fixture_sample(f, 1, FIGURE_FIRST, 1000, 10);
	fixture_sample(f, 1, FIGURE_FIRST, 5000, 1);
	f->rings[1].laps = 11;
	f->rings[1].missed = 3;
	f->rings[1].active_ns = FIXTURE_TICK_NS;
	CHECK(fixture_feed(f) == 0);
	fixture_sample(f, 1, FIGURE_FIRST, 900, 5);
	f->rings[1].laps = 5;
	CHECK(fixture_feed(f) == 0);
	CHECK(hist->n == 16);
	CHECK(hist->sum_ns == 10 * 1000 + 5000 + 5 * 900);
	CHECK(hist->min_ns == 900 && hist->max_ns == 5000);
	CHECK(hist->max_at_ns == FIXTURE_START_NS + FIXTURE_TICK_NS - 1000);
	CHECK(ring->figures[FIGURE_FIRST].hist.last_ns == 900);
	CHECK(ring->laps == 16 && ring->missed == 3 && ring->active_ns == 2 * FIXTURE_TICK_NS);
	CHECK(f->session.rings[0].figures[FIGURE_FIRST].hist.n == 0);
	CHECK(f->session.start_ns == FIXTURE_START_NS);
	CHECK(f->session.now_ns == FIXTURE_START_NS + 2 * FIXTURE_TICK_NS);
	CHECK(f->session.n_ticks == 2 && f->session.n_events == 0);
	CHECK(strcmp(f->session.loadavg, "0.01 0.02 0.03 1/99 4711") == 0);
	fixture_destroy(f);
}

static void own_cost_is_of_the_last_tick_that_was_not_cut_short(void)
{
	static const struct {
		uint64_t ms;
		uint32_t own_ppm, shown_ppm;
	} ticks[] = {{10, 500000, 500000}, {500, 1000, 1000}, {3, 85000, 1000}, {0, 0, 1000},
		{25, 20000, 20000}, {500, 0, 0}};
	struct fixture *f = fixture_create(1, MS);

	for (size_t i = 0; i < sizeof(ticks) / sizeof(*ticks); i++) {
		f->tick.end_ns = f->tick.start_ns + ticks[i].ms * MS;
		f->tick.own_cpu_ppm = ticks[i].own_ppm;
		CHECK(fixture_feed(f) == 0);
		CHECK(f->session.own_cpu_ppm == ticks[i].shown_ppm, "tick %zu: %u", i,
			f->session.own_cpu_ppm);
	}
	fixture_destroy(f);
}

static void the_recorders_cost_is_summed_and_that_of_the_last_tick_is_known(void)
{
	static const struct {
		uint64_t ms, ns, n;
		uint32_t ppm, hz;
	} ticks[] = {{500, 5 * MS, 1000, 10000, 2000}, {3, MS, 10, 10000, 2000}, {1000, MS, 500, 1000, 500}};
	struct fixture *f = fixture_create(1, MS);

	for (size_t i = 0; i < sizeof(ticks) / sizeof(*ticks); i++) {
		f->tick.end_ns = f->tick.start_ns + ticks[i].ms * MS;
		f->tick.recorder_ns = ticks[i].ns;
		f->tick.n_recorded = ticks[i].n;
		CHECK(fixture_feed(f) == 0);
		CHECK(f->session.recorder_ppm == ticks[i].ppm && f->session.recorded_hz == ticks[i].hz,
			"tick %zu: %u ppm, %u Hz", i, f->session.recorder_ppm, f->session.recorded_hz);
	}
	CHECK(f->session.recorder_ns == 7 * MS && f->session.n_recorded == 1510);
	f->tick.recorder_ns = f->tick.n_recorded = UINT64_MAX;
	CHECK(fixture_feed(f) == 0 && f->session.recorded_hz == UINT32_MAX);
	fixture_destroy(f);
}

static void a_changed_policy_is_an_event_with_the_thread(void)
{
	struct fixture *f = fixture_create(2, MS);

	fixture_feed(f);
	f->members[1].policy = (struct task_policy){SCHED_OTHER, 0};
	fixture_feed(f);
	CHECK(f->session.n_events == 1);
	CHECK(f->session.events[0].kind == EVENT_MEMBER_CHANGED && f->session.events[0].ring == 0);
	CHECK(strcmp(fixture_event(f, 0), "mq 0>0 member 1 (tid 4002): FIFO:80 -> OTHER") == 0, "%s",
		fixture_event(f, 0));
	CHECK(session_member_differs(&f->session.rings[0], 1) &&
		!session_member_differs(&f->session.rings[0], 0) && !f->session.rings[0].refused);
	fixture_feed(f);
	CHECK(f->session.n_events == 1, "told once");
	f->members[1].policy = (struct task_policy){SCHED_FIFO, 80};
	f->members[1].cpu = -1;
	f->members[1].n_cpus = 2;
	fixture_feed(f);
	CHECK(f->session.n_events == 3);
	CHECK(strcmp(fixture_event(f, 1), "mq 0>0 member 1 (tid 4002): CPU 0 -> any of 2 CPUs") == 0, "%s",
		fixture_event(f, 1));
	CHECK(strcmp(fixture_event(f, 0), "mq 0>0 member 1 (tid 4002): OTHER -> FIFO:80") == 0, "%s",
		fixture_event(f, 0));
	fixture_destroy(f);
}

static void a_nice_value_is_a_change_of_scheduling(void)
{
	struct fixture *f = fixture_create(1, MS);
	struct session_ring *ring = &f->session.rings[0];

	f->session.auto_phase = true;
	ring->asked = f->members[0].policy = f->members[1].policy = (struct task_policy){SCHED_OTHER, 0, 10};
	fixture_feed(f);
	CHECK(f->session.n_events == 0 && !session_member_differs(ring, 0), "ipctop was started with it");
	f->members[0].policy.nice = f->members[1].policy.nice = 19;
	fixture_feed(f);
	CHECK(session_member_differs(ring, 0) && session_member_differs(ring, 1));
	CHECK(f->session.n_events == 1 && f->session.events[0].kind == EVENT_MEMBER_CHANGED);
	CHECK(strstr(fixture_event(f, 0), ": OTHER nice 10 -> OTHER nice 19"), "%s", fixture_event(f, 0));
	CHECK(f->session.phases.n == 2);
	CHECK(strcmp(f->session.phases.list[1].name, "mq 0>0: OTHER nice 10 -> OTHER nice 19") == 0, "%s",
		f->session.phases.list[1].name);
	f->members[0].policy.nice = f->members[1].policy.nice = 0;
	fixture_feed(f);
	CHECK(strstr(fixture_event(f, 0), ": OTHER nice 19 -> OTHER"), "%s", fixture_event(f, 0));
	fixture_destroy(f);
}

static void what_was_refused_from_the_start_is_one_warning(void)
{
	struct fixture *f = fixture_create(1, MS);

	f->rings[0].state = RING_OPENING;
	f->rings[0].reason = "no right to real-time scheduling";
	f->members[0].policy = f->members[1].policy = (struct task_policy){SCHED_OTHER, 0};
	fixture_feed(f);
	CHECK(f->session.n_events == 0, "members that are being set up are not judged");
	f->rings[0].state = RING_RUNNING;
	fixture_feed(f);
	fixture_feed(f);
	CHECK(f->session.n_events == 1);
	CHECK(f->session.events[0].kind == EVENT_POLICY_REFUSED);
	CHECK(strcmp(fixture_event(f, 0),
		      "mq 0>0 runs as OTHER, FIFO:80 was requested: no right to real-time scheduling") == 0,
		"%s", fixture_event(f, 0));
	CHECK(strcmp(f->session.rings[0].reason, "no right to real-time scheduling") == 0);
	CHECK(f->session.rings[0].refused);
	f->members[1].cpu = 7;
	fixture_feed(f);
	CHECK(f->session.rings[0].refused, "a member was moved, its policy is still refused");
	f->members[0].policy = f->members[1].policy = (struct task_policy){SCHED_RR, 5};
	fixture_feed(f);
	CHECK(!f->session.rings[0].refused && session_member_differs(&f->session.rings[0], 0));
	fixture_destroy(f);
}

static void the_same_for_a_thousand_rings_is_told_once(void)
{
	struct fixture *f = fixture_create(1024, MS);

	for (size_t m = 0; m < f->tick.n_members; m++)
		f->members[m].policy = (struct task_policy){SCHED_OTHER, 0};
	fixture_feed(f);
	CHECK(f->session.n_events == 1);
	CHECK(f->session.events[0].ring == -1);
	CHECK(strcmp(fixture_event(f, 0),
		      "mq 0>0, mq 1>1, mq 2>2 and 1021 more rings run as OTHER, FIFO:80 was requested") == 0,
		"%s", fixture_event(f, 0));
	f->rings[7].state = f->rings[900].state = RING_FAILED;
	f->rings[7].reason = f->rings[900].reason = "no queue";
	f->rings[8].state = RING_FAILED;
	f->rings[8].reason = "another";
	fixture_feed(f);
	CHECK(f->session.n_events == 3);
	CHECK(f->session.events[1].kind == EVENT_RING_FAILED && f->session.events[1].ring == 8);
	CHECK(strcmp(fixture_event(f, 1), "mq 8>8 failed: another") == 0, "%s", fixture_event(f, 1));
	CHECK(strcmp(fixture_event(f, 0), "mq 7>7, mq 900>900 failed: no queue") == 0, "%s",
		fixture_event(f, 0));
	f->rings[8].state = RING_RUNNING;
	f->rings[8].reason = NULL;
	fixture_feed(f);
	CHECK(strcmp(fixture_event(f, 0), "mq 8>8 runs again") == 0, "%s", fixture_event(f, 0));
	CHECK(f->session.rings[8].reason == NULL);
	fixture_destroy(f);
}

static void a_starved_ring_is_told_with_how_long_it_waited(void)
{
	struct fixture *f = fixture_create(1, MS);

	fixture_feed(f);
	f->rings[0].condition = CONDITION_STARVED;
	f->rings[0].age_ns = 400 * MS;
	fixture_feed(f);
	CHECK(f->session.rings[0].age_ns == 400 * MS);
	CHECK(strcmp(fixture_event(f, 0), "mq 0>0 is starved") == 0, "%s", fixture_event(f, 0));
	f->rings[0].age_ns = 900 * MS;
	fixture_feed(f);
	f->rings[0].condition = CONDITION_FINE;
	f->rings[0].age_ns = 0;
	fixture_sample(f, 0, FIGURE_RESPONSE, 1234567890, 1);
	fixture_feed(f);
	CHECK(f->session.n_events == 2);
	/* Max has the same length: the last tick knew only the age until then. */
	CHECK(f->session.rings[0].figures[FIGURE_RESPONSE].hist.max_ns == 1234567890);
	CHECK(strcmp(fixture_event(f, 0), "mq 0>0 is no longer starved; the wait grew to 1.235 s") == 0, "%s",
		fixture_event(f, 0));
	CHECK(f->session.rings[0].wait_ns == 0);
	fixture_destroy(f);
}

static void samples_are_no_wait_of_a_ring_that_was_away(void)
{
	struct fixture *f = fixture_create(1, MS);

	f->rings[0].condition = CONDITION_OFFLINE;
	fixture_feed(f);
	f->rings[0].condition = CONDITION_FINE;
	fixture_sample(f, 0, FIGURE_RESPONSE, 12000, 1);
	fixture_feed(f);
	CHECK(strcmp(fixture_event(f, 0), "mq 0>0 is no longer offline") == 0, "%s", fixture_event(f, 0));
	fixture_destroy(f);
}

static void a_turn_that_ends_ends_no_trouble_but_a_stop_that_is_over(void)
{
	static const struct {
		enum ring_state state;
		enum ring_condition condition;
		uint64_t age_ns;
		size_t n_events;
		const char *text;
		uint64_t laps; /* in a turn between two ticks */
	} rows[] = {
		{RING_PAUSED, CONDITION_WAITING, 0, 0, NULL},
		{RING_RUNNING, CONDITION_STARVED, 500 * MS, 1, "mq 0>0 is starved"},
		{RING_RUNNING, CONDITION_WAITING, 0, 1, NULL},
		{RING_RUNNING, CONDITION_STARVED, 300 * MS, 1, NULL},
		{RING_PAUSED, CONDITION_WAITING, 0, 1, NULL},
		{RING_RUNNING, CONDITION_FINE, 0, 2,
			"mq 0>0 is no longer starved; the wait grew to 500.000 ms"},
		{RING_RUNNING, CONDITION_LATE, 200 * MS, 3, "mq 0>0 is late"},
		{RING_PAUSED, CONDITION_WAITING, 0, 4,
			"mq 0>0 is no longer late; the wait grew to 200.000 ms", 7},
		{RING_RUNNING, CONDITION_LATE, 200 * MS, 5, "mq 0>0 is late"},
		{RING_RUNNING, CONDITION_FINE, 0, 6, NULL},
		{RING_RUNNING, CONDITION_STOPPED, 300 * MS, 7, "mq 0>0 is stopped"},
		{RING_RUNNING, CONDITION_WAITING, 0, 7,
			NULL}, /* its origin has not obeyed, maybe as it is stopped */
		{RING_PAUSED, CONDITION_WAITING, 0, 8,
			"mq 0>0 is no longer stopped; the wait grew to 300.000 ms"},
		{RING_RUNNING, CONDITION_LATE, 200 * MS, 9, "mq 0>0 is late"},
		{RING_GONE, CONDITION_FINE, 0, 9, NULL}, /* the run ends, and it is late still */
	};
	struct fixture *f = fixture_create(1, MS);

	fixture_feed(f);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		f->rings[0].state = rows[i].state;
		f->rings[0].condition = rows[i].condition;
		f->rings[0].age_ns = rows[i].age_ns;
		f->rings[0].laps = rows[i].laps;
		fixture_feed(f);
		CHECK(f->session.n_events == rows[i].n_events, "row %zu: %zu events", i, f->session.n_events);
		CHECK(!rows[i].text || !strcmp(fixture_event(f, 0), rows[i].text), "row %zu: %s", i,
			fixture_event(f, 0));
	}
	fixture_destroy(f);
}

static void laps_that_are_all_late_are_told_once(void)
{
	static const struct {
		const char *what;
		uint64_t interval_ns;
		uint32_t laps;
		bool has_first;
		size_t n_events;
	} cases[] = {
		{"all late", MS, 15, false, 1},
		{"some in time", MS, 15, true, 0},
		{"flood has none", 0, 15, false, 0},
		{"too few to tell", MS, 4, false, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct fixture *f = fixture_create(1, cases[i].interval_ns);

		for (int tick = 0; tick < 4; tick++) {
			f->rings[0].laps = cases[i].laps;
			fixture_sample(f, 0, FIGURE_LAP, 3 * MS, cases[i].laps);
			if (cases[i].has_first && tick == 0)
				fixture_sample(f, 0, FIGURE_FIRST, MS, 1);
			fixture_feed(f);
		}
		CHECK(f->session.n_events == cases[i].n_events, "%s: %zu events", cases[i].what,
			f->session.n_events);
		CHECK(!f->session.n_events || strstr(fixture_event(f, 0), "mq 0>0: no first hop: laps "),
			"%s", fixture_event(f, 0));
		fixture_destroy(f);
	}
}

static void throttling_names_what_throttles(void)
{
	static const struct {
		bool fair_server;
		int64_t runtime_us;
		const char *text;
	} cases[] = {
		{false, 950000, "mq 0>0 is throttled: sched_rt_runtime_us is 950000 of 1000000"},
		{true, 950000,
			"mq 0>0 is throttled: the kernel's fair server gives 50 ms of each second to other tasks"},
		{false, INT64_MIN, "mq 0>0 is throttled: see sched_rt_runtime_us"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct fixture *f = fixture_create(1, MS);

		f->session.machine.fair_server = cases[i].fair_server;
		f->session.machine.rt_runtime_us = cases[i].runtime_us;
		f->rings[0].condition = CONDITION_THROTTLED;
		fixture_feed(f);
		CHECK(strcmp(fixture_event(f, 0), cases[i].text) == 0, "%s", fixture_event(f, 0));
		fixture_destroy(f);
	}
}

/* Its gap is over when it is seen: the word's end tells how long it was. */
static void throttling_tells_how_long_the_gap_was(void)
{
	struct fixture *f = fixture_create(1, 0);

	f->session.machine.fair_server = true;
	f->rings[0].condition = CONDITION_THROTTLED;
	fixture_sample(f, 0, FIGURE_LAP, 50043000, 1);
	fixture_feed(f);
	f->rings[0].condition = CONDITION_FINE;
	fixture_sample(f, 0, FIGURE_LAP, 1000, 1);
	fixture_feed(f);
	CHECK(!strcmp(fixture_event(f, 0), "mq 0>0 is no longer throttled; the wait grew to 50.043 ms"), "%s",
		fixture_event(f, 0));
	fixture_destroy(f);
}

static void a_member_that_is_gone_keeps_what_was_known_of_it(void)
{
	struct fixture *f = fixture_create(1, MS);

	fixture_feed(f);
	f->members[0] = (struct tick_member){.policy = {.policy = -1}, .cpu = -1};
	f->members[1].policy = (struct task_policy){.policy = -1};
	f->rings[0].state = RING_GONE;
	fixture_feed(f);
	CHECK(f->session.rings[0].members[0].tid == 4001);
	CHECK(f->session.rings[0].members[1].policy.priority == 80);
	CHECK(f->session.n_events == 0, "an end is no change: %s", fixture_event(f, 0));
	fixture_destroy(f);
}

static void a_ring_that_ran_and_ended_between_two_ticks_was_running(void)
{
	static const struct {
		uint64_t active_ns;
		enum ring_state state;
	} cases[] = {{0, RING_PLANNED}, {1, RING_RUNNING}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct fixture *f = fixture_create(1, MS);

		f->rings[0].state = RING_PLANNED;
		fixture_feed(f);
		f->rings[0].state = RING_GONE;
		f->rings[0].active_ns = cases[i].active_ns;
		fixture_feed(f);
		CHECK(f->session.rings[0].state == cases[i].state);
		fixture_destroy(f);
	}
}

static void changes_of_the_machine_are_events(void)
{
	struct fixture *f = fixture_create(1, MS);
	struct machine machine = machine_copy(&f->session.machine);

	CHECK(session_machine(&f->session, &machine, 5) == 0 && f->session.n_events == 0);
	machine.dma_latency_us = 0;
	machine.governor = fact_rows_parse("0-3:performance");
	machine.rt_runtime_us = -1;
	CHECK(session_machine(&f->session, &machine, 6) == 0);
	CHECK(f->session.n_events == 3);
	CHECK(f->session.events[0].kind == EVENT_MACHINE && f->session.events[0].at_ns == 6);
	CHECK(strcmp(fixture_event(f, 2), "dma latency: none -> 0 us") == 0, "%s", fixture_event(f, 2));
	CHECK(strcmp(fixture_event(f, 1), "governor: none -> performance") == 0, "%s", fixture_event(f, 1));
	CHECK(strcmp(fixture_event(f, 0), "sched_rt_runtime_us: 950000 -> -1") == 0, "%s",
		fixture_event(f, 0));
	CHECK(f->session.machine.dma_latency_us == 0);
	machine_finish(&machine);
	fixture_destroy(f);
}

static const struct machine_fact *fact_of(const char *key)
{
	size_t i = 0;

	while (strcmp(machine_facts[i].field.key, key) != 0)
		i++;
	return &machine_facts[i];
}

static void facts_of_cpus_and_interrupts_that_change_are_events(void)
{
	static const struct {
		const char *fact, *is, *event;
	} rows[] = {
		{"irq_affinity", "24-30:0-1", "irq affinity: absent -> 24-30:0-1"},
		{"irq_affinity", "24-28:0-1 29:0 30:0-1", "irq affinity of irq 29: CPUs 0-1 -> CPU 0"},
		{"irq_affinity", "24-30:1", "irq affinity of irqs 24-30: 6 CPUs 0-1, 1 CPU 0 -> CPU 1"},
		{"irq_affinity", "24-29:1", "irq affinity of irq 30: CPU 1 -> none"},
		{"irq_affinity", "24-25:1 26-29:1", NULL},
		{"irq_affinity", "not readable", "irq affinity: 24-29:1 -> not readable"},
		{"member_slack", "71-72:1ns", NULL}, /* they have just begun */
		{"member_slack", "71:1ns 72:9ns 73:1ns", "timer slack of task 72: 1ns -> 9ns"},
		{"member_slack", "", NULL},
		{"governor", "0-3:powersave", "governor: none -> powersave"},
		{"governor", "0-2:powersave 3:performance", "governor of CPU 3: powersave -> performance"},
		{"governor", "0:performance 1:powersave 2-3:performance",
			"governor of CPUs 0,2: powersave -> performance"},
		{"governor", "0-3:ondemand", "governor: 3 performance, 1 powersave -> ondemand"},
		{"governor", "0-1:ondemand 3:ondemand", NULL},
		{"governor", "0-3:ondemand", NULL},
		{"governor", "", "governor: ondemand -> none"},
	};
	struct fixture *f = fixture_create(1, MS);
	struct machine machine = machine_copy(&f->session.machine);
	size_t n = 0;

	f->session.machine.irq_affinity = fact_rows_parse("absent");
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		machine_set_text(&machine, fact_of(rows[i].fact), rows[i].is);
		CHECK(session_machine(&f->session, &machine, 5 + i * 20000 * MS) == 0);
		n += rows[i].event != NULL;
		CHECK(f->session.n_events == n, "row %zu: %s", i, fixture_event(f, 0));
		CHECK(!rows[i].event || strcmp(fixture_event(f, 0), rows[i].event) == 0, "row %zu: %s", i,
			fixture_event(f, 0));
	}
	machine_finish(&machine);
	fixture_destroy(f);
}

static void a_fact_that_goes_back_again_and_again_is_one_event(void)
{
	static const struct {
		uint64_t at_ms;
		const char *fact, *is, *event;
		size_t n_events;
	} rows[] = {
		{1000, "clock_source", "tsc", "clock source: hpet -> tsc", 1},
		{2000, "clock_source", "hpet", "clock source: tsc -> hpet", 2},
		{3000, "clock_source", "tsc", "clock source: 3 changes in 2.000 s, the last to tsc", 3},
		{4000, "clock_source", "hpet", "clock source: 4 changes in 3.000 s, the last to hpet", 3},
		{6500, "clock_source", "tsc", "clock source: 5 changes in 5.500 s, the last to tsc", 3},
		{7500, "clock_source", "jiffies", "clock source: tsc -> jiffies", 4},
		{8500, "clock_source", "tsc", "clock source: jiffies -> tsc", 5},
		{9500, "clock_source", "jiffies", "clock source: 3 changes in 2.000 s, the last to jiffies",
			6},
		{13000, "clock_source", "hpet", "clock source: jiffies -> hpet", 7},
		/* somebody who tunes */
		{17000, "clock_source", "tsc", "clock source: hpet -> tsc", 8},
		{21000, "clock_source", "hpet", "clock source: tsc -> hpet", 9},
		{25000, "clock_source", "tsc", "clock source: hpet -> tsc", 10},
		{31000, "swappiness", "61", "vm.swappiness: 60 -> 61", 11},
		{32600, "swappiness", "62", "vm.swappiness: 61 -> 62", 12},
		{34200, "swappiness", "63", "vm.swappiness: 62 -> 63", 13},
		{35800, "swappiness", "64", "vm.swappiness: 63 -> 64", 14},
		/* through three values */
		{37400, "swappiness", "61", "vm.swappiness: 5 changes in 6.400 s, the last to 61", 15},
		{39000, "swappiness", "62", "vm.swappiness: 6 changes in 8.000 s, the last to 62", 15},
		{40600, "swappiness", "70", "vm.swappiness: 62 -> 70", 16},
		/* a count */
		{50000, "smis", "1", "SMIs: none -> 1", 17},
		{51000, "smis", "2", "SMIs: 1 -> 2", 18},
		{52000, "smis", "3", "SMIs: 3 changes in 2.000 s, the last to 3", 19},
		{53000, "smis", "4", "SMIs: 4 changes in 3.000 s, the last to 4", 19},
	};
	struct fixture *f = fixture_create(1, MS);
	struct machine machine = machine_copy(&f->session.machine);

	strcpy(machine.clock_source, "hpet");
	strcpy(machine.swappiness, "60");
	strcpy(machine.smis, "none");
	f->session.machine = machine_copy(&machine);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		machine_set_text(&machine, fact_of(rows[i].fact), rows[i].is);
		CHECK(session_machine(&f->session, &machine, rows[i].at_ms * MS) == 0);
		CHECK(f->session.n_events == rows[i].n_events, "row %zu: %zu", i, f->session.n_events);
		CHECK(strcmp(fixture_event(f, 0), rows[i].event) == 0, "row %zu: %s", i, fixture_event(f, 0));
	}
	machine_finish(&machine);
	fixture_destroy(f);
}

/* Sets a fact, and feeds a tick. */
static void change_and_feed(struct fixture *f, const char *fact, const char *is)
{
	struct machine machine = machine_copy(&f->session.machine);

	machine_set_text(&machine, fact_of(fact), is);
	fixture_next(f);
	CHECK(session_machine(&f->session, &machine, f->tick.end_ns) == 0);
	CHECK(session_feed(&f->session, &f->tick) == 0);
	machine_finish(&machine);
}

static const char *governor_of(const struct machine *machine)
{
	const char *text = machine_text(machine, fact_of("governor"));

	return text ? text : "";
}

static void a_fact_that_bears_on_members_begins_a_phase(void)
{
	struct fixture *f = fixture_create(1, MS);
	struct session *session = &f->session;

	session->machine.governor = fact_rows_parse("0-1:powersave");
	strcpy(session->machine.clock_source, "tsc");
	for (int i = 0; i < 6; i++)
		change_and_feed(f, "clock_source", "tsc");
	CHECK(session->phases.n == 1);
	change_and_feed(f, "console_level", "7");
	CHECK(session->phases.n == 1, "it bears on no member");
	change_and_feed(f, "governor", "0-1:performance");
	CHECK(session->phases.n == 2);
	struct phase *phase = phases_current(&session->phases), *before = &session->phases.list[0];

	CHECK(phase->cause == PHASE_CHANGE && strcmp(phase->name, "governor: powersave -> performance") == 0,
		"%s", phase->name);
	CHECK(strcmp(governor_of(&before->conditions.machine), "powersave") == 0);
	change_and_feed(f, "clock_source", "hpet");
	CHECK(session->phases.n == 2 &&
			strcmp(phase->name, "governor: powersave -> performance and 1 more") == 0,
		"those within a second are one: %s", phase->name);
	CHECK(strcmp(governor_of(&phase->conditions.machine), "performance") == 0);
	for (int i = 0; i < 6; i++)
		change_and_feed(f, "clock_source", "hpet");
	CHECK(session_phases_begin(session, "a mark", 0) == 0 && session->phases.n == 3);
	change_and_feed(f, "governor", "0-1:powersave");
	CHECK(session->phases.n == 3, "the mark is meant for it");
	for (int i = 0; i < 40; i++) {
		change_and_feed(f, "clock_source", i % 2 ? "hpet" : "tsc");
		CHECK(session->phases.n <= 5, "one that flaps begins no more phases");
	}
	for (int i = 0; i < 6; i++)
		change_and_feed(f, "clock_source", "hpet");
	change_and_feed(f, "preemption", "none");
	phase = phases_current(&session->phases);
	CHECK(strcmp(phase->name, "preemption: full -> none") == 0, "%s", phase->name);
	size_t n = session->phases.n;

	session->auto_phase = false;
	change_and_feed(f, "governor", "0-1:ondemand");
	CHECK(session->phases.n == n);
	fixture_destroy(f);
}

static void interrupts_begin_a_phase_that_come_to_a_member_or_leave_it(void)
{
	static const struct {
		const char *fact, *is;
		bool begins;
	} rows[] = {
		{"irq_affinity", "24:2-3 25:2", false},
		{"irq_affinity", "24:0,2-3 25:2", true}, /* the member's is 0 */
		{"irq_affinity", "24:0,2-3 25:3", false},
		{"irq_affinity", "24:0,2 25:3", false},
		{"irq_affinity", "24:2 25:3", true},
		{"irq_effective", "24:2 25:3", false},
		{"irq_effective", "24:0 25:3", false}, /* it follows what was requested */
		{"irq_default", "3", false},
		{"idle_latency", "0-3:9us", false},
		{"idle_states", "0-3:POLL", true},
		{"workqueue_cpus", "1", true},
	};
	struct fixture *f = fixture_create(1, MS);

	f->session.machine.irq_affinity = fact_rows_parse("24:2-3 25:2-3");
	f->session.machine.irq_effective = fact_rows_parse("24:3 25:3");
	f->session.machine.idle_latency = fact_rows_parse("0-3:133us");
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		size_t n = f->session.phases.n;

		for (int tick = 0; tick < 20; tick++)
			change_and_feed(f, rows[i].fact, rows[i].is);
		CHECK(f->session.phases.n == n + rows[i].begins + !n, "row %zu: %zu", i, f->session.phases.n);
	}
	fixture_destroy(f);
}

/* A trial begins a phase each time that it turns its knob. */
static void a_knob_that_is_tried_does_not_flap(void)
{
	struct fixture *f = fixture_create(1, MS);
	struct session *session = &f->session;

	strcpy(session->machine.swappiness, "60");
	for (int i = 0; i < 6; i++) {
		CHECK(session_phases_begin(session, i % 2 ? "swappiness=10" : "swappiness=60", 0) == 0);
		change_and_feed(f, "swappiness", i % 2 ? "10" : "60");
		change_and_feed(f, "swappiness", i % 2 ? "10" : "60");
		CHECK(i == 0 || strstr(fixture_event(f, 0), i % 2 ? "60 -> 10" : "10 -> 60"), "%d: %s", i,
			fixture_event(f, 0));
	}
	fixture_destroy(f);
}

static void events_are_bounded_and_the_oldest_go_first(void)
{
	struct fixture *f = fixture_create(1, MS);

	for (unsigned i = 0; i < SESSION_EVENTS_MAX + 5; i++)
		CHECK(session_event(&f->session, &(struct event){.at_ns = i,
							 .kind = EVENT_NOTE,
							 .ring = -1,
							 .member = -1,
							 .text = "a note"}) == 0);
	CHECK(f->session.n_events == SESSION_EVENTS_MAX && f->session.events_dropped == 5);
	CHECK(f->session.events[0].at_ns == 5);
	CHECK(f->session.events[f->session.n_events - 1].at_ns == 4100);
	fixture_destroy(f);
}

/* A command is given before the tick in which it is obeyed, and an event of it has its time. */
static void events_are_in_the_order_of_time_and_also_known_as_they_came(void)
{
	static const uint64_t times[] = {10, 20, 15, 20, 5, 30};
	static const unsigned by_time[] = {4, 0, 2, 1, 3, 5};
	struct fixture *f = fixture_create(1, MS);
	const struct event *event = NULL;
	size_t n = sizeof(times) / sizeof(*times);

	for (size_t i = 0; i < n; i++)
		CHECK(session_event(&f->session, &(struct event){.at_ns = times[i],
							 .kind = EVENT_NOTE,
							 .ring = -1,
							 .member = -1,
							 .number = (uint32_t)i}) == 0);
	for (size_t i = 0; i < n; i++)
		CHECK(f->session.events[i].number == by_time[i], "%zu", i);
	for (size_t i = 0; i < n; i++) {
		event = session_event_after(&f->session, event ? event->serial : 0);
		CHECK(event && event->number == i && event->serial == i + 1, "%zu", i);
	}
	CHECK(!session_event_after(&f->session, n) && session_last_serial(&f->session) == n);
	fixture_destroy(f);
}

/* One that came late may be the next that is dropped. */
static void lost_events_are_counted_as_they_came(void)
{
	struct fixture *f = fixture_create(1, MS);
	struct event event = {.kind = EVENT_NOTE, .ring = -1, .member = -1, .at_ns = 10};

	for (size_t i = 0; i < SESSION_EVENTS_MAX; i++)
		CHECK(session_event(&f->session, &event) == 0);
	CHECK(session_events_lost(&f->session, 0) == 0);
	event.at_ns = 5;
	CHECK(session_event(&f->session, &event) == 0);
	CHECK(session_events_lost(&f->session, SESSION_EVENTS_MAX) == 0);
	event.at_ns = 20;
	CHECK(session_event(&f->session, &event) == 0);
	CHECK(session_events_lost(&f->session, 0) == 2);
	CHECK(session_events_lost(&f->session, SESSION_EVENTS_MAX) == 1, "the late one");
	CHECK(session_events_lost(&f->session, SESSION_EVENTS_MAX + 1) == 0);
	fixture_destroy(f);
}

static void a_fact_flaps_on_whatever_else_happens_meanwhile(void)
{
	struct fixture *f = fixture_create(1, MS);
	size_t n_events = 0;

	strcpy(f->session.machine.clock_source, "tsc");
	for (int i = 0; i < 60; i++) {
		change_and_feed(f, "clock_source", i % 2 ? "tsc" : "hpet");
		if (i == 9) {
			const struct event note = {.at_ns = f->tick.end_ns,
				.kind = EVENT_NOTE,
				.ring = -1,
				.member = -1,
				.text = "a note"};

			CHECK(session_event(&f->session, &note) == 0);
			n_events = f->session.n_events;
		}
	}
	CHECK(f->session.n_events == n_events, "%zu instead of %zu", f->session.n_events, n_events);
	fixture_destroy(f);
}

static void a_ring_shows_laps_where_it_lacks_the_figure(void)
{
	static const struct {
		uint64_t interval_ns;
		enum figure asked, shown;
		enum stamps stamps;
	} cases[] = {
		{MS, FIGURE_FIRST, FIGURE_FIRST},
		{MS, FIGURE_RESPONSE, FIGURE_RESPONSE},
		{0, FIGURE_FIRST, FIGURE_LAP},
		{0, FIGURE_RESPONSE, FIGURE_LAP},
		{0, FIGURE_ANSWER, FIGURE_ANSWER},
		{0, FIGURE_LAP, FIGURE_LAP},
		{0, FIGURE_LATENESS, FIGURE_LAP},
		{MS, FIGURE_FIRST, FIGURE_LAP, STAMPS_LAP},
		{MS, FIGURE_ANSWER, FIGURE_LAP, STAMPS_LAP},
		{MS, FIGURE_RESPONSE, FIGURE_LAP, STAMPS_LAP},
		{MS, FIGURE_LATENESS, FIGURE_LATENESS, STAMPS_LAP},
		{0, FIGURE_ANSWER, FIGURE_LAP, STAMPS_LAP},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct session_ring ring = {.interval_ns = cases[i].interval_ns, .stamps = cases[i].stamps};

		CHECK(session_figure_of(&ring, cases[i].asked) == cases[i].shown, "case %zu", i);
	}
}

static void a_ring_that_waits_knows_when_its_turn_comes(void)
{
	static const struct {
		unsigned n_turns, current, turn_ms;
		int64_t gone_ms; /* since the current one began */
		unsigned failed; /* turns, as bits, that have no ring any more */
		unsigned of;
		const char *in;
		unsigned paused; /* turns, as bits, whose ring is paused */
		enum ring_condition trouble;
	} rows[] = {
		{3, 0, 1000, 0, 0, 1, "in 1.0s"}, {3, 0, 1000, 0, 0, 2, "in 2.0s"},
		{3, 0, 1000, 300, 0, 1, "in 0.7s"}, {3, 2, 1000, 300, 0, 0, "in 0.7s"},
		{3, 2, 1000, 300, 0, 1, "in 1.7s"},
		{3, 1, 1000, 1020, 0, 2, "in 0.0s"}, /* it is being paused */
		{3, 1, 1000, 1020, 0, 1, "in 1.9s"}, /* as is this one */
		{3, 1, 1000, -5, 0, 2, "in 1.0s"}, {12, 4, 250, 100, 0, 3, "in 2.6s"},
		{12, 4, 250, 100, 1 << 5 | 1 << 8, 3, "in 2.1s"}, {12, 4, 250, 100, 1 << 4, 3, "in 2.6s"},
		{12, 4, 1000, 0, 0, 3, "in 11s"}, {12, 4, 400000, 0, 0, 3, "in 73m"},
		{12, 4, 3600000, 0, 0, 1, "in 9h"}, {2, 1, 10000, 1, 0, 0, "in 9.9s"},
		{2, 1, 10000, 0, 0, 0, "in 10s"}, {2, 1, 999900, 0, 0, 0, "in 999s"},
		{2, 1, 1000000, 0, 0, 0, "in 16m"}, {3, 0, 1000, 0, 0, 2, "in 1.0s", .paused = 1 << 1},
		{3, 0, 1000, 0, 0, 2, "stopped", .trouble = CONDITION_STOPPED},
		{3, 0, 1000, 0, 0, 2, "in 2.0s", .trouble = CONDITION_STARVED}, /* maybe not any more */
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct session_ring rings[12] = {0};
		struct session session = {.rings = rings,
			.n_rings = rows[i].n_turns,
			.n_turns = rows[i].n_turns,
			.turn_ns = (uint64_t)rows[i].turn_ms * MS,
			.turn = rows[i].current,
			.turn_since_ns = (uint64_t)99 * 1000 * MS,
			.now_ns = (uint64_t)(99000 + rows[i].gone_ms) * MS};
		char text[SESSION_TURN_IN_SIZE];

		for (unsigned turn = 0; turn < rows[i].n_turns; turn++)
			rings[turn] = (struct session_ring){.turn = turn,
				.state = rows[i].failed >> turn & 1 ? RING_FAILED : RING_PAUSED,
				.condition = rows[i].paused >> turn & 1 ? CONDITION_FINE : CONDITION_WAITING,
				.trouble = rows[i].trouble};
		session_turn_in_text(&session, &rings[rows[i].of], text);
		CHECK(strcmp(text, rows[i].in) == 0, "row %zu: %s", i, text);
	}
}

static void a_spike_has_the_name_that_its_ring_had_then(void)
{
	static const struct {
		struct spike_end sender, receiver;
		int32_t moved_to[2]; /* plus 1 */
		const char *label;
	} rows[] = {
		{{10, 2}, {11, 6}, {0, 0}, "now"}, {{10, 2}, {11, 6}, {4, 8}, "2>6"}, /* it has moved since */
		{{10, 3}, {11, 6}, {0, 0}, "3>6"},   /* it has moved back since */
		{{11, 6}, {10, 2}, {4, 8}, "2>6"},   /* the hop to the origin */
		{{10, 2}, {11, -1}, {4, -1}, "2>*"}, /* on any of several */
		{{0, 2}, {0, 6}, {4, 8}, "now"},     /* they are not known */
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		unsigned cpus[] = {2, 6};
		struct tick_member members[2] = {{.tid = 10, .moved_to = rows[i].moved_to[0]},
			{.tid = 11, .moved_to = rows[i].moved_to[1]}};
		char now[] = "now", text[SPIKE_LABEL_SIZE];
		struct session_ring ring = {.n_members = 2, .cpus = cpus, .members = members, .label = now};
		struct spike spike = {.sender = rows[i].sender, .receiver = rows[i].receiver};

		session_spike_label(&ring, &spike, text);
		CHECK(strcmp(text, rows[i].label) == 0, "row %zu: %s", i, text);
		ring.n_cpus = 4;
		CHECK(strcmp(session_spike_label(&ring, &spike, text), "now") == 0, "members are not pinned");
	}
}

static void windows_hold_a_round_of_turns(void)
{
	static struct session_ring rings[4096];
	static const struct {
		unsigned n_turns, turn_ms;
		enum window shortest;
	} rows[] = {
		{1, 1000, WINDOW_1S},
		{1, 90000, WINDOW_1S},
		{2, 500, WINDOW_1S},
		{2, 501, WINDOW_10S},
		{12, 250, WINDOW_10S},
		{10, 1000, WINDOW_10S},
		{11, 1000, WINDOW_60S},
		{60, 1000, WINDOW_60S},
		{61, 1000, WINDOW_PHASE},
		{4096, 3600000, WINDOW_PHASE},
	};
	for (unsigned i = 0; i < sizeof(rings) / sizeof(*rings); i++)
		rings[i].turn = i;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct session session = {.rings = rings,
			.n_rings = rows[i].n_turns,
			.n_turns = rows[i].n_turns,
			.turn_ns = (uint64_t)rows[i].turn_ms * MS};

		CHECK(session_shortest_window(&session) == rows[i].shortest, "row %zu", i);
	}
	struct session removed = {.rings = rings, .n_rings = 12, .n_turns = 12, .turn_ns = 1000 * MS};

	CHECK(session_shortest_window(&removed) == WINDOW_60S);
	rings[3].ended_ns = rings[7].ended_ns = 1;
	CHECK(session_shortest_window(&removed) == WINDOW_10S, "turns without a ring are skipped");
}

static void turns_are_those_of_rings_that_can_still_run(void)
{
	static const struct {
		enum ring_state state;
		bool was_removed, has_turn;
	} rows[] = {{RING_RUNNING, false, true}, {RING_PAUSED, false, true}, {RING_GONE, false, true},
		{RING_FAILED, false, false}, {RING_DONE, false, false}, {RING_GONE, true, false}};
	struct session_ring rings[3] = {{.turn = 0}, {.turn = 1}, {.turn = 2}};
	struct session session = {.rings = rings, .n_rings = 3, .n_turns = 3, .turn_ns = 1000 * MS};
	unsigned n;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		rings[1].state = rows[i].state;
		rings[1].ended_ns = rows[i].was_removed;
		CHECK(session_turn_number(&session, 2, &n) == n && n == (rows[i].has_turn ? 3 : 2), "%zu: %u",
			i, n);
		CHECK(session_round_ns(&session) == n * UINT64_C(1000) * MS);
	}
}

/* Rings of a pair each on CPU 0, 1 or 2 in turns, of 1, 2 and 500 ms. */
static void changes_of_rings_are_foreseen_to_change_turns(void)
{
	unsigned cpus[3][2] = {{0, 0}, {1, 1}, {0, 1}}, other[2] = {2, 2};
	struct session_ring rings[3] = {
		{.turn = 0, .n_members = 2, .cpus = cpus[0], .interval_ns = MS},
		{.turn = 0, .n_members = 2, .cpus = cpus[1], .interval_ns = 2 * MS},
		{.turn = 1, .n_members = 2, .cpus = cpus[2], .interval_ns = 500 * MS},
	};
	struct session session = {.rings = rings, .n_rings = 3, .n_turns = 2, .turn_ns = UINT64_C(4000) * MS};
	const struct plan plan = {.n_turns = 2};
	struct config config = {0};
	struct plan_ring on_0 = {.n_members = 2, .cpus = cpus[0], .interval_ns = MS}, slow = on_0,
			 on_2 = {.n_members = 2, .cpus = other, .interval_ns = MS},
			 fast = {.n_members = 2, .cpus = cpus[2], .interval_ns = MS};
	const struct {
		struct turn_change changes[2];
		size_t n_changes;
		uint64_t asked_ns; /* --turns */
		unsigned n, first, turn_ms;
	} rows[] = {
		{{{0}}, 0, 0, 2, 3, 4000},
		{{{&on_0}}, 1, 0, 3, 3, 4000},
		{{{&on_2}}, 1, 0, 2, 1, 4000},
		{{{&on_0}, {&slow}}, 2, 0, 4, 3, 8000}, /* as with -d */
		{{{.goes = &rings[2]}}, 1, 0, 1, 2, 1000},
		{{{.goes = &rings[2]}}, 1, 250 * MS, 1, 2, 250},
		{{{&fast, &rings[2]}}, 1, 0, 2, 2, 1000},
		{{{&on_0, &rings[0]}}, 1, 0, 2, 1, 4000},
	};

	slow.interval_ns = 1000 * MS;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct turns_foreseen seen;

		config.turn_ns = rows[i].asked_ns;
		CHECK(session_turns_foresee(
			      &session, &plan, &config, rows[i].changes, rows[i].n_changes, &seen) == 0);
		CHECK(seen.n_before == 2 && seen.n == rows[i].n && seen.first == rows[i].first &&
				seen.turn_ns == (uint64_t)rows[i].turn_ms * MS,
			"row %zu: %u turns, first %u, %g ms", i, seen.n, seen.first,
			(double)seen.turn_ns / 1e6);
	}
}

static void a_tick_tells_whose_turn_it_is(void)
{
	struct fixture *f = fixture_create(2, MS);

	f->tick.turn_ns = UINT64_C(8000) * MS;
	CHECK(fixture_feed(f) == 0 && f->session.turn_ns == UINT64_C(8000) * MS);
	f->tick.turn_ns = 0; /* an older recording's */
	CHECK(fixture_feed(f) == 0 && f->session.turn_ns == UINT64_C(8000) * MS);

	f->session.n_turns = 2;
	f->tick.turn = 1;
	f->tick.turn_since_ns = FIXTURE_START_NS + 7;
	CHECK(fixture_feed(f) == 0);
	CHECK(f->session.turn == 1 && f->session.turn_since_ns == FIXTURE_START_NS + 7);
	f->tick.turn = 2;
	CHECK(fixture_feed(f) == 0 && f->session.turn == 0, "there is none");
	fixture_destroy(f);
}

int main(void)
{
	TEST(ticks_add_up);
	TEST(own_cost_is_of_the_last_tick_that_was_not_cut_short);
	TEST(the_recorders_cost_is_summed_and_that_of_the_last_tick_is_known);
	TEST(a_changed_policy_is_an_event_with_the_thread);
	TEST(a_nice_value_is_a_change_of_scheduling);
	TEST(what_was_refused_from_the_start_is_one_warning);
	TEST(the_same_for_a_thousand_rings_is_told_once);
	TEST(a_starved_ring_is_told_with_how_long_it_waited);
	TEST(samples_are_no_wait_of_a_ring_that_was_away);
	TEST(a_turn_that_ends_ends_no_trouble_but_a_stop_that_is_over);
	TEST(laps_that_are_all_late_are_told_once);
	TEST(throttling_names_what_throttles);
	TEST(throttling_tells_how_long_the_gap_was);
	TEST(a_member_that_is_gone_keeps_what_was_known_of_it);
	TEST(a_ring_that_ran_and_ended_between_two_ticks_was_running);
	TEST(changes_of_the_machine_are_events);
	TEST(facts_of_cpus_and_interrupts_that_change_are_events);
	TEST(a_fact_that_goes_back_again_and_again_is_one_event);
	TEST(interrupts_begin_a_phase_that_come_to_a_member_or_leave_it);
	TEST(a_knob_that_is_tried_does_not_flap);
	TEST(a_fact_that_bears_on_members_begins_a_phase);
	TEST(events_are_bounded_and_the_oldest_go_first);
	TEST(events_are_in_the_order_of_time_and_also_known_as_they_came);
	TEST(lost_events_are_counted_as_they_came);
	TEST(a_fact_flaps_on_whatever_else_happens_meanwhile);
	TEST(a_ring_shows_laps_where_it_lacks_the_figure);
	TEST(a_ring_that_waits_knows_when_its_turn_comes);
	TEST(a_spike_has_the_name_that_its_ring_had_then);
	TEST(windows_hold_a_round_of_turns);
	TEST(turns_are_those_of_rings_that_can_still_run);
	TEST(changes_of_rings_are_foreseen_to_change_turns);
	TEST(a_tick_tells_whose_turn_it_is);
	return tap_done();
}

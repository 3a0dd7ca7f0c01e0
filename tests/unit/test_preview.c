/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_preview.c - what the dialogs say that an action changes beyond what was typed. */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>

#include "src/model/session_turns.h"
#include "src/probe/hop_trial.h"
#include "src/run/command.h"
#include "src/run/run_add.h"
#include "src/run/run_preview.h"
#include "src/run/run_rings.h"
#include "tests/unit/plan_rows.h"
#include "tests/unit/session_fixture.h"
#include "tests/unit/tap.h"

static void more_turns_leave_each_ring_less_of_the_time(void)
{
	static const struct {
		struct turns_foreseen turns;
		const char *text;
	} cases[] = {
		{{.n_before = 1, .n = 1, .turn_ns = 500000000}, ""},
		{{.n_before = 2, .n = 2, .turn_ns = 500000000}, ""},
		{{.n_before = 1, .n = 2, .turn_ns = 500000000},
			"Rings then take turns of 0.5 s: each measures half of the time."},
		{{.n_before = 1, .n = 4, .turn_ns = 2000000000},
			"Rings then take turns of 2 s: each measures 1/4 of the time."},
		{{.n_before = 2, .n = 3, .turn_ns = 500000000},
			"Each ring then measures 1/3 of the time, not half."},
		{{.n_before = 3, .n = 2, .turn_ns = 500000000},
			"Each ring then measures half of the time, not 1/3."},
		{{.n_before = 3, .n = 3, .turn_ns = 8008000000},
			"Each of the 3 turns becomes 8.008 s long, not 0.5 s."},
		{{.n_before = 2, .n = 3, .turn_ns = 8008000000},
			"Each ring then measures 1/3 of the time, not half. "
			"Each of the 3 turns becomes 8.008 s long, not 0.5 s."},
		{{.n_before = 2, .n = 1, .turn_ns = 8008000000},
			"There are no turns any more: each ring measures all of the time."},
	};
	struct session session = {.turn_ns = 500000000};
	char text[RUN_SAY_SIZE];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		run_rings_say_turns(&session, &cases[i].turns, text);
		CHECK(strcmp(text, cases[i].text) == 0, "case %zu: '%s'", i, text);
	}
}

/* Three pairs, each on a CPU of its own; CPUs 2 and 3 of four are isolated. */
static void members_that_leave_or_enter_isolated_cpus_are_named(void)
{
	static const struct {
		const char *rings, *value, *text;
	} cases[] = {
		{"2", "0",
			"Both members go to CPU 0. Shares CPU 0 with mq 0>0, which runs in the same turn. Leaves isolated CPU 2. This begins a phase."},
		{"0", "3", "Both members go to CPU 3. Enters isolated CPU 3. This begins a phase."},
		{"2", "3", "Both members go to CPU 3. This begins a phase."},
		{"2", "3>2", "Member 0 goes to CPU 3, member 1 to CPU 2. This begins a phase."},
		{"2", "2-3", "Each of the 2 members may run on all of CPUs 2-3. This begins a phase."},
		{"1", "1>3",
			"Member 0 goes to CPU 1, member 1 to CPU 3. Enters isolated CPU 3. This begins a phase."},
		{"all", "3",
			"All 6 members go to CPU 3. Shares CPU 3 with mq 1>1, which runs in the same turn. Enters isolated CPU 3. This begins a phase."},
		{"0-1", "2-3",
			"Each of the 4 members may run on all of CPUs 2-3. Shares CPUs 2-3 with mq 1>1, which runs in the same turn. Enters isolated CPUs 2-3. This begins a phase."},
		{"all", "0",
			"All 6 members go to CPU 0. Shares CPU 0 with mq 1>1, which runs in the same turn. Leaves isolated CPU 2. This begins a phase."},
		{"2", "1-2",
			"Each of the 2 members may run on all of CPUs 1-2. Shares CPU 1 with mq 1>1, which runs in the same turn. May leave isolated CPU 2. This begins a phase."},
		{"0", "0,3",
			"Each of the 2 members may run on all of CPUs 0,3. May enter isolated CPU 3. This begins a phase."},
		{"2", "2", "Both members go to CPU 2."},
		{"2", "2:", ""},
		{"2", "", "Now 2>2."},
	};
	struct fixture *f = fixture_create(3, 1000000);
	struct run run = {.topology = &f->topology};
	struct error_text text;

	fixture_feed(f);
	for (unsigned cpu = 0; cpu < 4; cpu++)
		cpus_add(&f->topology.allowed, cpu);
	strcpy(f->session.machine.isolated, "2-3");
	run.source.session = f->session;
	run.source.config = &f->config;
	run.source.commands = command_rows;
	run.engine.keeper.registry = probe_registry;
	pthread_mutex_init(&run.source.lock, NULL);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct command command = {COMMAND_CPUS};

		strcpy(command.words, cases[i].rings);
		strcpy(command.name, cases[i].value);
		CHECK(run_preview_value(&run.source, &command, &text) == 0, "case %zu", i);
		CHECK(strcmp(text.text, cases[i].text) == 0, "case %zu: '%s'", i, text.text);
	}
	strcpy(run.source.session.machine.isolated, "");
	struct command command = {COMMAND_CPUS, .name = "1", .words = "2"};

	run_preview_value(&run.source, &command, &text);
	CHECK(!strstr(text.text, "isolated"), "'%s'", text.text);
	run.source.session.auto_phase = false;
	run_preview_value(&run.source, &command, &text);
	CHECK(*text.text && !strstr(text.text, "phase"), "'%s'", text.text);
	pthread_mutex_destroy(&run.source.lock);
	fixture_destroy(f);
}

/* A run of pairs of FIFO:80, as the preview sees it. */
struct preview {
	struct fixture *f;
	struct run run;
};

static void preview_init(struct preview *p, size_t n_pairs)
{
	p->f = fixture_create(n_pairs, 1000000);
	fixture_feed(p->f);
	p->run = (struct run){.topology = &p->f->topology};
	p->run.source.session = p->f->session;
	p->run.source.config = &p->f->config;
	p->run.source.commands = command_rows;
	p->run.engine.keeper.registry = probe_registry;
	pthread_mutex_init(&p->run.source.lock, NULL);
}

static void preview_finish(struct preview *p)
{
	pthread_mutex_destroy(&p->run.source.lock);
	fixture_destroy(p->f);
}

static int preview_of(struct preview *p, enum command_kind kind, const char *rings, const char *value,
	struct error_text *text)
{
	struct command command = {kind};

	strcpy(command.words, rings);
	strcpy(command.name, value);
	return run_preview_value(&p->run.source, &command, text);
}

/* Of 9 pairs. */
static void a_size_says_how_many_hops_are_not_tried(void)
{
	static const struct {
		const char *rings, *value, *text;
	} cases[] = {
		{"all", "1M", "16 of the 18 hops are tried first. If others fail, U undoes the change."},
		{"0-7", "1M", ""},
		{"all", "900k", ""},
		{"all", "0", ""},
		{"all", "", ""},
	};
	static const struct probe mq = {.name = "mq"};
	static const struct probe *const registry[] = {&mq, NULL};
	struct preview p;
	struct error_text text;

	preview_init(&p, 9);
	p.run.engine.keeper.registry = registry;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		CHECK(preview_of(&p, COMMAND_SIZE, cases[i].rings, cases[i].value, &text) == 0, "case %zu",
			i);
		CHECK(strcmp(text.text, cases[i].text) == 0, "case %zu: '%s'", i, text.text);
	}
	preview_finish(&p);
}

static int n_open, most_open;

static int open_at_most(struct hop *hop)
{
	hop->fds[0] = -1;
	return ++n_open > most_open ? -ENOSPC : 0;
}

static void close_it(struct hop *hop)
{
	n_open -= hop->fds[0] == -1;
}

static void a_size_is_tried_with_all_hops_that_have_room(void)
{
	static const struct {
		int most;
		size_t bytes;
		unsigned n;
		int error;
		size_t n_tried;
		rlim_t n_fds; /* that this process may have */
	} cases[] = {
		{20, 1, 20, 0, 20, 1536},
		{20, 4096, 21, -ENOSPC, 21, 1536},
		{20, 4096, 40, -ENOSPC, 21, 1536},
		{20, 1 << 20, 40, 0, 16, 1536},
		{300, 64, 300, 0, 256, 1536},
		{300, 64, 300, 0, 100, 600},
	};
	static const struct probe probe = {.open = open_at_most, .release = close_it};
	struct rlimit before;

	CHECK(getrlimit(RLIMIT_NOFILE, &before) == 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct hop_trial trial = {.n = 0};

		if (cases[i].n_fds > before.rlim_max)
			continue;
		setrlimit(RLIMIT_NOFILE, &(struct rlimit){cases[i].n_fds, before.rlim_max});
		most_open = cases[i].most;
		int r = hop_trial_open(&trial, &probe, cases[i].bytes, cases[i].n);

		CHECK(r == cases[i].error && trial.n == cases[i].n_tried, "case %zu: %d, %zu hops", i, r,
			trial.n);
		hop_trial_finish(&trial);
		CHECK(n_open == 0 && trial.n == 0, "case %zu: %d are left open", i, n_open);
	}
	setrlimit(RLIMIT_NOFILE, &before);
}

/* As on Enter. */
static void an_interval_and_a_size_that_can_not_be_are_refused_before_they_are_sent(void)
{
	static const struct {
		enum command_kind kind;
		const char *value, *text;
	} cases[] = {
		{COMMAND_INTERVAL, "5x",
			"interval 5x: must be 0 (flood) to 60s, in microseconds or with us, ms or s"},
		{COMMAND_INTERVAL, "61s",
			"interval 61s: must be 0 (flood) to 60s, in microseconds or with us, ms or s"},
		{COMMAND_SIZE, "2M",
			"size 2M: must be 0 (the smallest token) to 1M, in bytes or with k or M"},
		{COMMAND_SIZE, "x", "size x: must be 0 (the smallest token) to 1M, in bytes or with k or M"},
	};
	struct preview p;
	struct error_text text;

	preview_init(&p, 1);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		CHECK(preview_of(&p, cases[i].kind, "0", cases[i].value, &text) < 0, "case %zu", i);
		CHECK(strcmp(text.text, cases[i].text) == 0, "case %zu: '%s'", i, text.text);
	}
	preview_finish(&p);
}

static void a_policy_is_said_with_the_one_before(void)
{
	static const struct {
		const char *rings, *value, *text;
	} cases[] = {
		{"all", "", "Now 6 members with FIFO:80."},
		{"2", "FI", "Now 2 members with FIFO:80."},
		{"2", "other", "2 members: FIFO:80 -> OTHER. This begins a phase."},
		{"0-1", "batch", "4 members: FIFO:80 -> BATCH. This begins a phase."},
		{"9", "batch", ""},
	};
	struct preview p;
	struct error_text text;

	preview_init(&p, 3);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		CHECK(preview_of(&p, COMMAND_POLICY, cases[i].rings, cases[i].value, &text) == 0, "case %zu",
			i);
		CHECK(strcmp(text.text, cases[i].text) == 0, "case %zu: '%s'", i, text.text);
	}
	p.run.source.session.auto_phase = false;
	p.run.source.session.rings[1].members[0].policy = (struct task_policy){.policy = SCHED_IDLE};
	preview_of(&p, COMMAND_POLICY, "all", "batch", &text);
	CHECK(strcmp(text.text, "6 members: several policies -> BATCH.") == 0, "'%s'", text.text);
	for (unsigned m = 0; m < 2; m++)
		p.run.source.session.rings[2].members[m].policy = (struct task_policy){.policy = SCHED_BATCH};
	preview_of(&p, COMMAND_POLICY, "2", "batch", &text);
	CHECK(strcmp(text.text, "2 members with BATCH already: nothing changes.") == 0, "'%s'", text.text);
	preview_finish(&p);
}

static void values_that_are_words_are_completed(void)
{
	static const struct {
		enum command_kind kind;
		const char *line, *becomes, *found;
	} cases[] = {
		{COMMAND_POLICY, "", "", "OTHER BATCH IDLE FIFO: RR:"},
		{COMMAND_POLICY, "F", "FIFO:", "FIFO:"},
		{COMMAND_POLICY, "r", "rr:", "rr:"},
		{COMMAND_POLICY, "fifo:8", "fifo:8", ""},
		{COMMAND_DMA_LATENCY, "o", "off", "off"},
		{COMMAND_CPUS, "", "", ""},
		{COMMAND_INTERVAL, "5", "5", ""},
	};
	struct preview p;

	preview_init(&p, 1);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct command command = {cases[i].kind};
		char typed[64], found[128];

		strcpy(typed, cases[i].line);
		run_preview_complete(&p.run.source, &command, typed, sizeof(typed), found, sizeof(found));
		CHECK(!strcmp(typed, cases[i].becomes) && !strcmp(found, cases[i].found),
			"case %zu: '%s' '%s'", i, typed, found);
	}
	preview_finish(&p);
}

/* A ring that is opened anew has one CPU for each member, and one policy. */
static void what_the_members_lose_is_said(void)
{
	static const struct {
		bool on_any, with_other_policy;
		const char *text;
	} cases[] = {
		{false, false, "Now every 1000 us."},
		{true, false, "Now every 1000 us. Members on several CPUs go back to one each."},
		{false, true,
			"Now every 1000 us. Members with several policies go back to the ring's first policy."},
		{true, true,
			"Now every 1000 us. Members on several CPUs go back to one each, and to the ring's first "
			"policy."},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct preview p;
		struct error_text text;

		preview_init(&p, 3);
		struct tick_member *member = &p.run.source.session.rings[1].members[0];

		if (cases[i].on_any)
			member->moved_to = -1;
		if (cases[i].with_other_policy)
			member->policy = (struct task_policy){.policy = SCHED_IDLE};
		preview_of(&p, COMMAND_INTERVAL, "all", "", &text);
		CHECK(strcmp(text.text, cases[i].text) == 0, "case %zu: '%s'", i, text.text);
		preview_finish(&p);
	}
}

static void a_dma_latency_is_said_beside_the_slowest_idle_state(void)
{
	struct preview p;
	struct error_text text;
	struct machine *machine;

	preview_init(&p, 3);
	machine = &p.run.source.session.machine;
	CHECK(preview_of(&p, COMMAND_DMA_LATENCY, "", "", &text) == 0);
	CHECK(strcmp(text.text, "Now not held by ipctop.") == 0, "'%s'", text.text);
	CHECK(preview_of(&p, COMMAND_DMA_LATENCY, "", "off", &text) < 0);
	CHECK(strcmp(text.text, "It is not held.") == 0, "'%s'", text.text);
	machine->dma_latency_held_us = 20;
	machine->idle_latency = fact_rows_parse("0:133us 1-2:2us");
	CHECK(preview_of(&p, COMMAND_DMA_LATENCY, "", "o", &text) == 0);
	CHECK(strcmp(text.text, "Now held at 20 us. The slowest idle state wakes in 133 us.") == 0, "'%s'",
		text.text);
	CHECK(preview_of(&p, COMMAND_DMA_LATENCY, "", "0", &text) == 0);
	CHECK(strcmp(text.text, "All idle CPUs poll, and never sleep. This begins a phase.") == 0, "'%s'",
		text.text);
	CHECK(preview_of(&p, COMMAND_DMA_LATENCY, "", "10", &text) == 0);
	CHECK(strcmp(text.text, "All idle CPUs use only states that wake within 10 us. "
				"The slowest idle state wakes in 133 us. This begins a phase.") == 0,
		"'%s'", text.text);
	CHECK(preview_of(&p, COMMAND_DMA_LATENCY, "", "133", &text) == 0);
	CHECK(strstr(text.text, "No idle state takes longer"), "'%s'", text.text);
	CHECK(preview_of(&p, COMMAND_DMA_LATENCY, "", "off", &text) == 0);
	CHECK(strstr(text.text, "may use all of their states again"), "'%s'", text.text);
	CHECK(preview_of(&p, COMMAND_DMA_LATENCY, "", "20", &text) == 0);
	CHECK(!strstr(text.text, "begins a phase"), "it is held so already: '%s'", text.text);
	p.run.source.session.auto_phase = false;
	CHECK(preview_of(&p, COMMAND_DMA_LATENCY, "", "0", &text) == 0);
	CHECK(strcmp(text.text, "All idle CPUs poll, and never sleep.") == 0, "'%s'", text.text);
	fact_rows_release(machine->idle_latency);
	machine->idle_latency = NULL;
	preview_finish(&p);
}

/* Three pairs of mq run side by side, on CPUs 0 to 2 of four. */
static void a_ring_that_must_be_alone_is_refused_before_it_is_sent(void)
{
	static const struct row machine = {"pack:1 core:4 pu:1"};
	static const struct {
		const char *line, *text;
		bool is_whole;
	} cases[] = {
		{"pipe 0>0 -p 0", "pipe 0>0, class own", false},
		{"yield 0>0 -p 0",
			"yield: its members yield to each other all the time: other rings can't be beside them "
			"(without --side-by-side)",
			true},
		{"yield 3>3 -p 0", "yield 3>3, class own", false},
		{"shm 2>3 -p 20",
			"shm: its members spin at real-time priority: other rings can't be beside them (without "
			"--side-by-side)",
			true},
		{"shm 2>3 -p 0", "shm 2>3, class ", false},
	};
	bool has_right = task_try_realtime((struct task_policy){SCHED_FIFO, 20}) == 0;
	const struct plan plan = {.n_turns = 1};
	struct topology topology;
	struct preview p;
	struct error_text text;

	if (!machine_of(&machine, &topology))
		return;
	preview_init(&p, 3);
	p.run.topology = &topology;
	p.run.plan = &plan;
	p.f->config.side_by_side = p.f->config.allow_rt_spin = true;
	p.f->config.interval_ns = 1000000;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		if (strstr(cases[i].line, "-p 20") && !has_right)
			continue;
		int r = run_add_describe(&p.run.source, cases[i].line, &text);

		CHECK((r < 0) == cases[i].is_whole &&
				strncmp(text.text, cases[i].text, strlen(cases[i].text)) == 0,
			"%s: %d, '%s'", cases[i].line, r, text.text);
	}
	p.f->config.side_by_side = false;
	CHECK(run_add_describe(&p.run.source, "yield 0>0 -p 0", &text) == 0, "'%s'", text.text);
	preview_finish(&p);
	topology_finish(&topology);
}

static void members_that_can_not_run_on_the_cpus_are_refused_before_they_move(void)
{
	static const struct {
		const char *mechanism, *value, *text;
	} cases[] = {
		{"shm", "1", "its members spin: each needs a CPU of its own"},
		{"shm", "0>1", "Member 0 goes to CPU 0, member 1 to CPU 1. This begins a phase."},
		{"yield", "0>1", "its members yield to each other: they must share one CPU"},
		{"yield", "1", "Both members go to CPU 1. This begins a phase."},
		{"mq", "9", "CPU 9 is not allowed here (of 0-1)"},
	};
	struct preview p;
	struct error_text text;

	preview_init(&p, 1);
	cpus_parse(&p.f->topology.allowed, "0-1");
	char **mechanism = &p.run.source.session.rings[0].mechanism, *was = *mechanism;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		*mechanism = strdup(cases[i].mechanism);
		int r = preview_of(&p, COMMAND_CPUS, "0", cases[i].value, &text);

		CHECK((r < 0) == !strstr(text.text, "CPU 1.") && strcmp(text.text, cases[i].text) == 0,
			"case %zu: %d, '%s'", i, r, text.text);
		free(*mechanism);
	}
	*mechanism = was;
	preview_finish(&p);
}

/* Pairs of mq flood on CPUs 0 to 2; ipctop and others have CPUs 0 and 1. Ring 0 is not yet real-time. */
static void realtime_floods_are_refused_where_they_have_all_cpus_together(void)
{
	static const struct {
		const char *rings;
		int of_ring_1; /* its policy now */
		bool refused;
	} cases[] = {
		{"0", SCHED_FIFO, true},
		{"0", SCHED_OTHER, false},
		{"0-1", SCHED_OTHER, true},
		{"0-1", SCHED_FIFO, true},
		{"0 2", SCHED_OTHER, false},
	};
	struct plan plan = {.n_turns = 1};
	struct preview p;
	struct error_text text;

	if (task_try_realtime((struct task_policy){SCHED_FIFO, 20}) < 0)
		return;
	preview_init(&p, 3);
	cpus_parse(&plan.housekeeping, "0-1");
	p.run.plan = &plan;
	for (size_t i = 0; i < 3; i++)
		p.run.source.session.rings[i].interval_ns = 0;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		for (unsigned m = 0; m < 2; m++) {
			p.run.source.session.rings[0].members[m].policy =
				(struct task_policy){.policy = SCHED_OTHER};
			p.run.source.session.rings[1].members[m].policy =
				(struct task_policy){.policy = cases[i].of_ring_1};
		}
		int r = preview_of(&p, COMMAND_POLICY, cases[i].rings, "fifo:20", &text);

		CHECK((r < 0) == cases[i].refused && !strstr(text.text, "a flood") == !cases[i].refused,
			"case %zu: %d, '%s'", i, r, text.text);
	}
	preview_finish(&p);
}

/* The same pairs, all at real-time priority but ring 3. */
static void realtime_floods_that_move_together_onto_all_cpus_are_refused(void)
{
	static const struct {
		const char *rings, *value;
		bool refused;
	} cases[] = {
		{"2", "0", false},
		{"0-1", "0", false},
		{"0-1", "0>1", true},
		{"2", "0-1", true},
		{"3", "0-1", false},
		{"0", "2", false},
	};
	struct plan plan = {.n_turns = 1};
	struct preview p;
	struct error_text text;

	preview_init(&p, 4);
	cpus_parse(&plan.housekeeping, "0-1");
	cpus_parse(&p.f->topology.allowed, "0-3");
	p.run.plan = &plan;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct session_ring *rings = p.run.source.session.rings;

		for (size_t k = 0; k < 4; k++)
			rings[k].interval_ns = k == 1 && strcmp(cases[i].rings, "2") == 0 ? 1000000 : 0;
		for (unsigned m = 0; m < 2; m++)
			rings[3].members[m].policy = (struct task_policy){.policy = SCHED_OTHER};
		int r = preview_of(&p, COMMAND_CPUS, cases[i].rings, cases[i].value, &text);

		CHECK((r < 0) == cases[i].refused && !strstr(text.text, "a flood") == !cases[i].refused,
			"case %zu: %d, '%s'", i, r, text.text);
	}
	preview_finish(&p);
}

/* The same pairs, of which only ring 0 floods. Ring 2 is not at real-time priority. */
static void an_interval_of_0_is_refused_where_floods_then_have_all_cpus(void)
{
	static const struct {
		const char *rings, *value;
		bool refused;
	} cases[] = {{"1", "0", true}, {"1", "1", false}, {"2", "0", false}, {"1-2", "0", true},
		{"0", "0", false}};
	struct plan plan = {.n_turns = 1};
	struct preview p;
	struct error_text text;

	preview_init(&p, 3);
	cpus_parse(&plan.housekeeping, "0-1");
	p.run.plan = &plan;
	p.run.source.session.rings[0].interval_ns = 0;
	for (unsigned m = 0; m < 2; m++)
		p.run.source.session.rings[2].members[m].policy = (struct task_policy){.policy = SCHED_OTHER};
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int r = preview_of(&p, COMMAND_INTERVAL, cases[i].rings, cases[i].value, &text);

		CHECK((r < 0) == cases[i].refused && !strstr(text.text, "a flood") == !cases[i].refused,
			"case %zu: %d, '%s'", i, r, text.text);
	}
	preview_finish(&p);
}

/* This machine's own files may list others. */
static void a_knob_is_said_with_the_values_that_it_takes(void)
{
	static const struct {
		const char *key, *text;
	} cases[] = {
		{"ksm", "Now 0. Choose from: 0 1 2."}, {"swappiness", "Now 60. It takes a number."},
		{"boost", "Now on. Choose from: on off."},
		{"cpuset", "Now 0-3. It takes a list of CPUs, such as 0-3,8."},
		{"khugepaged_defrag", "Now not readable. It takes a number."}, {"smt", ""}, /* is not tried */
	};
	struct preview p;
	struct error_text text;
	const struct command boost = {COMMAND_TRY, .words = "boost"};
	char typed[16] = "o", found[32];

	preview_init(&p, 3);
	struct machine *machine = &p.run.source.session.machine;

	strcpy(machine->ksm, "0");
	strcpy(machine->swappiness, "60");
	strcpy(machine->boost, "on");
	strcpy(machine->cpuset, "0-3");
	strcpy(machine->khugepaged_defrag, "not readable");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		CHECK(preview_of(&p, COMMAND_TRY, cases[i].key, "", &text) == 0, "%s", cases[i].key);
		CHECK(strcmp(text.text, cases[i].text) == 0, "%s: '%s'", cases[i].key, text.text);
	}
	run_preview_complete(&p.run.source, &boost, typed, sizeof(typed), found, sizeof(found));
	CHECK(strcmp(typed, "o") == 0 && strcmp(found, "on off") == 0, "'%s', '%s'", typed, found);
	strcpy(typed, "of");
	run_preview_complete(&p.run.source, &boost, typed, sizeof(typed), found, sizeof(found));
	CHECK(strcmp(typed, "off") == 0, "'%s'", typed);
	preview_finish(&p);
}

/* Pairs of mq on CPUs 0 and 2, and a member pair that yields on CPU 1. */
static void a_move_beside_members_that_must_be_alone_is_refused_before_it_is_sent(void)
{
	static const char yields[] = "its members yield to each other all the time: other rings can't be "
				     "beside them (without --side-by-side)",
			  is_there[] = "ring 1, yield, is there: its members yield to each other all the "
				       "time: other rings can't be beside them (without --side-by-side)";
	static const struct {
		const char *rings, *value, *text;
	} cases[] = {
		{"0", "1", is_there},
		{"0", "0-1", is_there},
		{"1", "2", yields},
		{"0-1", "3", is_there},
		{"0 2", "3", NULL},
		{"1", "3", NULL},
		{"0", "2", NULL},
	};
	struct preview p;
	struct error_text text;

	preview_init(&p, 3);
	for (unsigned cpu = 0; cpu < 4; cpu++)
		cpus_add(&p.f->topology.allowed, cpu);
	free(p.run.source.session.rings[1].mechanism);
	p.run.source.session.rings[1].mechanism = strdup("yield");
	for (unsigned beside = 0; beside < 2; beside++) {
		p.f->config.side_by_side = beside;
		for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
			const char *why = beside ? cases[i].text : NULL;
			int r = preview_of(&p, COMMAND_CPUS, cases[i].rings, cases[i].value, &text);

			CHECK(why ? r < 0 && strcmp(text.text, why) == 0
				  : r == 0 && strstr(text.text, "This begins a phase."),
				"ring %s to %s: %d, '%s'", cases[i].rings, cases[i].value, r, text.text);
		}
	}
	preview_finish(&p);
}

int main(void)
{
	TEST(more_turns_leave_each_ring_less_of_the_time);
	TEST(members_that_leave_or_enter_isolated_cpus_are_named);
	TEST(a_size_says_how_many_hops_are_not_tried);
	TEST(a_size_is_tried_with_all_hops_that_have_room);
	TEST(an_interval_and_a_size_that_can_not_be_are_refused_before_they_are_sent);
	TEST(a_policy_is_said_with_the_one_before);
	TEST(values_that_are_words_are_completed);
	TEST(what_the_members_lose_is_said);
	TEST(a_dma_latency_is_said_beside_the_slowest_idle_state);
	TEST(a_ring_that_must_be_alone_is_refused_before_it_is_sent);
	TEST(a_move_beside_members_that_must_be_alone_is_refused_before_it_is_sent);
	TEST(members_that_can_not_run_on_the_cpus_are_refused_before_they_move);
	TEST(realtime_floods_are_refused_where_they_have_all_cpus_together);
	TEST(an_interval_of_0_is_refused_where_floods_then_have_all_cpus);
	TEST(realtime_floods_that_move_together_onto_all_cpus_are_refused);
	TEST(a_knob_is_said_with_the_values_that_it_takes);
	return tap_done();
}

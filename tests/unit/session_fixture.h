/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_fixture.h - sessions and ticks made by hand, for the tests of what reads them. */
#pragma once

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "src/model/session.h"
#include "src/model/session_events.h"
#include "src/plan/plan.h"
#include "src/probe/probe.h"
#include "src/report/report_json.h"

enum {
	FIXTURE_RINGS_MAX = 1024,
	FIXTURE_CELLS = 6 * 90,
	FIXTURE_START_NS = 1000000000,
	FIXTURE_TICK_NS = 500000000
};

/* Pairs own, one for each CPU, under one mechanism; and one tick, of which all members are as asked. */
struct fixture {
	struct session session;
	struct config config;
	struct topology topology;
	struct tick tick;
	uint32_t next_id;
	struct tick_ring rings[FIXTURE_RINGS_MAX];
	struct tick_member members[2 * FIXTURE_RINGS_MAX];
	struct hist_cell cells[FIXTURE_CELLS * FIXTURE_RINGS_MAX];
};

static const struct probe fixture_probe = {.name = "mq", .title = "POSIX message queue"};

__attribute__((unused)) static void fixture_next(struct fixture *f)
{
	f->tick.start_ns = f->tick.end_ns;
	f->tick.end_ns += FIXTURE_TICK_NS;
	f->tick.n_cells = 0;
	for (size_t i = 0; i < f->tick.n_rings; i++) {
		struct tick_ring *ring = &f->rings[i];

		ring->laps = ring->warmup_laps = ring->missed = ring->away = 0;
		memset(ring->faults, 0, sizeof(ring->faults));
		for (int j = 0; j < N_FIGURES; j++)
			ring->figures[j] = (struct tick_figure){.last_ns = ring->figures[j].last_ns};
	}
}

__attribute__((unused)) static struct fixture *fixture_create(size_t n_rings, uint64_t interval_ns)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct plan plan = {.n_rings = n_rings, .n_turns = 1};
	struct plan_ring *planned = calloc(n_rings, sizeof(*planned));
	struct machine machine = {.host = "host",
		.kernel = "6.1",
		.preemption = "full",
		.smt = -1,
		.dma_latency_state = MACHINE_VALUE,
		.dma_latency_us = 2000000000,
		.dma_latency_held_us = -1,
		.rt_runtime_us = 950000,
		.rt_period_us = 1000000,
		.clock_cost_ns = 25,
		.clock_step_ns = -1};
	unsigned *cpus = calloc(2 * n_rings, sizeof(*cpus));

	setenv("TZ", "UTC", 1); /* in which the expected texts name times, wherever the tester is */
	tzset();
	plan.rings = planned;
	f->config = (struct config){.has_policy = true,
		.policy = {SCHED_FIFO, 80},
		.interval_ns = interval_ns,
		.tick_ns = FIXTURE_TICK_NS,
		.refresh_ns = 1000000000,
		.auto_phase = true,
		.n_probes = 1,
		.probes = {&fixture_probe}};
	f->next_id = (uint32_t)n_rings;
	f->tick = (struct tick){.end_ns = FIXTURE_START_NS,
		.rings = f->rings,
		.n_rings = n_rings,
		.members = f->members,
		.n_members = 2 * n_rings,
		.cells = f->cells,
		.loadavg = "0.01 0.02 0.03 1/99 4711"};
	for (size_t i = 0; i < n_rings; i++) {
		cpus[2 * i] = cpus[2 * i + 1] = (unsigned)i;
		planned[i] = (struct plan_ring){.id = (uint32_t)i,
			.probe = &fixture_probe,
			.mechanism = fixture_probe.name,
			.title = fixture_probe.title,
			.cpus = &cpus[2 * i],
			.n_members = 2,
			.has_policy = true,
			.policy = f->config.policy,
			.interval_ns = interval_ns};
		f->rings[i] = (struct tick_ring){
			.id = (uint32_t)i, .state = RING_RUNNING, .first_member = 2 * i, .n_members = 2};
		for (size_t m = 2 * i; m < 2 * i + 2; m++)
			f->members[m] = (struct tick_member){.pid = 4000,
				.tid = 4001 + (int32_t)m,
				.policy = {SCHED_FIFO, 80},
				.cpu = (int32_t)i,
				.n_cpus = 1};
	}
	session_init(&f->session, &plan, &f->topology, &f->config, &machine);
	f->session.wall_start_ns = 1700000000123456789;
	free(cpus);
	free(planned);
	fixture_next(f);
	return f;
}

/* A ring that is added now, with the next id. The caller feeds it, and finishes it. */
__attribute__((unused)) static struct session_ring fixture_ring(struct fixture *f, const char *mechanism)
{
	const unsigned cpus[] = {f->next_id % 4, f->next_id % 3};
	struct session_ring ring = {.id = f->next_id++,
		.added_ns = f->tick.start_ns,
		.mechanism = strdup(mechanism),
		.title = strdup("a mechanism"),
		.label = strdup("0>1"),
		.interval_ns = 1000000,
		.asked = {SCHED_FIFO, 80}};

	if (session_ring_init_members(&ring, cpus, 2) < 0)
		abort();
	return ring;
}

/* The next ticks have the ring, or have it no more. */
__attribute__((unused)) static void fixture_add(struct fixture *f, uint32_t id)
{
	size_t first = 2 * (size_t)id;

	f->rings[f->tick.n_rings++] =
		(struct tick_ring){.id = id, .state = RING_RUNNING, .first_member = first, .n_members = 2};
	f->members[first] = f->members[first + 1] = f->members[0];
	f->tick.n_members = first + 2;
}

__attribute__((unused)) static void fixture_remove(struct fixture *f, size_t i)
{
	f->tick.n_rings--;
	memmove(&f->rings[i], &f->rings[i + 1], (f->tick.n_rings - i) * sizeof(f->rings[0]));
}

/* Adds @count samples of @ns to a figure of a ring in this tick; samples of a figure come in one row. */
__attribute__((unused)) static void fixture_sample(
	struct fixture *f, size_t ring, enum figure which, uint64_t ns, uint32_t count)
{
	struct tick_figure *figure = &f->rings[ring].figures[which];

	if (!figure->n_cells)
		figure->first_cell = f->tick.n_cells;
	figure->n_cells++;
	f->cells[f->tick.n_cells++] = (struct hist_cell){.bucket = hist_bucket(ns), .count = count};
	figure->sum_ns += ns * count;
	figure->last_ns = ns;
	tick_figure_extend(figure, ns, ns, f->tick.end_ns - 1000);
}

__attribute__((unused)) static int fixture_feed(struct fixture *f)
{
	int r = session_feed(&f->session, &f->tick);

	if (r == 0)
		r = session_phases_merge(&f->session, NULL);
	fixture_next(f);
	return r;
}

/* The event with which a phase begins now, under @name; NULL: without one. */
__attribute__((unused)) static struct event fixture_phase(const struct fixture *f, const char *name)
{
	return (struct event){
		.at_ns = f->session.now_ns, .kind = EVENT_PHASE, .ring = -1, .member = -1, .text = name};
}

/* The text of the last event but @back; "" where there is none. */
__attribute__((unused)) static const char *fixture_event(const struct fixture *f, size_t back)
{
	static char texts[4][512];
	static unsigned next;
	char *text = texts[next++ % 4];

	text[0] = '\0';
	if (f->session.n_events > back) {
		char *sentence = event_text(
			session_event_after(&f->session, session_last_serial(&f->session) - 1 - back));

		snprintf(text, sizeof(texts[0]), "%s", sentence);
		free(sentence);
	}
	return text;
}

__attribute__((unused)) static void fixture_destroy(struct fixture *f)
{
	session_finish(&f->session);
	free(f);
}

/* All that a report says of the session, but the blocks of its phases, which no checkpoint has: two with the
 * same text are the same. The caller frees it. */
__attribute__((unused)) static char *session_text(const struct session *session)
{
	static const struct config config;
	static const struct topology topology;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	report_json_print(
		out, session, &(struct report_origin){"end", &config, &topology, .blocks_of = N_FIGURES});
	for (size_t i = 0; i < session->n_rings; i++)
		for (int f = 0; f < N_FIGURES; f++)
			fprintf(out, "%llu %llu ",
				(unsigned long long)session->rings[i].figures[f].hist.last_ns,
				session->rings[i].figures[f].phase_max_at_ns
					? (unsigned long long)session->rings[i].figures[f].phase_max_ns
					: 0);
	fclose(out);
	return text;
}

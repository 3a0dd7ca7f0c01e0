/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_ui_session.h - sessions made by hand, for tests of the screen. */
#pragma once

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/figures/tick_fields.h"
#include "src/model/session.h"
#include "src/model/session_group.h"

static inline void fake_sample(struct session_figure *figure, uint64_t ns, uint64_t count, uint64_t at_ns)
{
	if (hist_add(&figure->hist, hist_bucket(ns), count) < 0)
		abort();
	figure->hist.sum_ns += ns * count;
	hist_extend(&figure->hist, ns, ns, at_ns);
	figure->last_ns = ns;
}

/* A pair that runs as asked, and has no samples. */
static inline void fake_ring(struct session_ring *ring, uint32_t id, const char *label, const char *mechanism)
{
	*ring = (struct session_ring){
		.id = id,
		.mechanism = strdup(mechanism),
		.title = strdup(mechanism),
		.label = strdup(label),
		.cpus = calloc(2, sizeof(*ring->cpus)),
		.n_members = 2,
		.interval_ns = 1000000,
		.asked = {.policy = SCHED_FIFO, .priority = 80},
		.state = RING_RUNNING,
		.members = calloc(2, sizeof(*ring->members)),
		.active_ns = 10000000000,
	};
	for (unsigned i = 0; i < 2; i++)
		ring->members[i] = (struct tick_member){.pid = 100,
			.tid = 200 + (int)(2 * id + i),
			.policy = ring->asked,
			.cpu = 0,
			.n_cpus = 1};
}

/* More members, and of each hop a sample that is the shorter the later it comes: hop h 1000 * (n - h) ns. */
static inline void fake_members(struct session_ring *ring, unsigned n)
{
	ring->n_members = n;
	ring->cpus = realloc(ring->cpus, n * sizeof(*ring->cpus));
	ring->members = realloc(ring->members, n * sizeof(*ring->members));
	ring->hops = calloc(n, sizeof(*ring->hops));
	for (unsigned m = 0; m < n; m++) {
		uint64_t ns = UINT64_C(1000) * (n - m);

		ring->cpus[m] = m;
		ring->members[m] = ring->members[0];
		ring->members[m].tid = 300 + (int)m;
		if (hist_add(&ring->hops[m].hist, hist_bucket(ns), 20) < 0)
			abort();
		ring->hops[m].hist.sum_ns = 20 * ns;
		hist_extend(&ring->hops[m].hist, ns, ns, 6000000000);
		ring->hops[m].last_ns = ns;
	}
}

static inline void fake_group_figure(struct session_figure *sum, const struct session_figure *figure)
{
	if (figure->last_ns > sum->last_ns)
		sum->last_ns = figure->last_ns;
	if (figure->phase_max_at_ns && (!sum->phase_max_at_ns || figure->phase_max_ns > sum->phase_max_ns)) {
		sum->phase_max_ns = figure->phase_max_ns;
		sum->phase_max_at_ns = figure->phase_max_at_ns;
	}
	if (hist_merge(&sum->hist, &figure->hist) < 0)
		abort();
}

static inline void fake_group_sums(struct session *session, size_t group)
{
	for (size_t i = 0; i < session->n_rings; i++) {
		if (!session_in_group(session, &session->rings[i], group))
			continue;
		tick_counts_add(&session->groups[group].counts, &session->rings[i].counts);
		for (int f = 0; f < N_FIGURES; f++)
			fake_group_figure(&session->groups[group].figures[f], &session->rings[i].figures[f]);
	}
}

/* The groups of the rings as they are now. Where there are as many as there were, the trails stay. */
static inline void fake_groups(struct session *session)
{
	struct trails kept = session->trails;

	session_groups_finish(session);
	session->trails = (struct trails){0};
	if (session_groups_init(session) < 0)
		abort();
	for (size_t g = 0; g < session->n_groups; g++)
		fake_group_sums(session, g);
	if (kept.n_rows == session->trails.n_rows) {
		trails_finish(&session->trails);
		session->trails = kept;
	} else {
		trails_finish(&kept);
	}
}

/* A tick in a second of the run, of so many ms, with @n samples of the first ring's first hop. */
static inline void fake_tick(struct session *session, uint64_t second, uint64_t ms, uint32_t n)
{
	struct hist hist = {0};
	uint64_t start_ns = session->start_ns + second * 1000000000;

	trails_tick(&session->trails, start_ns, start_ns + ms * 1000000);
	hist_extend(&hist, 1500, 1500, 1);
	if (n && (hist_add(&hist, hist_bucket(1500), n) < 0 ||
			 trails_feed(&session->trails, 0, FIGURE_FIRST, &hist) < 0))
		abort();
	hist_finish(&hist);
}

/* @n pairs, each with samples of its own; the pair of id i is slower the larger i is. */
static inline void fake_session(struct session *session, size_t n)
{
	*session = (struct session){
		.machine = {.host = "host42",
			.kernel = "6.1.0-rt7-amd64",
			.preemption = "PREEMPT_RT",
			.isolated = "2-7,10-15",
			.governor = "performance",
			.clock_source = "tsc",
			.smt = 1,
			.dma_latency_state = MACHINE_VALUE,
			.dma_latency_us = 0,
			.dma_latency_held_us = 0,
			.clock_cost_ns = 27,
			.own_cpus = "0-1"},
		.rings = calloc(n ? n : 1, sizeof(*session->rings)),
		.n_rings = n,
		.n_turns = 1,
		.wall_start_ns = UINT64_C(1700000000000000000),
		.start_ns = 5000000000,
		.now_ns = 66000000000,
		.n_ticks = 122,
		.loadavg = "3.12 2.80 1.95 4/812 12345",
		.own_cpu = 0.004,
	};
	for (size_t i = 0; i < n; i++) {
		char label[48];

		snprintf(label, sizeof(label), "%zu>%zu", i, (i + 1) % (n > 1 ? n : 2));
		fake_ring(&session->rings[i], (uint32_t)i, label, "mq");
		for (size_t f = 0; f < N_FIGURES; f++) {
			struct session_figure *figure = &session->rings[i].figures[f];

			for (uint64_t k = 0; k < 40; k++)
				fake_sample(figure, 1400 + 100 * i + k * k * (f + 1) * 3,
					1 + 9000 / (k * k * k + 1), session->now_ns);
			fake_sample(figure, 96200 + 1000 * i, 1, session->now_ns);
			fake_sample(figure, 1450 + 100 * i, 1, session->now_ns);
		}
	}
	fake_groups(session);
}

/* So many turns, in the first of which it is for so long; ring i has turn i. */
static inline void fake_turns(struct session *session, unsigned n, uint64_t turn_ns, uint64_t gone_ns)
{
	session->n_turns = n;
	session->turn_ns = turn_ns;
	session->turn = 0;
	session->turn_since_ns = session->now_ns - gone_ns;
	for (size_t i = 0; i < session->n_rings; i++)
		session->rings[i].turn = (unsigned)i % n;
}

static inline void fake_event(struct session *session, enum event_kind kind, int32_t ring, const char *text)
{
	session->events = realloc(session->events, (session->n_events + 1) * sizeof(*session->events));
	session->events[session->n_events++] = (struct event){
		.at_ns = session->now_ns, .kind = kind, .ring = ring, .member = -1, .text = strdup(text)};
}

static inline void fake_replace(char **string, const char *text)
{
	free(*string);
	*string = text ? strdup(text) : NULL;
}

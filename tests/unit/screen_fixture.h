/* SPDX-License-Identifier: GPL-2.0-or-later */
/* screen_fixture.h - a session of session_fixture.h with samples, and what a screen shows of it as text.
 *
 * The fake_ functions change the session behind its own functions, where a test wants what ticks bring about
 * slowly.
 */
#pragma once

#include <stdio.h>

#include "src/figures/tick.h"
#include "src/model/session_rows.h"
#include "tests/unit/session_fixture.h"
#include "ui/frame/frame.h"
#include "ui/views/views.h"

/* The views by their numbers. */
enum { VIEW_OVERVIEW, VIEW_DETAIL };

__attribute__((unused)) static void fake_replace(char **string, const char *text)
{
	free(*string);
	*string = text ? strdup(text) : NULL;
}

__attribute__((unused)) static void fake_sample(
	struct session_figure *figure, uint64_t ns, uint64_t count, uint64_t at_ns)
{
	if (hist_add_cells(&figure->hist, &(struct hist_cell){hist_bucket(ns), count}, 1) < 0)
		abort();
	figure->hist.sum_ns += ns * count;
	hist_extend(&figure->hist, ns, ns, at_ns);
	figure->hist.last_ns = ns;
}

/* Hops without samples. */
__attribute__((unused)) static void fake_hops(struct session_ring *ring, unsigned n)
{
	ring->hops = realloc(ring->hops, n * sizeof(*ring->hops));
	for (unsigned h = 0; h < n; h++)
		ring->hops[h] = (struct session_hop){.node = HOP_NODE_UNKNOWN};
}

/* More members, and of each hop a sample that is the shorter the later it comes: hop h 1000 * (n - h) ns. */
__attribute__((unused)) static void fake_members(struct session_ring *ring, unsigned n)
{
	fake_hops(ring, n);
	ring->n_members = n;
	ring->cpus = realloc(ring->cpus, n * sizeof(*ring->cpus));
	ring->members = realloc(ring->members, n * sizeof(*ring->members));
	for (unsigned m = 0; m < n; m++) {
		uint64_t ns = UINT64_C(1000) * (n - m);

		ring->cpus[m] = m;
		ring->members[m] = ring->members[0];
		ring->members[m].tid = 300 + (int)m;
		if (hist_add_cells(&ring->hops[m].hist, &(struct hist_cell){hist_bucket(ns), 20}, 1) < 0)
			abort();
		ring->hops[m].hist.sum_ns = 20 * ns;
		hist_extend(&ring->hops[m].hist, ns, ns, 6000000000);
		ring->hops[m].hist.last_ns = ns;
	}
}

/* The groups of the rings as they are now. Where there are as many as there were, the seconds stay. */
__attribute__((unused)) static void fake_groups(struct session *session)
{
	size_t before = session->n_groups;

	session_rows_finish(session);
	if (session_rows_init(session) < 0)
		abort();
	if (session->n_groups != before)
		second_stats_finish(&session->seconds);
}

/* A tick in a second of the run, of so many ms, with @n samples of the first ring's first hop. */
__attribute__((unused)) static void fake_tick(
	struct session *session, uint64_t second, uint64_t ms, uint32_t n)
{
	struct hist hist = {0};
	uint64_t start_ns = session->start_ns + second * 1000000000;

	second_stats_tick(&session->seconds, start_ns, start_ns + ms * 1000000, false);
	hist_extend(&hist, 1500, 1500, 1);
	if (n && (hist_add_cells(&hist, &(struct hist_cell){hist_bucket(1500), n}, 1) < 0 ||
			 second_stats_feed(&session->seconds, 0, FIGURE_FIRST, &hist) < 0))
		abort();
	hist_finish(&hist);
}

/* @n pairs, each with samples of its own; the pair of id i is slower the larger i is. */
__attribute__((unused)) static struct fixture *fixture_screen(size_t n)
{
	struct fixture *f = fixture_create(n, 1000000);
	struct session *session = &f->session;

	session->machine = (struct machine){.host = "host42",
		.kernel = "6.1.0-rt7-amd64",
		.preemption = "PREEMPT_RT",
		.isolated = "2-7,10-15",
		.governor = fact_rows_parse("performance"),
		.clock_source = "tsc",
		.smt = 1,
		.dma_latency_state = MACHINE_VALUE,
		.dma_latency_us = 0,
		.dma_latency_held_us = 0,
		.clock_cost_ns = 27,
		.clock_step_ns = -1,
		.own_cpus = "0-1"};
	session->wall_start_ns = UINT64_C(1700000000000000000);
	session->start_ns = 5000000000;
	session->now_ns = 66000000000;
	session->n_ticks = 122;
	session->own_cpu_ppm = 4000;
	snprintf(session->loadavg, sizeof(session->loadavg), "3.12 2.80 1.95 4/812 12345");
	for (size_t i = 0; i < n; i++) {
		struct session_ring *ring = &session->rings[i];
		char label[48];

		snprintf(label, sizeof(label), "%zu>%zu", i, (i + 1) % (n > 1 ? n : 2));
		fake_replace(&ring->label, label);
		ring->state = RING_RUNNING;
		ring->counts.active_ns = 10000000000;
		for (unsigned m = 0; m < 2; m++) {
			ring->members[m] = f->members[2 * i + m];
			ring->members[m].pid = 100;
			ring->members[m].tid = 200 + (int32_t)(2 * i + m);
		}
		for (size_t k = 0; k < N_FIGURES; k++) {
			struct session_figure *figure = &ring->figures[k];

			for (uint64_t j = 0; j < 40; j++)
				fake_sample(figure, 1400 + 100 * i + j * j * (k + 1) * 3,
					1 + 9000 / (j * j * j + 1), session->now_ns);
			fake_sample(figure, 96200 + 1000 * i, 1, session->now_ns);
			fake_sample(figure, 1450 + 100 * i, 1, session->now_ns);
		}
	}
	fake_groups(session);
	return f;
}

/* So many turns, in the first of which it is for so long; ring i has turn i. */
__attribute__((unused)) static void fake_turns(
	struct session *session, unsigned n, uint64_t turn_ns, uint64_t gone_ns)
{
	session->n_turns = n;
	session->turn_ns = turn_ns;
	session->turn = 0;
	session->turn_since_ns = session->now_ns - gone_ns;
	for (size_t i = 0; i < session->n_rings; i++)
		session->rings[i].turn = (unsigned)i % n;
}

__attribute__((unused)) static void fake_event(
	struct session *session, enum event_kind kind, int32_t ring, const char *text)
{
	session->events = realloc(session->events, (session->n_events + 1) * sizeof(*session->events));
	session->events[session->n_events++] = (struct event){
		.at_ns = session->now_ns, .kind = kind, .ring = ring, .member = -1, .text = strdup(text)};
}

/* A screen that is drawn as text. */
struct screen_fixture {
	struct fixture *fixture;
	struct session *session; /* the fixture's */
	struct frame frame;
	struct canvas canvas;
	char text[400000];
};

static struct screen_fixture seen;

static void seen_init(size_t n_rings)
{
	seen.fixture = fixture_screen(n_rings);
	seen.session = &seen.fixture->session;
	if (frame_init(&seen.frame, FIGURE_FIRST, 1000000000) < 0 ||
		canvas_init(&seen.canvas, 1, 1, true) < 0)
		abort();
}

static void seen_finish(void)
{
	fixture_destroy(seen.fixture);
	frame_finish(&seen.frame);
	canvas_finish(&seen.canvas);
}

__attribute__((unused)) static const char *look(unsigned columns, unsigned lines)
{
	FILE *out = fmemopen(seen.text, sizeof(seen.text), "w");

	fake_groups(seen.session);

	if (!out || frame_make(seen.session, &seen.frame, &seen.canvas, columns, lines) < 0)
		abort();
	canvas_print(&seen.canvas, out);
	fclose(out);
	return seen.text;
}

/* Is the view or dialog of this name on top? */
__attribute__((unused)) static bool is_on_top(const char *name)
{
	return strcmp(view_top(&seen.frame)->name, name) == 0;
}

/* Is it the command of this name? */
__attribute__((unused)) static bool is_command(struct command command, const char *name)
{
	return command.kind == COMMAND_NAMED && strcmp(command.row_name, name) == 0;
}

__attribute__((unused)) static bool shows(const char *text)
{
	return strstr(seen.text, text) != NULL;
}

/* The line that holds a text, or "". */
__attribute__((unused)) static const char *line_with(const char *text)
{
	static char line[1024];
	const char *at = strstr(seen.text, text);
	size_t length;

	line[0] = '\0';
	if (!at)
		return line;
	while (at > seen.text && at[-1] != '\n')
		at--;
	length = strcspn(at, "\n");
	length = length < sizeof(line) - 1 ? length : sizeof(line) - 1;
	memcpy(line, at, length);
	line[length] = '\0';
	return line;
}

/* The line with the mark of the selection, or "". */
__attribute__((unused)) static const char *marked_line(void)
{
	const char *at = strstr(seen.text, "\n> ");

	return at ? line_with(at + 1) : "";
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session.c - the model: sums, phases and events of all rings, from ticks. */
#include "src/model/session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/model/matrix.h"
#include "src/model/session_events.h"
#include "src/model/session_phases.h"
#include "src/model/session_rows.h"
#include "src/plan/plan.h"
#include "src/plan/plan_turns.h"

int session_init(struct session *session, const struct plan *plan, const struct topology *topology,
	const struct config *config, const struct machine *machine)
{
	*session = (struct session){.machine = machine_copy(machine),
		.n_turns = plan->n_turns,
		.turn_ns = plan->slice_ns,
		.work_size = config->work_size,
		.auto_phase = config->auto_phase,
		.is_sweep = plan->sweep.mechanism,
		.facts_begin_phases = true};
	session->rings_room = plan->n_rings ? plan->n_rings : 1;
	session->rings = calloc(session->rings_room, sizeof(*session->rings));
	if (!session->rings)
		return -ENOMEM;
	for (size_t i = 0; i < plan->n_rings; i++) {
		int r = session_ring_init(&session->rings[session->n_rings++], &plan->rings[i],
			(uint32_t)cpus_count(&plan->unpinned), topology, config);

		if (r < 0)
			return r;
	}
	if (session->is_sweep) {
		int r = matrix_create(&session->matrix, topology, plan);

		if (r < 0)
			return r;
	}
	return session_rows_init(session);
}

void session_finish(struct session *session)
{
	for (size_t i = 0; i < session->n_rings; i++)
		session_ring_finish(&session->rings[i]);
	for (size_t i = 0; i < session->n_events; i++)
		event_finish(&session->events[i]);
	phases_finish(&session->phases);
	series_finish(&session->series);
	second_stats_finish(&session->seconds);
	spikes_finish(&session->spikes);
	session_rows_finish(session);
	row_sums_finish(&session->sums);
	matrix_destroy(session->matrix);
	machine_finish(&session->machine);
	free(session->rings);
	free(session->events);
	*session = (struct session){0};
}

/* --- rings that come and go --- */

int session_add_ring(struct session *session, const struct session_ring *ring)
{
	size_t n = session->n_rings;

	if (ring->id >= GROUP_ROW || (n && session->rings[n - 1].id >= ring->id))
		return -EINVAL;
	if (n == session->rings_room) {
		size_t room = n ? 2 * n : 16;
		struct session_ring *rings = realloc(session->rings, room * sizeof(*rings));

		if (!rings)
			return -ENOMEM;
		session->rings = rings;
		session->rings_room = room;
	}
	int r = session_ring_copy(&session->rings[n], ring);

	if (r < 0) {
		session_ring_finish(&session->rings[n]);
		return r;
	}
	session->n_rings++;
	if (ring->turn >= session->n_turns)
		session->n_turns = ring->turn + 1;
	/* Until the next tick says it, which none of recordings before 5.10 does. */
	if (session->turn_ns < plan_turns_shortest_ns(ring->interval_ns))
		session->turn_ns = plan_turns_shortest_ns(ring->interval_ns);
	return session_rows_init(session);
}

int session_end_ring(struct session *session, uint32_t id)
{
	struct session_ring *ring = session_find_ring(session, id);
	const struct phase *phase = phases_current(&session->phases);

	if (!ring || ring->ended_ns)
		return -EINVAL;
	ring->ended_ns = session_position_ns(session);
	ring->ended_ns += !ring->ended_ns;
	ring->last_phase = phase ? phase->number : 1;
	if (!ring_state_has_ended(ring->state))
		ring->state = RING_GONE;
	ring->condition = ring->trouble = CONDITION_FINE;
	ring->age_ns = 0;
	return 0;
}

void session_remove_ring(struct session *session, struct session_ring *ring)
{
	second_stats_remove(&session->seconds, ring->id);
	session_ring_finish(ring);
	memmove(ring, ring + 1, (size_t)(session->rings + --session->n_rings - ring) * sizeof(*ring));
}

/* Removes the ended rings that no phase has any more, and of others the seconds, which are too old to be
 * shown: they are most of what a row takes. */
static void forget_rings(struct session *session)
{
	const uint64_t seconds_ns = SECONDS_KEPT * UINT64_C(1000000000);
	uint32_t first = session->phases.n ? session->phases.list[0].number : 1;

	for (size_t i = session->n_rings; i-- > 0;) {
		struct session_ring *ring = &session->rings[i];

		if (ring->ended_ns && ring->last_phase < first)
			session_remove_ring(session, ring);
		else if (ring->ended_ns && session->now_ns > ring->ended_ns + seconds_ns)
			second_stats_remove(&session->seconds, ring->id);
	}
}

/* Returns @n of a tick's length in @unit parts, as far as 32 bits hold it: recordings may have any. */
static uint32_t per_length(uint64_t n, double unit, const struct tick *tick)
{
	double length_ns = (double)tick->end_ns - (double)tick->start_ns;
	double rate = length_ns > 0.0 ? (double)n * unit / length_ns : 0.0;

	return rate < UINT32_MAX ? (uint32_t)rate : UINT32_MAX;
}

/* Ticks that a mark or the end cut short say nothing: marks and the end take time, too. */
static void note_own_cost(struct session *session, const struct tick *tick)
{
	const uint64_t own_least_ns = 25000000; /* half of the shortest --tick */

	session->recorder_ns += tick->recorder_ns;
	session->n_recorded += tick->n_recorded;
	if (session->n_ticks && tick->end_ns < tick->start_ns + own_least_ns)
		return;
	session->own_cpu_ppm = tick->own_cpu_ppm;
	session->recorder_ppm = per_length(tick->recorder_ns, 1e6, tick);
	session->recorded_hz = per_length(tick->n_recorded, 1e9, tick);
}

int session_feed(struct session *session, const struct tick *tick)
{
	struct session_events events = {0};
	struct block block = {0};
	struct event own_late;
	int r = session->machine_changed_ns ? 0 : session_phases_note(session);

	forget_rings(session);
	if (!session->start_ns)
		session->start_ns = tick->start_ns;
	for (size_t i = 0; i < tick->n_rings && r == 0; i++) {
		struct session_ring *ring = session_find_ring(session, tick->rings[i].id);

		if (!ring)
			continue;
		session_events_find(&events, &session->machine, ring, &tick->rings[i], tick);
		r = session_ring_feed(ring, &tick->rings[i], tick);
	}
	if (r == 0)
		r = session_rows_feed(session, tick, &block);
	session->now_ns = tick->end_ns;
	session->turn = tick->turn < session->n_turns ? tick->turn : 0; /* recordings may have any */
	session->turn_since_ns = tick->turn_since_ns;
	session->turn_held = tick->turn_held;
	if (tick->turn_ns)
		session->turn_ns = tick->turn_ns;
	note_own_cost(session, tick);
	session->n_ticks++;
	snprintf(session->loadavg, sizeof(session->loadavg), "%s", tick->loadavg);
	if (r == 0)
		r = session_phases_feed(session, tick, &block);
	if (own_lateness_feed(&session->own_lateness, tick, &own_late) && r == 0)
		r = session_event(session, &own_late);
	if (r == 0)
		r = session_events_report(&events, session, tick->end_ns);
	if (r == 0 && (session_events_have_change(&events) || session->machine_changed_ns))
		r = session_phases_change(session);
	session->machine_changed_ns = 0;
	session_events_finish(&events);
	block_finish(&block);
	return r;
}

bool session_is_above(const struct session *session, enum figure figure, uint64_t limit_ns)
{
	for (size_t i = 0; i < session->n_rings && limit_ns; i++) {
		const struct session_ring *ring = &session->rings[i];
		const struct hist *hist = &ring->figures[session_figure_of(ring, figure)].hist;

		if (hist->n && hist->max_ns > limit_ns)
			return true;
	}
	return false;
}

bool session_has_failed(const struct session *session)
{
	bool all = true;

	for (size_t i = 0; i < session->n_rings; i++) {
		if (session_faults(&session->rings[i]))
			return true;
		all &= session->rings[i].state == RING_FAILED;
	}
	return (all && session->n_rings) || (session->matrix && session->matrix->failure);
}

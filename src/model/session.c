/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session.c - the model: sums ticks up, ring by ring. */
#include "src/model/session.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/model/session_asked.h"
#include "src/model/session_events.h"
#include "src/model/session_group.h"
#include "src/model/session_hops.h"
#include "src/model/session_phases.h"
#include "src/model/session_place.h"
#include "src/model/session_rows.h"
#include "src/plan/plan.h"
#include "src/probe/probe.h"

static bool all_isolated(const struct plan_ring *planned, const struct topology *topology)
{
	for (unsigned i = 0; i < planned->n_members; i++)
		if (!cpus_has(&topology->isolated, planned->cpus[i]))
			return false;
	return planned->n_members > 0;
}

static char *label_of(const struct plan_ring *planned)
{
	char text[128];

	return strdup(plan_ring_label(planned, text, sizeof(text)));
}

static uint64_t bytes_of(const struct probe *probe, const struct config *config)
{
	if (!(probe->traits & PROBE_PAYLOAD))
		return 0;
	return config->size ? config->size : 1;
}

static int ring_init(struct session_ring *ring, const struct plan_ring *planned, uint32_t n_unpinned,
	const struct topology *topology, const struct config *config)
{
	*ring = (struct session_ring){
		.id = planned->id,
		.mechanism = strdup(planned->probe->name),
		.title = strdup(planned->probe->title),
		.label = label_of(planned),
		.cpus = calloc(planned->n_members, sizeof(*ring->cpus)),
		.n_members = planned->n_members,
		.locality = planned->locality,
		.turn = planned->turn,
		.interval_ns = planned->interval_ns,
		.token_bytes = bytes_of(planned->probe, config),
		.isolated = all_isolated(planned, topology),
		.n_cpus = planned->unpinned ? n_unpinned : 0,
		.asked = config->has_policy ? planned->policy : (struct task_policy){.policy = SCHED_OTHER},
		.members = calloc(planned->n_members, sizeof(*ring->members)),
	};
	if (!ring->mechanism || !ring->title || !ring->label || !ring->cpus || !ring->members)
		return -ENOMEM;
	memcpy(ring->cpus, planned->cpus, planned->n_members * sizeof(*ring->cpus));
	for (unsigned i = 0; i < planned->n_members; i++)
		ring->members[i] = (struct tick_member){.policy = {.policy = -1}, .cpu = -1};
	int r = session_hops_init(ring);

	return r < 0 ? r : session_asked_init(ring, config);
}

static void ring_finish(struct session_ring *ring)
{
	for (int i = 0; i < N_FIGURES; i++)
		hist_finish(&ring->figures[i].hist);
	session_hops_finish(ring);
	session_asked_finish(ring);
	free(ring->mechanism);
	free(ring->title);
	free(ring->label);
	free(ring->cpus);
	free(ring->reason);
	free(ring->members);
}

int session_init(struct session *session, const struct plan *plan, const struct topology *topology,
	const struct config *config, const struct machine *machine)
{
	*session = (struct session){.machine = *machine,
		.n_turns = plan->n_turns,
		.turn_ns = plan->slice_ns,
		.work_size = config->work_size,
		.auto_phase = config->auto_phase};
	session->rings = calloc(plan->n_rings ? plan->n_rings : 1, sizeof(*session->rings));
	if (!session->rings)
		return -ENOMEM;
	for (size_t i = 0; i < plan->n_rings; i++) {
		int r = ring_init(&session->rings[session->n_rings++], &plan->rings[i],
			(uint32_t)cpus_count(&plan->unpinned), topology, config);

		if (r < 0)
			return r;
	}
	return session_groups_init(session);
}

void session_finish(struct session *session)
{
	for (size_t i = 0; i < session->n_rings; i++)
		ring_finish(&session->rings[i]);
	for (size_t i = 0; i < session->n_events; i++)
		event_finish(&session->events[i]);
	phases_finish(&session->phases);
	series_finish(&session->series);
	trails_finish(&session->trails);
	session_groups_finish(session);
	row_sums_finish(&session->sums);
	free(session->rings);
	free(session->events);
	*session = (struct session){0};
}

static int copy_reason(struct session_ring *ring, const char *reason)
{
	char *copy = NULL;

	if (reason == ring->reason || (reason && ring->reason && strcmp(reason, ring->reason) == 0))
		return 0;
	if (reason) {
		copy = strdup(reason);
		if (!copy)
			return -ENOMEM;
	}
	free(ring->reason);
	ring->reason = copy;
	return 0;
}

/* What is known of a member that is gone stays: it is what the figures were measured with. */
static void member_feed(struct tick_member *member, const struct tick_member *seen)
{
	if (member->tid == 0 || (seen->tid != 0 && seen->policy.policy >= 0))
		*member = *seen;
}

/* A ring that has ended keeps what was said of it last: that it is gone says nothing of its figures. */
static void state_feed(struct session_ring *ring, const struct tick_ring *seen)
{
	if (seen->state == RING_GONE)
		return;
	if (ring->trouble != session_events_trouble(ring, seen))
		ring->wait_ns = 0;
	ring->trouble = session_events_trouble(ring, seen);
	if (ring->wait_ns < seen->age_ns)
		ring->wait_ns = seen->age_ns;
	/* Its gaps are short, and seen when they are over. */
	if (seen->condition == CONDITION_THROTTLED)
		ring->wait_ns = session_events_wait_ns(ring, seen);
	ring->state = seen->state;
	ring->condition = seen->condition;
	ring->age_ns = seen->age_ns;
}

static int ring_feed(struct session_ring *ring, const struct tick_ring *seen, const struct tick *tick)
{
	state_feed(ring, seen);
	for (int f = 0; f < N_TOKEN_FAULTS; f++)
		ring->faults[f] += seen->faults[f];
	for (uint32_t i = 0; i < seen->n_members; i++)
		member_feed(&ring->members[i], &tick->members[seen->first_member + i]);
	int r = session_place_update(ring, seen->locality);

	if (r == 0)
		r = session_hops_feed(ring, seen, tick);
	if (r == 0)
		r = session_asked_feed(ring, seen, tick);
	return r < 0 ? r : copy_reason(ring, seen->reason);
}

/* Is the tick one of this session's rings? A recording may be anyone's. */
static bool ring_fits(const struct session *session, const struct tick *tick, const struct tick_ring *seen)
{
	if (seen->id >= session->n_rings || session->rings[seen->id].id != seen->id)
		return false;
	if (seen->n_members > session->rings[seen->id].n_members ||
		!session_part_of(seen->first_member, seen->n_members, tick->n_members))
		return false;
	for (int i = 0; i < N_FIGURES; i++)
		if (!session_part_of(seen->figures[i].first_cell, seen->figures[i].n_cells, tick->n_cells))
			return false;
	return session_hops_fit(&session->rings[seen->id], seen, tick) &&
	       session_asked_fits(&session->rings[seen->id], seen, tick);
}

static bool tick_fits(const struct session *session, const struct tick *tick)
{
	for (size_t i = 0; i < tick->n_rings; i++)
		if (!ring_fits(session, tick, &tick->rings[i]) ||
			(i && tick->rings[i].id <= tick->rings[i - 1].id))
			return false;
	for (size_t i = 0; i < tick->n_cells; i++)
		if (tick->cells[i].bucket >= HIST_BUCKETS)
			return false;
	return !tick->turn || tick->turn < session->n_turns;
}

static int rings_feed(struct session *session, const struct tick *tick, struct session_events *events)
{
	int r = 0;

	for (size_t i = 0; i < tick->n_rings && r == 0; i++) {
		struct session_ring *ring = &session->rings[tick->rings[i].id];

		r = session_events_find(events, &session->machine, ring, &tick->rings[i], tick);
		if (r == 0)
			r = ring_feed(ring, &tick->rings[i], tick);
	}
	return r;
}

/* A mark cuts a tick short, and so does the end: of a few ms, with work of their own in them, nothing can be
 * said of what ipctop takes. */
static void own_cpu_feed(struct session *session, const struct tick *tick)
{
	const uint64_t least_ns = 25000000; /* half of the shortest --tick */

	if (!session->n_ticks || tick->end_ns >= tick->start_ns + least_ns)
		session->own_cpu = tick->own_cpu;
}

int session_feed(struct session *session, const struct tick *tick)
{
	struct session_events events = {0};
	char change[SESSION_CHANGE_SIZE];
	struct block block;
	int r;

	if (!tick_fits(session, tick))
		return -EINVAL;
	if (!session->start_ns)
		session->start_ns = tick->start_ns;
	r = rings_feed(session, tick, &events);
	if (r == 0)
		r = session_rows_feed(session, tick, &block);
	session->now_ns = tick->end_ns;
	session->turn = tick->turn;
	session->turn_since_ns = tick->turn_since_ns;
	own_cpu_feed(session, tick);
	session->n_ticks++;
	snprintf(session->loadavg, sizeof(session->loadavg), "%s", tick->loadavg);
	if (r == 0)
		r = session_phases_feed(session, &block);
	if (r == 0)
		r = session_events_report(&events, session, tick->end_ns);
	if (r == 0 && session_events_change(&events, change))
		r = session_phases_change(session, change);
	session_events_finish(&events);
	return r;
}

bool session_member_differs(const struct session_ring *ring, unsigned member)
{
	const struct tick_member *is = &ring->members[member];

	if (is->tid == 0)
		return false;
	if (is->policy.policy >= 0 && !task_policy_equal(is->policy, ring->asked))
		return true;
	if (ring->n_cpus)
		return is->n_cpus > 0 && is->n_cpus != ring->n_cpus;
	return is->n_cpus > 0 && is->cpu != (int64_t)ring->cpus[member];
}

enum figure session_figure_of(const struct session_ring *ring, enum figure figure)
{
	return figure_at(figure, ring->interval_ns);
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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_ring.c - one ring in a session: its members, hops and sums. */
#include "src/model/session_ring.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/model/session_events.h"
#include "src/plan/config.h"
#include "src/plan/plan.h"
#include "src/plan/plan_ring.h"

static bool all_isolated(const struct plan_ring *planned, const struct topology *topology)
{
	for (unsigned i = 0; i < planned->n_members; i++)
		if (!cpus_has(&topology->isolated, planned->cpus[i]))
			return false;
	return planned->n_members > 0;
}

int session_ring_init_members(struct session_ring *ring, const unsigned *cpus, unsigned n)
{
	ring->cpus = calloc(n, sizeof(*ring->cpus));
	ring->members = calloc(n, sizeof(*ring->members));
	ring->hops = calloc(n, sizeof(*ring->hops));
	if (!ring->cpus || !ring->members || !ring->hops)
		return -ENOMEM;
	ring->n_members = n;
	for (unsigned i = 0; i < n; i++) {
		ring->cpus[i] = cpus[i];
		ring->members[i] = (struct tick_member){.policy = {.policy = -1}, .cpu = -1};
		ring->hops[i].node = HOP_NODE_UNKNOWN;
	}
	return 0;
}

int session_ring_init(struct session_ring *ring, const struct plan_ring *planned, uint32_t n_unpinned,
	const struct topology *topology, const struct config *config)
{
	char label[128];

	*ring = (struct session_ring){
		.id = planned->id,
		.mechanism = strdup(planned->mechanism),
		.title = strdup(planned->title),
		.label = strdup(plan_ring_label(planned, label, sizeof(label))),
		.locality = planned->locality,
		.turn = planned->turn,
		.interval_ns = planned->interval_ns,
		.token_bytes = planned->token_bytes,
		.isolated = all_isolated(planned, topology),
		.n_cpus = planned->unpinned ? n_unpinned : 0,
		.asked = config->has_policy ? planned->policy : (struct task_policy){.policy = SCHED_OTHER},
	};
	int r = session_ring_init_members(ring, planned->cpus, planned->n_members);

	if (r < 0 || !ring->mechanism || !ring->title || !ring->label)
		return -ENOMEM;
	if (config->tool.member_laps)
		ring->member_laps = calloc(ring->n_members, sizeof(*ring->member_laps));
	if (config->tool.lap_log)
		ring->laps_ns = calloc(SESSION_LAPS, sizeof(*ring->laps_ns));
	return (config->tool.member_laps && !ring->member_laps) || (config->tool.lap_log && !ring->laps_ns)
		       ? -ENOMEM
		       : 0;
}

void session_ring_finish(struct session_ring *ring)
{
	for (int i = 0; i < N_FIGURES; i++)
		hist_finish(&ring->figures[i].hist);
	for (unsigned m = 0; m < ring->n_members; m++) {
		if (ring->hops)
			hist_finish(&ring->hops[m].hist);
		if (ring->member_laps)
			hist_finish(&ring->member_laps[m].hist);
	}
	free(ring->hops);
	free(ring->member_laps);
	free(ring->laps_ns);
	free(ring->mechanism);
	free(ring->title);
	free(ring->label);
	free(ring->cpus);
	free(ring->reason);
	free(ring->members);
}

/* --- places --- */

int64_t session_member_place(const struct session_ring *ring, unsigned member)
{
	int32_t moved_to = ring->members ? ring->members[member].moved_to : 0;

	if (!moved_to)
		return ring->cpus[member];
	return moved_to > 0 ? moved_to - 1 : -1;
}

bool session_member_is_away(const struct session_ring *ring, unsigned member)
{
	const struct tick_member *is = &ring->members[member];

	return ring_condition_is_away(ring->condition) && is->tid && !is->moved_to &&
	       is->cpu != (int64_t)ring->cpus[member];
}

static const char *place_text(const void *of, unsigned member, char text[16])
{
	int64_t cpu = session_member_place(of, member);

	if (cpu < 0)
		return "*";
	snprintf(text, 16, "%u", (unsigned)cpu);
	return text;
}

char *session_hop_label(const struct session_ring *ring, unsigned hop, char *text, size_t size)
{
	char from[16], to[16];

	snprintf(text, size, "%u: %s>%s", hop, place_text(ring, hop, from),
		place_text(ring, (hop + 1) % ring->n_members, to));
	return text;
}

int session_ring_update_places(struct session_ring *ring, enum locality locality)
{
	char text[128];
	bool moved = false;

	for (unsigned m = 0; m < ring->n_members; m++)
		moved |= ring->members[m].moved_to != 0;
	if (!moved && !ring->moved)
		return 0;
	if (!ring->moved)
		ring->planned_locality = ring->locality;
	ring->moved = moved;
	ring->locality = moved ? locality : ring->planned_locality;
	plan_ring_label_by(ring->n_members, place_text, ring, text, sizeof(text));
	if (strcmp(text, ring->label) == 0)
		return 0;
	char *label = strdup(text);

	if (!label)
		return -ENOMEM;
	free(ring->label);
	ring->label = label;
	return 0;
}

/* --- ticks --- */

/* Are @n things from @first on among @all? */
static bool is_part(size_t first, size_t n, size_t all)
{
	return first <= all && n <= all - first;
}

static bool figure_fits(const struct tick_figure *figure, const struct tick *tick)
{
	return is_part(figure->first_cell, figure->n_cells, tick->n_cells);
}

bool session_ring_fits(const struct session_ring *ring, const struct tick_ring *seen, const struct tick *tick)
{
	bool fits = seen->n_members <= ring->n_members && seen->n_hops <= ring->n_members &&
		    is_part(seen->first_member, seen->n_members, tick->n_members) &&
		    is_part(seen->first_hop, seen->n_hops, tick->n_hops);

	for (int i = 0; fits && i < N_FIGURES; i++)
		fits = figure_fits(&seen->figures[i], tick);
	for (uint32_t h = 0; fits && h < seen->n_hops; h++)
		fits = figure_fits(&tick->hops[seen->first_hop + h].figure, tick);
	for (uint32_t m = 0; fits && ring->member_laps && m < seen->n_members; m++)
		fits = figure_fits(&tick->members[seen->first_member + m].lap, tick);
	return fits;
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

static int hop_feed(struct session_hop *hop, const struct tick_hop *seen, const struct hist_cell *cells)
{
	if (seen->node != HOP_NODE_UNKNOWN)
		hop->node = seen->node;
	if (seen->figure.last_ns)
		hop->last_ns = seen->figure.last_ns;
	return tick_figure_add(&seen->figure, cells, &hop->hist);
}

/* What front ends ask for: the lap as each member sees it, each lap by itself, and receives that timed out.
 */
static int tool_feed(struct session_ring *ring, const struct tick_ring *seen, const struct tick *tick)
{
	int r = 0;

	ring->timeouts += seen->timeouts;
	for (size_t i = 0; ring->laps_ns && i < seen->n_laps_ns; i++)
		ring->laps_ns[ring->n_laps_ns++ % SESSION_LAPS] = seen->laps_ns[i];
	for (uint32_t m = 0; r == 0 && ring->member_laps && m < seen->n_members; m++) {
		const struct tick_figure *figure = &tick->members[seen->first_member + m].lap;

		r = tick_figure_add(figure, tick->cells, &ring->member_laps[m].hist);
		ring->member_laps[m].last_ns = figure->last_ns;
	}
	return r;
}

int session_ring_feed(struct session_ring *ring, const struct tick_ring *seen, const struct tick *tick)
{
	state_feed(ring, seen);
	for (int f = 0; f < N_TOKEN_FAULTS; f++)
		ring->faults[f] += seen->faults[f];
	for (uint32_t i = 0; i < seen->n_members; i++)
		member_feed(&ring->members[i], &tick->members[seen->first_member + i]);
	int r = session_ring_update_places(ring, seen->locality);

	for (uint32_t h = 0; r == 0 && h < seen->n_hops; h++)
		r = hop_feed(&ring->hops[h], &tick->hops[seen->first_hop + h], tick->cells);
	if (r == 0)
		r = tool_feed(ring, seen, tick);
	return r < 0 ? r : copy_reason(ring, seen->reason);
}

/* --- what others read --- */

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

uint64_t session_faults(const struct session_ring *ring)
{
	uint64_t n = 0;

	for (int f = 0; f < N_TOKEN_FAULTS; f++)
		n += ring->faults[f];
	return n;
}

enum token_fault session_worst_fault(const struct session_ring *ring)
{
	static const enum token_fault worst_first[] = {FAULT_DAMAGED, FAULT_LOST, FAULT_REORDERED};

	for (size_t i = 0; i < sizeof(worst_first) / sizeof(*worst_first); i++)
		if (ring->faults[worst_first[i]])
			return worst_first[i];
	return FAULT_REPEATED;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_ring.c - one ring in a session: its members, hops and sums. */
#include "src/model/session_ring.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/sorted.h"
#include "src/figures/spike.h"
#include "src/model/session.h"
#include "src/plan/config.h"
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
		.stamps = config->stamps,
		.batch_laps = config->batch_laps,
		.token_bytes = planned->token_bytes,
		.isolated = all_isolated(planned, topology),
		.n_cpus = planned->unpinned ? n_unpinned : 0,
		.asked = planned->has_policy ? planned->policy : (struct task_policy){.policy = SCHED_OTHER},
	};
	int r = session_ring_init_members(ring, planned->cpus, planned->n_members);

	if (r < 0 || !ring->mechanism || !ring->title || !ring->label)
		return -ENOMEM;
	if (config->tool.member_laps) {
		ring->member_laps = calloc(ring->n_members, sizeof(*ring->member_laps));
		r = ring->member_laps ? r : -ENOMEM;
	}
	if (config->tool.lap_log) {
		ring->laps_ns = calloc(SESSION_LAPS, sizeof(*ring->laps_ns));
		r = ring->laps_ns ? r : -ENOMEM;
	}
	return r;
}

int session_ring_copy(struct session_ring *copy, const struct session_ring *ring)
{
	*copy = (struct session_ring){
		.id = ring->id,
		.added_ns = ring->added_ns,
		.mechanism = strdup(ring->mechanism),
		.title = strdup(ring->title),
		.label = strdup(ring->label),
		.locality = ring->locality,
		.turn = ring->turn,
		.interval_ns = ring->interval_ns,
		.stamps = ring->stamps,
		.batch_laps = ring->batch_laps,
		.token_bytes = ring->token_bytes,
		.isolated = ring->isolated,
		.n_cpus = ring->n_cpus,
		.asked = ring->asked,
	};
	int r = session_ring_init_members(copy, ring->cpus, ring->n_members);

	return copy->mechanism && copy->title && copy->label ? r : -ENOMEM;
}

void session_ring_finish(struct session_ring *ring)
{
	for (int i = 0; i < N_FIGURES; i++)
		hist_finish(&ring->figures[i].hist);
	for (unsigned m = 0; m < ring->n_members; m++) {
		if (ring->hops)
			hist_finish(&ring->hops[m].hist);
		if (ring->member_laps)
			hist_finish(&ring->member_laps[m]);
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

struct session_ring *session_find_ring(const struct session *session, size_t id)
{
	size_t at = SORTED_INDEX(session->rings, session->n_rings, struct session_ring, id, id);

	return at < session->n_rings && session->rings[at].id == id ? &session->rings[at] : NULL;
}

/* --- names --- */

static int compare_names(const void *a, const void *b)
{
	const struct session_ring *x = *(struct session_ring *const *)a,
				  *y = *(struct session_ring *const *)b;
	int by_mechanism = strcmp(x->mechanism, y->mechanism);

	return by_mechanism ? by_mechanism : strcmp(x->label, y->label);
}

int session_find_namesakes(struct session *session)
{
	struct session_ring **sorted = calloc(session->n_rings + 1, sizeof(*sorted));

	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < session->n_rings; i++) {
		sorted[i] = &session->rings[i];
		sorted[i]->has_namesake = false;
	}
	qsort(sorted, session->n_rings, sizeof(*sorted), compare_names);
	for (size_t i = 1; i < session->n_rings; i++)
		if (compare_names(&sorted[i - 1], &sorted[i]) == 0)
			sorted[i - 1]->has_namesake = sorted[i]->has_namesake = true;
	free(sorted);
	return 0;
}

const char *session_ring_suffix(const struct session_ring *ring, char text[SESSION_SUFFIX_SIZE])
{
	text[0] = '\0';
	if (ring->has_namesake)
		snprintf(text, SESSION_SUFFIX_SIZE, "#%u", (unsigned)ring->id);
	return text;
}

char *session_ring_name(const struct session_ring *ring, char text[SESSION_NAME_SIZE])
{
	char suffix[SESSION_SUFFIX_SIZE];

	snprintf(text, SESSION_NAME_SIZE, "%s %s%s", ring->mechanism, ring->label,
		session_ring_suffix(ring, suffix));
	return text;
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

static const char *cpu_text(int64_t cpu, char text[16])
{
	if (cpu < 0)
		return "*";
	snprintf(text, 16, "%u", (unsigned)cpu);
	return text;
}

static const char *place_text(const void *of, unsigned member, char text[16])
{
	return cpu_text(session_member_place(of, member), text);
}

char *session_hop_label(const struct session_ring *ring, unsigned hop, char *text, size_t size)
{
	char from[16], to[16];

	snprintf(text, size, "%u: %s>%s", hop, place_text(ring, hop, from),
		place_text(ring, (hop + 1) % ring->n_members, to));
	return text;
}

/* Replaces an owned string by a copy of @by; either may be NULL. */
static int replace_text(char **text, const char *by)
{
	if (*text == by || (*text && by && strcmp(*text, by) == 0))
		return 0;
	char *copy = by ? strdup(by) : NULL;

	if (by && !copy)
		return -ENOMEM;
	free(*text);
	*text = copy;
	return 0;
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
	return replace_text(&ring->label, text);
}

/* A ring at the time of a spike. */
struct ring_then {
	const struct session_ring *ring;
	const struct spike *spike;
};

/* The place that the member had then, if the spike is of one of its hops; or else its place now. */
static int64_t place_then(const struct ring_then *then, unsigned member)
{
	int32_t tid = then->ring->members[member].tid;

	if (tid && tid == then->spike->sender.tid)
		return then->spike->sender.cpu;
	if (tid && tid == then->spike->receiver.tid)
		return then->spike->receiver.cpu;
	return session_member_place(then->ring, member);
}

static const char *place_then_text(const void *of, unsigned member, char text[16])
{
	return cpu_text(place_then(of, member), text);
}

char *session_spike_label(
	const struct session_ring *ring, const struct spike *spike, char text[SPIKE_LABEL_SIZE])
{
	const struct ring_then then = {ring, spike};
	bool differs = false;

	for (unsigned m = 0; ring->members && !ring->n_cpus && m < ring->n_members; m++)
		differs |= place_then(&then, m) != session_member_place(ring, m);
	if (differs)
		return plan_ring_label_by(ring->n_members, place_then_text, &then, text, SPIKE_LABEL_SIZE);
	snprintf(text, SPIKE_LABEL_SIZE, "%s", ring->label);
	return text;
}

char *session_spike_name(
	const struct session_ring *ring, const struct spike *spike, char text[SESSION_NAME_SIZE])
{
	char label[SPIKE_LABEL_SIZE], suffix[SESSION_SUFFIX_SIZE];

	snprintf(text, SESSION_NAME_SIZE, "%s %s%s", ring->mechanism, session_spike_label(ring, spike, label),
		session_ring_suffix(ring, suffix));
	return text;
}

/* --- ticks --- */

/* A ring that is gone keeps its last state, which explains its figures. It may have run between two ticks. */
static void state_feed(struct session_ring *ring, const struct tick_ring *seen)
{
	if (seen->state == RING_GONE) {
		if (ring->state < RING_RUNNING && seen->active_ns)
			ring->state = RING_RUNNING;
		return;
	}
	ring->state = seen->state;
	ring->condition = seen->condition;
	ring->age_ns = seen->age_ns;
}

/* For compat tools: the lap as each member measures it, each single lap, and receives that timed out. */
static int tool_feed(struct session_ring *ring, const struct tick_ring *seen, const struct tick *tick)
{
	int r = 0;

	ring->timeouts += seen->timeouts;
	for (size_t i = 0; ring->laps_ns && i < seen->n_laps_ns; i++)
		ring->laps_ns[ring->n_laps_ns++ % SESSION_LAPS] = seen->laps_ns[i];
	for (uint32_t m = 0; r == 0 && ring->member_laps && m < seen->n_members; m++)
		r = tick_figure_add(
			&tick->members[seen->first_member + m].lap, tick->cells, &ring->member_laps[m]);
	return r;
}

int session_ring_feed(struct session_ring *ring, const struct tick_ring *seen, const struct tick *tick)
{
	state_feed(ring, seen);
	for (int f = 0; f < N_TOKEN_FAULTS; f++)
		ring->faults[f] += seen->faults[f];
	for (uint32_t i = 0; i < seen->n_members; i++) {
		const struct tick_member *is = &tick->members[seen->first_member + i];

		/* The last state of a member that is gone stays: the figures were measured with it. */
		if (ring->members[i].tid == 0 || (is->tid != 0 && is->policy.policy >= 0))
			ring->members[i] = *is;
	}
	int r = session_ring_update_places(ring, seen->locality);

	for (uint32_t h = 0; r == 0 && h < seen->n_hops; h++) {
		const struct tick_hop *hop = &tick->hops[seen->first_hop + h];

		if (hop->node != HOP_NODE_UNKNOWN)
			ring->hops[h].node = hop->node;
		r = tick_figure_add(&hop->figure, tick->cells, &ring->hops[h].hist);
	}
	if (r == 0)
		r = tool_feed(ring, seen, tick);
	return r < 0 ? r : replace_text(&ring->reason, seen->reason);
}

/* --- what others read --- */

bool session_member_policy_differs(const struct session_ring *ring, unsigned member)
{
	const struct tick_member *is = &ring->members[member];

	return is->tid && is->policy.policy >= 0 && !task_policy_equal(is->policy, ring->asked);
}

bool session_member_affinity_differs(const struct session_ring *ring, unsigned member)
{
	const struct tick_member *is = &ring->members[member];

	if (!is->tid || !is->n_cpus)
		return false;
	return ring->n_cpus ? is->n_cpus != ring->n_cpus : is->cpu != (int64_t)ring->cpus[member];
}

bool session_member_differs(const struct session_ring *ring, unsigned member)
{
	return session_member_policy_differs(ring, member) || session_member_affinity_differs(ring, member);
}

enum figure session_figure_of(const struct session_ring *ring, enum figure figure)
{
	return figure_at(figure, ring->interval_ns, ring->stamps);
}

enum figure session_response_of(const struct session_ring *ring)
{
	return ring->interval_ns ? FIGURE_RESPONSE : FIGURE_LAP;
}

const char *session_stamps_text(const struct session_ring *ring, char text[SESSION_STAMPS_SIZE])
{
	text[0] = '\0';
	if (ring->batch_laps)
		snprintf(text, SESSION_STAMPS_SIZE, "batches of %u lap%s", (unsigned)ring->batch_laps,
			ring->batch_laps > 1 ? "s" : "");
	else if (ring->stamps != STAMPS_ALL)
		snprintf(text, SESSION_STAMPS_SIZE, "stamps %s", stamps_name(ring->stamps));
	return text;
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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* condition.c - why a ring makes no laps: its age, and the word for it. */
#include "src/engine/condition.h"

#include "src/ring/missed_slots.h"

static enum ring_state state_of(const struct ring_slot *ring)
{
	return (enum ring_state)atomic_load_explicit(&ring->state, memory_order_acquire);
}

/* Returns since when a slot has been due; 0: none can be overdue. */
static uint64_t due_since(const struct arena *arena, const struct ring_slot *ring)
{
	uint64_t since_ns = ring_state_has_ended(state_of(ring)) ? 0 : missed_slots_oldest_due(arena, ring);

	if (ring->interval_ns || !since_ns)
		return since_ns;
	/* Flood has no dues: the age is the time since the token was sent, in this turn. */
	uint64_t sent_ns =
		atomic_load_explicit(&arena_hop(arena, ring, 0)->stamp.sent_ns, memory_order_relaxed);

	return sent_ns > since_ns ? sent_ns : since_ns;
}

uint64_t condition_age(const struct arena *arena, const struct ring_slot *ring, uint64_t now_ns)
{
	uint64_t since_ns = due_since(arena, ring);
	int64_t age_ns = (int64_t)(now_ns - since_ns);

	return since_ns && age_ns > CONDITION_AGE_NS ? (uint64_t)age_ns : 0;
}

/* A stopped member has priority over one that gets no CPU. */
static enum ring_condition from_states(
	const struct arena *arena, const struct ring_slot *ring, bool throttled)
{
	enum ring_condition condition = CONDITION_LATE;

	for (unsigned m = 0; m < ring->n_members; m++) {
		const struct member_slot *member = arena_member(arena, ring, m);
		struct task_stat stat;

		if (!member->tid || task_read_stat(member->pid, member->tid, &stat) < 0)
			continue;
		if (stat.state == 'T' || stat.state == 't')
			return CONDITION_STOPPED;
		if (stat.state == 'R')
			condition = throttled ? CONDITION_THROTTLED : CONDITION_STARVED;
	}
	return condition;
}

/* It will run, and has no host yet. */
static bool is_planned(const struct ring_slot *ring)
{
	return atomic_load_explicit(&ring->command, memory_order_relaxed) == RING_COMMAND_RUN &&
	       !atomic_load_explicit(&ring->forked_ns, memory_order_relaxed);
}

enum ring_condition condition_of(const struct arena *arena, const struct ring_slot *ring, uint64_t age_ns,
	bool ran, enum ring_condition away, bool throttled)
{
	enum ring_state state = state_of(ring);

	if (away != CONDITION_FINE)
		return away;
	if (ring_state_has_ended(state))
		return CONDITION_FINE;
	if (!missed_slots_has_turn(ring))
		return is_planned(ring) ? CONDITION_NEVER_RAN : CONDITION_WAITING;
	if (age_ns)
		return from_states(arena, ring, throttled);
	if (throttled)
		return CONDITION_THROTTLED;
	return ran ? CONDITION_FINE : CONDITION_NEVER_RAN;
}

static uint64_t used_since(const struct member_slot *member, uint64_t *before_ns)
{
	uint64_t runtime_ns, used_ns;

	if (!member->tid || task_read_runtime(member->pid, member->tid, &runtime_ns) < 0)
		return 0;
	used_ns = *before_ns && runtime_ns > *before_ns ? runtime_ns - *before_ns : 0;
	*before_ns = runtime_ns;
	return used_ns;
}

double condition_cpu_share(
	const struct arena *arena, const struct ring_slot *ring, uint64_t *before_ns, uint64_t window_ns)
{
	uint64_t all_ns = 0, largest_ns = 0;
	bool one_cpu = !ring->unpinned;

	for (unsigned m = 0; m < ring->n_members; m++) {
		const struct member_slot *member = arena_member(arena, ring, m);
		uint64_t used_ns = used_since(member, &before_ns[m]);

		all_ns += used_ns;
		largest_ns = used_ns > largest_ns ? used_ns : largest_ns;
		one_cpu &= member->cpu == arena_member(arena, ring, 0)->cpu;
	}
	return window_ns ? (double)(one_cpu ? all_ns : largest_ns) / (double)window_ns : 0.0;
}

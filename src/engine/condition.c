/* SPDX-License-Identifier: GPL-2.0-or-later */
/* condition.c - why a ring makes no laps: its age, and the word for it. */
#include "src/engine/condition.h"

#include "src/ring/missed_slots.h"

uint64_t condition_age(const struct ring_slot *ring, uint64_t now_ns)
{
	uint64_t since_ns = missed_slots_oldest_due(ring);

	if (ring_state_has_ended(arena_state(ring)) || !since_ns)
		return 0;
	if (!ring->interval_ns) { /* without dues, the token's age */
		uint64_t sent_ns =
			atomic_load_explicit(&arena_hop(ring, 0)->stamp.sent_ns, memory_order_relaxed);

		since_ns = sent_ns > since_ns ? sent_ns : since_ns;
	}
	int64_t age_ns = (int64_t)(now_ns - since_ns);

	return age_ns > CONDITION_AGE_NS ? (uint64_t)age_ns : 0;
}

/* A stopped member has priority over one that gets no CPU. */
static enum ring_condition from_states(const struct ring_slot *ring, bool throttled)
{
	enum ring_condition condition = CONDITION_LATE;

	for (unsigned m = 0; m < ring->n_members; m++) {
		const struct member_slot *member = &ring->members[m];
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

enum ring_condition condition_of(
	const struct ring_slot *ring, uint64_t age_ns, bool ran, enum ring_condition away, bool throttled)
{
	if (away != CONDITION_FINE)
		return away;
	if (ring->is_paused || ring->is_removed)
		return CONDITION_FINE;
	if (ring_state_has_ended(arena_state(ring)))
		return CONDITION_FINE;
	if (!missed_slots_has_turn(ring))
		return is_planned(ring) ? CONDITION_NEVER_RAN : CONDITION_WAITING;
	if (age_ns)
		return from_states(ring, throttled);
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

double condition_cpu_share(const struct ring_slot *ring, uint64_t *before_ns, uint64_t window_ns)
{
	uint64_t all_ns = 0, largest_ns = 0;
	bool one_cpu = !ring->plan.unpinned;

	for (unsigned m = 0; m < ring->n_members; m++) {
		const struct member_slot *member = &ring->members[m];
		uint64_t used_ns = used_since(member, &before_ns[m]);

		all_ns += used_ns;
		largest_ns = used_ns > largest_ns ? used_ns : largest_ns;
		one_cpu &= member->cpu == ring->members[0].cpu;
	}
	return window_ns ? (double)(one_cpu ? all_ns : largest_ns) / (double)window_ns : 0.0;
}

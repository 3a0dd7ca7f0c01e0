/* SPDX-License-Identifier: GPL-2.0-or-later */
/* missed_slots.h - the slots of a ring that were not served: each is counted once, and waits as long as it
 * waited.
 *
 * The origin counts the slots that it finds missed when it serves a late one. The front counts those that
 * nobody will serve: at the end of a turn, and, with their age, at the end of a phase. Both claim the slots
 * first, by the one word that has two writers (claimed_ns). A turn begins with its command, whether or not a
 * member has noticed it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/ring/arena.h"
#include "src/ring/lap_schedule.h"

/* Of border_ns: it is not the ring's turn. */
#define BORDER_CLOSED UINT64_MAX

/* --- the origin's --- */

/* What is served next, or is under way; 0: nothing is due. */
static inline void missed_slots_publish_due(struct member_slot *origin, uint64_t due_ns)
{
	atomic_store_explicit(&origin->due_ns, due_ns, memory_order_relaxed);
}

/* The slots from @first_ns on that were due by @now_ns are missed, but for those that are claimed already.
 * Slots before @until_ns are claimed. Returns how many were missed. */
uint64_t missed_slots_count(const struct arena *arena, struct ring_slot *ring, uint64_t first_ns,
	uint64_t until_ns, uint64_t now_ns);

/* When the wait of a slot began for the phase that it is counted in. BORDER_CLOSED: it was of a turn that is
 * over, and is counted already. */
static inline uint64_t missed_slots_wait_from(const struct ring_slot *ring, uint64_t due_ns)
{
	uint64_t border_ns = atomic_load_explicit(&ring->border_ns, memory_order_relaxed);

	if (due_ns < atomic_load_explicit(&ring->run_ns, memory_order_relaxed))
		return BORDER_CLOSED;
	return due_ns > border_ns ? due_ns : border_ns;
}

/* --- the front's: engine and sampler --- */

/* The turn begins that was commanded last; before the command. */
void missed_slots_open_turn(struct ring_slot *ring, uint64_t now_ns);
/* Another one's begins, or the run is over: slots that are overdue are missed. Returns the waiting time of
 * the oldest, 0 where none was. */
uint64_t missed_slots_close_turn(const struct arena *arena, struct ring_slot *ring, uint64_t now_ns);
/* A phase ends: slots that are overdue enter it with their age. The oldest will be served, and is not missed.
 * So is the next one, where the oldest is under way. Returns as above. */
uint64_t missed_slots_end_phase(const struct arena *arena, struct ring_slot *ring, uint64_t now_ns);

/* Is it the ring's turn, and has it a host? */
bool missed_slots_has_turn(const struct ring_slot *ring);
/* Since when the oldest slot has been due, which may be in the future; in a flood, when the turn began.
 * 0: nothing is due. */
uint64_t missed_slots_oldest_due(const struct arena *arena, const struct ring_slot *ring);
/* The slots that will be missed once the origin serves again, and are not claimed yet. */
uint64_t missed_slots_overdue(const struct arena *arena, const struct ring_slot *ring, uint64_t now_ns);
/* How long it was the ring's turn, in all. */
uint64_t missed_slots_active_ns(const struct arena *arena, const struct ring_slot *ring, uint64_t now_ns);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* missed_slots.h - counts the slots of a ring that were not served, each once, with its own wait.
 *
 * The origin counts the slots that it finds missed when it serves a late one. The front counts those that
 * will not be served: at the end of a turn, and, with their age, at the end of a phase. Both claim the slots
 * first: they advance claimed_ns by compare-and-swap, so none is counted twice. All counters have one writer.
 * A turn begins with its command, whether or not a member has noticed it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/ring/arena.h"
#include "src/ring/lap_schedule.h"

/* In border_ns: it is not the ring's turn. */
#define BORDER_CLOSED UINT64_MAX

/* --- the origin's --- */

/* @due_ns: of the slot that is served next, or is under way; 0: none. */
static inline void missed_slots_publish_due(struct arena_member *origin, uint64_t due_ns)
{
	atomic_store_explicit(&origin->due_ns, due_ns, memory_order_relaxed);
}

/* Claims the slots before @until_ns, and counts as missed those from @first_ns on that were due by @now_ns
 * and not claimed before. Returns how many. */
uint64_t missed_slots_count(struct arena_ring *ring, uint64_t first_ns, uint64_t until_ns, uint64_t now_ns);

/* Does so for the slot that the origin was to serve next, and does not, and for those after it. The end of a
 * phase may have claimed that slot, and left it to the origin. */
void missed_slots_give_up(struct arena_ring *ring, uint64_t due_ns, uint64_t until_ns, uint64_t now_ns);

/* Claims all slots after the last one that the origin serves: they are nobody's, however long its lap
 * takes. Returns the time until which slots were claimed before; those that are overdue are still missed. */
uint64_t missed_slots_claim_rest(struct arena_ring *ring);
/* Counts as missed the slots from @first_ns and from @claimed_ns on that were due by @now_ns. The caller has
 * claimed them. Returns how many. */
uint64_t missed_slots_count_claimed(
	struct arena_ring *ring, uint64_t first_ns, uint64_t claimed_ns, uint64_t now_ns);

/* Returns when the wait of a slot began within the current phase. BORDER_CLOSED: its turn is over, and it is
 * counted already. */
static inline uint64_t missed_slots_wait_from(const struct arena_ring *ring, uint64_t due_ns)
{
	/* Acquire: pairs with the release in missed_slots_open_turn(). With the new turn's border comes its
	 * run_ns, so a slot of the turn before, which is counted already, is not counted again. */
	uint64_t border_ns = atomic_load_explicit(&ring->border_ns, memory_order_acquire);

	if (due_ns < atomic_load_explicit(&ring->run_ns, memory_order_relaxed))
		return BORDER_CLOSED;
	return due_ns > border_ns ? due_ns : border_ns;
}

/* --- that of member 1, which receives the first hop --- */

/* Says that the response to the slot of @due_ns is recorded, with its wait since @from_ns. From now on that
 * slot is served, though its lap may not be back when the turn or the phase ends. */
static inline void missed_slots_publish_response(
	struct arena_member *receiver, uint64_t due_ns, uint64_t from_ns)
{
	atomic_store_explicit(&receiver->responded_from_ns, from_ns, memory_order_relaxed);
	atomic_store_explicit(&receiver->responded_due_ns, due_ns, memory_order_relaxed);
}

/* --- the front's: engine and sampler --- */

/* Begins the ring's turn; called before its command. */
void missed_slots_open_turn(struct arena_ring *ring, uint64_t now_ns);
/* Ends the ring's turn: slots that are overdue are missed, but for one whose response is recorded. Returns
 * the wait of the oldest that is not served, 0: none. */
uint64_t missed_slots_close_turn(struct arena_ring *ring, uint64_t now_ns);
/* Ends a phase: overdue slots enter it with their age. The oldest will be served, and is not missed, nor is
 * the next one, where the oldest is under way. Returns as above. */
uint64_t missed_slots_end_phase(struct arena_ring *ring, uint64_t now_ns);

/* Returns whether it is the ring's turn, and the ring has a host. */
bool missed_slots_has_turn(const struct arena_ring *ring);
/* Returns when the oldest slot was due, or will be; in a flood, when the turn began. 0: none. */
uint64_t missed_slots_oldest_due(const struct arena_ring *ring);
/* Returns the number of slots that will be missed once the origin serves again, and are not claimed yet. */
uint64_t missed_slots_overdue(const struct arena_ring *ring, uint64_t now_ns);
/* Returns the total time of the ring's turns. */
uint64_t missed_slots_active_ns(const struct arena_ring *ring, uint64_t now_ns);

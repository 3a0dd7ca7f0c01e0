/* SPDX-License-Identifier: GPL-2.0-or-later */
/* missed_slots.c - counts the slots of a ring that were not served, each once, with its own wait. */
#include "src/ring/missed_slots.h"

#define LOAD(word) atomic_load_explicit(&(word), memory_order_relaxed)
#define STORE(word, value) atomic_store_explicit(&(word), (value), memory_order_relaxed)

/* Returns the time until which slots were claimed before. */
static uint64_t claim_slots(struct arena_ring *ring, uint64_t until_ns)
{
	uint64_t claimed_ns = LOAD(ring->claimed_ns);

	while (claimed_ns < until_ns && !atomic_compare_exchange_weak_explicit(&ring->claimed_ns, &claimed_ns,
						until_ns, memory_order_relaxed, memory_order_relaxed))
		continue;
	return claimed_ns;
}

static void record_waits(const struct arena_ring *ring, enum live_figure figure,
	const struct lap_schedule_missed *missed, uint64_t now_ns)
{
	hist_record_series(ring->members[0].live[figure], LOAD(ring->arena->epoch), missed->longest_ns,
		ring->interval_ns, missed->count, now_ns);
}

/* The wait of a slot while a member is away is in no figure. */
static bool is_away(const struct arena_ring *ring)
{
	return LOAD(ring->members[0].place) == PLACE_AWAY;
}

/* The slots are claimed. */
static void count_missed(struct arena_ring *ring, uint64_t n)
{
	struct arena_member *origin = &ring->members[0];

	if (is_away(ring))
		STORE(origin->away, LOAD(origin->away) + n);
	else /* Release: pairs with the load in sampler.c, which then finds the slots claimed. */
		atomic_store_explicit(&origin->missed, LOAD(origin->missed) + n, memory_order_release);
}

uint64_t missed_slots_count_claimed(
	struct arena_ring *ring, uint64_t first_ns, uint64_t claimed_ns, uint64_t now_ns)
{
	struct lap_schedule_missed missed =
		lap_schedule_unserved(first_ns, claimed_ns, ring->interval_ns, now_ns);

	count_missed(ring, missed.count);
	if (!is_away(ring))
		record_waits(ring, LIVE_WAITED, &missed, now_ns);
	return missed.count;
}

uint64_t missed_slots_count(struct arena_ring *ring, uint64_t first_ns, uint64_t until_ns, uint64_t now_ns)
{
	return missed_slots_count_claimed(ring, first_ns, claim_slots(ring, until_ns), now_ns);
}

void missed_slots_give_up(struct arena_ring *ring, uint64_t due_ns, uint64_t until_ns, uint64_t now_ns)
{
	bool was_left = LOAD(ring->claimed_ns) > due_ns;

	missed_slots_count(ring, due_ns, until_ns, now_ns);
	if (was_left) /* its wait until then is in the figures */
		count_missed(ring, 1);
}

uint64_t missed_slots_claim_rest(struct arena_ring *ring)
{
	return claim_slots(ring, INT64_MAX);
}

void missed_slots_open_turn(struct arena_ring *ring, uint64_t now_ns)
{
	claim_slots(ring, now_ns);
	STORE(ring->run_ns, now_ns);
	/* Release: pairs with the load in missed_slots_wait_from(), which then finds run_ns. */
	atomic_store_explicit(&ring->border_ns, now_ns, memory_order_release);
}

bool missed_slots_has_turn(const struct arena_ring *ring)
{
	return LOAD(ring->run_ns) && LOAD(ring->forked_ns) && LOAD(ring->border_ns) != BORDER_CLOSED;
}

static uint64_t turn_start_ns(const struct arena_ring *ring)
{
	uint64_t run_ns = LOAD(ring->run_ns), forked_ns = LOAD(ring->forked_ns);

	return run_ns > forked_ns ? run_ns : forked_ns;
}

/* Acquire: pairs with the release in origin_wait_for_turn(), before which the first due was published. */
static bool origin_is_in_turn(const struct arena_member *origin, const struct arena_ring *ring)
{
	return atomic_load_explicit(&origin->turn_ns, memory_order_acquire) == LOAD(ring->run_ns);
}

static uint64_t earlier_time(uint64_t a_ns, uint64_t b_ns)
{
	return b_ns && b_ns < a_ns ? b_ns : a_ns;
}

/* Returns when the turn ended, or @now_ns while it goes on. */
static uint64_t turn_end_ns(const struct arena_ring *ring, uint64_t now_ns)
{
	const struct arena_member *origin = &ring->members[0];
	bool stopped = atomic_load_explicit(&ring->command, memory_order_acquire) == RING_COMMAND_STOP;

	now_ns = earlier_time(now_ns, LOAD(ring->arena->end_ns));
	now_ns = earlier_time(now_ns, LOAD(ring->ended_ns));
	if (stopped)
		now_ns = earlier_time(now_ns, LOAD(ring->pause_ns));
	return origin_is_in_turn(origin, ring) ? earlier_time(now_ns, LOAD(origin->turn_end_ns)) : now_ns;
}

uint64_t missed_slots_oldest_due(const struct arena_ring *ring)
{
	const struct arena_member *origin = &ring->members[0];

	if (!missed_slots_has_turn(ring))
		return 0;
	if (!ring->interval_ns)
		return turn_start_ns(ring);
	return origin_is_in_turn(origin, ring) ? LOAD(origin->due_ns)
					       : turn_start_ns(ring) + ring->plan.offset_ns;
}

/* The origin is to serve the slot of @due_ns. Once it has begun that lap, it serves one slot more, however
 * late. Returns whether that slot was due by @end_ns, and is not claimed (@claimed_ns).
 *
 * An origin that began late has claimed the slots up to that one. The end of a phase claims all slots up to
 * its border: such a claim does not tell that the lap has begun. */
static bool serves_next(const struct arena_ring *ring, uint64_t due_ns, uint64_t claimed_ns, uint64_t end_ns)
{
	uint64_t next_ns = due_ns + ring->interval_ns;
	bool by_origin = claimed_ns > next_ns && claimed_ns != LOAD(ring->border_ns) + 1;
	bool has_begun = by_origin || LOAD(arena_hop(ring, 0)->stamp.due_ns) >= due_ns;

	if (by_origin)
		next_ns = claimed_ns;
	return has_begun && next_ns >= claimed_ns && next_ns <= end_ns;
}

/* Returns whether the response to the slot of @due_ns is recorded. A due that a border has moved is later. */
static bool has_response(const struct arena_ring *ring, uint64_t due_ns)
{
	return LOAD(ring->members[1].responded_due_ns) >= due_ns;
}

/* Counts overdue slots when the ring's turn or phase has ended at @end_ns. Slots that @will_be_served enter
 * the response with their age, and are not missed. The oldest is served already where its response is
 * recorded. Returns how long the oldest of the others has waited, 0: none is overdue. */
static uint64_t count_abandoned(struct arena_ring *ring, uint64_t end_ns, bool will_be_served)
{
	uint64_t due_ns = missed_slots_oldest_due(ring), interval_ns = ring->interval_ns;

	if (!due_ns || !interval_ns || !lap_schedule_is_overdue(due_ns, interval_ns, end_ns))
		return 0;
	bool is_served = has_response(ring, due_ns);
	uint64_t claimed_ns = claim_slots(ring, end_ns + 1);
	struct lap_schedule_missed oldest = {
		.count = !is_served, .longest_ns = end_ns - missed_slots_wait_from(ring, due_ns)};
	struct lap_schedule_missed others =
		lap_schedule_unserved(due_ns + interval_ns, claimed_ns, interval_ns, end_ns);
	uint64_t n = others.count, waited_ns = is_served ? others.longest_ns : end_ns - due_ns;

	if (!will_be_served) {
		n += oldest.count;
		n += ring->left_due_ns == due_ns; /* the slot that was left to the origin */
	} else if (others.count && serves_next(ring, due_ns, claimed_ns, end_ns)) {
		ring->left_due_ns = due_ns;
		n -= 1;
	}
	if (is_away(ring)) {
		ring->abandoned_away += n;
		return waited_ns;
	}
	record_waits(ring, LIVE_ABANDONED, &oldest, end_ns);
	record_waits(ring, LIVE_ABANDONED, &others, end_ns);
	ring->abandoned += n;
	return waited_ns;
}

uint64_t missed_slots_close_turn(struct arena_ring *ring, uint64_t now_ns)
{
	uint64_t waited_ns = 0;

	if (missed_slots_has_turn(ring)) {
		waited_ns = count_abandoned(ring, turn_end_ns(ring, now_ns), false);
		ring->ran_ns = missed_slots_active_ns(ring, now_ns);
	}
	/* Also where the ring has no host yet: one that comes later has no turn before the next command. */
	STORE(ring->border_ns, BORDER_CLOSED);
	return is_away(ring) ? 0 : waited_ns;
}

uint64_t missed_slots_end_phase(struct arena_ring *ring, uint64_t now_ns)
{
	if (!missed_slots_has_turn(ring) || turn_end_ns(ring, now_ns) != now_ns)
		return 0;
	uint64_t waited_ns = count_abandoned(ring, now_ns, true);

	if (waited_ns)
		STORE(ring->border_ns, now_ns);
	return is_away(ring) ? 0 : waited_ns;
}

uint64_t missed_slots_overdue(const struct arena_ring *ring, uint64_t now_ns)
{
	uint64_t due_ns = missed_slots_oldest_due(ring), interval_ns = ring->interval_ns;

	if (!due_ns || !interval_ns || is_away(ring))
		return 0;
	uint64_t claimed_ns = LOAD(ring->claimed_ns), end_ns = turn_end_ns(ring, now_ns);
	uint64_t n = lap_schedule_unserved(due_ns + interval_ns, claimed_ns, interval_ns, end_ns).count;

	return n - (n && serves_next(ring, due_ns, claimed_ns, end_ns));
}

uint64_t missed_slots_active_ns(const struct arena_ring *ring, uint64_t now_ns)
{
	uint64_t start_ns = turn_start_ns(ring), end_ns = turn_end_ns(ring, now_ns);

	if (!missed_slots_has_turn(ring) || end_ns < start_ns)
		return ring->ran_ns;
	return ring->ran_ns + end_ns - start_ns;
}

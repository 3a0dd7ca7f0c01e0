/* SPDX-License-Identifier: GPL-2.0-or-later */
/* duty_cycle.c - the rests of members that spin at real-time priority, and tokens that are parked. */
#include "src/ring/duty_cycle.h"

#include <time.h>

#include "src/base/clock.h"
#include "src/ring/member_loop.h"

enum { STALL_NS = 100000000 }; /* after such a stall, a rest changes no figure noticeably */

enum duty_cycle duty_cycle_kind(const struct arena_ring *ring)
{
	bool spins = ring->probe->traits & PROBE_SPINS;

	if (!spins || !plan_ring_is_realtime(&ring->plan))
		return DUTY_NO_REST;
	return ring->interval_ns >= DUTY_ALONE_NS ? DUTY_REST_ALONE : DUTY_REST_TOGETHER;
}

uint64_t duty_cycle_last_end(uint64_t now_ns)
{
	return now_ns / DUTY_PERIOD_NS * DUTY_PERIOD_NS;
}

uint64_t duty_cycle_stretch_end(uint64_t start_ns)
{
	return duty_cycle_last_end(start_ns + DUTY_STRETCH_NS / 2) + DUTY_PERIOD_NS;
}

void duty_cycle_rest(struct member_loop *l)
{
	const struct timespec pause = {.tv_nsec = DUTY_REST_NS};

	clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
	l->rest_from_ns = duty_cycle_stretch_end(clock_now_ns());
}

unsigned duty_cycle_sharers(const struct arena_ring *ring)
{
	return ring->plan.unpinned ? 1 : atomic_load_explicit(&ring->n_sharers, memory_order_relaxed);
}

unsigned duty_cycle_factor(const struct arena_ring *ring)
{
	return 1 + (duty_cycle_sharers(ring) > 1) + plan_ring_is_realtime(&ring->plan);
}

/* A tool's laps of each member are from its own sends on. */
bool duty_cycle_may_park(const struct arena_ring *ring)
{
	const struct config *config = ring->arena->config;

	return !ring->interval_ns && config->stamps != STAMPS_LAP && !config->tool.member_laps &&
	       !(ring->probe->traits & PROBE_SPINS);
}

void duty_cycle_park(struct member_loop *l, uint64_t received_ns)
{
	uint64_t sent_ns = atomic_load_explicit(&arena_hop(l->ring, 0)->stamp.sent_ns, memory_order_relaxed);
	uint64_t end_ns = duty_cycle_last_end(received_ns), from_ns = end_ns + DUTY_LEAVING_NS;
	uint64_t until_ns = from_ns + DUTY_REST_NS * duty_cycle_factor(l->ring);
	const struct timespec until = clock_timespec(until_ns);
	uint64_t start_ns = clock_now_ns();

	l->park_from_ns = received_ns < from_ns ? from_ns : from_ns + DUTY_PERIOD_NS;
	/* Where the lap began later, the origin has rested. */
	if (received_ns < from_ns || start_ns >= until_ns || sent_ns >= end_ns ||
		duty_cycle_sharers(l->ring) == 1)
		return;
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
	/* Relaxed: the mechanism orders what members do with the token. */
	atomic_fetch_add_explicit(&l->ring->parked_ns, clock_now_ns() - start_ns, memory_order_relaxed);
}

/* Returns whether the origin's next due is far off, or the token has been under way for long. */
static bool has_time(const struct member_loop *l, uint64_t now_ns)
{
	const struct arena_member *origin = &l->ring->members[0];
	uint64_t due_ns = atomic_load_explicit(&origin->due_ns, memory_order_relaxed);
	uint64_t sent_ns = atomic_load_explicit(&arena_hop(l->ring, 0)->stamp.sent_ns, memory_order_relaxed);
	uint64_t since_ns = due_ns > sent_ns ? due_ns : sent_ns;

	if (l->rest == DUTY_REST_ALONE && due_ns >= now_ns + DUTY_ROOM_NS)
		return true;
	return since_ns && now_ns >= since_ns + STALL_NS;
}

void duty_cycle_rest_if_due(struct member_loop *l)
{
	uint64_t now_ns = clock_now_ns();

	if (!l->rest_from_ns)
		l->rest_from_ns = duty_cycle_stretch_end(now_ns);
	if (now_ns >= l->rest_from_ns && has_time(l, now_ns))
		duty_cycle_rest(l);
}

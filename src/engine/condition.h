/* SPDX-License-Identifier: GPL-2.0-or-later */
/* condition.h - what keeps a ring from going round: its age, and the word for it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/ring/arena.h"

enum { CONDITION_AGE_NS = 100000000 }; /* what is overdue for less is not worth a word */

/* How long the ring has been overdue at @now_ns: 0 where it runs on time, or is not meant to run. */
uint64_t condition_age(const struct arena *arena, const struct ring_slot *ring, uint64_t now_ns);

/* The word for it. @ran: it has done a lap; @away: the word for a member that is not on its CPU, or
 * CONDITION_FINE; @throttled: the kernel takes the CPU from its real-time members. Reads the members' states
 * in /proc where the ring is overdue. */
enum ring_condition condition_of(const struct arena *arena, const struct ring_slot *ring, uint64_t age_ns,
	bool ran, enum ring_condition away, bool throttled);

/* The share of one CPU that members used in @window_ns: of all where they share it, else of the busiest.
 * @before_ns holds what each member had used until then, and is brought up to date. 0..1. */
double condition_cpu_share(
	const struct arena *arena, const struct ring_slot *ring, uint64_t *before_ns, uint64_t window_ns);

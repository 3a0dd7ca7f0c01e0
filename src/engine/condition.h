/* SPDX-License-Identifier: GPL-2.0-or-later */
/* condition.h - why a ring makes no laps: its age, and the word for it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/ring/arena.h"

enum { CONDITION_AGE_NS = 100000000 }; /* a shorter age has no word */

/* Returns how long the ring has been overdue at @now_ns; 0 if it is on time, or not meant to run. */
uint64_t condition_age(const struct ring_slot *ring, uint64_t now_ns);

/* Returns the word for it. @ran: it has done a lap; @away: the word for a member that is not on its CPU, or
 * CONDITION_FINE; @throttled: the kernel throttles its real-time members. Reads the members' states in /proc
 * if the ring is overdue. */
enum ring_condition condition_of(
	const struct ring_slot *ring, uint64_t age_ns, bool ran, enum ring_condition away, bool throttled);

/* Returns the share of a CPU, 0..1, that the members used in @window_ns: together if they share it, else the
 * busiest.
 * @before_ns: CPU time of each member until then; updated. */
double condition_cpu_share(const struct ring_slot *ring, uint64_t *before_ns, uint64_t window_ns);

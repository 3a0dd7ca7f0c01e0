/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stop.h - commands rings, and ends members, also those that get no CPU.
 *
 * A member is woken every STOP_REPEAT_NS, moved to other CPUs from STOP_MOVE_NS on, and killed at
 * STOP_KILL_NS. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/ring/arena.h"

/* Commands all rings to end, by a store each: the caller may get little CPU. Async-signal-safe. */
void stop_command(const struct arena *arena);
/* The same for one ring. */
void stop_command_ring(struct ring_slot *ring);

/* Wakes the members of the ring that have not ended, and from STOP_MOVE_NS on moves them to other CPUs,
 * because a starved thread can't even die. To be repeated until it returns 0, the number of members that have
 * not ended. */
unsigned stop_wake(
	const struct arena *arena, struct ring_slot *ring, const struct probe *probe, uint64_t waited_ns);

/* Moves all threads of a process of the ring: a library may have threads on the member's CPU, and a process
 * ends with the last of its threads. */
void stop_move_process(const struct arena *arena, const struct ring_slot *ring, pid_t pid);

enum { STOP_MOVE_NS = 50000000, STOP_KILL_NS = 120000000, STOP_REPEAT_NS = 2000000 };

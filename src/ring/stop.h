/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stop.h - ending members, also those that a hog keeps from running. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/ring/arena.h"

/* Tells all rings to end: a store each, for whoever may be short of CPU. Async-signal-safe. */
void stop_command(const struct arena *arena);
/* The same for one ring. */
void stop_command_ring(struct ring_slot *ring);

/* Wakes all members of the ring that have not ended; to be repeated until there are none.
 * Once @waited_ns is STOP_MOVE_NS they are moved to other CPUs, for a thread that is starved can't even die.
 * Returns how many have not ended. */
unsigned stop_wake(
	const struct arena *arena, struct ring_slot *ring, const struct probe *probe, uint64_t waited_ns);

/* The same for all threads of a process of the ring's, for a library may have some of its own, which stand
 * where their member does: a process is gone when the last of them is. */
void stop_move_process(const struct arena *arena, const struct ring_slot *ring, pid_t pid);

enum { STOP_MOVE_NS = 50000000, STOP_KILL_NS = 120000000, STOP_REPEAT_NS = 2000000 };

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stop.h - commands rings, and ends members, also those that get no CPU.
 *
 * A member is woken every STOP_REPEAT_NS, moved to other CPUs from STOP_MOVE_NS on, and killed at
 * STOP_KILL_NS. */
#pragma once

#include <stdint.h>

#include "src/ring/arena.h"

/* The signals that end a run. */
enum { N_STOP_SIGNALS = 4 };
extern const int stop_signals[N_STOP_SIGNALS];

/* Commands the ring to run, pause or stop, and wakes its members that wait for that. A command to stop is
 * final, from any process. Async-signal-safe. */
void stop_command_ring(struct arena_ring *ring, enum ring_command command);
/* Commands all rings to stop: a few words each, because the caller may get little CPU. Async-signal-safe. */
void stop_command(struct arena *arena);

/* Makes a member that waits or sleeps read its commands. */
void stop_signal_member(const struct arena_member *member);

/* Wakes the members of the ring that have not ended, and from STOP_MOVE_NS on moves them to other CPUs,
 * because a starved thread can't even die. To be repeated until it returns 0, the number of members that have
 * not ended. */
unsigned stop_wake(const struct arena_ring *ring, uint64_t waited_ns);

/* Moves all threads of a process of the ring: a library may have threads on the member's CPU, and a process
 * ends with the last of its threads. */
void stop_move_process(const struct arena_ring *ring, pid_t pid);

enum { STOP_MOVE_NS = 50000000, STOP_KILL_NS = 120000000, STOP_REPEAT_NS = 2000000 };

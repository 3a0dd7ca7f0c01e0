/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ring_numa.h - places the memory of a ring's hops by --memory, and finds out where it is.
 *
 * Hop states are bound before anything touches them, and mappings of a mechanism when it is attached. Memory
 * that the kernel allocates for a mechanism follows the policy of the task, keeper or member. The receiver
 * asks move_pages(2) once its ends are attached: then the pages exist. On a machine with one node no policy
 * is set. A refusal is a shortcoming of the ring only where --memory was given. */
#pragma once

#include "src/ring/arena.h"

/* Runs in the keeper, before anything touches the pages. Counters are on their member's node, whatever
 * --memory is. */
void ring_numa_bind(struct arena_ring *ring);

/* Sets the task's policy to that of the hop, in keeper and members. The keeper must end it, because hosts
 * inherit it. */
void ring_numa_prefer(struct arena_ring *ring, unsigned hop);
void ring_numa_prefer_local(const struct arena_ring *ring);

/* Runs in the receiver, once both its ends are attached. @handle: of the hop from which it receives. */
void ring_numa_check_hop(struct arena_ring *ring, unsigned hop, const struct hop *handle);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ring_numa.h - puts the memory of a ring's hops where --memory wants it, and looks where it came to lie.
 *
 * State, and what a mechanism maps, is bound; what the kernel makes for a mechanism follows the policy of
 * whoever it is made for, keeper or member. Where the machine has one node nothing is asked. A refusal is a
 * shortcoming of the ring's where --memory was given. */
#pragma once

#include "src/ring/arena.h"

/* In the keeper, before anything touches the pages: counters lie with their member, whatever was asked. */
void ring_numa_bind(const struct arena *arena, struct ring_slot *ring);

/* In keeper and members: what is made from now on is for this hop. In the keeper an end, for hosts inherit.
 */
void ring_numa_prefer(const struct arena *arena, struct ring_slot *ring, unsigned hop);
void ring_numa_prefer_local(const struct arena *arena);

/* In the receiver, once both its ends are attached. @handle is that of the hop that it receives from. */
void ring_numa_check_hop(
	const struct arena *arena, struct ring_slot *ring, unsigned hop, const struct hop *handle);

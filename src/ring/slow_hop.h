/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slow_hop.h - which hop took most of a slow sample, by the stamps of all hops. For members, between two
 * laps: a ring's stamps stay until its next lap overwrites them. */
#pragma once

#include <stdint.h>

#include "src/ring/arena.h"

struct slow_hop {
	unsigned hop;
	uint64_t from_ns, to_ns; /* when it had the token, within the sample; from_ns 0: not known */
};

/* Of a lap from @from_ns, when it was sent, to @to_ns. The origin calls it before its next lap. */
struct slow_hop slow_hop_of_lap(const struct arena_ring *ring, uint64_t from_ns, uint64_t to_ns);

/* Returns the slow hop of a response due at @from_ns. If the lap before had ended by then, there is none:
 * the response has only a late start and its own first hop. Member 1 calls it before it sends. */
struct slow_hop slow_hop_of_response(const struct arena_ring *ring, uint64_t from_ns, uint64_t to_ns);

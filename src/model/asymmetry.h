/* SPDX-License-Identifier: GPL-2.0-or-later */
/* asymmetry.h - hops between the same two CPUs, one each way, that differ by no more than the clocks of these
 * CPUs may: then none of both is known to be the longer one. Pure. */
#pragma once

#include <stdbool.h>

struct machine;
struct session;
struct session_ring;

/* Returns whether hops of @there_ns from CPU @a to CPU @b, and of @back_ns, may be equally long. False if the
 * skew of these CPUs is not known, and for one CPU. */
bool asymmetry_is_skew(
	const struct machine *machine, unsigned a, unsigned b, double there_ns, double back_ns);

/* The same of the medians of a ring's hop, and of its hop the other way, in all of the run. False if the ring
 * has none. */
bool asymmetry_of_hop_is_skew(const struct session *session, const struct session_ring *ring, unsigned hop);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slow_hop.c - which hop took most of a slow sample. */
#include "src/ring/slow_hop.h"

static uint64_t sent_ns(const struct arena_ring *ring, unsigned hop)
{
	/* Relaxed: the token, which came after the stamps, orders them. */
	return atomic_load_explicit(&arena_hop(ring, hop)->stamp.sent_ns, memory_order_relaxed);
}

static void take_longer(struct slow_hop *most, unsigned hop, uint64_t from_ns, uint64_t to_ns)
{
	if (to_ns > from_ns && to_ns - from_ns > most->to_ns - most->from_ns)
		*most = (struct slow_hop){hop, from_ns, to_ns};
}

/* A hop has the token until the next one is sent. The first hop has it at @from_ns, and @n others come after
 * it. Stamps that are not in this order are not all of one lap: a token was lost. */
static struct slow_hop find_slow_hop(
	const struct arena_ring *ring, unsigned n, uint64_t before_ns, uint64_t from_ns, uint64_t to_ns)
{
	struct slow_hop most = {0};
	unsigned hop = 0;

	for (unsigned i = 1; i <= n; i++) {
		uint64_t next_ns = sent_ns(ring, i % ring->n_members);

		if (next_ns < before_ns || next_ns > to_ns)
			return (struct slow_hop){0};
		if (next_ns > from_ns) {
			take_longer(&most, hop, from_ns, next_ns);
			from_ns = next_ns;
		}
		before_ns = next_ns;
		hop = i % ring->n_members;
	}
	take_longer(&most, hop, from_ns, to_ns);
	return most;
}

struct slow_hop slow_hop_of_lap(const struct arena_ring *ring, uint64_t from_ns, uint64_t to_ns)
{
	if (sent_ns(ring, 0) != from_ns) /* its token was parked */
		return (struct slow_hop){0};
	return find_slow_hop(ring, ring->n_members - 1, from_ns, from_ns, to_ns);
}

struct slow_hop slow_hop_of_response(const struct arena_ring *ring, uint64_t from_ns, uint64_t to_ns)
{
	if (sent_ns(ring, ring->n_members - 1) <= from_ns)
		return (struct slow_hop){0};
	return find_slow_hop(ring, ring->n_members, 0, from_ns, to_ns);
}

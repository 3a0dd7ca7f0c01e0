/* SPDX-License-Identifier: GPL-2.0-or-later */
/* asymmetry.c - hops that differ by no more than clocks may. */
#include "src/model/asymmetry.h"

#include "src/machine/clock_skew.h"
#include "src/machine/machine.h"
#include "src/model/session.h"

bool asymmetry_is_skew(const struct machine *machine, unsigned a, unsigned b, double there_ns, double back_ns)
{
	int64_t least_ns, most_ns;
	double difference_ns = there_ns - back_ns;

	if (a == b || !clock_skew_between(machine->clock_skew, a, b, &least_ns, &most_ns))
		return false;
	/* Clock b is ahead by x: the way there seems to be longer by x, and the way back shorter. */
	return difference_ns >= 2.0 * (double)least_ns && difference_ns <= 2.0 * (double)most_ns;
}

/* A pair's hops are two of its figures. */
static const struct hist *hist_of_hop(const struct session_ring *ring, unsigned hop)
{
	if (ring->n_members > 2)
		return &ring->hops[hop].hist;
	return &ring->figures[hop == 0 ? FIGURE_FIRST : FIGURE_ANSWER].hist;
}

bool asymmetry_of_hop_is_skew(const struct session *session, const struct session_ring *ring, unsigned hop)
{
	unsigned n = ring->n_members, next = (hop + 1) % n;
	int64_t a = session_member_place(ring, hop), b = session_member_place(ring, next);
	const struct hist *there = hist_of_hop(ring, hop);

	for (unsigned back = 0; back < n && a >= 0 && b >= 0 && ring->stamps == STAMPS_ALL; back++)
		if (session_member_place(ring, back) == b && session_member_place(ring, (back + 1) % n) == a)
			return there->n && hist_of_hop(ring, back)->n &&
			       asymmetry_is_skew(&session->machine, (unsigned)a, (unsigned)b,
				       (double)hist_percentile(there, 50.0),
				       (double)hist_percentile(hist_of_hop(ring, back), 50.0));
	return false;
}

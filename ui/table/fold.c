/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fold.c - mechanisms that hide their rings, and rings that show their hops. */
#include "ui/table/fold.h"

#include "src/model/session.h"

/* Group 0, all rings, has no line that it could be folded into. */
static uint64_t group_bit(size_t group)
{
	return group > 0 && group <= FOLD_GROUPS_MAX ? UINT64_C(1) << (group - 1) : 0;
}

bool fold_hides_rings(const struct fold *fold, size_t group)
{
	return fold->groups & group_bit(group);
}

void fold_hide_rings(struct fold *fold, size_t group, bool hidden)
{
	fold->groups = hidden ? fold->groups | group_bit(group) : fold->groups & ~group_bit(group);
}

bool fold_shows_hops(const struct fold *fold, size_t ring)
{
	return ring < FOLD_RINGS_MAX && fold->rings[ring / 64] >> ring % 64 & 1;
}

void fold_show_hops(struct fold *fold, size_t ring, bool shown)
{
	uint64_t bit = UINT64_C(1) << ring % 64;

	fold->rings[ring / 64] = shown ? fold->rings[ring / 64] | bit : fold->rings[ring / 64] & ~bit;
}

bool fold_can_show_hops(const struct session_ring *ring, size_t index)
{
	return ring->n_members > 2 && ring->hops && index < FOLD_RINGS_MAX;
}

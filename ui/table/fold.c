/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fold.c - mechanisms that hide their rings, and rings that show their hops. */
#include "ui/table/fold.h"

#include "src/model/session.h"

/* A mechanism's id counts down from the largest number, a ring's up from 0: so do their bits. Returns a bit
 * past the end for a row that is never turned. */
static uint64_t bit_of(uint64_t id)
{
	uint64_t from_end = UINT64_MAX - id;

	if (from_end < FOLD_GROUPS_MAX)
		return FOLD_RINGS_MAX + from_end;
	return id < FOLD_RINGS_MAX ? id : FOLD_RINGS_MAX + FOLD_GROUPS_MAX;
}

bool fold_is_turned(const struct fold *fold, uint64_t id)
{
	uint64_t bit = bit_of(id);

	return bit < FOLD_RINGS_MAX + FOLD_GROUPS_MAX && fold->turned[bit / 64] >> bit % 64 & 1;
}

void fold_turn(struct fold *fold, uint64_t id, bool turned)
{
	uint64_t bit = bit_of(id);

	if (bit < FOLD_RINGS_MAX + FOLD_GROUPS_MAX && fold_is_turned(fold, id) != turned)
		fold->turned[bit / 64] ^= UINT64_C(1) << bit % 64;
}

bool fold_can_show_hops(const struct session_ring *ring)
{
	return ring->n_members > 2 && ring->id < FOLD_RINGS_MAX;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fold.h - which mechanisms hide their rings, and which rings show their hops: these rows are "turned". Pure.
 *
 * Rows have the ids of order.h. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct session_ring;

enum { FOLD_RINGS_MAX = 4096, FOLD_GROUPS_MAX = 64 }; /* rows with higher numbers are never turned */

/* Zeroed shows the rings of all mechanisms, and none of their hops. */
struct fold {
	uint64_t turned[(FOLD_RINGS_MAX + FOLD_GROUPS_MAX) / 64]; /* a bit for each row */
};

bool fold_is_turned(const struct fold *fold, uint64_t id);
void fold_turn(struct fold *fold, uint64_t id, bool turned);
/* Returns whether the ring has hops to show. The hops of a pair are its first hop and its answer. */
bool fold_can_show_hops(const struct session_ring *ring);

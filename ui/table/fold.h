/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fold.h - which mechanisms hide their rings, and which rings show their hops: these rows are "turned". Pure.
 *
 * Rows have the ids of order.h. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct session_ring;

/* Zeroed shows the rings of all mechanisms, and none of their hops. */
struct fold {
	uint32_t *turned; /* owned, ascending */
	size_t n;
};

/* Returns whether the row of this id is turned: shown otherwise than a zeroed fold shows it. */
bool fold_is_turned(const struct fold *fold, uint64_t id);
void fold_turn(struct fold *fold, uint64_t id, bool turned); /* without memory the row stays as it is */
void fold_finish(struct fold *fold);
/* Returns whether the ring has hops to show. The hops of a pair are its first hop and its answer. */
bool fold_can_show_hops(const struct session_ring *ring);

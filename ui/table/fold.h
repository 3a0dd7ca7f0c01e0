/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fold.h - which mechanisms hide their rings, and which rings show their hops: these rows are "turned". Pure.
 *
 * Rows have the ids of order.h. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct session_ring;

enum { FOLD_GROUPS_MAX = 64, FOLD_RINGS_MAX = 4096 }; /* those beyond stay as they are */

/* Zeroed shows the rings of all mechanisms, and none of their hops. */
struct fold {
	uint64_t groups;                     /* folded mechanisms, by the session's groups */
	uint64_t rings[FOLD_RINGS_MAX / 64]; /* unfolded rings, by their place in the session */
};

bool fold_hides_rings(const struct fold *fold, size_t group);
void fold_hide_rings(struct fold *fold, size_t group, bool hidden);
bool fold_shows_hops(const struct fold *fold, size_t ring);
void fold_show_hops(struct fold *fold, size_t ring, bool shown);
/* Has the ring hops of its own to show? A pair's two are its first hop and its answer. */
bool fold_can_show_hops(const struct session_ring *ring, size_t index);

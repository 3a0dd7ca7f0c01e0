/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fold.h - what the table folds: mechanisms into their lines, and rings, unless told otherwise, over their
 * hops. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct order_row;
struct session_ring;
struct view;

enum { FOLD_GROUPS_MAX = 64, FOLD_RINGS_MAX = 4096 }; /* those beyond stay as they are */

/* Zeroed shows all mechanisms' rings, and none of their hops. */
struct fold {
	uint64_t groups;                     /* folded mechanisms, by the session's groups */
	uint64_t rings[FOLD_RINGS_MAX / 64]; /* unfolded rings, by their place in the session */
};

bool fold_hides_rings(const struct fold *fold, size_t group);
bool fold_shows_hops(const struct fold *fold, size_t ring);
/* Has the ring hops of its own to show? A pair's two are its first hop and its answer. */
bool fold_can_show_hops(const struct session_ring *ring, size_t index);

/* Folds, or unfolds, what the selected row stands for: a ring its hops, a mechanism's line, or a ring that
 * has no hops to show, the mechanism. What is folded has its line selected. */
void view_fold(struct view *view);
/* The same for all of its kind. */
void view_fold_all(struct view *view);

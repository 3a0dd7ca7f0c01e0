/* SPDX-License-Identifier: GPL-2.0-or-later */
/* order.h - the table's rows, in their order: rings, under their mechanism's line where there are several,
 * and where they are unfolded their hops. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct session;
struct view_state;

struct order_row {
	size_t index; /* the session's row; a hop has its ring's */
	uint64_t id;  /* a ring's, or one that no ring has; the same as long as the session */
	size_t group; /* the session's, of its mechanism; 0 where there is only one mechanism */
	bool is_group, is_hop;
	bool has_hops;                  /* a ring that can be unfolded, or a hop of one */
	uint32_t ring_id;               /* of a ring and its hops */
	unsigned hop;                   /* of a hop: the member that sends */
	double group_key, key, hop_key; /* smaller ones come first, NAN last; a hop has its ring's too */
};

struct order {
	struct order_row *rows; /* owned */
	size_t n, allocated;
	size_t n_passed; /* rings that the filter lets pass, folded ones too */
};

/* The rings that pass the view's filter, as it folds and sorts them, under the figure that it shows. Each key
 * is computed once. Returns 0, or -ENOMEM with the order as it was. */
int order_make(struct order *order, const struct session *session, struct view_state *view);
void order_finish(struct order *order);

uint64_t order_group_id(size_t group);

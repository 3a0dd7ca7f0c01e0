/* SPDX-License-Identifier: GPL-2.0-or-later */
/* order.h - the table's rows in their order: the lines of mechanisms, if there are several, their rings, and
 * the hops of unfolded rings. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct session;
struct view_state;

struct order_row {
	size_t index; /* among the session's rings, then its groups; a hop has its ring's */
	uint64_t id;  /* a ring's id, or a number that is no ring's; constant */
	size_t group; /* of its mechanism; 0 if the session has one mechanism */
	bool is_group, is_hop;
	bool was_removed;               /* the ring of the row */
	bool has_stopped;               /* it was removed, has failed or is done */
	bool has_hops;                  /* a ring that can be unfolded, or a hop of one */
	uint32_t ring_id;               /* of a ring and its hops */
	unsigned hop;                   /* of a hop: the member that sends */
	double group_key, key, hop_key; /* ascending, NAN last; a hop has its ring's key too */
};

struct order {
	struct order_row *rows; /* owned */
	size_t n, allocated;
	bool *passes; /* owned, by ring: whether the filter lets it pass, folded or not */
	size_t n_rings, n_passed;
};

/* Filters, folds and sorts the session's rows by the view state. Returns 0, or -ENOMEM with the order as it
 * was. */
int order_make(struct order *order, const struct session *session, struct view_state *view);
void order_finish(struct order *order);

/* Returns the id of a group's row, above those of all rings and hops. */
uint64_t order_group_id(size_t group);

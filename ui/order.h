/* SPDX-License-Identifier: GPL-2.0-or-later */
/* order.h - the table's rows, in their order: rings, under their mechanism's line where there are several.
 * Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/tick.h"

struct session;
struct view;

enum { ORDER_FOLDS_MAX = 64 }; /* mechanisms beyond it can't be folded */

struct order_row {
	size_t index; /* the session's row */
	uint32_t id;  /* a ring's, or one for the group that no ring has; the same as long as the session */
	size_t group; /* the session's, of its mechanism; 0 where there is but one */
	bool is_group;
	double group_key, key; /* smaller ones come first, NAN last */
};

struct order {
	struct order_row *rows; /* owned */
	size_t n, allocated;
	size_t n_passed; /* rings that the filter lets pass, folded ones too */
	bool grouped;
};

/* Of the rings that pass the view's filter, as it folds and sorts them, when @shown is shown. Each key is
 * computed once. Returns 0, or -ENOMEM with the order as it was. */
int order_make(struct order *order, const struct session *session, struct view *view, enum figure shown);
void order_finish(struct order *order);

uint32_t order_group_id(size_t group);
/* A mechanism's bit in view.folded; 0 where it can't be folded. */
uint64_t order_fold_bit(size_t group);

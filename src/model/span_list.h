/* SPDX-License-Identifier: GPL-2.0-or-later */
/* span_list.h - spans that follow one another, as those of a window, and how one list becomes another. Pure.
 */
#pragma once

#include <stdbool.h>

#include "src/model/span.h"

/* Zeroed is empty. */
struct span_list {
	struct span **spans; /* owned, with a reference to each; oldest first */
	size_t n, room;
};

int span_list_add(struct span_list *list, struct span *span); /* takes a reference; 0 or -ENOMEM */
void span_list_clear(struct span_list *list);
void span_list_finish(struct span_list *list);
bool span_list_equal(const struct span_list *a, const struct span_list *b);

/* What @now has and @before had not, and the other way round, added to empty lists. Spans that were merged
 * into one meanwhile are in neither, nor is that one. Returns 1; 0 where the two have nothing in common, and
 * may be of different sessions; or -ENOMEM. */
int span_list_change(const struct span_list *before, const struct span_list *now, struct span_list *came,
	struct span_list *left);

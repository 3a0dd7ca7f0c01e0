/* SPDX-License-Identifier: GPL-2.0-or-later */
/* order.h - the rows' order by a column. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/tick.h"

struct session;

struct order_row {
	size_t index; /* in the session's rings */
	uint32_t id;
	double key; /* smaller ones come first, NAN last */
};

struct order {
	struct order_row *rows; /* owned */
	size_t n, allocated;
};

/* Each key is computed once. Returns 0, or -ENOMEM with the order as it was. */
int order_make(
	struct order *order, const struct session *session, enum figure figure, size_t column, bool inverted);
void order_finish(struct order *order);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* usual.h - the usual times of rings that are alike: of one mechanism, class, size and pace. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "ui/table/columns.h"

enum { USUAL_CLASSES_MAX = 64 };

/* Filled when a row of a class is read; n is 0 before each frame. */
struct usual {
	size_t n;
	struct usual_class {
		size_t ring;          /* the first one of the class that was read, in the session */
		double ns[N_COLUMNS]; /* medians of columns of times; 0: fewer than three rings have samples
				       */
	} classes[USUAL_CLASSES_MAX];
};

/* Returns whether a column has a time that is more than twice the median of the ring's class, or more than
 * twice the time of the baseline. */
bool usual_is_exceeded(const struct row *row, size_t column);

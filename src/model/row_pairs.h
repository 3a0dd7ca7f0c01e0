/* SPDX-License-Identifier: GPL-2.0-or-later */
/* row_pairs.h - which rows of two phases belong together: those of the same mechanism, planned CPUs, size and
 * figure. A ring that was opened anew has another row, which is paired with what it was. Pure. */
#pragma once

#include "src/model/compared_phase.h"

/* When a ring is opened anew, the old one and the new one may be in the same phase. */
enum row_kind {
	ROW_LEFT_OUT, /* its ring was not there, or it is a small rest of one that was opened anew */
	ROW_PART,     /* the smaller part of such a ring: it counts if the other phase has it, too */
	ROW_WHOLE,
	ROW_PAIRED, /* it has a partner */
};

/* Sets the kinds of all rows, and of each row of B its partner's index in A, or SIZE_MAX. Rows must have the
 * time that they were active (compared_phase_find_active()). */
void row_pairs_find(const struct compared_phase *a, const struct compared_phase *b, enum row_kind *kinds_a,
	enum row_kind *kinds_b, size_t *partners);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shift_limit.h - whether samples above a limit, and the maximum, became more from phase A to phase B. Pure.
 */
#pragma once

#include "src/figures/shift.h"

/* The ratio of the rates B / A, at 95 %. */
struct rate_shift {
	double low, high; /* 0, INFINITY: open; both with no sample above the limit in any phase */
};

/* @limit: the log of the latency. Both phases must have samples in two blocks at least. Clopper and Pearson
 * (1934), for as many samples as independent ones carry the same information. */
struct rate_shift shift_rate(const struct shift_phase *a, const struct shift_phase *b, double limit);

/* Maxima of the blocks of a phase, ns, in the order of time. */
struct block_maxima {
	const uint64_t *ns;
	size_t n;
	uint64_t ticks;
};

/* Is the maximum of the second phase higher than that of the first, by more than the lengths of the phases
 * explain? An exceedance test at 2.5 %: Rosenbaum (1954). Neighbouring blocks count once. */
bool shift_max_is_higher(const struct block_maxima *before, const struct block_maxima *after);

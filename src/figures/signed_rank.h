/* SPDX-License-Identifier: GPL-2.0-or-later */
/* signed_rank.h - did B become higher or lower than A, by the differences of pairs: a value of B, and one of
 * A that was measured next to it? Pure.
 *
 * A slow change of the machine is in both values of a pair. Only the order of the differences counts, so a
 * few disturbed pairs do not hide a change. If nothing changed, each difference may as well have the other
 * sign. Where A always comes first, a steady drift breaks that rule: it looks like a change. Source: Wilcoxon
 * (1945); Hodges and Lehmann (1963) for the interval. */
#pragma once

#include <stddef.h>

#include "src/figures/rates.h"
#include "src/figures/shift.h"

/* With fewer pairs than the first, several marks that move by themselves have no chance of 5 %. */
enum { SIGNED_RANK_PAIRS_MIN = 10, SIGNED_RANK_PAIRS_MAX = 32 };

/* Replaces each difference by its rank by size, with its sign. Those of one size share the mean of their
 * ranks, and those of 0 have none. */
void signed_ranks(double *differences, size_t n);
/* Returns the probability that only chance makes the differences so high, or so low. Exact, and two-sided. */
struct rate_test signed_rank_test(const double *differences, size_t n);
/* Returns the median of the means of each two differences, and the interval that the test does not reject.
 * @n: SIGNED_RANK_PAIRS_MIN at least. */
struct shift signed_rank_interval(const double *differences, size_t n, double alpha);

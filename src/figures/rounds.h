/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rounds.h - a time that is measured once in each round of a sweep, such as the p50 of a cell: whether it is
 * another one in phase B than in phase A. Pure, and of integers, so that the same rounds always give the same
 * verdict.
 *
 * Rounds are independent of each other, so the logs of both sides are compared by Student's t-test with a
 * common variance. Shifts are logs of the ratio B / A, as in shift.h. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/figures/shift.h"

enum {
	ROUNDS_MIN = 2, /* on each side; fewer have no spread */
	ROUNDS_MAX = 65535,
	ROUNDS_LOG_MAX = 42000, /* of 50 years */
};

/* Sums of logs of ns, in thousandths. Zeroed is empty. */
struct rounds {
	uint32_t n, sum;
	uint64_t squares;
};

/* Returns the log of a time; times below 1 ns count as 1 ns. */
uint32_t rounds_log(float ns);
/* Adds a log. Of more than ROUNDS_MAX the oldest fade. */
void rounds_add(struct rounds *rounds, uint32_t log);
/* Returns rounds with this mean and deviation of the logs, whose sums are rounded. @n: ROUNDS_MAX at most;
 * @ns: 1 at least. */
struct rounds rounds_like(uint32_t n, double ns, double deviation);
/* Returns false for sums that no rounds can have. */
bool rounds_are_possible(const struct rounds *rounds);
/* Returns the geometric mean in ns; 0 without rounds. */
double rounds_ns(const struct rounds *rounds);
/* Returns the standard deviation of the logs, 0.01 is 1 %; 0 of fewer than two rounds. */
double rounds_deviation(const struct rounds *rounds);

struct rounds_shift {
	double estimate;  /* of the shift */
	double deviation; /* its standard error; above 0 */
	double df;        /* degrees of freedom */
};

/* Returns false where a side has fewer than ROUNDS_MIN. */
bool rounds_compare(const struct rounds *a, const struct rounds *b, struct rounds_shift *shift);
/* Judges a shift whose interval reaches @half to either side: SHIFT_SAME within 5 %, and never SHIFT_MIXED.
 */
enum shift_verdict rounds_judge(const struct rounds_shift *shift, double half);

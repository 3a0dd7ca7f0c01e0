/* SPDX-License-Identifier: GPL-2.0-or-later */
/* repeats.h - tests whether a time that is measured again and again, such as the p50 of a matrix's cell,
 * changed from phase A to phase B. Pure.
 *
 * Repeats are taken to be independent of each other. The means of their logs are compared by Student's t-test
 * without a common variance, with the degrees of freedom of the smaller side, so that it is never wrong more
 * often than it says. Source: R. Mickey and M. Brown, Bounds on the distribution functions of the
 * Behrens-Fisher statistic (1966). Shifts are logs of the ratio B / A, as in shift.h. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/figures/shift.h"

enum {
	REPEATS_MIN = 3, /* on each side; of fewer the spread is not known well enough */
	REPEATS_MAX = 65534,
	REPEATS_LOG_MAX = 42000, /* of 50 years */
};

/* Sums of logs of ns, in thousandths. Zeroed is empty. */
struct repeats {
	uint32_t n, sum;
	uint64_t squares;
};

/* Returns the log of a time; times below 1 ns count as 1 ns. */
uint32_t repeats_log(float ns);
/* Adds a log. Where there are REPEATS_MAX, each of them counts half from then on. */
void repeats_add(struct repeats *repeats, uint32_t log);
/* Returns repeats with this mean and deviation of the logs, whose sums are rounded. @n: REPEATS_MAX at most;
 * @ns: 1 at least. */
struct repeats repeats_like(uint32_t n, double ns, double deviation);
/* Returns false for sums that no repeats can have. */
bool repeats_are_possible(const struct repeats *repeats);
/* Returns the geometric mean in ns; 0 without repeats. */
double repeats_ns(const struct repeats *repeats);
/* Returns the standard deviation of the logs, 0.01 is 1 %; 0 of fewer than two repeats. */
double repeats_deviation(const struct repeats *repeats);

struct repeats_shift {
	double estimate;  /* of the shift */
	double deviation; /* its standard error; above 0 */
	double df;        /* degrees of freedom, 2 at least */
};

/* Returns false where a side has fewer than REPEATS_MIN. */
bool repeats_compare(const struct repeats *a, const struct repeats *b, struct repeats_shift *shift);
/* Returns how many repeats of each side show a shift of 5 % in 4 of 5 cases, or 0 if REPEATS_MAX do not.
 * @deviation: of the logs, see repeats_deviation(); @alpha: the error probability of the test. */
uint32_t repeats_needed(double deviation, double alpha);
/* Judges a shift whose interval reaches @half to either side: SHIFT_SAME where all of it is within 5 %, and
 * never SHIFT_MIXED. */
enum shift_verdict repeats_judge(const struct repeats_shift *shift, double half);

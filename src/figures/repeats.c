/* SPDX-License-Identifier: GPL-2.0-or-later */
/* repeats.c - tests whether a time that is measured again and again changed. */
#include "src/figures/repeats.h"

#include <math.h>

#include "src/figures/distributions.h"

static const double UNITS = 1000; /* of a log */
static const double THRESHOLD = 0.05;
/* Times are counts of ns, and their logs are rounded: repeats that are equal by chance still have a spread.
 */
static const double DEVIATION_MIN = 0.003;
static const double MISSES = 0.2; /* the share of the shifts that are not found */

uint32_t repeats_log(float ns)
{
	return ns > 1 ? (uint32_t)(log((double)ns) * UNITS + 0.5) : 0;
}

void repeats_add(struct repeats *repeats, uint32_t log)
{
	if (repeats->n == REPEATS_MAX)
		*repeats = (struct repeats){repeats->n / 2, repeats->sum / 2, repeats->squares / 2};
	repeats->n++;
	repeats->sum += log;
	repeats->squares += (uint64_t)log * log;
}

bool repeats_are_possible(const struct repeats *repeats)
{
	uint64_t n = repeats->n;

	return repeats->sum <= n * REPEATS_LOG_MAX &&
	       repeats->squares <= n * REPEATS_LOG_MAX * REPEATS_LOG_MAX;
}

static double mean(const struct repeats *repeats)
{
	return repeats->sum / (double)repeats->n;
}

double repeats_ns(const struct repeats *repeats)
{
	return repeats->n ? exp(mean(repeats) / UNITS) : 0;
}

/* The sum of the squares of the distances from the mean. */
static double scatter(const struct repeats *repeats)
{
	return fmax(0, (double)repeats->squares - mean(repeats) * repeats->sum);
}

double repeats_deviation(const struct repeats *repeats)
{
	return repeats->n > 1 ? sqrt(scatter(repeats) / (repeats->n - 1.0)) / UNITS : 0;
}

struct repeats repeats_like(uint32_t n, double ns, double deviation)
{
	double sum = floor(n * log(ns) * UNITS + 0.5),
	       scatter = deviation * deviation * UNITS * UNITS * (n - 1.0);

	return (struct repeats){n, (uint32_t)sum, (uint64_t)(n ? sum * sum / n + scatter + 0.5 : 0)};
}

/* The variance of the mean. */
static double variance_of_mean(const struct repeats *repeats)
{
	double deviation = fmax(repeats_deviation(repeats), DEVIATION_MIN);

	return deviation * deviation / repeats->n;
}

bool repeats_compare(const struct repeats *a, const struct repeats *b, struct repeats_shift *shift)
{
	*shift = (struct repeats_shift){0};
	if (a->n < REPEATS_MIN || b->n < REPEATS_MIN)
		return false;
	shift->estimate = (mean(b) - mean(a)) / UNITS;
	shift->deviation = sqrt(variance_of_mean(a) + variance_of_mean(b));
	shift->df = (a->n < b->n ? a->n : b->n) - 1.0;
	return true;
}

static bool are_enough(uint32_t n, double deviation, double alpha)
{
	double error = fmax(deviation, DEVIATION_MIN) * sqrt(2.0 / n);

	/* The quantile is two-sided. */
	return (student_quantile(alpha, n - 1.0) + student_quantile(2 * MISSES, n - 1.0)) * error <=
	       log1p(THRESHOLD);
}

uint32_t repeats_needed(double deviation, double alpha)
{
	uint32_t too_few = REPEATS_MIN - 1, enough = REPEATS_MAX;

	if (!are_enough(enough, deviation, alpha))
		return 0;
	while (enough - too_few > 1) {
		uint32_t middle = (too_few + enough) / 2;

		if (are_enough(middle, deviation, alpha))
			enough = middle;
		else
			too_few = middle;
	}
	return enough;
}

enum shift_verdict repeats_judge(const struct repeats_shift *shift, double half)
{
	double threshold = log1p(THRESHOLD);

	if (fabs(shift->estimate) + half <= threshold)
		return SHIFT_SAME;
	if (fabs(shift->estimate) <= half)
		return SHIFT_UNDECIDED;
	return shift->estimate > 0 ? SHIFT_WORSE : SHIFT_BETTER;
}

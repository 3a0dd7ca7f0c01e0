/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rounds.c - whether a time that is measured once in each round is another one. */
#include "src/figures/rounds.h"

#include <math.h>

static const double UNITS = 1000; /* of a log */
static const double THRESHOLD = 0.05;
/* Times are counts of ns, and their logs are rounded: rounds that are equal by chance still have a spread. */
static const double DEVIATION_MIN = 0.003;

uint32_t rounds_log(float ns)
{
	return ns > 1 ? (uint32_t)(log((double)ns) * UNITS + 0.5) : 0;
}

void rounds_add(struct rounds *rounds, uint32_t log)
{
	if (rounds->n == ROUNDS_MAX)
		*rounds = (struct rounds){rounds->n / 2, rounds->sum / 2, rounds->squares / 2};
	rounds->n++;
	rounds->sum += log;
	rounds->squares += (uint64_t)log * log;
}

bool rounds_are_possible(const struct rounds *rounds)
{
	uint64_t n = rounds->n;

	return rounds->sum <= n * ROUNDS_LOG_MAX && rounds->squares <= n * ROUNDS_LOG_MAX * ROUNDS_LOG_MAX;
}

static double mean(const struct rounds *rounds)
{
	return rounds->sum / (double)rounds->n;
}

double rounds_ns(const struct rounds *rounds)
{
	return rounds->n ? exp(mean(rounds) / UNITS) : 0;
}

/* The sum of the squares of the distances from the mean. */
static double scatter(const struct rounds *rounds)
{
	return fmax(0, (double)rounds->squares - mean(rounds) * rounds->sum);
}

double rounds_deviation(const struct rounds *rounds)
{
	return rounds->n > 1 ? sqrt(scatter(rounds) / (rounds->n - 1.0)) / UNITS : 0;
}

struct rounds rounds_like(uint32_t n, double ns, double deviation)
{
	double sum = n * log(ns) * UNITS, scatter = deviation * deviation * UNITS * UNITS * (n - 1.0);

	return (struct rounds){n, (uint32_t)(sum + 0.5), (uint64_t)(n ? sum * sum / n + scatter + 0.5 : 0)};
}

bool rounds_compare(const struct rounds *a, const struct rounds *b, struct rounds_shift *shift)
{
	*shift = (struct rounds_shift){0};
	if (a->n < ROUNDS_MIN || b->n < ROUNDS_MIN)
		return false;
	shift->df = (double)a->n + b->n - 2;
	double deviation = fmax(sqrt((scatter(a) + scatter(b)) / shift->df) / UNITS, DEVIATION_MIN);

	shift->estimate = (mean(b) - mean(a)) / UNITS;
	shift->deviation = deviation * sqrt(1.0 / a->n + 1.0 / b->n);
	return true;
}

enum shift_verdict rounds_judge(const struct rounds_shift *shift, double half)
{
	double threshold = log1p(THRESHOLD);

	if (fabs(shift->estimate) + half <= threshold)
		return SHIFT_SAME;
	if (fabs(shift->estimate) <= half)
		return SHIFT_UNDECIDED;
	return shift->estimate > 0 ? SHIFT_WORSE : SHIFT_BETTER;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shift_limit.c - samples above a limit, and maxima, of two phases. */
#include "src/figures/shift_limit.h"

#include <math.h>

#include "src/figures/distributions.h"

static const double HALF_ALPHA = 0.025;

struct above {
	double n, variance; /* samples, and the variance of their number for each sample of the phase */
};

static struct above count_above(const struct shift_phase *phase, double limit)
{
	double residuals[SHIFT_BLOCKS_MAX];
	struct above above = {0};

	shift_block_samples(phase, limit, residuals);
	for (size_t i = 0; i < phase->n_blocks; i++)
		above.n += residuals[i];
	for (size_t i = 0; i < phase->n_blocks; i++)
		residuals[i] -= above.n / phase->n * phase->block_n[i];
	above.variance = longrun_variance(residuals, phase->n_blocks, phase->n).variance;
	return above;
}

/* Odds to rates: of all samples above the limit, the share @part is B's. */
static double rate_ratio(double part, const struct shift_phase *a, const struct shift_phase *b)
{
	return part / (1 - part) * a->n / b->n;
}

struct rate_shift shift_rate(const struct shift_phase *a, const struct shift_phase *b, double limit)
{
	struct above in_a = count_above(a, limit), in_b = count_above(b, limit);
	double share = (in_a.n + in_b.n) / (a->n + b->n);
	struct rate_shift shift = {0, INFINITY};

	if (share <= 0 || share >= 1)
		return shift;
	/* How many times as much the number varies as that of independent samples. */
	double excess = (in_a.variance * a->n + in_b.variance * b->n) / (a->n + b->n) / (share * (1 - share));
	double n = (in_a.n + in_b.n) / fmax(excess, 1), k = in_b.n / fmax(excess, 1);

	if (in_b.n > 0)
		shift.low = rate_ratio(beta_quantile(HALF_ALPHA, k, n - k + 1), a, b);
	if (in_a.n > 0)
		shift.high = rate_ratio(beta_quantile(1 - HALF_ALPHA, k + 1, n - k), a, b);
	return shift;
}

static uint64_t largest(const struct block_maxima *maxima)
{
	uint64_t largest_ns = 0;

	for (size_t i = 0; i < maxima->n; i++)
		largest_ns = maxima->ns[i] > largest_ns ? maxima->ns[i] : largest_ns;
	return largest_ns;
}

bool shift_max_is_higher(const struct block_maxima *before, const struct block_maxima *after)
{
	uint64_t limit_ns = largest(before);
	double probability = 1;
	size_t n_runs = 0;

	for (size_t i = 0; i < after->n; i++)
		n_runs += after->ns[i] > limit_ns && (i == 0 || after->ns[i - 1] <= limit_ns);
	for (size_t i = 0; i < n_runs; i++)
		probability *= (double)(after->ticks - i) / (double)(before->ticks + after->ticks - i);
	return n_runs && probability <= HALF_ALPHA;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rates.c - the rates of two phases, from counts by block. */
#include "src/figures/rates.h"

#include <math.h>

#include "src/figures/distributions.h"
#include "src/figures/longrun.h"

enum {
	EXACT_MAX = 32, /* blocks of both phases */
	CHOSEN_MAX = EXACT_MAX / 2,
	RANK_SUM_MAX = CHOSEN_MAX * (2 * EXACT_MAX - CHOSEN_MAX),
	MERGE_MIN = 16
};

static const double HALF_ALPHA = 0.025, MERGE_RHO = 0.3;

void block_counts_add(struct block_counts *counts, size_t block, double n, double of)
{
	counts->n[block] += n;
	counts->of[block] += of;
	if (counts->n_blocks <= block)
		counts->n_blocks = block + 1;
}

struct block_counts block_counts_sum(const struct block_counts *counts)
{
	struct block_counts sum = {.n_blocks = 1};

	for (size_t i = 0; i < counts->n_blocks; i++)
		block_counts_add(&sum, 0, counts->n[i], counts->of[i]);
	return sum;
}

double block_counts_rate(const struct block_counts *counts)
{
	struct block_counts sum = block_counts_sum(counts);

	return sum.of[0] > 0 ? sum.n[0] / sum.of[0] : 0;
}

static struct block_counts without_empty(const struct block_counts *counts)
{
	struct block_counts full = {0};

	for (size_t i = 0; i < counts->n_blocks; i++)
		if (counts->of[i] > 0)
			block_counts_add(&full, full.n_blocks, counts->n[i], counts->of[i]);
	return full;
}

static size_t fewer_blocks(const struct block_counts *a, const struct block_counts *b)
{
	return a->n_blocks < b->n_blocks ? a->n_blocks : b->n_blocks;
}

/* How far each block is from what the phase's rate makes of its size. */
static void find_residuals(const struct block_counts *counts, double residuals[RATE_BLOCKS_MAX])
{
	struct block_counts sum = block_counts_sum(counts);

	for (size_t i = 0; i < counts->n_blocks; i++)
		residuals[i] = counts->n[i] - sum.n[0] / sum.of[0] * counts->of[i];
}

/* --- the interval --- */

/* Both phases' counts, as many as independent ones would say the same: n of @n are B's. */
struct effective_counts {
	double a, b, ratio; /* ratio: of the sizes, A / B */
};

/* Returns no counts where all, or none, are counted. */
static struct effective_counts effective_counts(const struct block_counts *a, const struct block_counts *b)
{
	double residuals_a[RATE_BLOCKS_MAX], residuals_b[RATE_BLOCKS_MAX];
	struct block_counts in_a = block_counts_sum(a), in_b = block_counts_sum(b);
	double n_a = in_a.of[0], n_b = in_b.of[0], share = (in_a.n[0] + in_b.n[0]) / (n_a + n_b);

	if (share <= 0 || share >= 1)
		return (struct effective_counts){0, 0, n_a / n_b};
	find_residuals(a, residuals_a);
	find_residuals(b, residuals_b);
	double variance_a = longrun_variance(residuals_a, a->n_blocks, n_a).variance;
	double variance_b = longrun_variance(residuals_b, b->n_blocks, n_b).variance;
	/* How many times as much the number varies as that of independent ones. */
	double excess = (variance_a * n_a + variance_b * n_b) / (n_a + n_b) / (share * (1 - share));

	return (struct effective_counts){in_a.n[0] / fmax(excess, 1), in_b.n[0] / fmax(excess, 1), n_a / n_b};
}

struct rate_shift rate_interval(const struct block_counts *a, const struct block_counts *b)
{
	struct block_counts full_a = without_empty(a), full_b = without_empty(b);
	struct effective_counts n = effective_counts(&full_a, &full_b);
	struct rate_shift shift = {0, INFINITY};

	/* The share of B among all that are counted, as a ratio of rates. */
	if (n.b > 0) {
		double low = beta_quantile(HALF_ALPHA, n.b, n.a + 1);

		shift.low = low / (1 - low) * n.ratio;
	}
	if (n.a > 0) {
		double high = beta_quantile(1 - HALF_ALPHA, n.b + 1, n.a);

		shift.high = high / (1 - high) * n.ratio;
	}
	return shift;
}

/* The probabilities with which the ends of the interval are at a ratio of 1. */
static struct rate_test test_interval(const struct block_counts *a, const struct block_counts *b)
{
	struct effective_counts n = effective_counts(a, b);
	double even = 1 / (1 + n.ratio);

	return (struct rate_test){n.b > 0 ? fmin(1, 2 * beta_distribution(even, n.b, n.a + 1)) : 1,
		n.a > 0 ? fmin(1, 2 * beta_distribution(1 - even, n.a, n.b + 1)) : 1};
}

/* Correlation can't be measured in few blocks. */
static struct rate_test for_few_blocks(struct rate_test test, size_t n_blocks)
{
	double factor = 0.05 / longrun_alpha(n_blocks);

	return (struct rate_test){fmin(1, test.higher * factor), fmin(1, test.lower * factor)};
}

struct rate_test rate_test_counts(const struct block_counts *a, const struct block_counts *b)
{
	struct block_counts full_a = without_empty(a), full_b = without_empty(b);
	size_t n = fewer_blocks(&full_a, &full_b);

	if (n < RATE_BLOCKS_MIN)
		return (struct rate_test){1, 1};
	return for_few_blocks(test_interval(&full_a, &full_b), n);
}

/* --- ranks of blocks --- */

static double shares_correlation(const struct block_counts *counts)
{
	struct block_counts sum = block_counts_sum(counts);
	double residuals[RATE_BLOCKS_MAX];

	for (size_t i = 0; i < counts->n_blocks; i++)
		residuals[i] = counts->n[i] / counts->of[i] - sum.n[0] / sum.of[0];
	return longrun_correlation(residuals, counts->n_blocks);
}

static void merge_neighbours(struct block_counts *counts)
{
	struct block_counts merged = {0};

	for (size_t i = 0; i < counts->n_blocks; i++)
		block_counts_add(&merged, i / 2, counts->n[i], counts->of[i]);
	*counts = merged;
}

/* In units of a half, so that those of ties are whole numbers. */
static void find_ranks(
	const struct block_counts *a, const struct block_counts *b, unsigned ranks[2 * RATE_BLOCKS_MAX])
{
	double shares[2 * RATE_BLOCKS_MAX];
	size_t n = 0;

	for (size_t i = 0; i < a->n_blocks; i++)
		shares[n++] = a->n[i] / a->of[i];
	for (size_t i = 0; i < b->n_blocks; i++)
		shares[n++] = b->n[i] / b->of[i];
	for (size_t i = 0; i < n; i++) {
		ranks[i] = 1;
		for (size_t k = 0; k < n; k++)
			ranks[i] += (shares[k] < shares[i] ? 2 : 0) + (shares[k] == shares[i] && k != i);
	}
}

/* Of all choices of @n_chosen ranks, at most half of them, the shares with a sum of @sum at least, and at
 * most. */
static struct rate_test test_exactly(const unsigned *ranks, size_t n, size_t n_chosen, size_t sum)
{
	uint32_t ways[CHOSEN_MAX + 1][RANK_SUM_MAX + 1] = {{1}}; /* of so many ranks, by their sum */
	double all = 0, above = 0, below = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t chosen = i < n_chosen ? i + 1 : n_chosen; chosen > 0; chosen--)
			for (size_t s = ranks[i]; s <= RANK_SUM_MAX; s++)
				ways[chosen][s] += ways[chosen - 1][s - ranks[i]];
	for (size_t s = 0; s <= RANK_SUM_MAX; s++) {
		all += ways[n_chosen][s];
		above += s >= sum ? ways[n_chosen][s] : 0;
		below += s <= sum ? ways[n_chosen][s] : 0;
	}
	return (struct rate_test){fmin(1, 2 * above / all), fmin(1, 2 * below / all)};
}

static struct rate_test test_normally(const unsigned *ranks, size_t n, size_t n_b, unsigned sum)
{
	double mean = 0, squares = 0;

	for (size_t i = 0; i < n; i++)
		mean += (double)ranks[i] / (double)n;
	for (size_t i = 0; i < n; i++)
		squares += (ranks[i] - mean) * (ranks[i] - mean);
	double deviation = sqrt((double)(n_b * (n - n_b)) * squares / (double)(n * (n - 1)));
	double above = (double)sum - (double)n_b * mean;

	if (deviation <= 0)
		return (struct rate_test){1, 1};
	/* The sum grows in steps of 1 or 2. */
	return (struct rate_test){fmin(1, erfc((above - 1) / deviation / M_SQRT2)),
		fmin(1, erfc((-above - 1) / deviation / M_SQRT2))};
}

static struct rate_test test_ranks(const struct block_counts *a, const struct block_counts *b)
{
	unsigned ranks[2 * RATE_BLOCKS_MAX], sum = 0;
	size_t n = a->n_blocks + b->n_blocks;

	find_ranks(a, b, ranks);
	for (size_t i = a->n_blocks; i < n; i++)
		sum += ranks[i];
	if (n > EXACT_MAX)
		return test_normally(ranks, n, b->n_blocks, sum);
	if (b->n_blocks <= a->n_blocks)
		return test_exactly(ranks, n, b->n_blocks, sum);
	/* All ranks add up to n squared. */
	struct rate_test of_a = test_exactly(ranks, n, a->n_blocks, n * n - sum);

	return (struct rate_test){of_a.lower, of_a.higher};
}

struct rate_test rate_test_shares(const struct block_counts *a, const struct block_counts *b)
{
	struct block_counts full_a = without_empty(a), full_b = without_empty(b);
	struct block_counts merged_a = full_a, merged_b = full_b;
	size_t n = fewer_blocks(&full_a, &full_b);

	if (n < RATE_BLOCKS_MIN)
		return (struct rate_test){1, 1};
	while (fewer_blocks(&merged_a, &merged_b) >= MERGE_MIN &&
		fmax(shares_correlation(&merged_a), shares_correlation(&merged_b)) > MERGE_RHO) {
		merge_neighbours(&merged_a);
		merge_neighbours(&merged_b);
	}
	struct rate_test interval = test_interval(&full_a, &full_b), ranks = test_ranks(&merged_a, &merged_b);
	/* Either may tell, at half of the error probability. */
	struct rate_test either = {
		2 * fmin(interval.higher, ranks.higher), 2 * fmin(interval.lower, ranks.lower)};

	return for_few_blocks(either, n);
}

/* --- the maximum --- */

static uint64_t largest(const struct block_maxima *maxima)
{
	uint64_t largest_ns = 0;

	for (size_t i = 0; i < maxima->n; i++)
		largest_ns = maxima->ns[i] > largest_ns ? maxima->ns[i] : largest_ns;
	return largest_ns;
}

/* As many as independent blocks would be: runs of neighbours, or more where neighbours don't depend on each
 * other. */
static size_t count_exceedances(const struct block_maxima *maxima, uint64_t limit_ns)
{
	double residuals[RATE_BLOCKS_MAX];
	size_t n = 0, n_runs = 0;

	for (size_t i = 0; i < maxima->n; i++) {
		bool exceeds = maxima->ns[i] > limit_ns;

		n += exceeds;
		n_runs += exceeds && (i == 0 || maxima->ns[i - 1] <= limit_ns);
	}
	for (size_t i = 0; i < maxima->n; i++)
		residuals[i] = (maxima->ns[i] > limit_ns) - (double)n / (double)maxima->n;
	double rho = longrun_correlation(residuals, maxima->n);
	size_t n_independent = (size_t)((double)n * (1 - rho) / (1 + rho));

	return n_independent > n_runs ? n_independent : n_runs;
}

bool max_is_higher(const struct block_maxima *before, const struct block_maxima *after)
{
	if (!before->n || !after->n || !before->active_ns || !after->active_ns)
		return false;
	double time_before = (double)before->active_ns, time_after = (double)after->active_ns;
	/* The time of both is counted in the shorter blocks. */
	double unit = fmin(time_before / (double)before->n, time_after / (double)after->n);
	size_t n = count_exceedances(after, largest(before));
	double probability = 1;

	for (size_t i = 0; i < n; i++)
		probability *=
			(time_after / unit - (double)i) / ((time_before + time_after) / unit - (double)i);
	return n && probability <= HALF_ALPHA;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shift_rows.c - the correction for many rows, and how all of them moved. */
#include "src/figures/shift_rows.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "src/figures/distributions.h"

/* Percentiles that enter the headline: p50 and p99. */
#define N_TESTED SHIFT_P999

enum { TYPICAL_ROWS_MIN = 8 };

static const double ALPHA = 0.05, OVERALL_ALPHA = 0.01;

static enum shift_verdict row_verdict(const enum shift_verdict verdicts[N_SHIFT_PERCENTILES])
{
	size_t n[N_SHIFT_VERDICTS] = {0};

	for (size_t i = 0; i < N_SHIFT_PERCENTILES; i++)
		n[verdicts[i]]++;
	if (n[SHIFT_WORSE] || n[SHIFT_BETTER])
		return n[SHIFT_WORSE] ? SHIFT_WORSE : SHIFT_BETTER;
	if (n[SHIFT_UNDECIDED])
		return SHIFT_UNDECIDED;
	return n[SHIFT_SAME] ? SHIFT_SAME : SHIFT_TOO_FEW;
}

int shift_row_init(struct shift_row *row, const struct hist *a, size_t n_a, const struct hist *b, size_t n_b,
	double clock_step_ns)
{
	*row = (struct shift_row){.verdict = SHIFT_TOO_FEW};
	if (shift_phase_init(&row->a, a, n_a) < 0 || shift_phase_init(&row->b, b, n_b) < 0)
		return -ENOMEM;
	if (row->a.n_blocks < 2 || row->b.n_blocks < 2)
		return 0;
	shift_intervals(&row->a, &row->b, clock_step_ns, row->shifts);
	for (size_t i = 0; i < N_SHIFT_PERCENTILES; i++)
		row->verdicts[i] = shift_judge(&row->a, &row->b, (enum shift_percentile)i, &row->shifts[i]);
	row->verdict = row_verdict(row->verdicts);
	return 0;
}

void shift_row_finish(struct shift_row *row)
{
	shift_phase_finish(&row->a);
	shift_phase_finish(&row->b);
}

/* Is there a shift from @from in any direction? */
static bool is_apart(const struct shift_row *row, enum shift_percentile percentile, double from, double alpha,
	double clock_step_ns)
{
	double tail = shift_tail(percentile);

	return shift_is_beyond(&row->a, &row->b, tail, from, 1, alpha, clock_step_ns) ||
	       shift_is_beyond(&row->a, &row->b, tail, from, -1, alpha, clock_step_ns);
}

static bool is_tested(const struct shift_row *row, enum shift_percentile percentile)
{
	return row->verdicts[percentile] != SHIFT_TOO_FEW;
}

/* How many tests reject "no shift" at this error probability. */
static size_t count_apart(const struct shift_row *rows, size_t n, double alpha, double clock_step_ns)
{
	size_t n_apart = 0;

	for (size_t i = 0; i < n; i++) {
		for (enum shift_percentile q = 0; q < N_TESTED; q++)
			n_apart += is_tested(&rows[i], q) && is_apart(&rows[i], q, 0, alpha, clock_step_ns);
	}
	return n_apart;
}

/* The error probability of each of @n_tests tests with which all together are wrong in 5 %. Holm (1979). */
static double corrected_alpha(const struct shift_row *rows, size_t n, size_t n_tests, double clock_step_ns)
{
	size_t rejected = 0;

	while (rejected < n_tests) {
		size_t now = count_apart(rows, n, ALPHA / (double)(n_tests - rejected), clock_step_ns);

		if (now <= rejected)
			break;
		rejected = now;
	}
	return ALPHA / (double)(n_tests - (rejected < n_tests ? rejected : n_tests - 1));
}

static int compare_numbers(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The value below which the share @part of @n sorted numbers is. */
static double sorted_quantile(const double *sorted, size_t n, double part)
{
	double at = part * (double)(n - 1);
	size_t i = (size_t)at;

	return i + 1 < n ? sorted[i] + (sorted[i + 1] - sorted[i]) * (at - (double)i) : sorted[n - 1];
}

/* Median and quartiles of the estimates of the tested rows. Returns 0 or -ENOMEM. */
static int find_quartiles(const struct shift_row *rows, size_t n, enum shift_percentile percentile,
	struct shift_overall *overall)
{
	double *estimates = malloc((n ? n : 1) * sizeof(double));
	size_t n_estimates = 0;

	if (!estimates)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		if (is_tested(&rows[i], percentile))
			estimates[n_estimates++] = rows[i].shifts[percentile].estimate;
	}
	if (n_estimates) {
		qsort(estimates, n_estimates, sizeof(double), compare_numbers);
		overall->lower_quartile = sorted_quantile(estimates, n_estimates, 0.25);
		overall->median = sorted_quantile(estimates, n_estimates, 0.5);
		overall->upper_quartile = sorted_quantile(estimates, n_estimates, 0.75);
	}
	free(estimates);
	return 0;
}

/* The mean over rows of each block's share beyond a latency of the row: as rows share the machine, their
 * blocks depend on each other, and these means show by how much. */
struct block_means {
	double sums[SHIFT_BLOCKS_MAX];
	size_t n_rows[SHIFT_BLOCKS_MAX];
};

static void add_shares(struct block_means *means, const struct shift_phase *phase, double latency)
{
	double beyond[SHIFT_BLOCKS_MAX];

	shift_block_samples(phase, latency, beyond);
	for (size_t i = 0; i < phase->n_blocks; i++) {
		means->sums[phase->block_at[i]] += beyond[i] / phase->block_n[i];
		means->n_rows[phase->block_at[i]]++;
	}
}

/* Leaves in @residuals how far each block's mean is from @mean, which is set. Returns the number of blocks.
 */
static size_t mean_residuals(const struct block_means *means, double *residuals, double *mean)
{
	size_t n = 0;

	*mean = 0;
	for (size_t i = 0; i < SHIFT_BLOCKS_MAX; i++) {
		if (means->n_rows[i])
			residuals[n++] = means->sums[i] / (double)means->n_rows[i];
	}
	for (size_t i = 0; i < n; i++)
		*mean += residuals[i] / (double)n;
	for (size_t i = 0; i < n; i++)
		residuals[i] -= *mean;
	return n;
}

/* Did all rows together shift at a percentile? Their blocks are compared as one row's, of which each block
 * has one sample. */
static bool all_have_shifted(const struct shift_row *rows, size_t n, enum shift_percentile percentile)
{
	struct block_means a = {0}, b = {0};
	double residuals_a[SHIFT_BLOCKS_MAX], residuals_b[SHIFT_BLOCKS_MAX], mean_a, mean_b;

	for (size_t i = 0; i < n; i++) {
		if (!is_tested(&rows[i], percentile))
			continue;
		double latency = shift_joint_quantile(&rows[i].a, &rows[i].b, shift_tail(percentile), 0);

		add_shares(&a, &rows[i].a, latency);
		add_shares(&b, &rows[i].b, latency);
	}
	size_t n_a = mean_residuals(&a, residuals_a, &mean_a), n_b = mean_residuals(&b, residuals_b, &mean_b);

	return n_a >= 2 && n_b >= 2 &&
	       fabs(mean_b - mean_a) > shift_critical(residuals_a, n_a, residuals_b, n_b, OVERALL_ALPHA);
}

static int summarize_overall(const struct shift_row *rows, size_t n, struct shift_summary *summary)
{
	for (enum shift_percentile q = 0; q < N_TESTED; q++) {
		struct shift_overall *overall = &summary->overall[q];
		int r = find_quartiles(rows, n, q, overall);

		if (r < 0)
			return r;
		overall->has_shifted =
			all_have_shifted(rows, n, q) && fabs(overall->median) > log1p(0.05) / 2;
	}
	return 0;
}

/* Does the shift of a row count in the headline at a percentile? With many rows, one that moved as the
 * typical row does counts only if all of them moved. */
static bool is_headline(const struct shift_row *row, enum shift_percentile percentile, size_t n, double alpha,
	const struct shift_overall *overall, double clock_step_ns)
{
	if (!is_tested(row, percentile) || row->verdicts[percentile] != row->verdict)
		return false;
	if (!is_apart(row, percentile, 0, alpha, clock_step_ns))
		return false;
	return n < TYPICAL_ROWS_MIN || overall->has_shifted ||
	       is_apart(row, percentile, overall->median, alpha, clock_step_ns);
}

int shift_rows_summarize(
	const struct shift_row *rows, size_t n, double clock_step_ns, struct shift_summary *summary)
{
	*summary = (struct shift_summary){0};
	for (size_t i = 0; i < n; i++) {
		summary->verdicts[rows[i].verdict]++;
		for (enum shift_percentile q = 0; q < N_TESTED; q++)
			summary->n_tests += is_tested(&rows[i], q);
	}
	int r = summarize_overall(rows, n, summary);

	if (r < 0 || !summary->n_tests)
		return r;
	double alpha = corrected_alpha(rows, n, summary->n_tests, clock_step_ns);

	for (size_t i = 0; i < n; i++) {
		bool counts = false;

		for (enum shift_percentile q = 0; q < N_TESTED; q++)
			counts |= is_headline(&rows[i], q, n, alpha, &summary->overall[q], clock_step_ns);
		summary->worse += counts && rows[i].verdict == SHIFT_WORSE;
		summary->better += counts && rows[i].verdict == SHIFT_BETTER;
	}
	return 0;
}

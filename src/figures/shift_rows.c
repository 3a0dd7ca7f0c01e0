/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shift_rows.c - the correction for many rows, and how all of them moved. */
#include "src/figures/shift_rows.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "src/figures/distributions.h"

enum { TYPICAL_ROWS_MIN = 8 };

static const double ALPHA = 0.05, OVERALL_ALPHA = 0.01;

static bool is_tested(const struct shift_row *row, enum shift_percentile percentile)
{
	return row->verdicts[percentile] != SHIFT_TOO_FEW;
}

static void find_shares(const struct shift_phase *phase, double latency, double shares[SHIFT_BLOCKS_MAX])
{
	double beyond[SHIFT_BLOCKS_MAX];

	for (size_t i = 0; i < SHIFT_BLOCKS_MAX; i++)
		shares[i] = -1;
	shift_block_samples(phase, latency, beyond);
	for (size_t i = 0; i < phase->n_blocks; i++)
		shares[phase->block_at[i]] = beyond[i] / phase->block_n[i];
}

static void find_evidence(struct shift_row *row, enum shift_percentile percentile, double clock_step_ns)
{
	struct shift_evidence *evidence = &row->evidence[percentile];
	double tail = shift_tail(percentile);
	double latency = shift_joint_quantile(&row->a, &row->b, tail, 0);

	evidence->slower = shift_test_beyond(&row->a, &row->b, tail, 0, 1, clock_step_ns);
	evidence->faster = shift_test_beyond(&row->a, &row->b, tail, 0, -1, clock_step_ns);
	find_shares(&row->a, latency, evidence->shares_a);
	find_shares(&row->b, latency, evidence->shares_b);
}

static double longer_for_a_verdict(const struct shift_row *row)
{
	const struct shift_phase *a = &row->a, *b = &row->b;
	double lacking = fmax(SHIFT_BLOCKS_MIN / fmin((double)a->n_blocks, (double)b->n_blocks),
		SHIFT_BEYOND_MIN / (shift_tail(SHIFT_P50) * fmin(a->n, b->n)));

	for (enum shift_percentile q = 0; q < N_SHIFT_PERCENTILES; q++)
		if (row->verdicts[q] == SHIFT_UNDECIDED)
			return shift_longer(&row->shifts[q], shift_threshold(a, shift_tail(q)));
	return lacking > 1 ? lacking : INFINITY;
}

int shift_row_init(struct shift_row *row, const struct hist *a, size_t n_a, const struct hist *b, size_t n_b,
	double clock_step_ns)
{
	*row = (struct shift_row){.verdict = SHIFT_TOO_FEW, .longer = INFINITY};
	if (shift_phase_init(&row->a, a, n_a) < 0 || shift_phase_init(&row->b, b, n_b) < 0)
		return -ENOMEM;
	row->longer = longer_for_a_verdict(row);
	if (row->a.n_blocks < 2 || row->b.n_blocks < 2)
		return 0;
	shift_intervals(&row->a, &row->b, clock_step_ns, row->shifts);
	for (size_t i = 0; i < N_SHIFT_PERCENTILES; i++) {
		row->verdicts[i] = shift_judge(&row->a, &row->b, (enum shift_percentile)i, &row->shifts[i]);
		if (row->verdicts[i] > row->verdict)
			row->verdict = row->verdicts[i];
	}
	row->longer = longer_for_a_verdict(row);
	for (enum shift_percentile q = 0; q < N_SHIFT_PERCENTILES; q++)
		if (is_tested(row, q))
			find_evidence(row, q, clock_step_ns);
	return 0;
}

static bool may_be_in_headline(const struct shift_row *row)
{
	return row->verdict == SHIFT_WORSE || row->verdict == SHIFT_BETTER;
}

void shift_row_drop_blocks(struct shift_row *row)
{
	if (may_be_in_headline(row))
		return;
	shift_phase_drop_blocks(&row->a);
	shift_phase_drop_blocks(&row->b);
}

void shift_row_finish(struct shift_row *row)
{
	shift_phase_finish(&row->a);
	shift_phase_finish(&row->b);
}

/* Is there a shift in any direction? */
static bool has_shifted(const struct shift_row *row, enum shift_percentile percentile, double alpha)
{
	const struct shift_evidence *evidence = &row->evidence[percentile];

	return shift_test_finds(&evidence->slower, alpha) || shift_test_finds(&evidence->faster, alpha);
}

/* Is there a shift from @from in any direction? */
static bool is_apart(const struct shift_row *row, enum shift_percentile percentile, double from, double alpha,
	double clock_step_ns)
{
	double tail = shift_tail(percentile);
	struct shift_test slower = shift_test_beyond(&row->a, &row->b, tail, from, 1, clock_step_ns);
	struct shift_test faster = shift_test_beyond(&row->a, &row->b, tail, from, -1, clock_step_ns);

	return shift_test_finds(&slower, alpha) || shift_test_finds(&faster, alpha);
}

/* How many tests reject "no shift" at this error probability. */
static size_t count_shifted(const struct shift_row *const *rows, size_t n, double alpha)
{
	size_t n_shifted = 0;

	for (size_t i = 0; i < n; i++) {
		for (enum shift_percentile q = 0; q < N_SHIFT_PERCENTILES; q++)
			n_shifted += is_tested(rows[i], q) && has_shifted(rows[i], q, alpha);
	}
	return n_shifted;
}

/* The error probability of each of @n_tests tests with which all together are wrong in 5 %. Holm (1979). */
static double corrected_alpha(const struct shift_row *const *rows, size_t n, size_t n_tests)
{
	size_t rejected = 0;

	while (rejected < n_tests) {
		size_t now = count_shifted(rows, n, ALPHA / (double)(n_tests - rejected));

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

/* The median over the rows without a verdict. Returns 0 or -ENOMEM. */
static int find_longer(const struct shift_row *const *rows, size_t n, double *longer)
{
	double *factors = malloc((n ? n : 1) * sizeof(double));
	size_t n_factors = 0;

	if (!factors)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		if (rows[i]->verdict == SHIFT_UNDECIDED || rows[i]->verdict == SHIFT_TOO_FEW)
			factors[n_factors++] = rows[i]->longer;
	qsort(factors, n_factors, sizeof(double), compare_numbers);
	*longer = n_factors ? factors[(n_factors - 1) / 2] : INFINITY;
	free(factors);
	return 0;
}

/* Median and quartiles of the estimates of the tested rows. Returns 0 or -ENOMEM. */
static int find_quartiles(const struct shift_row *const *rows, size_t n, enum shift_percentile percentile,
	struct shift_overall *overall)
{
	double *estimates = malloc((n ? n : 1) * sizeof(double));
	size_t n_estimates = 0;

	if (!estimates)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		if (is_tested(rows[i], percentile))
			estimates[n_estimates++] = rows[i]->shifts[percentile].estimate;
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

static void add_shares(struct block_means *means, const double shares[SHIFT_BLOCKS_MAX])
{
	for (size_t i = 0; i < SHIFT_BLOCKS_MAX; i++) {
		if (shares[i] < 0)
			continue;
		means->sums[i] += shares[i];
		means->n_rows[i]++;
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
static bool all_have_shifted(const struct shift_row *const *rows, size_t n, enum shift_percentile percentile)
{
	struct block_means a = {0}, b = {0};
	double residuals_a[SHIFT_BLOCKS_MAX], residuals_b[SHIFT_BLOCKS_MAX], mean_a, mean_b;

	for (size_t i = 0; i < n; i++) {
		if (!is_tested(rows[i], percentile))
			continue;
		add_shares(&a, rows[i]->evidence[percentile].shares_a);
		add_shares(&b, rows[i]->evidence[percentile].shares_b);
	}
	size_t n_a = mean_residuals(&a, residuals_a, &mean_a), n_b = mean_residuals(&b, residuals_b, &mean_b);

	return n_a >= 2 && n_b >= 2 &&
	       fabs(mean_b - mean_a) > shift_critical(residuals_a, n_a, residuals_b, n_b, OVERALL_ALPHA);
}

static int summarize_overall(const struct shift_row *const *rows, size_t n, struct shift_summary *summary)
{
	for (enum shift_percentile q = 0; q < N_SHIFT_PERCENTILES; q++) {
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
	if (!has_shifted(row, percentile, alpha))
		return false;
	return n < TYPICAL_ROWS_MIN || overall->has_shifted ||
	       is_apart(row, percentile, overall->median, alpha, clock_step_ns);
}

/* Returns 0 or -ECANCELED. */
static int count_headline(const struct shift_row *const *rows, size_t n, double clock_step_ns,
	const atomic_bool *stop, struct shift_summary *summary)
{
	double alpha = corrected_alpha(rows, n, summary->n_tests);

	for (size_t i = 0; i < n; i++) {
		bool counts = false;

		if (stop && atomic_load(stop))
			return -ECANCELED;
		for (enum shift_percentile q = 0; q < N_SHIFT_PERCENTILES && may_be_in_headline(rows[i]); q++)
			counts |= is_headline(rows[i], q, n, alpha, &summary->overall[q], clock_step_ns);
		summary->worse += counts && rows[i]->verdict == SHIFT_WORSE;
		summary->better += counts && rows[i]->verdict == SHIFT_BETTER;
	}
	return 0;
}

int shift_rows_summarize(const struct shift_row *const *rows, size_t n, double clock_step_ns,
	const atomic_bool *stop, struct shift_summary *summary)
{
	*summary = (struct shift_summary){0};
	for (size_t i = 0; i < n; i++) {
		summary->verdicts[rows[i]->verdict]++;
		for (enum shift_percentile q = 0; q < N_SHIFT_PERCENTILES; q++)
			summary->n_tests += is_tested(rows[i], q);
	}
	int r = find_longer(rows, n, &summary->longer);

	if (r == 0)
		r = summarize_overall(rows, n, summary);
	return r < 0 || !summary->n_tests ? r : count_headline(rows, n, clock_step_ns, stop, summary);
}

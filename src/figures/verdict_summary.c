/* SPDX-License-Identifier: GPL-2.0-or-later */
/* verdict_summary.c - the verdict on all rows together, and the correction for their many marks. */
#include "src/figures/verdict_summary.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "src/base/sort.h"
#include "src/figures/longrun.h"
#include "src/figures/replicates.h"

enum { TYPICAL_ROWS_MIN = 8 };

static const double OVERALL_ALPHA = 0.01;

/* How MARK_ALPHA is divided between the marks of all rows together and those of single rows, where there are
 * replicates: rows have all of it once all of them together moved. */
static const double SUM_PART = 0.8, ROWS_PART = 0.2;

/* --- the correction for many marks --- */

static size_t count_below(struct row_verdict *const *rows, size_t n, double alpha)
{
	size_t n_below = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t mark = 0; mark < N_MARKS; mark++)
			n_below += rows[i]->marks[mark].verdict != SHIFT_TOO_FEW &&
				   rows[i]->marks[mark].probability <= alpha;
	return n_below;
}

/* The error probability of each of @n_tests tests with which all together are wrong with that of @alpha.
 * Holm (1979). */
static double corrected_alpha(struct row_verdict *const *rows, size_t n, size_t n_tests, double alpha)
{
	size_t rejected = 0;

	while (rejected < n_tests) {
		size_t now = count_below(rows, n, alpha / (double)(n_tests - rejected));

		if (now <= rejected)
			break;
		rejected = now;
	}
	return alpha / (double)(n_tests - (rejected < n_tests ? rejected : n_tests - 1));
}

/* Did this row's percentile move otherwise than the typical row's? */
static bool is_apart(
	const struct row_verdict *row, enum mark_id mark, double from, double alpha, double clock_step_ns)
{
	struct rate_test test = shift_test(
		&row->figures[mark / N_SHIFT_PERCENTILES], mark_percentile(mark), from, clock_step_ns);

	return fmin(test.higher, test.lower) <= alpha;
}

/* With many rows, a percentile that moved as that of the typical row does counts only if all of them moved.
 */
static bool survives(const struct row_verdict *row, enum mark_id mark, double alpha,
	const struct verdict_summary *summary, double clock_step_ns)
{
	if (mark_has_moved(row->marks[mark].verdict) && summary->n_rows == 1 &&
		!isnan(summary->chances[mark]))
		return summary->chances[mark] <= MARK_ALPHA;
	if (!mark_has_moved(row->marks[mark].verdict) || row->marks[mark].probability > alpha)
		return false;
	return mark >= MARK_MISSED || summary->n_rows < TYPICAL_ROWS_MIN ||
	       mark_has_moved(summary->marks[mark].verdict) ||
	       is_apart(row, mark, summary->overall[mark].median, alpha, clock_step_ns);
}

static bool has_chances(const struct verdict_summary *summary)
{
	bool has = false;

	for (size_t mark = 0; mark < N_MARKS; mark++)
		has |= !isnan(summary->chances[mark]);
	return has;
}

static bool has_moved_together(const struct verdict_summary *summary)
{
	return marks_have(summary->marks, SHIFT_WORSE) || marks_have(summary->marks, SHIFT_BETTER);
}

/* Returns 0 or -ECANCELED. */
static int mark_survivors(struct row_verdict *const *rows, double clock_step_ns, const atomic_bool *stop,
	const struct verdict_summary *summary)
{
	double part = has_chances(summary) && !has_moved_together(summary) ? ROWS_PART : 1;
	double alpha = summary->n_tests
			       ? corrected_alpha(rows, summary->n_rows, summary->n_tests, part * MARK_ALPHA)
			       : 0;

	for (size_t i = 0; i < summary->n_rows; i++) {
		if (stop && atomic_load(stop))
			return -ECANCELED;
		for (size_t mark = 0; mark < N_MARKS; mark++)
			rows[i]->marks[mark].survives =
				survives(rows[i], (enum mark_id)mark, alpha, summary, clock_step_ns);
	}
	return 0;
}

static void count_survivors(struct row_verdict *const *rows, struct verdict_summary *summary)
{
	for (size_t i = 0; i < summary->n_rows; i++) {
		bool is_worse = false, is_better = false;

		for (size_t mark = 0; mark < N_MARKS; mark++) {
			const struct mark *of = &rows[i]->marks[mark];

			is_worse |= of->survives && of->verdict == SHIFT_WORSE;
			is_better |= of->survives && of->verdict == SHIFT_BETTER;
		}
		summary->worse += is_worse;
		summary->better += is_better;
	}
}

/* --- all rows together --- */

/* The value below which the share @part of @n sorted numbers is. */
static double sorted_quantile(const double *sorted, size_t n, double part)
{
	double at = part * (double)(n - 1);
	size_t i = (size_t)at;

	return i + 1 < n ? sorted[i] + (sorted[i + 1] - sorted[i]) * (at - (double)i) : sorted[n - 1];
}

/* Of all rows, also of those with too few samples for a verdict: whether they have one depends on what they
 * did. */
static const struct figure_shift *compared_figure(const struct row_verdict *row, enum mark_id mark)
{
	const struct figure_shift *figure = &row->figures[mark / N_SHIFT_PERCENTILES];

	return figure->a.n_blocks >= 2 && figure->b.n_blocks >= 2 ? figure : NULL;
}

/* Median and quartiles of the rows' estimates. Returns 0 or -ENOMEM. */
static int find_quartiles(
	struct row_verdict *const *rows, size_t n, enum mark_id mark, struct shift_overall *overall)
{
	double *estimates = malloc((n ? n : 1) * sizeof(double));
	size_t n_estimates = 0;

	if (!estimates)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const struct figure_shift *figure = compared_figure(rows[i], mark);

		if (figure)
			estimates[n_estimates++] = figure->shifts[mark_percentile(mark)].estimate;
	}
	if (n_estimates) {
		sort_doubles(estimates, n_estimates);
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

static void add_shares(struct block_means *means, const float shares[SHIFT_BLOCKS_MAX])
{
	for (size_t i = 0; i < SHIFT_BLOCKS_MAX; i++) {
		if (shares[i] < 0)
			continue;
		means->sums[i] += shares[i];
		means->n_rows[i]++;
	}
}

/* Leaves in @residuals how far each block's mean is from that of all. Returns the number of blocks. */
static size_t mean_residuals(const struct block_means *means, double *residuals)
{
	double mean = 0;
	size_t n = 0;

	for (size_t i = 0; i < SHIFT_BLOCKS_MAX; i++) {
		if (means->n_rows[i])
			residuals[n++] = means->sums[i] / (double)means->n_rows[i];
	}
	for (size_t i = 0; i < n; i++)
		mean += residuals[i] / (double)n;
	for (size_t i = 0; i < n; i++)
		residuals[i] -= mean;
	return n;
}

static double mean_of_blocks(const float shares[SHIFT_BLOCKS_MAX])
{
	double sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < SHIFT_BLOCKS_MAX; i++) {
		if (shares[i] < 0)
			continue;
		sum += shares[i];
		n++;
	}
	return n ? sum / (double)n : 0;
}

/* How far the shares of a row are apart: the mean of its replicates', or that of its blocks. */
static double share_difference(const struct shift_evidence *evidence)
{
	return evidence->is_of_replicates
		       ? evidence->difference
		       : mean_of_blocks(evidence->shares_b) - mean_of_blocks(evidence->shares_a);
}

/* With which probability chance alone makes all rows together shift so much at a percentile. Their blocks are
 * compared as one row's, of which each block has one sample. */
static double test_all(struct row_verdict *const *rows, size_t n, enum mark_id mark)
{
	struct block_means a = {0}, b = {0};
	double residuals_a[SHIFT_BLOCKS_MAX], residuals_b[SHIFT_BLOCKS_MAX], differences = 0;
	size_t n_rows = 0;

	for (size_t i = 0; i < n; i++) {
		const struct figure_shift *figure = compared_figure(rows[i], mark);

		if (!figure)
			continue;
		const struct shift_evidence *evidence = &figure->evidence[mark_percentile(mark)];

		differences += share_difference(evidence);
		n_rows++;
		add_shares(&a, evidence->shares_a);
		add_shares(&b, evidence->shares_b);
	}
	size_t n_a = mean_residuals(&a, residuals_a), n_b = mean_residuals(&b, residuals_b);

	if (n_a < SHIFT_BLOCKS_MIN || n_b < SHIFT_BLOCKS_MIN)
		return 1;
	return shift_means_test(residuals_a, n_a, residuals_b, n_b, differences / (double)n_rows) *
	       MARK_ALPHA / longrun_alpha(n_a < n_b ? n_a : n_b);
}

/* All rows together have no other correction than a smaller error probability. */
static struct mark overall_mark(struct mark mark)
{
	if (mark_has_moved(mark.verdict) && mark.probability > OVERALL_ALPHA)
		mark.verdict = SHIFT_UNDECIDED;
	mark.survives = mark_has_moved(mark.verdict);
	return mark;
}

static int summarize_percentiles(struct row_verdict *const *rows, struct verdict_summary *summary)
{
	for (size_t mark = 0; mark < MARK_MISSED; mark++) {
		struct shift_overall *overall = &summary->overall[mark];
		int r = find_quartiles(rows, summary->n_rows, (enum mark_id)mark, overall);

		if (r < 0)
			return r;
		double probability = test_all(rows, summary->n_rows, (enum mark_id)mark);

		/* A tail that few rows have seen says little about the others. */
		if (mark_percentile((enum mark_id)mark) > SHIFT_P99 ||
			fabs(overall->median) <= log1p(0.05) / 2)
			continue;
		summary->marks[mark] = overall_mark(
			(struct mark){overall->median > 0 ? SHIFT_WORSE : SHIFT_BETTER, probability});
	}
	return 0;
}

static void summarize_counts(const struct verdict_counts *counts, struct verdict_summary *summary)
{
	struct mark *spikes = &summary->marks[MARK_SPIKES];

	summary->marks[MARK_MISSED] = overall_mark(mark_missed(&counts->missed_a, &counts->missed_b));
	summary->marks[MARK_LAPS] = overall_mark(mark_laps(&counts->laps_a, &counts->laps_b));
	summary->laps_a = 1e9 * block_counts_rate(&counts->laps_a);
	summary->laps_b = 1e9 * block_counts_rate(&counts->laps_b);
	summary->missed_a = block_counts_rate(&counts->missed_a);
	summary->missed_b = block_counts_rate(&counts->missed_b);
	*spikes = (struct mark){SHIFT_TOO_FEW, 1};
	for (size_t i = 0; i < SPIKE_LIMITS; i++) {
		const struct block_counts *a = &counts->spikes_a[i], *b = &counts->spikes_b[i];

		if (marks_lack_blocks(a, b))
			break;
		struct block_counts in_a = block_counts_sum(a), in_b = block_counts_sum(b);
		struct mark found = mark_spikes(a, b, &counts->far_a[i], &counts->far_b[i]);

		found = overall_mark(mark_doubt_spikes_of_flood(
			found, in_a.n[0], counts->of_laps_b[i], in_a.of[0], in_b.of[0]));
		if (spikes->verdict != SHIFT_TOO_FEW && found.probability >= spikes->probability)
			continue;
		*spikes = found;
		summary->spikes_a = 1e6 * block_counts_rate(a);
		summary->spikes_b = 1e6 * block_counts_rate(b);
	}
}

/* A single row has the marks of its own that survive. */
static void take_marks_of(const struct row_verdict *row, struct verdict_summary *summary)
{
	for (size_t mark = 0; mark < N_MARKS; mark++) {
		summary->marks[mark] = row->marks[mark];
		if (mark_has_moved(row->marks[mark].verdict) && !row->marks[mark].survives)
			summary->marks[mark].verdict = SHIFT_UNDECIDED;
	}
}

static enum shift_verdict overall_verdict(const struct verdict_summary *summary)
{
	bool is_worse = summary->worse || marks_have(summary->marks, SHIFT_WORSE);
	bool is_better = summary->better || marks_have(summary->marks, SHIFT_BETTER);

	return marks_direction(is_worse, is_better,
		summary->verdicts[SHIFT_TOO_FEW] == summary->n_rows ? SHIFT_TOO_FEW /* without rows, too */
		: summary->verdicts[SHIFT_SAME] == summary->n_rows  ? SHIFT_SAME
								    : SHIFT_UNDECIDED);
}

static struct mark doubt_by_chance(struct mark mark, double chance)
{
	if (!mark_has_moved(mark.verdict))
		return mark;
	mark.probability = fmax(mark.probability, chance);
	if (chance > SUM_PART * MARK_ALPHA)
		mark.verdict = SHIFT_UNDECIDED;
	mark.survives = mark_has_moved(mark.verdict);
	return mark;
}

/* What all rows did together. Returns 0 or -ENOMEM. */
static int summarize(struct row_verdict *const *rows, size_t n, const struct verdict_counts *counts,
	struct verdict_summary *summary)
{
	*summary = (struct verdict_summary){.n_rows = n};
	for (size_t i = 0; i < n; i++) {
		summary->verdicts[rows[i]->verdict]++;
		for (size_t mark = 0; mark < N_MARKS; mark++)
			summary->n_tests += rows[i]->marks[mark].verdict != SHIFT_TOO_FEW;
	}
	int r = summarize_percentiles(rows, summary);

	summarize_counts(counts, summary);
	replicate_values_find_chances(counts->replicates, n, summary->chances);
	for (size_t mark = 0; mark < N_MARKS; mark++)
		if (!isnan(summary->chances[mark]))
			summary->marks[mark] = doubt_by_chance(
				replicate_values_mark((enum mark_id)mark, summary->marks[mark],
					&counts->replicates[mark],
					mark == MARK_MISSED ? summary->missed_a : summary->laps_a,
					mark == MARK_MISSED ? summary->missed_b : summary->laps_b),
				summary->chances[mark]);
	return r;
}

static void find_row_missed(struct row_verdict *const *rows, struct verdict_summary *summary)
{
	for (size_t i = 0; i < summary->n_rows; i++) {
		if (fabs(rows[i]->missed_b - rows[i]->missed_a) <=
			fabs(summary->row_missed_b - summary->row_missed_a))
			continue;
		summary->row_missed_a = rows[i]->missed_a;
		summary->row_missed_b = rows[i]->missed_b;
	}
}

static void summarize_survivors(struct row_verdict *const *rows, struct verdict_summary *summary)
{
	count_survivors(rows, summary);
	find_row_missed(rows, summary);
	if (summary->n_rows == 1)
		take_marks_of(rows[0], summary);
	summary->verdict = overall_verdict(summary);
}

int verdicts_summarize(struct row_verdict *const *rows, size_t n, const struct verdict_counts *counts,
	double clock_step_ns, const atomic_bool *stop, struct verdict_summary *summary)
{
	int r = summarize(rows, n, counts, summary);

	if (r == 0)
		r = mark_survivors(rows, clock_step_ns, stop, summary);
	if (r == 0)
		summarize_survivors(rows, summary);
	return r;
}

int verdicts_summarize_group(struct row_verdict *const *rows, size_t n, const struct verdict_counts *counts,
	struct verdict_summary *summary)
{
	int r = summarize(rows, n, counts, summary);

	if (r == 0)
		summarize_survivors(rows, summary);
	return r;
}

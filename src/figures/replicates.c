/* SPDX-License-Identifier: GPL-2.0-or-later */
/* replicates.c - what phases of one configuration say about the marks of two of them. */
#include "src/figures/replicates.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "src/figures/distributions.h"
#include "src/figures/rotation.h"
#include "src/figures/signed_rank.h"

enum { APART_MIN = 6 }; /* replicates of each side whose order proves a change */

void replicate_values_add(struct replicate_values *values, const struct replicate_values *more)
{
	if (more->n_pairs) { /* all rows that have values have the same ones */
		values->n_pairs = more->n_pairs;
		memcpy(values->pairs_a, more->pairs_a, sizeof(values->pairs_a));
		memcpy(values->pairs_b, more->pairs_b, sizeof(values->pairs_b));
	}
	if (values->n_a < more->n_a)
		values->n_a = more->n_a;
	if (values->n_b < more->n_b)
		values->n_b = more->n_b;
	for (size_t i = 0; i < more->n_a; i++) {
		values->a[i] += more->a[i];
		values->rows_a[i] += more->rows_a[i];
	}
	for (size_t i = 0; i < more->n_b; i++) {
		values->b[i] += more->b[i];
		values->rows_b[i] += more->rows_b[i];
	}
}

/* A higher value is worse: of laps it is the time for one. Of shares and rates it is the root: the more is
 * missed, the more that varies from phase to phase, and the root varies alike. Returns NAN where there is no
 * value. */
static double value_in(const struct judged_block *sum, enum mark_id mark, uint64_t spikes_limit_ns)
{
	const struct hist *laps = &sum->hists[JUDGED_RESPONSE];
	const struct hist *hist =
		&sum->hists[mark < MARK_MISSED ? mark / N_SHIFT_PERCENTILES : JUDGED_SERVED];

	if (mark == MARK_MISSED)
		return sum->slots ? sqrt((double)sum->missed / (double)sum->slots) : NAN;
	if (mark == MARK_LAPS)
		return sum->slots || !sum->active_ns || !hist_samples(laps)
			       ? NAN
			       : log((double)sum->active_ns / (double)hist_samples(laps));
	if (!hist->n || (mark == MARK_SPIKES && (!sum->active_ns || !spikes_limit_ns)))
		return NAN;
	if (mark == MARK_SPIKES)
		return sqrt((double)hist_above(hist, spikes_limit_ns) / (double)sum->active_ns);
	return log(fmax((double)hist_percentile(hist, 100 * (1 - shift_tail(mark_percentile(mark)))), 0.5));
}

static size_t count_values(const unsigned *rows, size_t n)
{
	size_t n_values = 0;

	for (size_t i = 0; i < n; i++)
		n_values += rows[i] > 0;
	return n_values;
}

static double mean_of(const double *sums, const unsigned *rows, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += rows[i] ? sums[i] / rows[i] : 0;
	return sum / (double)count_values(rows, n);
}

static double squares_of(const double *sums, const unsigned *rows, size_t n)
{
	double mean = mean_of(sums, rows, n), squares = 0;

	for (size_t i = 0; i < n; i++)
		squares += rows[i] ? (sums[i] / rows[i] - mean) * (sums[i] / rows[i] - mean) : 0;
	return squares;
}

static bool has_spread(const struct replicate_values *values)
{
	return count_values(values->rows_a, values->n_a) >= 2 &&
	       count_values(values->rows_b, values->n_b) >= 2;
}

/* Each A has the B beside it, if that is not beside an earlier A. */
static void find_pairs(struct replicate_values *values, const uint32_t *a, const uint32_t *b)
{
	for (size_t i = 0, j = 0; a && b && i < values->n_a && j < values->n_b;) {
		bool is_a_first = a[i] < b[j],
		     are_neighbours = is_a_first ? a[i] + 1 == b[j] : b[j] + 1 == a[i];

		if (are_neighbours) {
			values->pairs_a[values->n_pairs] = i;
			values->pairs_b[values->n_pairs++] = j;
		}
		i += are_neighbours || is_a_first;
		j += are_neighbours || !is_a_first;
	}
}

/* Finds the values of one row. A replicate in which the ring was not there has none. Returns whether there
 * are two of each at least. */
static bool find_values(struct replicate_values *values, const struct judged_row *row, enum mark_id mark,
	uint64_t spikes_limit_ns)
{
	*values = (struct replicate_values){.n_a = row->like_a.n, .n_b = row->like_b.n};
	find_pairs(values, row->like_a.numbers, row->like_b.numbers);
	for (size_t i = 0; i < row->like_a.n; i++) {
		double value = value_in(&row->like_a.sums[i], mark, spikes_limit_ns);

		values->rows_a[i] = !isnan(value);
		values->a[i] = isnan(value) ? 0 : value;
	}
	for (size_t i = 0; i < row->like_b.n; i++) {
		double value = value_in(&row->like_b.sums[i], mark, spikes_limit_ns);

		values->rows_b[i] = !isnan(value);
		values->b[i] = isnan(value) ? 0 : value;
	}
	return has_spread(values);
}

/* How far the means of the replicates are apart, and by how much they are so by chance: Student (1908). */
struct spread {
	double difference, deviation, df;
	double part; /* by this, the mean of all replicates has a smaller error than the one phase has */
};

static struct spread spread_between(const struct replicate_values *values)
{
	double n_a = (double)count_values(values->rows_a, values->n_a),
	       n_b = (double)count_values(values->rows_b, values->n_b), df = n_a + n_b - 2;
	double squares = squares_of(values->a, values->rows_a, values->n_a) +
			 squares_of(values->b, values->rows_b, values->n_b);

	return (struct spread){mean_of(values->b, values->rows_b, values->n_b) -
				       mean_of(values->a, values->rows_a, values->n_a),
		sqrt(squares / df * (1 / n_a + 1 / n_b)), df, sqrt((1 / n_a + 1 / n_b) / 2)};
}

/* With which probability the spread alone makes B so much higher, or lower. */
static struct rate_test test_between(const struct spread *spread)
{
	double t = spread->difference / fmax(spread->deviation, 1e-300);

	return (struct rate_test){student_tail(t, spread->df), student_tail(-t, spread->df)};
}

_Static_assert((int)REPLICATES_MAX <= (int)SIGNED_RANK_PAIRS_MAX, "each pair has a rank");

/* How far each B is from the A beside it. Returns the number of pairs; 0: there are too few, or a phase of
 * one has no value. */
static size_t find_differences(const struct replicate_values *values, double differences[REPLICATES_MAX])
{
	if (values->n_pairs < SIGNED_RANK_PAIRS_MIN)
		return 0;
	for (size_t i = 0; i < values->n_pairs; i++) {
		size_t a = values->pairs_a[i], b = values->pairs_b[i];

		if (!values->rows_a[a] || !values->rows_b[b])
			return 0;
		differences[i] = values->b[b] / values->rows_b[b] - values->a[a] / values->rows_a[a];
	}
	return values->n_pairs;
}

/* With which probability chance alone makes B so much higher, or lower: by pairs if there are enough. */
static struct rate_test test_values(const struct replicate_values *values)
{
	double differences[REPLICATES_MAX];
	size_t n_pairs = find_differences(values, differences);
	struct spread spread = spread_between(values);

	return n_pairs ? signed_rank_test(differences, n_pairs) : test_between(&spread);
}

static struct rate_test less_certain(struct rate_test x, struct rate_test y)
{
	return (struct rate_test){fmax(x.higher, y.higher), fmax(x.lower, y.lower)};
}

/* Adds how far the values of a row are from its own mean. */
static void add_values(struct replicate_values *all, const struct replicate_values *values)
{
	double mean = (mean_of(values->a, values->rows_a, values->n_a) +
			      mean_of(values->b, values->rows_b, values->n_b)) /
		      2;
	struct replicate_values apart = *values;

	for (size_t i = 0; i < apart.n_a; i++)
		apart.a[i] -= mean * apart.rows_a[i];
	for (size_t i = 0; i < apart.n_b; i++)
		apart.b[i] -= mean * apart.rows_b[i];
	replicate_values_add(all, &apart);
}

static struct mark less_certain_mark(struct mark mark, const struct replicate_values *values)
{
	struct rate_test test = test_values(values);
	double probability = mark.verdict == SHIFT_WORSE ? test.higher : test.lower;

	if (mark.verdict != SHIFT_WORSE && mark.verdict != SHIFT_BETTER)
		return mark;
	mark.probability = fmax(mark.probability, probability);
	if (mark.probability > MARK_ALPHA)
		mark.verdict = SHIFT_UNDECIDED;
	return mark;
}

/* Whether the pairs' own missed shares change by enough. @change: of their roots. */
static bool has_missed_change_in_pairs(const struct replicate_values *values, double change)
{
	double roots[REPLICATES_MAX];

	for (size_t i = 0; i < values->n_pairs; i++)
		roots[i] = values->a[values->pairs_a[i]] / values->rows_a[values->pairs_a[i]];
	double from = signed_rank_interval(roots, values->n_pairs, MARK_ALPHA).estimate,
	       to = fmax(from + change, 0);

	return mark_has_missed_change(from * from, to * to);
}

/* Where there are pairs, they alone judge missed slots and laps, as the blocks are those of one phase.
 * Otherwise replicates can only make the mark of the blocks less certain. The change must be large enough in
 * all samples, which the words quote, and in the pairs: one that was disturbed may make nearly all of it. */
struct mark replicate_values_mark(
	enum mark_id id, struct mark mark, const struct replicate_values *values, double a, double b)
{
	double differences[REPLICATES_MAX];
	bool is_missed = id == MARK_MISSED, is_counted = is_missed || id == MARK_LAPS;
	size_t n_pairs = find_differences(values, differences);

	if (!is_counted || mark.verdict == SHIFT_TOO_FEW || mark.verdict == SHIFT_SAME || !n_pairs)
		return less_certain_mark(mark, values);
	double change = signed_rank_interval(differences, n_pairs, MARK_ALPHA).estimate;
	bool has_changed =
		is_missed ? mark_has_missed_change(a, b) && has_missed_change_in_pairs(values, change)
			  : mark_has_laps_change(a, b) && mark_has_laps_change(1, exp(change));
	bool is_worse = is_missed ? b > a : a > b;

	return mark_of_test(test_values(values), has_changed && is_worse && change > 0,
		has_changed && !is_worse && change < 0);
}

/* Does the mark have a value in just these replicates? */
static bool is_there_in(const struct replicate_values *values, const struct replicate_values *these)
{
	bool is = values->n_a == these->n_a && values->n_b == these->n_b;

	for (size_t i = 0; is && i < these->n_a; i++)
		is = !values->rows_a[i] == !these->rows_a[i];
	for (size_t i = 0; is && i < these->n_b; i++)
		is = !values->rows_b[i] == !these->rows_b[i];
	return is;
}

static size_t put_means(double *at, const double *sums, const unsigned *rows, size_t n)
{
	size_t n_put = 0;

	for (size_t i = 0; i < n; i++)
		if (rows[i])
			at[n_put++] = sums[i] / rows[i];
	return n_put;
}

/* Holm (1979) for groups of marks: each mark is judged together with every choice of the other groups, of
 * which any mark may be the one that did not move. So a group gives its part of the error probability to the
 * others once all of its marks moved. Source: Marcus, Peritz and Gabriel, On closed testing procedures
 * (1976). */
static void correct_groups(const size_t groups[N_MARKS], double chances[N_MARKS])
{
	double most[N_MARKS], corrected[N_MARKS]; /* most: of the group's marks */

	for (size_t group = 0; group < N_MARKS; group++) {
		most[group] = NAN;
		for (size_t mark = 0; mark < N_MARKS; mark++)
			if (groups[mark] == group)
				most[group] = fmax(most[group], chances[mark]);
	}
	for (size_t mark = 0; mark < N_MARKS; mark++) {
		corrected[mark] = chances[mark];
		for (size_t group = 0; group < N_MARKS; group++) {
			size_t n_judged = 1; /* groups: its own, and those that are as likely by chance */

			if (group == groups[mark] || isnan(most[group]))
				continue;
			for (size_t other = 0; other < N_MARKS; other++)
				n_judged += other != groups[mark] && most[other] >= most[group];
			corrected[mark] =
				fmax(corrected[mark], (double)n_judged * fmin(chances[mark], most[group]));
		}
	}
	for (size_t mark = 0; mark < N_MARKS; mark++)
		if (!isnan(chances[mark]))
			chances[mark] = fmin(1, corrected[mark]);
}

void replicate_values_find_chances(
	const struct replicate_values all[N_MARKS], size_t n_rows, double chances[N_MARKS])
{
	const struct replicate_values *first = NULL;
	struct rotation_mark rotated[N_MARKS];
	enum mark_id marks[N_MARKS];
	size_t n = 0, n_a = 0, n_b = 0, n_pairs = 0, groups[N_MARKS];

	for (size_t mark = 0; mark < N_MARKS; mark++) {
		const struct replicate_values *values = &all[mark];
		bool is_p999 = mark < MARK_MISSED && mark_percentile((enum mark_id)mark) > SHIFT_P99;

		groups[mark] = mark;
		chances[mark] = NAN;
		if (!has_spread(values) || (n_rows > 1 && is_p999))
			continue;
		struct spread spread = spread_between(values);

		if (mark == MARK_MISSED && spread.deviation <= 0 && spread.difference == 0)
			continue; /* none was missed: it can't be wrong */
		struct rate_test test = test_values(values);

		chances[mark] = fmin(test.higher, test.lower);
		if (mark == MARK_MISSED || (first && !is_there_in(values, first)))
			continue;
		first = first ? first : values;
		marks[n] = (enum mark_id)mark;
		n_pairs = find_differences(values, rotated[n].values);
		if (n_pairs) {
			n++;
			continue;
		}
		n_a = put_means(rotated[n].values, values->a, values->rows_a, values->n_a);
		n_b = put_means(&rotated[n].values[n_a], values->b, values->rows_b, values->n_b);
		n++;
	}
	if (n && n_pairs)
		rotation_test_pairs(rotated, n, n_pairs);
	else if (n)
		rotation_test(rotated, n, n_a, n_b);
	for (size_t i = 0; i < n; i++) {
		groups[marks[i]] = marks[0];
		chances[marks[i]] = rotated[i].chance;
	}
	correct_groups(groups, chances);
}

static void collect_replicates(
	const struct replicates *like, size_t figure, struct hist hists[REPLICATES_MAX])
{
	for (size_t i = 0; i < like->n; i++)
		hists[i] = like->sums[i].hists[figure];
}

/* The mean over replicates of the share of samples beyond a latency. */
static double mean_share(const struct shift_phase *like, double latency)
{
	struct block_counts beyond = shift_phase_above(like, latency);
	double sum = 0;

	for (size_t i = 0; i < beyond.n_blocks; i++)
		sum += beyond.of[i] > 0 ? beyond.n[i] / beyond.of[i] : 0;
	return sum / (double)like->n_blocks;
}

/* Are all values of one side beyond all of the other? By chance six of each are in 2 of 924 cases. */
static bool are_apart(const struct replicate_values *values)
{
	double low_a = INFINITY, high_a = -INFINITY, low_b = INFINITY, high_b = -INFINITY;

	for (size_t i = 0; i < values->n_a; i++)
		if (values->rows_a[i]) {
			low_a = fmin(low_a, values->a[i]);
			high_a = fmax(high_a, values->a[i]);
		}
	for (size_t i = 0; i < values->n_b; i++)
		if (values->rows_b[i]) {
			low_b = fmin(low_b, values->b[i]);
			high_b = fmax(high_b, values->b[i]);
		}
	return count_values(values->rows_a, values->n_a) >= APART_MIN &&
	       count_values(values->rows_b, values->n_b) >= APART_MIN && (high_a < low_b || high_b < low_a);
}

int replicates_judge_figure(struct row_verdict *verdict, const struct judged_row *row, size_t figure,
	struct verdict_counts *counts)
{
	struct figure_shift *shift = &verdict->figures[figure], like = {0};
	struct hist a[REPLICATES_MAX], b[REPLICATES_MAX];
	struct replicate_values values;

	collect_replicates(&row->like_a, figure, a);
	collect_replicates(&row->like_b, figure, b);
	int r = shift_phase_init(&like.a, a, row->like_a.n) < 0 ||
				shift_phase_init(&like.b, b, row->like_b.n) < 0
			? -ENOMEM
			: 0;

	for (enum shift_percentile q = 0; q < N_SHIFT_PERCENTILES && r == 0; q++) {
		enum mark_id mark = (enum mark_id)(figure * N_SHIFT_PERCENTILES + q);
		struct shift_evidence *evidence = &shift->evidence[q];

		if (shift->a.n_blocks < 2 || shift->b.n_blocks < 2 || !find_values(&values, row, mark, 0))
			continue;
		struct spread spread = spread_between(&values);

		double half = student_quantile(MARK_ALPHA, spread.df) * spread.deviation;
		double differences[REPLICATES_MAX];
		size_t n_pairs = find_differences(&values, differences);

		evidence->test = test_values(&values);
		if (n_pairs) {
			figure_shift_replace(shift, q, signed_rank_interval(differences, n_pairs, MARK_ALPHA),
				spread.part, row->clock_step_ns);
		} else if (are_apart(&values)) {
			figure_shift_replace(shift, q,
				(struct shift){spread.difference, spread.difference - half,
					spread.difference + half},
				spread.part, row->clock_step_ns);
		} else {
			figure_shift_widen(shift, q, spread.difference, half, spread.part);
			evidence->test =
				less_certain(evidence->test, shift_test(shift, q, 0, row->clock_step_ns));
		}
		evidence->difference =
			(mean_share(&like.b, evidence->latency) - mean_share(&like.a, evidence->latency)) /
			spread.part;
		evidence->is_of_replicates = true;
		add_values(&counts->replicates[mark], &values);
	}
	figure_shift_finish(&like);
	return r;
}

void replicates_judge_counts(
	struct row_verdict *verdict, const struct judged_row *row, struct verdict_counts *counts)
{
	struct replicate_values values;

	for (size_t mark = MARK_MISSED; mark < N_MARKS; mark++)
		if (find_values(&values, row, (enum mark_id)mark, verdict->spikes.limit_ns)) {
			verdict->marks[mark] = replicate_values_mark((enum mark_id)mark, verdict->marks[mark],
				&values, mark == MARK_MISSED ? verdict->missed_a : verdict->laps_a,
				mark == MARK_MISSED ? verdict->missed_b : verdict->laps_b);
			add_values(&counts->replicates[mark], &values);
		}
}

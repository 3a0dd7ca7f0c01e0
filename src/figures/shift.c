/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shift.c - the shift of a percentile between two phases of a row. */
#include "src/figures/shift.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/figures/distributions.h"
#include "src/figures/longrun.h"

enum { SHIFT_BLOCKS_MANY = 32 };

static const double STEP_FIRST = 0.02, STEP_MAX = 6; /* of the search for an end of the interval */
static const double THRESHOLD = 0.05, THRESHOLD_NS = 200;

static const double tails[N_SHIFT_PERCENTILES] = {0.5, 0.01, 0.001};

double shift_tail(enum shift_percentile percentile)
{
	return tails[percentile];
}

const struct shift_verdict_words shift_verdict_words[N_SHIFT_VERDICTS] = {
	[SHIFT_TOO_FEW] = {"too few", "~", "too few blocks or samples: measure longer"},
	[SHIFT_SAME] = {"same", "=", "the whole interval is within 5 % or 0.2 us"},
	[SHIFT_UNDECIDED] = {"undecided", "?", "it may be either: measure longer"},
	[SHIFT_BETTER] = {"better", "b", "the whole interval is below no change"},
	[SHIFT_MIXED] = {"mixed", "m", "something became better, and something else worse"},
	[SHIFT_WORSE] = {"worse", "w", "the whole interval is above no change"},
	[SHIFT_MOVED] = {"moved", "x", "between replicates: the machine itself did it"},
};

/* Sets @first and @last to the buckets that have samples in any block. Returns false if none has. */
static bool used_buckets(const struct hist *blocks, size_t n_blocks, unsigned *first, unsigned *last)
{
	*first = HIST_BUCKETS;
	for (size_t i = 0; i < n_blocks; i++) {
		for (unsigned octave = 0; octave < HIST_OCTAVES; octave++) {
			if (!blocks[i].octave_n[octave])
				continue;
			for (unsigned k = 0; k < HIST_OCTAVE; k++) {
				unsigned bucket = octave * HIST_OCTAVE + k;

				if (!blocks[i].octave[octave][k])
					continue;
				if (*first == HIST_BUCKETS || bucket < *first)
					*first = bucket;
				if (*last < bucket)
					*last = bucket;
			}
		}
	}
	return *first < HIST_BUCKETS;
}

static double log_edge(unsigned bucket)
{
	/* A latency of 0 counts as half a nanosecond: a log needs a number. */
	return log(bucket ? (double)hist_lower(bucket) : 0.5);
}

static void count_block(struct shift_phase *phase, const struct hist *block, size_t at, unsigned first)
{
	float *beyond = phase->block_beyond + phase->n_blocks * phase->n_edges;
	double left = (double)block->n;

	for (size_t edge = 0; edge < phase->n_edges; edge++) {
		beyond[edge] = (float)left;
		phase->beyond[edge] += left;
		if (edge + 1 < phase->n_edges)
			left -= (double)hist_count(block, first + (unsigned)edge);
	}
	phase->block_at[phase->n_blocks] = at;
	phase->block_n[phase->n_blocks++] = (double)block->n;
	phase->n += (double)block->n;
}

int shift_phase_init(struct shift_phase *phase, const struct hist *blocks, size_t n_blocks)
{
	unsigned first, last = 0;

	*phase = (struct shift_phase){0};
	if (!used_buckets(blocks, n_blocks, &first, &last))
		return 0;
	phase->n_edges = last - first + 2;
	phase->edges = malloc(phase->n_edges * sizeof(double));
	phase->beyond = calloc(phase->n_edges, sizeof(double));
	phase->block_n = malloc(n_blocks * sizeof(double));
	phase->block_at = malloc(n_blocks * sizeof(size_t));
	phase->block_beyond = malloc(n_blocks * phase->n_edges * sizeof(float));
	if (!phase->edges || !phase->beyond || !phase->block_n || !phase->block_at || !phase->block_beyond)
		return -ENOMEM;
	for (unsigned i = 0; i < phase->n_edges; i++)
		phase->edges[i] = log_edge(first + i);
	for (size_t i = 0; i < n_blocks; i++) {
		if (blocks[i].n)
			count_block(phase, &blocks[i], i, first);
	}
	return 0;
}

/* Leaves n and n_blocks; nothing else may be used. */
static void shift_phase_drop_blocks(struct shift_phase *phase)
{
	free(phase->edges);
	free(phase->beyond);
	free(phase->block_n);
	free(phase->block_at);
	free(phase->block_beyond);
	*phase = (struct shift_phase){.n_blocks = phase->n_blocks, .n = phase->n};
}

void shift_phase_finish(struct shift_phase *phase)
{
	shift_phase_drop_blocks(phase);
	*phase = (struct shift_phase){0};
}

/* The position of a latency among the edges: edge @i, and the share @part of the way to the next one. */
struct position {
	size_t i;
	double part;
};

/* A latency must be above the first edge and not above the last one. */
static struct position position_of(const struct shift_phase *phase, double latency)
{
	size_t low = 0, high = phase->n_edges - 1;

	while (high - low > 1) {
		size_t middle = (low + high) / 2;

		if (phase->edges[middle] < latency)
			low = middle;
		else
			high = middle;
	}
	return (struct position){
		low, (latency - phase->edges[low]) / (phase->edges[low + 1] - phase->edges[low])};
}

static double between(double at, double next, struct position position)
{
	return at + (next - at) * position.part;
}

static double samples_beyond(const struct shift_phase *phase, double latency)
{
	if (latency <= phase->edges[0])
		return phase->n;
	if (latency >= phase->edges[phase->n_edges - 1])
		return 0;
	struct position position = position_of(phase, latency);

	return between(phase->beyond[position.i], phase->beyond[position.i + 1], position);
}

/* Counts the samples of each block beyond a latency. @beyond: room for n_blocks. */
static void shift_block_samples(const struct shift_phase *phase, double latency, double *beyond)
{
	bool all = latency <= phase->edges[0], none = latency >= phase->edges[phase->n_edges - 1];
	struct position position = all || none ? (struct position){0} : position_of(phase, latency);

	for (size_t i = 0; i < phase->n_blocks; i++) {
		const float *of_block = phase->block_beyond + i * phase->n_edges;

		if (all || none)
			beyond[i] = all ? phase->block_n[i] : 0;
		else
			beyond[i] = between(of_block[position.i], of_block[position.i + 1], position);
	}
}

/* Samples of @phase beyond one of its edges, and of @other, if there is one, beyond this edge plus @d. */
static double joint_beyond(
	const struct shift_phase *phase, const struct shift_phase *other, double d, size_t edge)
{
	return phase->beyond[edge] + (other ? samples_beyond(other, phase->edges[edge] + d) : 0);
}

/* The latency in @phase beyond which there are @wanted samples of both; within the edges of @phase. */
static double joint_quantile(
	const struct shift_phase *phase, const struct shift_phase *other, double d, double wanted)
{
	size_t low = 0, high = phase->n_edges - 1;

	if (joint_beyond(phase, other, d, high) >= wanted)
		return phase->edges[high];
	if (joint_beyond(phase, other, d, low) < wanted)
		return phase->edges[low];
	while (high - low > 1) {
		size_t middle = (low + high) / 2;

		if (joint_beyond(phase, other, d, middle) >= wanted)
			low = middle;
		else
			high = middle;
	}
	double from = joint_beyond(phase, other, d, low), to = joint_beyond(phase, other, d, high);

	return phase->edges[low] + (phase->edges[high] - phase->edges[low]) * (from - wanted) / (from - to);
}

/* The log of the latency that the share @tail of the samples exceeds. The phase must have samples. */
static double shift_phase_quantile(const struct shift_phase *phase, double tail)
{
	return joint_quantile(phase, NULL, 0, tail * phase->n);
}

/* Counts the samples of each block beyond a latency, less those to be expected from its size. */
static double residuals_beyond(const struct shift_phase *phase, double latency, double *residuals)
{
	double beyond = 0;

	shift_block_samples(phase, latency, residuals);
	for (size_t i = 0; i < phase->n_blocks; i++)
		beyond += residuals[i];
	for (size_t i = 0; i < phase->n_blocks; i++)
		residuals[i] -= beyond / phase->n * phase->block_n[i];
	return beyond / phase->n;
}

/* Blocks of one phase, seen as a sample. */
struct sample {
	double *residuals;
	const double *block_n; /* NULL: 1 each */
	size_t n_blocks;
	double n;
};

/* A few blocks that dominate the variance count as few: sums of the squared residuals, and of their squares.
 */
static void add_squares(const struct sample *sample, double *sum, double *sum_squares)
{
	for (size_t i = 0; i < sample->n_blocks; i++) {
		double u = sample->residuals[i] * sample->residuals[i] /
			   (sample->block_n ? sample->block_n[i] : 1);

		*sum += u;
		*sum_squares += u * u;
	}
}

/* How far the means of two samples are apart by chance. */
struct spread {
	double deviation, df;
};

/* Overwrites the residuals. @least: the variance of one item, at least. */
static struct spread spread_of(const struct sample *a, const struct sample *b, double least)
{
	double sum = 0, sum_squares = 0, n_blocks = (double)(a->n_blocks + b->n_blocks);

	add_squares(a, &sum, &sum_squares);
	add_squares(b, &sum, &sum_squares);
	struct longrun la = longrun_variance(a->residuals, a->n_blocks, a->n);
	struct longrun lb = longrun_variance(b->residuals, b->n_blocks, b->n);
	double inverse = 1 / a->n + 1 / b->n;
	double apart = la.variance / a->n + lb.variance / b->n;
	double together = (la.variance * a->n + lb.variance * b->n) / (a->n + b->n) * inverse;
	double kurtosis = n_blocks * sum_squares / fmax(sum * sum, 1e-300);
	double df = fmin(la.blocks + lb.blocks - 2, 2 * n_blocks / fmax(kurtosis - 1, 1e-9));

	return (struct spread){sqrt(fmax(fmax(apart, together), least * inverse)), fmax(df, 2)};
}

double shift_means_test(double *residuals_a, size_t n_a, double *residuals_b, size_t n_b, double difference)
{
	struct sample a = {residuals_a, NULL, n_a, (double)n_a}, b = {residuals_b, NULL, n_b, (double)n_b};
	struct spread spread = spread_of(&a, &b, 0);

	return spread.deviation > 0 ? student_tail(fabs(difference) / spread.deviation, spread.df)
				    : difference == 0;
}

/* How far the samples beyond a percentile are apart, and by how much they are so by chance. */
struct test {
	double difference, deviation, df;
};

/* The log latency beyond which the share @tail of the samples of both phases is, with B's moved back by @d.
 */
static double shift_joint_quantile(
	const struct shift_phase *a, const struct shift_phase *b, double tail, double d)
{
	double wanted = tail * (a->n + b->n);

	if (joint_beyond(a, b, d, 0) >= wanted && joint_beyond(a, b, d, a->n_edges - 1) <= wanted)
		return joint_quantile(a, b, d, wanted);
	return joint_quantile(b, a, -d, wanted) - d;
}

/* Tests whether "B's quantile is exp(d) times A's" is too high for @side 1, too low for -1. */
static struct test test_candidate(
	const struct shift_phase *a, const struct shift_phase *b, double tail, double d, int side)
{
	double residuals_a[SHIFT_BLOCKS_MAX], residuals_b[SHIFT_BLOCKS_MAX];
	double latency = shift_joint_quantile(a, b, tail, d);
	double share_a = residuals_beyond(a, latency, residuals_a);
	double share_b = residuals_beyond(b, latency + d, residuals_b);
	struct sample sample_a = {residuals_a, a->block_n, a->n_blocks, a->n};
	struct sample sample_b = {residuals_b, b->block_n, b->n_blocks, b->n};

	struct spread spread = spread_of(&sample_a, &sample_b, tail * (1 - tail));

	return (struct test){-side * (share_b - share_a), spread.deviation, spread.df};
}

static bool test_finds(const struct test *test, double alpha)
{
	return test->difference > student_quantile(alpha, test->df) * test->deviation;
}

static bool rejects(const struct shift_phase *a, const struct shift_phase *b, double tail, double d, int side,
	double alpha)
{
	struct test test = test_candidate(a, b, tail, d, side);

	return test_finds(&test, alpha);
}

/* The log width of the bucket that holds a percentile, or the clock's step. */
static double width_at(const struct shift_phase *phase, double tail, double clock_step_ns)
{
	double quantile = shift_phase_quantile(phase, tail);
	size_t i = quantile > phase->edges[0] ? position_of(phase, quantile).i : 0;

	return fmax(phase->edges[i + 1] - phase->edges[i], clock_step_ns / exp(quantile));
}

static double resolution(
	const struct shift_phase *a, const struct shift_phase *b, double tail, double clock_step_ns)
{
	return (width_at(a, tail, clock_step_ns) + width_at(b, tail, clock_step_ns)) / 2;
}

static size_t fewer_blocks(const struct shift_phase *a, const struct shift_phase *b)
{
	return a->n_blocks < b->n_blocks ? a->n_blocks : b->n_blocks;
}

/* In few blocks correlation can hide, which the small error probabilities of many rows do not forgive. */
static struct test shift_test_beyond(const struct shift_phase *a, const struct shift_phase *b, double tail,
	double from, int side, double clock_step_ns)
{
	struct test test =
		test_candidate(a, b, tail, from + side * resolution(a, b, tail, clock_step_ns), -side);
	size_t n = fewer_blocks(a, b);

	if (n < SHIFT_BLOCKS_MANY)
		test.df = fmin(test.df, fmax((double)n / 4, 2));
	return test;
}

/* How far from the estimate the end of the interval on this side is. */
static double interval_end(const struct shift_phase *a, const struct shift_phase *b, double tail,
	double estimate, int side, double alpha)
{
	double tenable = 0, rejected = STEP_FIRST;

	while (!rejects(a, b, tail, estimate + side * rejected, side, alpha)) {
		tenable = rejected;
		rejected *= 2;
		if (rejected >= STEP_MAX)
			return INFINITY;
	}
	while (rejected - tenable > fmax(0.002, 0.01 * rejected)) {
		double middle = (tenable + rejected) / 2;

		if (rejects(a, b, tail, estimate + side * middle, side, alpha))
			rejected = middle;
		else
			tenable = middle;
	}
	return rejected;
}

static struct shift interval(const struct shift_phase *a, const struct shift_phase *b, double tail,
	double alpha, double clock_step_ns)
{
	double estimate = shift_phase_quantile(b, tail) - shift_phase_quantile(a, tail);
	double blur = resolution(a, b, tail, clock_step_ns);

	return (struct shift){estimate, estimate - interval_end(a, b, tail, estimate, -1, alpha) - blur,
		estimate + interval_end(a, b, tail, estimate, 1, alpha) + blur};
}

void shift_intervals(const struct shift_phase *a, const struct shift_phase *b, double clock_step_ns,
	struct shift shifts[N_SHIFT_PERCENTILES])
{
	double alpha = longrun_alpha(fewer_blocks(a, b));

	for (size_t i = 0; i < N_SHIFT_PERCENTILES; i++)
		shifts[i] = interval(a, b, tails[i], alpha, clock_step_ns);

	/* Slow drift shows at p50, and hides in the noise of the upper percentiles. */
	const struct shift *p50 = &shifts[SHIFT_P50];
	double floor = fmin(fmax(p50->estimate - p50->low, p50->high - p50->estimate), log1p(THRESHOLD));

	for (size_t i = SHIFT_P99; i < N_SHIFT_PERCENTILES; i++) {
		shifts[i].low = fmin(shifts[i].low, shifts[i].estimate - floor);
		shifts[i].high = fmax(shifts[i].high, shifts[i].estimate + floor);
	}
}

/* Returns the least shift that gets a verdict: 5 % of A's percentile, but at least 200 ns. */
static double shift_threshold(const struct shift_phase *a, double tail)
{
	return fmax(log1p(THRESHOLD), log1p(THRESHOLD_NS / exp(shift_phase_quantile(a, tail))));
}

static enum shift_verdict shift_judge(const struct shift_phase *a, const struct shift_phase *b,
	enum shift_percentile percentile, const struct shift *shift)
{
	double tail = tails[percentile], threshold = shift_threshold(a, tail);

	if (a->n_blocks < SHIFT_BLOCKS_MIN || b->n_blocks < SHIFT_BLOCKS_MIN ||
		tail * fmin(a->n, b->n) < SHIFT_BEYOND_MIN)
		return SHIFT_TOO_FEW;
	if (shift->low >= -threshold && shift->high <= threshold)
		return SHIFT_SAME;
	if (shift->low > 0)
		return SHIFT_WORSE;
	return shift->high < 0 ? SHIFT_BETTER : SHIFT_UNDECIDED;
}

double shift_joint_limit(
	const struct shift_phase *a, const struct shift_phase *b, double wanted, double *n_above)
{
	size_t in_a = a->n_edges, in_b = b->n_edges;
	double limit = 0;

	*n_above = 0;
	while (in_a || in_b) {
		double edge_a = in_a ? a->edges[in_a - 1] : -INFINITY,
		       edge_b = in_b ? b->edges[in_b - 1] : -INFINITY, edge = fmax(edge_a, edge_b);
		double above = round(samples_beyond(a, edge) + samples_beyond(b, edge));

		if (*n_above >= wanted && above > *n_above)
			break;
		*n_above = above;
		limit = edge;
		in_a -= edge_a >= edge;
		in_b -= edge_b >= edge;
	}
	return limit;
}

struct block_counts shift_phase_above(const struct shift_phase *phase, double limit)
{
	double above[RATE_BLOCKS_MAX];
	struct block_counts counts = {0};

	if (!phase->n_blocks)
		return counts;
	shift_block_samples(phase, limit, above);
	for (size_t i = 0; i < phase->n_blocks; i++)
		block_counts_add(&counts, phase->block_at[i], above[i], phase->block_n[i]);
	return counts;
}

/* --- a figure --- */

static void find_shares(const struct shift_phase *phase, double latency, float shares[SHIFT_BLOCKS_MAX])
{
	double beyond[SHIFT_BLOCKS_MAX];

	for (size_t i = 0; i < SHIFT_BLOCKS_MAX; i++)
		shares[i] = -1;
	shift_block_samples(phase, latency, beyond);
	for (size_t i = 0; i < phase->n_blocks; i++)
		shares[phase->block_at[i]] = (float)(beyond[i] / phase->block_n[i]);
}

/* Tests whether the shift is above @from (side 1), or below it (-1). */
static double shift_probability(const struct figure_shift *figure, enum shift_percentile percentile,
	double from, int side, double clock_step_ns)
{
	double part = figure->blocks[percentile].part;
	/* The shift of the blocks that is as far from their own one, in their error. */
	double own = part > 0 ? figure->blocks[percentile].estimate -
					(figure->shifts[percentile].estimate - from) / part
			      : from;
	struct test test =
		shift_test_beyond(&figure->a, &figure->b, tails[percentile], own, side, clock_step_ns);

	return student_tail(test.difference / test.deviation, test.df);
}

struct rate_test shift_test(const struct figure_shift *figure, enum shift_percentile percentile, double from,
	double clock_step_ns)
{
	return (struct rate_test){shift_probability(figure, percentile, from, 1, clock_step_ns),
		shift_probability(figure, percentile, from, -1, clock_step_ns)};
}

static void find_evidence(struct figure_shift *figure, enum shift_percentile percentile, double clock_step_ns)
{
	struct shift_evidence *evidence = &figure->evidence[percentile];
	double latency = shift_joint_quantile(&figure->a, &figure->b, tails[percentile], 0);

	evidence->latency = latency;
	evidence->test = shift_test(figure, percentile, 0, clock_step_ns);
	find_shares(&figure->a, latency, evidence->shares_a);
	find_shares(&figure->b, latency, evidence->shares_b);
}

int figure_shift_init(struct figure_shift *figure, const struct hist *a, size_t n_a, const struct hist *b,
	size_t n_b, double clock_step_ns)
{
	*figure = (struct figure_shift){0};
	if (shift_phase_init(&figure->a, a, n_a) < 0 || shift_phase_init(&figure->b, b, n_b) < 0)
		return -ENOMEM;
	if (figure->a.n_blocks < 2 || figure->b.n_blocks < 2)
		return 0;
	shift_intervals(&figure->a, &figure->b, clock_step_ns, figure->shifts);
	for (enum shift_percentile q = 0; q < N_SHIFT_PERCENTILES; q++) {
		figure->verdicts[q] = shift_judge(&figure->a, &figure->b, q, &figure->shifts[q]);
		find_evidence(figure, q, clock_step_ns);
	}
	return 0;
}

/* Puts @shift in the place of that of the phases with the blocks, and judges again. */
static void take_shift(
	struct figure_shift *figure, enum shift_percentile percentile, struct shift shift, double part)
{
	figure->blocks[percentile].estimate = figure->shifts[percentile].estimate;
	figure->blocks[percentile].part = part;
	figure->shifts[percentile] = shift;
	if (figure->verdicts[percentile] != SHIFT_TOO_FEW)
		figure->verdicts[percentile] = shift_judge(&figure->a, &figure->b, percentile, &shift);
}

void figure_shift_widen(struct figure_shift *figure, enum shift_percentile percentile, double estimate,
	double half, double part)
{
	const struct shift *own = &figure->shifts[percentile];

	take_shift(figure, percentile,
		(struct shift){estimate, estimate - fmax(half, part * (own->estimate - own->low)),
			estimate + fmax(half, part * (own->high - own->estimate))},
		part);
}

void figure_shift_replace(struct figure_shift *figure, enum shift_percentile percentile, struct shift shift,
	double part, double clock_step_ns)
{
	double step = resolution(&figure->a, &figure->b, tails[percentile], clock_step_ns);

	take_shift(figure, percentile, (struct shift){shift.estimate, shift.low - step, shift.high + step},
		part);
}

void figure_shift_drop_blocks(struct figure_shift *figure)
{
	shift_phase_drop_blocks(&figure->a);
	shift_phase_drop_blocks(&figure->b);
}

void figure_shift_finish(struct figure_shift *figure)
{
	shift_phase_finish(&figure->a);
	shift_phase_finish(&figure->b);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shift.c - the shift of a percentile between two phases of a row. */
#include "src/figures/shift.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/figures/distributions.h"

enum { LONGRUN_BLOCKS_MIN = 6, SHIFT_BLOCKS_MANY = 32 };

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
	[SHIFT_WORSE] = {"worse", "w", "the whole interval is above no change"},
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
	double *beyond = phase->block_beyond + phase->n_blocks * phase->n_edges;
	double left = (double)block->n;

	for (size_t edge = 0; edge < phase->n_edges; edge++) {
		beyond[edge] = left;
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
	phase->block_beyond = malloc(n_blocks * phase->n_edges * sizeof(double));
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

/* Where a latency is between two edges: edge @i, and the share @part of the way to the next one. */
struct place {
	size_t i;
	double part;
};

/* A latency must be above the first edge and not above the last one. */
static struct place place_of(const struct shift_phase *phase, double latency)
{
	size_t low = 0, high = phase->n_edges - 1;

	while (high - low > 1) {
		size_t middle = (low + high) / 2;

		if (phase->edges[middle] < latency)
			low = middle;
		else
			high = middle;
	}
	return (struct place){
		low, (latency - phase->edges[low]) / (phase->edges[low + 1] - phase->edges[low])};
}

static double at_place(const double *beyond, struct place place)
{
	return beyond[place.i] + (beyond[place.i + 1] - beyond[place.i]) * place.part;
}

static double samples_beyond(const struct shift_phase *phase, double latency)
{
	if (latency <= phase->edges[0])
		return phase->n;
	if (latency >= phase->edges[phase->n_edges - 1])
		return 0;
	return at_place(phase->beyond, place_of(phase, latency));
}

/* Counts the samples of each block beyond a latency. @beyond: room for n_blocks. */
static void shift_block_samples(const struct shift_phase *phase, double latency, double *beyond)
{
	bool all = latency <= phase->edges[0], none = latency >= phase->edges[phase->n_edges - 1];
	struct place place = all || none ? (struct place){0} : place_of(phase, latency);

	for (size_t i = 0; i < phase->n_blocks; i++) {
		if (all || none)
			beyond[i] = all ? phase->block_n[i] : 0;
		else
			beyond[i] = at_place(phase->block_beyond + i * phase->n_edges, place);
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

/* Kendall's correction (1954) of the correlation of neighbours, and a bound. */
static double neighbours_correlation(const double *residuals, size_t n, double squares)
{
	double products = 0;

	for (size_t i = 0; i + 1 < n; i++)
		products += residuals[i] * residuals[i + 1];
	double rho = squares > 0 ? products / squares : 0;

	rho += (1 + 3 * fmax(rho, 0)) / (double)n;
	return fmin(fmax(rho, 0), 0.95);
}

/* Each two neighbours become their sum; an odd last one stays. Returns how many there are then. */
static size_t halve(double *residuals, size_t n)
{
	for (size_t i = 0; i < n; i += 2)
		residuals[i / 2] = residuals[i] + (i + 1 < n ? residuals[i + 1] : 0);
	return (n + 1) / 2;
}

struct longrun longrun_variance(double *residuals, size_t n_blocks, double n)
{
	struct longrun worst = {0};
	double worst_bound = -1;

	for (size_t m = n_blocks;; m = halve(residuals, m)) {
		double squares = 0;

		for (size_t i = 0; i < m; i++)
			squares += residuals[i] * residuals[i];
		double rho = neighbours_correlation(residuals, m, squares);
		double factor = (1 + rho) / (1 - rho);
		struct longrun found = {
			squares / n * (double)m / (double)(m - 1) * factor, (double)m / factor};
		double t = student_quantile(0.05, fmax(found.blocks - 1, 2));

		if (found.variance * t * t > worst_bound) {
			worst = found;
			worst_bound = found.variance * t * t;
		}
		if (m < 2 * LONGRUN_BLOCKS_MIN)
			return worst;
	}
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

/* How far apart the means of two lists of blocks may be, by chance, at the error probability @alpha: each
 * block counts alike. @residuals: how far each block is from its mean; overwritten. */
static double shift_critical(double *residuals_a, size_t n_a, double *residuals_b, size_t n_b, double alpha)
{
	struct sample a = {residuals_a, NULL, n_a, (double)n_a}, b = {residuals_b, NULL, n_b, (double)n_b};

	struct spread spread = spread_of(&a, &b, 0);

	return student_quantile(alpha, spread.df) * spread.deviation;
}

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
static struct shift_test test_candidate(
	const struct shift_phase *a, const struct shift_phase *b, double tail, double d, int side)
{
	double residuals_a[SHIFT_BLOCKS_MAX], residuals_b[SHIFT_BLOCKS_MAX];
	double latency = shift_joint_quantile(a, b, tail, d);
	double share_a = residuals_beyond(a, latency, residuals_a);
	double share_b = residuals_beyond(b, latency + d, residuals_b);
	struct sample sample_a = {residuals_a, a->block_n, a->n_blocks, a->n};
	struct sample sample_b = {residuals_b, b->block_n, b->n_blocks, b->n};

	struct spread spread = spread_of(&sample_a, &sample_b, tail * (1 - tail));

	return (struct shift_test){-side * (share_b - share_a), spread.deviation, spread.df};
}

static bool shift_test_finds(const struct shift_test *test, double alpha)
{
	return test->difference > student_quantile(alpha, test->df) * test->deviation;
}

static bool rejects(const struct shift_phase *a, const struct shift_phase *b, double tail, double d, int side,
	double alpha)
{
	struct shift_test test = test_candidate(a, b, tail, d, side);

	return shift_test_finds(&test, alpha);
}

/* The log width of the bucket that holds a percentile, or the clock's step. */
static double width_at(const struct shift_phase *phase, double tail, double clock_step_ns)
{
	double quantile = shift_phase_quantile(phase, tail);
	size_t i = quantile > phase->edges[0] ? place_of(phase, quantile).i : 0;

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
static struct shift_test shift_test_beyond(const struct shift_phase *a, const struct shift_phase *b,
	double tail, double from, int side, double clock_step_ns)
{
	struct shift_test test =
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

/* Correlation can't be measured in few blocks, so their intervals are wider. */
static double alpha_of(const struct shift_phase *a, const struct shift_phase *b)
{
	size_t n = fewer_blocks(a, b);

	return n >= SHIFT_BLOCKS_MANY ? 0.05 : n >= 16 ? 0.02 : 0.01;
}

void shift_intervals(const struct shift_phase *a, const struct shift_phase *b, double clock_step_ns,
	struct shift shifts[N_SHIFT_PERCENTILES])
{
	double alpha = alpha_of(a, b);

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
		tail * fmin(a->n, b->n) < SHIFT_BEYOND_MIN || (isinf(shift->low) && isinf(shift->high)))
		return SHIFT_TOO_FEW;
	if (shift->low >= -threshold && shift->high <= threshold)
		return SHIFT_SAME;
	if (shift->low > 0)
		return SHIFT_WORSE;
	return shift->high < 0 ? SHIFT_BETTER : SHIFT_UNDECIDED;
}

static double square(double x)
{
	return x * x;
}

double shift_longer(const struct shift *shift, double threshold)
{
	double estimate = shift->estimate, below = estimate - shift->low, above = shift->high - estimate;
	double excludes_none = square((estimate > 0 ? below : above) / fabs(estimate));
	double is_within =
		fmax(square(above / (threshold - estimate)), square(below / (threshold + estimate)));

	return fabs(estimate) < threshold ? fmin(excludes_none, is_within) : excludes_none;
}

/* --- samples above a limit, and the maximum --- */

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

/* --- many rows at once --- */

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

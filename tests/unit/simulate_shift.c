/* SPDX-License-Identifier: GPL-2.0-or-later */
/* simulate_shift.c - how often shifts and verdicts are right, on phases of which the truth is known:
 *
 * simulate_shift RUNS SEED [FAMILIES ROWS [REPLICATED ROWS [CHANGED [TRIALS]]]]    so many pairs of phases of
 * each shape and length, comparisons of so many rows, at most 64, of replicates with so many rows, and trials
 * of one row on a machine that drifts, as TAP; RUNS is even
 *
 * Of two phases of one distribution, the interval must cover 0 at p50 and p99 in 93 % of the runs at least,
 * and at most 5 % may get the verdict "better" or "worse". In at most 5 % of the families a row may be
 * counted as better or worse. Of phases that differ by the threshold at p50, or by 20 % at p99, at most 5 %
 * may be called the same. Of replicates of one machine that moves from phase to phase, each mark may be
 * better or worse in 5 %, as may the headline; where the machine does not move, a large change must be found
 * in 90 %. Of trials, whose order turns every second pair around, the headline may be better or worse in 5 %
 * however fast the machine drifts; how it would be without that order is printed.
 *
 * Each of these has an allowance for chance, over all lengths of a shape and over all shapes: with another
 * seed one of them fails less than once in 100,000 times. Few runs show only gross errors. Diagnostics say
 * how often phases of one distribution are called the same, and a true change is found: in CHANGED
 * replicates. The same seed always gives the same figures. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/figures/distributions.h"
#include "src/figures/verdict_summary.h"
#include "src/model/trial.h"
#include "tests/unit/tap.h"

enum { TICK_SAMPLES = 600, FAMILY_TICK_SAMPLES = 300, FAMILY_ROWS_MAX = 64 };

/* What goes on from one tick, or phase, to the next. */
struct sim_machine {
	uint64_t random;
	uint64_t machine_random; /* of all rows of a family, if it is not 0 */
	unsigned tick_samples;
	bool burst;
	double wander; /* of the machine's speed, as a log */
	double time;   /* ticks */
};

static double uniform(struct sim_machine *state)
{
	state->random ^= state->random << 13;
	state->random ^= state->random >> 7;
	state->random ^= state->random << 17;
	return ((double)(state->random >> 11) + 0.5) / 9007199254740992.0;
}

enum { QUANTILES = 4096 };
static double quantiles[QUANTILES]; /* of the standard normal distribution; [0] is unused */

static void fill_quantiles(void)
{
	for (unsigned i = 1; i < QUANTILES; i++)
		quantiles[i] = normal_quantile((double)i / QUANTILES);
}

/* Interpolates the table, as most of all time goes by here; beyond it is one sample in 2,048. */
static double normal(struct sim_machine *state)
{
	double p = uniform(state), at = p * QUANTILES;
	unsigned i = (unsigned)at;

	if (i == 0 || i == QUANTILES - 1)
		return normal_quantile(p);
	return quantiles[i] + (at - i) * (quantiles[i + 1] - quantiles[i]);
}

/* One step of a first-order autoregression with this standard deviation. */
static void advance_wander(struct sim_machine *state, double phi, double deviation)
{
	state->wander = phi * state->wander + deviation * sqrt(1 - phi * phi) * normal(state);
}

static double lognormal_ns(struct sim_machine *state)
{
	return 50e3 * exp(0.4 * normal(state));
}

static double pareto_ns(struct sim_machine *state)
{
	return 40e3 * pow(uniform(state), -1 / 3.);
}

/* 3 % of the samples are of a heavy tail. */
static double heavy_ns(struct sim_machine *state)
{
	double ns = 20e3 * exp(0.15 * normal(state));

	return uniform(state) < 0.03 ? 2 * ns * pow(uniform(state), -1 / 1.2) : ns;
}

static void start_bursty(struct sim_machine *state)
{
	state->burst = uniform(state) < 0.03;
}

static void start_cluster(struct sim_machine *state)
{
	state->burst = uniform(state) < (state->burst ? 2 / 3. : 0.0103);
}

static double burst_ns(struct sim_machine *state)
{
	return 30e3 + 4e3 * exp(0.9 * normal(state)) * (state->burst ? 10 : 1);
}

static void start_ar(struct sim_machine *state)
{
	advance_wander(state, 0.8, 0.3);
}

static double ar_ns(struct sim_machine *state)
{
	return 30e3 + 8e3 * exp(0.8 * normal(state) + state->wander);
}

/* Every tenth tick has 15 % of slow samples. */
static void start_periodic(struct sim_machine *state)
{
	state->burst = (uint64_t)state->time % 10 == 0;
}

static double periodic_ns(struct sim_machine *state)
{
	double ns = 50e3 * exp(0.3 * normal(state));

	return state->burst && uniform(state) < 0.15 ? 4 * ns : ns;
}

/* By a clock that advances in steps of 30 ns. */
static double quantised_ns(struct sim_machine *state)
{
	double slow = uniform(state) < 0.02 ? 0.7 : 0;

	return 1.8e3 * exp(0.15 * normal(state) + slow);
}

static void start_bimodal(struct sim_machine *state)
{
	advance_wander(state, 0.5, 1);
}

static double bimodal_ns(struct sim_machine *state)
{
	bool slow = uniform(state) < fmin(fmax(0.42 + 0.05 * state->wander, 0.02), 0.98);

	return slow ? 60e3 * exp(0.1 * normal(state)) : 4e3 * exp(0.2 * normal(state));
}

static void start_drift(struct sim_machine *state)
{
	advance_wander(state, exp(-1 / 120.), 0.025);
}

static void start_ramp(struct sim_machine *state)
{
	state->wander = 0.025 * sin(2 * M_PI * state->time / 300);
}

static double speed_ns(struct sim_machine *state)
{
	return 50e3 * exp(0.3 * normal(state) + state->wander);
}

static const struct shape {
	const char *name;
	void (*start_tick)(struct sim_machine *state);
	double (*sample_ns)(struct sim_machine *state);
	double wander; /* standard deviation at the start */
	double clock_step_ns;
	double threshold; /* of p50, as a ratio; 0: 5 % */
	bool persists;    /* from A to B */
} shapes[] = {
	{.name = "lognormal", .sample_ns = lognormal_ns},
	{.name = "pareto", .sample_ns = pareto_ns},
	{.name = "heavy", .sample_ns = heavy_ns},
	{.name = "bursty", .start_tick = start_bursty, .sample_ns = burst_ns},
	{.name = "cluster", .start_tick = start_cluster, .sample_ns = burst_ns},
	{.name = "ar", .start_tick = start_ar, .sample_ns = ar_ns, .wander = 0.3},
	{.name = "periodic", .start_tick = start_periodic, .sample_ns = periodic_ns},
	{.name = "quantised", .sample_ns = quantised_ns, .clock_step_ns = 30, .threshold = 1 + 200 / 1.8e3},
	{.name = "bimodal", .start_tick = start_bimodal, .sample_ns = bimodal_ns, .wander = 1},
	{.name = "drift",
		.start_tick = start_drift,
		.sample_ns = speed_ns,
		.wander = 0.025,
		.persists = true},
	{.name = "ramp", .start_tick = start_ramp, .sample_ns = speed_ns, .persists = true},
};

static const struct {
	size_t a, b; /* ticks */
} lengths[] = {{60, 60}, {20, 20}, {41, 300}};

/* In a family of rows, the events of the machine have random numbers of their own: they are the same for all
 * rows. */
static void swap_random(struct sim_machine *state)
{
	uint64_t random = state->random;

	if (!state->machine_random)
		return;
	state->random = state->machine_random;
	state->machine_random = random;
}

/* A phase is a new start of the machine, unless the shape persists. */
static void restart(struct sim_machine *state, const struct shape *shape)
{
	swap_random(state);
	state->burst = uniform(state) < 0.03;
	state->wander = shape->wander * normal(state);
	state->time = floor(uniform(state) * 300);
	swap_random(state);
}

static void count_sample(struct hist *hist, uint64_t ns)
{
	unsigned bucket = hist_bucket(ns), octave = bucket / HIST_OCTAVE;
	uint64_t *counts = hist_counts(hist, octave);

	if (!counts)
		abort();
	counts[bucket % HIST_OCTAVE]++;
	hist_counted(hist, octave, 1);
}

/* Samples of each of @n_ticks ticks, as histograms of blocks; latencies are multiplied by @factor. Returns
 * the number of blocks. */
static size_t make_blocks(struct hist blocks[SHIFT_BLOCKS_MAX], struct sim_machine *state,
	const struct shape *shape, size_t n_ticks, double factor)
{
	size_t block_ticks = 1;

	while ((n_ticks + block_ticks - 1) / block_ticks > SHIFT_BLOCKS_MAX)
		block_ticks *= 2;
	for (size_t i = 0; i < SHIFT_BLOCKS_MAX; i++)
		hist_reset(&blocks[i]);
	for (size_t tick = 0; tick < n_ticks; tick++, state->time++) {
		unsigned n = (unsigned)(state->tick_samples * (0.85 + 0.3 * uniform(state)));

		if (shape->start_tick) {
			swap_random(state);
			shape->start_tick(state);
			swap_random(state);
		}
		for (unsigned i = 0; i < n; i++) {
			double ns = fmin(factor * shape->sample_ns(state), 1e10);

			if (shape->clock_step_ns)
				ns = round(ns / shape->clock_step_ns) * shape->clock_step_ns;
			count_sample(&blocks[tick / block_ticks], (uint64_t)ns);
		}
	}
	return (n_ticks + block_ticks - 1) / block_ticks;
}

/* A flood's figure is the shown one, and that of its spikes; copies share the counts. */
static void show(struct judged_block *judged, const struct hist *blocks, size_t n)
{
	for (size_t i = 0; i < n; i++)
		judged[i] = (struct judged_block){{[JUDGED_SHOWN] = blocks[i], [JUDGED_SERVED] = blocks[i]},
			.active_ns = 1000000 * blocks[i].n};
}

/* B is @factor times as slow as A. */
static void compare_once(struct sim_machine *state, const struct shape *shape, size_t length, double factor,
	struct row_verdict *row, struct verdict_counts *counts)
{
	static struct hist a[SHIFT_BLOCKS_MAX], b[SHIFT_BLOCKS_MAX];
	static struct judged_block judged_a[SHIFT_BLOCKS_MAX], judged_b[SHIFT_BLOCKS_MAX];

	restart(state, shape);
	size_t n_a = make_blocks(a, state, shape, lengths[length].a, 1);

	if (!shape->persists)
		restart(state, shape);
	size_t n_b = make_blocks(b, state, shape, lengths[length].b, factor);

	show(judged_a, a, n_a);
	show(judged_b, b, n_b);
	CHECK(row_verdict_init(row,
		      &(struct judged_row){judged_a, judged_b, n_a, n_b, true, shape->clock_step_ns},
		      counts) == 0);
}

/* Of all runs, and the last two of half of the runs each. */
enum outcome { UNCOVERED, ALARMS, SAME, FALSE_SAME, FOUND, N_OUTCOMES };

/* How often, of how many. */
struct outcomes {
	unsigned runs, n[N_OUTCOMES][SHIFT_P999];
};

static void simulate(
	const struct shape *shape, size_t length, unsigned runs, uint64_t seed, struct outcomes *outcomes)
{
	const double changes[] = {
		[SHIFT_P50] = shape->threshold > 0 ? shape->threshold : 1.05, [SHIFT_P99] = 1.2};
	struct sim_machine state = {.random = seed, .tick_samples = TICK_SAMPLES};
	struct row_verdict row;
	struct verdict_counts counts = {0};

	outcomes->runs = runs;
	for (unsigned run = 0; run < runs; run++) {
		compare_once(&state, shape, length, 1, &row, &counts);
		for (size_t q = 0; q < SHIFT_P999; q++) {
			outcomes->n[UNCOVERED][q] += row.figures[JUDGED_SHOWN].shifts[q].low > 0 ||
						     row.figures[JUDGED_SHOWN].shifts[q].high < 0;
			outcomes->n[ALARMS][q] +=
				row.marks[q].verdict == SHIFT_WORSE || row.marks[q].verdict == SHIFT_BETTER;
			outcomes->n[SAME][q] += row.marks[q].verdict == SHIFT_SAME;
		}
		row_verdict_finish(&row);
		size_t q = run % SHIFT_P999;

		compare_once(&state, shape, length, changes[q], &row, &counts);
		outcomes->n[FOUND][q] += row.marks[q].verdict == SHIFT_WORSE;
		outcomes->n[FALSE_SAME][q] += row.marks[q].verdict == SHIFT_SAME;
		row_verdict_finish(&row);
	}
}

static void add_outcomes(struct outcomes *sum, const struct outcomes *outcomes)
{
	sum->runs += outcomes->runs;
	for (size_t o = 0; o < N_OUTCOMES; o++)
		for (size_t q = 0; q < SHIFT_P999; q++)
			sum->n[o][q] += outcomes->n[o][q];
}

/* The largest count of @n that a probability of @p exceeds less often than once in 100,000 times. */
static unsigned most_by_chance(unsigned n, double p)
{
	unsigned k = 0;

	while (k < n && beta_distribution(p, k + 1, n - k) > 1e-5)
		k++;
	return k;
}

static void check_outcomes(const char *name, const struct outcomes *outcomes)
{
	unsigned runs = outcomes->runs;

	for (size_t q = 0; q < SHIFT_P999; q++) {
		CHECK(outcomes->n[UNCOVERED][q] <= most_by_chance(runs, 0.07), "%s: %u of %u do not cover",
			name, outcomes->n[UNCOVERED][q], runs);
		CHECK(outcomes->n[ALARMS][q] <= most_by_chance(runs, 0.05), "%s: %u of %u false", name,
			outcomes->n[ALARMS][q], runs);
		CHECK(outcomes->n[FALSE_SAME][q] <= most_by_chance(runs / 2, 0.05),
			"%s: %u of %u not the same", name, outcomes->n[FALSE_SAME][q], runs / 2);
	}
}

static void print_outcomes(const char *name, size_t a, size_t b, const struct outcomes *outcomes)
{
	double percent = 100. / outcomes->runs;
	const unsigned(*n)[SHIFT_P999] = outcomes->n;

	printf("# %-9s %3zu:%-3zu covered %5.1f %5.1f  false %4.1f %4.1f  same %5.1f %5.1f  found p50 %5.1f, +20%% %5.1f  false same %4.1f %4.1f\n",
		name, a, b, 100 - percent * n[UNCOVERED][0], 100 - percent * n[UNCOVERED][1],
		percent * n[ALARMS][0], percent * n[ALARMS][1], percent * n[SAME][0], percent * n[SAME][1],
		2 * percent * n[FOUND][0], 2 * percent * n[FOUND][1], 2 * percent * n[FALSE_SAME][0],
		2 * percent * n[FALSE_SAME][1]);
}

static unsigned runs;
static uint64_t seed;

static void intervals_cover_the_truth_and_verdicts_are_right(void)
{
	struct outcomes all = {0};

	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
		struct outcomes of_shape = {0};

		for (size_t length = 0; length < sizeof(lengths) / sizeof(*lengths); length++) {
			struct outcomes outcomes = {0};

			simulate(&shapes[i], length, runs, seed * 1000003 + i * 101 + length + 1, &outcomes);
			print_outcomes(shapes[i].name, lengths[length].a, lengths[length].b, &outcomes);
			add_outcomes(&of_shape, &outcomes);
		}
		check_outcomes(shapes[i].name, &of_shape);
		add_outcomes(&all, &of_shape);
	}
	print_outcomes("all", 0, 0, &all);
	check_outcomes("all", &all);
}

static unsigned families, family_rows;

/* Rows of a family share what persists: a drift of the machine. Returns whether one of them counts as moved.
 */
static bool family_has_moved(
	struct sim_machine *state, const struct shape *shape, size_t length, struct verdict_summary *summary)
{
	static struct row_verdict rows[FAMILY_ROWS_MAX];
	struct row_verdict *pointers[FAMILY_ROWS_MAX];
	struct verdict_counts counts = {0};
	uint64_t machine_random = shape->persists ? state->random ^ 0x9e3779b97f4a7c15 : 0;

	for (size_t i = 0; i < family_rows; i++) {
		state->machine_random = machine_random;
		compare_once(state, shape, length, 1, &rows[i], &counts);
		pointers[i] = &rows[i];
	}
	CHECK(verdicts_summarize(pointers, family_rows, &counts, shape->clock_step_ns, NULL, summary) == 0);
	for (size_t i = 0; i < family_rows; i++)
		row_verdict_finish(&rows[i]);
	return summary->verdict >= SHIFT_BETTER;
}

static void of_many_rows_none_counts_as_moved_by_chance(void)
{
	const unsigned n_shapes = sizeof(shapes) / sizeof(*shapes),
		       n_lengths = sizeof(lengths) / sizeof(*lengths);
	unsigned all = 0;

	for (size_t i = 0; i < n_shapes; i++) {
		unsigned of_shape = 0;

		for (size_t length = 0; length < n_lengths; length++) {
			struct sim_machine state = {.random = seed * 7000003 + i * 101 + length + 1,
				.tick_samples = FAMILY_TICK_SAMPLES};
			unsigned moved = 0, plain = 0;
			double n_tests = 0;

			for (unsigned family = 0; family < families; family++) {
				struct verdict_summary summary;

				moved += family_has_moved(&state, &shapes[i], length, &summary);
				plain += summary.verdicts[SHIFT_WORSE] || summary.verdicts[SHIFT_BETTER] ||
					 summary.verdicts[SHIFT_MIXED];
				n_tests += (double)summary.n_tests / families;
			}
			printf("# %-9s %3zu:%-3zu of %u rows: %5.1f %% with a verdict, %4.1f %% after the correction for %.0f tests\n",
				shapes[i].name, lengths[length].a, lengths[length].b, family_rows,
				100. * plain / families, 100. * moved / families, n_tests);
			of_shape += moved;
		}
		CHECK(of_shape <= most_by_chance(families * n_lengths, 0.05), "%s: %u of %u", shapes[i].name,
			of_shape, families * n_lengths);
		all += of_shape;
	}
	CHECK(all <= most_by_chance(families * n_lengths * n_shapes, 0.05), "%u of %u", all,
		families * n_lengths * n_shapes);
}

static unsigned replicated, replicated_rows, changed;

enum { REPLICATES = 6, REPLICATE_TICKS = 20 };

/* What the machine moves from phase to phase, each by a factor of its own, and what B changes. */
enum moved { MOVED_LATENCY, MOVED_MISSED, MOVED_BOTH };

/* What a phase does to all rows. */
struct phase_factors {
	double latency, missed; /* missed: 0: no slot is missed */
};

static struct phase_factors draw_factors(
	struct sim_machine *state, enum moved moved, double effect, double change)
{
	double latency = exp(effect * normal(state)), missed = exp(effect * normal(state));

	return (struct phase_factors){moved == MOVED_MISSED ? 1 : change * latency, moved == MOVED_LATENCY ? 0
										    : moved == MOVED_MISSED
											    ? change * missed
											    : missed};
}

/* Slots that are missed with a probability of 2 %, or what @factor makes of it. */
static void miss(struct judged_block *block, struct sim_machine *state, double factor)
{
	block->slots = state->tick_samples;
	for (unsigned i = 0; i < state->tick_samples; i++)
		block->missed += uniform(state) < 0.02 * factor;
}

/* A row's blocks in a phase, and their sum. */
static size_t make_replicate(struct judged_block blocks[SHIFT_BLOCKS_MAX], struct judged_block *sum,
	struct sim_machine *state, struct phase_factors factors)
{
	struct hist hists[SHIFT_BLOCKS_MAX] = {0};
	size_t n = make_blocks(hists, state, &shapes[0], REPLICATE_TICKS, factors.latency);

	show(blocks, hists, n);
	*sum = (struct judged_block){0};
	for (size_t i = 0; i < n; i++) {
		if (factors.missed > 0)
			miss(&blocks[i], state, factors.missed);
		CHECK(hist_merge(&sum->hists[JUDGED_SHOWN], &hists[i]) == 0);
		CHECK(hist_merge(&sum->hists[JUDGED_SERVED], &hists[i]) == 0);
		sum->active_ns += blocks[i].active_ns;
		sum->slots += blocks[i].slots;
		sum->missed += blocks[i].missed;
	}
	return n;
}

static void finish_sums(struct judged_block *sums, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t f = 0; f < N_JUDGED_BLOCK_FIGURES; f++)
			hist_finish(&sums[i].hists[f]);
}

/* Whose figures share their counts. */
static void finish_blocks(struct judged_block *blocks, size_t n)
{
	for (size_t i = 0; i < n; i++)
		hist_finish(&blocks[i].hists[JUDGED_SHOWN]);
}

/* How often something was better or worse. */
struct found {
	unsigned marks[N_MARKS], rows, headlines; /* headlines: after the correction for all marks */
};

/* Compares a row in @n replicates each, of which the last ones have blocks. */
static void compare_row(struct row_verdict *verdict, struct verdict_counts *counts, struct sim_machine *state,
	size_t n, const struct phase_factors *in_a, const struct phase_factors *in_b)
{
	static struct judged_block a[SHIFT_BLOCKS_MAX], b[SHIFT_BLOCKS_MAX];
	struct judged_block like_a[REPLICATES_MAX], like_b[REPLICATES_MAX];
	uint32_t numbers_a[REPLICATES_MAX], numbers_b[REPLICATES_MAX];
	struct verdict_counts of_row = {0};
	size_t n_a = 0, n_b = 0;

	for (size_t i = 0; i < n; i++) {
		finish_blocks(a, n_a);
		finish_blocks(b, n_b);
		n_a = make_replicate(a, &like_a[i], state, in_a[i]);
		n_b = make_replicate(b, &like_b[i], state, in_b[i]);
		numbers_a[i] = 2 * (uint32_t)i;
		numbers_b[i] = numbers_a[i] + 1;
	}
	struct judged_row row = {a, b, n_a, n_b, true, .like_a = {like_a, n, n - 1, numbers_a},
		.like_b = {like_b, n, n - 1, numbers_b}};

	CHECK(row_verdict_init(verdict, &row, &of_row) == 0);
	verdict_counts_add(counts, &of_row);
	finish_blocks(a, n_a);
	finish_blocks(b, n_b);
	finish_sums(like_a, n);
	finish_sums(like_b, n);
}

/* Compares @n replicates each of all rows. */
static void compare_rows(struct found *found, struct sim_machine *state, size_t n_rows, size_t n,
	const struct phase_factors *in_a, const struct phase_factors *in_b)
{
	static struct row_verdict verdicts[FAMILY_ROWS_MAX];
	struct row_verdict *rows[FAMILY_ROWS_MAX];
	struct verdict_counts counts = {0};
	struct verdict_summary summary;

	for (size_t i = 0; i < n_rows; i++) {
		rows[i] = &verdicts[i];
		compare_row(rows[i], &counts, state, n, in_a, in_b);
	}
	CHECK(verdicts_summarize(rows, n_rows, &counts, 0, NULL, &summary) == 0);
	for (size_t mark = 0; mark < N_MARKS; mark++)
		found->marks[mark] += verdicts[0].marks[mark].verdict >= SHIFT_BETTER;
	found->rows += verdicts[0].verdict >= SHIFT_BETTER;
	found->headlines += summary.verdict >= SHIFT_BETTER;
	for (size_t i = 0; i < n_rows; i++)
		row_verdict_finish(rows[i]);
}

static void compare_replicates(struct found *found, struct sim_machine *state, size_t n, enum moved moved,
	double effect, double change)
{
	struct phase_factors in_a[REPLICATES], in_b[REPLICATES];

	for (size_t i = 0; i < n; i++) {
		in_a[i] = draw_factors(state, moved, effect, 1);
		in_b[i] = draw_factors(state, moved, effect, change);
	}
	compare_rows(found, state, replicated_rows, n, in_a, in_b);
}

static double percent(unsigned n, unsigned of)
{
	return of ? 100. * n / of : 0;
}

/* Without replicates, a machine that moves from phase to phase makes verdicts of nothing. With them each mark
 * is wrong in 5 %, because its test is exact where the spread decides, and so a row with several marks in
 * more. The headline has the correction for all of them. */
static void check_replicates(enum moved moved, const char *what, const double changes[2])
{
	static const double effects[] = {0, 0.05, 0.2, 0.5};
	static const size_t counts[] = {1, 2, 3, REPLICATES};
	struct sim_machine state = {.random = seed * 9000011 + 1, .tick_samples = TICK_SAMPLES};
	struct found all = {{0}};
	unsigned n_all = 0, n_found = 0, n_changed = 0;

	for (size_t e = 0; e < sizeof(effects) / sizeof(*effects); e++)
		for (size_t c = 0; c < sizeof(counts) / sizeof(*counts); c++) {
			struct found found[3] = {{{0}}};
			size_t n = counts[c];
			unsigned must_find = effects[e] > 0 ? changed : replicated,
				 draws[3] = {replicated, changed, must_find};

			for (size_t k = 0; k < 3; k++)
				for (unsigned i = 0; i < draws[k]; i++)
					compare_replicates(&found[k], &state, n, moved, effects[e],
						k ? changes[k - 1] : 1);
			printf("# %u rows, %s move by %2.0f %%, %zu x A, %zu x B: rows false %5.1f, found x %g %5.1f, x %g %5.1f; headlines %5.1f, %5.1f, %5.1f; marks false",
				replicated_rows, what, 100 * effects[e], n, n,
				percent(found[0].rows, draws[0]), changes[0],
				percent(found[1].rows, draws[1]), changes[1],
				percent(found[2].rows, draws[2]), percent(found[0].headlines, draws[0]),
				percent(found[1].headlines, draws[1]), percent(found[2].headlines, draws[2]));
			for (size_t mark = 0; mark < N_MARKS; mark++)
				printf(" %.1f", percent(found[0].marks[mark], draws[0]));
			printf("\n");
			n_found += effects[e] > 0 ? 0 : found[2].headlines;
			n_changed += effects[e] > 0 ? 0 : draws[2];
			if (n == 1 && effects[e] > 0)
				continue;
			for (size_t mark = 0; mark < N_MARKS; mark++) {
				CHECK(found[0].marks[mark] <= most_by_chance(replicated, 0.05),
					"mark %zu: %u of %u false", mark, found[0].marks[mark], replicated);
				all.marks[mark] += found[0].marks[mark];
			}
			CHECK(found[0].headlines <= most_by_chance(replicated, 0.05), "%u of %u false",
				found[0].headlines, replicated);
			all.headlines += found[0].headlines;
			n_all += replicated;
		}
	for (size_t mark = 0; mark < N_MARKS; mark++)
		CHECK(all.marks[mark] <= most_by_chance(n_all, 0.05), "mark %zu: %u of %u false", mark,
			all.marks[mark], n_all);
	CHECK(all.headlines <= most_by_chance(n_all, 0.05), "%u of %u false", all.headlines, n_all);
	CHECK(n_changed - n_found <= most_by_chance(n_changed, 0.1), "%u of %u found", n_found, n_changed);
}

static void replicates_show_that_the_machine_moves(void)
{
	check_replicates(MOVED_LATENCY, "latencies", (const double[]){1.2, 2});
	check_replicates(MOVED_MISSED, "shares of missed slots", (const double[]){1.5, 3});
	check_replicates(MOVED_BOTH, "both", (const double[]){1.2, 2});
}

static unsigned trials;

enum { TRIAL_TICK_SAMPLES = 300 };
static const double TRIAL_EFFECT = 0.01; /* besides the drift */

/* One trial, on a machine that also drifts: by so much, as a log, from the first phase to the last. */
static void compare_trial(struct found *found, struct sim_machine *state, size_t n, bool is_turned,
	enum moved moved, double drift, double change)
{
	struct phase_factors in[2][REPLICATES_MAX];
	size_t at[2] = {0};

	for (unsigned phase = 0; phase < 2 * n; phase++) {
		bool is_b = is_turned ? trial_is_b(phase) : phase % 2;
		double drifted = exp(drift * phase / (2. * (double)n - 1));
		struct phase_factors factors = draw_factors(state, moved, TRIAL_EFFECT, is_b ? change : 1);

		in[is_b][at[is_b]++] =
			(struct phase_factors){factors.latency * drifted, factors.missed * drifted};
	}
	compare_rows(found, state, 1, n, in[0], in[1]);
}

/* Latencies and missed slots drift alike. */
static void check_trials(size_t n, bool is_turned, double drift, struct sim_machine *state)
{
	struct found none = {{0}}, longer = {{0}}, missed = {{0}};

	for (unsigned i = 0; i < trials; i++) {
		compare_trial(&none, state, n, is_turned, MOVED_BOTH, drift, 1);
		compare_trial(&longer, state, n, is_turned, MOVED_LATENCY, drift, 1.05);
		compare_trial(&missed, state, n, is_turned, MOVED_MISSED, drift, 1.5);
	}
	printf("# %2zu pairs, %s, drift of %2.0f %%: false %5.1f; found latencies x 1.05 %5.1f, missed x 1.5 %5.1f\n",
		n, is_turned ? "A B B A" : "A B A B", 100 * drift, percent(none.headlines, trials),
		percent(longer.headlines, trials), percent(missed.headlines, trials));
	CHECK(!is_turned || none.headlines <= most_by_chance(trials, 0.05),
		"%zu pairs, a drift of %g: %u of %u", n, drift, none.headlines, trials);
}

static void trials_take_no_drift_for_a_change(void)
{
	static const double drifts[] = {0, 0.2, 0.5, 1};
	struct sim_machine state = {.random = seed * 11000027 + 1, .tick_samples = TRIAL_TICK_SAMPLES};

	for (size_t n = TRIAL_PAIRS; n <= TRIAL_PAIRS_MAX; n += TRIAL_PAIRS_MAX - TRIAL_PAIRS)
		for (size_t i = 0; i < sizeof(drifts) / sizeof(*drifts); i++) {
			check_trials(n, false, drifts[i], &state);
			check_trials(n, true, drifts[i], &state);
		}
}

int main(int argc, char **argv)
{
	fill_quantiles();
	runs = argc > 1 ? (unsigned)atoi(argv[1]) : 20;
	seed = argc > 2 ? (uint64_t)atoi(argv[2]) : 1;
	families = argc > 4 ? (unsigned)atoi(argv[3]) : 0;
	family_rows = families ? (unsigned)atoi(argv[4]) : 0;
	CHECK(family_rows <= FAMILY_ROWS_MAX);
	if (runs)
		TEST(intervals_cover_the_truth_and_verdicts_are_right);
	if (families)
		TEST(of_many_rows_none_counts_as_moved_by_chance);
	replicated = argc > 5 ? (unsigned)atoi(argv[5]) : 0;
	replicated_rows = argc > 6 ? (unsigned)atoi(argv[6]) : 1;
	changed = argc > 7 ? (unsigned)atoi(argv[7]) : 0;
	CHECK(replicated_rows >= 1 && replicated_rows <= FAMILY_ROWS_MAX);
	if (replicated)
		TEST(replicates_show_that_the_machine_moves);
	trials = argc > 8 ? (unsigned)atoi(argv[8]) : 0;
	if (trials)
		TEST(trials_take_no_drift_for_a_change);
	return tap_done();
}

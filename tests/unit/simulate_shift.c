/* SPDX-License-Identifier: GPL-2.0-or-later */
/* simulate_shift.c - how often shifts and verdicts are right, on phases of which the truth is known:
 *
 * simulate_shift RUNS SEED    so many pairs of phases of each shape and length, as TAP; RUNS is even
 *
 * Of two phases of one distribution, the interval must cover 0 at p50 and p99 in 93 % of the runs at least,
 * and at most 5 % may get the verdict "better" or "worse". Fewer than 200 runs get an allowance for chance.
 * Diagnostics say how often a true change is found. The same seed always gives the same figures. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/figures/shift.h"
#include "tests/unit/tap.h"

enum { TICK_SAMPLES = 600, TICKS_MAX = 300 };

/* What goes on from one tick, or phase, to the next. */
struct machine_state {
	uint64_t random;
	bool burst;
	double wander; /* of the machine's speed, as a log */
	double time;   /* ticks */
};

static double uniform(struct machine_state *state)
{
	state->random ^= state->random << 13;
	state->random ^= state->random >> 7;
	state->random ^= state->random << 17;
	return ((double)(state->random >> 11) + 0.5) / 9007199254740992.0;
}

/* Box and Muller (1958). */
static double normal(struct machine_state *state)
{
	double radius = sqrt(-2 * log(uniform(state)));

	return radius * cos(2 * M_PI * uniform(state));
}

/* One step of a first-order autoregression with this standard deviation. */
static void advance_wander(struct machine_state *state, double phi, double deviation)
{
	state->wander = phi * state->wander + deviation * sqrt(1 - phi * phi) * normal(state);
}

static double lognormal_ns(struct machine_state *state)
{
	return 50e3 * exp(0.4 * normal(state));
}

static double pareto_ns(struct machine_state *state)
{
	return 40e3 * pow(uniform(state), -1 / 3.);
}

/* 3 % of the samples are of a heavy tail. */
static double heavy_ns(struct machine_state *state)
{
	double ns = 20e3 * exp(0.15 * normal(state));

	return uniform(state) < 0.03 ? 2 * ns * pow(uniform(state), -1 / 1.2) : ns;
}

static void start_bursty(struct machine_state *state)
{
	state->burst = uniform(state) < 0.03;
}

static void start_cluster(struct machine_state *state)
{
	state->burst = uniform(state) < (state->burst ? 2 / 3. : 0.0103);
}

static double burst_ns(struct machine_state *state)
{
	return 30e3 + 4e3 * exp(0.9 * normal(state)) * (state->burst ? 10 : 1);
}

static void start_ar(struct machine_state *state)
{
	advance_wander(state, 0.8, 0.3);
}

static double ar_ns(struct machine_state *state)
{
	return 30e3 + 8e3 * exp(0.8 * normal(state) + state->wander);
}

/* Every tenth tick has 15 % of slow samples. */
static void start_periodic(struct machine_state *state)
{
	state->burst = (uint64_t)state->time % 10 == 0;
}

static double periodic_ns(struct machine_state *state)
{
	double ns = 50e3 * exp(0.3 * normal(state));

	return state->burst && uniform(state) < 0.15 ? 4 * ns : ns;
}

/* By a clock that advances in steps of 30 ns. */
static double quantised_ns(struct machine_state *state)
{
	double slow = uniform(state) < 0.02 ? 0.7 : 0;

	return 1.8e3 * exp(0.15 * normal(state) + slow);
}

static void start_bimodal(struct machine_state *state)
{
	advance_wander(state, 0.5, 1);
}

static double bimodal_ns(struct machine_state *state)
{
	bool slow = uniform(state) < fmin(fmax(0.42 + 0.05 * state->wander, 0.02), 0.98);

	return slow ? 60e3 * exp(0.1 * normal(state)) : 4e3 * exp(0.2 * normal(state));
}

static void start_drift(struct machine_state *state)
{
	advance_wander(state, exp(-1 / 120.), 0.025);
}

static void start_ramp(struct machine_state *state)
{
	state->wander = 0.025 * sin(2 * M_PI * state->time / 300);
}

static double speed_ns(struct machine_state *state)
{
	return 50e3 * exp(0.3 * normal(state) + state->wander);
}

static const struct shape {
	const char *name;
	void (*start_tick)(struct machine_state *state);
	double (*sample_ns)(struct machine_state *state);
	double wander; /* standard deviation at the start */
	double clock_step_ns;
	bool persists; /* from A to B */
} shapes[] = {
	{.name = "lognormal", .sample_ns = lognormal_ns},
	{.name = "pareto", .sample_ns = pareto_ns},
	{.name = "heavy", .sample_ns = heavy_ns},
	{.name = "bursty", .start_tick = start_bursty, .sample_ns = burst_ns},
	{.name = "cluster", .start_tick = start_cluster, .sample_ns = burst_ns},
	{.name = "ar", .start_tick = start_ar, .sample_ns = ar_ns, .wander = 0.3},
	{.name = "periodic", .start_tick = start_periodic, .sample_ns = periodic_ns},
	{.name = "quantised", .sample_ns = quantised_ns, .clock_step_ns = 30},
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

/* A phase is a new start of the machine, unless the shape persists. */
static void restart(struct machine_state *state, const struct shape *shape)
{
	state->burst = uniform(state) < 0.03;
	state->wander = shape->wander * normal(state);
	state->time = floor(uniform(state) * 300);
}

/* Samples of each of @n_ticks ticks, as histograms of blocks; latencies are multiplied by @factor. */
static int make_phase(struct shift_phase *phase, struct machine_state *state, const struct shape *shape,
	size_t n_ticks, double factor)
{
	static struct hist blocks[SHIFT_BLOCKS_MAX];
	size_t block_ticks = 1;

	while ((n_ticks + block_ticks - 1) / block_ticks > SHIFT_BLOCKS_MAX)
		block_ticks *= 2;
	for (size_t i = 0; i < SHIFT_BLOCKS_MAX; i++)
		hist_reset(&blocks[i]);
	for (size_t tick = 0; tick < n_ticks; tick++, state->time++) {
		unsigned n = (unsigned)(TICK_SAMPLES * (0.85 + 0.3 * uniform(state)));

		if (shape->start_tick)
			shape->start_tick(state);
		for (unsigned i = 0; i < n; i++) {
			double ns = fmin(factor * shape->sample_ns(state), 1e10);

			if (shape->clock_step_ns)
				ns = round(ns / shape->clock_step_ns) * shape->clock_step_ns;
			if (hist_add_cells(&blocks[tick / block_ticks],
				    &(struct hist_cell){hist_bucket((uint64_t)ns), 1}, 1) < 0)
				return -1;
		}
	}
	return shift_phase_init(phase, blocks, (n_ticks + block_ticks - 1) / block_ticks);
}

/* How often, of all runs. */
struct outcome {
	unsigned covered[SHIFT_P999], alarms[SHIFT_P999];
	unsigned found[SHIFT_P999]; /* of half of the runs each */
};

/* B is @factor times as slow as A. */
static int compare_once(struct machine_state *state, const struct shape *shape, size_t length, double factor,
	struct shift shifts[N_SHIFT_PERCENTILES], enum shift_verdict verdicts[N_SHIFT_PERCENTILES])
{
	struct shift_phase a, b = {0};

	restart(state, shape);
	int r = make_phase(&a, state, shape, lengths[length].a, 1);

	if (!shape->persists)
		restart(state, shape);
	if (r == 0)
		r = make_phase(&b, state, shape, lengths[length].b, factor);
	if (r == 0) {
		shift_intervals(&a, &b, shape->clock_step_ns, shifts);
		for (size_t q = 0; q < N_SHIFT_PERCENTILES; q++)
			verdicts[q] = shift_judge(&a, &b, (enum shift_percentile)q, &shifts[q]);
	}
	shift_phase_finish(&a);
	shift_phase_finish(&b);
	return r;
}

static void simulate(
	const struct shape *shape, size_t length, unsigned runs, uint64_t seed, struct outcome *outcome)
{
	static const double changes[] = {[SHIFT_P50] = 1.05, [SHIFT_P99] = 1.2};
	struct machine_state state = {.random = seed};
	struct shift shifts[N_SHIFT_PERCENTILES];
	enum shift_verdict verdicts[N_SHIFT_PERCENTILES];

	for (unsigned run = 0; run < runs; run++) {
		CHECK(compare_once(&state, shape, length, 1, shifts, verdicts) == 0);
		for (size_t q = 0; q < SHIFT_P999; q++) {
			outcome->covered[q] += shifts[q].low <= 0 && shifts[q].high >= 0;
			outcome->alarms[q] += verdicts[q] == SHIFT_WORSE || verdicts[q] == SHIFT_BETTER;
		}
		size_t q = run % SHIFT_P999;

		CHECK(compare_once(&state, shape, length, changes[q], shifts, verdicts) == 0);
		outcome->found[q] += verdicts[q] == SHIFT_WORSE;
	}
}

/* The largest count of @runs that a probability of @percent, or less, allows: with few runs, by two standard
 * deviations more. */
static unsigned bound(unsigned runs, double percent)
{
	double expected = runs * percent / 100, deviation = sqrt(expected * (1 - percent / 100));

	return (unsigned)(expected + (runs < 200 ? 2 * deviation : 0));
}

static unsigned runs;
static uint64_t seed;

static void intervals_cover_the_truth_and_verdicts_are_right(void)
{
	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
		for (size_t length = 0; length < sizeof(lengths) / sizeof(*lengths); length++) {
			struct outcome outcome = {0};

			simulate(&shapes[i], length, runs, seed * 1000003 + i * 101 + length + 1, &outcome);
			printf("# %-9s %3zu:%-3zu covered %5.1f %5.1f  false %4.1f %4.1f  found +5%% %5.1f, +20%% %5.1f\n",
				shapes[i].name, lengths[length].a, lengths[length].b,
				100. * outcome.covered[0] / runs, 100. * outcome.covered[1] / runs,
				100. * outcome.alarms[0] / runs, 100. * outcome.alarms[1] / runs,
				200. * outcome.found[0] / runs, 200. * outcome.found[1] / runs);
			for (size_t q = 0; q < SHIFT_P999; q++) {
				CHECK(runs - outcome.covered[q] <= bound(runs, 7),
					"%s: %u of %u do not cover", shapes[i].name,
					runs - outcome.covered[q], runs);
				CHECK(outcome.alarms[q] <= bound(runs, 5), "%s: %u of %u false",
					shapes[i].name, outcome.alarms[q], runs);
			}
		}
	}
}

int main(int argc, char **argv)
{
	runs = argc > 1 ? (unsigned)atoi(argv[1]) : 20;
	seed = argc > 2 ? (uint64_t)atoi(argv[2]) : 1;
	TEST(intervals_cover_the_truth_and_verdicts_are_right);
	return tap_done();
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sweep_result.h - what a sweep measures of two CPUs. Pure. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum sweep_figure_kind {
	SWEEP_THERE, /* the hop from the first CPU to the second one */
	SWEEP_BACK,  /* the hop from the second CPU to the first one */
	SWEEP_LAP,   /* there and back; where members spin, the mean of each batch of laps */
	N_SWEEP_FIGURES_OF_ALL,
	/* The same hops, each after a sleep of its sender, while the receiver's CPU was idle: only where
	 * these are measured. */
	SWEEP_FIRST_THERE = N_SWEEP_FIGURES_OF_ALL,
	SWEEP_FIRST_BACK,
	N_SWEEP_FIGURES
};

/* Times in ns; all are 0 where n is. */
struct sweep_figure {
	uint32_t n; /* samples; of laps in batches, the batches */
	float min_ns, p50_ns, p99_ns, max_ns;
};

/* The time after which the measurement of a figure ends with the lap, or the batch, under way. */
enum { SWEEP_BLOCK_NS = 2000000, SWEEP_SPIN_NS = 800000, SWEEP_BATCHES_NS = 1000000 };
enum { SWEEP_BATCH_LAPS = 50 };

/* First hops: how many count in each direction; the sleep before each, as long as the interval of rings is
 * unless another one is given; and the longest time for all that count, twice the usual one. */
enum { SWEEP_FIRST_HOPS = 25, SWEEP_SLEEP_NS = 1000000, SWEEP_FIRST_NS = 100000000 };

enum { SWEEP_RESULTS_MAX = 256 }; /* of one feed */

struct sweep_result {
	uint32_t a, b;                                /* indices of the CPUs, see sweep_plan.h */
	uint64_t at_ns;                               /* when it was measured, CLOCK_MONOTONIC */
	struct sweep_figure figures[N_SWEEP_FIGURES]; /* without samples where a CPU refused its member */
};

/* Returns the time that has @k others before it when the @n are sorted, @k < @n. Reorders them: none before
 * it is longer, none after it shorter. In linear time on average: C. A. R. Hoare, Algorithm 65: Find,
 * 1961, with the partition of N. Lomuto. */
float sweep_times_select(float *times, size_t n, size_t k);

/* Sorts @samples, times in ns, and sums them up. The percentiles are samples: the smallest one that is not
 * below so many of all. */
struct sweep_figure sweep_figure_of(float *samples, size_t n);

/* Returns how far the 99th percentile is above the shortest sample, relative to the median; 0 without
 * samples. */
float sweep_figure_spread(const struct sweep_figure *figure);

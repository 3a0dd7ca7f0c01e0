/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shift.h - by how much a percentile of one row shifted from phase A to phase B. Pure, and without random
 * numbers: the same blocks always give the same verdict.
 *
 * A candidate for the shift is tested by the samples that each block has beyond the percentile, as a block
 * score test. The interval holds the candidates that the test does not reject. Source: Woodruff (1952) and
 * Francisco and Fuller (1991) for intervals by inversion; Brown and Mood (1951) for the test; Satterthwaite
 * (1946) for its degrees of freedom; Fishman and Yarberry (1997) for variances over several sizes of blocks.
 *
 * Shifts are logs of the ratio B / A: 0.0488 is 5 % slower. Latencies are logs of ns. */
#pragma once

#include <stddef.h>

#include "src/figures/hist.h"
#include "src/figures/rates.h"

enum { SHIFT_BLOCKS_MAX = 64, SHIFT_BLOCKS_MIN = RATE_BLOCKS_MIN, SHIFT_BEYOND_MIN = 5 };

enum shift_percentile { SHIFT_P50, SHIFT_P99, SHIFT_P999, N_SHIFT_PERCENTILES };

/* A row's samples in one phase, by block: how many are beyond each edge of a bucket. Between edges, samples
 * are spread evenly over the log of the latency. Zeroed is empty. */
struct shift_phase {
	size_t n_blocks; /* blocks without samples are left out, as of a ring whose turn it was not */
	size_t n_edges;
	double n;            /* samples */
	double *edges;       /* owned; ascending */
	double *beyond;      /* owned; n_edges: of all blocks */
	double *block_n;     /* owned; n_blocks: samples of each block */
	size_t *block_at;    /* owned; n_blocks: its number, with those that are left out */
	float *block_beyond; /* owned; n_edges of the first block, then of the next */
};

/* @blocks: RATE_BLOCKS_MAX at most, in the order of time; for a shift SHIFT_BLOCKS_MAX, of equally many
 * ticks. Returns 0 or -ENOMEM; shift_phase_finish() accepts what is left. */
int shift_phase_init(struct shift_phase *phase, const struct hist *blocks, size_t n_blocks);
void shift_phase_finish(struct shift_phase *phase);

struct shift {
	double estimate, low, high; /* -INFINITY, INFINITY: this end is open */
};

/* In the order of a table that is sorted by them. */
enum shift_verdict {
	SHIFT_TOO_FEW,
	SHIFT_SAME,
	SHIFT_UNDECIDED,
	SHIFT_BETTER,
	SHIFT_MIXED, /* of rows, never of a percentile */
	SHIFT_WORSE,
	SHIFT_MOVED, /* better, worse or mixed between replicates: the machine itself did it */
	N_SHIFT_VERDICTS
};

struct shift_verdict_words {
	const char *name, *sign; /* "too few", "~" */
	const char *help;        /* a sentence for the glossary */
};
extern const struct shift_verdict_words shift_verdict_words[N_SHIFT_VERDICTS];

double shift_tail(enum shift_percentile percentile); /* 0.5, 0.01, 0.001 */

/* Finds the shifts of all percentiles with their intervals at 95 %; wider where a phase has fewer than 32
 * blocks.
 * @clock_step_ns: what the clock advances by, or 0. Both phases must have samples in two blocks at least. */
void shift_intervals(const struct shift_phase *a, const struct shift_phase *b, double clock_step_ns,
	struct shift shifts[N_SHIFT_PERCENTILES]);

/* Returns the probability that only chance makes the means of two lists of blocks differ by @difference; each
 * block counts alike. @residuals: how far each block is from its mean; overwritten. */
double shift_means_test(double *residuals_a, size_t n_a, double *residuals_b, size_t n_b, double difference);

/* The part of a figure that the headline needs, at one percentile. */
struct shift_evidence {
	struct rate_test test; /* higher: slower than no shift */
	/* Each block's share of samples beyond the percentile of both phases; -1: it has no samples. */
	float shares_a[SHIFT_BLOCKS_MAX], shares_b[SHIFT_BLOCKS_MAX];
	double latency; /* this percentile, a log */
	/* Of replicates (replicates.h): the difference of their mean shares. It is scaled so that the error
	 * of one phase's blocks fits it. */
	double difference;
	bool is_of_replicates;
};

/* A figure of a row, compared. */
struct figure_shift {
	struct shift_phase a, b; /* owned */
	struct shift shifts[N_SHIFT_PERCENTILES];
	enum shift_verdict verdicts[N_SHIFT_PERCENTILES];
	struct shift_evidence evidence[N_SHIFT_PERCENTILES]; /* of phases with two blocks at least */
	/* Of replicates: the shift of the phases that have the blocks, and which part of their error that of
	 * all replicates has; 0: there are none. */
	struct {
		double estimate, part;
	} blocks[N_SHIFT_PERCENTILES];
};

/* Takes the blocks of both phases. Returns 0 or -ENOMEM; figure_shift_finish() accepts what is left. */
int figure_shift_init(struct figure_shift *figure, const struct hist *a, size_t n_a, const struct hist *b,
	size_t n_b, double clock_step_ns);
/* Puts the estimate of several replicates in the place of that of the phases with the blocks, and judges
 * again. The interval has @part of its width, but reaches @half beyond the estimate at least. To be called
 * once. */
void figure_shift_widen(struct figure_shift *figure, enum shift_percentile percentile, double estimate,
	double half, double part);
/* Does the same where only the replicates count: the interval is theirs, and wider by the resolution of the
 * percentile. */
void figure_shift_replace(struct figure_shift *figure, enum shift_percentile percentile, struct shift shift,
	double part, double clock_step_ns);
/* Returns the probability that only chance makes the shift so much larger, or smaller, than @from. The figure
 * must have its blocks. */
struct rate_test shift_test(const struct figure_shift *figure, enum shift_percentile percentile, double from,
	double clock_step_ns);
void figure_shift_drop_blocks(struct figure_shift *figure); /* keeps their number */
void figure_shift_finish(struct figure_shift *figure);

/* The lowest edge of a bucket above which the samples of both phases are the fewest that are not fewer than
 * @wanted; a log. @n_above: how many they are. Both phases must have samples. */
double shift_joint_limit(
	const struct shift_phase *a, const struct shift_phase *b, double wanted, double *n_above);
/* The samples above a latency, of those in each block. */
struct block_counts shift_phase_above(const struct shift_phase *phase, double limit);

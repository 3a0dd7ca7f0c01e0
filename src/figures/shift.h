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

#include <stdbool.h>
#include <stddef.h>

#include "src/figures/hist.h"

enum { SHIFT_BLOCKS_MAX = 64, SHIFT_BLOCKS_MIN = 8, SHIFT_BEYOND_MIN = 5 };

enum shift_percentile { SHIFT_P50, SHIFT_P99, SHIFT_P999, N_SHIFT_PERCENTILES };

/* A row's samples in one phase, by block: how many are beyond each edge of a bucket. Between edges, samples
 * are spread evenly over the log of the latency. Zeroed is empty. */
struct shift_phase {
	size_t n_blocks; /* blocks without samples are left out, as of a ring whose turn it was not */
	size_t n_edges;
	double n;             /* samples */
	double *edges;        /* owned; ascending */
	double *beyond;       /* owned; n_edges: of all blocks */
	double *block_n;      /* owned; n_blocks: samples of each block */
	size_t *block_at;     /* owned; n_blocks: its number, with those that are left out */
	double *block_beyond; /* owned; n_edges of the first block, then of the next */
};

/* @blocks: SHIFT_BLOCKS_MAX at most, of equally many ticks, in the order of time. Returns 0 or -ENOMEM;
 * shift_phase_finish() accepts what is left. */
int shift_phase_init(struct shift_phase *phase, const struct hist *blocks, size_t n_blocks);
void shift_phase_drop_blocks(struct shift_phase *phase); /* n and n_blocks stay; nothing else may be used */
void shift_phase_finish(struct shift_phase *phase);

/* The log of the latency that the share @tail of the samples exceeds. The phase must have samples. */
double shift_phase_quantile(const struct shift_phase *phase, double tail);

struct shift {
	double estimate, low, high; /* -INFINITY, INFINITY: this end is open */
};

/* A row has the largest verdict of its percentiles. */
enum shift_verdict {
	SHIFT_TOO_FEW,
	SHIFT_SAME,
	SHIFT_UNDECIDED,
	SHIFT_BETTER,
	SHIFT_WORSE,
	N_SHIFT_VERDICTS
};

struct shift_verdict_words {
	const char *name, *sign; /* "too few", "~" */
	const char *help;        /* a sentence for the glossary */
};
extern const struct shift_verdict_words shift_verdict_words[N_SHIFT_VERDICTS];

double shift_tail(enum shift_percentile percentile); /* 0.5, 0.01, 0.001 */

/* The shifts of all percentiles with their intervals at 95 %; wider where a phase has fewer than 32 blocks.
 * @clock_step_ns: what the clock advances by, or 0. Both phases must have samples in two blocks at least. */
void shift_intervals(const struct shift_phase *a, const struct shift_phase *b, double clock_step_ns,
	struct shift shifts[N_SHIFT_PERCENTILES]);

/* What is worth a word: 5 % of A's percentile, but at least 200 ns. */
double shift_threshold(const struct shift_phase *a, double tail);
/* @shift: as shift_intervals() found it. */
enum shift_verdict shift_judge(const struct shift_phase *a, const struct shift_phase *b,
	enum shift_percentile percentile, const struct shift *shift);

/* How many times as long both phases should be for a verdict other than "undecided", if the estimate stays:
 * an interval halves in four times the time. INFINITY: an end is open, so nothing tells. */
double shift_longer(const struct shift *shift, double threshold);

/* How far the samples beyond a percentile are apart, and by how much they are so by chance. */
struct shift_test {
	double difference, deviation, df;
};

/* Tests for a shift at all, in the direction of @side (1: slower, -1: faster) from @from, which is 0 for one
 * row. */
struct shift_test shift_test_beyond(const struct shift_phase *a, const struct shift_phase *b, double tail,
	double from, int side, double clock_step_ns);
bool shift_test_finds(const struct shift_test *test, double alpha); /* at this error probability */

/* Of each block, the samples beyond a latency. @beyond: room for n_blocks. */
void shift_block_samples(const struct shift_phase *phase, double latency, double *beyond);
/* The log latency beyond which the share @tail of the samples of both phases is, with B's moved back by @d.
 */
double shift_joint_quantile(const struct shift_phase *a, const struct shift_phase *b, double tail, double d);

/* The variance of the sum of @residuals for each of @n samples, where neighbouring blocks depend on each
 * other, and how many independent blocks they are worth. @n_blocks: 2 at least; @residuals are overwritten.
 */
struct longrun {
	double variance, blocks;
};
struct longrun longrun_variance(double *residuals, size_t n_blocks, double n);

/* How far apart the means of two lists of blocks may be, by chance, at the error probability @alpha: each
 * block counts alike. @residuals: how far each block is from its mean; overwritten. */
double shift_critical(double *residuals_a, size_t n_a, double *residuals_b, size_t n_b, double alpha);

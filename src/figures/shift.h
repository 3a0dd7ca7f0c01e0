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

#include <stdatomic.h>
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
void shift_phase_finish(struct shift_phase *phase);

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

/* How many times as long both phases should be for a verdict other than "undecided", if the estimate stays:
 * an interval halves in four times the time. INFINITY: an end is open, so the time is not known. */
double shift_longer(const struct shift *shift, double threshold);

/* How far the samples beyond a percentile are apart, and by how much they are so by chance. */
struct shift_test {
	double difference, deviation, df;
};

/* The variance of the sum of @residuals for each of @n samples, where neighbouring blocks depend on each
 * other, and how many independent blocks they are worth. @n_blocks: 2 at least; @residuals are overwritten.
 */
struct longrun {
	double variance, blocks;
};
struct longrun longrun_variance(double *residuals, size_t n_blocks, double n);

/* The ratio of the rates B / A, at 95 %. */
struct rate_shift {
	double low, high; /* 0, INFINITY: open; both with no sample above the limit in any phase */
};

/* @limit: the log of the latency. Both phases must have samples in two blocks at least. Clopper and Pearson
 * (1934), for as many samples as independent ones carry the same information. */
struct rate_shift shift_rate(const struct shift_phase *a, const struct shift_phase *b, double limit);

/* Maxima of the blocks of a phase, ns, in the order of time. */
struct block_maxima {
	const uint64_t *ns;
	size_t n;
	uint64_t ticks;
};

/* Is the maximum of the second phase higher than that of the first, by more than the lengths of the phases
 * explain? An exceedance test at 2.5 %: Rosenbaum (1954). Neighbouring blocks count once. */
bool shift_max_is_higher(const struct block_maxima *before, const struct block_maxima *after);

/* The part of a row that the headline needs, at one percentile. */
struct shift_evidence {
	struct shift_test slower, faster; /* than no shift */
	/* Each block's share of samples beyond the percentile of both phases; -1: it has no samples. */
	double shares_a[SHIFT_BLOCKS_MAX], shares_b[SHIFT_BLOCKS_MAX];
};

/* A row, compared. */
struct shift_row {
	struct shift_phase a, b; /* owned; blocks are kept of rows that became worse or better */
	struct shift shifts[N_SHIFT_PERCENTILES];
	enum shift_verdict verdicts[N_SHIFT_PERCENTILES];
	enum shift_verdict verdict; /* of the row: the largest of these */
	struct shift_evidence evidence[N_SHIFT_PERCENTILES];
	double longer; /* how many times as long the phases should be for a verdict; INFINITY: not known
			*/
};

/* Takes the blocks of both phases. Returns 0 or -ENOMEM; shift_row_finish() accepts what is left. */
int shift_row_init(struct shift_row *row, const struct hist *a, size_t n_a, const struct hist *b, size_t n_b,
	double clock_step_ns);
void shift_row_drop_blocks(struct shift_row *row); /* if the headline does not need them */
void shift_row_finish(struct shift_row *row);

/* How all rows moved at one percentile. */
struct shift_overall {
	bool has_shifted;
	double median, lower_quartile, upper_quartile; /* of the rows' estimates */
};

struct shift_summary {
	size_t verdicts[N_SHIFT_VERDICTS]; /* rows with each verdict */
	size_t worse, better;              /* of these, in the headline */
	size_t n_tests;                    /* that the correction is for */
	struct shift_overall overall[N_SHIFT_PERCENTILES];
	double longer; /* with which half of the rows without a verdict get one; INFINITY: not known */
};

/* @stop: ends it between two rows once it is true; may be NULL. Returns 0, -ENOMEM or -ECANCELED. */
int shift_rows_summarize(const struct shift_row *const *rows, size_t n, double clock_step_ns,
	const atomic_bool *stop, struct shift_summary *summary);

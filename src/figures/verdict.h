/* SPDX-License-Identifier: GPL-2.0-or-later */
/* verdict.h - did a row become worse or better from phase A to phase B? By four families of marks: the
 * percentiles of the shown figure and of the response, the share of missed slots, or in a flood, which has
 * none, the laps a second, and the rate of spikes. Pure.
 *
 * A row is worse if a mark is worse and none is better, better if it is the other way round, and mixed with
 * both. It is the same if p50 and p99 of both figures are. */
#pragma once

#include "src/figures/mark.h"
#include "src/figures/shift.h"

/* A flood has no response, so its lap takes the place. */
enum judged_figure {
	JUDGED_SHOWN,
	JUDGED_RESPONSE,
	N_JUDGED_FIGURES,
	JUDGED_SERVED = N_JUDGED_FIGURES, /* the response without missed slots: a stall is one sample */
	N_JUDGED_BLOCK_FIGURES,
};

/* What a row did in one block of ticks. */
struct judged_block {
	struct hist hists[N_JUDGED_BLOCK_FIGURES]; /* with their extremes */
	uint64_t active_ns;                        /* see tick_counts_in_place_ns() */
	uint64_t slots, missed;
};

/* Served responses above a limit that few exceed: one for each stall. */
struct spikes {
	uint64_t limit_ns;           /* 0: there were too few samples for one */
	double a, b;                 /* spikes */
	double seconds_a, seconds_b; /* active */
};

/* A row, judged. */
struct row_verdict {
	struct figure_shift
		figures[N_JUDGED_FIGURES]; /* owned; that of the response is empty if it is shown */
	struct mark marks[N_MARKS];
	struct spikes spikes;      /* above that of several limits that tells most */
	double missed_a, missed_b; /* shares of the slots */
	double laps_a, laps_b;     /* a second; 0: of no flood */
	enum shift_verdict verdict;
};

/* What a row did in phases of one configuration: A or B itself and its replicates. With two of each or more
 * in which the ring was there, the verdict is on the means of all replicates, and the spread between them
 * enters the intervals: blocks do not show that a machine moves from one phase to the next. */
struct replicates {
	const struct judged_block
		*sums; /* of whole phases, in the order of time; empty: the ring was not there */
	size_t n;      /* REPLICATES_MAX at most */
	size_t own;    /* the one whose blocks are judged */
	/* The numbers of the phases: an A and the B next to it are a pair. NULL: they are not of one run. */
	const uint32_t *numbers;
};
enum { REPLICATES_MAX = RATE_BLOCKS_MAX - SHIFT_BLOCKS_MAX };

/* Both phases of a row. */
struct judged_row {
	const struct judged_block *a, *b; /* SHIFT_BLOCKS_MAX at most, of equally many ticks */
	size_t n_a, n_b;
	bool shows_response; /* the judged figures are the same one */
	double clock_step_ns;
	struct replicates like_a, like_b;
};

/* The values of a mark in replicates: sums over the rows that have one, of several rows of how far each is
 * from the row's own mean. */
struct replicate_values {
	size_t n_a, n_b;
	double a[REPLICATES_MAX], b[REPLICATES_MAX];
	unsigned rows_a[REPLICATES_MAX], rows_b[REPLICATES_MAX];
	size_t n_pairs; /* of neighbours in time */
	size_t pairs_a[REPLICATES_MAX], pairs_b[REPLICATES_MAX];
};

/* What all rows count, by block. */
struct verdict_counts {
	struct block_counts missed_a, missed_b;
	struct block_counts laps_a, laps_b; /* of floods, of their active time in ns */
	struct block_counts spikes_a[SPIKE_LIMITS], spikes_b[SPIKE_LIMITS];
	struct block_counts far_a[SPIKE_LIMITS], far_b[SPIKE_LIMITS]; /* that exceed the limit by a change */
	double of_laps_b[SPIKE_LIMITS]; /* spikes_b, but of floods as if B had made as many laps as A */
	struct replicate_values replicates[N_MARKS];
};

/* Is the verdict on all replicates? */
bool judged_row_has_replicates(const struct judged_row *row);
/* Adds the row's counts to @counts. Returns 0 or -ENOMEM; row_verdict_finish() accepts what is left. */
int row_verdict_init(
	struct row_verdict *verdict, const struct judged_row *row, struct verdict_counts *counts);
void verdict_counts_add(struct verdict_counts *counts, const struct verdict_counts *more);
void row_verdict_drop_blocks(struct row_verdict *verdict); /* of figures that the headline does not need */
void row_verdict_finish(struct row_verdict *verdict);

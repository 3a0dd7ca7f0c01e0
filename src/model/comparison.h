/* SPDX-License-Identifier: GPL-2.0-or-later */
/* comparison.h - two phases beside each other: whether rows became better or worse, and what differs besides.
 * Pure.
 *
 * The verdicts are those of verdict.h. Rows belong together that have the same mechanism, planned CPUs,
 * size and figure. */
#pragma once

#include "src/base/error_text.h"
#include "src/figures/verdict_summary.h"
#include "src/model/compared_phase.h"
#include "src/model/matrix_change.h"

/* What a row did in one phase, or in all of its replicates. Of replicates a percentile is the geometric mean:
 * the ratio of two such means is the change that is judged. All else is of all samples. */
struct comparison_side {
	uint64_t n, n_timed; /* n: with the laps of batches, which have no time of their own */
	uint64_t n_least;    /* timed, in the replicate that has the fewest */
	uint64_t active_ns;
	uint64_t percentile_ns[N_JUDGED_FIGURES][N_SHIFT_PERCENTILES];
	uint64_t max_ns;        /* of the last over_ns */
	uint64_t late99_ns;     /* 0: no lateness, as in a flood */
	uint64_t slots, missed; /* slots: 0 in a flood */
	uint64_t above;         /* samples above the limit; 0 without one */
};

enum { COMPARISON_FEW_SIZE = 80 };

/* A row in both phases, as the screen, the text and the JSON have it. Plain data. */
struct comparison_line {
	bool is_ready;
	bool is_compared; /* both phases have the ring */
	bool is_of_a;     /* of a ring that is not compared: A has it, and B does not */
	bool is_left_out; /* neither has it alone, or it was opened anew: there is nothing to show */
	struct comparison_side a, b;
	uint64_t over_ns; /* active time: that of the shorter phase */
	bool max_is_higher, max_is_lower;
	/* Of a group: the median of its rows, and their quartiles. */
	struct shift shifts[N_JUDGED_FIGURES][N_SHIFT_PERCENTILES];
	struct mark marks[N_MARKS];
	struct spikes spikes;  /* of a group without a limit: of a row in a second */
	double laps_a, laps_b; /* a second, of a flood; of a group of each flood; 0: none */
	enum shift_verdict verdict;
	size_t n_worse, n_better; /* of a group: rows whose marks survive */
	enum figure figures[N_JUDGED_FIGURES];
	/* Why a percentile has too few, and how much longer it takes: "3 of 8 blocks, 5 s more", "no turn in
	 * A: 8 rounds take 96 s; fewer rings need less". */
	char few[MARK_MISSED][COMPARISON_FEW_SIZE];
	size_t blocks_a, blocks_b; /* with samples of the shown figure; of rings alone */
	struct rate_shift rate;    /* of the samples above the limit; of rings alone */
	uint32_t row;              /* the number of the session's row */
	bool is_of_replicates;
	/* Where the histograms of A and B are: the numbers of the row in the phase, or in each of its
	 * replicates; NOT_A_ROW: it is not in it. Of a file the first one is an index of its rows. */
	uint32_t rows_a[REPLICATES_MAX], rows_b[REPLICATES_MAX];
};

#define NOT_A_ROW UINT32_MAX

struct comparison_row {
	const struct compared_row *a, *b;
	struct row_verdict verdict;
	struct comparison_line line;
};

/* What the rows of a group did that are compared, and count. */
struct comparison_group {
	struct compared_row a, b; /* owned */
	struct verdict_counts counts;
};

/* A fact that differs between the phases. @a or @b is "" where only the other phase has it. */
struct difference {
	char *name, *a, *b; /* owned */
	const char
		*counted; /* "members", of which @n of @of differ, from @a to @b; NULL: nothing is counted */
	size_t n, of;
};

struct comparison {
	const struct compared_phase *a, *b;
	struct comparison_row *rows; /* owned; those that both have, in the order of B */
	size_t n_rows;
	bool *only_a, *only_b; /* owned; which rows of a phase the other one lacks */
	size_t n_only_a, n_only_b;
	enum figure figure;             /* of all rows, or else the one that is shown */
	bool are_replicates;            /* A and B: nobody changed anything between them */
	bool has_replicates;            /* two of each or more: values and verdicts are of all of them */
	uint64_t limit_ns;              /* of B, or else of A; 0: neither had one */
	double clock_step_ns;           /* the larger of both; 0: small beside any latency */
	struct difference *differences; /* owned */
	size_t n_differences;
	struct verdict_counts counts;    /* of all rows that are judged */
	struct comparison_group *groups; /* owned */
	const bool *is_in_group;         /* of the first group each row of B, then of the next */
	size_t n_groups;
	struct verdict_summary summary;
	/* Owned; of two sweeps, which have no rows: B's with A as the phase before. NULL: of rings. */
	struct matrix *matrix;
	struct matrix_changes changes; /* of the matrix */
};

/* Phases stay the caller's. Returns 0, -EINVAL with a sentence that names all that keeps them from being
 * compared, or -ENOMEM. comparison_finish() accepts what is left. */
int comparison_init(struct comparison *comparison, const struct compared_phase *a,
	const struct compared_phase *b, struct error_text *reason);
/* Its steps: the second takes each row, whose phases have their blocks by then, in any order. */
int comparison_begin(struct comparison *comparison, const struct compared_phase *a,
	const struct compared_phase *b, struct error_text *reason);
/* Rows that are not judged are left out of the summary. Returns 0 or -ENOMEM. */
int comparison_judge_row(struct comparison *comparison, struct comparison_row *row);
/* Makes rows count in groups, before the first one is judged. @is_in_group stays the caller's. Returns 0 or
 * -ENOMEM. */
int comparison_add_groups(struct comparison *comparison, const bool *is_in_group, size_t n);
/* Fills the line of a group, as the summary, which must be made, has all rows. Returns 0 or -ENOMEM. */
int comparison_judge_group(struct comparison *comparison, size_t group, struct comparison_line *line);
/* Is a percentile of the shown figure not to be trusted, in the phase, or in any of the replicates? */
bool comparison_is_doubtful(const struct comparison_side *side, enum shift_percentile percentile);
/* Returns what a row did in the phase alone, without its replicates. */
struct comparison_side comparison_side_of(const struct compared_row *row, uint64_t max_ns, uint64_t limit_ns);
/* @stop: as in verdicts_summarize(). Returns 0, -ENOMEM or -ECANCELED. */
int comparison_summarize(struct comparison *comparison, const atomic_bool *stop);
/* Finds the line that is quoted for what too few samples lack, one line after the other. Returns @before, the
 * one so far or NULL, or @line, if that has too few samples and fewer blocks, which takes longer. A line
 * without any sample in a phase is returned only if there is no other. */
const struct comparison_line *comparison_line_to_quote(
	const struct comparison_line *before, const struct comparison_line *line);
/* Returns the line that the headline quotes: of the only row, or if all have too few samples of one of them;
 * or NULL. */
const struct comparison_line *comparison_quoted_row(const struct comparison *comparison);
void comparison_finish(struct comparison *comparison);

/* Sets the numbers of the phases between the two, of the same run, that tell what each of several differences
 * did. @first is above @last if there are none, or if fewer than two things differ. */
void comparison_between(const struct comparison *comparison, unsigned *first, unsigned *last);

const char *shift_percentile_name(enum shift_percentile percentile); /* "p50", "p99", "p99.9" */

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* verdict_summary.h - did all rows together become worse or better from phase A to phase B, and which marks
 * of single rows survive the correction for so many? Pure.
 *
 * Where there are replicates, the marks of all rows together, or of a single row, are judged before those of
 * single rows: latencies, corrected by rotation.h, and missed slots as two groups (Holm). They are wrong in
 * 4 %, those of single rows in 1 %, or, once all rows together moved, in 5 %; of a single row all in 5 %.
 * With two of each, simulate_shift 0 1 0 0 200 1 finds a share of missed slots that is half as large again in
 * 56 to 75 %, where the machine moves it by at most 5 % from phase to phase (a row, whose marks are wrong in
 * 5 % each: 78 to 92 %); latencies that are 20 % longer, where it moves them by 5 %, in 42 % (63), and with
 * three of each in 85 % (94). */
#pragma once

#include <stdatomic.h>

#include "src/figures/verdict.h"

/* How all rows moved at one mark. */
struct shift_overall {
	double median, lower_quartile, upper_quartile; /* of a percentile: of the rows' estimates */
};

struct verdict_summary {
	size_t n_rows;
	size_t verdicts[N_SHIFT_VERDICTS]; /* rows with each verdict */
	size_t worse, better;              /* rows with such a mark that survives the correction */
	size_t n_tests;                    /* that the correction is for */
	enum shift_verdict verdict;        /* of all rows together */
	bool are_identical;         /* set by the caller: all rows have the same samples in both phases */
	bool has_replicates;        /* set by the caller: two of each phase or more */
	struct mark marks[N_MARKS]; /* of all rows together; of a single row its own */
	/* Of replicates: the probability with which chance alone moves any mark of all rows so far
	 * (rotation.h); NAN: the mark has no values in replicates. */
	double chances[N_MARKS];
	struct shift_overall overall[MARK_MISSED];
	double missed_a, missed_b;         /* shares of the slots */
	double spikes_a, spikes_b;         /* a second and row */
	double laps_a, laps_b;             /* the same, of floods */
	double row_missed_a, row_missed_b; /* of the row whose share of missed slots changed most */
};

/* Sets which marks survive. @stop: ends it between two rows once it is true; may be NULL. Returns 0, -ENOMEM
 * or -ECANCELED. */
int verdicts_summarize(struct row_verdict *const *rows, size_t n, const struct verdict_counts *counts,
	double clock_step_ns, const atomic_bool *stop, struct verdict_summary *summary);
/* The same of some of the rows, with their counts, once it is set which marks of all rows survive. Returns 0
 * or -ENOMEM. */
int verdicts_summarize_group(struct row_verdict *const *rows, size_t n, const struct verdict_counts *counts,
	struct verdict_summary *summary);

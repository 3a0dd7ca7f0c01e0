/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shift_rows.h - what can be said of many rows that were compared at once. Pure.
 *
 * Of many rows some seem to have shifted by chance. So the headline counts only rows whose shift holds after
 * the correction of Holm (1979), and which either moved with all others, or otherwise than these. */
#pragma once

#include <stdatomic.h>

#include "src/figures/shift.h"

/* What the headline needs of a row at one percentile. */
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
	double longer; /* how many times as long the phases should be for a verdict; INFINITY: nothing tells
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
	double longer; /* with which half of the rows without a verdict get one; INFINITY: nothing tells */
};

/* @stop: ends it between two rows once it is true; may be NULL. Returns 0, -ENOMEM or -ECANCELED. */
int shift_rows_summarize(const struct shift_row *const *rows, size_t n, double clock_step_ns,
	const atomic_bool *stop, struct shift_summary *summary);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* comparison.h - two phases beside each other: whether rows became better or worse, and what differs besides.
 * Pure.
 *
 * The verdicts are those of shift.h. Rows belong together that have the same mechanism and planned CPUs. */
#pragma once

#include "src/base/error_text.h"
#include "src/figures/shift.h"
#include "src/model/compared_phase.h"

struct comparison_row {
	const struct compared_row *a, *b;
	struct shift_row shift;
	enum shift_percentile decisive; /* the first that has the verdict of the row */
	uint64_t max_a_ns, max_b_ns;    /* over the last over_ns of each phase */
	uint64_t over_ns;               /* active time: that of the shorter phase */
	bool max_is_higher, max_is_lower;
	uint64_t above_a, above_b; /* samples above the limit; 0 without one */
	struct rate_shift rate;    /* of these */
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
	size_t n_only_a, n_only_b;
	uint64_t limit_ns;              /* of B, or else of A; 0: neither had one */
	double clock_step_ns;           /* the larger of both; 0: small beside any latency */
	struct difference *differences; /* owned */
	size_t n_differences;
	struct shift_summary summary;
};

/* Phases stay the caller's. Returns 0, -EINVAL with a sentence that names all that keeps them from being
 * compared, or -ENOMEM. comparison_finish() accepts what is left. */
int comparison_init(struct comparison *comparison, const struct compared_phase *a,
	const struct compared_phase *b, struct error_text *reason);
/* Its steps: the second takes each row, whose phases have their blocks by then, in any order. */
int comparison_begin(struct comparison *comparison, const struct compared_phase *a,
	const struct compared_phase *b, struct error_text *reason);
int comparison_judge_row(struct comparison *comparison, struct comparison_row *row); /* 0 or -ENOMEM */
void comparison_compare_maxima(struct comparison_row *row); /* only these; of groups, too */
/* @stop: as in shift_rows_summarize(). Returns 0, -ENOMEM or -ECANCELED. */
int comparison_summarize(struct comparison *comparison, const atomic_bool *stop);
void comparison_finish(struct comparison *comparison);

/* Sets the numbers of the phases between the two, of the same run, that tell what each of several differences
 * did. @first is above @last if there are none, or if fewer than two things differ. */
void comparison_between(const struct comparison *comparison, unsigned *first, unsigned *last);

/* Why a row has the verdict "too few": "3 of 8 blocks", "2 of 5 samples beyond p99". Returns @text. */
char *comparison_few(
	const struct comparison_row *row, enum shift_percentile percentile, char *text, size_t size);
const char *shift_percentile_name(enum shift_percentile percentile); /* "p50", "p99", "p99.9" */

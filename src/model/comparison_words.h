/* SPDX-License-Identifier: GPL-2.0-or-later */
/* comparison_words.h - the columns and the sentences of a comparison, the same on the screen and in text.
 * Pure. Functions with @text return it. */
#pragma once

#include <stddef.h>

#include "src/model/comparison.h"

enum { COMPARISON_WORDS_SIZE = 512, SHIFT_PERCENT_SIZE = 16 };

extern const char comparison_bounds[]; /* the threshold and the intervals */

/* A column has the values of A and B, and that of a percentile their change. */
struct comparison_column {
	const char *title;
	enum {
		COMPARISON_TIME,
		COMPARISON_RATE,
		COMPARISON_COUNT
	} kind;    /* rate: of the samples above the limit */
	size_t ns; /* of COMPARISON_TIME: a member of struct comparison_side; 0: no sample */
	enum shift_percentile percentile; /* N_SHIFT_PERCENTILES: it is none */
	unsigned gives_way;               /* the highest is omitted first; 0: never */
};

enum comparison_column_id {
	COMPARISON_P50,
	COMPARISON_P99,
	COMPARISON_P999,
	COMPARISON_MAX,
	COMPARISON_LATE,
	COMPARISON_ABOVE,
	COMPARISON_N,
	N_COMPARISON_COLUMNS,
};

extern const struct comparison_column comparison_columns[N_COMPARISON_COLUMNS];

uint64_t comparison_ns(const struct comparison_column *column, const struct comparison_side *side);
double comparison_rate(const struct comparison_side *side); /* samples above the limit in a second */

/* "+3.2 %" as "+3.2", "+79", "?" for an open end. */
char *comparison_percent(double shift, char text[SHIFT_PERCENT_SIZE]);

/* A head ("differs in 2", "only this changed", "nothing recorded differs"), and a line for each difference:
 * "32 of 36 members OTHER > FIFO:80", "governor powersave > performance". The caller frees it; NULL: no
 * memory. */
char *comparison_differences(const struct comparison *comparison);
size_t comparison_differences_count(const char *differences); /* of these lines, without the head */
/* The same in one line with the first @n_shown differences: "differs in 5: ...; ...; and 3 more". The caller
 * frees it; NULL: no memory. */
char *comparison_differences_line(const char *differences, size_t n_shown);
/* The advice if several facts differ: "2 things changed: this cannot tell which. Compare 1 with 2, 2
 * with 3."; "" if one differs, or none. */
char *comparison_advice(const struct comparison *comparison, char text[COMPARISON_WORDS_SIZE]);
/* "11b 4w 2? 1~": how many rows have each verdict. */
char *comparison_counts(const size_t n[N_SHIFT_VERDICTS], char text[COMPARISON_WORDS_SIZE]);
/* "BETTER 11 of 18, WORSE 4, undecided 2, too few 1; 3 worse after the correction for 36 tests". */
char *comparison_headline(
	const struct shift_summary *summary, size_t n_rows, char text[COMPARISON_WORDS_SIZE]);
/* "all together p99 -60 %, half of the rows -72 to -41", or "" if they did not all move. */
char *comparison_overall(const struct shift_summary *summary, size_t n_rows, enum shift_percentile percentile,
	char text[COMPARISON_WORDS_SIZE]);
/* "5 rows need longer phases: about 40 s for half of them", "" if nothing tells, or if that is days. */
char *comparison_longer(const struct shift_summary *summary, uint64_t length_a_ns, uint64_t length_b_ns,
	char text[COMPARISON_WORDS_SIZE]);
/* "worse p99", "same", "too few". */
char *comparison_verdict(
	enum shift_verdict verdict, enum shift_percentile decisive, char text[COMPARISON_WORDS_SIZE]);
/* "p99 +79 % [+58, +103]", or "p99 too few". */
char *comparison_interval(const struct comparison_line *line, enum shift_percentile percentile,
	char text[COMPARISON_WORDS_SIZE]);

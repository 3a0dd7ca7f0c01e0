/* SPDX-License-Identifier: GPL-2.0-or-later */
/* comparison_words.h - the columns and the sentences of a comparison, the same on the screen and in text.
 * Pure. Functions with @text return it. */
#pragma once

#include <stddef.h>

#include "src/model/comparison.h"

enum { COMPARISON_WORDS_SIZE = 512 };

extern const char comparison_bounds[]; /* the threshold and the intervals */
/* ", may be chance": what does not survive the correction for all marks. */
extern const char comparison_may_be_chance[];

/* A column has the values of A and B, and that of a percentile their change. */
struct comparison_column {
	const char *title;
	enum {
		COMPARISON_TIME,
		COMPARISON_SHARE,
		COMPARISON_RATE,
		COMPARISON_COUNT
	} kind;    /* share: of missed slots, in %; rate: of the samples above the limit */
	size_t ns; /* of COMPARISON_TIME: a member of struct comparison_side; 0: no sample */
	enum shift_percentile percentile; /* N_SHIFT_PERCENTILES: it is none */
	unsigned gives_way;               /* the highest is omitted first; 0: never */
	unsigned from;                    /* columns of the narrowest table that has room for it */
};

enum comparison_column_id {
	COMPARISON_MISSED,
	COMPARISON_P50,
	COMPARISON_P99,
	COMPARISON_P999,
	COMPARISON_MAX,
	COMPARISON_RESPONSE,
	COMPARISON_LATE,
	COMPARISON_ABOVE,
	COMPARISON_N,
	N_COMPARISON_COLUMNS,
};

extern const struct comparison_column comparison_columns[N_COMPARISON_COLUMNS];

uint64_t comparison_ns(const struct comparison_column *column, const struct comparison_side *side);
double comparison_rate(const struct comparison_side *side); /* samples above the limit in a second */
/* "4.6", "100", "0.0", of slots; "-" in a flood. */
enum { COMPARISON_SHARE_SIZE = 16 };
char *comparison_share(double missed, double slots, char text[COMPARISON_SHARE_SIZE]);

/* "phase 2", of replicates "phases 2, 4", "phases 2, 4, ... 24". */
enum { COMPARISON_PHASES_SIZE = 64 };
char *comparison_phases(const uint32_t *numbers, size_t n, char text[COMPARISON_PHASES_SIZE]);
/* A head ("differs in 2", "only this changed", "nothing recorded differs"), before it how many replicates
 * there are ("2 x A, 2 x B; ") or that the two are some ("replicates; differs in 1": it is the machine's own
 * doing), and a line for each difference: "32 of 36 members OTHER > FIFO:80", "governor powersave >
 * performance". The caller frees it; NULL: no memory. */
char *comparison_differences(const struct comparison *comparison);
size_t comparison_differences_count(const char *differences); /* of these lines, without the head */
/* The same in one line with the first @n_shown differences: "differs in 5: ...; ...; and 3 more". The caller
 * frees it; NULL: no memory. */
char *comparison_differences_line(const char *differences, size_t n_shown);
/* The advice if several facts differ: "2 things changed: any may be the cause. Compare 1 with 2, 2 with 3.";
 * "" if one differs, or none. */
char *comparison_advice(const struct comparison *comparison, char text[COMPARISON_WORDS_SIZE]);
/* What spikes took in a second, of A and B, by their largest causes: "blame in ms/s: kworker/0:1 2.1 > 0.1,
 * unexplained 0.3 > 0.3"; "" without spikes, or if none of them was recorded. */
char *comparison_blame(const struct comparison *comparison, char text[COMPARISON_WORDS_SIZE]);
/* The rows that one phase alone has: "not compared: A alone has mq 0>0, pipe 1>1; B alone has futex 0>0 and 3
 * more"; "" if both have the same. */
char *comparison_alone(const struct comparison *comparison, char text[COMPARISON_WORDS_SIZE]);
/* "11b 4w 2? 1~": how many rows have each verdict. */
char *comparison_counts(const size_t n[N_SHIFT_VERDICTS], char text[COMPARISON_WORDS_SIZE]);
/* Direction, and the marks that tell most: "WORSE: missed 0.0 > 4.6 %, response p99 71 us > 2.6 ms". Marks of
 * more than one row have their typical change: "response p99 +240 %". Without a direction the largest change
 * that is not proved, or what there is too little of. @line: of the only row, or if all have too few samples
 * of one of them; NULL: there are several, or none. */
char *comparison_headline(const struct verdict_summary *summary, const struct comparison_line *line,
	enum figure figure, char text[COMPARISON_WORDS_SIZE]);
/* The same with as many marks as @width columns have room for, or if not even one has, without the quartiles
 * of the rows. */
char *comparison_headline_in(const struct verdict_summary *summary, const struct comparison_line *line,
	enum figure figure, size_t width, char text[COMPARISON_WORDS_SIZE]);
/* The same of two sweeps: "WORSE: hop p50 14 worse of 56 cells; lap p50 7 worse of 28 cells". */
char *comparison_matrix_headline(const struct comparison *comparison, char text[COMPARISON_WORDS_SIZE]);
/* "of 18 rows 11 better, 4 worse, 2 undecided, 1 too few; 9 better, 3 worse after the correction for 96
 * tests", or what @width columns have room for: "; corrected 9 better, 3 worse", "of 18 rows 11b 4w 2? 1~;
 * corrected 9b 3w". All rows together may have moved where "none by itself" has. */
char *comparison_rows(const struct verdict_summary *summary, size_t width, char text[COMPARISON_WORDS_SIZE]);
/* The mark that tells most for the verdict of a row; p50 where none moved. */
enum mark_id comparison_mark(const struct comparison_line *line);
const char *comparison_mark_name(
	enum mark_id mark); /* "p99" of the shown figure, "resp", "missed", "spikes" */
/* "worse p99", "better resp", "worse missed", "same", "same to p99", "too few". */
char *comparison_verdict(const struct comparison_line *line, char text[COMPARISON_WORDS_SIZE]);
/* The same with the marks that tell most, and what is not known: "worse: missed 0.0 > 4.6 %, response p99
 * 71 us > 2.6 ms", "worse, may be chance: first hop p50 4.0 us > 4.2 us", "undecided: same p50; undecided
 * p99". */
char *comparison_reasons(
	const struct comparison_line *line, size_t n_marks, char text[COMPARISON_WORDS_SIZE]);
/* "p99 +79 % [+58, +103]", or "p99 too few". */
char *comparison_interval(
	const struct comparison_line *line, enum mark_id mark, char text[COMPARISON_WORDS_SIZE]);
/* Does the mark survive the correction, or needs none? If not, it is shown dim. */
bool comparison_stands(const struct comparison_line *line);

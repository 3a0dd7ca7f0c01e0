/* SPDX-License-Identifier: GPL-2.0-or-later */
/* matrix.h - what a sweep has measured so far: a cell for each two CPUs. Pure.
 *
 * Rows send, columns receive. A cell has the last measurement of its pair, and when it was. What comparisons
 * need of the current phase and of the one before it are sums of all measurements. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/figures/repeats.h"
#include "src/figures/sweep_result.h"
#include "src/machine/task.h"
#include "src/machine/topology.h"
#include "src/plan/sweep_plan.h"

struct plan;

enum matrix_figure {
	MATRIX_FIRST, /* the same hop after a sleep of the row's CPU: only where the sweep measures these */
	MATRIX_HOP,   /* from the row's CPU to the column's */
	MATRIX_LAP,   /* there and back; the same for both directions */
	N_MATRIX_FIGURES
};

enum matrix_value { MATRIX_P50, MATRIX_P99, MATRIX_MAX, MATRIX_MIN, N_MATRIX_VALUES };

enum { N_COMPARED_VALUES = MATRIX_P99 + 1 }; /* those whose changes are judged */

/* The measurements of a pair in one phase. Those within a second depend on each other, so they are one
 * repeat. */
struct matrix_repeats {
	uint64_t since_ns;                                       /* of the last repeat */
	uint32_t n;                                              /* its measurements */
	uint32_t logs[N_SWEEP_FIGURES][N_COMPARED_VALUES];       /* the sums of their logs */
	struct repeats past[N_SWEEP_FIGURES][N_COMPARED_VALUES]; /* the others */
};

struct matrix_phase {
	uint32_t number;                /* the session's; 0: there is none */
	uint64_t start_ns;              /* what was measured earlier is not of it */
	size_t n_repeats;               /* of all pairs, with the last ones */
	struct matrix_repeats *repeats; /* owned; by sweep_pair_index() */
};

struct matrix {
	char *mechanism, *title; /* owned */
	bool batches;            /* laps are means of batches */
	bool has_first;          /* first hops are measured, too */
	unsigned at_once;        /* pairs that are measured at the same time */
	/* Of the members; -1: not known, as recordings before 5.9 and summaries of that time lack it. */
	struct task_policy policy;
	uint64_t size;          /* of the token, in bytes; 0: the smallest one */
	struct sweep_cpu *cpus; /* owned; in the order of a matrix, see sweep_plan.h */
	uint8_t *isolated;      /* owned; by index in cpus */
	uint32_t n_cpus;
	uint8_t *localities;          /* owned; by sweep_pair_index(): enum locality */
	struct sweep_result *results; /* owned; the same; at_ns 0: not measured yet */
	size_t n_pairs, n_measured;   /* n_measured: of them, at least once */
	uint64_t n_results;           /* measurements in all */
	uint64_t n_rounds;            /* complete ones */
	uint64_t loops;               /* how many end the sweep, 0: endless */
	char *failure;                /* owned; why the sweep ended by itself; NULL: it did not */
	struct matrix_phase now;      /* the current phase */
	struct matrix_phase before;   /* the last one before it in which something was measured */
};

const char *matrix_figure_name(enum matrix_figure figure);  /* "first", "hop", "lap": JSON key */
const char *matrix_figure_title(enum matrix_figure figure); /* "first hop", "hop", "lap" */
const char *matrix_value_name(enum matrix_value value);     /* "p50", "p99", "Max", "Min" */

/* Makes the matrix of the plan's sweep. Returns 0 or -ENOMEM with nothing to destroy. */
int matrix_create(struct matrix **matrix, const struct topology *topology, const struct plan *plan);
/* Makes one of @n_cpus CPUs, at least two, whose parts and classes are the caller's to fill in. Returns the
 * same. */
int matrix_create_empty(struct matrix **matrix, uint32_t n_cpus, const char *mechanism, const char *title);
void matrix_destroy(struct matrix *matrix); /* accepts NULL */

/* Adds results. Returns 0, or -EINVAL for CPUs that the matrix does not have, or without a matrix. */
int matrix_feed(struct matrix *matrix, const struct sweep_result *results, size_t n, uint64_t n_rounds);
/* Returns the round that goes on, from 1 on, or after the last one that. */
uint64_t matrix_round(const struct matrix *matrix);
/* Stores the last measurement of a pair, which the matrix must have, in no phase. */
void matrix_put(struct matrix *matrix, const struct sweep_result *result);
/* Measurements from @start_ns on belong to the phase @number. */
void matrix_begin_phase(struct matrix *matrix, uint32_t number, uint64_t start_ns);
/* Copies what was measured in phase @number, as the copy's current phase: nothing, if the matrix does not
 * have that phase any more. Returns 0 or -ENOMEM. */
int matrix_copy_phase(struct matrix **copy, const struct matrix *matrix, uint32_t number);
/* Puts the current phase of @before, which may have other CPUs, before that of @matrix. Sets @n to the number
 * of pairs that have repeats in both. Returns 0 or -ENOMEM. */
int matrix_put_before(struct matrix *matrix, const struct matrix *before, size_t *n);
/* Sets why the sweep ended by itself; without memory there is no text. */
void matrix_fail(struct matrix *matrix, const char *reason);

/* Returns what a pair did in all repeats of a phase. */
struct repeats matrix_repeats_of(
	const struct matrix_repeats *repeats, enum sweep_figure_kind kind, enum matrix_value value);
/* Returns whether the sweep measures a figure. */
static inline bool matrix_has(const struct matrix *matrix, enum matrix_figure figure)
{
	return figure != MATRIX_FIRST || matrix->has_first;
}

/* Returns how many of a result's figures the sweep measures: those before SWEEP_FIRST_THERE, or all. */
static inline int matrix_n_kinds(const struct matrix *matrix)
{
	return matrix->has_first ? N_SWEEP_FIGURES : N_SWEEP_FIGURES_OF_ALL;
}

/* Returns the hops that pictures show: first hops where they are measured, as only who wants them has them.
 */
static inline enum matrix_figure matrix_wanted_hop(const struct matrix *matrix)
{
	return matrix->has_first ? MATRIX_FIRST : MATRIX_HOP;
}

/* Returns which figure of a pair is that of the cell. */
enum sweep_figure_kind matrix_kind_of(enum matrix_figure figure, uint32_t row, uint32_t column);
/* Returns the figure of a cell, with n 0 if it was not measured. @row and @column are indices in cpus, and
 * differ. */
const struct sweep_figure *matrix_figure_of(
	const struct matrix *matrix, enum matrix_figure figure, uint32_t row, uint32_t column);
/* Returns its value in ns; below 0: it was not measured. */
float matrix_value_of(const struct sweep_figure *figure, enum matrix_value value);
/* Returns whether a percentile has enough samples beyond it to be trusted; extremes are. */
bool matrix_value_is_trusted(const struct sweep_figure *figure, enum matrix_value value);
/* Returns when the cell was measured; 0: not yet. */
uint64_t matrix_measured_ns(const struct matrix *matrix, uint32_t row, uint32_t column);
enum locality matrix_locality(const struct matrix *matrix, uint32_t row, uint32_t column);

/* A CPU that is slow with most of the others. */
struct matrix_slow_cpu {
	bool is_known;        /* false: fewer than three CPUs have been measured */
	uint32_t index;       /* in cpus of the matrix */
	float median, others; /* of its cells; and of the medians of all other CPUs; in ns */
};

/* The two cells of a pair that differ most, the larger one first; of laps none do. */
struct matrix_asymmetry {
	bool is_known;
	uint32_t row, column; /* of the larger one */
	float there, back;    /* in ns */
};

/* What stands out among some cells. */
struct matrix_outliers {
	struct matrix_slow_cpu receiver, sender;
	struct matrix_asymmetry asymmetry;
};

/* The cells of one class: of a lap one for each pair, of a hop two. */
struct matrix_class {
	size_t n_cells;               /* that the machine has */
	size_t n;                     /* of them measured; the rest is 0 where this is */
	float least, median, largest; /* of the cells' values, in ns */
	uint32_t row, column;         /* of the largest one */
	uint64_t n_samples;
	struct matrix_outliers outliers;
};

struct matrix_summary {
	struct matrix_class classes[N_LOCALITIES];
	struct matrix_outliers outliers; /* of all cells */
	uint64_t oldest_ns, newest_ns;   /* when cells were measured; 0: none was */
	uint32_t n_least, n_most;        /* samples of a cell; 0: none has any */
};

/* Returns 0 or -ENOMEM. Takes some 50 ms for 576 CPUs. */
int matrix_summarize(const struct matrix *matrix, enum matrix_figure figure, enum matrix_value value,
	struct matrix_summary *summary);

/* Returns the median of @n values, which it reorders; below 0 if there are none. */
float matrix_median(float *values, size_t n);

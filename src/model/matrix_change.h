/* SPDX-License-Identifier: GPL-2.0-or-later */
/* matrix_change.h - by how much each cell of a matrix changed from the phase before to the current one, and
 * whether that is more than chance. Pure.
 *
 * A cell is worse or better only if its change is beyond chance for all cells, figures and values together:
 * with a probability of 95 % none of those is wrong. Source: S. Holm, A simple sequentially rejective
 * multiple test procedure (1979). */
#pragma once

#include "src/model/matrix.h"

/* Logs of the ratio, see shift.h. */
struct matrix_cell_change {
	enum shift_verdict verdict; /* never SHIFT_MIXED; SHIFT_TOO_FEW: estimate and half are 0 */
	uint32_t n_a, n_b;          /* repeats */
	float a, b;                 /* geometric means in ns; 0: no repeats */
	float estimate, half; /* the interval of this cell alone, at 95 %, reaches so far to either side */
};

struct matrix_class_change {
	size_t n_cells; /* with enough repeats in both phases */
	size_t n_better, n_worse;
	float median; /* of the estimates; 0 without cells */
};

struct matrix_change {
	const struct matrix *matrix;
	struct matrix_cell_change *cells; /* owned; n_cpus x n_cpus, by row; of a lap both halves are alike */
	size_t n_cells, n_too_few;        /* of a lap one for each pair, of a hop two */
	size_t n_better, n_worse, n_same, n_undecided;
	struct matrix_class_change classes[N_LOCALITIES];
	const struct matrix_cell_change *best, *worst; /* with the largest changes; NULL: there is none */
	uint32_t n_a, n_b; /* repeats of the cells that have the fewest; 0: no cell has any in both phases */
	/* In each phase, to show a change of 5 % in 4 of 5 cells of the usual spread, beyond chance for all;
	 * 0: not known. */
	uint32_t n_needed;
};

/* Compares with the phase before, which may be empty. @value: MATRIX_P50 or MATRIX_P99. Returns 0, or
 * -ENOMEM; matrix_change_finish() accepts either. Takes some 100 ms for 576 CPUs. */
int matrix_change_make(struct matrix_change *change, const struct matrix *matrix, enum matrix_figure figure,
	enum matrix_value value);
void matrix_change_finish(struct matrix_change *change);

/* The changes of all figures and values; zeroed where the matrix lacks the figure. */
struct matrix_changes {
	struct matrix_change of[N_MATRIX_FIGURES][N_COMPARED_VALUES];
};

/* Returns 0 or -ENOMEM; matrix_changes_finish() accepts either. */
int matrix_changes_make(struct matrix_changes *changes, const struct matrix *matrix);
void matrix_changes_finish(struct matrix_changes *changes);

/* The verdict of all cells, figures and values. */
struct matrix_verdict {
	/* SHIFT_BETTER, SHIFT_WORSE or SHIFT_MIXED if any cell is better or worse. Without one, SHIFT_SAME if
	 * the p50 of each hop is the same, SHIFT_TOO_FEW if each has too few repeats, or else
	 * SHIFT_UNDECIDED. */
	enum shift_verdict verdict;
	size_t n_tests, n_worse, n_better;
};

struct matrix_verdict matrix_changes_verdict(const struct matrix_changes *changes);

enum { MATRIX_CHANGE_SIZE = 48 };

/* Writes a change in four columns at most: "+34", "-5.1", and from 1000 % on a factor: "x12", "x999" at most.
 * Returns @text. */
char *matrix_change_text(char text[MATRIX_CHANGE_SIZE], float estimate);
/* The same with its unit: "+34%", "x12". */
char *matrix_change_with_unit(char text[MATRIX_CHANGE_SIZE], float estimate);
/* Writes a change with its interval: "+50 % [+45, +55]", "x12 [x2.1, x70]". Returns @text. */
char *matrix_change_interval(char text[MATRIX_CHANGE_SIZE], const struct matrix_cell_change *cell);

enum { MATRIX_NEED_SIZE = 64 };

/* Writes what would do: "14 repeats would show 5 %, A has 4, B 4", or where no spread is known "a cell needs
 * 3 repeats, A has 1, B 1"; "" if there are enough, or it is not known. Returns @text. */
char *matrix_change_need(char text[MATRIX_NEED_SIZE], const struct matrix_change *change);

/* @row and @column are indices in cpus of the matrix. */
static inline const struct matrix_cell_change *matrix_change_of(
	const struct matrix_change *change, uint32_t row, uint32_t column)
{
	return &change->cells[(size_t)row * change->matrix->n_cpus + column];
}

/* Sets the row and the column of a cell. */
static inline void matrix_change_indices(const struct matrix_change *change,
	const struct matrix_cell_change *cell, uint32_t *row, uint32_t *column)
{
	*row = (uint32_t)((size_t)(cell - change->cells) / change->matrix->n_cpus);
	*column = (uint32_t)((size_t)(cell - change->cells) % change->matrix->n_cpus);
}

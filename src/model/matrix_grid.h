/* SPDX-License-Identifier: GPL-2.0-or-later */
/* matrix_grid.h - the cells of a matrix, or their changes, as they are shown: one for each two CPUs, or for
 * each two parts of the machine. Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/model/matrix_change.h"

enum matrix_grouping { MATRIX_BY_CPU, MATRIX_BY_CORE, MATRIX_BY_L3, MATRIX_BY_NODE, N_MATRIX_GROUPINGS };

struct matrix_grid {
	const struct matrix *matrix;
	enum matrix_grouping grouping;
	uint32_t n;      /* rows, and columns */
	uint32_t *first; /* owned; the index of each row's first CPU; n + 1 of them, the last one is n_cpus */
	/* Owned; n x n, by row: the median of the cells, in ns; below 0: none of them was measured. The cell
	 * of a part with itself is that of its own CPUs with each other. */
	float *values;
	/* Owned; the same: whether a cell's percentile has too few samples beyond it. NULL: the grid is one
	 * of changes. */
	bool *doubtful;
	/* Owned; the same, of a grid of changes, whose values are the medians of the estimates, 0 without
	 * any: SHIFT_MIXED if cells are better and others worse, or one of both; SHIFT_SAME if all are.
	 * NULL: the grid is one of figures. */
	enum shift_verdict *verdicts;
};

const char *matrix_grouping_name(enum matrix_grouping grouping); /* "CPU", "core", "L3", "node" */

/* Returns the row of a CPU. @index: in cpus of the matrix. */
uint32_t matrix_grid_row_of(const struct matrix *matrix, enum matrix_grouping grouping, uint32_t index);
/* Returns the number of rows. */
uint32_t matrix_grid_rows(const struct matrix *matrix, enum matrix_grouping grouping);
/* Returns the finest grouping with at most @most rows, or the coarsest one. */
enum matrix_grouping matrix_grid_fit(const struct matrix *matrix, uint32_t most);

/* Returns 0 or -ENOMEM; matrix_grid_finish() accepts either. */
int matrix_grid_make(struct matrix_grid *grid, const struct matrix *matrix, enum matrix_figure figure,
	enum matrix_value value, enum matrix_grouping grouping);
int matrix_grid_make_changes(
	struct matrix_grid *grid, const struct matrix_change *change, enum matrix_grouping grouping);
void matrix_grid_finish(struct matrix_grid *grid);

static inline float matrix_grid_value(const struct matrix_grid *grid, uint32_t row, uint32_t column)
{
	return grid->values[(size_t)row * grid->n + column];
}

static inline bool matrix_grid_is_doubtful(const struct matrix_grid *grid, uint32_t row, uint32_t column)
{
	return grid->doubtful[(size_t)row * grid->n + column];
}

static inline enum shift_verdict matrix_grid_verdict(
	const struct matrix_grid *grid, uint32_t row, uint32_t column)
{
	return grid->verdicts[(size_t)row * grid->n + column];
}

/* Writes the name of a row: the number of its CPU, or of the first CPU of its part. Returns @text. */
enum { MATRIX_ROW_SIZE = 12 };
char *matrix_grid_row_name(const struct matrix_grid *grid, uint32_t row, char text[MATRIX_ROW_SIZE]);

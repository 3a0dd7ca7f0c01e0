/* SPDX-License-Identifier: GPL-2.0-or-later */
/* matrix_grid.c - the cells of a matrix as they are shown. */
#include "src/model/matrix_grid.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

const char *matrix_grouping_name(enum matrix_grouping grouping)
{
	static const char *const names[] = {"CPU", "core", "L3", "node"};

	return names[grouping];
}

uint32_t matrix_grid_row_of(const struct matrix *matrix, enum matrix_grouping grouping, uint32_t index)
{
	const struct sweep_cpu *cpu = &matrix->cpus[index];

	return grouping == MATRIX_BY_CORE   ? cpu->core
	       : grouping == MATRIX_BY_L3   ? cpu->l3
	       : grouping == MATRIX_BY_NODE ? cpu->node
					    : index;
}

uint32_t matrix_grid_rows(const struct matrix *matrix, enum matrix_grouping grouping)
{
	return matrix_grid_row_of(matrix, grouping, matrix->n_cpus - 1) + 1;
}

enum matrix_grouping matrix_grid_fit(const struct matrix *matrix, uint32_t most)
{
	enum matrix_grouping grouping = MATRIX_BY_CPU;

	while (grouping < MATRIX_BY_NODE && matrix_grid_rows(matrix, grouping) > most)
		grouping++;
	return grouping;
}

/* Sets the value of the cells between two parts. @values: room for theirs. */
static void sum_cells(struct matrix_grid *grid, enum matrix_figure figure, enum matrix_value value,
	uint32_t row, uint32_t column, float *values)
{
	size_t n = 0, at = (size_t)row * grid->n + column;

	for (uint32_t a = grid->first[row]; a < grid->first[row + 1]; a++)
		for (uint32_t b = grid->first[column]; b < grid->first[column + 1]; b++) {
			const struct sweep_figure *cell = matrix_figure_of(grid->matrix, figure, a, b);

			if (!cell->n)
				continue;
			values[n++] = matrix_value_of(cell, value);
			grid->doubtful[at] |= !matrix_value_is_trusted(cell, value);
		}
	grid->values[at] = matrix_median(values, n);
}

/* Makes a grid without values. Sets @cells to room for the values of any two parts, which the caller frees.
 * Returns 0 or -ENOMEM. */
static int make_rows(
	struct matrix_grid *grid, const struct matrix *matrix, enum matrix_grouping grouping, float **cells)
{
	uint32_t n = matrix_grid_rows(matrix, grouping), most = 0;

	*grid = (struct matrix_grid){.matrix = matrix, .grouping = grouping, .n = n};
	*cells = NULL;
	grid->first = calloc(n + 1, sizeof(*grid->first));
	grid->values = calloc((size_t)n * n, sizeof(*grid->values));
	if (!grid->first || !grid->values)
		return -ENOMEM;
	for (uint32_t index = matrix->n_cpus; index-- > 0;)
		grid->first[matrix_grid_row_of(matrix, grouping, index)] = index;
	grid->first[n] = matrix->n_cpus;
	for (uint32_t row = 0; row < n; row++)
		if (grid->first[row + 1] - grid->first[row] > most)
			most = grid->first[row + 1] - grid->first[row];
	*cells = malloc((size_t)most * most * sizeof(**cells));
	return *cells ? 0 : -ENOMEM;
}

int matrix_grid_make(struct matrix_grid *grid, const struct matrix *matrix, enum matrix_figure figure,
	enum matrix_value value, enum matrix_grouping grouping)
{
	uint32_t n = matrix_grid_rows(matrix, grouping);
	float *cells;
	int r = make_rows(grid, matrix, grouping, &cells);

	if (r < 0)
		return r;
	grid->doubtful = calloc((size_t)n * n, sizeof(*grid->doubtful));
	for (uint32_t row = 0; grid->doubtful && row < n; row++)
		for (uint32_t column = 0; column < n; column++)
			sum_cells(grid, figure, value, row, column, cells);
	free(cells);
	return grid->doubtful ? 0 : -ENOMEM;
}

/* Sets the value and the verdict of the cells between two parts. */
static void sum_changes(struct matrix_grid *grid, const struct matrix_change *change, uint32_t row,
	uint32_t column, float *estimates)
{
	size_t n[N_SHIFT_VERDICTS] = {0}, n_judged = 0;

	for (uint32_t a = grid->first[row]; a < grid->first[row + 1]; a++)
		for (uint32_t b = grid->first[column]; b < grid->first[column + 1]; b++) {
			const struct matrix_cell_change *cell = matrix_change_of(change, a, b);

			if (cell->verdict == SHIFT_TOO_FEW)
				continue;
			n[cell->verdict]++;
			estimates[n_judged++] = cell->estimate;
		}
	size_t at = (size_t)row * grid->n + column;

	grid->values[at] = n_judged ? matrix_median(estimates, n_judged) : 0;
	grid->verdicts[at] = n[SHIFT_WORSE] && n[SHIFT_BETTER] ? SHIFT_MIXED
			     : n[SHIFT_WORSE]                  ? SHIFT_WORSE
			     : n[SHIFT_BETTER]                 ? SHIFT_BETTER
			     : !n_judged                       ? SHIFT_TOO_FEW
			     : n[SHIFT_SAME] == n_judged       ? SHIFT_SAME
							       : SHIFT_UNDECIDED;
}

int matrix_grid_make_changes(
	struct matrix_grid *grid, const struct matrix_change *change, enum matrix_grouping grouping)
{
	float *estimates;
	int r = make_rows(grid, change->matrix, grouping, &estimates);

	if (r < 0)
		return r;
	grid->verdicts = calloc((size_t)grid->n * grid->n, sizeof(*grid->verdicts));
	for (uint32_t row = 0; grid->verdicts && row < grid->n; row++)
		for (uint32_t column = 0; column < grid->n; column++)
			sum_changes(grid, change, row, column, estimates);
	free(estimates);
	return grid->verdicts ? 0 : -ENOMEM;
}

void matrix_grid_finish(struct matrix_grid *grid)
{
	free(grid->first);
	free(grid->values);
	free(grid->doubtful);
	free(grid->verdicts);
	*grid = (struct matrix_grid){0};
}

char *matrix_grid_row_name(const struct matrix_grid *grid, uint32_t row, char text[MATRIX_ROW_SIZE])
{
	snprintf(text, MATRIX_ROW_SIZE, "%u", grid->matrix->cpus[grid->first[row]].cpu);
	return text;
}

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

uint32_t matrix_grid_row_of(const struct matrix *matrix, enum matrix_grouping grouping, uint32_t place)
{
	const struct sweep_cpu *cpu = &matrix->cpus[place];

	return grouping == MATRIX_BY_CORE   ? cpu->core
	       : grouping == MATRIX_BY_L3   ? cpu->l3
	       : grouping == MATRIX_BY_NODE ? cpu->node
					    : place;
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

/* Writes the values of the cells between two parts. Returns their number. */
static size_t read_cells(const struct matrix_grid *grid, enum matrix_figure figure, enum matrix_value value,
	uint32_t row, uint32_t column, float *values)
{
	size_t n = 0;

	for (uint32_t a = grid->first[row]; a < grid->first[row + 1]; a++)
		for (uint32_t b = grid->first[column]; b < grid->first[column + 1]; b++) {
			float ns = matrix_value_of(matrix_figure_of(grid->matrix, figure, a, b), value);

			if (ns >= 0)
				values[n++] = ns;
		}
	return n;
}

int matrix_grid_make(struct matrix_grid *grid, const struct matrix *matrix, enum matrix_figure figure,
	enum matrix_value value, enum matrix_grouping grouping)
{
	uint32_t n = matrix_grid_rows(matrix, grouping), most = 0;

	*grid = (struct matrix_grid){.matrix = matrix, .grouping = grouping, .n = n};
	grid->first = calloc(n + 1, sizeof(*grid->first));
	grid->values = calloc((size_t)n * n, sizeof(*grid->values));
	if (!grid->first || !grid->values)
		return -ENOMEM;
	for (uint32_t place = matrix->n_cpus; place-- > 0;)
		grid->first[matrix_grid_row_of(matrix, grouping, place)] = place;
	grid->first[n] = matrix->n_cpus;
	for (uint32_t row = 0; row < n; row++)
		if (grid->first[row + 1] - grid->first[row] > most)
			most = grid->first[row + 1] - grid->first[row];
	float *cells = malloc((size_t)most * most * sizeof(*cells));

	if (!cells)
		return -ENOMEM;
	for (uint32_t row = 0; row < n; row++)
		for (uint32_t column = 0; column < n; column++)
			grid->values[(size_t)row * n + column] =
				matrix_median(cells, read_cells(grid, figure, value, row, column, cells));
	free(cells);
	return 0;
}

void matrix_grid_finish(struct matrix_grid *grid)
{
	free(grid->first);
	free(grid->values);
	*grid = (struct matrix_grid){0};
}

char *matrix_grid_row_name(const struct matrix_grid *grid, uint32_t row, char text[MATRIX_ROW_SIZE])
{
	snprintf(text, MATRIX_ROW_SIZE, "%u", grid->matrix->cpus[grid->first[row]].cpu);
	return text;
}

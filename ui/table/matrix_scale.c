/* SPDX-License-Identifier: GPL-2.0-or-later */
/* matrix_scale.c - the steps of a gradient that show the cells of a matrix. */
#include "ui/table/matrix_scale.h"

#include <math.h>
#include <stdlib.h>

struct matrix_scale matrix_scale_make(const struct matrix_grid *grid)
{
	const double least_ratio = 1.5;
	size_t n = 0, all = (size_t)grid->n * grid->n;
	float *values = malloc(all * sizeof(*values));
	double low = 1, high = 1;
	struct matrix_scale scale;

	for (size_t i = 0; values && i < all; i++)
		if (grid->values[i] >= 0)
			values[n++] = grid->values[i];
	if (n) {
		low = fmax((double)sweep_times_select(values, n, n / 50), 1);
		high = (double)sweep_times_select(values, n, n - 1 - n / 50);
	}
	free(values);
	high = fmax(high, low * least_ratio);
	for (unsigned i = 0; i < MATRIX_SCALE_EDGES; i++)
		scale.edges[i] = (float)(low * pow(high / low, (i + 1.0) / STYLE_STEPS));
	return scale;
}

unsigned matrix_scale_step(const struct matrix_scale *scale, float ns)
{
	unsigned step = ns >= 0;

	while (step && step < STYLE_STEPS && ns >= scale->edges[step - 1])
		step++;
	return step;
}

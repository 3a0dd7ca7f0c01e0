/* SPDX-License-Identifier: GPL-2.0-or-later */
/* matrix_scale.h - the steps of a gradient that show the cells of a matrix. Pure. */
#pragma once

#include "src/model/matrix_grid.h"
#include "ui/draw/style.h"

enum { MATRIX_SCALE_EDGES = STYLE_STEPS - 1 };

struct matrix_scale {
	float edges[MATRIX_SCALE_EDGES]; /* between steps, in ns, ascending */
};

/* The steps are ratios between a fiftieth of all cells and the last fiftieth, so single cells that are far
 * away do not make all others look alike, nor does noise look like a difference. */
struct matrix_scale matrix_scale_make(const struct matrix_grid *grid);
/* Returns the step of a cell, 1 to STYLE_STEPS; 0: it was not measured. */
unsigned matrix_scale_step(const struct matrix_scale *scale, float ns);

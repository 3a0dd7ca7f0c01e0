/* SPDX-License-Identifier: GPL-2.0-or-later */
/* percentiles.h - a table of percentiles: in the window, the phase, and all; or of two phases. Pure. */
#pragma once

#include "src/figures/tick.h"
#include "ui/draw/canvas.h"

struct scene;

enum { PERCENTILES_WIDTH = 33, PERCENTILES_LINES = 15, PERCENTILES_LINES_MIN = 7 };

/* Draws the table; a lower area omits the least important lines. @row: of the session. */
void percentiles_draw(const struct scene *scene, struct area area, size_t row, enum figure figure);

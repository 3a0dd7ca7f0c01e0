/* SPDX-License-Identifier: GPL-2.0-or-later */
/* histogram.h - the distribution of the selected row. Pure. */
#pragma once

#include "ui/table/view_state.h"

enum { N_HISTOGRAM_ZOOMS = 5 };

/* How all views show histograms. */
struct histogram_scale {
	unsigned zoom; /* below N_HISTOGRAM_ZOOMS; 0 shows all */
	bool linear;   /* the bars, not logarithmic */
};

/* Draws a title, the bars, and the main percentiles beside or below them. */
void histogram_draw(const struct scene *scene, struct area area);
/* Draws only the bars, a line each, in the view's unit. */
void histogram_bars(const struct scene *scene, struct area area, const struct hist *hist);
/* Writes "log count", "linear count to p99". Returns @text. */
enum { HISTOGRAM_AXIS_SIZE = 32 };
const char *histogram_axis(const struct histogram_scale *scale, char text[HISTOGRAM_AXIS_SIZE]);

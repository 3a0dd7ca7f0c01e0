/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scale.h - a logarithmic scale between two values, and its grid. Pure. */
#pragma once

#include <stdint.h>

#include "ui/draw/svg.h"

/* Maps values to pixels; @from < @to, both above 0. */
struct scale {
	double from, to;
	double start, end; /* pixels */
};

/* Makes a scale from the largest round value (1, 2 or 5 times a power of ten) that is not above @least to the
 * smallest one that is not below @most. Zeros count as 1. */
struct scale scale_make(uint64_t least, uint64_t most, double start, double end);
double scale_at(const struct scale *scale, double value); /* within start and end */

/* "50 us", "4.1 us": the name of a round value. Returns @text. */
char *scale_time(char *text, size_t size, double ns);

/* Draw grid lines through @box and the values beside it, as times, or as counts. */
void scale_draw_times_left(FILE *out, const struct scale *scale, struct svg_box box);
void scale_draw_times_below(FILE *out, const struct scale *scale, struct svg_box box);
void scale_draw_counts_left(FILE *out, const struct scale *scale, struct svg_box box);

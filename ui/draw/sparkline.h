/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sparkline.h - the last minute's maxima as a line of small bars. Pure. */
#pragma once

#include "src/model/second_stats.h"
#include "src/model/series.h"
#include "ui/draw/canvas.h"

enum { SPARK_WIDTH_MIN = 12 };

/* The widest line of at most so many columns (>= 12), each of which stands for as many seconds. */
unsigned spark_width(unsigned columns);
/* The largest sample of each of the last seconds, as its bucket + 1, the oldest first; 0: none. */
void spark_maxima(
	const struct trails *trails, size_t row, enum figure figure, uint16_t maxima[SERIES_SECONDS]);
/* For each of @width columns its height, 1 to 8, on a log scale from the least to the largest of them, at
 * least an octave; 0: no sample. */
void spark_levels(
	const uint16_t maxima[SERIES_SECONDS], unsigned width, unsigned char levels[SERIES_SECONDS]);
void spark_draw(struct canvas *canvas, struct area area, unsigned x, unsigned width,
	const uint16_t maxima[SERIES_SECONDS]);

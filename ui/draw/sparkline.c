/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sparkline.c - the last minute's maxima as a line of small bars. */
#include "ui/draw/sparkline.h"

unsigned spark_width(unsigned columns)
{
	static const unsigned widths[] = {60, 30, 20, 15, SPARK_WIDTH_MIN};
	size_t i = 0;

	while (widths[i] > columns && widths[i] > SPARK_WIDTH_MIN)
		i++;
	return widths[i];
}

void spark_maxima(
	const struct trails *trails, size_t row, enum figure figure, uint16_t maxima[SERIES_SECONDS])
{
	for (unsigned i = 0; i < SERIES_SECONDS; i++) {
		const struct trail_second *second =
			trails_second(trails, row, figure, SERIES_SECONDS - 1 - i);

		maxima[i] = second ? second->max : 0;
	}
}

void spark_levels(const uint16_t maxima[SERIES_SECONDS], unsigned width, unsigned char levels[SERIES_SECONDS])
{
	unsigned most[SERIES_SECONDS] = {0}, each = SERIES_SECONDS / width, low = UINT16_MAX, high = 0;

	for (unsigned i = 0; i < width * each; i++)
		if (maxima[i] > most[i / each])
			most[i / each] = maxima[i];
	for (unsigned i = 0; i < width; i++) {
		low = most[i] && most[i] < low ? most[i] : low;
		high = most[i] > high ? most[i] : high;
	}
	if (high < low + HIST_OCTAVE)
		high = low + HIST_OCTAVE;
	for (unsigned i = 0; i < width; i++)
		levels[i] = (unsigned char)(most[i] ? 1 + (most[i] - low) * (CANVAS_LEVELS - 1) / (high - low)
						    : 0);
}

void spark_draw(struct canvas *canvas, struct area area, unsigned x, unsigned width,
	const uint16_t maxima[SERIES_SECONDS])
{
	unsigned char levels[SERIES_SECONDS];

	spark_levels(maxima, width, levels);
	for (unsigned i = 0; i < width; i++)
		canvas_level(canvas, area, x + i, 0, levels[i], STYLE_BAR);
}

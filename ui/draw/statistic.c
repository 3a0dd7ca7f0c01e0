/* SPDX-License-Identifier: GPL-2.0-or-later */
/* statistic.c - what is told of a histogram in one time. */
#include "ui/draw/statistic.h"

#include <stdio.h>

#include "ui/table/cells.h"

uint64_t statistic_min(const struct hist *hist)
{
	return hist->min_ns;
}

uint64_t statistic_max(const struct hist *hist)
{
	return hist->max_ns;
}

uint64_t statistic_mean(const struct hist *hist)
{
	return (uint64_t)(hist_mean(hist) + 0.5);
}

uint64_t statistic_stddev(const struct hist *hist)
{
	return (uint64_t)(hist_stddev(hist) + 0.5);
}

void statistic_text(const struct statistic *statistic, const struct hist *hist, enum unit unit,
	unsigned width, char *text, size_t size)
{
	char time[32];
	uint64_t ns;

	if (!hist->n) {
		snprintf(text, size, "-");
		return;
	}
	ns = statistic->of ? statistic->of(hist) : hist_percentile(hist, statistic->percentile);
	snprintf(text, size, "%s%s", statistic->of ? "" : cell_doubt(hist, statistic->percentile),
		units_time(time, sizeof(time), width - 1, ns, unit));
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* statistic.c - one number of a histogram. */
#include "ui/draw/statistic.h"

#include <stdio.h>

enum { BEYOND_TRUSTED = 10 };

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

uint64_t statistic_ns(const struct statistic *statistic, const struct hist *hist)
{
	return statistic->of ? statistic->of(hist) : hist_percentile(hist, statistic->percentile);
}

const char *statistic_doubt(const struct statistic *statistic, const struct hist *hist)
{
	return !statistic->of && hist_beyond(hist->n, statistic->percentile) < BEYOND_TRUSTED ? "~" : "";
}

void statistic_text(const struct statistic *statistic, const struct hist *hist, enum unit unit,
	unsigned width, char *text, size_t size)
{
	char time[32];

	if (hist->n)
		snprintf(text, size, "%s%s", statistic_doubt(statistic, hist),
			units_time(time, sizeof(time), width - 1, statistic_ns(statistic, hist), unit));
	else
		snprintf(text, size, "-");
}

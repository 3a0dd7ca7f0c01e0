/* SPDX-License-Identifier: GPL-2.0-or-later */
/* statistic.c - one number of a histogram. */
#include "ui/draw/statistic.h"

#include <stdio.h>

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
	bool is_doubtful =
		!statistic->of && hist_beyond(hist->n, statistic->percentile) < HIST_BEYOND_TRUSTED;

	return is_doubtful ? "~" : "";
}

enum style statistic_time_style(uint64_t ns, uint64_t limit_ns)
{
	return limit_ns && ns > limit_ns ? STYLE_ABOVE_LIMIT : STYLE_PLAIN;
}

bool statistic_is_known(const struct statistic *statistic, const struct hist *hist)
{
	bool has_samples = hist->n || (hist->n_untimed && statistic->of == statistic_mean);
	bool needs_mean = statistic->of == statistic_mean || statistic->of == statistic_stddev;

	return has_samples && (!needs_mean || hist_has_mean(hist));
}

enum style statistic_style(const struct statistic *statistic, const struct hist *hist, uint64_t limit_ns)
{
	if (!statistic_is_known(statistic, hist))
		return STYLE_PLAIN;
	return style_stronger(*statistic_doubt(statistic, hist) ? STYLE_THIN : STYLE_PLAIN,
		statistic_time_style(statistic_ns(statistic, hist), limit_ns));
}

void statistic_text(const struct statistic *statistic, const struct hist *hist, enum unit unit,
	unsigned width, char *text, size_t size)
{
	char time[32];

	if (statistic_is_known(statistic, hist))
		snprintf(text, size, "%s%s", statistic_doubt(statistic, hist),
			units_time(time, sizeof(time), width - 1, statistic_ns(statistic, hist), unit));
	else
		snprintf(text, size, "-");
}

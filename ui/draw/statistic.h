/* SPDX-License-Identifier: GPL-2.0-or-later */
/* statistic.h - one number of a histogram, in ns: a percentile, an extreme, the mean. Pure. */
#pragma once

#include <stddef.h>

#include "src/figures/hist.h"
#include "ui/draw/units.h"

/* A percentile, or the value of @of. */
struct statistic {
	const char *name;
	double percentile;
	uint64_t (*of)(const struct hist *hist); /* ns; NULL: the percentile */
};

uint64_t statistic_min(const struct hist *hist);
uint64_t statistic_max(const struct hist *hist);
uint64_t statistic_mean(const struct hist *hist);
uint64_t statistic_stddev(const struct hist *hist);

/* In ns; meaningless while the histogram is empty. */
uint64_t statistic_ns(const struct statistic *statistic, const struct hist *hist);
/* "~" marks a percentile with fewer than 10 samples beyond it; else "". */
const char *statistic_doubt(const struct statistic *statistic, const struct hist *hist);
/* At most @width (>= 7) columns, one of which is for the mark of doubt; "-" where there is no sample. */
void statistic_text(const struct statistic *statistic, const struct hist *hist, enum unit unit,
	unsigned width, char *text, size_t size);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* statistic.h - one number of a histogram, in ns: a percentile, an extreme, the mean. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "src/figures/hist.h"
#include "ui/draw/style.h"
#include "ui/draw/units.h"

/* A percentile, or the value of @of. */
struct statistic {
	const char *name;
	double percentile;
	uint64_t (*of)(const struct hist *hist); /* ns; NULL: the percentile */
};

/* Values of @of, in ns, where statistic_is_known(). */
uint64_t statistic_min(const struct hist *hist);
uint64_t statistic_max(const struct hist *hist);
uint64_t statistic_mean(const struct hist *hist);
uint64_t statistic_stddev(const struct hist *hist);

/* Returns whether there are samples for it: the mean needs no timed ones, but a sum that is known. */
bool statistic_is_known(const struct statistic *statistic, const struct hist *hist);
/* Returns the number in ns; it is meaningless if it is not known. */
uint64_t statistic_ns(const struct statistic *statistic, const struct hist *hist);
/* "~" marks a percentile with fewer than 10 samples beyond it; else "". */
const char *statistic_doubt(const struct statistic *statistic, const struct hist *hist);
/* Returns STYLE_ABOVE_LIMIT for a time above the limit (0: none), or else STYLE_PLAIN. */
enum style statistic_time_style(uint64_t ns, uint64_t limit_ns);
/* Returns the same for a statistic, but STYLE_THIN for one with the mark of doubt and no such time. */
enum style statistic_style(const struct statistic *statistic, const struct hist *hist, uint64_t limit_ns);
/* Writes at most @width (>= 7) columns, one of them for the mark of doubt; "-" if it is not known. */
void statistic_text(const struct statistic *statistic, const struct hist *hist, enum unit unit,
	unsigned width, char *text, size_t size);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* figure_values.c - what a report has of a figure besides its histogram. */
#include "src/report/figure_values.h"

#include "src/model/session.h"

static struct figure_value integer(const char *name, bool known, uint64_t number)
{
	return (struct figure_value){name, known ? VALUE_INTEGER : VALUE_UNKNOWN, .integer = (int64_t)number};
}

static struct figure_value real(const char *name, bool known, double number)
{
	return (struct figure_value){name, known ? VALUE_REAL : VALUE_UNKNOWN, .real = number};
}

static struct figure_value percentile(const char *name, const struct hist *hist, double p)
{
	return integer(name, hist_beyond(hist->n, p) >= HIST_BEYOND_TRUSTED, hist_percentile(hist, p));
}

struct figure_values figure_values(const struct session *session, const struct hist *hist)
{
	bool has_extremes = hist->n && hist->max_at_ns;

	return (struct figure_values){
		.list = {integer("count", true, hist_samples(hist)),
			integer("min_ns", has_extremes, hist->min_ns),
			integer("max_ns", has_extremes, hist->max_ns),
			integer("max_at_ns", has_extremes, hist->max_at_ns - session->start_ns),
			real("mean_ns", hist_has_mean(hist), hist_mean(hist)),
			real("stddev_ns", hist->n && hist_has_mean(hist), hist_stddev(hist))},
		.percentiles = {percentile("p50_ns", hist, 50), percentile("p90_ns", hist, 90),
			percentile("p99_ns", hist, 99), percentile("p99.9_ns", hist, 99.9),
			percentile("p99.99_ns", hist, 99.99), percentile("p99.999_ns", hist, 99.999),
			percentile("p99.9999_ns", hist, 99.9999)},
	};
}

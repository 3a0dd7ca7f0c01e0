/* SPDX-License-Identifier: GPL-2.0-or-later */
/* figure_values.c - what a report has of a figure besides its histogram. */
#include "src/report/figure_values.h"

#include "src/model/session.h"

enum { COUNT, MIN, MAX, MAX_AT, MEAN, STDDEV };

static const struct {
	const char *name;
	double percentile;
} values[N_FIGURE_VALUES] = {
	[COUNT] = {.name = "count"},
	[MIN] = {.name = "min_ns"},
	[MAX] = {.name = "max_ns"},
	[MAX_AT] = {.name = "max_at_ns"},
	[MEAN] = {.name = "mean_ns"},
	[STDDEV] = {.name = "stddev_ns"},
	[FIRST_PERCENTILE_VALUE] = {"p50_ns", 50},
	{"p90_ns", 90},
	{"p99_ns", 99},
	{"p99.9_ns", 99.9},
	{"p99.99_ns", 99.99},
	{"p99.999_ns", 99.999},
	{"p99.9999_ns", 99.9999},
};

const char *figure_value_name(unsigned index)
{
	return values[index].name;
}

static struct figure_value integer(bool known, uint64_t number)
{
	return (struct figure_value){known ? VALUE_INTEGER : VALUE_UNKNOWN, .integer = (int64_t)number};
}

static struct figure_value real(bool known, double number)
{
	return (struct figure_value){known ? VALUE_REAL : VALUE_UNKNOWN, .real = number};
}

static struct figure_value percentile(const struct hist *hist, double p)
{
	return integer(hist_beyond(hist->n, p) >= HIST_BEYOND_TRUSTED, hist_percentile(hist, p));
}

struct figure_value figure_value(const struct session *session, const struct hist *hist, unsigned index)
{
	bool has_extremes = hist->n && hist->max_at_ns;

	switch (index) {
	case COUNT:
		return integer(true, hist_samples(hist));
	case MIN:
		return integer(has_extremes, hist->min_ns);
	case MAX:
		return integer(has_extremes, hist->max_ns);
	case MAX_AT:
		return integer(has_extremes, hist->max_at_ns - session->start_ns);
	case MEAN:
		return real(hist_samples(hist), hist_mean(hist));
	case STDDEV:
		return real(hist->n, hist_stddev(hist));
	default:
		return percentile(hist, values[index].percentile);
	}
}

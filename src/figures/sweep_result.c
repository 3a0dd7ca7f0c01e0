/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sweep_result.c - what a sweep measures of two CPUs. */
#include "src/figures/sweep_result.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;

	return (x > y) - (x < y);
}

void sweep_times_sort(float *times, size_t n)
{
	qsort(times, n, sizeof(*times), compare);
}

/* @n is at least 1. */
static float percentile(const float *sorted, size_t n, unsigned percent)
{
	return sorted[(n * percent + 99) / 100 - 1];
}

struct sweep_figure sweep_figure_of(float *samples, size_t n)
{
	if (!n)
		return (struct sweep_figure){0};
	sweep_times_sort(samples, n);
	return (struct sweep_figure){.n = (uint32_t)n,
		.min_ns = samples[0],
		.p50_ns = percentile(samples, n, 50),
		.p99_ns = percentile(samples, n, 99),
		.max_ns = samples[n - 1]};
}

float sweep_figure_spread(const struct sweep_figure *figure)
{
	return figure->p50_ns > 0 ? (figure->p99_ns - figure->min_ns) / figure->p50_ns : 0;
}

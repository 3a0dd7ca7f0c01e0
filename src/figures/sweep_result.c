/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sweep_result.c - what a sweep measures of two CPUs. */
#include "src/figures/sweep_result.h"

#include <stdbool.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;

	return (x > y) - (x < y);
}

enum { ROUNDS_MAX = 60 }; /* half a million times need about 30 */

/* Moves times that are less than @border, or no more than it, before the others, and returns where these
 * begin. Without a branch on a time: half of them would be predicted wrongly. */
static size_t move_less(float *times, size_t from, size_t to, float border, bool or_same)
{
	for (size_t i = from; i < to; i++) {
		float time = times[i];

		times[i] = times[from];
		times[from] = time;
		from += (size_t)(time < border) | (size_t)(or_same & (time == border));
	}
	return from;
}

float sweep_times_select(float *times, size_t n, size_t k)
{
	size_t left = 0, right = n;

	for (unsigned rounds = 0; right - left > 1; rounds++) {
		if (rounds == ROUNDS_MAX) { /* times that were made for it take a square of their number */
			qsort(times, n, sizeof(*times), compare);
			break;
		}
		const float border = times[left + (right - left) / 2];
		size_t same = move_less(times, left, right, border, false);

		if (k < same) {
			right = same;
			continue;
		}
		left = move_less(times, same, right, border, true);
		if (k < left)
			break; /* between the two all are equal */
	}
	return times[k];
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
	qsort(samples, n, sizeof(*samples), compare);
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

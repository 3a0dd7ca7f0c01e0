/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sweep_result.c - what a sweep measures of two CPUs. */
#include "src/figures/sweep_result.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;

	return (x > y) - (x < y);
}

enum { ROUNDS_MAX = 60 }; /* half a million times need about 30 */

float sweep_times_select(float *times, size_t n, size_t k)
{
	ptrdiff_t left = 0, right = (ptrdiff_t)n - 1, place = (ptrdiff_t)k;

	for (unsigned rounds = 0; left < right; rounds++) {
		if (rounds == ROUNDS_MAX) { /* times that were made for it take a square of their number */
			qsort(times, n, sizeof(*times), compare);
			break;
		}
		const float border = times[left + (right - left) / 2];
		ptrdiff_t up = left, down = right;

		while (up <= down) {
			while (times[up] < border)
				up++;
			while (times[down] > border)
				down--;
			if (up > down)
				break;
			float time = times[up];

			times[up++] = times[down];
			times[down--] = time;
		}
		if (place <= down)
			right = down;
		else if (place >= up)
			left = up;
		else
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

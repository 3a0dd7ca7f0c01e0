/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sort.c - sorts numbers, the least first. */
#include "src/base/sort.h"

#include <stdlib.h>

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void sort_doubles(double *numbers, size_t n)
{
	if (n)
		qsort(numbers, n, sizeof(*numbers), compare_doubles);
}

static int compare_uints(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

void sort_uints(uint32_t *numbers, size_t n)
{
	if (n)
		qsort(numbers, n, sizeof(*numbers), compare_uints);
}

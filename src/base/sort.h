/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sort.h - sorts numbers, the least first. Pure. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Returns what a function for qsort(3) does: a number below 0 if @a is less than @b, 0 if they are equal. */
static inline int sort_compare(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

void sort_doubles(double *numbers, size_t n); /* none is NaN; @numbers may be NULL if @n is 0 */
void sort_uints(uint32_t *numbers, size_t n); /* likewise */

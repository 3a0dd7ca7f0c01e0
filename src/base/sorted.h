/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sorted.h - finds numbers in arrays that ascend by them. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the index of the first of @n elements whose @member, a uint32_t, is @number or more; @n: there is
 * none. No number is there twice. Most elements have their number as index, and are found at once. */
#define SORTED_INDEX(list, n, type, member, number)                                                          \
	sorted_index(list, n, sizeof(type), offsetof(type, member), number)

static inline size_t sorted_index(
	const void *list, size_t n, size_t element_size, size_t offset, uint64_t number)
{
	size_t low = 0, high = n;

	for (size_t middle = number < n ? (size_t)number : n / 2; low < high; middle = (low + high) / 2) {
		const uint32_t *at = (const void *)((const char *)list + middle * element_size + offset);

		if (*at == number)
			return middle;
		if (*at < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Returns whether @number is among @n ascending ones; all are above 0, and none is there twice. */
static inline bool sorted_has(const int32_t *numbers, size_t n, int32_t number)
{
	size_t i = sorted_index(numbers, n, sizeof(*numbers), 0, (uint32_t)number);

	return i < n && numbers[i] == number;
}

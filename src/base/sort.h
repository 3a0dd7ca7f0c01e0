/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sort.h - sorts numbers, the least first. Pure. */
#pragma once

#include <stddef.h>
#include <stdint.h>

void sort_doubles(double *numbers, size_t n); /* none is NaN; @numbers may be NULL if @n is 0 */
void sort_uints(uint32_t *numbers, size_t n); /* likewise */

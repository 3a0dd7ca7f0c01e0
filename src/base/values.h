/* SPDX-License-Identifier: GPL-2.0-or-later */
/* values.h - reads numbers, times and sizes of command lines, strictly. Pure. */
#pragma once

#include <stdint.h>

/* A suffix and its factor. The first row of a table is that of a bare number. */
struct value_unit {
	const char *suffix;
	uint64_t ns;
};

extern const struct value_unit value_microseconds[]; /* us, ms, s */
extern const struct value_unit value_seconds[];      /* s, m, h, d */
extern const struct value_unit value_bytes[];        /* none, k, M; 1024 each */
extern const struct value_unit value_kibibytes[];    /* the same; a bare number means k */

/* All return 0, -EINVAL where any character of the text is wrong, or -ERANGE where the value does not fit;
 * the result is untouched then. */

/* Decimal digits, at least one; moves past them. */
int value_digits(const char **text, uint64_t *number);
/* The same, and nothing after them: no sign, no space. */
int value_number(const char *text, uint64_t *number);
/* Decimal digits with an optional fraction and suffix of @units. A part below 1 ns is -EINVAL. */
int value_time(const char *text, const struct value_unit *units, uint64_t *ns);
/* "80x24", both 1 to @max. */
int value_size(const char *text, unsigned max, unsigned *columns, unsigned *lines);

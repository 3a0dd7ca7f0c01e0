/* SPDX-License-Identifier: GPL-2.0-or-later */
/* values.h - the numbers, times and sizes that people write on command lines, read strictly. Pure. */
#pragma once

#include <stdint.h>

/* A suffix and what it stands for. In a table the first row is what a bare number means. */
struct value_unit {
	const char *suffix;
	uint64_t ns;
};

extern const struct value_unit value_microseconds[]; /* us, ms, s */
extern const struct value_unit value_seconds[];      /* s, m, h, d */
extern const struct value_unit value_bytes[];        /* none, k, M; 1024 each */
extern const struct value_unit value_kibibytes[];    /* the same; a bare number means k */

/* All return 0; -EINVAL where the text is anything else from its first to its last character, or
 * -ERANGE where it does not fit; the result is untouched then. */

/* Decimal digits: no sign, no space. */
int value_number(const char *text, uint64_t *number);
/* Decimal digits, perhaps a fraction, perhaps a suffix of @units. What is finer than 1 ns is -EINVAL. */
int value_time(const char *text, const struct value_unit *units, uint64_t *ns);
/* "80x24", both 1 to @max. */
int value_size(const char *text, unsigned max, unsigned *columns, unsigned *lines);

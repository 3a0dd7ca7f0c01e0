/* SPDX-License-Identifier: GPL-2.0-or-later */
/* values.c - reads numbers, times and sizes of command lines, strictly. */
#include "src/base/values.h"

#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

const struct value_unit value_microseconds[] = {
	{"us", 1000},
	{"ms", 1000000},
	{"s", 1000000000},
	{NULL, 0},
};

const struct value_unit value_seconds[] = {
	{"s", UINT64_C(1000000000)},
	{"m", UINT64_C(60000000000)},
	{"h", UINT64_C(3600000000000)},
	{"d", UINT64_C(86400000000000)},
	{NULL, 0},
};

const struct value_unit value_bytes[] = {{"", 1}, {"k", 1024}, {"M", 1024 * 1024}, {NULL, 0}};
const struct value_unit value_kibibytes[] = {{"", 1024}, {"k", 1024}, {"M", 1024 * 1024}, {NULL, 0}};

int value_digits(const char **text, uint64_t *number)
{
	uint64_t sum = 0;

	if (!isdigit((unsigned char)**text))
		return -EINVAL;
	for (; isdigit((unsigned char)**text); (*text)++)
		if (__builtin_mul_overflow(sum, 10, &sum) ||
			__builtin_add_overflow(sum, (uint64_t)(**text - '0'), &sum))
			return -ERANGE;
	*number = sum;
	return 0;
}

int value_number(const char *text, uint64_t *number)
{
	uint64_t read;
	int r = value_digits(&text, &read);

	if (r < 0)
		return r;
	if (*text)
		return -EINVAL;
	*number = read;
	return 0;
}

/* Reads the digits after a point as a fraction of @unit ns, exactly. */
static int read_fraction(const char **text, uint64_t unit, uint64_t *ns)
{
	if (!isdigit((unsigned char)**text))
		return -EINVAL;
	*ns = 0;
	for (; isdigit((unsigned char)**text); (*text)++) {
		uint64_t digit = (uint64_t)(**text - '0');

		if (digit && (unit < 10 || unit % 10))
			return -EINVAL;
		unit /= 10;
		*ns += digit * unit;
	}
	return 0;
}

static const struct value_unit *find_unit(const struct value_unit *units, const char *suffix)
{
	if (!*suffix)
		return units;
	for (; units->suffix; units++)
		if (!strcmp(units->suffix, suffix))
			return units;
	return NULL;
}

int value_time(const char *text, const struct value_unit *units, uint64_t *ns)
{
	uint64_t whole = 0, fraction = 0;
	int r = *text == '.' ? 0 : value_digits(&text, &whole); /* ".5" */

	if (r < 0)
		return r;
	const char *point = *text == '.' ? text + 1 : NULL;
	const struct value_unit *unit =
		find_unit(units, text + (point ? 1 + strspn(point, "0123456789") : 0));

	if (!unit)
		return -EINVAL;
	if (point && (r = read_fraction(&point, unit->ns, &fraction)) < 0)
		return r;
	if (__builtin_mul_overflow(whole, unit->ns, &whole) ||
		__builtin_add_overflow(whole, fraction, &whole))
		return -ERANGE;
	*ns = whole;
	return 0;
}

int value_size(const char *text, unsigned max, unsigned *columns, unsigned *lines)
{
	uint64_t width, height;
	int r = value_digits(&text, &width);

	if (r < 0)
		return r;
	if (*text++ != 'x')
		return -EINVAL;
	r = value_number(text, &height);
	if (r < 0)
		return r;
	if (width < 1 || width > max || height < 1 || height > max)
		return -ERANGE;
	*columns = (unsigned)width;
	*lines = (unsigned)height;
	return 0;
}

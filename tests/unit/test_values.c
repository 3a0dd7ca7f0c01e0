/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_values.c - numbers, times and sizes are read strictly; numbers are found in their order. */
#include <errno.h>

#include "src/base/sorted.h"
#include "src/base/values.h"
#include "tests/unit/tap.h"

static void times_are_read_exactly_or_not_at_all(void)
{
	static const struct {
		const char *text;
		const struct value_unit *units;
		int result;
		uint64_t ns;
	} rows[] = {
		{"0", value_microseconds, 0, 0},
		{"1", value_microseconds, 0, 1000},
		{"0.001", value_microseconds, 0, 1},
		{"0.0010", value_microseconds, 0, 1},
		{"0.0011", value_microseconds, -EINVAL, 0},
		{"0.00000000000", value_seconds, 0, 0},
		{"0.00000000000000001", value_seconds, -EINVAL, 0},
		{"0.1m", value_seconds, 0, UINT64_C(6000000000)},
		{"0.00000000001m", value_seconds, -EINVAL, 0},
		{"18446744073", value_seconds, 0, UINT64_C(18446744073000000000)},
		{"18446744073.709551615", value_seconds, 0, UINT64_MAX},
		{"18446744073.709551616", value_seconds, -ERANGE, 0},
		{"18446744074", value_seconds, -ERANGE, 0},
		{"18446744073709551616", value_seconds, -ERANGE, 0},
		{"1 s", value_seconds, -EINVAL, 0},
		{" 1", value_seconds, -EINVAL, 0},
		{"s", value_seconds, -EINVAL, 0},
		{"1ss", value_seconds, -EINVAL, 0},
		{"1.s", value_seconds, -EINVAL, 0},
		{"1.2.3", value_seconds, -EINVAL, 0},
		{".5", value_seconds, 0, 500000000},
		{".", value_seconds, -EINVAL, 0},
		{"1,5", value_seconds, -EINVAL, 0},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		uint64_t ns = 77, expected = rows[i].result ? 77 : rows[i].ns;
		int r = value_time(rows[i].text, rows[i].units, &ns);

		CHECK(r == rows[i].result && ns == expected, "'%s' gave %d, %llu", rows[i].text, r,
			(unsigned long long)ns);
	}
}

static void numbers_are_digits_and_nothing_else(void)
{
	static const struct {
		const char *text;
		int result;
		uint64_t number;
	} rows[] = {
		{"0", 0, 0},
		{"007", 0, 7},
		{"18446744073709551615", 0, UINT64_MAX},
		{"18446744073709551616", -ERANGE, 0},
		{"", -EINVAL, 0},
		{"-1", -EINVAL, 0},
		{"+1", -EINVAL, 0},
		{"1 ", -EINVAL, 0},
		{"1.0", -EINVAL, 0},
		{"0x1", -EINVAL, 0},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		uint64_t number = 77, expected = rows[i].result ? 77 : rows[i].number;
		int r = value_number(rows[i].text, &number);

		CHECK(r == rows[i].result && number == expected, "'%s' gave %d, %llu", rows[i].text, r,
			(unsigned long long)number);
	}
}

static void sizes_are_two_numbers_within_bounds(void)
{
	static const struct {
		const char *text;
		int result;
		unsigned columns, lines;
	} rows[] = {
		{"80x24", 0, 80, 24},
		{"1x300", 0, 1, 300},
		{"301x1", -ERANGE, 0, 0},
		{"1x0", -ERANGE, 0, 0},
		{"4294967297x1", -ERANGE, 0, 0},
		{"80", -EINVAL, 0, 0},
		{"80x", -EINVAL, 0, 0},
		{"x24", -EINVAL, 0, 0},
		{"80X24", -EINVAL, 0, 0},
		{"80x24 ", -EINVAL, 0, 0},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		unsigned columns = 0, lines = 0;
		int r = value_size(rows[i].text, 300, &columns, &lines);

		CHECK(r == rows[i].result && columns == rows[i].columns && lines == rows[i].lines,
			"'%s' gave %d, %ux%u", rows[i].text, r, columns, lines);
	}
}

static void a_number_is_found_or_where_it_belongs(void)
{
	static const struct numbered {
		char other;
		uint32_t number;
	} list[] = {{.number = 0}, {.number = 1}, {.number = 5}, {.number = 6}, {.number = UINT32_MAX}};
	static const struct {
		uint64_t number;
		size_t n, place;
	} rows[] = {
		{0, 0, 0},
		{0, 5, 0},
		{1, 5, 1},
		{2, 5, 2},
		{4, 5, 2},
		{5, 5, 2},
		{6, 4, 3},
		{7, 4, 4},
		{7, 5, 4},
		{UINT32_MAX, 5, 4},
		{UINT64_C(1) << 32, 5, 5},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		size_t place = SORTED_INDEX(
			rows[i].n ? list : NULL, rows[i].n, struct numbered, number, rows[i].number);

		CHECK(place == rows[i].place, "%llu of %zu: %zu", (unsigned long long)rows[i].number,
			rows[i].n, place);
	}
}

int main(void)
{
	TEST(times_are_read_exactly_or_not_at_all);
	TEST(numbers_are_digits_and_nothing_else);
	TEST(sizes_are_two_numbers_within_bounds);
	TEST(a_number_is_found_or_where_it_belongs);
	return tap_done();
}

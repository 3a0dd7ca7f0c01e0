/* SPDX-License-Identifier: GPL-2.0-or-later */
/* units.c - times and counts as text of a fixed width. */
#include "ui/draw/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

struct scale {
	const char *name;
	double size;
	int decimals; /* at most */
};

static const struct scale times[] = {
	{"ns", 1.0, 0},
	{"us", 1e3, 2},
	{"ms", 1e6, 4},
	{"s", 1e9, 3},
	{"m", 60e9, 1},
	{"h", 3600e9, 1},
	{"d", 86400e9, 1},
};

static const struct scale counts[] = {
	{"", 1.0, 0},
	{"k", 1e3, 2},
	{"M", 1e6, 2},
	{"G", 1e9, 2},
	{"T", 1e12, 2},
	{"P", 1e15, 2},
	{"E", 1e18, 2},
};

enum { FAR = 100 }; /* from this ratio on, each end of a range has its own unit */
enum { DIGITS = 5, N_TIMES = sizeof(times) / sizeof(*times), N_COUNTS = sizeof(counts) / sizeof(*counts) };

static const uint64_t most_ns = 9999 * UINT64_C(86400000000000);

const char *unit_name(enum unit unit)
{
	return times[unit].name;
}

const char *units_name(unsigned i)
{
	return i < N_UNITS ? unit_name((enum unit)i) : NULL;
}

/* Uses the first scale from @from on in which the text is short enough, or the last scale. With the name of a
 * larger scale the number is below 1000: the name must not be taken for a part of the column. */
static char *scale_format(char *text, size_t size, unsigned width, double value, const struct scale *scales,
	size_t from, size_t n)
{
	for (size_t i = from; i < n; i++) {
		const char *suffix = i == from ? "" : scales[i].name;

		for (int decimals = scales[i].decimals; decimals >= 0; decimals--) {
			snprintf(text, size, "%.*f%s", decimals, value / scales[i].size, suffix);
			size_t digits = strlen(text) - strlen(suffix) - (decimals > 0);

			if (*suffix && i + 1 < n && strspn(text, "0123456789") > 3)
				break;
			if (strlen(text) <= width && (decimals == 0 || digits <= DIGITS))
				return text;
		}
	}
	return text;
}

char *units_time(char *text, size_t size, unsigned width, uint64_t ns, enum unit unit)
{
	return scale_format(text, size, width, (double)(ns < most_ns ? ns : most_ns), times, unit, N_TIMES);
}

char *units_short(char *text, size_t size, uint64_t ns, enum unit unit)
{
	char long_text[32];

	units_time(long_text, sizeof(long_text), 6, ns, unit);
	size_t digits = strspn(long_text, "0123456789."), end = digits;

	if (memchr(long_text, '.', digits))
		while (end > 0 && (long_text[end - 1] == '0' || long_text[end - 1] == '.'))
			if (long_text[--end] == '.')
				break;
	snprintf(text, size, "%.*s%s", (int)end, long_text, &long_text[digits]);
	return text;
}

char *units_range(char *text, size_t size, uint64_t from_ns, uint64_t to_ns, enum unit unit)
{
	char from[32], to[32];
	enum unit scale = unit; /* an index of times[], which has longer units than the enum */

	units_short(to, sizeof(to), to_ns, unit);
	const char *name = &to[strspn(to, "0123456789.")];

	while (*name && strcmp(name, times[scale].name) != 0)
		scale++;
	if (from_ns < to_ns / FAR && *name) {
		units_short(from, sizeof(from), from_ns, unit);
		snprintf(text, size, "%s%s-%s", from,
			from[strspn(from, "0123456789.")] ? "" : unit_name(unit), to);
	} else {
		snprintf(text, size, "%s-%s", units_short(from, sizeof(from), from_ns, scale), to);
	}
	return text;
}

char *units_age(char *text, size_t size, uint64_t ns)
{
	static const struct {
		uint64_t below_ns, step_ns; /* step: of the last digit */
		const char *name;
		unsigned tenths; /* the last digit is tenths */
	} ages[] = {
		{100000, 1000, "us", 0},
		{1000000, 100000, "ms", 1},
		{100000000, 1000000, "ms", 0},
		{10000000000, 100000000, "s", 1},
		{1000000000000, 1000000000, "s", 0},
		{UINT64_C(36000000000000), UINT64_C(60000000000), "m", 0},
		{UINT64_MAX, UINT64_C(3600000000000), "h", 0},
	};
	size_t i = 0;

	while (ns >= ages[i].below_ns && ages[i].below_ns != UINT64_MAX)
		i++;
	uint64_t steps = ns / ages[i].step_ns;

	if (!ages[i].tenths)
		snprintf(text, size, ">=%llu%s", (unsigned long long)(steps < 999 ? steps : 999),
			ages[i].name);
	else if (ages[i].below_ns == 1000000)
		snprintf(text, size, ">=.%llu%s", (unsigned long long)steps, ages[i].name);
	else
		snprintf(text, size, ">=%llu.%llu%s", (unsigned long long)(steps / 10),
			(unsigned long long)(steps % 10), ages[i].name);
	return text;
}

char *units_ago(char *text, size_t size, uint64_t ns)
{
	static const struct {
		uint64_t below_s, unit_s;
		char name;
	} units[] = {{60, 1, 's'}, {3600, 60, 'm'}, {86400, 3600, 'h'}, {UINT64_MAX, 86400, 'd'}};
	uint64_t s = ns / 1000000000;
	size_t i = 0;

	while (s >= units[i].below_s)
		i++;
	s /= units[i].unit_s;
	snprintf(text, size, "%llu%c", (unsigned long long)(s < 9999 ? s : 9999), units[i].name);
	return text;
}

char *units_clock(char *text, size_t size, uint64_t wall_ns)
{
	time_t wall_s = (time_t)(wall_ns / 1000000000);
	struct tm wall;

	localtime_r(&wall_s, &wall);
	snprintf(text, size, "%02d:%02d:%02d", wall.tm_hour, wall.tm_min, wall.tm_sec);
	return text;
}

char *units_named(char *text, size_t size, uint64_t ns)
{
	enum unit unit = ns >= 1000000 && ns % 100000 == 0 ? UNIT_MS : UNIT_US;
	char time[32];

	units_short(time, sizeof(time), ns, unit);
	snprintf(text, size, "%s%s", time, time[strspn(time, "0123456789.")] ? "" : unit_name(unit));
	return text;
}

char *units_pace(char *text, size_t size, const char *every, uint64_t interval_ns)
{
	char time[32];

	if (interval_ns)
		snprintf(text, size, "%s%s", every, units_named(time, sizeof(time), interval_ns));
	else
		snprintf(text, size, "flood");
	return text;
}

char *units_bytes(char *text, size_t size, uint64_t bytes)
{
	static const char *const units[] = {"", "k", "M"};
	unsigned unit = 0;

	for (; unit < 2 && bytes >= 1024 && bytes % 1024 == 0; unit++)
		bytes /= 1024;
	snprintf(text, size, "%llu%s", (unsigned long long)bytes, units[unit]);
	return text;
}

char *units_count(char *text, size_t size, unsigned width, uint64_t count)
{
	return scale_format(text, size, width, (double)count, counts, 0, N_COUNTS);
}

char *units_brief(char *text, size_t size, unsigned width, uint64_t ns, enum unit unit)
{
	static const double scales[] = {1, 1e3, 1e6, 1e9};
	static const char *const names[] = {"ns", "us", "ms", "s"};
	unsigned larger = unit;
	double value = (double)ns / scales[unit];

	while (larger < 3 && value >= pow(10, larger == unit ? width : width - 2) - 0.5)
		value = (double)ns / scales[++larger];
	if (larger > unit && value < 0.95)
		snprintf(text, size, "%s.%.0f%s", strlen("0.1") + strlen(names[larger]) > width ? "" : "0",
			10 * value, names[larger]);
	else if (larger > unit)
		snprintf(text, size, "%.0f%s", value, names[larger]);
	else
		snprintf(text, size, "%.*f",
			unit == UNIT_NS || value >= 99.95 ? 0
			: value < 9.995                   ? 2
							  : 1,
			value);
	return text;
}

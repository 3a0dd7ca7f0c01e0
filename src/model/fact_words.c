/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fact_words.c - the options and the facts of the machine that comparisons name, as a person reads them. */
#include "src/model/fact_words.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/machine/machine.h"
#include "src/model/knobs.h"

/* Names that are neither an option's nor an event's nor a knob's. */
static const struct {
	const char *name, *title;
} titles[] = {
	{"host.name", "host"},
	{"host.kernel", "kernel"},
	{"host.dma_latency.state", "dma latency state"},
	{"host.clock_step_ns", "clock step"},
	{"load", "load average"},
};

/* The unit of a value is the end of its name. */
static const struct unit {
	const char *suffix;
	struct scale {
		uint64_t of;
		const char *name;
	} scales[4]; /* the largest first */
} units[] = {
	{"_ns", {{1000000000, "s"}, {1000000, "ms"}, {1000, "us"}, {1, "ns"}}},
	{"_us", {{1000000, "s"}, {1000, "ms"}, {1, "us"}}},
	{".us", {{1000000, "s"}, {1000, "ms"}, {1, "us"}}},
	{"_bytes", {{1048576, "MiB"}, {1024, "KiB"}, {1, "bytes"}}},
	{"_laps", {{1, "laps"}}},
};

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), of_end = strlen(end);

	return length > of_end && strcmp(text + length - of_end, end) == 0;
}

static const struct unit *unit_of(const char *name)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (ends_with(name, units[i].suffix))
			return &units[i];
	return NULL;
}

static bool is_option(const char *name)
{
	return strncmp(name, "options.", 8) == 0;
}

/* What events call the fact, or else the view of knobs; NULL: neither does. */
static const char *machine_title(const char *name)
{
	const struct machine_fact *fact =
		strncmp(name, "host.", 5) == 0 ? machine_fact_reported(name + 5) : NULL;

	if (!fact || fact->title)
		return fact ? fact->title : NULL;
	for (size_t i = 0; i < knobs_n; i++)
		if (strcmp(knobs[i].fact, fact->field.key) == 0)
			return knobs[i].name;
	return NULL;
}

/* "side-by-side" of "options.side_by_side", as it is typed. */
static const char *option_title(const char *name, char text[FACT_WORDS_SIZE])
{
	const struct unit *unit = unit_of(name);
	size_t length = strlen(name) - 8 - (unit ? strlen(unit->suffix) : 0);

	snprintf(text, FACT_WORDS_SIZE, "%.*s", (int)length, name + 8);
	for (char *at = text; (at = strchr(at, '_'));)
		*at = '-';
	return text;
}

const char *fact_title(const char *name, char text[FACT_WORDS_SIZE])
{
	const char *title = machine_title(name), *dot = strchr(name, '.');

	for (size_t i = 0; i < sizeof(titles) / sizeof(*titles) && !title; i++)
		if (strcmp(titles[i].name, name) == 0)
			title = titles[i].title;
	return title ? title : is_option(name) ? option_title(name, text) : dot ? dot + 1 : name;
}

/* A kernel's own name says the unit by itself. */
static const struct unit *unit_of_value(const char *name)
{
	const struct unit *unit = unit_of(name);
	const char *title = machine_title(name);

	return unit && title && ends_with(title, unit->suffix) ? NULL : unit;
}

/* 2,000 s of dma latency is no bound. */
static bool is_unbound(const char *name, const char *value)
{
	return strcmp(name, "host.dma_latency.us") == 0 && strcmp(value, "2000000000") == 0;
}

const char *fact_value(const char *name, const char *value, char text[FACT_WORDS_SIZE])
{
	const struct unit *unit = unit_of_value(name);
	uint64_t number = strspn(value, "0123456789") == strlen(value) ? strtoull(value, NULL, 10) : 0;

	if (!*value)
		return is_option(name) ? "not given" : "none";
	if (is_unbound(name, value))
		return "none";
	if (strcmp(value, "true") == 0 || strcmp(value, "false") == 0)
		return *value == 't' ? "on" : "off";
	if (!unit || !number)
		return value;
	const struct scale *scale = unit->scales;

	while (number < scale->of || number * 1000 % scale->of) /* at most three decimals */
		scale++;
	snprintf(text, FACT_WORDS_SIZE, "%.15g %s", (double)number / (double)scale->of, scale->name);
	return text;
}

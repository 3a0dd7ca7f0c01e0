/* SPDX-License-Identifier: GPL-2.0-or-later */
/* option_names.h - the names that tests of options know: two views, one compat tool, one verb, three
 * mechanisms. */
#ifndef TEST_OPTION_NAMES_H
#define TEST_OPTION_NAMES_H

#include "src/options/options.h"
#include "src/probe/probe.h"

static const struct probe mq = {.name = "mq", .title = "POSIX message queue", .traits = PROBE_PAYLOAD};
static const struct probe signal_probe = {.name = "signal", .title = "signal"};
static const struct probe svsem = {.name = "svsem", .title = "SysV semaphores"};
static const struct probe *const registry[] = {&mq, &signal_probe, &svsem, NULL};

static const char *view_name(unsigned i)
{
	static const char *const names[] = {"overview", "detail", NULL};

	return names[i];
}

static const char *palette_name(unsigned i)
{
	static const char *const names[] = {"default", "dark", NULL};

	return names[i];
}

static const char *colors_name(unsigned i)
{
	static const char *const names[] = {"auto", "true", "none", NULL};

	return names[i];
}

static const char *tool_name(unsigned i, const char **purpose)
{
	*purpose = "test its latency";
	return i ? NULL : "atool";
}

static const char *column_name(unsigned i)
{
	static const char *const names[] = {"PAIR", "Cur", "p99.9", "n", NULL};

	return names[i];
}

static const char *unit_of(unsigned i)
{
	static const char *const names[] = {"ns", "us", "ms", NULL};

	return names[i];
}

static const char *window_of(unsigned i)
{
	static const char *const names[] = {"10s", "phase", "all", NULL};

	return names[i];
}

static const char *export_of(unsigned i)
{
	static const char *const names[] = {"csv", "jsonl", NULL};

	return names[i];
}

static const char *verb_of(unsigned i, const char **words, const char **purpose)
{
	*words = "A B";
	*purpose = "whether B is worse";
	return i ? NULL : "averb";
}

static const struct options_names known = {.mechanisms = registry,
	.view = view_name,
	.palette = palette_name,
	.colors = colors_name,
	.column = column_name,
	.sort = column_name,
	.unit = unit_of,
	.window = window_of,
	.export = export_of,
	.tool = tool_name,
	.verb = verb_of};

#endif

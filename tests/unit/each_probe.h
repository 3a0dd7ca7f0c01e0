/* SPDX-License-Identifier: GPL-2.0-or-later */
/* each_probe.h - a table of tests that is gone through with each probe of the registry, or with those that
 * arguments name. IPCTOP_FULL=1 asks for more of each. */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "src/probe/probe.h"
#include "tests/unit/leftovers.h"
#include "tests/unit/probe_lacks.h"
#include "tests/unit/tap.h"

static const struct probe *probe; /* the one that is tested */
static bool full;

struct probe_test {
	const char *name;
	void (*run)(void);
};

#define PROBE_TEST(function)                                                                                 \
	{                                                                                                    \
#function, function                                                                          \
	}

static void test_probe(const struct probe_test *tests, size_t n)
{
	const char *missing = probe_lacks(probe);

	printf("# %s\n", probe->name);
	for (size_t i = 0; i < n; i++)
		if (missing)
			tap_skip(tests[i].name, missing);
		else
			tap_run(tests[i].name, tests[i].run);
}

static bool is_wanted(char **names)
{
	bool wanted = !*names;

	for (; *names; names++)
		wanted |= !strcmp(*names, probe->name);
	return wanted;
}

/* What main() returns. @names: its arguments, ended by NULL; none: all probes. */
static int test_each_probe(char **names, const struct probe_test *tests, size_t n)
{
	full = getenv("IPCTOP_FULL");
	if (!leftovers_init())
		return printf("Bail out! no folder is to be had\n"), 1;
	for (size_t i = 0; (probe = probe_registry[i]); i++)
		if (is_wanted(names))
			test_probe(tests, n);
	leftovers_finish();
	return tap_done();
}

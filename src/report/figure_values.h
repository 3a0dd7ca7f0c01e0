/* SPDX-License-Identifier: GPL-2.0-or-later */
/* figure_values.h - what a report has of a figure besides its histogram, by names that JSON and CSV share. */
#pragma once

#include <stdint.h>

#include "src/figures/hist.h"

struct session;

struct figure_value {
	const char *name; /* "count", "max_ns", "p99.9_ns" */
	enum { VALUE_UNKNOWN, VALUE_INTEGER, VALUE_REAL } kind;
	int64_t integer;
	double real;
};

enum { N_FIGURE_VALUES = 6, N_FIGURE_PERCENTILES = 7 };

struct figure_values {
	struct figure_value list[N_FIGURE_VALUES];
	struct figure_value percentiles[N_FIGURE_PERCENTILES];
};

/* Unknown are values that need samples where there are none, and percentiles that are not to be trusted. */
struct figure_values figure_values(const struct session *session, const struct hist *hist);

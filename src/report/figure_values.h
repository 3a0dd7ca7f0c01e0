/* SPDX-License-Identifier: GPL-2.0-or-later */
/* figure_values.h - what a report has of a figure besides its histogram, by names that JSON and CSV share. */
#pragma once

#include <stdint.h>

#include "src/figures/hist.h"

struct session;

enum { N_FIGURE_VALUES = 13, FIRST_PERCENTILE_VALUE = 6 }; /* all from the first one on are percentiles */

struct figure_value {
	enum { VALUE_UNKNOWN, VALUE_INTEGER, VALUE_REAL } kind;
	int64_t integer;
	double real;
};

const char *figure_value_name(unsigned index); /* "count", "max_ns", "p99.9_ns" */
/* Unknown are values that need samples where there are none, and percentiles that are not to be trusted. */
struct figure_value figure_value(const struct session *session, const struct hist *hist, unsigned index);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* metrics.h - the session as metrics, for Prometheus and what reads its formats. Pure. */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "src/figures/tick.h"

struct session;

/* They differ in the names of counters and of the info after # HELP and # TYPE. The last line of both is
 * "# EOF", in the text format a comment. */
enum metrics_format {
	METRICS_PROMETHEUS,  /* text format 0.0.4: node_exporter's textfile collector reads no other */
	METRICS_OPENMETRICS, /* 1.0.0 */
};

struct metrics_text {
	enum metrics_format format;
	enum figure figure; /* whose samples above the limit are spikes; see session_figure_of() */
	uint64_t limit_ns;  /* 0: no spikes are counted */
};

/* With more rings, latencies are added up for each mechanism and class. */
enum { METRICS_RINGS_MAX = 64 };

/* Prints all metrics. Returns 0 or -ENOMEM; errors of @out are left to the caller. */
int metrics_print(FILE *out, const struct session *session, const struct metrics_text *text);

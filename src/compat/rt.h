/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rt.h - the common part of the tools of rt-tests: options, run, JSON, and rounding of figures. */
#pragma once

#include <stdio.h>

#include "src/compat/live.h"
#include "src/compat/measure.h"

/* -b, -D, -h, --json, --ipctop-json, -l, -p, -q. */
extern const struct option_row compat_rt_options[];

struct compat_rt;

/* The output of a tool. */
struct compat_rt_output {
	/* Prints a block of lines: after each tick without -q, and the @last at the end. */
	void (*print)(FILE *out, struct compat_rt *rt, bool last);
	/* Prints a line on stderr if latency and response differ much. */
	void (*compare)(const struct session *session);
	/* Prints the members of thread @i for the tools' JSON, each line indented by six spaces. */
	void (*print_thread)(FILE *out, const struct compat_rt *rt, size_t i);
};

/* One run and its output. */
struct compat_rt {
	const struct compat *compat;
	const struct compat_rt_output *output;
	size_t n_threads; /* in the tools' JSON */
	struct compat_measured measured;
	struct compat_live live;
	uint64_t n_printed; /* laps that --verbose has printed */
};

/* SCHED_OTHER, whatever policy the program has. */
void compat_rt_defaults(struct compat *compat);
/* Sets the tick and the policy, and does what -S asks for except its equal priorities. */
void compat_rt_settle(struct compat *compat);
/* Measures, prints, and writes --json and --ipctop-json. Returns the exit status. */
int compat_rt_run(const struct compat *compat, const struct compat_rt_output *output, size_t n_threads);

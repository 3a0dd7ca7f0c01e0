/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rt.h - shared by the tools of rt-tests: options, how they run and end, and their JSON. */
#pragma once

#include <stdio.h>

#include "src/compat/live.h"
#include "src/compat/measure.h"

/* -b, -D, -h, --json, --ipctop-json, -l, -p, -q. */
extern const struct option_row compat_rt_options[];

struct compat_rt;

/* The output of one kind of these tools. */
struct compat_rt_output {
	/* A block of lines after each tick, unless -q is given, and the @last at the end. */
	void (*print)(FILE *out, struct compat_rt *rt, bool last);
	/* Prints a line on stderr if latency and response differ much. */
	void (*compare)(const struct session *session);
	/* The members of thread @i in the tools' JSON, each line indented by six spaces. */
	void (*print_thread)(FILE *out, const struct compat_rt *rt, size_t i);
};

/* One run, and the output of it. */
struct compat_rt {
	const struct compat *compat;
	const struct compat_rt_output *output;
	size_t n_threads; /* in the tools' JSON */
	struct compat_measured measured;
	struct compat_live live;
	uint64_t n_printed; /* laps of --verbose */
};

/* SCHED_OTHER, whatever policy the program has. */
void compat_rt_defaults(struct compat *compat);
/* Sets the tick and the policy, and does what -S asks for except its equal priorities. */
void compat_rt_settle(struct compat *compat);
/* Measures, prints, and writes --json and --ipctop-json. Returns the exit status. */
int compat_rt_run(const struct compat *compat, const struct compat_rt_output *output, size_t n_threads);

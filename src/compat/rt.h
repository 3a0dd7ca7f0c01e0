/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rt.h - the common part of the tools of rt-tests: options, run, live lines, JSON, and rounding of figures.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "src/base/error_text.h"
#include "src/compat/runs.h"

/* A block of lines that is printed again and again: redrawn in place on a terminal, one after the other in a
 * pipe. */
struct compat_live {
	bool terminal;
	bool log;       /* blocks are printed one after the other, whole, and none is skipped */
	unsigned lines; /* of the block on the terminal */
	int error; /* a negative errno once a write has failed, except because its reader closed its end */
	struct error_text reason;
	char *block; /* owned between open and close, by the stream */
	size_t size;
};

/* -b, -D, -h, --json, --ipctop-json, -l, -p, -q. */
extern const struct option_row compat_rt_options[];

struct compat_rt;

/* The output of a tool. */
struct compat_rt_output {
	/* Prints a block of lines: after each tick without -q, and the @last at the end. */
	void (*print)(FILE *out, struct compat_rt *rt, bool last);
	/* Prints a line on stderr if latency and response differ much. */
	void (*print_gaps)(const struct session *session);
	/* Prints the members of thread @i for the tools' JSON, each line indented by six spaces. */
	void (*print_thread)(FILE *out, const struct compat_rt *rt, size_t i);
};

/* One run and its output. */
struct compat_rt {
	struct compat_runs runs;
	struct compat_live live;
	uint64_t n_printed; /* laps that --verbose has printed */
};

/* Sets the tick and the policy; with -S, one thread or pair for each usable CPU, pinned to it. */
void compat_rt_settle(struct compat *compat);
/* Measures, prints by the tool's output, and writes --json and --ipctop-json. Returns the exit status. */
int compat_rt_run(const struct compat *compat);

/* The tools' clocks count microseconds. */
static inline uint64_t compat_us(uint64_t ns)
{
	return (ns + 500) / 1000;
}

/* Return whole microseconds, rounded down, up, and to the nearest, so that the mean is between the other two;
 * 0 without samples. */
uint64_t compat_min_us(const struct hist *hist);
uint64_t compat_max_us(const struct hist *hist);
uint64_t compat_mean_us(const struct hist *hist);

/* Returns the member's priority, or until that is known the requested one. */
int compat_priority(const struct session_ring *ring, unsigned member);

/* The tools print the latency from the actual send. Returns the difference between the maxima of response and
 * latency if one is more than twice the other, else 0. */
uint64_t compat_gap_ns(const struct hist *response, const struct hist *latency);
/* Prints that difference on stderr, as a "# ..." line. @n: the number of rings with such a difference, of
 * which this is the largest. */
void compat_print_gap(const char *name, const struct hist *response, const struct hist *latency, size_t n);

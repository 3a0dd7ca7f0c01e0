/* SPDX-License-Identifier: GPL-2.0-or-later */
/* runs.h - the runs of one call of a compat tool, one after the other: from configs to figures and reports.
 */
#pragma once

#include "src/base/whole_file.h"
#include "src/compat/compat.h"
#include "src/plan/plan.h"
#include "src/run/run.h"

/* The caller sets the first two members; all others are zero at first. */
struct compat_runs {
	const struct compat *compat;
	bool several;       /* runs may follow each other: --ipctop-json is an array */
	int status;         /* the exit status so far */
	struct cpus ran_on; /* in all runs; the caller fills it for compat_runs_close() */
	struct plan plan;   /* of the run under way, as the next two */
	struct notes notes;
	struct run run; /* the figures are in source.session */
	bool (*updated)(void *data);
	void *data;
	bool started;
	struct whole_file report; /* --ipctop-json; out is NULL if it is not open */
	size_t n_reports;
};

/* Runs the rings of @config until its duration or loops end, or a signal comes. Missing rights to a real-time
 * policy are an error, as in the tools. Calls @updated, never NULL, after each tick; it returns false to end
 * the run. If the run could start, prints its notes and failures on stderr as "# ..." lines, calls @ended
 * unless that is NULL, and appends to --ipctop-json. Prints errors. Returns whether another run may follow.
 */
bool compat_runs_measure(struct compat_runs *runs, const struct config *config, bool (*updated)(void *data),
	void (*ended)(void *data), void *data);
/* If --json was given, writes that file by @print. Prints errors. */
void compat_runs_write_json(
	struct compat_runs *runs, void (*print)(FILE *out, const void *data), const void *data);

/* Returns the CPU to which the member is pinned, or on which it ran last. */
int compat_cpu(const struct session_ring *ring, unsigned member);

/* --- for benchmarks: the scheduler places their members unless --cpus names CPUs --- */

/* --cpus, -h, --json and --ipctop-json. */
extern const struct option_row compat_bench_options[];

/* Prints where the members ran, on stderr as a "# ..." line unless --cpus named the CPUs, and ends
 * --ipctop-json. */
void compat_runs_close(struct compat_runs *runs);

/* Adds the CPUs on which the members of a ring ran last. */
void compat_ran_on(const struct session_ring *ring, struct cpus *ran_on);
/* Prints a member of a JSON object that is not its first: "ran_on". */
void compat_print_ran_on(FILE *out, const struct cpus *ran_on);

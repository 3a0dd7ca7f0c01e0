/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bench.h - shared by the front ends that are benchmarks: runs one after the other, whose members the
 * scheduler places unless --cpus names their CPUs. */
#pragma once

#include "src/base/whole_file.h"
#include "src/compat/measure.h"

/* --cpus, -h, --json and --ipctop-json. */
extern const struct option_row compat_bench_options[];

/* All runs of one call. The caller sets the first two. */
struct compat_bench {
	const struct compat *compat;
	bool several;                    /* runs may follow each other: --ipctop-json is an array */
	struct compat_measured measured; /* the run under way */
	struct cpus ran_on;              /* of all runs; the caller's to unite */
	struct whole_file report;        /* --ipctop-json */
	bool report_open;
	size_t n_reports;
	int status; /* the exit status so far */
};

/* Opens --ipctop-json. Returns 0 or a negative errno with its sentence. */
int compat_bench_open(struct compat_bench *bench, struct error_text *reason);
/* Runs one config as compat_measure() does, with its errors printed and its report written. Calls @ended,
 * which may be NULL, if there are figures. Returns whether another run may follow. */
bool compat_bench_run(struct compat_bench *bench, const struct config *config, bool (*updated)(void *data),
	void (*ended)(void *data), void *data);
/* Prints where the members ran, on stderr as a "# ..." line unless --cpus named the CPUs, and ends
 * --ipctop-json. */
void compat_bench_close(struct compat_bench *bench);

/* Adds the CPUs on which the members of a ring ran last. */
void compat_ran_on(const struct session_ring *ring, struct cpus *ran_on);
/* Prints a member of a JSON object that is not its first: "ran_on". */
void compat_print_ran_on(FILE *out, const struct cpus *ran_on);

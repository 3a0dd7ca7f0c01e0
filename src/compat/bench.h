/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bench.h - what the benchmarks among the front ends share: several runs, one after the other, whose members
 * go where the scheduler puts them unless their CPUs are named. */
#pragma once

#include "src/base/whole_file.h"
#include "src/compat/measure.h"
#include "src/compat/options.h"

/* --cpus, -h, --json and --ipctop-json. */
extern const struct compat_option compat_bench_options[];

/* The reports of all runs, as one array: --ipctop-json of front ends that make several. */
struct compat_reports {
	struct report_file file;
	size_t n;
	bool open;
};

/* All do nothing where --ipctop-json was not given. Return 0 or a negative errno with its sentence, and then
 * nothing is written. */
int compat_reports_open(
	struct compat_reports *reports, const struct compat *compat, struct error_text *reason);
int compat_reports_add(struct compat_reports *reports, const struct compat *compat,
	const struct compat_measured *measured, struct error_text *reason);
int compat_reports_close(struct compat_reports *reports, struct error_text *reason);

/* Has a signal ended the run? Then no other follows. */
bool compat_was_interrupted(const struct compat_measured *measured);

/* Adds the CPUs on which a ring's members were last seen. */
void compat_add_ran_on(const struct session_ring *ring, struct cpus *ran_on);
/* Says where they ran, on stderr, as a "# ..." line; nothing where --cpus said it. */
void compat_tell_ran_on(const struct compat *compat, const struct cpus *ran_on);

/* Print one member of an object in JSON, with what stands @before it. */
void compat_put_cpus(FILE *out, const char *before, const char *key, const struct cpus *cpus);

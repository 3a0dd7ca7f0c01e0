/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ipc_bench_print.h - what ipc-bench prints. */
#pragma once

#include "src/compat/bench.h"

/* Of one method at one size: of the round trips. */
struct ipc_bench_result {
	const char *method; /* static */
	uint64_t size;      /* bytes of each message; 0: it carries none */
	uint64_t count;     /* 0: there are no figures */
	uint64_t sum_ns, min_ns, max_ns;
	double mean_ns, stddev_ns, p50_ns, p90_ns, p99_ns, p999_ns;
	uint64_t faults; /* messages that came back damaged, or not as they were sent */
	struct cpus ran_on;
};

void ipc_bench_take(struct ipc_bench_result *result, const char *method, const struct session_ring *ring,
	uint64_t size, const struct cpus *ran_on);
/* Says on stderr that messages were damaged; returns whether none was. */
bool ipc_bench_check(const struct ipc_bench_result *result);

/* Print on stdout. */
void ipc_bench_print_block(const struct ipc_bench_result *result);
void ipc_bench_print_table(const struct ipc_bench_result *results, size_t n);
/* Returns 0 or a negative errno with its sentence. */
int ipc_bench_write_json(
	const char *path, const struct ipc_bench_result *results, size_t n, struct error_text *reason);

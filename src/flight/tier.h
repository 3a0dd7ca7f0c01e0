/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tier.h - a way to record what ran on CPUs: BPF, perf's tracepoints, perf's context switches.
 *
 * A tier is a file that defines `const struct flight_tier flight_NAME`, and its name in src/meson.build. All
 * calls are made by one thread, but for a slow close(). A tier records on the CPUs of running rings alone,
 * and leaves out, where it can, switches between members of one ring, and between a member and idle if the
 * member went to sleep. Of quick ones between rings that share a CPU it may say only how many there were. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/error_text.h"
#include "src/figures/spike.h"

struct cpus;

struct flight_member {
	int32_t tid;
	uint32_t ring; /* its id */
	int32_t cpu;   /* where it is pinned; -1: it may run on several */
};

/* What is to be recorded. All members of running rings, by their tids, ascending. */
struct flight_watch {
	const struct cpus *cpus;
	const struct flight_member *members;
	size_t n_members;
};

/* Takes a record in the order of its CPU's time. */
typedef void flight_take(void *data, const struct flight_record *record);

enum { GAP_OVERWRITTEN = 1 };
#define HIDES_OUTSIDE SIZE_MAX

struct flight_tier {
	const char *name; /* value of --recorder, JSON */
	bool is_costly;   /* taken only where it is named */
	/* The kernel lets its close() wait for long: a thread of its own makes that call. */
	bool is_slow_to_close;
	/* It records switches between members of different rings. */
	bool tells_rings_apart;
	/* Begins to record. *state stays NULL on failure. Returns 0, or a negative errno with a sentence that
	 * names the missing right and the remedy. */
	int (*open)(void **state, const struct flight_watch *watch, struct error_text *reason);
	/* Follows rings that have come and gone, members that were moved, and CPUs that came back. What can't
	 * be watched any more is a FLIGHT_GAP. Returns the same. */
	int (*follow)(void *state, const struct flight_watch *watch, struct error_text *reason);
	/* Hands over all records since the call before, of each CPU in order. In place of those that were
	 * overwritten it hands over a FLIGHT_GAP with the number GAP_OVERWRITTEN, and before the first record
	 * of a CPU one with a number from 0 on. */
	void (*drain)(void *state, flight_take *take, void *data);
	/* Fills in the FLIGHT_IDLE of a CPU that was idle at that time, and then not until @until_ns. Returns
	 * false if it was not, was so again, or that is not known. NULL: it never is. */
	bool (*find_idle)(const void *state, uint32_t cpu, uint64_t at_ns, uint64_t until_ns,
		struct flight_record *record);
	/* Returns how many tids of others it leaves out on a CPU, because it can't tell them from the
	 * members'; HIDES_OUTSIDE: tasks outside of this PID namespace, which it can't tell from an idle CPU.
	 * NULL: it always can. */
	size_t (*hides)(const void *state, uint32_t cpu);
	size_t (*memory)(const void *state); /* bytes that it has mapped */
	void (*close)(void *state);
};

extern const struct flight_tier *const flight_tiers[]; /* the better ones first; ended by NULL */

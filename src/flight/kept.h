/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kept.h - the records that the flight recorder keeps of each CPU, and those among them that a spike needs.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/figures/spike.h"
#include "src/machine/cpus.h"

/* CPUs begin with room for KEPT_FIRST records together. Once a CPU fills its own within 2 s, that doubles, up
 * to KEPT_MAX (96 MiB) of all. */
enum { KEPT_FIRST = 1 << 16, KEPT_LEAST = 1 << 10, KEPT_MAX = 1 << 20 };

/* Number i is at i modulo size, and overwrites an older one. */
struct kept_cpu {
	struct flight_record *records; /* owned; in the order of at_ns; NULL: none yet */
	uint64_t size, count;
	bool has_dropped;      /* older records than the oldest one */
	uint64_t since_ns;     /* when it began to be watched; 0: it is not */
	uint64_t hid_until_ns; /* tasks were not recorded; UINT64_MAX: they still are not */
	/* The last switches by which a task was stopped, and a real-time task had to leave; 0: none. */
	uint64_t stopped_ns, left_ns;
};

/* Zeroed keeps nothing. */
struct kept {
	struct kept_cpu cpus[CPUS_MAX];
	size_t room;   /* records, of all CPUs */
	size_t n_cpus; /* that are watched */
};

void kept_finish(struct kept *kept);
/* A CPU is watched from now on, or not any more: then its records are dropped. */
void kept_watch(struct kept *kept, uint32_t cpu, bool is_watched, uint64_t now_ns);
/* Keeps the next record of its CPU. Returns it, whose roles the caller may set; NULL if the CPU is not
 * watched, or without memory. */
struct flight_record *kept_add(struct kept *kept, const struct flight_record *record);
/* Finds the records of a spike, as flight_find() says. */
size_t kept_find(
	const struct kept *kept, const struct spike *spike, struct flight_record *records, size_t max);

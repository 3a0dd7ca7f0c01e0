/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cpus.h - sets of CPUs, and their lists ("0-3,8"). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CPUS_MAX = 8192 }; /* the largest NR_CPUS of any Linux architecture */

/* The layout is that of the kernel's cpumask, as sched_setaffinity(2) needs it. */
struct cpus {
	uint64_t word[CPUS_MAX / 64];
};

void cpus_add(struct cpus *set, unsigned cpu); /* @cpu < CPUS_MAX */
void cpus_remove(struct cpus *set, unsigned cpu);
bool cpus_has(const struct cpus *set, unsigned cpu); /* false from CPUS_MAX on */
size_t cpus_count(const struct cpus *set);
bool cpus_equal(const struct cpus *a, const struct cpus *b);
bool cpus_subset(const struct cpus *a, const struct cpus *b); /* whether all of @a is in @b */
void cpus_intersect(struct cpus *set, const struct cpus *with);
void cpus_unite(struct cpus *set, const struct cpus *with);
void cpus_subtract(struct cpus *set, const struct cpus *without);

/* Returns the lowest CPU above @after, or -1. Start with -1. */
int cpus_next(const struct cpus *set, int after);

/* Reads the kernel's list format: "0-3,8", "0-15:2/4"; an empty list is an empty set. Skips space around it.
 * Returns 0, or -EINVAL with @set untouched. */
int cpus_parse(struct cpus *set, const char *list);

/* Reads a mask: groups of 32 CPUs in hexadecimal with commas between them, the highest first: "3,00000000".
 */
struct cpus cpus_parse_mask(const char *mask);

/* Reads such a list from a file of /sys. Returns false, with @set untouched, if there is none. */
bool cpus_read(struct cpus *set, const char *path);

/* Adds the CPUs of the isolated partitions below @cgroup, a directory of version 2. */
void cpus_add_partitions(struct cpus *isolated, const char *cgroup);

/* Reads the CPUs that isolcpus or a cpuset partition isolates, offline ones too. */
struct cpus cpus_isolated(void);

/* Writes "0-3,8"; if @size is too small, the list ends in "...". Returns @text. */
char *cpus_format(const struct cpus *set, char *text, size_t size);

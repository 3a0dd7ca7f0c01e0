/* SPDX-License-Identifier: GPL-2.0-or-later */
/* topology.h - the machine's CPUs: their caches, nodes and packages, and which of them may be used. */
#pragma once

#include <stddef.h>

#include "src/base/error_text.h"
#include "src/machine/cpus.h"

/* The nearest part of the machine that two CPUs share, from near to far. */
enum locality {
	LOCALITY_OWN,     /* one CPU */
	LOCALITY_SMT,     /* a core */
	LOCALITY_L2,      /* a level 2 cache */
	LOCALITY_L3,      /* a level 3 cache */
	LOCALITY_NODE,    /* a NUMA node and a package */
	LOCALITY_PACKAGE, /* a package */
	LOCALITY_CROSS,   /* none of these */
	N_LOCALITIES,
};

/* "own", "smt", "l2", ... : option value, JSON, column; "-" for N_LOCALITIES, where it is not known. */
const char *locality_name(enum locality locality);

enum { TOPOLOGY_KIND_SIZE = 80 };

struct topology_cpu {
	unsigned cpu;              /* the kernel's number */
	int core, l2, l3, package; /* each by its lowest CPU; -1: there is none */
	int node;                  /* the kernel's number, or -1 */
	int kind;                  /* of core, 0 the slowest; -1 where all are alike */
	int latency_row;           /* in the topology's latencies, or -1 */
	const uint64_t *parts;     /* that contain it, the machine first; 0 after the last */
};

struct topology {
	struct topology_cpu *cpus; /* owned; online ones, by number */
	size_t n_cpus;
	struct cpus online;
	struct cpus offline;  /* those that this system can bring online */
	struct cpus allowed;  /* by the cpuset; -c may name these */
	struct cpus usable;   /* measured by default */
	struct cpus isolated; /* by isolcpus or a cpuset partition, online */
	struct cpus nodes;    /* NUMA nodes with memory, by the kernel's numbers; never empty */
	const char *foreign;  /* the variable that describes it to hwloc: not this system's; or NULL */
	size_t n_cores, n_l3;
	size_t n_packages, n_nodes, n_kinds; /* at least 1 */
	char (*kinds)[TOPOLOGY_KIND_SIZE];   /* owned; a text about each kind of core; NULL: one kind */
	uint64_t *latencies; /* owned; a square of n_latencies rows, relative, as the firmware has them; or
				NULL */
	size_t n_latencies;
	uint64_t *parts; /* owned; those of the CPUs */
};

/* Reads this machine, or the one that HWLOC_XMLFILE, HWLOC_SYNTHETIC, HWLOC_FSROOT or HWLOC_CPUID_PATH
 * describes. Returns 0 or a negative errno with its reason; topology_finish() accepts the topology in either
 * case. */
int topology_init(struct topology *topology, struct error_text *reason);
void topology_finish(struct topology *topology);

const struct topology_cpu *topology_find(const struct topology *topology, unsigned cpu); /* or NULL */
enum locality topology_cpu_locality(const struct topology_cpu *a, const struct topology_cpu *b);
/* Returns a number without a unit that is larger for CPUs that are farther apart: by the latencies, and if
 * these are equal or missing, by the steps from one CPU up to the smallest part that contains both, and down
 * to the other. */
uint64_t topology_distance(
	const struct topology *topology, const struct topology_cpu *a, const struct topology_cpu *b);
/* Refuses CPUs that are offline, as @value of @option names them. Returns 0 or -EINVAL with its reason. */
int topology_check_online(const struct topology *topology, const char *option, const char *value,
	const struct cpus *cpus, struct error_text *reason);

/* Both must be online. */
enum locality topology_locality(const struct topology *topology, unsigned a, unsigned b);
/* Returns the classes of all pairs of these CPUs, a bit each: 1 << LOCALITY_OWN and so on. */
unsigned topology_localities(const struct topology *topology, const struct cpus *cpus);

/* Returns the CPUs that are measured by default: all that the cpuset allows, because an inherited affinity
 * leaves isolated CPUs out; but the inherited affinity where taskset(1) restricted it further. Pure. */
struct cpus topology_usable(
	const struct cpus *inherited, const struct cpus *allowed, const struct cpus *isolated);

/* Finds the CPUs that the cpuset allows, by a child process that asks for all. It knows of a CPU that is
 * about to go offline, too. */
int topology_ask_allowed(struct cpus *allowed);

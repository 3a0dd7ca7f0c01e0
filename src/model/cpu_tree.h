/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cpu_tree.h - the CPUs of a machine as a tree of its parts, and sums over the rings inside each part. Pure.
 *
 * A part that has the CPUs of the part around it is no part of its own: both are one, with both names. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "src/figures/hist.h"
#include "src/machine/cpus.h"

struct session_ring;
struct topology_cpu;

/* From large to small. */
enum cpu_level {
	LEVEL_MACHINE,
	LEVEL_PACKAGE,
	LEVEL_NODE, /* NUMA */
	LEVEL_L3,
	LEVEL_L2,
	LEVEL_CORE,
	LEVEL_CPU,
	N_CPU_LEVELS
};

struct cpu_part {
	uint32_t id;            /* the same in each tree of a machine */
	unsigned depth, levels; /* levels: a bit for each that it is */
	/* By level: the kernel's of a node and a CPU; of the others they count from 0. */
	unsigned numbers[N_CPU_LEVELS];
	size_t parent, end;   /* the first part that is not inside */
	size_t first, n_cpus; /* among the CPUs of the tree */
};

/* Zeroed has no parts. */
struct cpu_tree {
	struct cpu_part *parts; /* owned; the machine first, and each before those inside */
	size_t n;
	unsigned *cpus; /* owned; those of a part are beside each other */
	size_t n_cpus;
	uint16_t numbers[CPUS_MAX]; /* of a CPU: its index in cpus, and 1; 0: it is not there */
};

/* Makes the tree of @n CPUs. A level whose parts are not within the larger ones is left out there. Returns 0
 * or -ENOMEM; cpu_tree_finish() accepts what is left. */
int cpu_tree_init(struct cpu_tree *tree, const struct topology_cpu *cpus, size_t n);
void cpu_tree_finish(struct cpu_tree *tree);

enum { CPU_PART_NAME_SIZE = 80 };

/* "machine", "package 0 node 0 L3", "core 2 L2", "CPU 5". Returns @name. */
char *cpu_part_name(const struct cpu_part *part, char name[CPU_PART_NAME_SIZE]);
/* Returns the largest of its levels. */
enum cpu_level cpu_part_level(const struct cpu_part *part);
struct cpus cpu_part_cpus(const struct cpu_tree *tree, const struct cpu_part *part);

/* Return the index of the smallest part that has a CPU, or all members of a ring; 0, the machine, if the tree
 * does not have them, or a member may be on any of several CPUs. The tree has parts. */
size_t cpu_tree_find(const struct cpu_tree *tree, uint32_t cpu);
size_t cpu_tree_find_ring(const struct cpu_tree *tree, const struct session_ring *ring);

/* What is inside of a part. */
struct cpu_part_sums {
	size_t n_rings;
	struct hist hist;  /* owned */
	uint64_t spike_ns; /* time of spikes that went by on its CPUs */
};

/* Adds the sums of each part, which are those of the rings and CPUs that are in no smaller one, to those
 * around it. @sums: one for each part. Returns 0 or -ENOMEM. */
int cpu_tree_add_up(const struct cpu_tree *tree, struct cpu_part_sums *sums);

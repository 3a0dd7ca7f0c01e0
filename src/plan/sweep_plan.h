/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sweep_plan.h - which pairs of CPUs a sweep measures, and in which order. Pure.
 *
 * A round measures each pair once. A ring of two passes its token both ways, so a round has N * (N - 1) / 2
 * pairs: N - 1 matchings of disjoint pairs, by the circle method. The first round goes from coarse to fine:
 * one pair for each two level 3 caches, then one for each two cores, then the rest. Each further round
 * begins with the oldest pairs, and the widest quarter of them is measured once more after it. So no pair
 * waits longer than a round and a quarter. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/machine/topology.h"

/* The order of rows and columns of a matrix: by package, node, caches, core and number. */
struct sweep_cpu {
	unsigned cpu;
	unsigned core, l3, node, package; /* numbered from 0 in this order; l3: a node without such a cache */
};

struct sweep_pair {
	uint32_t a, b; /* indices in the order above; a < b */
};

struct sweep_plan {
	struct sweep_cpu *cpus; /* owned */
	uint32_t n_cpus;
	size_t n_pairs;
	uint64_t n_rounds; /* complete ones */

	/* The rest is the plan's own. */
	enum sweep_pass { SWEEP_CACHES, SWEEP_CORES, SWEEP_CPUS, SWEEP_OLDEST, SWEEP_WIDEST } pass;
	struct sweep_pair *order; /* owned; of the pass */
	size_t n_order, n_taken;
	size_t n_measuring;
	uint64_t n_measured; /* since the start */
	uint64_t *measured;  /* owned; by pair: n_measured after its last time; 0: never */
	float *spread;       /* owned; by pair */
	bool *core_is_busy;  /* owned */
};

/* Returns the index of a pair among all: 0 to n_pairs - 1. */
static inline size_t sweep_pair_index(uint32_t a, uint32_t b)
{
	return a < b ? (size_t)b * (b - 1) / 2 + a : (size_t)a * (a - 1) / 2 + b;
}

/* Lists @cpus, which must be online, in the order of a matrix; the caller frees the list. Returns their
 * number; 0: no memory. */
uint32_t sweep_cpus_sort(struct sweep_cpu **list, const struct topology *topology, const struct cpus *cpus);

/* Returns how many pairs of @cpus fit at once, each core in one of them; 0 if there are fewer than two CPUs.
 */
unsigned sweep_most_at_once(const struct topology *topology, const struct cpus *cpus);

/* @cpus: at least two. Returns 0 or -ENOMEM; sweep_plan_finish() accepts either. */
int sweep_plan_init(struct sweep_plan *plan, const struct topology *topology, const struct cpus *cpus);
void sweep_plan_finish(struct sweep_plan *plan);

/* Takes the next pair whose cores are in no pair that is being measured. Returns false if there is none until
 * another one is put back. */
bool sweep_plan_take(struct sweep_plan *plan, struct sweep_pair *pair);

/* Puts back a pair that was measured. @spread: how far its samples are apart, relative to the median; 0 if it
 * has none. */
void sweep_plan_put_back(struct sweep_plan *plan, const struct sweep_pair *pair, float spread);

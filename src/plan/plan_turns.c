/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan_turns.c - the turns of rings: rings that share a CPU do not run at once. */
#include "src/plan/plan_turns.h"

#include <errno.h>
#include <stdlib.h>

enum { TURN_WORDS = PLAN_RINGS_MAX / 64, SLICE_LAPS = 8 };

/* The length of a round of many turns, unless that makes a turn shorter than SLICE_MIN_NS. */
#define ROUND_NS UINT64_C(3000000000)
#define SLICE_MIN_NS UINT64_C(100000000)
#define SLICE_MAX_NS UINT64_C(1000000000)

/* The turns in which a CPU is taken, as bits. */
struct taken_turns {
	uint64_t words[TURN_WORDS];
};

static unsigned first_free(const struct taken_turns *taken, const struct plan_ring *ring)
{
	for (unsigned i = 0; i < TURN_WORDS; i++) {
		uint64_t any = 0;

		for (unsigned member = 0; member < ring->n_members; member++)
			any |= taken[ring->cpus[member]].words[i];
		if (~any)
			return i * 64 + (unsigned)__builtin_ctzll(~any);
	}
	return PLAN_RINGS_MAX - 1; /* not reached: there are no more rings than turns */
}

/* Each ring takes the first turn in which its CPUs are free. */
static int assign(struct plan *plan, const struct config *config)
{
	struct taken_turns *taken = calloc(CPUS_MAX, sizeof(*taken));

	if (!taken)
		return -ENOMEM;
	for (size_t i = 0; i < plan->n_rings; i++) {
		struct plan_ring *ring = &plan->rings[i];

		if (ring->refusal)
			continue;
		ring->turn = config->side_by_side ? 0 : first_free(taken, ring);
		for (unsigned member = 0; member < ring->n_members; member++)
			taken[ring->cpus[member]].words[ring->turn / 64] |= UINT64_C(1) << ring->turn % 64;
		if (ring->turn >= plan->n_turns)
			plan->n_turns = ring->turn + 1;
	}
	free(taken);
	return 0;
}

/* Does an earlier member of the ring have the member's CPU? */
static bool has_cpu_before(const struct plan_ring *ring, unsigned member)
{
	for (unsigned m = 0; m < member; m++)
		if (ring->cpus[m] == ring->cpus[member])
			return true;
	return false;
}

/* Only rings that run side by side share CPUs. */
static int count_sharers(struct plan *plan, bool side_by_side)
{
	unsigned *n_rings = calloc(CPUS_MAX, sizeof(*n_rings)); /* by CPU */

	if (!n_rings)
		return -ENOMEM;
	for (size_t i = 0; i < plan->n_rings; i++)
		for (unsigned m = 0; !plan->rings[i].refusal && m < plan->rings[i].n_members; m++)
			n_rings[plan->rings[i].cpus[m]] += !has_cpu_before(&plan->rings[i], m);
	for (size_t i = 0; i < plan->n_rings; i++) {
		struct plan_ring *ring = &plan->rings[i];

		ring->n_sharers = 1;
		for (unsigned m = 0; side_by_side && !ring->refusal && m < ring->n_members; m++)
			if (n_rings[ring->cpus[m]] > ring->n_sharers)
				ring->n_sharers = n_rings[ring->cpus[m]];
	}
	free(n_rings);
	return 0;
}

/* Spreads the first laps of the rings of a turn over an interval. */
static int stagger(struct plan *plan)
{
	size_t *sizes = calloc(2 * (size_t)plan->n_turns + 1, sizeof(*sizes));

	if (!sizes)
		return -ENOMEM;
	size_t *placed = sizes + plan->n_turns;

	for (size_t i = 0; i < plan->n_rings; i++)
		sizes[plan->rings[i].turn] += !plan->rings[i].refusal;
	for (size_t i = 0; i < plan->n_rings; i++) {
		struct plan_ring *ring = &plan->rings[i];

		if (!ring->refusal)
			ring->offset_ns = ring->interval_ns * placed[ring->turn]++ / sizes[ring->turn];
	}
	free(sizes);
	return 0;
}

/* Slow rings come to some laps in it. */
static uint64_t shortest_slice(const struct plan *plan)
{
	uint64_t longest_ns = 0;

	for (size_t i = 0; i < plan->n_rings; i++)
		if (plan->rings[i].interval_ns > longest_ns)
			longest_ns = plan->rings[i].interval_ns;
	return SLICE_LAPS * longest_ns;
}

/* Figures of a round that is short are fresh; but a turn must have some laps, and not be all warm-up. */
static uint64_t usual_slice(const struct plan *plan, uint64_t shortest_ns)
{
	uint64_t slice_ns = ROUND_NS / (plan->n_turns ? plan->n_turns : 1);

	slice_ns = slice_ns < SLICE_MAX_NS ? slice_ns : SLICE_MAX_NS;
	slice_ns = slice_ns > SLICE_MIN_NS ? slice_ns : SLICE_MIN_NS;
	return slice_ns > shortest_ns ? slice_ns : shortest_ns;
}

/* With a single turn, nothing depends on its length. */
static int set_slice(struct plan *plan, const struct config *config, struct error_text *reason)
{
	uint64_t shortest_ns = shortest_slice(plan);

	if (config->turn_ns && config->turn_ns < shortest_ns && plan->n_turns > 1)
		return error_text_set(reason, -EINVAL,
			"--turns %g: the longest interval is %g s, and a turn must have %d of these: %g s at least",
			(double)config->turn_ns / 1e9, (double)shortest_ns / SLICE_LAPS / 1e9, SLICE_LAPS,
			(double)shortest_ns / 1e9);
	plan->slice_ns = usual_slice(plan, shortest_ns);
	if (config->turn_ns)
		plan->slice_ns = config->turn_ns > shortest_ns ? config->turn_ns : shortest_ns;
	return 0;
}

int plan_turns_assign(struct plan *plan, const struct config *config, struct error_text *reason)
{
	int r = assign(plan, config);

	if (r == 0)
		r = count_sharers(plan, config->side_by_side);
	if (r == 0)
		r = stagger(plan);
	if (r < 0)
		return error_text_set(reason, r, "no memory for the turns of %zu rings", plan->n_rings);
	return set_slice(plan, config, reason);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan_turns.c - the turns of rings: rings that share a CPU do not run at once. */
#include "src/plan/plan_turns.h"

#include <errno.h>
#include <stdlib.h>

enum { SLICE_LAPS = 8 };

/* The length of a round of many turns, unless that makes a turn shorter than SLICE_MIN_NS. */
#define ROUND_NS UINT64_C(3000000000)
#define SLICE_MIN_NS UINT64_C(100000000)
#define SLICE_MAX_NS UINT64_C(1000000000)

static bool is_free(const struct plan_ring *ring, const struct cpus *taken)
{
	for (unsigned member = 0; member < ring->n_members; member++)
		if (cpus_has(taken, ring->cpus[member]))
			return false;
	return true;
}

unsigned plan_turns_take(const struct plan_ring *ring, struct cpus *taken, bool side_by_side)
{
	unsigned turn = 0;

	while (!side_by_side && !is_free(ring, &taken[turn]))
		turn++;
	for (unsigned member = 0; member < ring->n_members; member++)
		cpus_add(&taken[turn], ring->cpus[member]);
	return turn;
}

static int assign_turn(struct plan *plan, const struct config *config)
{
	struct cpus *taken = calloc(plan->n_rings + 1, sizeof(*taken)); /* by turn */

	if (!taken)
		return -ENOMEM;
	for (size_t i = 0; i < plan->n_rings; i++) {
		struct plan_ring *ring = &plan->rings[i];

		if (ring->refusal)
			continue;
		ring->turn = plan_turns_take(ring, taken, config->side_by_side);
		if (ring->turn >= plan->n_turns)
			plan->n_turns = ring->turn + 1;
	}
	free(taken);
	return 0;
}

/* Only rings that run side by side share CPUs. */
void plan_turns_count_sharers(struct plan *plan, bool side_by_side)
{
	unsigned n_rings[CPUS_MAX] = {0};

	for (size_t i = 0; i < plan->n_rings; i++) {
		const struct cpus cpus = plan_ring_cpus(&plan->rings[i], NULL);

		for (int cpu = cpus_next(&cpus, -1); !plan->rings[i].refusal && cpu >= 0;
			cpu = cpus_next(&cpus, cpu))
			n_rings[cpu]++;
	}
	for (size_t i = 0; i < plan->n_rings; i++) {
		struct plan_ring *ring = &plan->rings[i];

		ring->n_sharers = 1;
		for (unsigned m = 0; side_by_side && !ring->refusal && m < ring->n_members; m++)
			if (n_rings[ring->cpus[m]] > ring->n_sharers)
				ring->n_sharers = n_rings[ring->cpus[m]];
	}
}

/* Spreads the first laps of the rings of a turn over its first interval, at whose end the last one is due: so
 * a turn has no more slots than intervals. */
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
			ring->offset_ns = ring->interval_ns * ++placed[ring->turn] / sizes[ring->turn];
	}
	free(sizes);
	return 0;
}

uint64_t plan_turns_shortest_ns(uint64_t interval_ns)
{
	return SLICE_LAPS * interval_ns;
}

/* Short rounds give fresh figures, but each turn needs time for warm-up and some laps of the slowest ring. */
uint64_t plan_turns_slice_ns(const struct plan *plan, const struct config *config, uint64_t longest_ns)
{
	uint64_t slice_ns = ROUND_NS / (plan->n_turns ? plan->n_turns : 1);

	slice_ns = slice_ns < SLICE_MAX_NS ? slice_ns : SLICE_MAX_NS;
	slice_ns = slice_ns > SLICE_MIN_NS ? slice_ns : SLICE_MIN_NS;
	if (config->turn_ns)
		slice_ns = config->turn_ns;
	return slice_ns > plan_turns_shortest_ns(longest_ns) ? slice_ns : plan_turns_shortest_ns(longest_ns);
}

/* The length of a single turn has no effect. */
static int set_slice(struct plan *plan, const struct config *config, struct error_text *reason)
{
	uint64_t longest_ns = 0;

	for (size_t i = 0; i < plan->n_rings; i++)
		if (plan->rings[i].interval_ns > longest_ns)
			longest_ns = plan->rings[i].interval_ns;
	uint64_t shortest_ns = plan_turns_shortest_ns(longest_ns);

	if (config->turn_ns && config->turn_ns < shortest_ns && plan->n_turns > 1)
		return error_text_set(reason, -EINVAL,
			"--turns %g: the longest interval is %g s, and a turn must have %d of these: %g s at least",
			(double)config->turn_ns / 1e9, (double)longest_ns / 1e9, SLICE_LAPS,
			(double)shortest_ns / 1e9);
	plan->slice_ns = plan_turns_slice_ns(plan, config, longest_ns);
	return 0;
}

int plan_turns_assign(struct plan *plan, const struct config *config, struct error_text *reason)
{
	int r = assign_turn(plan, config);

	plan_turns_count_sharers(plan, config->side_by_side);
	if (r == 0)
		r = stagger(plan);
	if (r < 0)
		return error_text_set(reason, r, "no memory for the turns of %zu rings", plan->n_rings);
	return set_slice(plan, config, reason);
}

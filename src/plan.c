/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan.c - which CPUs are measured, and the rings on them with their turns. */
#include "src/plan.h"

#include <errno.h>
#include <stdlib.h>

#include "src/config.h"
#include "src/plan_pairs.h"
#include "src/probe.h"
#include "src/task.h"

enum { LIST_SIZE = 64 }; /* of a CPU list in a sentence */

static const char *plural(const struct cpus *cpus)
{
	return cpus_count(cpus) > 1 ? "s" : "";
}

/* Are the CPUs of an option allowed, and are there any? */
static int check_list(
	const char *option, const struct cpus *cpus, const struct topology *topology, struct reason *reason)
{
	char list[LIST_SIZE], others[LIST_SIZE], allowed[LIST_SIZE];
	struct cpus beyond = *cpus;

	cpus_subtract(&beyond, &topology->allowed);
	cpus_format(&topology->allowed, allowed, sizeof(allowed));
	if (cpus_count(cpus) == 0)
		return reason_set(
			reason, -EINVAL, "%s: the list of CPUs is empty; allowed are %s", option, allowed);
	if (cpus_count(&beyond) == 0)
		return 0;
	return reason_set(reason, -EINVAL,
		"%s %s: CPU%s %s %s not among the CPUs allowed to this process (%s)", option,
		cpus_format(cpus, list, sizeof(list)), plural(&beyond),
		cpus_format(&beyond, others, sizeof(others)), cpus_count(&beyond) > 1 ? "are" : "is",
		allowed);
}

static int note_busy(const struct cpus *busy, struct notes *notes, struct reason *reason)
{
	for (int cpu = cpus_next(busy, -1); cpu >= 0; cpu = cpus_next(busy, cpu))
		if (notes_add(notes,
			    "CPU %d is isolated and another program is at work on it: left out; "
			    "-c %d measures it all the same",
			    cpu, cpu) < 0)
			return reason_set(reason, -ENOMEM, "no memory for a note");
	return 0;
}

/* What is measured where nobody names a CPU. */
static int find_usable(struct cpus *candidates, const struct config *config, const struct topology *topology,
	const struct cpus *busy, struct notes *notes, struct reason *reason)
{
	char list[LIST_SIZE], without[LIST_SIZE];
	struct cpus busy_here = {0};

	*candidates = topology->usable;
	if (config->has_housekeeping)
		cpus_subtract(candidates, &config->housekeeping);
	if (cpus_count(candidates) == 0)
		return reason_set(reason, -EINVAL, "-H %s: no CPU remains to be measured (of %s)",
			cpus_format(&config->housekeeping, without, sizeof(without)),
			cpus_format(&topology->usable, list, sizeof(list)));
	if (busy) {
		busy_here = *busy;
		cpus_intersect(&busy_here, candidates);
		cpus_subtract(candidates, &busy_here);
	}
	if (cpus_count(candidates) == 0)
		return reason_set(reason, -EBUSY,
			"no CPU remains to be measured: other programs are at work on the isolated CPU%s %s; "
			"-c %s measures there all the same",
			plural(&busy_here), cpus_format(&busy_here, list, sizeof(list)), list);
	return note_busy(&busy_here, notes, reason);
}

static int find_candidates(struct cpus *candidates, const struct config *config,
	const struct topology *topology, const struct cpus *busy, struct notes *notes, struct reason *reason)
{
	int r = config->has_cpus ? check_list("-c", &config->cpus, topology, reason) : 0;

	if (r == 0 && config->has_housekeeping)
		r = check_list("-H", &config->housekeeping, topology, reason);
	if (r < 0)
		return r;
	if (!config->has_cpus && !(config->pairs && plan_pairs_explicit(config->pairs)))
		return find_usable(candidates, config, topology, busy, notes, reason);
	*candidates = config->has_cpus ? config->cpus : topology->allowed;
	return 0;
}

/* A CPU that -H keeps free can be measured only because -c or a pair names it. */
static int check_housekeeping(const struct plan *plan, const struct config *config, struct reason *reason)
{
	struct cpus both = config->has_cpus ? config->cpus : plan->measured;
	char list[LIST_SIZE], kept[LIST_SIZE];

	if (!config->has_housekeeping)
		return 0;
	cpus_intersect(&both, &config->housekeeping);
	if (cpus_count(&both) == 0)
		return 0;
	return reason_set(reason, -EINVAL,
		"-H %s: CPU%s %s can't be both kept for housekeeping and measured, as %s wants",
		cpus_format(&config->housekeeping, kept, sizeof(kept)), plural(&both),
		cpus_format(&both, list, sizeof(list)), config->has_cpus ? "-c" : "--pairs");
}

static struct cpus find_housekeeping(
	const struct plan *plan, const struct config *config, const struct topology *topology)
{
	struct cpus free, shared = topology->usable;

	if (config->has_housekeeping)
		return config->housekeeping;
	cpus_subtract(&shared, &topology->isolated);
	free = shared;
	cpus_subtract(&free, &plan->measured);
	if (cpus_count(&free) > 0)
		return free;
	return cpus_count(&shared) > 0 ? shared : topology->usable;
}

/* Members that never sleep, at real-time priority on each CPU that could run anything else. */
static int check_flood(const struct plan *plan, const struct config *config, struct reason *reason)
{
	char list[LIST_SIZE];

	if (config->force || config->interval_ns > 0 || !task_policy_is_realtime(config->policy.policy) ||
		!cpus_subset(&plan->housekeeping, &plan->measured))
		return 0;
	return reason_set(reason, -EINVAL,
		"-i 0 at real-time priority (%s) on every allowed CPU (%s) would leave none to the rest of the "
		"system: keep one free with -H, or insist with --force",
		task_policy_name(config->policy.policy), cpus_format(&plan->measured, list, sizeof(list)));
}

static int make_ring(struct plan_ring *ring, size_t id, const struct plan_pair *pair,
	const struct config *config, const struct topology *topology, size_t n_pairs)
{
	*ring = (struct plan_ring){
		.id = (uint32_t)id,
		.probe = config->probes[id / n_pairs],
		.cpus = calloc(2, sizeof(*ring->cpus)),
		.n_members = 2,
		.locality = topology_locality(topology, pair->cpus[0], pair->cpus[1]),
	};
	if (!ring->cpus)
		return -ENOMEM;
	ring->cpus[0] = pair->cpus[0];
	ring->cpus[1] = pair->cpus[1];
	if (config->interval_ns > 0)
		ring->interval_ns = config->interval_ns + id % n_pairs * config->distance_ns;
	return 0;
}

static int make_rings(struct plan *plan, const struct plan_pairs *pairs, const struct config *config,
	const struct topology *topology)
{
	size_t n = pairs->n * config->n_probes;

	plan->rings = calloc(n > 0 ? n : 1, sizeof(*plan->rings));
	if (!plan->rings)
		return -ENOMEM;
	for (; plan->n_rings < n; plan->n_rings++) {
		const struct plan_pair *pair = &pairs->pair[plan->n_rings % pairs->n];
		int r = make_ring(
			&plan->rings[plan->n_rings], plan->n_rings, pair, config, topology, pairs->n);

		if (r < 0)
			return r;
		cpus_add(&plan->measured, pair->cpus[0]);
		cpus_add(&plan->measured, pair->cpus[1]);
	}
	return 0;
}

enum { TURN_WORDS = PLAN_RINGS_MAX / 64 };

/* The turns in which a CPU is taken, as bits. */
struct turns {
	uint64_t taken[TURN_WORDS];
};

static unsigned first_free(const struct turns *turns, const struct plan_ring *ring)
{
	for (unsigned i = 0; i < TURN_WORDS; i++) {
		uint64_t taken = 0;

		for (unsigned member = 0; member < ring->n_members; member++)
			taken |= turns[ring->cpus[member]].taken[i];
		if (~taken)
			return i * 64 + (unsigned)__builtin_ctzll(~taken);
	}
	return PLAN_RINGS_MAX - 1; /* not reached: there are no more rings than turns */
}

/* Each ring takes the first turn in which its CPUs are free. */
#define SLICE_NS UINT64_C(1000000000)
#define SLICE_LAPS 4

static int assign_turns(struct plan *plan, const struct config *config)
{
	struct turns *turns = calloc(CPUS_MAX, sizeof(*turns));

	if (!turns)
		return -ENOMEM;
	plan->slice_ns = SLICE_NS;
	for (size_t i = 0; i < plan->n_rings; i++) {
		struct plan_ring *ring = &plan->rings[i];

		if (plan->slice_ns < SLICE_LAPS * ring->interval_ns)
			plan->slice_ns = SLICE_LAPS * ring->interval_ns;
		ring->turn = config->side_by_side ? 0 : first_free(turns, ring);
		for (unsigned member = 0; member < ring->n_members; member++)
			turns[ring->cpus[member]].taken[ring->turn / 64] |= UINT64_C(1) << ring->turn % 64;
		if (ring->turn >= plan->n_turns)
			plan->n_turns = ring->turn + 1;
	}
	free(turns);
	return 0;
}

/* Spreads the first laps of what runs at once over an interval. */
static int stagger(struct plan *plan)
{
	size_t *sizes = calloc(2 * (size_t)plan->n_turns + 1, sizeof(*sizes));

	if (!sizes)
		return -ENOMEM;
	size_t *placed = sizes + plan->n_turns;

	for (size_t i = 0; i < plan->n_rings; i++)
		sizes[plan->rings[i].turn]++;
	for (size_t i = 0; i < plan->n_rings; i++) {
		struct plan_ring *ring = &plan->rings[i];

		ring->offset_ns = ring->interval_ns * placed[ring->turn]++ / sizes[ring->turn];
	}
	free(sizes);
	return 0;
}

/* Makes the rings of the pairs; the checks come behind, for they need to know what is measured. */
static int make_plan(struct plan *plan, const struct plan_pairs *pairs, const struct config *config,
	const struct topology *topology, struct reason *reason)
{
	int r = make_rings(plan, pairs, config, topology);

	if (r == 0)
		r = assign_turns(plan, config);
	if (r == 0)
		r = stagger(plan);
	if (r < 0)
		return reason_set(reason, r, "no memory for %zu rings", pairs->n * config->n_probes);
	plan->housekeeping = find_housekeeping(plan, config, topology);
	r = check_housekeeping(plan, config, reason);
	return r < 0 ? r : check_flood(plan, config, reason);
}

int plan_init(struct plan *plan, const struct config *config, const struct topology *topology,
	const struct cpus *busy, struct notes *notes, struct reason *reason)
{
	struct plan_pairs pairs;
	struct cpus candidates;

	*plan = (struct plan){0};
	int r = find_candidates(&candidates, config, topology, busy, notes, reason);

	if (r < 0)
		return r;
	r = plan_pairs_init(&pairs, config, topology, &candidates, notes, reason);
	if (r == 0)
		r = make_plan(plan, &pairs, config, topology, reason);
	plan_pairs_finish(&pairs);
	if (r < 0)
		plan_finish(plan);
	return r;
}

void plan_finish(struct plan *plan)
{
	for (size_t i = 0; i < plan->n_rings; i++)
		free(plan->rings[i].cpus);
	free(plan->rings);
	*plan = (struct plan){0};
}

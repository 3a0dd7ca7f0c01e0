/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan.c - the CPUs to be measured, and the rings on them with their turns. */
#include "src/plan/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/machine/task.h"
#include "src/plan/config.h"
#include "src/plan/plan_places.h"
#include "src/plan/plan_refuse.h"
#include "src/plan/plan_turns.h"
#include "src/probe/probe.h"

enum { LIST_SIZE = 64 }; /* of a CPU list in a sentence */

#define SWEEP_SLICE_NS UINT64_C(3000000000) /* how long --render sweeps without -D */

static const char *plural(const struct cpus *cpus)
{
	return cpus_count(cpus) > 1 ? "s" : "";
}

/* Refuses an empty list, and CPUs that are not allowed. */
static int check_list(const char *option, const struct cpus *cpus, const struct topology *topology,
	struct error_text *reason)
{
	char list[LIST_SIZE], others[LIST_SIZE], allowed[LIST_SIZE];
	struct cpus beyond = *cpus;

	cpus_subtract(&beyond, &topology->allowed);
	cpus_format(&topology->allowed, allowed, sizeof(allowed));
	if (cpus_count(cpus) == 0)
		return error_text_set(reason, -EINVAL,
			"%s: the list of CPUs is empty; this process may use %s", option, allowed);
	if (cpus_count(&beyond) == 0)
		return 0;
	int r = topology_check_online(topology, option, cpus_format(cpus, list, sizeof(list)), cpus, reason);

	if (r < 0)
		return r;
	return error_text_set(reason, -EINVAL,
		"%s %s: CPU%s %s %s not among the CPUs allowed to this process (%s)", option,
		cpus_format(cpus, list, sizeof(list)), plural(&beyond),
		cpus_format(&beyond, others, sizeof(others)), cpus_count(&beyond) > 1 ? "are" : "is",
		allowed);
}

static int check_memory(
	const struct config *config, const struct topology *topology, struct error_text *reason)
{
	uint32_t node = config->memory.node;
	char nodes[LIST_SIZE];

	if (config->memory.kind != NUMA_NODE || cpus_has(&topology->nodes, node))
		return 0;
	return error_text_set(reason, -EINVAL, "--memory node:%u: this machine has node%s %s", node,
		plural(&topology->nodes), cpus_format(&topology->nodes, nodes, sizeof(nodes)));
}

/* Finds the CPUs to be measured if no option names them. */
static int find_usable(struct cpus *candidates, const struct config *config, const struct topology *topology,
	const struct cpus *busy, struct notes *notes, struct error_text *reason)
{
	char list[LIST_SIZE], without[LIST_SIZE];
	struct cpus busy_here = {0};

	*candidates = topology->usable;
	if (config->has_housekeeping)
		cpus_subtract(candidates, &config->housekeeping);
	if (cpus_count(candidates) == 0)
		return error_text_set(reason, -EINVAL, "-H %s: no CPU is left to measure (of %s)",
			cpus_format(&config->housekeeping, without, sizeof(without)),
			cpus_format(&topology->usable, list, sizeof(list)));
	if (busy) {
		busy_here = *busy;
		cpus_intersect(&busy_here, candidates);
		cpus_subtract(candidates, &busy_here);
	}
	if (cpus_count(candidates) == 0)
		return error_text_set(reason, -EBUSY,
			"no CPU is left to measure: other programs run on the isolated CPU%s %s; -c %s measures there anyway",
			plural(&busy_here), cpus_format(&busy_here, list, sizeof(list)), list);
	for (int cpu = cpus_next(&busy_here, -1); cpu >= 0; cpu = cpus_next(&busy_here, cpu))
		if (notes_add(notes,
			    "CPU %d is left out: it is isolated, and another program runs on it; -c %d measures it anyway",
			    cpu, cpu) < 0)
			return error_text_set(reason, -ENOMEM, "no memory for a note");
	return 0;
}

static int find_candidates(struct cpus *candidates, const struct config *config,
	const struct topology *topology, const struct cpus *busy, struct notes *notes,
	struct error_text *reason)
{
	int r = config->has_cpus ? check_list("-c", &config->cpus, topology, reason) : 0;

	if (r == 0 && config->has_housekeeping)
		r = check_list("-H", &config->housekeeping, topology, reason);
	if (r < 0)
		return r;
	if (!config->has_cpus && !(config->pairs && plan_places_are_named(config->pairs)))
		return find_usable(candidates, config, topology, busy, notes, reason);
	*candidates = config->has_cpus ? config->cpus : topology->allowed;
	return 0;
}

/* -H conflicts only with CPUs that -c or a pair names. */
static int check_housekeeping(const struct plan *plan, const struct config *config, struct error_text *reason)
{
	struct cpus both = config->has_cpus ? config->cpus : plan->measured;
	char list[LIST_SIZE], kept[LIST_SIZE];

	if (!config->has_housekeeping)
		return 0;
	cpus_intersect(&both, &config->housekeeping);
	if (cpus_count(&both) == 0)
		return 0;
	return error_text_set(reason, -EINVAL,
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

/* Isolated CPUs are left out, as in the affinity that every process inherits. */
static struct cpus find_unpinned(const struct config *config, const struct topology *topology)
{
	struct cpus free = topology->usable;

	if (!config->tool.unpinned)
		return (struct cpus){0};
	cpus_subtract(&free, &topology->isolated);
	return cpus_count(&free) ? free : topology->usable;
}

/* The class of the farthest hop. The hops of an unpinned ring are not known: then the class of its first CPU
 * and the farthest other one. */
static enum locality farthest_hop(
	const struct plan *plan, const struct topology *topology, const struct plan_ring *ring)
{
	const struct cpus *unpinned = &plan->unpinned;
	enum locality farthest = LOCALITY_OWN, hop;

	for (int first = cpus_next(unpinned, -1), cpu = first; ring->unpinned && cpu >= 0;
		cpu = cpus_next(unpinned, cpu)) {
		hop = topology_locality(topology, (unsigned)first, (unsigned)cpu);
		farthest = hop > farthest ? hop : farthest;
	}
	for (unsigned m = 0; !ring->unpinned && m < ring->n_members; m++) {
		hop = topology_locality(topology, ring->cpus[m], ring->cpus[(m + 1) % ring->n_members]);
		farthest = hop > farthest ? hop : farthest;
	}
	return farthest;
}

static struct task_policy policy_of(const struct config *config, size_t index)
{
	struct task_policy policy = config->policy;
	int64_t priority = policy.priority - (int64_t)index * config->tool.priority_step;

	if (config->tool.priority_step && policy.priority > 0)
		policy.priority = priority > 1 ? (int32_t)priority : 1;
	return policy;
}

static int make_ring(struct plan *plan, size_t id, const struct plan_places *places,
	const struct config *config, const struct topology *topology)
{
	const struct probe *probe = config->probes[id / places->n];
	struct plan_ring *ring = &plan->rings[id];
	size_t index = id % places->n, size = places->n_members * sizeof(*ring->cpus);

	*ring = (struct plan_ring){
		.id = (uint32_t)id,
		.probe = probe,
		.mechanism = probe->name,
		.title = probe->title,
		.token_bytes = probe->traits & PROBE_PAYLOAD ? (config->size ? config->size : 1) : 0,
		.cpus = malloc(size),
		.n_members = places->n_members,
		.has_policy = config->has_policy,
		.policy = policy_of(config, index),
		.unpinned = config->tool.unpinned,
	};
	if (!ring->cpus)
		return -ENOMEM;
	memcpy(ring->cpus, &places->cpus[index * places->n_members], size);
	ring->locality = farthest_hop(plan, topology, ring);
	if (config->interval_ns > 0)
		ring->interval_ns = config->interval_ns + index * config->distance_ns;
	return 0;
}

static int make_rings(struct plan *plan, const struct plan_places *places, const struct config *config,
	const struct topology *topology)
{
	size_t n = places->n * config->n_probes;
	int r = 0;

	plan->unpinned = find_unpinned(config, topology);
	plan->rings = calloc(n > 0 ? n : 1, sizeof(*plan->rings));
	if (!plan->rings)
		return -ENOMEM;
	for (; plan->n_rings < n && r == 0; plan->n_rings++)
		r = make_ring(plan, plan->n_rings, places, config, topology);
	return r;
}

/* Makes the rings, and then checks them: the checks need to know which CPUs are measured. */
static int make_plan(struct plan *plan, const struct plan_places *places, const struct config *config,
	const struct topology *topology, struct error_text *reason)
{
	int r = make_rings(plan, places, config, topology);

	if (r < 0)
		return error_text_set(reason, r, "no memory for %zu rings", places->n * config->n_probes);
	r = plan_refuse(plan, config, reason);
	if (r == 0)
		r = plan_turns_assign(plan, config, reason);
	if (r < 0)
		return r;
	for (size_t i = 0; i < plan->n_rings; i++) {
		const struct cpus cpus = plan_ring_cpus(&plan->rings[i], &plan->unpinned);

		if (!plan->rings[i].refusal)
			cpus_unite(&plan->measured, &cpus);
	}
	plan->housekeeping = find_housekeeping(plan, config, topology);
	r = check_housekeeping(plan, config, reason);
	return r < 0 ? r : plan_check_realtime(plan, config, reason);
}

/* A sweep has no rings: the sweeper makes its pairs of the CPUs to be measured. */
static int plan_sweep(struct plan *plan, const struct cpus *candidates, const struct config *config,
	const struct topology *topology, struct error_text *reason)
{
	int r = plan_refuse_sweep(candidates, config, topology, reason);

	if (r < 0)
		return r;
	plan->n_turns = 1;
	plan->slice_ns = SWEEP_SLICE_NS;
	plan->measured = *candidates;
	plan->sweep = (struct plan_sweep){.mechanism = config->probes[0]->name,
		.title = config->probes[0]->title,
		.spins = config->probes[0]->traits & PROBE_SPINS,
		.at_once = config->at_once,
		.policy = config->has_policy ? config->policy : (struct task_policy){.policy = SCHED_OTHER},
		.size = config->size,
		.first = config_sweeps_first_hops(config),
		.loops = config->loops};
	plan->housekeeping = find_housekeeping(plan, config, topology);
	return check_housekeeping(plan, config, reason);
}

int plan_init(struct plan *plan, const struct config *config, const struct topology *topology,
	const struct cpus *busy, struct notes *notes, struct error_text *reason)
{
	struct plan_places places;
	struct cpus candidates;

	*plan = (struct plan){0};
	int r = check_memory(config, topology, reason);

	if (r == 0)
		r = find_candidates(&candidates, config, topology, busy, notes, reason);
	if (r < 0 || config->sweep)
		return r < 0 ? r : plan_sweep(plan, &candidates, config, topology, reason);
	r = plan_places_init(&places, config, topology, &candidates, notes, reason);
	if (r == 0)
		r = make_plan(plan, &places, config, topology, reason);
	plan_places_finish(&places);
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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan_refuse.c - refuses rings that make no sense, and plans that leave no CPU to the rest of the system. */
#include "src/plan/plan_refuse.h"

#include <errno.h>
#include <stdio.h>

#include "src/probe/probe.h"

static bool spins_at_realtime(const struct plan_ring *ring, const struct config *config)
{
	return ring->probe->traits & PROBE_SPINS && task_policy_is_realtime(config->policy.policy);
}

static const char *why_unfit(
	const struct plan *plan, const struct plan_ring *ring, const struct config *config)
{
	const struct cpus cpus = plan_ring_cpus(ring, &plan->unpinned);
	unsigned traits = ring->probe->traits;

	if (traits & PROBE_ONE_CPU && cpus_count(&cpus) > 1)
		return "its members yield one CPU to each other: they must share it (--pairs own)";
	if (traits & PROBE_SPINS && !(traits & PROBE_ONE_CPU) && cpus_count(&cpus) < ring->n_members)
		return "its members spin: each needs a CPU of its own (other --pairs, or a smaller --ring)";
	if (traits & PROBE_THREADS_ONLY && config->fork)
		return "it works between threads of one process only (without --fork)";
	if (spins_at_realtime(ring, config) && !config->allow_rt_spin)
		return "its members spin: at real-time priority they keep others from their CPUs "
		       "(--allow-rt-spin permits it)";
	return NULL;
}

/* How many rings are on each CPU; each ring counts once. */
static void count_rings(const struct plan *plan, unsigned n_rings[CPUS_MAX])
{
	for (size_t i = 0; i < plan->n_rings; i++) {
		const struct cpus cpus = plan_ring_cpus(&plan->rings[i], &plan->unpinned);

		for (int cpu = cpus_next(&cpus, -1); !plan->rings[i].refusal && cpu >= 0;
			cpu = cpus_next(&cpus, cpu))
			n_rings[cpu]++;
	}
}

/* Linux 6.18 was seen to starve all others of a CPU for seconds where tasks yield to each other. */
static void refuse_yielding_beside_others(struct plan *plan)
{
	unsigned n_rings[CPUS_MAX] = {0};

	count_rings(plan, n_rings);
	for (size_t i = 0; i < plan->n_rings; i++) {
		struct plan_ring *ring = &plan->rings[i];
		const struct cpus cpus = plan_ring_cpus(ring, &plan->unpinned);

		if (!ring->refusal && ring->probe->traits & PROBE_ONE_CPU &&
			n_rings[cpus_next(&cpus, -1)] > 1)
			ring->refusal = "its members yield to each other all the time: other rings can't be "
					"beside them (without --side-by-side)";
	}
}

/* Names each mechanism, with the reason of its first ring. */
static int refuse_all(const struct plan *plan, struct error_text *reason)
{
	char text[sizeof(reason->text)] = "";
	size_t length = 0;

	for (size_t i = 0; i < plan->n_rings && length < sizeof(text); i++)
		if (i == 0 || plan->rings[i].probe != plan->rings[i - 1].probe)
			length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%s: %s",
				i > 0 ? "; " : "", plan->rings[i].probe->name, plan->rings[i].refusal);
	return error_text_set(reason, -EINVAL, "-m %s", text);
}

int plan_refuse(struct plan *plan, const struct config *config, struct error_text *reason)
{
	size_t n_refused = 0;

	for (size_t i = 0; i < plan->n_rings; i++)
		plan->rings[i].refusal = why_unfit(plan, &plan->rings[i], config);
	if (config->side_by_side)
		refuse_yielding_beside_others(plan);
	for (size_t i = 0; i < plan->n_rings; i++)
		n_refused += plan->rings[i].refusal != NULL;
	return n_refused && n_refused == plan->n_rings ? refuse_all(plan, reason) : 0;
}

/* The CPUs on which members spin at real-time priority in a turn, and the mechanism of one of them. */
static struct cpus spun_in(
	const struct plan *plan, const struct config *config, unsigned turn, const char **mechanism)
{
	struct cpus spun = {0};

	for (size_t i = 0; i < plan->n_rings; i++) {
		const struct plan_ring *ring = &plan->rings[i];

		if (ring->turn != turn || ring->refusal || !spins_at_realtime(ring, config))
			continue;
		*mechanism = ring->probe->name;
		const struct cpus cpus = plan_ring_cpus(ring, &plan->unpinned);

		cpus_unite(&spun, &cpus);
	}
	return spun;
}

int plan_check_realtime(const struct plan *plan, const struct config *config, struct error_text *reason)
{
	char list[64];

	for (unsigned turn = 0; turn < plan->n_turns; turn++) {
		const char *mechanism = "";
		const struct cpus spun = spun_in(plan, config, turn, &mechanism);

		if (cpus_subset(&plan->housekeeping, &spun))
			return error_text_set(reason, -EINVAL,
				"--allow-rt-spin: %s would spin at real-time priority (%s) on every CPU that "
				"the rest of the system has (%s): keep one free with -H, or name fewer CPUs "
				"(-c) or pairs (--pairs, -t)",
				mechanism, task_policy_name(config->policy.policy),
				cpus_format(&plan->housekeeping, list, sizeof(list)));
	}
	return 0;
}

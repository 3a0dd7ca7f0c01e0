/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan_refuse.c - refuses rings that make no sense, and plans that leave no CPU to the rest of the system. */
#include "src/plan/plan_refuse.h"

#include <errno.h>

#include "src/base/text.h"
#include "src/plan/plan_turns.h"
#include "src/plan/sweep_plan.h"
#include "src/probe/probe.h"

static bool spins_at_realtime(const struct plan_ring *ring)
{
	return ring->probe->traits & PROBE_SPINS && task_policy_is_realtime(ring->policy.policy);
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
	if (traits & PROBE_PAIRS_ONLY && ring->n_members > 2)
		return "it answers requests, so its rings have two members (without --ring)";
	if (traits & PROBE_THREADS_ONLY && config->fork)
		return "it works between threads of one process only (without --fork)";
	if (spins_at_realtime(ring) && !config->allow_rt_spin)
		return "its members spin: at real-time priority they keep others from their CPUs "
		       "(--allow-rt-spin permits it)";
	return NULL;
}

/* Linux 6.18 starves all other tasks of a CPU for seconds if tasks yield to each other there. A member that
 * spins at real-time priority leaves a member of another ring only its rests, and these nothing to the rest
 * of the system. */
const char *plan_refuse_beside(const struct plan_ring *ring)
{
	if (ring->probe->traits & PROBE_ONE_CPU)
		return "its members yield to each other all the time: other rings can't be beside them "
		       "(without --side-by-side)";
	if (spins_at_realtime(ring))
		return "its members spin at real-time priority: other rings can't be beside them (without "
		       "--side-by-side)";
	return NULL;
}

static void refuse_beside_others(struct plan *plan)
{
	plan_turns_count_sharers(plan, true);
	for (size_t i = 0; i < plan->n_rings; i++)
		if (!plan->rings[i].refusal && plan->rings[i].n_sharers > 1)
			plan->rings[i].refusal = plan_refuse_beside(&plan->rings[i]);
}

/* Names each mechanism, with the reason of its first ring. */
static int refuse_all(const struct plan *plan, struct error_text *reason)
{
	char text[sizeof(reason->text)] = "";

	for (size_t i = 0; i < plan->n_rings; i++)
		if (i == 0 || plan->rings[i].probe != plan->rings[i - 1].probe)
			text_print(text, sizeof(text), "%s%s: %s", i > 0 ? "; " : "",
				plan->rings[i].probe->name, plan->rings[i].refusal);
	return error_text_set(reason, -EINVAL, "-m %s", text);
}

int plan_refuse(struct plan *plan, const struct config *config, struct error_text *reason)
{
	size_t n_refused = 0;

	for (size_t i = 0; i < plan->n_rings; i++)
		plan->rings[i].refusal = why_unfit(plan, &plan->rings[i], config);
	if (config->side_by_side)
		refuse_beside_others(plan);
	for (size_t i = 0; i < plan->n_rings; i++)
		n_refused += plan->rings[i].refusal != NULL;
	return n_refused && n_refused == plan->n_rings ? refuse_all(plan, reason) : 0;
}

static int check_spinners(const struct plan *plan, const struct config *config, struct error_text *reason)
{
	char list[64];

	for (unsigned turn = 0; turn < plan->n_turns; turn++) {
		const char *mechanism = "";
		struct cpus spun = {0};

		for (size_t i = 0; i < plan->n_rings; i++) {
			const struct plan_ring *ring = &plan->rings[i];

			if (ring->turn != turn || ring->refusal || !spins_at_realtime(ring))
				continue;
			const struct cpus cpus = plan_ring_cpus(ring, &plan->unpinned);

			mechanism = ring->probe->name;
			cpus_unite(&spun, &cpus);
		}
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

/* Flood at real-time priority on each CPU that the rest of the system has. */
static int check_flood(const struct plan *plan, const struct config *config, struct error_text *reason)
{
	char list[64];

	if (config->force || config->interval_ns > 0 || !task_policy_is_realtime(config->policy.policy) ||
		!cpus_subset(&plan->housekeeping, &plan->measured))
		return 0;
	return error_text_set(reason, -EINVAL,
		"-i 0 at real-time priority (%s) on every allowed CPU (%s) would leave none to the rest of the "
		"system: keep one free with -H, or use --force",
		task_policy_name(config->policy.policy), cpus_format(&plan->measured, list, sizeof(list)));
}

int plan_refuse_sweep(const struct cpus *cpus, const struct config *config, const struct topology *topology,
	struct error_text *reason)
{
	const struct probe *probe = config->probes[0];
	unsigned most = sweep_most_at_once(topology, cpus);
	char list[64];

	cpus_format(cpus, list, sizeof(list));
	if (!most)
		return error_text_set(reason, -EINVAL,
			"--sweep: a matrix needs two CPUs, and only CPU %s is to be measured", list);
	if (config->at_once > most)
		return error_text_set(reason, -EINVAL,
			"--at-once %u: no core may be in two pairs at once: with CPUs %s, choose 1 to %u",
			config->at_once, list, most);
	if (probe->traits & PROBE_SPINS && task_policy_is_realtime(config->policy.policy) &&
		!config->allow_rt_spin)
		return error_text_set(reason, -EINVAL,
			"-m %s: its members spin: at real-time priority they keep others from their CPUs "
			"(--allow-rt-spin permits it)",
			probe->name);
	return 0;
}

int plan_check_realtime(const struct plan *plan, const struct config *config, struct error_text *reason)
{
	int r = check_spinners(plan, config, reason);

	return r < 0 ? r : check_flood(plan, config, reason);
}

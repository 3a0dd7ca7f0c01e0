/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan_places.c - places rings (--ring) or pairs (--pairs) on the CPUs that may be measured. */
#include "src/plan/plan_places.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/plan/plan.h"
#include "src/plan/plan_pairs.h"

static int check_ring(
	const struct plan_places *places, const struct config *config, struct error_text *reason)
{
	size_t rings = places->n * config->n_probes, members = rings * places->n_members;

	if (rings > PLAN_RINGS_MAX)
		return error_text_set(reason, -E2BIG,
			"--ring %ux%zu: %zu rings are more than the %d that one run can have; "
			"name fewer rings or mechanisms (-m)",
			places->n_members, places->n, rings, PLAN_RINGS_MAX);
	if (members > PLAN_MEMBERS_MAX)
		return error_text_set(reason, -E2BIG,
			"--ring %ux%zu: %zu members are more than the %d that one run can have; "
			"name smaller or fewer rings, or fewer mechanisms (-m)",
			places->n_members, places->n, members, PLAN_MEMBERS_MAX);
	return 0;
}

/* Places each member on the next CPU, or with --pairs own each ring on the next. After the last CPU comes the
 * first again. */
static int place_rings(struct plan_places *places, const struct config *config, const struct cpus *candidates,
	struct error_text *reason)
{
	bool own = config->pairs && strcmp(config->pairs, "own") == 0;
	size_t n_cpus = (size_t)cpus_count(candidates), n = config->n_rings ? config->n_rings
							    : own           ? n_cpus
									    : 1;
	int cpu = -1;

	*places = (struct plan_places){.n = n, .n_members = config->ring_members};
	int r = check_ring(places, config, reason);

	if (r < 0)
		return r;
	places->cpus = reallocarray(NULL, n + 1, places->n_members * sizeof(*places->cpus));
	if (!places->cpus)
		return error_text_set(reason, -ENOMEM, "no memory for %zu rings of %u", n, places->n_members);
	for (size_t i = 0; i < n * places->n_members; i++) {
		if (!own || i % places->n_members == 0) {
			cpu = cpus_next(candidates, cpu);
			cpu = cpu < 0 ? cpus_next(candidates, -1) : cpu;
		}
		places->cpus[i] = (unsigned)cpu;
	}
	return 0;
}

int plan_places_init(struct plan_places *places, const struct config *config, const struct topology *topology,
	const struct cpus *candidates, struct notes *notes, struct error_text *reason)
{
	*places = (struct plan_places){0};
	if (config->ring_members)
		return place_rings(places, config, candidates, reason);
	return plan_pairs_place(places, config, topology, candidates, notes, reason);
}

void plan_places_finish(struct plan_places *places)
{
	free(places->cpus);
	*places = (struct plan_places){0};
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run_hunt.c - a run that opens one load after the other. */
#include "src/run/run_hunt.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "src/base/clock.h"
#include "src/base/text.h"
#include "src/engine/engine_loads.h"
#include "src/load/load.h"
#include "src/plan/config.h"
#include "src/plan/plan.h"
#include "src/run/run_items.h"
#include "src/run/run_loads.h"

/* A step is a phase, whose percentiles need some seconds. */
#define STEP_NS UINT64_C(4000000000)
#define STEP_NS_MIN UINT64_C(1000000000)

/* How often it is checked whether a load has ended, and how long its end may take. */
#define CLOSING_NS UINT64_C(1000000)
#define CLOSING_NS_MAX UINT64_C(500000000)

enum { INTERVALS = 100 }; /* of the longest one, that a step has at least */

struct run_hunt {
	struct load *loads; /* owned; of the steps but the first and the last one */
	size_t n, at;       /* at: steps that have begun, after the first one */
	uint64_t step_ns;
	uint64_t closing_since_ns;      /* when the load of the step was closed; 0: it was not */
	struct cpus cpus[N_LOCALITIES]; /* by the nearest part that they share with a member's CPU */
};

static size_t n_steps(const struct run_hunt *hunt)
{
	return hunt->n + 2;
}

/* --- the steps --- */

static enum locality nearest_part(const struct topology *topology, const struct cpus *members, unsigned cpu)
{
	enum locality found = N_LOCALITIES;

	for (int member = cpus_next(members, -1); member >= 0; member = cpus_next(members, member)) {
		enum locality locality = topology_locality(topology, cpu, (unsigned)member);

		found = locality < found ? locality : found;
	}
	return found;
}

static void find_cpus(struct run_hunt *hunt, const struct run *run)
{
	const struct topology *topology = run->topology;

	for (size_t i = 0; i < topology->n_cpus; i++) {
		unsigned cpu = topology->cpus[i].cpu;
		enum locality locality = cpus_has(&topology->allowed, cpu)
						 ? nearest_part(topology, &run->plan->measured, cpu)
						 : N_LOCALITIES;

		if (locality < N_LOCALITIES)
			cpus_add(&hunt->cpus[locality], cpu);
	}
}

static int make_steps(struct run_hunt *hunt)
{
	size_t n_kinds = 0;

	while (load_kinds[n_kinds])
		n_kinds++;
	hunt->loads = calloc(n_kinds * N_LOCALITIES, sizeof(*hunt->loads));
	if (!hunt->loads)
		return -ENOMEM;
	for (size_t i = 0; i < N_LOCALITIES; i++)
		for (size_t kind = 0; cpus_count(&hunt->cpus[i]) && kind < n_kinds; kind++)
			hunt->loads[hunt->n++] = (struct load){load_kinds[kind], hunt->cpus[i], 100};
	return 0;
}

/* Returns @least_ns, or what all turns, or the intervals, take longer: so no ring lacks a load. */
static uint64_t step_of(const struct plan *plan, uint64_t least_ns)
{
	uint64_t turns_ns = plan->n_turns > 1 ? plan->slice_ns * plan->n_turns : 0;

	for (size_t i = 0; i < plan->n_rings; i++)
		if (INTERVALS * plan->rings[i].interval_ns > least_ns)
			least_ns = INTERVALS * plan->rings[i].interval_ns;
	return turns_ns > least_ns ? turns_ns : least_ns;
}

int run_hunt_prepare(struct run *run, struct error_text *reason)
{
	const struct config *config = run->source.config;

	if (!config->hunt)
		return 0;
	run->hunt = calloc(1, sizeof(*run->hunt));
	if (!run->hunt)
		return error_text_set(reason, -ENOMEM, "no memory for a hunt");
	find_cpus(run->hunt, run);
	int r = make_steps(run->hunt);

	if (r < 0)
		return error_text_set(reason, r, "no memory for a hunt");
	uint64_t least_ns = step_of(run->plan, STEP_NS_MIN), usual_ns = step_of(run->plan, STEP_NS);

	run->hunt->step_ns = run->for_ns ? run->for_ns / n_steps(run->hunt) : usual_ns;
	if (run->hunt->step_ns < least_ns)
		return error_text_set(reason, -EINVAL,
			"-D %g s: a hunt has %zu steps here, of at least %g s each; leave -D out for %g s each",
			(double)run->for_ns / 1e9, n_steps(run->hunt), (double)least_ns / 1e9,
			(double)usual_ns / 1e9);
	run->for_ns = run->hunt->step_ns * n_steps(run->hunt);
	return 0;
}

void run_hunt_destroy(struct run_hunt *hunt)
{
	if (hunt)
		free(hunt->loads);
	free(hunt);
}

/* --- while it runs --- */

int run_hunt_check_new_rings(const struct run *run, struct error_text *reason)
{
	return run->hunt ? error_text_set(reason, -EBUSY,
				   "--hunt compares phases of the same rings: "
				   "no ring can be added until it has ended")
			 : 0;
}

int run_hunt_check_change(const struct run *run, struct error_text *reason)
{
	return run->hunt ? error_text_set(reason, -EBUSY,
				   "--hunt compares phases that differ only in their loads: "
				   "nothing else can be changed until it has ended")
			 : 0;
}

/* Tells the screen how far the hunt is. */
static void feed_progress(struct run *run)
{
	const struct run_hunt *hunt = run->hunt;
	const struct hunt_progress progress = {.load = hunt->at <= hunt->n ? (unsigned)hunt->at : 0,
		.n_loads = (unsigned)hunt->n,
		.end_ns = run->source.session.start_ns + run->for_ns};

	source_feed(&run->source, &(struct feed_item){FEED_HUNT, clock_now_ns(), .hunt = &progress});
}

int run_hunt_tell(struct run *run)
{
	const struct run_hunt *hunt = run->hunt;
	char nearest[200] = "", part[64], list[48];
	struct error_text text;

	for (int i = 0; i < N_LOCALITIES; i++) {
		if (!cpus_count(&hunt->cpus[i]))
			continue;
		snprintf(part, sizeof(part), "%s %s", locality_name((enum locality)i),
			cpus_format(&hunt->cpus[i], list, sizeof(list)));
		text_append(nearest, sizeof(nearest), ", ", part);
	}
	error_text_set(&text, 0,
		"hunt: %zu steps of %.1f s, with no load, %zu loads (on CPUs: %s), and none: ends after %.0f s",
		n_steps(hunt), (double)hunt->step_ns / 1e9, hunt->n, nearest, (double)run->for_ns / 1e9);
	feed_progress(run);
	return run_feed_text(run, run->source.session.start_ns, EVENT_NOTE, text.text);
}

/* A load belongs to the phase that ends with it, its end included. */
static bool is_closed(struct run *run, uint64_t now_ns)
{
	struct run_hunt *hunt = run->hunt;

	if (!hunt->closing_since_ns) {
		hunt->closing_since_ns = now_ns;
		run_loads_close(run);
	}
	return engine_loads_are_gone(&run->engine) || now_ns - hunt->closing_since_ns >= CLOSING_NS_MAX;
}

uint64_t run_hunt_advance(struct run *run, uint64_t now_ns)
{
	struct run_hunt *hunt = run->hunt;

	if (!hunt || hunt->at > hunt->n)
		return UINT64_MAX;
	uint64_t next_ns = run->engine.start_ns + (hunt->at + 1) * hunt->step_ns;

	if (now_ns < next_ns)
		return next_ns;
	if (!is_closed(run, now_ns))
		return now_ns + CLOSING_NS;
	run_loads_change_to(run, hunt->at < hunt->n ? &hunt->loads[hunt->at] : NULL, now_ns);
	hunt->closing_since_ns = 0;
	hunt->at++;
	feed_progress(run);
	return next_ns + hunt->step_ns;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan.h - the rings of a run, with their CPUs and turns. Pure. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "src/base/error_text.h"
#include "src/machine/topology.h"
#include "src/plan/plan_ring.h"

struct config;

enum { PLAN_RINGS_MAX = 4096, PLAN_RING_MEMBERS_MAX = 2048, PLAN_MEMBERS_MAX = 65536 };

/* What a sweep measures, in place of rings. */
struct plan_sweep {
	const char *mechanism, *title; /* the probe's; NULL: there is no sweep */
	bool spins;                    /* the members do */
	unsigned at_once;              /* pairs */
	struct task_policy policy;     /* of the members */
	uint64_t size;                 /* of the token, in bytes; 0: the smallest one */
	bool first;                    /* first hops are measured, too */
	uint64_t loops;                /* rounds; 0: endless */
};

struct plan {
	struct plan_ring *rings; /* owned */
	size_t n_rings;
	unsigned n_turns;
	uint64_t slice_ns; /* of a turn: --turns, or a share of 3 s; at least 8 of the longest interval */
	struct plan_sweep sweep;
	struct cpus measured;     /* all CPUs of the rings that are not refused, or of the sweep */
	struct cpus unpinned;     /* where unpinned members run; empty: all members are pinned */
	struct cpus housekeeping; /* where screen, keeper and hosts run; never empty */
};

/* Makes the rings of @config. Checks its CPUs, memory, housekeeping and pairs against the topology. Leaves
 * out isolated CPUs that are in @busy (NULL: none), each with a note, unless -c names them. Returns 0, or a
 * negative errno with one sentence that names the option, its value and the allowed values. */
int plan_init(struct plan *plan, const struct config *config, const struct topology *topology,
	const struct cpus *busy, struct notes *notes, struct error_text *reason);
void plan_finish(struct plan *plan);

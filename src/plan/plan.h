/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan.h - which rings are run, on which CPUs, and in which turns. Pure. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "src/base/error_text.h"
#include "src/machine/topology.h"
#include "src/plan/plan_ring.h"

struct config;

enum { PLAN_RINGS_MAX = 4096, PLAN_RING_MEMBERS_MAX = 2048, PLAN_MEMBERS_MAX = 65536 };

struct plan {
	struct plan_ring *rings; /* owned */
	size_t n_rings;
	unsigned n_turns;
	uint64_t slice_ns; /* of a turn: --turns, or 3 s shared by all turns, and 8 of the longest interval */
	struct cpus measured;     /* all CPUs of all rings that are run */
	struct cpus unpinned;     /* of members that are not pinned; empty: all are */
	struct cpus housekeeping; /* where screen, keeper and hosts run; never empty */
};

/* Turns the config into rings. @config's CPUs, memory, housekeeping and pairs are checked here against the
 * topology; @busy are isolated CPUs to be left out unless -c names them (NULL: none), each with a note.
 * Returns 0, or a negative errno with one sentence that names option, value and what is allowed. */
int plan_init(struct plan *plan, const struct config *config, const struct topology *topology,
	const struct cpus *busy, struct notes *notes, struct error_text *reason);
void plan_finish(struct plan *plan);

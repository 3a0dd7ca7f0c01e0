/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run_undo.h - the last action of a run, so that it can be undone. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "src/load/load.h"
#include "src/machine/task.h"
#include "src/run/run_rings.h"

struct cpus;
struct plan_ring;

/* A member whose scheduling is changed, with what it had and what it gets. */
struct act_member {
	uint32_t ring;
	unsigned member;
	pid_t tid;
	struct task_policy policy, new_policy;
	struct cpus *cpus; /* owned, two: the affinity it had, and the new one; NULL: the policy changes */
};

enum undo_kind {
	UNDO_MEMBERS,
	UNDO_ADDED,
	UNDO_REMOVED,
	UNDO_PAUSED,
	UNDO_RESUMED,
	UNDO_REOPENED,
	UNDO_DMA_LATENCY,
	UNDO_LOADS
};

struct undo {
	enum undo_kind kind;
	struct act_member *members;  /* owned */
	size_t n_members, n_changed; /* n_changed: those that somebody else has changed since */
	struct run_rings rings;      /* owned; of UNDO_REOPENED the new ones */
	/* Of UNDO_REMOVED: the rings as they were, with the policies and CPUs that their members had. */
	struct plan_ring *plans; /* owned, with their cpus */
	bool *were_paused;       /* owned */
	size_t n_plans;
	/* Of UNDO_REOPENED: what was changed, and the values before. */
	enum command_kind reopened;
	uint64_t *values;      /* owned, by ring */
	int32_t was_us, is_us; /* of UNDO_DMA_LATENCY; -1: not held */
	/* Of UNDO_LOADS: those that were open before, and the text of those after. */
	struct load *loads; /* owned */
	size_t n_loads;
	char loads_are[LOADS_TEXT_SIZE];
};

/* Keeps what @undo owns, in place of the action before. Without memory it can't be undone. */
void run_undo_keep(struct run *run, struct undo *undo);
void run_undo_finish(struct undo *undo);
void run_undo_forget(struct run *run); /* the last action can't be undone */

/* Keeps that rings were added, paused or resumed. */
void run_undo_note(struct run *run, enum undo_kind kind, const struct run_rings *rings);

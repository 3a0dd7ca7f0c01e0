/* SPDX-License-Identifier: GPL-2.0-or-later */
/* phase_conditions.h - what a phase was measured under when it ended: the machine's settings, the members'
 * policies and places. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/machine/machine.h"
#include "src/machine/task.h"

struct session;

struct member_condition {
	struct task_policy policy;
	int64_t place; /* a CPU; -1: several */
};

/* Zeroed is empty. */
struct phase_conditions {
	struct machine machine;
	struct member_condition *members; /* owned; of all rings, in their order */
	size_t n_members;                 /* 0: not known, as after a seek */
};

/* Replaces the conditions by those that the session sees now. Returns 0 or -ENOMEM. */
int phase_conditions_take(struct phase_conditions *conditions, const struct session *session);
/* Are all facts that are reported, and all members, alike? False if one of them is not known. Facts that
 * drift by themselves are left out. */
bool phase_conditions_equal(const struct phase_conditions *x, const struct phase_conditions *y);
/* Copies to empty ones. Returns 0 or -ENOMEM. */
int phase_conditions_copy(struct phase_conditions *copy, const struct phase_conditions *conditions);
void phase_conditions_finish(struct phase_conditions *conditions);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* held.c - another task had the CPU, and the member could not take it. */
#include "src/witness/witness.h"

static bool find_cause(const struct moment *moment, struct cause *cause)
{
	/* No peer is known to have a CPU for sure (timeline.c). */
	static const enum cause_kind kinds[N_FLIGHT_ROLES] = {
		[ROLE_OTHER] = CAUSE_TASK, [ROLE_MEMBER] = CAUSE_RING, [ROLE_OWN] = CAUSE_OWN};

	if (!moment->cpu.task.tid || moment_outranks_task(moment))
		return false;
	cause->kind = kinds[moment->cpu.task.role];
	cause_name_task(cause, moment);
	return true;
}

const struct witness witness_held = {.find_cause = find_cause};

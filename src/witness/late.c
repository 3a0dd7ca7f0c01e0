/* SPDX-License-Identifier: GPL-2.0-or-later */
/* late.c - a task ran from which a real-time member takes the CPU at once: so its timer had not fired, or its
 * wake-up had not come. If the timer had fired, the kernel did not let the member take the CPU. */
#include "src/witness/witness.h"

static bool find_cause(const struct moment *moment, struct cause *cause)
{
	if (!moment_wants_member(moment) || !moment_outranks_task(moment))
		return false;
	cause->kind = moment->is_sent           ? CAUSE_WAKE_LATE
		      : moment->cpu.timer_fired ? CAUSE_NOT_PREEMPTED
						: CAUSE_TIMER_LATE;
	cause_name_task(cause, moment);
	return true;
}

const struct witness witness_late = {.find_cause = find_cause};

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lost.c - what was not recorded may be the cause. Since a gap the member is not recorded to have run: it may
 * be stopped, or wait in the kernel. So a task from which it would take the CPU, or an idle CPU, says nothing
 * about its timer and its wake-up. Or no task is known on a CPU where some are not recorded. */
#include "src/witness/witness.h"

static bool find_cause(const struct moment *moment, struct cause *cause)
{
	cause->kind = CAUSE_UNSEEN;
	if (moment->cpu.hides_tasks && !moment->cpu.task.tid)
		return true;
	return moment->member.is_lost && (moment_outranks_task(moment) || moment_awaits_timer(moment));
}

const struct witness witness_lost = {.find_cause = find_cause};

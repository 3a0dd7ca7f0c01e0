/* SPDX-License-Identifier: GPL-2.0-or-later */
/* throttled.c - the member was runnable, and the kernel let its CPU idle, or gave it to a task without a
 * real-time policy though the member has one: by real-time throttling, the fair server, or a quota. */
#include <stdio.h>

#include "src/witness/witness.h"

static bool look(const struct moment *moment, struct cause *cause)
{
	const struct occupant *task = &moment->cpu.task;

	if (!moment->member.left || moment->member.left->prev_state)
		return false;
	if (task->tid ? spike_end_priority(moment->member.end) >= PRIORITY_FAIR ||
				task->priority < PRIORITY_FAIR
		      : moment->cpu.is_doubtful)
		return false;
	cause->kind = CAUSE_THROTTLED;
	snprintf(cause->name, sizeof(cause->name), "%s", task->tid ? task->name : "");
	return true;
}

const struct witness witness_throttled = {.look = look};

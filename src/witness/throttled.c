/* SPDX-License-Identifier: GPL-2.0-or-later */
/* throttled.c - the member was runnable, and the kernel let its CPU idle, or gave it to a task without a
 * real-time policy though the member has one: by real-time throttling, the fair server, or a quota. A quota
 * may also give it to any other task: then the kernel said that it is spent. */
#include <stdio.h>

#include "src/witness/witness.h"

/* It left its CPU without going to sleep, or it was to run where no real-time task may, and has not come. */
static bool is_runnable(const struct moment *moment)
{
	if (moment->member.left)
		return !moment->member.left->prev_state;
	return moment->cpu.is_throttled && !moment->member.has_run && moment->is_sender == !moment->is_sent &&
	       (moment->is_sent || moment->spike->due_ns) &&
	       spike_end_priority(moment->member.end) < PRIORITY_FAIR;
}

/* The kernel said so when the member left. When it may run again is not recorded. */
static bool is_quota_spent(const struct moment *moment)
{
	return moment->member.left && moment->member.left->number == SWITCH_THROTTLED;
}

static enum throttled_by throttling_of(const struct moment *moment)
{
	int32_t own = spike_end_priority(moment->member.end);

	if (own >= PRIORITY_FAIR)
		return THROTTLED_BY_QUOTA;
	if (own < 0)
		return THROTTLED_BY_DEADLINE;
	return moment->cpu.task.tid ? THROTTLED_FOR_FAIR : THROTTLED_FOR_NOBODY;
}

static bool find_cause(const struct moment *moment, struct cause *cause)
{
	const struct occupant *task = &moment->cpu.task;

	if (!is_runnable(moment))
		return false;
	bool takes_turn =
		spike_end_priority(moment->member.end) >= PRIORITY_FAIR || task->priority < PRIORITY_FAIR;

	if (task->tid ? takes_turn && !is_quota_spent(moment) : moment->cpu.is_doubtful)
		return false;
	cause->kind = CAUSE_THROTTLED;
	cause->number = throttling_of(moment);
	snprintf(cause->name, sizeof(cause->name), "%s", task->tid ? task->name : "");
	return true;
}

const struct witness witness_throttled = {.find_cause = find_cause};

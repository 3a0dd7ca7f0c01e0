/* SPDX-License-Identifier: GPL-2.0-or-later */
/* migrated.c - the member was moved to another CPU. While it was runnable: it comes to another one than it
 * left, or it left for the kernel's task that moves others, and did not come back once it could. Or while it
 * slept: it was to run, but comes to another one than its own. */
#include <sched.h>
#include <string.h>

#include "src/witness/witness.h"

/* The stopper of a CPU. It does other work, too, after which the member goes on. */
static bool is_stopper(const char *name)
{
	static const char first[] = "migration/";

	return strncmp(name, first, strlen(first)) == 0;
}

/* Whether the member, if it waited there, would have had to wait for the CPU's task. A FIFO task that gave
 * way to a more urgent one stays the first of its priority. */
static bool has_to_wait(const struct moment *moment, bool gave_way)
{
	int32_t own = spike_end_priority(moment->member.end), other = moment->cpu.task.priority;
	bool is_first = gave_way && moment->member.end->policy.policy == SCHED_FIFO;

	if (!moment->cpu.task.tid)
		return false;
	return own >= PRIORITY_FAIR || other < own || (other == own && !is_first);
}

/* It left no CPU, so it slept until it was to run. */
static bool slept(const struct moment *moment)
{
	return !moment->member.left && !moment->member.has_run && moment_wants_member(moment);
}

static bool was_moved_asleep(const struct moment *moment, struct cause *cause)
{
	int32_t to = moment->member.comes_to, own = moment->member.end->cpu;

	if (!slept(moment) || to < 0 || to == own || has_to_wait(moment, false) || moment->cpu.is_doubtful)
		return false;
	cause->kind = CAUSE_MIGRATED;
	cause->number = (uint32_t)to + 1;
	return true;
}

static bool find_cause(const struct moment *moment, struct cause *cause)
{
	const struct flight_record *left = moment->member.left;
	int32_t to = moment->member.comes_to;

	if (!left)
		return was_moved_asleep(moment, cause);
	if (left->prev_state || !left->next_tid) /* throttled: who moves it has to run first */
		return false;
	bool comes_elsewhere = to >= 0 && to != (int64_t)left->cpu,
	     left_for_stopper = is_stopper(left->next_name);
	bool has_stopper = left_for_stopper && moment->cpu.task.tid == left->next_tid;

	if (!comes_elsewhere && !left_for_stopper)
		return false;
	if (has_stopper ? !comes_elsewhere : has_to_wait(moment, left_for_stopper) || moment->cpu.is_doubtful)
		return false;
	cause->kind = CAUSE_MIGRATED;
	cause->cpu = left->cpu;
	cause->number = comes_elsewhere ? (uint32_t)to + 1 : 0;
	return true;
}

const struct witness witness_migrated = {.find_cause = find_cause};

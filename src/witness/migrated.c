/* SPDX-License-Identifier: GPL-2.0-or-later */
/* migrated.c - the member was moved while it was runnable: it comes to another CPU than the one that it left,
 * or it left for the kernel's task that moves others, and did not come back once it could. */
#include <string.h>

#include "src/witness/witness.h"

/* The stopper of a CPU. It does other work, too, after which the member goes on. */
static bool is_stopper(const char *name)
{
	static const char first[] = "migration/";

	return strncmp(name, first, strlen(first)) == 0;
}

/* Whether the member, if it waited there, would have had to wait for the CPU's task. */
static bool has_to_wait(const struct moment *moment)
{
	int32_t own = spike_end_priority(moment->member.end);

	return moment->cpu.task.tid && (own >= PRIORITY_FAIR || moment->cpu.task.priority <= own);
}

static bool look(const struct moment *moment, struct cause *cause)
{
	const struct flight_record *left = moment->member.left;
	int32_t to = moment->member.comes_to;

	if (!left || left->prev_state || !left->next_tid) /* throttled: who moves it has to run first */
		return false;
	bool comes_elsewhere = to >= 0 && to != (int64_t)left->cpu,
	     left_for_stopper = is_stopper(left->next_name);
	bool has_stopper = left_for_stopper && moment->cpu.task.tid == left->next_tid;

	if (!comes_elsewhere && !left_for_stopper)
		return false;
	if (has_stopper ? !comes_elsewhere : has_to_wait(moment) || moment->cpu.is_doubtful)
		return false;
	cause->kind = CAUSE_MIGRATED;
	cause->cpu = left->cpu;
	cause->number = comes_elsewhere ? (uint32_t)to + 1 : 0;
	return true;
}

const struct witness witness_migrated = {.look = look};

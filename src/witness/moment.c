/* SPDX-License-Identifier: GPL-2.0-or-later */
/* moment.c - what several witnesses ask of a moment. */
#include <sched.h>
#include <stdio.h>

#include "src/witness/witness.h"

int32_t spike_end_priority(const struct spike_end *end)
{
	const struct task_policy *policy = &end->policy;

	if (policy->policy == SCHED_FIFO || policy->policy == SCHED_RR)
		return PRIORITY_FAIR - 1 - policy->priority;
	return task_policy_is_realtime(policy->policy) ? -1 : PRIORITY_FAIR + 20 + policy->nice;
}

bool moment_wants_member(const struct moment *moment)
{
	bool is_hop_known = moment->spike->figure != FIGURE_LAP || !moment->is_sent;

	return moment->spike->due_ns && is_hop_known && moment->is_sender == !moment->is_sent;
}

bool moment_outranks_task(const struct moment *moment)
{
	int32_t own = spike_end_priority(moment->member.end);

	return moment->cpu.task.tid && !moment->member.left && own < PRIORITY_FAIR &&
	       moment->cpu.task.priority > own;
}

bool moment_awaits_timer(const struct moment *moment)
{
	return moment->spike->due_ns && !moment->is_sent && !moment->cpu.task.tid &&
	       !moment->cpu.is_doubtful && !moment->member.has_run;
}

void cause_name_task(struct cause *cause, const struct moment *moment)
{
	const struct occupant *task = &moment->cpu.task;

	cause->tid = task->tid == TID_OF_MEMBERS ? 0 : task->tid;
	cause->priority = task->priority;
	cause->policy = task->policy;
	snprintf(cause->name, sizeof(cause->name), "%s", task->name);
	cause->partner_tid = task->partner_tid;
	if (task->partner_tid)
		snprintf(cause->partner_name, sizeof(cause->partner_name), "%s", task->partner_name);
}

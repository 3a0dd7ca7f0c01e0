/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run_acts.c - commands that change the scheduling of members, and the undoing of the last action. */
#include "src/run/run_acts.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/clock.h"
#include "src/base/values.h"
#include "src/engine/engine_rings.h"
#include "src/machine/task.h"
#include "src/plan/config.h"
#include "src/plan/plan.h"
#include "src/probe/probe.h"
#include "src/run/run_hunt.h"
#include "src/run/run_items.h"
#include "src/run/run_loads.h"
#include "src/run/run_reopen.h"
#include "src/run/run_rings.h"
#include "src/run/run_undo.h"

enum { PRIORITY_MIN = 1, PRIORITY_MAX = 98 }; /* one more is the input thread's */

/* --- the members of the chosen rings --- */

static int read_member(
	const struct arena_ring *ring, unsigned m, pid_t tid, bool with_cpus, struct act_member *member)
{
	*member = (struct act_member){.ring = ring->plan.id, .member = m, .tid = tid};
	if (with_cpus && !(member->cpus = calloc(2, sizeof(*member->cpus))))
		return -ENOMEM;
	int r = task_get_policy(tid, &member->policy);

	return r == 0 && with_cpus ? task_get_affinity(tid, &member->cpus[0]) : r;
}

/* Counts the members of rings that run. Returns 0, or -EAGAIN with a sentence if those of a ring are still
 * starting. */
static int count_members(struct run *run, const struct run_rings *rings, const char *name, size_t *n,
	struct error_text *refusal)
{
	*n = 0;
	for (size_t i = 0; i < rings->n; i++) {
		const struct arena_ring *ring = run_rings_shared(run, rings->ids[i]);

		*n += ring ? ring->n_members : 0;
		if (ring && !ring->is_removed && arena_state(ring) < RING_RUNNING)
			return error_text_set(refusal, -EAGAIN,
				"%s: ring %u is not open yet: its members are still starting", name,
				(unsigned)ring->plan.id);
	}
	return 0;
}

/* Reads the scheduling of all members of the command's rings that run. Returns 0, or a negative errno with
 * its sentence; the caller finishes the list, which run_undo_keep() does, too. */
static int list_members(struct run *run, const struct command *command, bool with_cpus, struct undo *list,
	struct error_text *refusal)
{
	const char *name = source_command_name(&run->source, command);
	struct error_text why;
	size_t n = 0;
	int r = run_rings_choose(&list->rings, &run->source, command, refusal);

	list->kind = UNDO_MEMBERS;
	if (r == 0 && (r = run_hunt_check_change(run, &why)) < 0)
		error_text_set(refusal, r, "%s: %s", name, why.text);
	if (r == 0)
		r = count_members(run, &list->rings, name, &n, refusal);
	if (r == 0 && !(list->members = calloc(n + 1, sizeof(*list->members))))
		return error_text_set(refusal, -ENOMEM, "%s: no memory for %zu members", name, n);
	for (size_t i = 0; r == 0 && i < list->rings.n; i++) {
		const struct arena_ring *ring = run_rings_shared(run, list->rings.ids[i]);

		for (unsigned m = 0; ring && r == 0 && m < ring->n_members; m++) {
			pid_t tid = run_rings_tid(ring, m);

			if (tid && (r = read_member(
					    ring, m, tid, with_cpus, &list->members[list->n_members++])) < 0)
				error_text_set(refusal, r, "%s: member %u of ring %u: %s", name, m,
					(unsigned)ring->plan.id, strerror(-r));
		}
	}
	if (r == 0 && !list->n_members)
		r = error_text_set(refusal, -ESRCH, "%s: the ring has no running members", name);
	return r;
}

static int set_member(const struct act_member *member, bool back)
{
	if (member->cpus)
		return task_set_affinity(member->tid, &member->cpus[back ? 0 : 1]);
	return task_set_policy(member->tid, back ? member->policy : member->new_policy);
}

/* Reads what the kernel has made of the change: a nice value that shows again, or the CPUs of the cpuset. */
static void note_new_value(struct act_member *member)
{
	if (member->cpus)
		task_get_affinity(member->tid, &member->cpus[1]);
	else
		task_get_policy(member->tid, &member->new_policy);
}

/* Names the missing right, and the remedy. */
static int refuse_change(const struct run *run, const char *name, const struct act_member *member, int error,
	struct error_text *refusal)
{
	struct error_text why;

	if (member->cpus)
		error_text_set(&why, error, "%s",
			error == -EINVAL  ? "none of these CPUs is online and in the cpuset of its task"
			: error == -EPERM ? "the right is missing: run as the same user, or with CAP_SYS_NICE"
					  : strerror(-error));
	else if (error == -EPERM && task_policy_is_realtime(member->new_policy.policy))
		arena_describe(
			run->engine.arena->rt_runtime_zero ? SHORT_OF_RT_RUNTIME : SHORT_OF_REALTIME, &why);
	else
		error_text_set(&why, error, "%s%s", strerror(-error),
			error == -EPERM ? ": raise RLIMIT_NICE (ulimit -e), or run with CAP_SYS_NICE" : "");
	return error_text_set(refusal, error, "%s: nothing was changed: %s", name, why.text);
}

/* The members' highest priority needs the input thread above it, so that keys and signals work. */
static int raise_input_thread(struct run *run, const struct undo *list)
{
	int highest = 0;

	for (size_t i = 0; i < list->n_members; i++)
		if (task_policy_is_realtime(list->members[i].new_policy.policy) &&
			list->members[i].new_policy.priority > highest)
			highest = list->members[i].new_policy.priority;
	return highest ? input_thread_raise(&run->source.input, highest + 1) : 0;
}

/* Changes all members, or none. The tick at once finds the change, so the phase ends here. */
static int change_members(
	struct run *run, const struct command *command, struct undo *list, struct error_text *refusal)
{
	const char *name = source_command_name(&run->source, command);
	size_t done = 0;
	int r = list->members[0].cpus ? 0 : raise_input_thread(run, list);

	while (r == 0 && done < list->n_members)
		if ((r = set_member(&list->members[done], false)) == 0)
			done++;
	if (r < 0) {
		refuse_change(run, name, &list->members[done], r, refusal);
		while (done > 0)
			set_member(&list->members[--done], true);
		return r;
	}
	for (size_t i = 0; i < list->n_members; i++)
		note_new_value(&list->members[i]);
	run_feed_tick(run, clock_now_ns(), false);
	return 0;
}

/* --- policy and priority --- */

/* Members that spin, and floods, rest by the policy that they were started with: see duty_cycle.h. */
int run_acts_check_realtime(const struct run *run, const struct probe *probe, bool was_realtime,
	uint64_t interval_ns, const struct cpus *flooded, struct error_text *reason)
{
	if (probe->traits & PROBE_SPINS && !was_realtime)
		return error_text_set(reason, -EINVAL,
			"its members spin: they can run at real-time priority only from their start, with "
			"--allow-rt-spin");
	return interval_ns ? 0 : run_rings_check_flooded(run, flooded, reason);
}

/* Returns whether members of a ring have real-time priority once the list is obeyed. */
static bool will_be_realtime(const struct undo *list, const struct arena_ring *ring)
{
	bool is_listed = false, any = false;

	for (size_t i = 0; i < list->n_members; i++) {
		const struct act_member *member = &list->members[i];

		if (member->ring != ring->plan.id)
			continue;
		is_listed = true;
		any |= task_policy_is_realtime(
			member->cpus ? member->policy.policy : member->new_policy.policy);
	}
	return is_listed ? any : run_rings_are_realtime(ring);
}

/* Returns the CPUs of a ring's members once the list is obeyed. */
static struct cpus future_cpus(const struct undo *list, const struct arena_ring *ring)
{
	struct cpus all = {0};
	unsigned n_moved = 0;

	for (size_t i = 0; i < list->n_members; i++)
		if (list->members[i].ring == ring->plan.id && list->members[i].cpus) {
			cpus_unite(&all, &list->members[i].cpus[1]);
			n_moved++;
		}
	if (n_moved < ring->n_members) {
		const struct cpus now = run_rings_cpus(ring);

		cpus_unite(&all, &now);
	}
	return all;
}

/* Returns the CPUs of all rings that flood at real-time priority once the list is obeyed. */
static struct cpus future_flooded(const struct run *run, const struct undo *list)
{
	struct cpus all = {0};

	for (struct arena_ring *ring = NULL; (ring = arena_next(run->engine.arena, ring));) {
		if (ring->interval_ns || run_rings_is_over(ring) || !will_be_realtime(list, ring))
			continue;
		const struct cpus cpus = future_cpus(list, ring);

		cpus_unite(&all, &cpus);
	}
	return all;
}

static int check_policies(
	const struct run *run, const char *name, const struct undo *list, struct error_text *refusal)
{
	const struct cpus flooded = future_flooded(run, list);
	struct error_text why;

	for (size_t i = 0; i < list->n_members; i++) {
		const struct act_member *member = &list->members[i];
		const struct arena_ring *ring = run_rings_shared(run, member->ring);
		bool becomes = task_policy_is_realtime(member->new_policy.policy) &&
			       !task_policy_is_realtime(member->policy.policy);

		if (becomes && ring &&
			run_acts_check_realtime(run, ring->probe, plan_ring_is_realtime(&ring->plan),
				ring->interval_ns, &flooded, &why) < 0)
			return error_text_set(
				refusal, -EINVAL, "%s: ring %u: %s", name, (unsigned)member->ring, why.text);
	}
	return 0;
}

/* Changes the policies that the list has, and keeps it for the undoing. */
static int change_policies(
	struct run *run, const struct command *command, struct undo *list, struct error_text *refusal)
{
	int r = check_policies(run, source_command_name(&run->source, command), list, refusal);

	if (r == 0)
		r = change_members(run, command, list, refusal);
	if (r == 0)
		run_undo_keep(run, list);
	else
		run_undo_finish(list);
	return r;
}

/* "80"; "+1" and "-1" are relative. */
static int read_priority(const char *text, bool *is_relative, int64_t *by)
{
	bool is_negative = *text == '-';
	uint64_t number;

	*is_relative = is_negative || *text == '+';
	if (value_number(text + *is_relative, &number) < 0 || number > PRIORITY_MAX)
		return -EINVAL;
	*by = is_negative ? -(int64_t)number : (int64_t)number;
	return 0;
}

static int set_priority(struct source *source, const struct command *command, struct command_result *result,
	struct error_text *refusal)
{
	struct run *run = (struct run *)source;
	struct undo list = {0};
	bool is_relative;
	int64_t by;

	if (read_priority(command->name, &is_relative, &by) < 0)
		return error_text_set(
			refusal, -EINVAL, "priority %s: must be 1 to 98, or +N or -N", command->name);
	int r = list_members(run, command, false, &list, refusal);

	for (size_t i = 0; r == 0 && i < list.n_members; i++) {
		struct act_member *member = &list.members[i];
		int64_t priority = is_relative ? member->policy.priority + by : by;

		member->new_policy = member->policy;
		member->new_policy.priority = (int32_t)priority;
		if (member->policy.policy != SCHED_FIFO && member->policy.policy != SCHED_RR)
			r = error_text_set(refusal, -EINVAL,
				"priority: ring %u runs as %s, which has none: set a policy, such as FIFO:80",
				(unsigned)member->ring, task_policy_name(member->policy.policy));
		else if (priority < PRIORITY_MIN || priority > PRIORITY_MAX)
			r = error_text_set(refusal, -EINVAL,
				"priority: ring %u would have %lld: it is 1 to 98, as the input thread is above",
				(unsigned)member->ring, (long long)priority);
	}
	if (r < 0) {
		run_undo_finish(&list);
		return r;
	}
	return change_policies(run, command, &list, refusal);
}

static const struct option_row priority_argument = {
	.name = "priority", .argument = "PRIO", .read = command_read_value};

const struct command_row command_priority = {"priority", "set the members' priority: 1 to 98, or +N, -N",
	&priority_argument, .kind = COMMAND_PRIORITY, .takes_rings = true, .acts = true,
	.in_run = set_priority};

int run_acts_read_policy(const char *text, struct task_policy *policy)
{
	const char *colon = strchr(text, ':');
	size_t length = colon ? (size_t)(colon - text) : strlen(text);
	char name[16];
	uint64_t priority = 0;

	if (length >= sizeof(name))
		return -EINVAL;
	for (size_t i = 0; i <= length; i++)
		name[i] = i < length ? (char)tolower((unsigned char)text[i]) : '\0';
	int found = task_policy_parse(name);

	if (found < 0 || (colon != NULL) != task_policy_is_realtime(found))
		return -EINVAL;
	if (colon && (value_number(colon + 1, &priority) < 0 || priority < PRIORITY_MIN ||
			     priority > PRIORITY_MAX))
		return -EINVAL;
	*policy = (struct task_policy){.policy = found, .priority = (int32_t)priority};
	return 0;
}

static int set_policy(struct source *source, const struct command *command, struct command_result *result,
	struct error_text *refusal)
{
	struct run *run = (struct run *)source;
	struct undo list = {0};
	struct task_policy policy;

	if (run_acts_read_policy(command->name, &policy) < 0)
		return error_text_set(refusal, -EINVAL,
			"policy %s: must be OTHER, BATCH, IDLE, FIFO:1..98 or RR:1..98", command->name);
	int r = list_members(run, command, false, &list, refusal);

	if (r < 0) {
		run_undo_finish(&list);
		return r;
	}
	for (size_t i = 0; i < list.n_members; i++) {
		list.members[i].new_policy = policy;
		if (task_policy_obeys_nice(policy.policy)) /* it stays */
			list.members[i].new_policy.nice = list.members[i].policy.nice;
	}
	return change_policies(run, command, &list, refusal);
}

static const struct option_row policy_argument = {
	.name = "policy", .argument = "POLICY", .read = command_read_value};

const struct command_row command_policy = {"policy", "set their policy: OTHER, BATCH, IDLE, FIFO:80, RR:80",
	&policy_argument, .kind = COMMAND_POLICY, .takes_rings = true, .acts = true, .in_run = set_policy};

/* --- CPUs --- */

bool run_acts_have_one_each(const char *text)
{
	return strpbrk(text, ">:") && !strpbrk(text, "-,/"); /* "0-15:2/4" is a list */
}

int run_acts_read_cpus(const char *text, unsigned member, unsigned n_members, struct cpus *cpus)
{
	uint64_t cpu = 0;
	unsigned n = 0;

	*cpus = (struct cpus){0};
	if (!run_acts_have_one_each(text))
		return cpus_parse(cpus, text) == 0 && cpus_count(cpus) ? 0 : -EINVAL;
	for (const char *at = text;; at++) {
		if (value_digits(&at, &cpu) < 0 || cpu >= CPUS_MAX)
			return -EINVAL;
		if (n++ == member)
			cpus_add(cpus, (unsigned)cpu);
		if (*at != '>' && *at != ':')
			return *at || n != n_members ? -EINVAL : 0;
	}
}

const char *run_acts_why_unfit(const struct probe *probe, unsigned n_members, const struct cpus *all)
{
	if (probe->traits & PROBE_ONE_CPU)
		return cpus_count(all) > 1 ? "its members yield to each other: they must share one CPU"
					   : NULL;
	if (probe->traits & PROBE_SPINS && cpus_count(all) < n_members)
		return "its members spin: each needs a CPU of its own";
	return NULL;
}

/* Checks a ring that is moved against those that are on its CPUs then. */
static int check_beside(const struct run *run, const struct undo *list, const struct arena_ring *ring,
	const struct cpus *cpus, struct error_text *why)
{
	int r = 0;

	for (struct arena_ring *other = NULL; r == 0 && (other = arena_next(run->engine.arena, other));) {
		if (other == ring || run_rings_is_over(other))
			continue;
		struct cpus shared = future_cpus(list, other);

		cpus_intersect(&shared, cpus);
		if (cpus_count(&shared))
			r = run_rings_check_beside(&ring->plan, &other->plan, why);
	}
	return r;
}

/* The CPUs of all members must fit the ring's mechanism, and the rings that run on them. @flooded: the CPUs
 * of all floods at real-time priority then. */
static int check_ring_cpus(const struct run *run, const struct undo *list, const struct arena_ring *ring,
	const struct cpus *flooded, struct error_text *why)
{
	const struct cpus all = future_cpus(list, ring);
	const char *unfit = run_acts_why_unfit(ring->probe, ring->n_members, &all);

	if (unfit)
		return error_text_set(why, -EINVAL, "%s", unfit);
	int r = !ring->interval_ns && will_be_realtime(list, ring)
			? run_rings_check_flooded(run, flooded, why)
			: 0;

	return r == 0 && run->source.config->side_by_side ? check_beside(run, list, ring, &all, why) : r;
}

/* Checks all rings that the list moves. @name: the command's. */
static int check_moves(
	const struct run *run, const char *name, const struct undo *list, struct error_text *refusal)
{
	const struct cpus flooded = future_flooded(run, list);
	struct error_text why;
	int r = 0;

	for (size_t i = 0; r == 0 && i < list->n_members; i++) {
		uint32_t id = list->members[i].ring;

		if (i > 0 && list->members[i - 1].ring == id)
			continue;
		r = check_ring_cpus(run, list, run_rings_shared(run, id), &flooded, &why);
		if (r < 0)
			error_text_set(refusal, r, "%s: ring %u: %s", name, (unsigned)id, why.text);
	}
	return r;
}

int run_acts_check_cpus(const struct run *run, const struct cpus *cpus, struct error_text *reason)
{
	struct cpus beyond = *cpus;
	char list[64], allowed[64];

	cpus_subtract(&beyond, &run->topology->allowed);
	return cpus_count(&beyond) ? error_text_set(reason, -EINVAL, "CPU %s is not allowed here (of %s)",
					     cpus_format(&beyond, list, sizeof(list)),
					     cpus_format(&run->topology->allowed, allowed, sizeof(allowed)))
				   : 0;
}

static int choose_cpus(const struct run *run, const struct command *command, struct act_member *member,
	struct error_text *refusal)
{
	const struct arena_ring *ring = run_rings_shared(run, member->ring);
	struct error_text why;

	if (run_acts_read_cpus(command->name, member->member, ring->n_members, &member->cpus[1]) < 0)
		return error_text_set(refusal, -EINVAL,
			"cpus %s: must be a list such as 0-3 for all members, or one CPU for each of the %u "
			"of ring %u, such as 2>10",
			command->name, ring->n_members, (unsigned)member->ring);
	int r = run_acts_check_cpus(run, &member->cpus[1], &why);

	return r < 0 ? error_text_set(refusal, r, "cpus %s: %s", command->name, why.text) : 0;
}

static int set_cpus(struct source *source, const struct command *command, struct command_result *result,
	struct error_text *refusal)
{
	struct run *run = (struct run *)source;
	struct undo list = {0};
	int r = list_members(run, command, true, &list, refusal);

	for (size_t i = 0; r == 0 && i < list.n_members; i++)
		r = choose_cpus(run, command, &list.members[i], refusal);
	if (r == 0)
		r = check_moves(run, source_command_name(&run->source, command), &list, refusal);
	if (r == 0)
		r = change_members(run, command, &list, refusal);
	if (r == 0)
		run_undo_keep(run, &list);
	else
		run_undo_finish(&list);
	return r;
}

static const struct option_row cpus_argument = {
	.name = "cpus", .argument = "CPUS", .read = command_read_value};

const struct command_row command_cpus = {"cpus", "move the members: 2:10 one CPU each, 0-3 all of them",
	&cpus_argument, .kind = COMMAND_CPUS, .takes_rings = true, .acts = true, .in_run = set_cpus};

/* --- undo --- */

/* The undoing is a change back. */
static void turn_around(struct act_member *member)
{
	struct task_policy policy = member->policy;

	member->policy = member->new_policy;
	member->new_policy = policy;
	if (member->cpus) {
		struct cpus was = member->cpus[0];

		member->cpus[0] = member->cpus[1];
		member->cpus[1] = was;
	}
}

/* Drops the members that have ended, and those whose value is no longer the one that ipctop set. Counts the
 * latter. */
static void keep_unchanged(const struct run *run, struct undo *list)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->n_members; i++) {
		struct act_member *member = &list->members[i], is = {0};
		const struct arena_ring *ring = run_rings_shared(run, member->ring);
		bool runs = ring && run_rings_tid(ring, member->member) == member->tid &&
			    read_member(ring, member->member, member->tid, member->cpus, &is) == 0;
		bool same = runs && (member->cpus ? cpus_equal(&is.cpus[0], &member->cpus[1])
						  : task_policy_equal(is.policy, member->new_policy));

		list->n_changed += runs && !same;
		free(is.cpus);
		if (!same) {
			free(member->cpus);
			continue;
		}
		turn_around(member);
		member->policy = is.policy;
		list->members[kept++] = *member;
	}
	list->n_members = kept;
}

/* Other rings may be there since. If the change back is refused, it can be tried again. */
static int check_undo_members(const struct run *run, struct undo *undo, struct error_text *refusal)
{
	keep_unchanged(run, undo);
	int r = !undo->n_members        ? 0
		: undo->members[0].cpus ? check_moves(run, "undo", undo, refusal)
					: check_policies(run, "undo", undo, refusal);

	for (size_t i = 0; r < 0 && i < undo->n_members; i++)
		turn_around(&undo->members[i]);
	return r;
}

static int undo_members(
	struct run *run, const struct command *command, struct undo *undo, struct error_text *refusal)
{
	char text[96];

	if (!undo->n_members)
		return error_text_set(refusal, -ESTALE,
			"undo: the members have ended, or have other values now than those that ipctop set");
	int r = change_members(run, command, undo, refusal);

	snprintf(text, sizeof(text), "undo: %zu of %zu members put back, %zu changed by somebody else since",
		undo->n_members, undo->n_changed + undo->n_members, undo->n_changed);
	if (r == 0 && undo->n_changed)
		run_feed_text(run, command->at_ns, EVENT_NOTE, text);
	return r;
}

/* Undoes the adding, pausing or resuming of rings. */
static int undo_rings(
	struct run *run, const struct command *command, struct undo *undo, struct error_text *refusal)
{
	enum rings_act act = undo->kind == UNDO_ADDED    ? RINGS_REMOVE
			     : undo->kind == UNDO_PAUSED ? RINGS_RESUME
							 : RINGS_PAUSE;

	return run_rings_obey(run, command, &undo->rings, act, refusal);
}

/* What was undone can't be undone again. */
static int undo_last(struct source *source, const struct command *command, struct command_result *result,
	struct error_text *refusal)
{
	struct run *run = (struct run *)source;

	if (!run->undo)
		return error_text_set(
			refusal, -ENOENT, "undo: there is nothing to undo: only the last action is kept");
	int r = run->undo->kind == UNDO_REOPENED  ? run_undo_check_reopened(run, run->undo, refusal)
		: run->undo->kind == UNDO_MEMBERS ? check_undo_members(run, run->undo, refusal)
						  : 0;

	if (r < 0) /* nothing was undone, so it still can be */
		return r;
	r = run->undo->kind == UNDO_MEMBERS       ? undo_members(run, command, run->undo, refusal)
	    : run->undo->kind == UNDO_REOPENED    ? run_undo_reopened(run, command, run->undo, refusal)
	    : run->undo->kind == UNDO_REMOVED     ? run_undo_removed(run, command, run->undo, refusal)
	    : run->undo->kind == UNDO_DMA_LATENCY ? run_undo_dma_latency(run, command, run->undo, refusal)
	    : run->undo->kind == UNDO_LOADS       ? run_undo_loads(run, command, run->undo, refusal)
						  : undo_rings(run, command, run->undo, refusal);

	run_undo_forget(run);
	return r;
}

const struct command_row command_undo = {
	"undo", "undo the last action: on rings, load, dma-latency", .acts = true, .in_run = undo_last};

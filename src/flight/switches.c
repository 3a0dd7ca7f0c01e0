/* SPDX-License-Identifier: GPL-2.0-or-later */
/* switches.c - the tier of perf's records of context switches, for where tracefs can't be read. It makes a
 * record of each switch, the members' own too, which costs them a third of a hop. It sees no interrupts, and
 * not why a task went; names and priorities are read when the records are. In a PID namespace tasks
 * outside of it have the tid of idle: only those of the namespace are named, and no CPU is known to be idle.
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/small_file.h"
#include "src/base/sorted.h"
#include "src/base/text.h"
#include "src/flight/perf_ring.h"
#include "src/flight/tier.h"
#include "src/machine/cpus.h"
#include "src/machine/task.h"

enum { KNOWN = 64, PRIORITY_OF_FIFO_0 = 99, PRIORITY_OF_NICE_0 = 120 };

struct known_task {
	int32_t tid;
	int32_t priority;
	char name[16];
};

struct switches {
	struct perf_ring *rings[CPUS_MAX]; /* owned; NULL: not recorded */
	int32_t *members;                  /* owned; tids, ascending */
	size_t n_members;
	bool is_in_pid_namespace;
	int32_t running[CPUS_MAX];      /* the task that came last; 0: not known */
	struct known_task known[KNOWN]; /* by tid, of this drain */
};

static void close_cpu(struct switches *switches, uint32_t cpu)
{
	if (switches->rings[cpu])
		perf_ring_close(switches->rings[cpu]);
	free(switches->rings[cpu]);
	switches->rings[cpu] = NULL;
}

static int open_cpu(struct switches *switches, uint32_t cpu)
{
	struct perf_event_attr attr = perf_ring_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY,
		PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU);

	attr.context_switch = 1;
	switches->rings[cpu] = calloc(1, sizeof(*switches->rings[cpu]));
	int r = switches->rings[cpu] ? perf_ring_open(switches->rings[cpu], cpu) : -ENOMEM;

	if (r == 0)
		r = perf_ring_add(switches->rings[cpu], &attr, NULL);
	if (r < 0)
		close_cpu(switches, cpu);
	return r < 0 ? r : 0;
}

static int follow(void *state, const struct flight_watch *watch, struct error_text *reason)
{
	struct switches *switches = state;
	int32_t *members = calloc(watch->n_members + 1, sizeof(*members));
	int r = members ? 0 : -ENOMEM;

	for (size_t i = 0; i < watch->n_members && members; i++)
		members[i] = watch->members[i].tid;
	free(switches->members);
	switches->members = members;
	switches->n_members = members ? watch->n_members : 0;
	for (uint32_t cpu = 0; cpu < CPUS_MAX && r == 0; cpu++) {
		if (!cpus_has(watch->cpus, cpu))
			close_cpu(switches, cpu);
		else if (!switches->rings[cpu])
			r = open_cpu(switches, cpu);
		r = r == -ENODEV ? 0 : r;
	}
	return r < 0 ? error_text_set(reason, r, "perf's context switches: %s%s", error_text_of_errno(r),
			       r == -EACCES || r == -EPERM ? ": run as root, or with CAP_PERFMON" : "")
		     : 0;
}

static void close_switches(void *state)
{
	struct switches *switches = state;

	for (uint32_t cpu = 0; cpu < CPUS_MAX; cpu++)
		close_cpu(switches, cpu);
	free(switches->members);
	free(switches);
}

static int open_switches(void **state, const struct flight_watch *watch, struct error_text *reason)
{
	struct switches *switches = calloc(1, sizeof(*switches));

	if (!switches)
		return error_text_set(reason, -ENOMEM, "%s", error_text_of_errno(-ENOMEM));
	int r = follow(switches, watch, reason);

	switches->is_in_pid_namespace = perf_ring_is_in_pid_namespace();
	if (r == 0)
		*state = switches;
	else
		close_switches(switches);
	return r;
}

/* --- reading --- */

static bool is_foreign(const struct switches *switches, int32_t tid)
{
	return tid && !sorted_has(switches->members, switches->n_members, tid);
}

static int32_t kernel_priority(const struct task_policy *policy)
{
	if (policy->policy == SCHED_FIFO || policy->policy == SCHED_RR)
		return PRIORITY_OF_FIFO_0 - policy->priority;
	return task_policy_is_realtime(policy->policy) ? -1 : PRIORITY_OF_NICE_0 + policy->nice;
}

/* A task that has ended has no name any more. */
static const struct known_task *know_task(struct switches *switches, int32_t tid)
{
	struct known_task *known = &switches->known[(uint32_t)tid % KNOWN];
	struct task_policy policy = {.policy = -1};
	char path[64];

	if (known->tid == tid)
		return known;
	*known = (struct known_task){.tid = tid, .priority = PRIORITY_OF_NICE_0};
	snprintf(path, sizeof(path), "/proc/%d/comm", tid);
	if (small_file_read_line(path, known->name, sizeof(known->name)) < 0)
		snprintf(known->name, sizeof(known->name), "?");
	text_clean(known->name);
	if (task_get_policy(tid, &policy) == 0)
		known->priority = kernel_priority(&policy);
	return known;
}

struct reading {
	struct switches *switches;
	struct perf_ring *ring;
	flight_take *take;
	void *data;
};

/* PERF_RECORD_SWITCH_CPU_WIDE, with TID, TIME and CPU. */
struct switched {
	struct perf_event_header header;
	uint32_t other_pid, other_tid;
	uint32_t pid, tid;
	uint64_t at_ns;
	uint32_t cpu, reserved;
};

/* A parent may reap a task before its last switch, whose record has no tid then. It is the task that came to
 * this CPU last. */
static int32_t tid_of(uint32_t tid, int32_t came)
{
	return (int32_t)tid < 0 ? came : (int32_t)tid;
}

/* There are two records of each switch: of the task that goes, and of the one that comes. */
static void take_record(void *data, const struct perf_event_header *header)
{
	struct reading *reading = data;
	int32_t *running = &reading->switches->running[reading->ring->cpu];
	const struct switched *switched = (const struct switched *)(const void *)header;
	struct flight_record record = {.kind = FLIGHT_SWITCH, .cpu = reading->ring->cpu};

	if (header->type != PERF_RECORD_SWITCH_CPU_WIDE || !(header->misc & PERF_RECORD_MISC_SWITCH_OUT) ||
		header->size < sizeof(*switched))
		return;
	record.at_ns = perf_ring_take_gap(reading->ring, switched->at_ns, reading->take, reading->data);
	record.prev_tid = tid_of(switched->tid, *running);
	record.next_tid = *running = (int32_t)switched->other_tid;
	bool comes = is_foreign(reading->switches, record.next_tid);

	if (!comes && !is_foreign(reading->switches, record.prev_tid))
		return;
	record.prev_state = header->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT ? 0 : FLIGHT_SLEEPS;
	if (record.prev_tid) {
		const struct known_task *prev = know_task(reading->switches, record.prev_tid);

		record.prev_priority = prev->priority;
		snprintf(record.prev_name, sizeof(record.prev_name), "%s", prev->name);
	}
	if (record.next_tid) {
		const struct known_task *next = know_task(reading->switches, record.next_tid);

		record.next_priority = next->priority;
		snprintf(record.next_name, sizeof(record.next_name), "%s", next->name);
	}
	reading->take(reading->data, &record);
}

static void drain_switches(void *state, flight_take *take, void *data)
{
	struct switches *switches = state;

	memset(switches->known, 0, sizeof(switches->known));
	for (uint32_t cpu = 0; cpu < CPUS_MAX; cpu++) {
		struct perf_ring *ring = switches->rings[cpu];

		struct reading reading = {switches, ring, take, data};

		if (!ring)
			continue;
		perf_ring_read(ring, take_record, &reading);
		perf_ring_end_gap(ring, take, data);
	}
}

static size_t switches_hides(const void *state, uint32_t cpu)
{
	const struct switches *switches = state;

	return switches->rings[cpu] && switches->is_in_pid_namespace ? HIDES_OUTSIDE : 0;
}

static size_t switches_memory(const void *state)
{
	const struct switches *switches = state;
	size_t n = 0;

	for (uint32_t cpu = 0; cpu < CPUS_MAX; cpu++)
		n += switches->rings[cpu] != NULL;
	return n * PERF_RING_SIZE;
}

const struct flight_tier flight_switches = {.name = "switches",
	.is_costly = true,
	.open = open_switches,
	.follow = follow,
	.drain = drain_switches,
	.hides = switches_hides,
	.memory = switches_memory,
	.close = close_switches};

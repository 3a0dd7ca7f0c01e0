/* SPDX-License-Identifier: GPL-2.0-or-later */
/* foreign_load.c - finds isolated CPUs that somebody else is using, so that they are not disturbed. */
#include "src/machine/machine.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/machine/cpus.h"
#include "src/machine/task.h"

enum { KERNEL_THREAD = 0x00200000 }; /* PF_KTHREAD of the kernel's sched.h */

struct seen {
	pid_t pid, tid;
	int cpu;
	unsigned long long start_time;
	uint64_t runtime_ns, ticks;
	bool realtime;
};

struct search {
	const struct cpus *isolated;
	struct cpus *busy;
	struct seen *seen; /* owned; tasks that may turn out to be spinning */
	size_t n_seen;
};

/* Looks at one task; false where it is gone, or is none that matters here. */
static bool look(pid_t pid, pid_t tid, const struct cpus *isolated, struct seen *seen)
{
	struct task_stat stat;
	uint64_t runtime_ns = 0;

	if (task_read_stat(pid, tid, &stat) < 0 || stat.flags & KERNEL_THREAD || stat.cpu < 0 ||
		!cpus_has(isolated, (unsigned)stat.cpu) || stat.state == 'Z' || stat.state == 'X')
		return false;
	(void)task_read_runtime(pid, tid, &runtime_ns);
	*seen = (struct seen){
		.pid = pid,
		.tid = tid,
		.cpu = stat.cpu,
		.start_time = stat.start_time,
		.runtime_ns = runtime_ns,
		.ticks = (uint64_t)stat.utime + stat.stime,
		.realtime = task_policy_is_realtime(stat.policy.policy),
	};
	return true;
}

static void visit(struct search *search, pid_t pid, pid_t tid)
{
	struct seen seen;

	if (!look(pid, tid, search->isolated, &seen))
		return;
	if (seen.realtime) {
		cpus_add(search->busy, (unsigned)seen.cpu);
		return;
	}
	struct seen *grown = reallocarray(search->seen, search->n_seen + 1, sizeof(*grown));

	if (!grown)
		return;
	search->seen = grown;
	search->seen[search->n_seen++] = seen;
}

/* The next entry that is a number, or 0. */
static pid_t next_id(DIR *directory)
{
	struct dirent *entry;

	while ((entry = readdir(directory)))
		if (isdigit((unsigned char)*entry->d_name))
			return (pid_t)strtol(entry->d_name, NULL, 10);
	return 0;
}

static void visit_process(struct search *search, pid_t pid)
{
	char path[64];
	pid_t tid;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	DIR *tasks = opendir(path);

	if (!tasks)
		return;
	while ((tid = next_id(tasks)) > 0)
		visit(search, pid, tid);
	closedir(tasks);
}

static void visit_all(struct search *search)
{
	DIR *processes = opendir("/proc");
	pid_t pid;

	if (!processes)
		return;
	while ((pid = next_id(processes)) > 0)
		if (pid != getpid())
			visit_process(search, pid);
	closedir(processes);
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The two sources lag in different ways: without its tick, a CPU's spinning task leaves schedstat as it is
 * for up to a second, while the times in stat are brought up to date by the reader. */
static uint64_t used_ns(const struct seen *before, const struct seen *after)
{
	uint64_t tick_ns = UINT64_C(1000000000) / (uint64_t)sysconf(_SC_CLK_TCK);

	return larger(after->runtime_ns - before->runtime_ns, (after->ticks - before->ticks) * tick_ns);
}

static void judge(struct search *search, const struct seen *before, uint64_t elapsed_ns)
{
	struct seen after;

	if (!look(before->pid, before->tid, search->isolated, &after) || after.cpu != before->cpu ||
		after.start_time != before->start_time)
		return;
	if (after.realtime || used_ns(before, &after) >= elapsed_ns / 2)
		cpus_add(search->busy, (unsigned)after.cpu);
}

static void wait_until(uint64_t until_ns)
{
	const struct timespec until = clock_timespec(until_ns);

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
		;
}

size_t machine_busy(const struct cpus *isolated, uint64_t window_ns, struct cpus *busy)
{
	struct search search = {.isolated = isolated, .busy = busy};

	*busy = (struct cpus){0};
	if (cpus_count(isolated) == 0)
		return 0;
	visit_all(&search);
	if (search.n_seen > 0) {
		uint64_t start_ns = clock_now_ns();

		wait_until(start_ns + window_ns);
		uint64_t elapsed_ns = clock_now_ns() - start_ns;

		for (size_t i = 0; i < search.n_seen; i++)
			judge(&search, &search.seen[i], elapsed_ns);
	}
	free(search.seen);
	return cpus_count(busy);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* foreign_load.c - finds isolated CPUs that other programs use, so that ipctop does not disturb them. */
#include "src/machine/foreign_load.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/machine/all_tasks.h"
#include "src/machine/cpus.h"
#include "src/machine/task.h"

struct task_use {
	pid_t pid, tid;
	struct task_stat stat;
	uint64_t runtime_ns;
};

struct search {
	const struct cpus *isolated;
	struct cpus *busy;
	struct task_use *tasks; /* owned; those that may be spinning */
	size_t n_tasks;
};

/* Reads the use of a task that runs on an isolated CPU. Returns false for any other task. */
static bool read_use(pid_t pid, pid_t tid, const struct cpus *isolated, struct task_use *use)
{
	const struct task_stat *stat = &use->stat;

	*use = (struct task_use){.pid = pid, .tid = tid};
	(void)task_read_runtime(pid, tid, &use->runtime_ns);
	return task_read_stat(pid, tid, &use->stat) == 0 && !(stat->flags & TASK_KERNEL_THREAD) &&
	       stat->cpu >= 0 && cpus_has(isolated, (unsigned)stat->cpu) && stat->state != 'Z' &&
	       stat->state != 'X';
}

static bool is_realtime(const struct task_use *use)
{
	return task_policy_is_realtime(use->stat.policy.policy);
}

static void search_task(void *data, pid_t pid, pid_t tid)
{
	struct search *search = data;
	struct task_use use;

	if (!read_use(pid, tid, search->isolated, &use))
		return;
	if (is_realtime(&use)) {
		cpus_add(search->busy, (unsigned)use.stat.cpu);
		return;
	}
	struct task_use *grown = reallocarray(search->tasks, search->n_tasks + 1, sizeof(*grown));

	if (!grown)
		return;
	search->tasks = grown;
	search->tasks[search->n_tasks++] = use;
}

/* The two sources lag in different ways: on a CPU without a tick, schedstat of a spinning task is up to a
 * second old, while the kernel updates the times in stat when they are read. */
static uint64_t used_ns(const struct task_use *before, const struct task_use *after)
{
	uint64_t tick_ns = UINT64_C(1000000000) / (uint64_t)sysconf(_SC_CLK_TCK);
	uint64_t by_stat_ns =
		(after->stat.utime + after->stat.stime - before->stat.utime - before->stat.stime) * tick_ns;
	uint64_t by_schedstat_ns = after->runtime_ns - before->runtime_ns;

	return by_stat_ns > by_schedstat_ns ? by_stat_ns : by_schedstat_ns;
}

static bool is_still_busy(const struct search *search, const struct task_use *before, uint64_t elapsed_ns)
{
	struct task_use after;

	return read_use(before->pid, before->tid, search->isolated, &after) &&
	       after.stat.cpu == before->stat.cpu && after.stat.start_time == before->stat.start_time &&
	       (is_realtime(&after) || used_ns(before, &after) >= elapsed_ns / 2);
}

size_t foreign_load_find(const struct cpus *isolated, uint64_t window_ns, struct cpus *busy)
{
	struct search search = {.isolated = isolated, .busy = busy};

	*busy = (struct cpus){0};
	if (cpus_count(isolated) == 0)
		return 0;
	all_tasks_visit(search_task, &search);
	uint64_t start_ns = clock_now_ns();
	const struct timespec until = clock_timespec(start_ns + window_ns);

	while (search.n_tasks && clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
		continue;
	uint64_t elapsed_ns = clock_now_ns() - start_ns;

	for (size_t i = 0; i < search.n_tasks; i++)
		if (is_still_busy(&search, &search.tasks[i], elapsed_ns))
			cpus_add(busy, (unsigned)search.tasks[i].stat.cpu);
	free(search.tasks);
	return cpus_count(busy);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* all_tasks.c - the tasks of the system, and those of the highest real-time priority. */
#include "src/machine/all_tasks.h"

#include <ctype.h>
#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Returns the next entry that is a number, or 0. */
static pid_t next_id(DIR *directory)
{
	struct dirent *entry;

	while (directory && (entry = readdir(directory)))
		if (isdigit((unsigned char)*entry->d_name))
			return (pid_t)strtol(entry->d_name, NULL, 10);
	return 0;
}

void all_tasks_visit_process(pid_t pid, void (*take)(void *data, pid_t pid, pid_t tid), void *data)
{
	char path[64];
	pid_t tid;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	DIR *tasks = opendir(path);

	while ((tid = next_id(tasks)) > 0)
		take(data, pid, tid);
	if (tasks)
		closedir(tasks);
}

void all_tasks_visit(void (*take)(void *data, pid_t pid, pid_t tid), void *data)
{
	DIR *processes = opendir("/proc");
	pid_t pid;

	while ((pid = next_id(processes)) > 0)
		if (pid != getpid())
			all_tasks_visit_process(pid, take, data);
	if (processes)
		closedir(processes);
}

struct search {
	struct top_task *top;
	bool (*skips)(void *data, int32_t tid);
	void *data;
};

static bool is_stopper(const struct task_stat *stat)
{
	return (stat->flags & TASK_KERNEL_THREAD) && strncmp(stat->name, "migration/", 10) == 0;
}

static void compare_task(void *data, pid_t pid, pid_t tid)
{
	struct search *search = data;
	struct task_stat stat;

	/* One system call leaves out nearly all. */
	if (!task_policy_is_realtime(sched_getscheduler(tid) & ~SCHED_RESET_ON_FORK))
		return;
	if (search->skips(search->data, tid) || task_read_stat(pid, tid, &stat) < 0 || stat.cpu < 0 ||
		stat.cpu >= CPUS_MAX || stat.state == 'Z' || stat.state == 'X' ||
		!task_policy_is_realtime(stat.policy.policy) || is_stopper(&stat))
		return;
	struct top_task *top = &search->top[stat.cpu];
	int32_t priority = stat.policy.policy == SCHED_DEADLINE ? -1 : 99 - stat.policy.priority;

	if (top->tid && top->priority <= priority)
		return;
	*top = (struct top_task){.tid = tid, .priority = priority};
	memcpy(top->name, stat.name, sizeof(top->name));
}

void all_tasks_find_top(struct top_task top[CPUS_MAX], bool (*skips)(void *data, int32_t tid), void *data)
{
	struct search search = {top, skips, data};

	memset(top, 0, CPUS_MAX * sizeof(*top));
	all_tasks_visit(compare_task, &search);
}

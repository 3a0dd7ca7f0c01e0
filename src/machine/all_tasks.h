/* SPDX-License-Identifier: GPL-2.0-or-later */
/* all_tasks.h - the tasks of the system, and those of the highest real-time priority. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "src/machine/cpus.h"
#include "src/machine/task.h"

/* Calls @take for each task of a process. */
void all_tasks_visit_process(pid_t pid, void (*take)(void *data, pid_t pid, pid_t tid), void *data);
/* Calls @take for each task of the processes that this one can see, except its own. */
void all_tasks_visit(void (*take)(void *data, pid_t pid, pid_t tid), void *data);

/* The task with the highest real-time priority on a CPU. */
struct top_task {
	int32_t tid;      /* 0: no task has one */
	int32_t priority; /* the kernel's: -1 deadline, 0 FIFO 99, ... */
	char name[16];
};

/* Finds that of each CPU, where the task ran last. Leaves out tasks that @skips, and the kernel's
 * stoppers, which every CPU has. */
void all_tasks_find_top(struct top_task top[CPUS_MAX], bool (*skips)(void *data, int32_t tid), void *data);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cpu_activity.h - what each CPU does: its load, interrupts, frequency, idle state, and the task on it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/machine/interrupt_table.h"
#include "src/machine/task.h"

struct cpus;

enum { IDLE_NAME_SIZE = 16 };

/* Between the last two readings, unless another time is named. */
struct cpu_now {
	bool is_known;                          /* the shares are */
	uint32_t busy_permille, steal_permille; /* of the time; idle and steal are not busy */
	uint64_t interrupts_hz;                 /* UINT64_MAX: not known */
	uint32_t mhz;                           /* at the last reading; 0: not known */
	char idle[IDLE_NAME_SIZE];              /* in which it idled the longest; "": in none, or not known */
	/* At the last reading: of the tasks that ran or waited to, the one with the highest priority. */
	char task[16]; /* "": there was none */
	struct task_policy policy;
	unsigned n_tasks;
};

/* Zeroed has not been read. */
struct cpu_activity {
	struct cpu_now *cpus;      /* owned; by the kernel's numbers */
	struct cpu_counts *counts; /* owned, as many */
	size_t n;
	struct interrupt_table interrupts;
	uint64_t read_ns; /* CLOCK_MONOTONIC; 0: never */
};

/* Reads all of it, in some ms on a machine with many tasks. Nothing runs on other CPUs for it: the frequency
 * of those in @spared, whose reading may interrupt them, is not read. @root: "", or a folder in place of /.
 * @now_ns: CLOCK_MONOTONIC. Without memory nothing is known. */
void cpu_activity_read(
	struct cpu_activity *activity, const char *root, const struct cpus *spared, uint64_t now_ns);
void cpu_activity_finish(struct cpu_activity *activity);

/* Returns what is known of a CPU, or NULL. @activity may be NULL. */
const struct cpu_now *cpu_activity_of(const struct cpu_activity *activity, unsigned cpu);

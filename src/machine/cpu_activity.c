/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cpu_activity.c - reads what each CPU does. */
#include "src/machine/cpu_activity.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/small_file.h"
#include "src/base/text.h"
#include "src/machine/all_tasks.h"
#include "src/machine/cpus.h"

enum { IDLE_STATES_MAX = 10 };

/* The counts of a CPU at the last reading. */
struct cpu_counts {
	bool is_read;
	uint64_t busy, idle, steal; /* clock ticks */
	bool has_names;
	unsigned n_states;
	char states[IDLE_STATES_MAX][IDLE_NAME_SIZE];
	uint64_t state_us[IDLE_STATES_MAX];
};

void cpu_activity_finish(struct cpu_activity *activity)
{
	free(activity->cpus);
	free(activity->counts);
	interrupt_table_finish(&activity->interrupts);
	*activity = (struct cpu_activity){0};
}

const struct cpu_now *cpu_activity_of(const struct cpu_activity *activity, unsigned cpu)
{
	return activity && cpu < activity->n ? &activity->cpus[cpu] : NULL;
}

/* Makes room for a CPU. */
static bool reserve(struct cpu_activity *activity, size_t n)
{
	struct cpu_now *cpus = reallocarray(activity->cpus, n, sizeof(*cpus));

	activity->cpus = cpus ? cpus : activity->cpus;
	struct cpu_counts *counts = cpus ? reallocarray(activity->counts, n, sizeof(*counts)) : NULL;

	if (!counts)
		return false;
	activity->counts = counts;
	memset(&cpus[activity->n], 0, (n - activity->n) * sizeof(*cpus));
	memset(&counts[activity->n], 0, (n - activity->n) * sizeof(*counts));
	activity->n = n;
	return true;
}

static uint32_t permille_of(uint64_t part, uint64_t all)
{
	return all ? (uint32_t)((part * 1000 + all / 2) / all) : 0;
}

/* Counts may go back where a CPU was offline. */
static uint64_t since(uint64_t before, uint64_t now)
{
	return now > before ? now - before : 0;
}

/* "cpu3 1 2 3 4 5 6 7 8 0 0": user, nice, system, idle, iowait, irq, softirq, steal. */
static void read_stat_line(struct cpu_activity *activity, const char *line)
{
	unsigned long long t[8];
	unsigned cpu;

	if (!isdigit((unsigned char)line[3]) || /* the sum of all */
		sscanf(line, "cpu%u %llu %llu %llu %llu %llu %llu %llu %llu", &cpu, &t[0], &t[1], &t[2],
			&t[3], &t[4], &t[5], &t[6], &t[7]) != 9 ||
		cpu >= CPUS_MAX || (cpu >= activity->n && !reserve(activity, cpu + 1)))
		return;
	struct cpu_counts *counts = &activity->counts[cpu];
	struct cpu_now *now = &activity->cpus[cpu];
	uint64_t busy = t[0] + t[1] + t[2] + t[5] + t[6], idle = t[3] + t[4], steal = t[7];
	uint64_t busy_for = since(counts->busy, busy), steal_for = since(counts->steal, steal);
	uint64_t all_for = busy_for + steal_for + since(counts->idle, idle);

	now->is_known = counts->is_read && all_for;
	now->busy_permille = permille_of(busy_for, all_for);
	now->steal_permille = permille_of(steal_for, all_for);
	counts->busy = busy;
	counts->idle = idle;
	counts->steal = steal;
	counts->is_read = true;
}

static FILE *open_file(const char *root, const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s%s", root, name);
	return fopen(path, "re");
}

static void read_stat(struct cpu_activity *activity, const char *root)
{
	FILE *file = open_file(root, "/proc/stat");
	char *line = NULL;
	size_t room = 0;

	while (file && getline(&line, &room, file) > 0 && strncmp(line, "cpu", 3) == 0)
		read_stat_line(activity, line);
	free(line);
	if (file)
		fclose(file);
}

static void read_interrupts(struct cpu_activity *activity, const char *root, uint64_t elapsed_ns)
{
	FILE *file = open_file(root, "/proc/interrupts");
	struct interrupt_table table = {0};
	char most[INTERRUPT_NAME_SIZE];

	if (file && interrupt_table_read(&table, file) < 0)
		interrupt_table_finish(&table);
	for (size_t cpu = 0; cpu < activity->n; cpu++) {
		uint64_t n =
			elapsed_ns ? interrupt_table_since(&activity->interrupts, &table, (unsigned)cpu, most)
				   : UINT64_MAX;

		activity->cpus[cpu].interrupts_hz =
			n == UINT64_MAX ? n : (uint64_t)((double)n * 1e9 / (double)elapsed_ns + 0.5);
	}
	interrupt_table_finish(&activity->interrupts);
	activity->interrupts = table;
	if (file)
		fclose(file);
}

/* Returns the number in a file of a CPU's folder, or -1. */
static long long read_number(const char *root, size_t cpu, const char *file)
{
	char path[PATH_MAX], line[32];

	snprintf(path, sizeof(path), "%s/sys/devices/system/cpu/cpu%zu/%s", root, cpu, file);
	return small_file_read_line(path, line, sizeof(line)) > 0 ? strtoll(line, NULL, 10) : -1;
}

static void name_states(struct cpu_counts *counts, const char *root, size_t cpu)
{
	counts->has_names = true;
	for (counts->n_states = 0; counts->n_states < IDLE_STATES_MAX; counts->n_states++) {
		char path[PATH_MAX], *name = counts->states[counts->n_states];

		snprintf(path, sizeof(path), "%s/sys/devices/system/cpu/cpu%zu/cpuidle/state%u/name", root,
			cpu, counts->n_states);
		if (small_file_read_line(path, name, IDLE_NAME_SIZE) <= 0)
			return;
		text_clean(name);
	}
}

/* @is_first: there is no reading to compare with. */
static void read_idle(struct cpu_activity *activity, const char *root, size_t cpu, bool is_first)
{
	struct cpu_counts *counts = &activity->counts[cpu];
	struct cpu_now *now = &activity->cpus[cpu];
	uint64_t longest_us = 0;

	if (!counts->has_names)
		name_states(counts, root, cpu);
	*now->idle = '\0';
	for (unsigned i = 0; i < counts->n_states; i++) {
		char file[64];

		snprintf(file, sizeof(file), "cpuidle/state%u/time", i);
		long long us = read_number(root, cpu, file);
		uint64_t idle_us = us < 0 ? 0 : since(counts->state_us[i], (uint64_t)us);

		counts->state_us[i] = us < 0 ? counts->state_us[i] : (uint64_t)us;
		if (is_first || idle_us <= longest_us)
			continue;
		longest_us = idle_us;
		memcpy(now->idle, counts->states[i], sizeof(now->idle));
	}
}

static int rank_of(struct task_policy policy)
{
	return task_policy_is_realtime(policy.policy) ? 1 + policy.priority : 0;
}

/* Tasks that wait for their CPU are in the same state as the one that has it. */
static void add_task(void *data, pid_t pid, pid_t tid)
{
	struct cpu_activity *activity = data;
	struct task_stat stat;

	if (task_read_stat(pid, tid, &stat) < 0 || stat.state != 'R' || stat.cpu < 0 ||
		(size_t)stat.cpu >= activity->n)
		return;
	struct cpu_now *now = &activity->cpus[stat.cpu];

	if (now->n_tasks++ && rank_of(stat.policy) <= rank_of(now->policy))
		return;
	memcpy(now->task, stat.name, sizeof(now->task));
	text_clean(now->task);
	now->policy = stat.policy;
}

void cpu_activity_read(
	struct cpu_activity *activity, const char *root, const struct cpus *spared, uint64_t now_ns)
{
	uint64_t elapsed_ns = activity->read_ns ? now_ns - activity->read_ns : 0;

	for (size_t cpu = 0; cpu < activity->n; cpu++)
		activity->cpus[cpu] = (struct cpu_now){.interrupts_hz = UINT64_MAX};
	read_stat(activity, root);
	read_interrupts(activity, root, elapsed_ns);
	for (size_t cpu = 0; cpu < activity->n; cpu++) {
		long long khz = cpus_has(spared, (unsigned)cpu)
					? -1
					: read_number(root, cpu, "cpufreq/scaling_cur_freq");

		read_idle(activity, root, cpu, !elapsed_ns);
		activity->cpus[cpu].mhz = khz > 0 ? (uint32_t)((khz + 500) / 1000) : 0;
	}
	if (!*root)
		all_tasks_visit(add_task, activity);
	activity->read_ns = now_ns;
}

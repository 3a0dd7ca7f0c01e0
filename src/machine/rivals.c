/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rivals.c - real-time tasks of others, threads of interrupts, and irqbalance. */
#include "src/machine/rivals.h"

#include <ctype.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/small_file.h"
#include "src/base/text.h"
#include "src/machine/task.h"

/* Returns the next entry that is a number, or 0. */
static pid_t next_id(DIR *directory)
{
	const struct dirent *entry;

	while (directory && (entry = readdir(directory)))
		if (isdigit((unsigned char)*entry->d_name))
			return (pid_t)strtol(entry->d_name, NULL, 10);
	return 0;
}

static void read_name(pid_t pid, pid_t tid, char name[16])
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", (int)pid, (int)tid);
	small_file_read_line(path, name, 16);
	text_clean(name);
}

/* @process: 0: of any; @name: NULL: of any. */
static struct rivals_alike *find_alike(
	struct rivals *rivals, const char *where, pid_t process, const char *name)
{
	for (unsigned i = 0; i < rivals->n_found; i++) {
		struct rivals_alike *found = &rivals->found[i];

		if (strcmp(found->where, where) == 0 && (!process || found->process == process) &&
			(!name || strcmp(found->name, name) == 0))
			return found;
	}
	return NULL;
}

/* The name costs more to read than the rest: that of a thread is not read if one of its process is alike. */
static void note(struct rivals *rivals, pid_t pid, pid_t tid)
{
	struct task_policy policy;
	struct cpus cpus;
	struct rivals_alike own = {.process = pid, .n = 1};
	char short_policy[8], list[64];
	bool has_room = rivals->n_found < RIVALS_NAMED_MAX;

	if (task_get_policy(tid, &policy) < 0 || task_get_affinity(tid, &cpus) < 0)
		return;
	snprintf(own.where, sizeof(own.where), "%s on %s", task_policy_format(policy, short_policy),
		cpus_format(&cpus, list, sizeof(list)));
	struct rivals_alike *alike = find_alike(rivals, own.where, pid, NULL);

	if (!alike && (has_room || find_alike(rivals, own.where, 0, NULL))) {
		read_name(pid, tid, own.name);
		alike = find_alike(rivals, own.where, 0, own.name);
	}
	if (alike) {
		alike->n++;
		alike->process = pid;
	} else if (has_room) {
		rivals->found[rivals->n_found++] = own;
	} else {
		rivals->n_more++;
	}
}

/* Reads @value of LENGTH bytes, maybe in quotes. */
static void read_banned(const char *value, size_t length, bool is_mask, char *list, size_t size)
{
	char text[CPUS_MAX / 32 * 9 + 1];
	struct cpus cpus = {0};

	while (length && strchr("\"'", *value))
		value++, length--;
	while (length && strchr("\"' \r", value[length - 1]))
		length--;
	snprintf(text, sizeof(text), "%.*s", (int)length, value);
	if (is_mask)
		cpus = cpus_parse_mask(strncmp(text, "0x", 2) == 0 ? text + 2 : text);
	else if (cpus_parse(&cpus, text) < 0)
		cpus = (struct cpus){0};
	cpus_format(&cpus, list, size);
}

void rivals_banned_cpus(const char *text, size_t length, char between, char *list, size_t size)
{
	static const char *const names[] = {"IRQBALANCE_BANNED_CPUS=", "IRQBALANCE_BANNED_CPULIST="};
	const char *end = text + length;
	bool has_mask = false; /* then the list does not count */

	*list = '\0';
	for (const char *at = text; at < end;) {
		const char *next = memchr(at, between, (size_t)(end - at));
		size_t n = (size_t)((next ? next : end) - at);

		for (size_t i = 0; i < 2; i++) {
			size_t name = strlen(names[i]);

			if (n <= name || strncmp(at, names[i], name) != 0 || (i && has_mask))
				continue;
			read_banned(at + name, n - name, i == 0, list, size);
			has_mask |= i == 0;
		}
		at += n + 1;
	}
}

/* Its environment is its owner's and root's alone. */
static void read_irqbalance(struct rivals *rivals, pid_t pid)
{
	static const char *const files[] = {"/etc/default/irqbalance", "/etc/sysconfig/irqbalance"};
	char path[64], text[8192];

	snprintf(path, sizeof(path), "/proc/%d/environ", (int)pid);
	ssize_t length = small_file_read(path, text, sizeof(text));

	if (length > 0) {
		rivals_banned_cpus(text, (size_t)length, '\0', rivals->banned, sizeof(rivals->banned));
		return;
	}
	for (size_t i = 0; i < 2 && !*rivals->banned; i++) {
		length = small_file_read(files[i], text, sizeof(text));
		if (length > 0)
			rivals_banned_cpus(
				text, (size_t)length, '\n', rivals->banned, sizeof(rivals->banned));
	}
}

/* The policy costs one system call, and is what nearly all tasks are left out by. */
static void read_process(struct rivals *rivals, pid_t pid)
{
	char path[64], name[16];

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	DIR *tasks = opendir(path);
	pid_t tid;

	while ((tid = next_id(tasks)) > 0)
		if (task_policy_is_realtime(sched_getscheduler(tid) & ~SCHED_RESET_ON_FORK))
			note(rivals, pid, tid);
	if (tasks)
		closedir(tasks);
	if (rivals->has_irqbalance)
		return;
	read_name(pid, pid, name);
	rivals->has_irqbalance = strcmp(name, "irqbalance") == 0;
	if (rivals->has_irqbalance)
		read_irqbalance(rivals, pid);
}

/* Is it a thread of the kernel? They have no process group. */
static bool is_kernels(pid_t pid)
{
	return getpgid(pid) == 0;
}

/* The policy comes first: few threads of the kernel have a real-time one. */
static void read_kernel_thread(struct rivals *rivals, pid_t pid)
{
	struct task_policy policy;
	char name[16];

	if (pid == 2) { /* processes of other namespaces have no group here, either: this one tells */
		read_name(pid, pid, name);
		rivals->has_kernel = strcmp(name, "kthreadd") == 0;
	}
	if ((sched_getscheduler(pid) & ~SCHED_RESET_ON_FORK) != SCHED_FIFO ||
		task_get_policy(pid, &policy) < 0)
		return;
	read_name(pid, pid, name);
	if (strncmp(name, "irq/", 4) != 0)
		return;
	rivals->n_irq_threads++;
	if (policy.priority <= rivals->highest || task_get_affinity(pid, &rivals->irq_thread_cpus) < 0)
		return;
	rivals->highest = policy.priority;
	strcpy(rivals->irq_thread, name);
}

static bool is_foreign(const struct rivals *rivals, pid_t pid)
{
	pid_t group = getpgid(pid), session = getsid(pid);

	return pid != getpid() && pid != rivals->own_helper && group > 0 &&
	       (!rivals->own_session || session != rivals->own_session);
}

static void begin_round(struct rivals *rivals)
{
	rivals->processes = opendir("/proc");
	rivals->n_found = rivals->n_more = 0;
	rivals->has_irqbalance = rivals->has_kernel = false;
	rivals->banned[0] = '\0';
	rivals->n_irq_threads = 0;
	rivals->highest = 0;
}

/* Tasks for which there is no room count as "more". */
void rivals_write_tasks(const struct rivals *rivals, char *tasks, size_t size)
{
	size_t room = size - sizeof(" and 4294967295 more");
	unsigned n_more = rivals->n_more;
	char text[128], more[32];

	*tasks = '\0';
	for (unsigned i = 0; i < rivals->n_found; i++) {
		const struct rivals_alike *found = &rivals->found[i];
		char count[16] = "";

		if (found->n > 1)
			snprintf(count, sizeof(count), "%u x ", found->n);
		snprintf(text, sizeof(text), "%s%s %s", count, found->name, found->where);
		if (strlen(tasks) + strlen(", ") + strlen(text) <= room)
			text_append(tasks, size, ", ", text);
		else
			n_more += found->n;
	}
	snprintf(more, sizeof(more), "%u more", n_more);
	if (n_more)
		text_append(tasks, size, " and ", more);
	else if (!rivals->n_found)
		text_append(tasks, size, "", "none");
}

static void write_words(const struct rivals *rivals, struct rivals_words *words)
{
	char list[16];

	rivals_write_tasks(rivals, words->tasks, sizeof(words->tasks));
	snprintf(words->irqbalance, sizeof(words->irqbalance), "%s%s%s",
		rivals->has_irqbalance ? "running" : "none", *rivals->banned ? RIVALS_BANNED : "",
		rivals->banned);
	if (rivals->n_irq_threads)
		snprintf(words->irq_threads, sizeof(words->irq_threads), "%u, at most FF%d (%s on %s)",
			rivals->n_irq_threads, rivals->highest, rivals->irq_thread,
			cpus_format(&rivals->irq_thread_cpus, list, sizeof(list)));
	else
		snprintf(words->irq_threads, sizeof(words->irq_threads), "%s",
			rivals->has_kernel ? "none" : "not readable");
}

bool rivals_read(struct rivals *rivals, struct rivals_words *words, size_t n_at_once)
{
	pid_t pid = 1;

	if (!rivals->processes)
		begin_round(rivals);
	for (size_t i = 0; i < n_at_once && (pid = next_id(rivals->processes)) > 0; i++)
		if (is_kernels(pid))
			read_kernel_thread(rivals, pid);
		else if (is_foreign(rivals, pid))
			read_process(rivals, pid);
	if (pid > 0)
		return false;
	write_words(rivals, words);
	rivals_finish(rivals);
	return true;
}

void rivals_finish(struct rivals *rivals)
{
	if (rivals->processes)
		closedir(rivals->processes);
	rivals->processes = NULL;
}

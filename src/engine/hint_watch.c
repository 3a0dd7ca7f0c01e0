/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hint_watch.c - finds what may hint at the cause of a spike. */
#include "src/engine/hint_watch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/base/sorted.h"
#include "src/base/text.h"
#include "src/engine/frequency_watch.h"
#include "src/engine/smi_watch.h"
#include "src/figures/spike.h"
#include "src/flight/tier.h"
#include "src/machine/all_tasks.h"
#include "src/machine/cpus.h"
#include "src/machine/interrupt_table.h"

enum { INTERRUPTS, SOFTIRQS, N_FILES };
enum { REST = 99 /* times as long as it took it does not read again */ };
static const char *const files[N_FILES] = {"/proc/interrupts", "/proc/softirqs"};
static const uint64_t second_ns = 1000000000, least_ns = 20000000; /* a shorter time has no rate */

/* The time that the hypervisor took from each CPU, in clock ticks, of mostly 10 ms. */
struct steal_reading {
	uint64_t at_ns; /* 0: none */
	uint64_t ticks[CPUS_MAX];
};

struct hint_watch {
	/* Of the last tick, and since then. */
	struct interrupt_table before[N_FILES], now[N_FILES];
	uint64_t before_ns, now_ns, next_counts_ns;
	uint32_t usual_hz[N_FILES][CPUS_MAX]; /* 0: not known */
	struct top_task top[CPUS_MAX];
	uint64_t next_top_ns;
	struct frequency_watch *frequencies;
	struct smi_watch smis; /* not of a virtual machine, which has steal time */
	bool is_guest;
	struct steal_reading steal_before, steal_last, steal_now;
	uint64_t next_steal_ns;
};

int hint_watch_create(struct hint_watch **watch, bool is_guest)
{
	struct utsname kernel;

	*watch = calloc(1, sizeof(**watch));
	if (!*watch)
		return -ENOMEM;
	uname(&kernel);
	(*watch)->is_guest = is_guest;
	(*watch)->smis.counter = -1;
	if (!is_guest)
		smi_watch_open(&(*watch)->smis, "smi");
	int r = frequency_watch_create(&(*watch)->frequencies, "", &kernel);

	if (r < 0) {
		hint_watch_destroy(*watch);
		*watch = NULL;
	}
	return r;
}

void hint_watch_destroy(struct hint_watch *watch)
{
	if (!watch)
		return;
	for (int file = 0; file < N_FILES; file++) {
		interrupt_table_finish(&watch->before[file]);
		interrupt_table_finish(&watch->now[file]);
	}
	frequency_watch_destroy(watch->frequencies);
	smi_watch_close(&watch->smis);
	free(watch);
}

/* --- interrupts and softirqs --- */

/* Without a right to read, or memory, the tables are empty: then no rate is known. */
static void read_counts(struct hint_watch *watch)
{
	uint64_t start_ns = clock_now_ns();

	if (start_ns < watch->next_counts_ns)
		return;
	for (int i = 0; i < N_FILES; i++) {
		FILE *file = fopen(files[i], "re");

		interrupt_table_finish(&watch->now[i]);
		if (!file)
			continue;
		interrupt_table_read(&watch->now[i], file);
		fclose(file);
	}
	watch->now_ns = clock_now_ns();
	watch->next_counts_ns = watch->now_ns + REST * (watch->now_ns - start_ns);
}

/* Sets how many came in a second, since the last tick. Returns false if that is not known. */
static bool find_rate(
	const struct hint_watch *watch, int file, unsigned cpu, char name[INTERRUPT_NAME_SIZE], uint32_t *hz)
{
	uint64_t n = interrupt_table_since(&watch->before[file], &watch->now[file], cpu, name);

	if (n == UINT64_MAX || watch->now_ns < watch->before_ns + least_ns)
		return false;
	*hz = (uint32_t)((double)n * (double)second_ns / (double)(watch->now_ns - watch->before_ns));
	return true;
}

/* It grows by at most a quarter a tick: so what comes rarely never becomes usual. */
static void follow_usual(uint32_t *usual_hz, uint32_t hz)
{
	uint32_t most_hz = *usual_hz + *usual_hz / 4 + 1;

	*usual_hz = *usual_hz && hz > most_hz ? most_hz : hz ? hz : 1;
}

void hint_watch_tick(struct hint_watch *watch, const struct cpus *cpus)
{
	uint64_t read_ns = watch->now_ns;
	char name[INTERRUPT_NAME_SIZE];
	uint32_t hz;

	read_counts(watch);
	if (watch->now_ns == read_ns || watch->now_ns < watch->before_ns + least_ns)
		return;
	for (int file = 0; file < N_FILES; file++) {
		for (int cpu = cpus_next(cpus, -1); watch->before_ns && cpu >= 0; cpu = cpus_next(cpus, cpu))
			if (find_rate(watch, file, (unsigned)cpu, name, &hz))
				follow_usual(&watch->usual_hz[file][cpu], hz);
		interrupt_table_finish(&watch->before[file]);
		watch->before[file] = watch->now[file];
		watch->now[file] = (struct interrupt_table){0};
	}
	watch->before_ns = watch->now_ns;
}

/* --- tasks --- */

struct members {
	const struct flight_member *list;
	size_t n;
};

static bool is_member(void *data, int32_t tid)
{
	const struct members *members = data;
	size_t i = SORTED_INDEX(members->list, members->n, struct flight_member, tid, (uint32_t)tid);

	return i < members->n && members->list[i].tid == tid;
}

/* Before the first tick the members are not known, and would be taken for tasks of others. */
static void find_top(struct hint_watch *watch, struct members *members)
{
	uint64_t start_ns = clock_now_ns();

	if (start_ns < watch->next_top_ns || !members->n)
		return;
	all_tasks_find_top(watch->top, is_member, members);
	uint64_t end_ns = clock_now_ns();

	watch->next_top_ns = end_ns + REST * (end_ns - start_ns);
}

/* --- steal time --- */

/* "cpu3 1 2 3 4 5 6 7 8 0 0": the eighth is steal. */
static void read_steal(struct hint_watch *watch)
{
	struct steal_reading *now = &watch->steal_now;
	uint64_t start_ns = clock_now_ns();
	FILE *file = start_ns < watch->next_steal_ns ? NULL : fopen("/proc/stat", "re");
	unsigned long long steal;
	char line[256];
	unsigned cpu;

	if (!file)
		return;
	while (fgets(line, sizeof(line), file) && strncmp(line, "cpu", 3) == 0)
		if (sscanf(line, "cpu%u %*u %*u %*u %*u %*u %*u %*u %llu", &cpu, &steal) == 2 &&
			line[3] != ' ' && cpu < CPUS_MAX)
			now->ticks[cpu] = steal;
	fclose(file);
	now->at_ns = clock_now_ns();
	watch->next_steal_ns = now->at_ns + REST * (now->at_ns - start_ns);
}

/* Reads once a second. */
static void look_at_steal(struct hint_watch *watch)
{
	if (clock_now_ns() < watch->steal_last.at_ns + second_ns)
		return;
	read_steal(watch);
	if (watch->steal_now.at_ns == watch->steal_last.at_ns)
		return;
	watch->steal_before = watch->steal_last;
	watch->steal_last = watch->steal_now;
}

/* Returns by how much a CPU's has grown since it was last read before @since_ns, or since the time before
 * that; 0: by nothing, or it is not known. */
static uint64_t steal_since(struct hint_watch *watch, int32_t cpu, uint64_t since_ns)
{
	const struct steal_reading *now = &watch->steal_now, *from = watch->steal_last.at_ns > since_ns
									     ? &watch->steal_before
									     : &watch->steal_last;

	if (cpu < 0 || cpu >= CPUS_MAX)
		return 0;
	read_steal(watch);
	if (!from->at_ns || now->ticks[cpu] <= from->ticks[cpu])
		return 0;
	return (now->ticks[cpu] - from->ticks[cpu]) * (second_ns / (uint64_t)sysconf(_SC_CLK_TCK));
}

void hint_watch_look(struct hint_watch *watch, const struct cpus *cpus, uint64_t now_ns)
{
	if (watch->is_guest)
		look_at_steal(watch);
	smi_watch_look(&watch->smis);
	frequency_watch_look(watch->frequencies, cpus, now_ns);
}

/* --- a spike --- */

void hint_watch_add_beside_records(struct hint_watch *watch, struct spike *spike)
{
	uint64_t start_ns = spike_start_ns(spike);

	frequency_watch_add(watch->frequencies, spike->sender.cpu, &spike->sender_hints);
	frequency_watch_add(watch->frequencies, spike->receiver.cpu, &spike->receiver_hints);
	spike->n_smis = smi_watch_since(&watch->smis, start_ns);
	spike->is_guest = watch->is_guest;
	if (!watch->is_guest)
		return;
	spike->sender_steal_ns = steal_since(watch, spike->sender.cpu, start_ns);
	if (spike->receiver.cpu != spike->sender.cpu)
		spike->receiver_steal_ns = steal_since(watch, spike->receiver.cpu, start_ns);
}

/* A task that was found before its ring's first tick is a member by now. */
static void add_to_end(
	const struct hint_watch *watch, struct members *members, int32_t cpu, struct cpu_hints *hints)
{
	if (cpu < 0 || cpu >= CPUS_MAX)
		return;
	const struct top_task *top = &watch->top[cpu];

	if (!is_member(members, top->tid)) {
		hints->top_tid = top->tid;
		hints->top_priority = top->priority;
		memcpy(hints->top_name, top->name, sizeof(hints->top_name));
	}
	find_rate(watch, INTERRUPTS, (unsigned)cpu, hints->interrupt_name, &hints->interrupts_hz);
	hints->usual_interrupts_hz = watch->usual_hz[INTERRUPTS][cpu];
	find_rate(watch, SOFTIRQS, (unsigned)cpu, hints->softirq_name, &hints->softirqs_hz);
	hints->usual_softirqs_hz = watch->usual_hz[SOFTIRQS][cpu];
	text_clean(hints->top_name);
	text_clean(hints->interrupt_name);
	text_clean(hints->softirq_name);
}

void hint_watch_add(
	struct hint_watch *watch, const struct flight_member *members, size_t n_members, struct spike *spike)
{
	struct members known = {members, n_members};

	read_counts(watch);
	find_top(watch, &known);
	add_to_end(watch, &known, spike->sender.cpu, &spike->sender_hints);
	add_to_end(watch, &known, spike->receiver.cpu, &spike->receiver_hints);
}

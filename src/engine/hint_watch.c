/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hint_watch.c - finds what may hint at the cause of a spike where the flight recorder records nothing. */
#include "src/engine/hint_watch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/clock.h"
#include "src/base/sorted.h"
#include "src/base/text.h"
#include "src/figures/spike.h"
#include "src/flight/tier.h"
#include "src/machine/all_tasks.h"
#include "src/machine/cpus.h"
#include "src/machine/interrupt_table.h"

enum { INTERRUPTS, SOFTIRQS, N_FILES };
enum { REST = 99 /* times as long as it took it does not read again */ };
static const char *const files[N_FILES] = {"/proc/interrupts", "/proc/softirqs"};
static const uint64_t second_ns = 1000000000, least_ns = 20000000; /* a shorter time has no rate */

struct hint_watch {
	/* Of the last tick, and since then. */
	struct interrupt_table before[N_FILES], now[N_FILES];
	uint64_t before_ns, now_ns, next_counts_ns;
	uint32_t usual_hz[N_FILES][CPUS_MAX]; /* 0: not known */
	struct top_task top[CPUS_MAX];
	uint64_t next_top_ns;
};

int hint_watch_create(struct hint_watch **watch)
{
	*watch = calloc(1, sizeof(**watch));
	return *watch ? 0 : -ENOMEM;
}

void hint_watch_destroy(struct hint_watch *watch)
{
	for (int file = 0; watch && file < N_FILES; file++) {
		interrupt_table_finish(&watch->before[file]);
		interrupt_table_finish(&watch->now[file]);
	}
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

/* --- a spike --- */

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

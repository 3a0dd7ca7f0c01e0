/* SPDX-License-Identifier: GPL-2.0-or-later */
/* steal_watch.c - follows the time that the hypervisor took from each CPU. */
#include "src/engine/steal_watch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/machine/cpus.h"

enum { BEFORE, LAST, NOW, N_READINGS };
enum { REST = 99 /* times as long as it took it does not read again */ };
static const uint64_t second_ns = 1000000000;

struct reading {
	uint64_t at_ns; /* 0: none */
	uint64_t ticks[CPUS_MAX];
};

struct steal_watch {
	struct reading readings[N_READINGS];
	uint64_t next_ns;
};

int steal_watch_create(struct steal_watch **watch)
{
	*watch = calloc(1, sizeof(**watch));
	return *watch ? 0 : -ENOMEM;
}

void steal_watch_destroy(struct steal_watch *watch)
{
	free(watch);
}

/* "cpu3 1 2 3 4 5 6 7 8 0 0": the eighth is steal. */
static void read_now(struct steal_watch *watch)
{
	struct reading *now = &watch->readings[NOW];
	uint64_t start_ns = clock_now_ns();
	FILE *file = start_ns < watch->next_ns ? NULL : fopen("/proc/stat", "re");
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
	watch->next_ns = now->at_ns + REST * (now->at_ns - start_ns);
}

void steal_watch_look(struct steal_watch *watch)
{
	struct reading *readings = watch->readings;

	if (clock_now_ns() < readings[LAST].at_ns + second_ns)
		return;
	read_now(watch);
	if (readings[NOW].at_ns == readings[LAST].at_ns)
		return;
	readings[BEFORE] = readings[LAST];
	readings[LAST] = readings[NOW];
}

uint64_t steal_watch_since(struct steal_watch *watch, int32_t cpu, uint64_t since_ns)
{
	const struct reading *readings = watch->readings;
	const struct reading *from = &readings[readings[LAST].at_ns > since_ns ? BEFORE : LAST];

	if (cpu < 0 || cpu >= CPUS_MAX)
		return 0;
	read_now(watch);
	if (!from->at_ns || readings[NOW].ticks[cpu] <= from->ticks[cpu])
		return 0;
	return (readings[NOW].ticks[cpu] - from->ticks[cpu]) * (second_ns / (uint64_t)sysconf(_SC_CLK_TCK));
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* quota.c - the members' cgroup may use its CPU for 5 ms of each 40 ms. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/base/small_file.h"
#include "src/plan/config.h"
#include "src/selftest/troubles.h"

enum { LASTS_NS = 200000000, AFTER_NS = 50000000 };

/* Real-time tasks have no quota. Members that yield to each other use it up, and are always runnable. */
static void configure(struct config *config)
{
	config->fork = true;
	config->has_policy = false;
	config->policy = (struct task_policy){.policy = -1};
	config->interval_ns = 0;
}

static int begin(struct stage *stage)
{
	int r = cgroup_make(stage);

	return r < 0 ? r : cgroup_take_members(stage);
}

static int set_quota(struct stage *stage, bool is_set)
{
	if (stage->cgroup.is_v2)
		return cgroup_write(stage, "cpu.max", is_set ? "5000 40000" : "max 40000");
	int r = cgroup_write(stage, "cpu.cfs_period_us", "40000");

	return r < 0 ? r : cgroup_write(stage, "cpu.cfs_quota_us", is_set ? "5000" : "-1");
}

/* Returns how long the group was throttled so far, in ns. */
static uint64_t throttled_ns(const struct stage *stage)
{
	const char *name = stage->cgroup.is_v2 ? "throttled_usec " : "throttled_time ";
	char path[PATH_MAX], text[1024];

	snprintf(path, sizeof(path), "%.*s/cpu.stat", PATH_MAX - 16, stage->cgroup.path);
	small_file_read(path, text, sizeof(text));
	const char *found = strstr(text, name);

	return found ? strtoull(found + strlen(name), NULL, 10) * (stage->cgroup.is_v2 ? 1000 : 1) : 0;
}

/* Returns how long the CPU has been idle. */
static uint64_t idle_ns(unsigned cpu)
{
	FILE *file = fopen("/proc/stat", "re");
	char line[512];
	unsigned number;
	unsigned long long idle, waiting, ticks = 0;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "cpu%u %*u %*u %*u %llu %llu", &number, &idle, &waiting) == 3 &&
			number == cpu)
			ticks = idle + waiting;
	if (file)
		fclose(file);
	return ticks * 1000000000 / (uint64_t)sysconf(_SC_CLK_TCK);
}

/* Sets a quota for a while. Returns 0 or a negative errno with the stage's reason. */
static int use_up_quota(struct stage *stage, struct injection *injection, uint64_t *idle)
{
	uint64_t throttled_before_ns = throttled_ns(stage), idle_before_ns = idle_ns(stage->cpu);

	*injection = (struct injection){.from_ns = clock_now_ns()};
	int r = set_quota(stage, true);

	if (r < 0)
		return r;
	stage_sleep(LASTS_NS);
	r = set_quota(stage, false);
	stage_sleep(AFTER_NS); /* the last throttling ends */
	injection->to_ns = clock_now_ns();
	injection->length_ns = throttled_ns(stage) - throttled_before_ns;
	*idle = idle_ns(stage->cpu) - idle_before_ns;
	return r;
}

/* Where others run in the members' place, a task without a real-time policy waits for its turn as for its
 * quota: these can't be told apart. */
static int inflict(struct stage *stage, struct injection *injection)
{
	unsigned n = 0;

	do {
		uint64_t idle = 0;
		int r = use_up_quota(stage, injection, &idle);

		injection->has_length = idle > injection->length_ns / 20 * 19;
		if (r < 0 || (injection->length_ns && idle > injection->length_ns / 2))
			return r;
	} while (stage_may_retry(stage, ++n));
	return error_text_set(&stage->reason, -EBUSY,
		injection->length_ns
			? "others ran on CPU %u while the members were throttled, so that they had to wait in any case"
			: "others kept CPU %u so busy that the members did not use up their quota",
		stage->cpu);
}

const struct trouble trouble_quota = {
	.name = "quota",
	.title = "the members' cgroup may use its CPU for 5 ms of each 40 ms",
	.kinds = 1 << CAUSE_THROTTLED,
	.n = 10,
	.n_quick = 3,
	.mechanism = "yield",
	.configure = configure,
	.is_possible = cgroup_may_make,
	.begin = begin,
	.inflict = inflict,
	.end = cgroup_remove,
};

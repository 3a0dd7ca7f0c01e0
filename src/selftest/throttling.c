/* SPDX-License-Identifier: GPL-2.0-or-later */
/* throttling.c - the kernel throttles the members' real-time group. Only a group of their own is throttled:
 * for the limit of the whole machine, others would have to wait for a second. */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/plan/config.h"
#include "src/selftest/measuring.h"
#include "src/selftest/troubles.h"

enum { LASTS_NS = 200000000 };

/* Members that yield to each other are always runnable. One that was asleep when the group was throttled
 * would be woken without a record, and nobody could say why it did not run. */
static void configure(struct config *config)
{
	config->fork = true;
	config->interval_ns = 0;
	config->allow_rt_spin = true;
}

static bool is_possible(struct error_text *reason)
{
	if (access("/sys/fs/cgroup/cpu/cpu.rt_runtime_us", F_OK) < 0 &&
		access("/sys/fs/cgroup/cpu,cpuacct/cpu.rt_runtime_us", F_OK) < 0) {
		error_text_set(reason, -ENOTSUP,
			"no cgroup has a limit of its own on real-time tasks: that needs CONFIG_RT_GROUP_SCHED and "
			"version 1 of cgroups; the machine's limit would let others wait for a second");
		return false;
	}
	return measuring_has_realtime(reason) && cgroup_may_make(reason);
}

static int set_number(struct stage *stage, const char *file, unsigned us)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", us);
	return cgroup_write(stage, file, text);
}

static int set_share(struct stage *stage, unsigned us)
{
	return set_number(stage, "cpu.rt_runtime_us", us);
}

enum { HALF_US = 20000, WHOLE_US = 37000, PERIOD_US = 40000 };

static int begin(struct stage *stage)
{
	int r = cgroup_make(stage);

	if (r == 0)
		r = set_number(stage, "cpu.rt_period_us", PERIOD_US);
	if (r == 0)
		r = set_share(stage, WHOLE_US);
	return r < 0 ? r : cgroup_take_members(stage);
}

/* Returns the CPU time of the members meanwhile, or a negative errno with the stage's reason. */
static int64_t halve_share(struct stage *stage, struct injection *injection)
{
	uint64_t ran_ns = stage_member_times(stage).ran_ns;

	*injection = (struct injection){.from_ns = clock_now_ns()};
	int r = set_share(stage, HALF_US);

	bool goes_on = stage_sleep(LASTS_NS);

	injection->to_ns = clock_now_ns();
	ran_ns = stage_member_times(stage).ran_ns - ran_ns;
	if (r == 0)
		r = set_share(stage, WHOLE_US);
	if (r == 0 && !goes_on)
		r = error_text_set(&stage->reason, -EINTR, "it was told to end");
	return r < 0 ? r : (int64_t)ran_ns;
}

/* The kernel does not say for how long it throttled. It does only where the members use up their share. */
static int inflict(struct stage *stage, struct injection *injection)
{
	const int64_t share_ns = (int64_t)LASTS_NS * HALF_US / PERIOD_US;

	unsigned n = 0;

	do {
		int64_t ran_ns = halve_share(stage, injection);

		if (ran_ns < 0 || ran_ns > share_ns * 3 / 4)
			return ran_ns < 0 ? (int)ran_ns : 0;
	} while (stage_may_retry(stage, ++n));
	return error_text_set(&stage->reason, -EBUSY,
		"others kept CPU %u so busy that the members did not use up their share", stage->cpu);
}

const struct trouble trouble_throttling = {
	.name = "throttling",
	.title = "the members' real-time group may use its CPU half of the time",
	.kinds = 1 << CAUSE_THROTTLED,
	.n = 10,
	.n_quick = 3,
	.mechanism = "yield",
	.configure = configure,
	.is_possible = is_possible,
	.begin = begin,
	.inflict = inflict,
	.end = cgroup_remove,
};

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_cpu_activity.c - what each CPU does: of a made-up machine, and of this one. */
#include "src/machine/cpu_activity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/machine/cpus.h"
#include "tests/unit/tap.h"

static char root[] = "/tmp/ipctop-activity-XXXXXX";

static void run(const char *command)
{
	char line[1024];

	snprintf(line, sizeof(line), "cd %s && %s", root, command);
	CHECK(system(line) == 0, "%s", line);
}

static void make_machine(void)
{
	CHECK(mkdtemp(root) != NULL);
	run("mkdir -p proc sys/devices/system/cpu && cd sys/devices/system/cpu && for c in 0 1; do "
	    "mkdir -p cpu$c/cpufreq cpu$c/cpuidle/state0 cpu$c/cpuidle/state1 && "
	    "echo 3400400 >cpu$c/cpufreq/scaling_cur_freq && echo POLL >cpu$c/cpuidle/state0/name && "
	    "echo C1_ACPI >cpu$c/cpuidle/state1/name; done");
}

static void set(const char *stat, const char *interrupts, const char *idle_us)
{
	char line[512];

	snprintf(line, sizeof(line), "printf '%s' >proc/stat && printf '%s' >proc/interrupts", stat,
		interrupts);
	run(line);
	snprintf(line, sizeof(line),
		"set -- %s; cd sys/devices/system/cpu && echo $1 >cpu0/cpuidle/state0/time && "
		"echo $2 >cpu0/cpuidle/state1/time && echo $3 >cpu1/cpuidle/state0/time && "
		"echo $4 >cpu1/cpuidle/state1/time",
		idle_us);
	run(line);
}

#define FIRST_STAT                                                                                           \
	"cpu  0 0 0 0 0 0 0 0 0 0\\ncpu0 10 0 5 100 1 0 0 0 0 0\\ncpu1 0 0 0 50 0 0 0 9 0 0\\nintr 1 2\\n"

static void what_happened_since_the_last_reading_is_known(void)
{
	struct cpu_activity activity = {0};
	struct cpus spared = {0};

	make_machine();
	cpus_add(&spared, 1);
	set(FIRST_STAT, "  CPU0 CPU1\\nLOC: 100 200\\n 9: 1 1 eth0\\n", "5 1000 7 2000");
	cpu_activity_read(&activity, root, &spared, 1000000000);
	const struct cpu_now *first = cpu_activity_of(&activity, 0);

	CHECK(activity.n == 2 && first && !first->is_known && first->interrupts_hz == UINT64_MAX &&
		first->mhz == 3400 && !*first->idle);
	set("cpu  0 0 0 0 0 0 0 0 0 0\\ncpu0 30 0 15 150 11 5 5 0 0 0\\ncpu1 0 0 0 100 0 0 0 59 0 0\\nintr 1 2\\n",
		"  CPU0 CPU1\\nLOC: 300 202\\n 9: 101 1 eth0\\n", "5 401000 900 2000");
	cpu_activity_read(&activity, root, &spared, 3000000000);
	const struct cpu_now *cpu0 = cpu_activity_of(&activity, 0), *cpu1 = cpu_activity_of(&activity, 1);

	CHECK(cpu0->is_known && cpu0->busy_permille == 400 && cpu0->steal_permille == 0, "%u %u",
		cpu0->busy_permille, cpu0->steal_permille);
	CHECK(cpu1->is_known && cpu1->busy_permille == 0 && cpu1->steal_permille == 500);
	CHECK(cpu0->interrupts_hz == 150 && cpu1->interrupts_hz == 1);
	CHECK(strcmp(cpu0->idle, "C1_ACPI") == 0 && strcmp(cpu1->idle, "POLL") == 0, "%s %s", cpu0->idle,
		cpu1->idle);
	CHECK(cpu0->mhz == 3400 && cpu1->mhz == 0, "the frequency of a CPU that is spared is not read");
	CHECK(!cpu_activity_of(&activity, 2) && !cpu_activity_of(NULL, 0));

	run("rm -r proc sys");
	cpu_activity_read(&activity, root, &spared, 4000000000);
	cpu0 = cpu_activity_of(&activity, 0);
	CHECK(cpu0 && !cpu0->is_known && cpu0->interrupts_hz == UINT64_MAX && !cpu0->mhz && !*cpu0->idle);
	cpu_activity_finish(&activity);
	CHECK(rmdir(root) == 0);
}

/* The test's own process is left out. */
static void this_machine_is_read(void)
{
	struct cpu_activity activity = {0};
	const struct cpus none = {0};
	size_t n_known = 0;

	cpu_activity_read(&activity, "", &none, clock_now_ns());
	CHECK(activity.n > 0);
	usleep(150000);
	cpu_activity_read(&activity, "", &none, clock_now_ns());
	for (size_t cpu = 0; cpu < activity.n; cpu++) {
		const struct cpu_now *now = &activity.cpus[cpu];

		n_known += now->is_known;
		CHECK(now->busy_permille + now->steal_permille <= 1001);
		CHECK(!now->n_tasks == !*now->task, "%u tasks, '%s'", now->n_tasks, now->task);
	}
	CHECK(n_known > 0);
	cpu_activity_finish(&activity);
}

int main(void)
{
	TEST(what_happened_since_the_last_reading_is_known);
	if (access("/proc/stat", R_OK) == 0)
		TEST(this_machine_is_read);
	else
		tap_skip("this machine is read", "needs /proc");
	return tap_done();
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_foreign_load.c - who is busy on this machine's CPUs. */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/machine/cpus.h"
#include "src/machine/foreign_load.h"
#include "tests/unit/tap.h"

/* Returns when it spins, or a negative number. */
static pid_t start_spinner(const struct cpus *cpus)
{
	int ready[2];
	char byte;

	if (pipe(ready) < 0)
		return -1;
	pid_t pid = fork();

	if (pid != 0) {
		close(ready[1]);
		bool spins = read(ready[0], &byte, 1) == 1;

		close(ready[0]);
		return spins ? pid : -1;
	}
	setpriority(PRIO_PROCESS, 0, -20); /* else it gets its share alone of a CPU that others use too */
	if (sched_setaffinity(0, sizeof(*cpus), (const cpu_set_t *)cpus) < 0 || write(ready[1], "", 1) != 1)
		_exit(1);
	for (;;)
		;
}

static uint64_t cpu_time_ns(pid_t pid)
{
	struct timespec used = {0};
	clockid_t clock;

	CHECK(clock_getcpuclockid(pid, &clock) == 0 && clock_gettime(clock, &used) == 0);
	return clock_ns(&used);
}

static void a_cpu_on_which_somebody_spins_is_busy(void)
{
	const uint64_t window_ns = 100000000;
	struct cpus mine = {0}, one = {0}, busy = {0};
	size_t found = 0;
	bool spun = false;

	sched_getaffinity(0, sizeof(mine), (cpu_set_t *)&mine);
	cpus_add(&one, (unsigned)cpus_next(&mine, -1));
	pid_t pid = start_spinner(&one);

	CHECK(pid > 0);
	/* Without that right, and as a nice user beside others, it may get less than half of the CPU for
	 * long. */
	for (unsigned i = 0; i < 200 && found == 0 && !spun; i++) {
		uint64_t start_ns = clock_now_ns(), used_ns = cpu_time_ns(pid);

		found = foreign_load_find(&one, window_ns, &busy);
		used_ns = cpu_time_ns(pid) - used_ns;
		/* What it used in the window at least. */
		spun = used_ns + window_ns > clock_now_ns() - start_ns + window_ns * 3 / 4;
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	if (!found && !spun)
		printf("# other work left the spinner less than three quarters of its CPU all the time\n");
	else
		CHECK(found == 1 && cpus_equal(&busy, &one));
}

static void a_cpu_with_a_real_time_task_is_busy_even_while_that_sleeps(void)
{
	struct cpus mine = {0}, one = {0}, busy = {0};
	int ready[2];
	char byte;

	sched_getaffinity(0, sizeof(mine), (cpu_set_t *)&mine);
	cpus_add(&one, (unsigned)cpus_next(&mine, -1));
	CHECK(pipe(ready) == 0);
	pid_t pid = fork();

	if (pid == 0) {
		bool set = sched_setaffinity(0, sizeof(one), (const cpu_set_t *)&one) == 0 &&
			   sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){.sched_priority = 1}) == 0;

		if (!set || write(ready[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	bool started = read(ready[0], &byte, 1) == 1;

	close(ready[0]);
	CHECK(started);
	CHECK(foreign_load_find(&one, 1000000, &busy) == 1);
	CHECK(cpus_equal(&busy, &one));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void without_isolated_cpus_none_is_busy(void)
{
	const struct cpus none = {0};
	struct cpus busy = {0};

	cpus_add(&busy, 3);
	CHECK(foreign_load_find(&none, UINT64_C(3600000000000), &busy) == 0);
	CHECK(cpus_count(&busy) == 0);
}

static bool may_be_realtime(void)
{
	const struct sched_param param = {.sched_priority = 1}, plain = {0};

	if (sched_setscheduler(0, SCHED_FIFO, &param) < 0)
		return false;
	sched_setscheduler(0, SCHED_OTHER, &plain);
	return true;
}

int main(void)
{
	bool shows_tasks = access("/proc/self/stat", R_OK) == 0;

	if (shows_tasks)
		TEST(a_cpu_on_which_somebody_spins_is_busy);
	else
		tap_skip("a cpu on which somebody spins is busy", "needs /proc");
	TEST(without_isolated_cpus_none_is_busy);
	if (shows_tasks && may_be_realtime())
		TEST(a_cpu_with_a_real_time_task_is_busy_even_while_that_sleeps);
	else
		tap_skip("a cpu with a real time task is busy even while that sleeps",
			shows_tasks ? "real-time policies are not permitted here" : "needs /proc");
	return tap_done();
}

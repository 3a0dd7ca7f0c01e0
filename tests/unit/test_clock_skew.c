/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_clock_skew.c - clocks of CPUs are compared, also where others have the CPUs; and what is made of it.
 */
#include "src/machine/clock_skew.h"

#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/machine/cpus.h"
#include "src/machine/fact_rows.h"
#include "src/machine/machine.h"
#include "src/machine/task.h"
#include "src/model/asymmetry.h"
#include "tests/unit/tap.h"

static const struct clock_pace patient = {.usual_ns = 200000, .longest_ns = 5000000000, .ways = 100};
static unsigned cpus[2];

static size_t tasks(void)
{
	DIR *folder = opendir("/proc/self/task");
	size_t n = 0;

	for (const struct dirent *entry; folder && (entry = readdir(folder));)
		n += entry->d_name[0] != '.';
	if (folder)
		closedir(folder);
	return n;
}

static void a_word_goes_there_and_back(void)
{
	struct clock_pair pair = {.a = cpus[0], .b = cpus[1]};

	CHECK(clock_pair_measure(&pair, &patient) == 0);
	CHECK(pair.n >= 100, "%llu ways", (unsigned long long)pair.n);
	/* The clocks may differ by anything, but not both ways. */
	CHECK(pair.there_ns + pair.back_ns > 0, "%lld and %lld ns", (long long)pair.there_ns,
		(long long)pair.back_ns);
	printf("# CPU %u is ahead of CPU %u by %lld to %lld ns\n", pair.b, pair.a, (long long)-pair.back_ns,
		(long long)pair.there_ns);
}

static void a_cpu_that_is_not_allowed_is_an_error(void)
{
	struct clock_pair pair = {.a = cpus[0], .b = CPUS_MAX - 1};

	CHECK(clock_pair_measure(&pair, &patient) < 0 && !pair.n);
	pair = (struct clock_pair){.a = CPUS_MAX - 1, .b = cpus[0]};
	CHECK(clock_pair_measure(&pair, &patient) < 0 && !pair.n);
}

static pid_t start_hog(unsigned cpu)
{
	pid_t hog = fork();

	if (hog == 0) {
		const struct sched_param param = {.sched_priority = 20};

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		task_pin(0, cpu);
		if (sched_setscheduler(0, SCHED_FIFO, &param) < 0)
			_exit(1);
		for (uint64_t end_ns = clock_now_ns() + 30000000000; clock_now_ns() < end_ns;)
			;
		_exit(0);
	}
	return hog;
}

static void a_busy_cpu_is_not_waited_for(void)
{
	const struct clock_pace pace = {.usual_ns = 200000, .longest_ns = 10000000, .ways = 100};
	struct clock_pair pair = {.a = cpus[0], .b = cpus[1]};
	size_t n_tasks = tasks(); /* a sanitizer may have one of its own */
	pid_t hog = start_hog(cpus[1]);
	struct cpus own = {0}, both = {0};
	int status;

	cpus_add(&both, cpus[0]);
	cpus_add(&both, cpus[1]);
	cpus_add(&own, cpus[0]); /* this test goes on meanwhile */
	CHECK(task_set_affinity(0, &own) == 0);
	while (sched_getscheduler(hog) != SCHED_FIFO)
		if (waitpid(hog, &status, WNOHANG) != 0) {
			printf("# no right to real-time priority: nothing to wait for\n");
			task_set_affinity(0, &both);
			return;
		}
	usleep(10000);
	/* The kernel may give the thread a twentieth of each second beside the hog. */
	CHECK(clock_pair_measure(&pair, &pace) == 0);
	CHECK(tasks() == n_tasks, "%zu threads, then %zu", n_tasks, tasks());
	CHECK(waitpid(hog, &status, WNOHANG) == 0, "the hog has ended");
	kill(hog, SIGKILL);
	waitpid(hog, &status, 0);
	task_set_affinity(0, &both);
}

static void cpus_are_compared_with_the_first(void)
{
	struct cpus both = {0};
	int64_t least = 0, most = 0;

	CHECK(!clock_skew_read(&both));
	cpus_add(&both, cpus[0]);
	cpus_add(&both, cpus[1]);
	struct fact_rows *rows = clock_skew_read(&both);

	CHECK(rows && clock_skew_between(rows, cpus[0], cpus[0], &least, &most) && !least && !most);
	CHECK(rows && (!strchr(rows->text, ' ') || clock_skew_between(rows, cpus[0], cpus[1], &least, &most)),
		"%s", rows ? rows->text : "");
	CHECK(least <= most, "%s", rows ? rows->text : "");
	printf("# %s\n", rows ? rows->text : "nothing");
	fact_rows_release(rows);
}

static void cpus_are_compared_with_each_other(void)
{
	struct machine machine = {.clock_skew = fact_rows_parse("0:0..0ns 2:-85..92ns 3:10..20ns 5:what")};
	static const struct {
		unsigned a, b;
		int64_t least, most; /* both 0: not known */
	} rows[] = {{0, 2, -85, 92}, {2, 0, -92, 85}, {2, 3, 10 - 92, 20 + 85}, {3, 2, -85 - 20, 92 - 10},
		{0, 1}, {5, 0}, {0, 9}};
	static const struct {
		unsigned a, b;
		double there, back;
		bool is_skew;
	} hops[] = {{0, 2, 1000, 900, true}, {0, 2, 1184, 1000, true}, {0, 2, 1185, 1000, false},
		{0, 2, 1000, 1170, true}, {0, 2, 1000, 1171, false}, {0, 3, 1000, 1000, false},
		{0, 3, 1030, 1000, true}, {3, 0, 1000, 1030, true}, {0, 1, 1000, 1000, false},
		{2, 2, 1000, 1000, false}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		int64_t least = 0, most = 0;

		CHECK(clock_skew_between(machine.clock_skew, rows[i].a, rows[i].b, &least, &most) ==
				(rows[i].least || rows[i].most),
			"row %zu", i);
		CHECK(least == rows[i].least && most == rows[i].most, "row %zu: %lld to %lld", i,
			(long long)least, (long long)most);
	}
	for (size_t i = 0; i < sizeof(hops) / sizeof(*hops); i++)
		CHECK(asymmetry_is_skew(&machine, hops[i].a, hops[i].b, hops[i].there, hops[i].back) ==
				hops[i].is_skew,
			"hops %zu", i);
	machine_finish(&machine);
}

int main(void)
{
	struct cpus allowed = {0};

	task_get_affinity(0, &allowed);
	int first = cpus_next(&allowed, -1), second = cpus_next(&allowed, first);

	cpus[0] = (unsigned)first;
	cpus[1] = (unsigned)second;
	TEST(cpus_are_compared_with_each_other);
	if (second < 0) {
		tap_skip("two CPUs", "this process may use one CPU only");
		return tap_done();
	}
	TEST(a_word_goes_there_and_back);
	TEST(a_cpu_that_is_not_allowed_is_an_error);
	TEST(cpus_are_compared_with_the_first);
	if (geteuid() == 0)
		TEST(a_busy_cpu_is_not_waited_for);
	else
		tap_skip("a busy cpu is not waited for", "needs root");
	return tap_done();
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_trouble.c - a trouble of the self-test is inflicted only where no others
 * take its CPU meanwhile. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/machine/task.h"
#include "src/selftest/troubles.h"
#include "tests/unit/tap.h"

enum { MS = 1000000 };

static struct stage stage;
static uint64_t others_ns; /* what they take of each try */
static unsigned n_tries;

/* Of the three that can be opened, one is left for stage_waited_ns(). */
static int open_one(struct stage *of)
{
	if (of->n_fds == 3)
		return -EMFILE;
	of->fds[of->n_fds++] = open("/dev/null", O_RDONLY | O_CLOEXEC);
	return 0;
}

/* It takes 2 ms for each descriptor. */
static int try_it(struct stage *of, struct injection *injection)
{
	*injection = (struct injection){
		.from_ns = MS, .to_ns = MS + of->n_fds * 2 * MS + others_ns, .waited_ns = others_ns};
	return 0;
}

static void the_usual_time_is_without_what_others_take(void)
{
	struct injection injection;

	stage = (struct stage){.until_ns = UINT64_MAX};
	others_ns = 11 * MS;
	CHECK(stage_open_until(&stage, open_one, try_it, 4 * MS, 0) == 0);
	CHECK(stage.n_fds == 2 && stage.usual_ns == 4 * MS, "%u, %llu ns", stage.n_fds,
		(unsigned long long)stage.usual_ns);
	CHECK(stage_try(&stage, try_it, &injection) == -EBUSY);
	CHECK(strstr(stage.reason.text, "too busy"), "%s", stage.reason.text);
	others_ns = MS; /* it takes about as long as usual, and is longer by a fifth */
	CHECK(stage_try(&stage, try_it, &injection) == -EBUSY);
	others_ns = MS / 5;
	CHECK(stage_try(&stage, try_it, &injection) == 0);
	CHECK(injection.to_ns - injection.from_ns == 4 * MS + MS / 5);
	stage.usual_ns = 0; /* not known */
	others_ns = MS;
	CHECK(stage_try(&stage, try_it, &injection) == -EBUSY);
	others_ns = 0;
	CHECK(stage_try(&stage, try_it, &injection) == 0);
	stage_close_fds(&stage);
}

static int count_try(struct stage *of, struct injection *injection)
{
	n_tries++;
	return try_it(of, injection);
}

static void nothing_is_tried_again_once_the_time_is_over(void)
{
	struct injection injection;

	stage = (struct stage){.n_fds = 1, .until_ns = UINT64_MAX};
	others_ns = 11 * MS;
	CHECK(stage_try(&stage, count_try, &injection) == -EBUSY && n_tries == 10, "%u tries", n_tries);
	n_tries = 0;
	stage.until_ns = 1;
	CHECK(stage_try(&stage, count_try, &injection) == -EBUSY && n_tries == 1, "%u tries", n_tries);
	stage = (struct stage){.until_ns = 1};
	CHECK(stage_open_until(&stage, open_one, try_it, 4 * MS, 0) == -ETIME);
	CHECK(stage.n_fds == 1, "%u", stage.n_fds);
	stage_close_fds(&stage);
}

/* Two tasks compute on one CPU: each has to wait for the other one. */
static void a_task_knows_for_how_long_it_waited(void)
{
	uint64_t deadline_ns = clock_now_ns() + 20000000000u, before_ns = stage_waited_ns();
	struct cpus mine;

	if (access("/proc/thread-self/schedstat", R_OK) < 0)
		return;
	CHECK(task_get_affinity(0, &mine) == 0);
	CHECK(task_pin(0, (unsigned)cpus_next(&mine, -1)) == 0);
	pid_t other = fork();

	while (other == 0 && clock_now_ns() < deadline_ns)
		;
	if (other == 0)
		_exit(0);
	while (stage_waited_ns() < before_ns + 10 * MS && clock_now_ns() < deadline_ns)
		;
	CHECK(stage_waited_ns() >= before_ns + 10 * MS);
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
}

int main(void)
{
	TEST(the_usual_time_is_without_what_others_take);
	TEST(nothing_is_tried_again_once_the_time_is_over);
	TEST(a_task_knows_for_how_long_it_waited);
	return tap_done();
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_task.c - a task's scheduling: how it is written, and what the kernel says of it. */
#include "src/machine/task.h"

#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/tap.h"

static void a_policy_is_written_short_and_in_words(void)
{
	static const struct {
		struct task_policy policy;
		const char *shown, *words;
	} rows[] = {
		{{SCHED_OTHER, 0, 0}, "OTH", "OTHER"},
		{{SCHED_OTHER, 0, 19}, "OTH19", "OTHER nice 19"},
		{{SCHED_OTHER, 0, -5}, "OTH-5", "OTHER nice -5"},
		{{SCHED_BATCH, 0, 5}, "BAT5", "BATCH nice 5"},
		{{SCHED_BATCH, 0, -20}, "BAT-20", "BATCH nice -20"},
		{{SCHED_IDLE, 0, 0}, "IDL", "IDLE"},
		{{SCHED_FIFO, 80, 0}, "FF80", "FIFO:80"},
		{{SCHED_RR, 5, 0}, "RR5", "RR:5"},
		{{6, 0, 0}, "DL", "DEADLINE"},
		{{7, 0, -1}, "EXT-1", "EXT nice -1"},
		{{-1, 0, 0}, "?", "?"},
		{{SCHED_OTHER, 0, INT32_MIN}, "OTH-48",
			"OTHER nice -2147483648"}, /* a recording may say so */
		{{SCHED_FIFO, INT32_MAX, 0}, "FF647", "FIFO:2147483647"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char shown[8], words[TASK_POLICY_SIZE];

		task_policy_format(rows[i].policy, shown);
		task_policy_describe(rows[i].policy, words);
		CHECK(!strcmp(shown, rows[i].shown) && !strcmp(words, rows[i].words), "row %zu: %s, %s", i,
			shown, words);
	}
}

static void policies_differ_in_any_of_their_parts(void)
{
	static const struct task_policy policies[] = {{SCHED_OTHER, 0, 0}, {SCHED_OTHER, 0, 1},
		{SCHED_BATCH, 0, 0}, {SCHED_FIFO, 1, 0}, {SCHED_FIFO, 2, 0}};
	enum { N = sizeof(policies) / sizeof(*policies) };

	for (size_t a = 0; a < N; a++)
		for (size_t b = 0; b < N; b++)
			CHECK(task_policy_equal(policies[a], policies[b]) == (a == b), "%zu and %zu", a, b);
}

/* In a process of its own, for a plain user can't take it back. Its exit status is the row that failed. */
static int set_and_read_back(int nice)
{
	static const int policies[] = {SCHED_OTHER, SCHED_BATCH, SCHED_IDLE};
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		if (setpriority(PRIO_PROCESS, 0, nice) < 0)
			_exit(99);
		for (int i = 0; i < (int)(sizeof(policies) / sizeof(*policies)); i++) {
			const struct task_policy asked = {.policy = policies[i]};
			struct task_policy is;

			if (task_set_policy(0, asked) < 0 || task_get_policy(0, &is) < 0 ||
				is.policy != policies[i] || is.priority != 0 || task_own_nice() != nice ||
				is.nice != (policies[i] == SCHED_IDLE ? 0 : nice))
				_exit(i + 1);
		}
		_exit(0);
	}
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void the_kernel_says_how_nice_a_task_is(void)
{
	int own = task_own_nice();

	for (int nice = own; nice <= 19; nice += 19 - own ? 19 - own : 1) {
		int failed = set_and_read_back(nice);

		CHECK(failed == 0, "nice %d: %d", nice, failed);
	}
}

static void of_a_task_that_is_gone_nothing_is_known(void)
{
	struct task_policy policy = {0};
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	CHECK(waitpid(pid, NULL, 0) == pid);
	CHECK(task_get_policy(pid, &policy) < 0 && policy.policy == -1);
}

int main(void)
{
	TEST(a_policy_is_written_short_and_in_words);
	TEST(policies_differ_in_any_of_their_parts);
	TEST(the_kernel_says_how_nice_a_task_is);
	TEST(of_a_task_that_is_gone_nothing_is_known);
	return tap_done();
}

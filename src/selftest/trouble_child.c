/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trouble_child.c - the process that inflicts a trouble. Signals that end it, and the death of the front, end
 * its sleep, so that it undoes what it did. It never runs for long without sleeping. */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/base/small_file.h"
#include "src/machine/task.h"
#include "src/selftest/troubles.h"

enum { LONGEST_S = 60, PAUSE_NS = 60000000, SHIFT_NS = 3000000, POLL_NS = 5000000, TRIES = 10 };
static const int ending[] = {SIGTERM, SIGALRM, SIGINT, SIGQUIT, SIGHUP};

static sigset_t ending_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(ending) / sizeof(*ending); i++)
		sigaddset(&set, ending[i]);
	return set;
}

bool stage_sleep(uint64_t ns)
{
	static bool ended; /* once told so, it does not sleep again */
	uint64_t end_ns = clock_now_ns() + ns;
	sigset_t set = ending_signals();

	for (uint64_t now_ns; !ended && (now_ns = clock_now_ns()) < end_ns;) {
		struct timespec rest = clock_timespec(end_ns - now_ns);

		ended = sigtimedwait(&set, NULL, &rest) > 0;
	}
	return !ended;
}

uint64_t stage_waited_ns(void)
{
	unsigned long long ran_ns, waited_ns;
	char line[80];

	small_file_read_line("/proc/thread-self/schedstat", line, sizeof(line));
	return sscanf(line, "%llu %llu", &ran_ns, &waited_ns) == 2 ? waited_ns : 0;
}

struct member_times stage_member_times(const struct stage *stage)
{
	struct member_times sum = {0};

	for (unsigned i = 0; i < TROUBLE_MEMBERS; i++) {
		pid_t member = stage->members[i];
		uint64_t ran_ns = 0, waited_ns = 0;

		task_read_runtime(member, member, &ran_ns);
		task_read_wait(member, member, &waited_ns);
		sum.ran_ns += ran_ns;
		sum.waited_ns += waited_ns;
	}
	return sum;
}

static bool was_alone(const struct stage *stage, const struct injection *injection)
{
	uint64_t ns = injection->to_ns - injection->from_ns, usual_ns = stage->usual_ns;

	return injection->waited_ns <= ns / 20 &&
	       (!usual_ns || (ns >= usual_ns * 2 / 3 && ns <= usual_ns * 3 / 2));
}

static bool has_time(const struct stage *stage)
{
	return clock_now_ns() < stage->until_ns;
}

bool stage_may_retry(const struct stage *stage, unsigned n_tries)
{
	return n_tries < TRIES && has_time(stage);
}

static int refuse_busy(struct stage *stage)
{
	return error_text_set(
		&stage->reason, -EBUSY, "others keep CPU %u too busy to inflict this alone", stage->cpu);
}

static int refuse_end(struct stage *stage)
{
	return error_text_set(&stage->reason, -EINTR, "it was told to end");
}

int stage_try(struct stage *stage, int (*try)(struct stage *stage, struct injection *injection),
	struct injection *injection)
{
	unsigned n = 0;

	do {
		int r = try(stage, injection);

		if (r < 0 || was_alone(stage, injection))
			return r;
		/* Not in step with what runs beside. */
		if (!stage_sleep(PAUSE_NS + n * SHIFT_NS))
			return refuse_end(stage);
	} while (stage_may_retry(stage, ++n));
	return refuse_busy(stage);
}

/* Lowers usual_ns to what a try takes, without what others took: they may run meanwhile. */
static int time_try(
	struct stage *stage, int (*try)(struct stage *stage, struct injection *injection), uint64_t pause_ns)
{
	struct injection injection;
	int r = try(stage, &injection);

	if (r < 0)
		return r;
	if (!stage_sleep(pause_ns))
		return refuse_end(stage);
	uint64_t ns = injection.to_ns - injection.from_ns;

	ns -= injection.waited_ns < ns ? injection.waited_ns : ns;
	if (ns < stage->usual_ns)
		stage->usual_ns = ns;
	return 0;
}

int stage_open_until(struct stage *stage, int (*open)(struct stage *stage),
	int (*try)(struct stage *stage, struct injection *injection), uint64_t wanted_ns, uint64_t pause_ns)
{
	struct rlimit files;
	int opened, tried;
	bool is_ready;

	if (getrlimit(RLIMIT_NOFILE, &files) == 0)
		setrlimit(RLIMIT_NOFILE, &(struct rlimit){files.rlim_max, files.rlim_max});
	do {
		opened = open(stage);
		if (!stage->n_fds)
			return error_text_set(&stage->reason, opened, "no descriptor can be opened: %s",
				error_text_of_errno(opened));
		if (opened == -EMFILE && stage->n_fds > 1) /* stage_waited_ns() needs one */
			close(stage->fds[--stage->n_fds]);
		stage->usual_ns = UINT64_MAX;
		tried = time_try(stage, try, pause_ns);
		/* The shorter of two: a single one may have been disturbed. */
		if (tried == 0 && (stage->usual_ns >= wanted_ns || opened < 0))
			tried = time_try(stage, try, pause_ns);
		is_ready = opened < 0 || stage->usual_ns >= wanted_ns;
	} while (tried == 0 && !is_ready && has_time(stage));
	if (tried < 0 || is_ready)
		return tried;
	return error_text_set(&stage->reason, -ETIME,
		"there was no time to open enough descriptors: %u are too few", stage->n_fds);
}

void stage_close_fds(struct stage *stage)
{
	while (stage->n_fds)
		close(stage->fds[--stage->n_fds]);
}

int stage_run_at(struct stage *stage, int priority)
{
	int r = task_pin(0, stage->cpu);

	if (r == 0)
		r = task_set_policy(0, (struct task_policy){.policy = SCHED_FIFO, .priority = priority});
	return r < 0 ? error_text_set(&stage->reason, r, "no task of FIFO %d on CPU %u: %s: run as root",
			       priority, stage->cpu, error_text_of_errno(r))
		     : 0;
}

/* Returns false if it is to end. */
static bool await_start(struct stage *stage)
{
	while (atomic_load(&stage->state) == STAGE_WAITS)
		if (!stage_sleep(POLL_NS))
			return false;
	return true;
}

/* Beside others, or if the time is over, half of them is enough. */
static void inflict_all(struct stage *stage, const struct trouble *trouble)
{
	int r = trouble->begin ? trouble->begin(stage) : 0;
	unsigned enough = (stage->n + 1) / 2;

	for (unsigned i = 0;
		r == 0 && i < stage->n && (i < enough || has_time(stage)) && stage_sleep(PAUSE_NS); i++) {
		r = trouble->wants_quiet ? stage_try(stage, trouble->inflict, &stage->injections[i])
					 : trouble->inflict(stage, &stage->injections[i]);
		if (r == 0)
			atomic_store(&stage->n_done, i + 1);
	}
	if (r == -EBUSY && atomic_load(&stage->n_done) >= enough) {
		r = 0;
		stage->reason = (struct error_text){0};
	}
	if (trouble->end)
		trouble->end(stage);
	stage->error = r;
	atomic_store(&stage->state, STAGE_ENDED);
}

/* @front: may have died before it could be watched. */
static void guard(pid_t front)
{
	const sigset_t set = ending_signals();
	const struct rlimit seconds = {LONGEST_S, LONGEST_S};

	sigprocmask(SIG_SETMASK, &set, NULL);
	alarm(LONGEST_S);
	setrlimit(RLIMIT_CPU, &seconds);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != front)
		raise(SIGTERM);
}

void trouble_child_name(const struct trouble *trouble, char name[16])
{
	snprintf(name, 16, "ipctop-%s", trouble->name);
}

pid_t trouble_child_start(struct stage *stage, const struct trouble *trouble)
{
	char name[16];
	pid_t child = fork();

	if (child != 0)
		return child < 0 ? -errno : child;
	trouble_child_name(trouble, name);
	prctl(PR_SET_NAME, name);
	prctl(PR_SET_TIMERSLACK, 1);
	guard(stage->front);
	if (await_start(stage))
		inflict_all(stage, trouble);
	_exit(0);
}

void trouble_child_end(pid_t pid)
{
	kill(pid, SIGTERM);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

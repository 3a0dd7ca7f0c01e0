/* SPDX-License-Identifier: GPL-2.0-or-later */
/* input_thread.c - a small thread one priority above the members, which gets keys and signals. */
#include "src/engine/input_thread.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/base/loop.h"
#include "src/base/tty.h"
#include "src/machine/task.h"
#include "src/ring/stop.h"

enum { KICK_NS = 100000000, PROMOTED_NS = 100000000, JOIN_NS = 100000000, BACKGROUND_NS = 200000000 };

/* Signals that nohup(1), or a shell for background jobs, ignores stay ignored. */
static void add_unless_ignored(sigset_t *set, int signal)
{
	struct sigaction action;

	if (sigaction(signal, NULL, &action) < 0 || action.sa_handler != SIG_IGN)
		sigaddset(set, signal);
}

static sigset_t signal_set(bool with_dashboard)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < N_STOP_SIGNALS; i++)
		add_unless_ignored(&set, stop_signals[i]);
	sigaddset(&set, SIGWINCH);
	if (with_dashboard) /* without one, Ctrl-Z stops the process */
		add_unless_ignored(&set, SIGTSTP);
	return set;
}

static void no_op(int signal)
{
}

void input_thread_block_signals(void)
{
	/* Interrupts a write to a reader that stalls. */
	struct sigaction action = {.sa_handler = no_op};
	sigset_t set = signal_set(false);

	sigaction(SIGURG, &action, NULL);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* the write fails, and has a sentence */
}

void input_thread_unblock_signals(void)
{
	const struct timespec at_once = {0};
	sigset_t set = signal_set(true);

	/* The signal of a terminal that was closed may come later than its end, which has been obeyed. */
	if (tty_is_gone(STDIN_FILENO) || tty_is_gone(STDOUT_FILENO))
		signal(SIGHUP, SIG_IGN);
	while (sigtimedwait(&set, NULL, &at_once) > 0)
		continue;
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

static void read_signal(void *data, short revents)
{
	struct input_thread *input = data;
	const struct input_hooks *hooks = &input->hooks;
	struct signalfd_siginfo info;

	if (read(input->signals, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return;
	if (info.ssi_signo == SIGWINCH) {
		if (hooks->resized)
			hooks->resized(hooks->data);
	} else if (info.ssi_signo == SIGTSTP) {
		hooks->suspended(hooks->data);
	} else {
		if (!input->kick_ns)
			input->kick_ns = clock_now_ns() + KICK_NS;
		hooks->quit(hooks->data, (int)info.ssi_signo);
	}
}

/* Copies keys to the dashboard, which may get little CPU. So a single q quits here, if the dashboard has
 * handled all keys before it and declared that it is no text. */
static bool copy_keys(struct input_thread *input)
{
	const struct input_hooks *hooks = &input->hooks;
	char keys[256];
	ssize_t n = read(hooks->keys_in, keys, sizeof(keys));

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return true;
	if (n <= 0) /* the terminal is gone */
		return false;
	if (n == 1 && keys[0] == 'q' && atomic_load(hooks->q_quits_after) == input->n_keys)
		hooks->quit(hooks->data, 0);
	/* The pipe does not block: keys that a stalled dashboard can't take are lost. */
	ssize_t written = write(hooks->keys_out, keys, (size_t)n);

	input->n_keys += written > 0 ? (uint64_t)written : 0;
	return true;
}

static void read_keys(void *data, short revents)
{
	struct input_thread *input = data;

	/* The kernel would stop the process, as it reads the keys of a shell. */
	input->is_in_background = !tty_is_in_foreground(input->hooks.keys_in);
	if (input->is_in_background || copy_keys(input))
		return;
	input->hooks.keys_in = -1;
	input->hooks.quit(input->hooks.data, 0);
}

/* After a signal, main may be stuck in a write as long as this thread exists. */
static void kick_main(void *data, short revents)
{
	struct input_thread *input = data;

	pthread_kill(input->main, SIGURG);
	input->kick_ns = clock_now_ns() + KICK_NS;
}

static const struct task_policy promoted = {.policy = SCHED_FIFO, .priority = MAIN_PRIORITY};

static void set_timer(const struct input_thread *input, uint64_t at_ns)
{
	struct itimerspec at = {.it_value = clock_timespec(at_ns)};

	timerfd_settime(input->promotion, TFD_TIMER_ABSTIME, &at, NULL);
}

/* If main is promoted, it becomes again what it was at the start. Returns whether it was. */
static bool demote_main(const struct input_thread *input)
{
	struct task_policy now;
	bool is_promoted = task_get_policy(input->main_tid, &now) == 0 && task_policy_equal(now, promoted);

	if (is_promoted)
		sched_setscheduler(input->main_tid, input->main_policy, &(struct sched_param){0});
	return is_promoted;
}

/* Main has what is due behind it after a few milliseconds. If it has not, another real-time task may have its
 * CPU: then plain tasks get some time from the kernel, and those of FIFO 1 none. So it is both in turn. */
static void promote_or_demote_main(void *data, short revents)
{
	struct input_thread *input = data;
	uint64_t n;

	pthread_mutex_lock(&input->lock);
	if (read(input->promotion, &n, sizeof(n)) == (ssize_t)sizeof(n)) { /* not put off meanwhile */
		if (!demote_main(input) && sched_getscheduler(input->main_tid) == input->main_policy)
			task_set_policy(input->main_tid, promoted);
		set_timer(input, clock_now_ns() + PROMOTED_NS);
	}
	pthread_mutex_unlock(&input->lock);
}

static bool is_main_plain_at_start(const struct input_thread *input)
{
	return !task_policy_is_realtime(input->main_policy & ~SCHED_RESET_ON_FORK);
}

void input_thread_promote_main(struct input_thread *input, uint64_t at_ns)
{
	if (!input->running || !is_main_plain_at_start(input))
		return;
	pthread_mutex_lock(&input->lock);
	set_timer(input, at_ns);
	demote_main(input);
	pthread_mutex_unlock(&input->lock);
}

static void end_thread(void *ends, short revents)
{
	*(bool *)ends = true;
}

static void *run_thread(void *data)
{
	struct input_thread *input = data;
	struct loop loop;
	bool ends = false;

	pthread_setname_np(pthread_self(), "input");
	while (!ends) {
		loop_begin(&loop);
		loop_watch(&loop, input->finish, POLLIN, end_thread, &ends);
		loop_watch(&loop, input->signals, POLLIN, read_signal, input);
		loop_watch(&loop, input->promotion, POLLIN, promote_or_demote_main, input);
		input->is_in_background =
			input->is_in_background && !tty_is_in_foreground(input->hooks.keys_in);
		if (input->is_in_background)
			loop_wake(&loop, clock_now_ns() + BACKGROUND_NS, NULL, NULL);
		else
			loop_watch(&loop, input->hooks.keys_in, POLLIN, read_keys, input);
		loop_wake(&loop, input->kick_ns ? input->kick_ns : UINT64_MAX, kick_main, input);
		loop_wait(&loop);
	}
	return NULL;
}

/* Returns whether the thread ended within JOIN_NS. */
static bool joins_in_time(const struct input_thread *input)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until = clock_timespec(clock_ns(&until) + JOIN_NS);
	return pthread_timedjoin_np(input->thread, NULL, &until) == 0;
}

void input_thread_join(struct input_thread *input)
{
	if (!input->running)
		return;
	input_thread_promote_main(input, UINT64_MAX);
	eventfd_write(input->finish, 1);
	if (!joins_in_time(input)) {
		/* A more urgent task of others has its CPU: beside that a plain task gets some time. */
		pthread_setschedparam(input->thread, SCHED_OTHER, &(struct sched_param){0});
		pthread_join(input->thread, NULL);
	}
	input->running = false;
}

void input_thread_finish(struct input_thread *input)
{
	input_thread_join(input);
	if (input->signals > 0)
		close(input->signals);
	if (input->finish > 0)
		close(input->finish);
	if (input->promotion > 0)
		close(input->promotion);
	*input = (struct input_thread){0};
}

/* Gives the thread this priority, or the highest one that the rights allow. Returns 0 or a negative errno. */
static int raise_as_allowed(pthread_t thread, int priority)
{
	struct sched_param param = {.sched_priority = priority};
	struct rlimit limit;
	int r = pthread_setschedparam(thread, SCHED_FIFO, &param);

	if (r == 0 || getrlimit(RLIMIT_RTPRIO, &limit) < 0 || limit.rlim_cur == 0 ||
		limit.rlim_cur >= (rlim_t)priority)
		return -r;
	param.sched_priority = (int)limit.rlim_cur;
	return -pthread_setschedparam(thread, SCHED_FIFO, &param);
}

/* Main may be a plain task that gets no CPU while it has the lock: then it inherits the thread's priority. */
static void init_lock(pthread_mutex_t *lock)
{
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(lock, &attributes);
	pthread_mutexattr_destroy(&attributes);
}

int input_thread_start(
	struct input_thread *input, int priority, const struct input_hooks *hooks, struct error_text *reason)
{
	sigset_t set = signal_set(hooks->suspended != NULL);

	*input = (struct input_thread){.hooks = *hooks,
		.main = pthread_self(),
		.main_tid = gettid(),
		.main_policy = sched_getscheduler(0)};
	init_lock(&input->lock);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	input->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	input->finish = eventfd(0, EFD_CLOEXEC);
	input->promotion = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (input->signals < 0 || input->finish < 0 || input->promotion < 0) {
		int error = -errno;

		input_thread_finish(input);
		return error_text_set(
			reason, error, "keys and signals can't be taken: %s", error_text_of_errno(error));
	}
	int r = pthread_create(&input->thread, NULL, run_thread, input);

	if (r != 0) {
		input_thread_finish(input);
		return error_text_set(
			reason, -r, "can't start the thread for keys and signals: %s", task_no_thread(-r, 0));
	}
	input->running = true;
	raise_as_allowed(input->thread, priority);
	return 0;
}

int input_thread_raise(const struct input_thread *input, int priority)
{
	struct sched_param param;
	int policy, highest = sched_get_priority_max(SCHED_FIFO);

	if (!input->running)
		return 0;
	priority = priority < highest ? priority : highest;
	if (pthread_getschedparam(input->thread, &policy, &param) == 0 && policy == SCHED_FIFO &&
		param.sched_priority >= priority)
		return 0;
	return raise_as_allowed(input->thread, priority);
}

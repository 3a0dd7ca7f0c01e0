/* SPDX-License-Identifier: GPL-2.0-or-later */
/* input_thread.c - the one small thread that stands above the members: it takes keys and signals. */
#include "src/engine/input_thread.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "src/machine/task.h"
#include "src/ring/stop.h"

enum { KICK_MS = 100 };

static const int ending_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

/* nohup, or a shell that puts a job into the background, ignores some: so they stay. */
static void add_unless_ignored(sigset_t *set, int signal)
{
	struct sigaction action;

	if (sigaction(signal, NULL, &action) < 0 || action.sa_handler != SIG_IGN)
		sigaddset(set, signal);
}

static sigset_t signal_set(bool with_screen)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(ending_signals) / sizeof(*ending_signals); i++)
		add_unless_ignored(&set, ending_signals[i]);
	sigaddset(&set, SIGWINCH);
	if (with_screen) /* without one, Ctrl-Z does what it always does */
		add_unless_ignored(&set, SIGTSTP);
	return set;
}

static void no_op(int signal)
{
}

void guard_block_signals(void)
{
	/* Interrupts a write to a reader that stalls. */
	struct sigaction action = {.sa_handler = no_op};
	sigset_t set = signal_set(false);

	sigaction(SIGURG, &action, NULL);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* the write itself fails, and has a sentence */
}

void guard_unblock_signals(void)
{
	const struct timespec at_once = {0};
	sigset_t set = signal_set(true);

	while (sigtimedwait(&set, NULL, &at_once) > 0)
		continue;
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

void guard_quit(struct guard *guard)
{
	const uint64_t one = 1;

	if (guard->arena)
		stop_command(guard->arena);
	ssize_t written = write(guard->wanted, &one, sizeof(one));

	(void)written; /* only a full counter refuses, and that is as good */
}

void guard_typing(struct guard *guard, bool typing)
{
	atomic_store(&guard->typing, typing);
}

static void take_signal(struct guard *guard)
{
	struct signalfd_siginfo info;

	if (read(guard->signals, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return;
	if (info.ssi_signo == SIGWINCH) {
		if (guard->screen.resized)
			guard->screen.resized(guard->screen.data);
	} else if (info.ssi_signo == SIGTSTP) {
		guard->screen.suspended(guard->screen.data);
	} else {
		atomic_store(&guard->signal, (int)info.ssi_signo);
		guard_quit(guard);
	}
}

/* A single q is obeyed here, for the dashboard may be short of CPU; everything else is the dashboard's. */
static bool take_keys(struct guard *guard)
{
	char keys[256];
	ssize_t n = read(guard->screen.keys_in, keys, sizeof(keys));

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return true;
	if (n <= 0) /* the terminal is gone */
		return false;
	bool typing = atomic_load(&guard->typing);

	if (n == 1 && keys[0] == 'q' && !typing)
		guard_quit(guard);
	/* Before the dashboard has seen it: what is typed next may be here sooner. */
	for (const char *key = guard->screen.text_keys; key && *key; key++)
		if (memchr(keys, *key, (size_t)n))
			guard_typing(guard, true);
	/* The pipe does not block: keys that a stalled dashboard can't take are lost. */
	ssize_t written = write(guard->screen.keys_out, keys, (size_t)n);

	(void)written;
	return true;
}

static void *guard_run(void *data)
{
	struct guard *guard = data;
	struct pollfd fds[] = {
		{.fd = guard->signals, .events = POLLIN},
		{.fd = guard->screen.keys_in, .events = POLLIN},
		{.fd = guard->finish, .events = POLLIN},
	};

	for (;;) {
		bool ending = atomic_load(&guard->signal);

		if (poll(fds, 3, ending ? KICK_MS : -1) < 0)
			continue;
		if (fds[2].revents)
			return NULL;
		if (ending) /* as long as this thread lives main may be stuck in a write */
			pthread_kill(guard->main, SIGURG);
		if (fds[0].revents)
			take_signal(guard);
		if (fds[1].revents && !take_keys(guard)) {
			fds[1].fd = -1;
			guard_quit(guard);
		}
	}
}

void guard_join(struct guard *guard)
{
	if (!guard->running)
		return;
	eventfd_write(guard->finish, 1);
	pthread_join(guard->thread, NULL);
	guard->running = false;
}

void guard_finish(struct guard *guard)
{
	guard_join(guard);
	if (guard->signals > 0)
		close(guard->signals);
	if (guard->wanted > 0)
		close(guard->wanted);
	if (guard->finish > 0)
		close(guard->finish);
	*guard = (struct guard){0};
}

int guard_start(struct guard *guard, const struct arena *arena, int priority,
	const struct guard_screen *screen, struct error_text *reason)
{
	sigset_t set = signal_set(screen != NULL);

	*guard = (struct guard){
		.arena = arena, .main = pthread_self(), .screen = {.keys_in = -1, .keys_out = -1}};
	if (screen)
		guard->screen = *screen;
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	guard->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	guard->wanted = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	guard->finish = eventfd(0, EFD_CLOEXEC);
	if (guard->signals < 0 || guard->wanted < 0 || guard->finish < 0) {
		int error = -errno;

		guard_finish(guard);
		return error_text_set(
			reason, error, "keys and signals can't be taken: %s", error_text_of_errno(error));
	}
	int r = pthread_create(&guard->thread, NULL, guard_run, guard);

	if (r != 0) {
		guard_finish(guard);
		return error_text_set(
			reason, -r, "can't start the thread for keys and signals: %s", task_no_more(-r));
	}
	guard->running = true;
	pthread_setschedparam(guard->thread, SCHED_FIFO, &(struct sched_param){.sched_priority = priority});
	return 0;
}

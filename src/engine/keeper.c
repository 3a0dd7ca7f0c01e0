/* SPDX-License-Identifier: GPL-2.0-or-later */
/* keeper.c - the process that makes the rings' objects, and removes them however the others end.
 *
 * It has one thread, and a session of its own, so that signals of the terminal or its shell don't reach it.
 * It ends by the front's command, or when the front is gone. */
#include "src/engine/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/base/process_words.h"
#include "src/engine/keeper_rings.h"
#include "src/engine/sweeper.h"
#include "src/engine/terminal.h"
#include "src/machine/task.h"
#include "src/ring/stop.h"

enum { PATIENCE_MS = 3000 }; /* with a keeper that makes no progress */
enum { WORD_QUIT = 'q' };

/* Closes the standard descriptors: the reader of a pipe must not wait for the keeper. */
static void leave_session(const struct process_words *words)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	struct rlimit descriptors;
	sigset_t all;

	for (int fd = 0; null >= 0 && fd < 3; fd++)
		dup2(null, fd);
	if (null > 2)
		close(null);
	setsid();
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	if (words)
		process_words_show(words, false);
	prctl(PR_SET_NAME, "ipctop-keeper");
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (getrlimit(RLIMIT_NOFILE, &descriptors) == 0) {
		descriptors.rlim_cur = descriptors.rlim_max;
		setrlimit(RLIMIT_NOFILE, &descriptors);
	}
}

/* @dead: NULL for all owners that have ended. */
static void sweep_objects(const struct probe *const *registry, const struct owner *dead)
{
	for (size_t i = 0; registry[i]; i++)
		if (registry[i]->sweep)
			registry[i]->sweep(dead);
}

_Noreturn static void keeper_run(
	struct arena *arena, const struct probe *const *registry, pid_t front, int socket, int bell)
{
	struct keeper_rings rings;
	int go_on;

	leave_session(arena->config->tool.words);
	arena->keeper = owner_self();
	task_set_affinity(0, &arena->plan->housekeeping);
	sweep_objects(registry, NULL);
	if (keeper_rings_init(&rings, arena, front, socket, bell) < 0)
		_exit(1);
	do {
		go_on = keeper_rings_attend(&rings, UINT64_MAX);
		if (go_on > 0)
			go_on = keeper_rings_obey(&rings);
	} while (go_on > 0);
	keeper_rings_end(&rings);
	if (go_on < 0)
		terminal_restore(arena);
	_exit(0);
}

int keeper_start(struct keeper *keeper, struct arena *arena, const struct probe *const *registry,
	struct error_text *reason)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return error_text_set(
			reason, -errno, "can't make a socket pair: %s", error_text_of_errno(-errno));
	int bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	if (bell < 0) {
		close(pair[0]);
		close(pair[1]);
		return error_text_set(reason, -errno, "eventfd: %s", error_text_of_errno(-errno));
	}
	/* If the parent process ignored it, no child's end would be reported. The keeper inherits this. */
	signal(SIGCHLD, SIG_DFL);
	pid_t front = getpid(), pid = fork();

	if (pid == 0) {
		close(pair[0]);
		keeper_run(arena, registry, front, pair[1], bell);
	}
	int error = errno;

	close(pair[1]);
	if (pid < 0) {
		close(pair[0]);
		close(bell);
		return error_text_set(reason, -error, "can't start the keeper: %s", task_no_more(-error));
	}
	*keeper = (struct keeper){.pid = pid,
		.socket = pair[0],
		.bell = bell,
		.registry = registry,
		.arena = arena,
		.pidfd = (int)syscall(SYS_pidfd_open, pid, 0)};
	if (keeper->pidfd >= 0)
		return 0;
	error = errno;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(keeper->socket);
	close(bell);
	*keeper = (struct keeper){0};
	return error_text_set(reason, -error, "the keeper can't be watched: %s", error_text_of_errno(-error));
}

static void send_word(const struct keeper *keeper, _Atomic uint32_t *wanted)
{
	if (!keeper->pid)
		return;
	/* Release: pairs with wanted_of() in keeper_rings.c, and with keeper_loads_obey(), which then find
	 * the slot as it is now. */
	atomic_fetch_add_explicit(wanted, 1, memory_order_release);
	eventfd_write(keeper->bell, 1);
}

void keeper_open(const struct keeper *keeper, struct ring_slot *ring)
{
	send_word(keeper, &ring->wanted);
}

void keeper_close(const struct keeper *keeper, struct ring_slot *ring)
{
	send_word(keeper, &ring->wanted);
}

void keeper_open_load(const struct keeper *keeper, struct load_slot *load)
{
	send_word(keeper, &load->wanted);
}

void keeper_close_load(const struct keeper *keeper, struct load_slot *load)
{
	send_word(keeper, &load->wanted);
}

bool keeper_has_closed(const struct ring_slot *ring)
{
	uint32_t wanted = atomic_load_explicit(&ring->wanted, memory_order_relaxed);

	/* Acquire: pairs with the release in set_obeyed(). */
	return wanted % 2 == 0 && atomic_load_explicit(&ring->obeyed, memory_order_acquire) == wanted;
}

void keeper_sweep(const struct keeper *keeper)
{
	if (!keeper->pid)
		return;
	/* Release: pairs with the acquire in obey_sweep(). */
	atomic_store_explicit(&keeper->arena->sweep->is_wanted, 1, memory_order_release);
	eventfd_write(keeper->bell, 1);
}

static uint32_t processes_left(const struct arena *arena)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < arena_n_rings(arena); i++)
		n += atomic_load_explicit(&arena->rings[i].host, memory_order_relaxed) != 0;
	for (size_t i = 0; i < LOADS_MAX; i++)
		n += atomic_load_explicit(&arena->loads[i].pid, memory_order_relaxed) != 0;
	if (arena->sweep)
		n += atomic_load_explicit(&arena->sweep->host, memory_order_relaxed) != 0;
	return n;
}

/* Waits as long as it reaps hosts and loads, because no other process can. */
static void wait_for_end(const struct keeper *keeper)
{
	const struct timespec patience = clock_timespec((uint64_t)PATIENCE_MS * 1000000);
	struct pollfd ended = {.fd = keeper->pidfd, .events = POLLIN};
	uint32_t left = processes_left(keeper->arena), before;
	sigset_t all;
	int r;

	sigfillset(&all);
	do {
		before = left;
		r = ppoll(&ended, 1, &patience, &all); /* without those of the input thread */
		left = processes_left(keeper->arena);
	} while (r == 0 && left < before);
}

void keeper_stop(struct keeper *keeper)
{
	int status = 0;

	if (!keeper->pid)
		return;
	stop_command(keeper->arena);
	send(keeper->socket, &(char){WORD_QUIT}, 1, MSG_NOSIGNAL);
	wait_for_end(keeper);
	kill(keeper->pid, SIGKILL); /* not reaped yet: the pid is still its own */
	while (waitpid(keeper->pid, &status, 0) < 0 && errno == EINTR)
		continue;
	/* Hosts and loads die with the keeper. The front removes its objects. */
	if (!WIFEXITED(status) && keeper->arena->keeper.pid)
		sweep_objects(keeper->registry, &keeper->arena->keeper);
	if (!WIFEXITED(status) && keeper->arena->sweep && keeper->arena->sweep->owner.pid)
		sweep_objects(keeper->registry, &keeper->arena->sweep->owner);
	close(keeper->pidfd);
	close(keeper->socket);
	close(keeper->bell);
	*keeper = (struct keeper){0};
}

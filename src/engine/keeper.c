/* SPDX-License-Identifier: GPL-2.0-or-later */
/* keeper.c - the process that makes the rings' objects, and removes them however the others end.
 *
 * It has one thread, and a session of its own, so that signals of the terminal or its shell don't reach it.
 * It ends by the front's command, or when the front is gone.
 *
 * Rings are opened one after the other, each with all its members before the next host is forked, or after
 * 100 ms: where tasks are short, the first rings run. `release` closes the keeper's copies of a hop once the
 * host is forked, so the keeper holds few descriptors whatever the number of rings. `remove` runs once no
 * member is left.
 *
 * A ring is closed beside all other work: its members are woken every STOP_REPEAT_NS until its host is gone.
 */
#include "src/engine/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/base/futex.h"
#include "src/base/loop.h"
#include "src/base/process_words.h"
#include "src/engine/sweeper.h"
#include "src/engine/terminal.h"
#include "src/machine/task.h"
#include "src/ring/host.h"
#include "src/ring/ring_numa.h"
#include "src/ring/stop.h"

enum { PATIENCE_MS = 3000 }; /* with a keeper that makes no progress */
enum { UNNAMED_NS = 500000000, MADE_NS = 100000000 };
enum { WORD_QUIT = 'q' };

/* The keeper itself. */
struct keeping {
	struct arena *arena;
	pid_t front;
	int socket;  /* to the front */
	int signals; /* a signalfd: readable once a child has ended, or passes on a signal */
	int made;    /* an eventfd, which a host counts up when it has all its members */
	int bell;    /* an eventfd, which the front counts up when it wants a ring opened or closed */
	bool rung;   /* the front did so since rings were last opened */
	uint32_t n_hosts;
	pid_t sweeper;      /* 0: none, or reaped; it is one of the hosts */
	uint32_t n_closing; /* of these rings; their members are woken again at wake_ns */
	uint64_t wake_ns;
	int go_on; /* see attend() */
};

/* In a child: the front must notice the keeper's end, whatever children live on. */
static void close_own(const struct keeping *keeping)
{
	close(keeping->socket);
	close(keeping->bell);
	close(keeping->signals);
}

/* --- loads --- */

static pid_t load_pid(const struct load_board *board)
{
	return atomic_load_explicit(&board->pid, memory_order_relaxed);
}

static void open_load(const struct keeping *keeping, struct load_board *board)
{
	int self = (int)syscall(SYS_pidfd_open, getpid(), 0);
	pid_t pid = self < 0 ? -ESRCH : load_process_fork();

	if (pid == 0) {
		close_own(keeping);
		load_process_run(board, &keeping->arena->topology->allowed, self);
	}
	if (self >= 0)
		close(self);
	if (pid > 0) {
		atomic_store_explicit(&board->pid, pid, memory_order_relaxed);
		return;
	}
	load_fail(board, "can't start its process: %s", task_no_more(pid));
	atomic_store_explicit(&board->has_ended, 1, memory_order_release);
}

/* Opens and closes the loads that are not as the front wants them. */
static void obey_loads(const struct keeping *keeping)
{
	for (size_t i = 0; i < LOADS_MAX; i++) {
		struct load_board *board = &keeping->arena->loads[i];
		/* Acquire: pairs with the release in keeper_tell(), before which the board was filled in. */
		uint32_t wanted = atomic_load_explicit(&board->wanted, memory_order_acquire);

		if (wanted == atomic_load_explicit(&board->obeyed, memory_order_relaxed))
			continue;
		if (wanted % 2 == 0 && load_pid(board)) {
			load_process_kill(load_pid(board)); /* bury_loads() goes on */
			continue;
		}
		/* Release: pairs with the load in engine_loads.c, which then uses the board again. */
		atomic_store_explicit(&board->obeyed, wanted, memory_order_release);
		if (wanted % 2)
			open_load(keeping, board);
	}
}

/* Without a pid namespace, workers outlive their first process by a moment, as children of the keeper. */
static void bury_loads(struct arena *arena, pid_t pid)
{
	for (size_t i = 0; i < LOADS_MAX; i++) {
		struct load_board *board = &arena->loads[i];
		uint32_t wanted = atomic_load_explicit(&board->wanted, memory_order_acquire);

		if (load_pid(board) == 0)
			continue;
		if (load_pid(board) == pid)
			load_process_kill(pid);
		if (!load_process_is_gone(load_pid(board)))
			continue;
		atomic_store_explicit(&board->pid, 0, memory_order_relaxed);
		if (wanted % 2)
			atomic_store_explicit(&board->has_ended, 1, memory_order_release);
		else
			atomic_store_explicit(&board->obeyed, wanted, memory_order_release);
	}
}

static void kill_loads(struct arena *arena)
{
	for (size_t i = 0; i < LOADS_MAX; i++)
		if (load_pid(&arena->loads[i]))
			load_process_kill(load_pid(&arena->loads[i]));
}

static bool loads_are_left(const struct arena *arena)
{
	for (size_t i = 0; i < LOADS_MAX; i++)
		if (load_pid(&arena->loads[i]))
			return true;
	return false;
}

/* --- rings --- */

/* All signals must be blocked. Descriptors end with the process. Returns 0 or a negative errno. */
static int begin_keeping(struct keeping *keeping, struct arena *arena, pid_t front, int socket, int bell)
{
	sigset_t read;

	sigemptyset(&read);
	sigaddset(&read, SIGCHLD);
	for (size_t i = 0; arena->config->tool.words && i < N_STOP_SIGNALS; i++)
		sigaddset(&read, stop_signals[i]);
	*keeping = (struct keeping){.arena = arena,
		.front = front,
		.socket = socket,
		.bell = bell,
		.signals = signalfd(-1, &read, SFD_CLOEXEC | SFD_NONBLOCK),
		.made = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
	return keeping->signals < 0 || keeping->made < 0 ? -errno : 0;
}

static pid_t host_of(const struct arena_ring *ring)
{
	return atomic_load_explicit(&ring->host, memory_order_relaxed);
}

/* Releases the hops that are open; with @remove, also removes objects that outlive all processes. */
static void undo_hops(const struct arena_ring *ring, bool remove)
{
	const struct probe *probe = ring->probe;

	for (unsigned h = 0; h < ring->n_members; h++) {
		struct arena_hop *shared = arena_hop(ring, h);
		struct hop hop = arena_hop_handle(ring, h);

		if (shared->opened == HOP_CLOSED)
			continue;
		if (shared->opened == HOP_OPENED)
			probe_release(probe, &hop);
		if (remove && probe->remove)
			probe->remove(&hop);
		shared->opened = remove ? HOP_CLOSED : HOP_RELEASED;
	}
}

static int open_hops(struct arena_ring *ring)
{
	const struct probe *probe = ring->probe;
	const char *missing = probe->missing ? probe->missing() : NULL;
	int r = 0;

	if (missing) {
		arena_fail(ring, "%s", missing);
		return -ENOTSUP;
	}
	for (unsigned h = 0; r == 0 && h < ring->n_members; h++) {
		struct hop hop = arena_hop_handle(ring, h);

		arena_hop(ring, h)->opened = HOP_OPENED;
		ring_numa_prefer(ring, h);
		r = probe->open(&hop);
		ring_numa_prefer_local(ring);
	}
	if (r < 0)
		arena_fail(ring, "%s", probe_explain(probe, r));
	return r;
}

/* With --fork, the keeper becomes the parent of members that outlive their host (it is their subreaper). They
 * have got SIGKILL; a starved one is moved to a CPU where it can die. */
static void reap_members(const struct arena_ring *ring)
{
	for (unsigned m = 0; ring->arena->config->fork && m < ring->n_members; m++) {
		pid_t pid = ring->members[m].pid;

		if (pid <= 0 || waitpid(pid, NULL, WNOHANG) != 0)
			continue;
		kill(pid, SIGKILL);
		stop_move_process(ring, pid);
		waitpid(pid, NULL, 0);
	}
}

static uint32_t wanted_of(const struct arena_ring *ring)
{
	/* Acquire: pairs with the release in keeper_tell(), before which the ring was added, or commanded to
	 * end.
	 */
	return atomic_load_explicit(&ring->wanted, memory_order_acquire);
}

static bool is_open(const struct arena_ring *ring)
{
	return atomic_load_explicit(&ring->obeyed, memory_order_relaxed) % 2;
}

/* Tells the front that a word was obeyed. A word to close is obeyed once nothing of the ring is left. */
static void set_obeyed(struct arena_ring *ring, uint32_t word)
{
	struct arena *arena = ring->arena; /* after the store the front may use the memory for another ring */

	/* Release: pairs with the load in keeper_has_closed(); all that the keeper and the members did is
	 * before it. */
	atomic_store_explicit(&ring->obeyed, word, memory_order_release);
	atomic_fetch_add_explicit(&arena->news, 1, memory_order_release);
	futex_wake_all(&arena->news);
}

/* The ring's host has ended: by command, by a member's failure, or by a signal. */
static void bury_host(struct keeping *keeping, struct arena_ring *ring, int status)
{
	bool must_stop =
		ring->is_closing || atomic_load_explicit(&keeping->arena->stop, memory_order_acquire);

	keeping->n_hosts--;
	reap_members(ring);
	atomic_store_explicit(&ring->ended_ns, clock_now_ns(), memory_order_relaxed);
	if (atomic_load(&ring->has_reason)) /* the origin may have set another state after the failure */
		arena_set_state(ring, RING_FAILED);
	else if (!must_stop && WIFSIGNALED(status))
		arena_fail(ring, "its host (pid %d) was killed by signal %d (%s)", host_of(ring),
			WTERMSIG(status), strsignal(WTERMSIG(status)));
	else
		arena_set_state(ring, RING_GONE);
	undo_hops(ring, true);
	atomic_store_explicit(&ring->host, 0, memory_order_relaxed);
	keeping->n_closing -= ring->is_closing;
	if (ring->is_closing)
		set_obeyed(ring, wanted_of(ring));
}

static void bury_sweeper(struct keeping *keeping, int status)
{
	bool must_stop = atomic_load_explicit(&keeping->arena->stop, memory_order_acquire);

	sweeper_bury(keeping->arena, keeping->sweeper, status, must_stop);
	keeping->sweeper = 0;
	keeping->n_hosts--;
}

/* A signal that ends the run comes from a host, and is the front's, unless that has ended. */
static void read_signals(const struct keeping *keeping)
{
	struct signalfd_siginfo info;

	while (read(keeping->signals, &info, sizeof(info)) == (ssize_t)sizeof(info))
		if (info.ssi_signo != SIGCHLD && getppid() == keeping->front)
			kill(keeping->front, (int)info.ssi_signo);
}

/* Children that are no hosts are members whose host has ended, or processes of loads. */
static void bury_hosts(void *data, short revents)
{
	struct keeping *keeping = data;
	int status;
	pid_t pid;

	/* First: one signal may be for several children that have ended, but for none that ends from now on.
	 */
	read_signals(keeping);
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		for (uint32_t i = 0; i < arena_n_rings(keeping->arena); i++)
			if (host_of(&keeping->arena->rings[i]) == pid)
				bury_host(keeping, &keeping->arena->rings[i], status);
		bury_loads(keeping->arena, pid);
		if (keeping->sweeper == pid)
			bury_sweeper(keeping, status);
	}
}

/* Where tasks are short, each ring gets all of its members before the next one starts. Otherwise several
 * rings could have some members, and none enough. */
static void wait_for_members(struct keeping *keeping, const struct arena_ring *ring)
{
	uint64_t until_ns = clock_now_ns() + MADE_NS;
	eventfd_t made;

	while (host_of(ring) && eventfd_read(keeping->made, &made) < 0 && clock_now_ns() < until_ns) {
		struct loop loop;

		loop_begin(&loop);
		loop_watch(&loop, keeping->made, POLLIN, NULL, NULL);
		loop_watch(&loop, keeping->signals, POLLIN, bury_hosts, keeping);
		loop_wake(&loop, until_ns, NULL, NULL);
		loop_wait(&loop);
	}
}

static void open_ring(struct keeping *keeping, struct arena_ring *ring)
{
	pid_t keeper = getpid();
	eventfd_t late; /* of an earlier ring */

	if (arena_state(ring) == RING_FAILED)
		return; /* by the plan */
	ring_numa_bind(ring);
	arena_set_state(ring, RING_OPENING);
	if (open_hops(ring) < 0) {
		undo_hops(ring, true);
		return;
	}
	eventfd_read(keeping->made, &late);
	uint64_t forked_ns = clock_now_ns();
	pid_t pid = fork();

	/* Keeper and host both set it: the origin needs it at once. A ring without a host is not overdue. */
	if (pid >= 0)
		atomic_store_explicit(&ring->forked_ns, forked_ns, memory_order_relaxed);
	if (pid == 0) {
		close_own(keeping);
		host_run(ring, keeper, keeping->made);
	}
	if (pid < 0) {
		arena_fail(ring, "can't start its process: %s", task_no_more(-errno));
		undo_hops(ring, true);
		return;
	}
	keeping->n_hosts++;
	atomic_store_explicit(&ring->host, pid, memory_order_relaxed);
	undo_hops(ring, false); /* its host has all of them by now */
	wait_for_members(keeping, ring);
}

static void begin_closing(struct keeping *keeping, struct arena_ring *ring, uint64_t now_ns)
{
	ring->is_closing = true;
	ring->closing_ns = now_ns;
	keeping->n_closing++;
	keeping->wake_ns = now_ns;
	stop_command_ring(ring, RING_COMMAND_STOP);
}

/* Opens or closes a ring that is not as the front wants it. */
static void obey_word(struct keeping *keeping, struct arena_ring *ring)
{
	uint32_t wanted = wanted_of(ring);

	if (wanted == atomic_load_explicit(&ring->obeyed, memory_order_relaxed) || ring->is_closing)
		return;
	if (wanted % 2) {
		atomic_store_explicit(&ring->obeyed, wanted, memory_order_relaxed);
		open_ring(keeping, ring);
	} else if (is_open(ring) && host_of(ring)) {
		begin_closing(keeping, ring, clock_now_ns());
	} else {
		set_obeyed(ring, wanted);
	}
}

/* Once: a sweep that has ended does not begin again. */
static void obey_sweep(struct keeping *keeping)
{
	const int fds[] = {keeping->socket, keeping->bell, keeping->signals, keeping->made};
	struct sweep_board *board = keeping->arena->sweep;

	/* Acquire: pairs with the release in keeper_sweep(). */
	if (!board || !atomic_exchange_explicit(&board->is_wanted, 0, memory_order_acquire))
		return;
	pid_t pid = sweeper_fork(keeping->arena, fds, sizeof(fds) / sizeof(*fds));

	if (pid > 0) {
		keeping->sweeper = pid;
		keeping->n_hosts++;
	}
}

/* Wakes the members of rings that are closing; from STOP_KILL_NS on ends their hosts. One host's end does
 * not wake the members of all others: they are woken once in STOP_REPEAT_NS. */
static void wake_members(void *data, short revents)
{
	struct keeping *keeping = data;
	uint64_t now_ns = clock_now_ns();

	for (uint32_t i = 0; i < arena_n_rings(keeping->arena); i++) {
		const struct arena_ring *ring = &keeping->arena->rings[i];
		pid_t host = host_of(ring);

		if (!ring->is_closing || !host)
			continue;
		stop_wake(ring, now_ns - ring->closing_ns);
		if (now_ns - ring->closing_ns >= STOP_KILL_NS) {
			kill(host, SIGKILL);
			stop_move_process(ring, host);
		}
	}
	keeping->wake_ns = clock_now_ns() + STOP_REPEAT_NS;
}

static void answer_bell(void *data, short revents)
{
	struct keeping *keeping = data;
	eventfd_t count;

	keeping->rung |= eventfd_read(keeping->bell, &count) == 0;
}

static void read_word(void *data, short revents)
{
	struct keeping *keeping = data;
	char word;

	keeping->go_on = recv(keeping->socket, &word, 1, MSG_DONTWAIT) == 1 ? 0 : -1;
}

/* Waits until @until_ns (UINT64_MAX: without limit) or until something happens; reaps hosts that have ended,
 * and goes on with rings that are closing. Returns 1 to go on, 0 if the front commands the end, -1 if the
 * front is gone. */
static int attend(struct keeping *keeping, uint64_t until_ns)
{
	struct loop loop;

	keeping->go_on = 1;
	loop_begin(&loop);
	loop_watch(&loop, keeping->signals, POLLIN, bury_hosts, keeping);
	loop_watch(&loop, keeping->socket, POLLIN, read_word, keeping);
	loop_watch(&loop, keeping->bell, POLLIN, answer_bell, keeping);
	loop_wake(&loop, until_ns, NULL, NULL);
	if (keeping->n_closing)
		loop_wake(&loop, keeping->wake_ns, wake_members, keeping);
	loop_wait(&loop);
	return keeping->go_on;
}

/* Obeys the front: opens rings one after the other, begins to close others, then opens and ends
 * loads. Stops early at the end of the run. Returns as attend(). */
static int obey(struct keeping *keeping)
{
	int go_on = 1;

	while (go_on > 0 && keeping->rung) {
		keeping->rung = false;
		obey_sweep(keeping);
		for (uint32_t i = 0;
			go_on > 0 && i < arena_n_rings(keeping->arena) && !atomic_load(&keeping->arena->stop);
			i++) {
			obey_word(keeping, &keeping->arena->rings[i]);
			go_on = attend(keeping, 0);
		}
		if (go_on > 0 && !atomic_load(&keeping->arena->stop))
			obey_loads(keeping);
	}
	return go_on;
}

/* A host that was killed as it forked a member could not record its pid. That member dies with its parent,
 * and is now the keeper's child. */
static void reap_unnamed(void)
{
	const struct timespec pause = {.tv_nsec = STOP_REPEAT_NS};
	uint64_t start_ns = clock_now_ns();

	while (waitpid(-1, NULL, WNOHANG) >= 0 && clock_now_ns() - start_ns < UNNAMED_NS)
		clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
}

/* Ends all loads and remaining rings, and removes the rings' objects. */
static void end_keeping(struct keeping *keeping)
{
	uint64_t now_ns = clock_now_ns();

	stop_command(keeping->arena);
	kill_loads(keeping->arena);
	keeping->socket = -1; /* no word of the front is read any more */
	for (uint32_t i = 0; i < arena_n_rings(keeping->arena); i++)
		if (host_of(&keeping->arena->rings[i]) && !keeping->arena->rings[i].is_closing)
			begin_closing(keeping, &keeping->arena->rings[i], now_ns);
	if (keeping->sweeper)
		sweeper_kill(keeping->arena, keeping->sweeper);
	while (keeping->n_hosts || loads_are_left(keeping->arena))
		attend(keeping, UINT64_MAX);
	reap_unnamed();
	for (uint32_t i = 0; i < arena_n_rings(keeping->arena); i++)
		if (is_open(&keeping->arena->rings[i]))
			undo_hops(&keeping->arena->rings[i], true);
}

/* --- the process --- */

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
	struct arena *arena, const struct probe *const *registry, struct owner front, int socket, int bell)
{
	struct keeping keeping;
	int go_on;

	leave_session(arena->config->tool.words);
	arena->keeper = owner_self();
	task_set_affinity(0, &arena->plan->housekeeping);
	sweep_objects(registry, NULL);
	if (begin_keeping(&keeping, arena, front.pid, socket, bell) < 0)
		_exit(1);
	do {
		go_on = attend(&keeping, UINT64_MAX);
		if (go_on > 0)
			go_on = obey(&keeping);
	} while (go_on > 0);
	end_keeping(&keeping);
	if (go_on < 0) { /* the front was killed, maybe while it tried hops (hop_trial.h) */
		sweep_objects(registry, &front);
		terminal_restore(arena);
	}
	_exit(0);
}

/* --- the front's side --- */

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
	struct owner front = owner_self();
	pid_t pid = fork();

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

void keeper_tell(const struct keeper *keeper, _Atomic uint32_t *wanted)
{
	if (!keeper->pid)
		return;
	/* Release: pairs with wanted_of() and obey_loads(), which then find the ring or load as it is now. */
	atomic_fetch_add_explicit(wanted, 1, memory_order_release);
	eventfd_write(keeper->bell, 1);
}

bool keeper_has_closed(const struct arena_ring *ring)
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
	*keeper = (struct keeper){.registry = keeper->registry}; /* by which later commands are still read */
}

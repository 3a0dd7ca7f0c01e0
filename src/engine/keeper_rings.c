/* SPDX-License-Identifier: GPL-2.0-or-later */
/* keeper_rings.c - the keeper's part of each ring: its hops, its host, and its removal.
 *
 * Rings are opened one after the other, each with all its members before the next host is forked, or after
 * 100 ms: where tasks are short, the first rings run. `release` closes the keeper's copies of a hop once the
 * host is forked, so the keeper holds few descriptors whatever the number of rings. `remove` runs once no
 * member is left.
 *
 * A ring is closed beside all other work: its members are woken every STOP_REPEAT_NS until its host is gone.
 */
#include "src/engine/keeper_rings.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/base/futex.h"
#include "src/base/loop.h"
#include "src/engine/keeper_loads.h"
#include "src/engine/sweeper.h"
#include "src/machine/task.h"
#include "src/ring/host.h"
#include "src/ring/ring_numa.h"
#include "src/ring/stop.h"

enum { UNNAMED_NS = 500000000, MADE_NS = 100000000 };

int keeper_rings_init(struct keeper_rings *rings, struct arena *arena, pid_t front, int socket, int bell)
{
	sigset_t read;

	sigemptyset(&read);
	sigaddset(&read, SIGCHLD);
	for (size_t i = 0; arena->config->tool.words && i < N_STOP_SIGNALS; i++)
		sigaddset(&read, stop_signals[i]);
	*rings = (struct keeper_rings){.arena = arena,
		.front = front,
		.socket = socket,
		.bell = bell,
		.signals = signalfd(-1, &read, SFD_CLOEXEC | SFD_NONBLOCK),
		.made = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
	return rings->signals < 0 || rings->made < 0 ? -errno : 0;
}

static pid_t host_of(const struct ring_slot *ring)
{
	return atomic_load_explicit(&ring->host, memory_order_relaxed);
}

/* Releases the hops that are open; with @remove, also removes objects that outlive all processes. */
static void undo_hops(const struct ring_slot *ring, bool remove)
{
	const struct probe *probe = ring->probe;

	for (unsigned h = 0; h < ring->n_members; h++) {
		struct hop_slot *slot = arena_hop(ring, h);
		struct hop hop = arena_hop_handle(ring, h);

		if (slot->opened == HOP_CLOSED)
			continue;
		if (slot->opened == HOP_OPENED)
			probe_release(probe, &hop);
		if (remove && probe->remove)
			probe->remove(&hop);
		slot->opened = remove ? HOP_CLOSED : HOP_RELEASED;
	}
}

static int open_hops(struct ring_slot *ring)
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
static void reap_members(const struct ring_slot *ring)
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

static uint32_t wanted_of(const struct ring_slot *ring)
{
	/* Acquire: pairs with the release in engine.c, before which the ring was added, or commanded to end.
	 */
	return atomic_load_explicit(&ring->wanted, memory_order_acquire);
}

static bool is_open(const struct ring_slot *ring)
{
	return atomic_load_explicit(&ring->obeyed, memory_order_relaxed) % 2;
}

/* Tells the front that a word was obeyed. A word to close is obeyed once nothing of the ring is left. */
static void set_obeyed(struct ring_slot *ring, uint32_t word)
{
	struct arena *arena = ring->arena; /* after the store the front may give the slot to another ring */

	/* Release: pairs with the load in engine.c; all that the keeper and the members did is before it. */
	atomic_store_explicit(&ring->obeyed, word, memory_order_release);
	atomic_fetch_add_explicit(&arena->news, 1, memory_order_release);
	futex_wake_all(&arena->news);
}

/* The ring's host has ended: by command, by a member's failure, or by a signal. */
static void bury_host(struct keeper_rings *rings, struct ring_slot *ring, int status)
{
	bool must_stop = ring->is_closing || atomic_load_explicit(&rings->arena->stop, memory_order_acquire);

	rings->n_hosts--;
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
	rings->n_closing -= ring->is_closing;
	if (ring->is_closing)
		set_obeyed(ring, wanted_of(ring));
}

static void bury_sweeper(struct keeper_rings *rings, int status)
{
	bool must_stop = atomic_load_explicit(&rings->arena->stop, memory_order_acquire);

	sweeper_bury(rings->arena, rings->sweeper, status, must_stop);
	rings->sweeper = 0;
	rings->n_hosts--;
}

/* A signal that ends the run comes from a host, and is the front's, unless that has ended. */
static void read_signals(const struct keeper_rings *rings)
{
	struct signalfd_siginfo info;

	while (read(rings->signals, &info, sizeof(info)) == (ssize_t)sizeof(info))
		if (info.ssi_signo != SIGCHLD && getppid() == rings->front)
			kill(rings->front, (int)info.ssi_signo);
}

/* Children that are no hosts are members whose host has ended, or processes of loads. */
static void bury_hosts(void *data, short revents)
{
	struct keeper_rings *rings = data;
	int status;
	pid_t pid;

	/* First: one signal may be for several children that have ended, but for none that ends from now on.
	 */
	read_signals(rings);
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		for (uint32_t i = 0; i < arena_n_rings(rings->arena); i++)
			if (host_of(&rings->arena->rings[i]) == pid)
				bury_host(rings, &rings->arena->rings[i], status);
		keeper_loads_bury(rings->arena, pid);
		if (rings->sweeper == pid)
			bury_sweeper(rings, status);
	}
}

/* Where tasks are short, each ring gets all of its members before the next one starts. Otherwise several
 * rings could have some members, and none enough. */
static void wait_for_members(struct keeper_rings *rings, const struct ring_slot *ring)
{
	uint64_t until_ns = clock_now_ns() + MADE_NS;
	eventfd_t made;

	while (host_of(ring) && eventfd_read(rings->made, &made) < 0 && clock_now_ns() < until_ns) {
		struct loop loop;

		loop_begin(&loop);
		loop_watch(&loop, rings->made, POLLIN, NULL, NULL);
		loop_watch(&loop, rings->signals, POLLIN, bury_hosts, rings);
		loop_wake(&loop, until_ns, NULL, NULL);
		loop_wait(&loop);
	}
}

/* In a child: the front must notice the keeper's end, whatever children live on. */
static void close_own(void *data)
{
	const struct keeper_rings *rings = data;

	close(rings->socket);
	close(rings->bell);
	close(rings->signals);
}

static void open_ring(struct keeper_rings *rings, struct ring_slot *ring)
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
	eventfd_read(rings->made, &late);
	uint64_t forked_ns = clock_now_ns();
	pid_t pid = fork();

	/* Set by both, for the origin needs it at once. A ring without a host is not overdue. */
	if (pid >= 0)
		atomic_store_explicit(&ring->forked_ns, forked_ns, memory_order_relaxed);
	if (pid == 0) {
		close_own(rings);
		host_run(ring, keeper, rings->made);
	}
	if (pid < 0) {
		arena_fail(ring, "can't start its process: %s", task_no_more(-errno));
		undo_hops(ring, true);
		return;
	}
	rings->n_hosts++;
	atomic_store_explicit(&ring->host, pid, memory_order_relaxed);
	undo_hops(ring, false); /* its host has all of them by now */
	wait_for_members(rings, ring);
}

static void begin_closing(struct keeper_rings *rings, struct ring_slot *ring, uint64_t now_ns)
{
	ring->is_closing = true;
	ring->closing_ns = now_ns;
	rings->n_closing++;
	rings->wake_ns = now_ns;
	stop_command_ring(ring, RING_COMMAND_STOP);
}

/* Opens or closes a ring that is not as the front wants it. */
static void obey_word(struct keeper_rings *rings, struct ring_slot *ring)
{
	uint32_t wanted = wanted_of(ring);

	if (wanted == atomic_load_explicit(&ring->obeyed, memory_order_relaxed) || ring->is_closing)
		return;
	if (wanted % 2) {
		atomic_store_explicit(&ring->obeyed, wanted, memory_order_relaxed);
		open_ring(rings, ring);
	} else if (is_open(ring) && host_of(ring)) {
		begin_closing(rings, ring, clock_now_ns());
	} else {
		set_obeyed(ring, wanted);
	}
}

/* Once: a sweep that has ended does not begin again. */
static void obey_sweep(struct keeper_rings *rings)
{
	const int fds[] = {rings->socket, rings->bell, rings->signals, rings->made};
	struct sweep_board *board = rings->arena->sweep;

	/* Acquire: pairs with the release in keeper_sweep(). */
	if (!board || !atomic_exchange_explicit(&board->is_wanted, 0, memory_order_acquire))
		return;
	pid_t pid = sweeper_fork(rings->arena, fds, sizeof(fds) / sizeof(*fds));

	if (pid > 0) {
		rings->sweeper = pid;
		rings->n_hosts++;
	}
}

int keeper_rings_obey(struct keeper_rings *rings)
{
	int go_on = 1;

	while (go_on > 0 && rings->rung) {
		rings->rung = false;
		obey_sweep(rings);
		for (uint32_t i = 0;
			go_on > 0 && i < arena_n_rings(rings->arena) && !atomic_load(&rings->arena->stop);
			i++) {
			obey_word(rings, &rings->arena->rings[i]);
			go_on = keeper_rings_attend(rings, 0);
		}
		if (go_on > 0 && !atomic_load(&rings->arena->stop))
			keeper_loads_obey(rings->arena, close_own, rings);
	}
	return go_on;
}

/* Wakes the members of rings that are closing; from STOP_KILL_NS on ends their hosts. One host's end does not
 * wake the members of all others: they are woken once in STOP_REPEAT_NS. */
static void wake_members(void *data, short revents)
{
	struct keeper_rings *rings = data;
	uint64_t now_ns = clock_now_ns();

	for (uint32_t i = 0; i < arena_n_rings(rings->arena); i++) {
		const struct ring_slot *ring = &rings->arena->rings[i];
		pid_t host = host_of(ring);

		if (!ring->is_closing || !host)
			continue;
		stop_wake(ring, now_ns - ring->closing_ns);
		if (now_ns - ring->closing_ns >= STOP_KILL_NS) {
			kill(host, SIGKILL);
			stop_move_process(ring, host);
		}
	}
	rings->wake_ns = clock_now_ns() + STOP_REPEAT_NS;
}

static void answer_bell(void *data, short revents)
{
	struct keeper_rings *rings = data;
	eventfd_t count;

	rings->rung |= eventfd_read(rings->bell, &count) == 0;
}

static void read_word(void *data, short revents)
{
	struct keeper_rings *rings = data;
	char word;

	rings->go_on = recv(rings->socket, &word, 1, MSG_DONTWAIT) == 1 ? 0 : -1;
}

int keeper_rings_attend(struct keeper_rings *rings, uint64_t until_ns)
{
	struct loop loop;

	rings->go_on = 1;
	loop_begin(&loop);
	loop_watch(&loop, rings->signals, POLLIN, bury_hosts, rings);
	loop_watch(&loop, rings->socket, POLLIN, read_word, rings);
	loop_watch(&loop, rings->bell, POLLIN, answer_bell, rings);
	loop_wake(&loop, until_ns, NULL, NULL);
	if (rings->n_closing)
		loop_wake(&loop, rings->wake_ns, wake_members, rings);
	loop_wait(&loop);
	return rings->go_on;
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

void keeper_rings_end(struct keeper_rings *rings)
{
	uint64_t now_ns = clock_now_ns();

	stop_command(rings->arena);
	keeper_loads_kill(rings->arena);
	rings->socket = -1; /* no word of the front is read any more */
	for (uint32_t i = 0; i < arena_n_rings(rings->arena); i++)
		if (host_of(&rings->arena->rings[i]) && !rings->arena->rings[i].is_closing)
			begin_closing(rings, &rings->arena->rings[i], now_ns);
	if (rings->sweeper)
		sweeper_kill(rings->arena, rings->sweeper);
	while (rings->n_hosts || keeper_loads_are_left(rings->arena))
		keeper_rings_attend(rings, UINT64_MAX);
	reap_unnamed();
	for (uint32_t i = 0; i < arena_n_rings(rings->arena); i++)
		if (is_open(&rings->arena->rings[i]))
			undo_hops(&rings->arena->rings[i], true);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* keeper_rings.c - the keeper's part of each ring: its hops, its host, and its removal.
 *
 * Rings are opened one after the other, each with all its members before the next host is forked, or after
 * 100 ms: where tasks are short, the first rings run. `release` closes the keeper's copies of a hop once the
 * host is forked, so the keeper holds few descriptors whatever the number of rings. `remove` runs once no
 * member is left. */
#include "src/engine/keeper_rings.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/machine/task.h"
#include "src/ring/host.h"
#include "src/ring/ring_numa.h"
#include "src/ring/stop.h"

enum { UNNAMED_NS = 500000000, MADE_NS = 100000000 };

int keeper_rings_init(struct keeper_rings *rings, const struct arena *arena,
	const struct probe *const *registry, int socket)
{
	sigset_t ended;

	sigemptyset(&ended);
	sigaddset(&ended, SIGCHLD);
	*rings = (struct keeper_rings){.arena = arena,
		.registry = registry,
		.socket = socket,
		.signals = signalfd(-1, &ended, SFD_CLOEXEC | SFD_NONBLOCK),
		.made = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
		.pids = calloc(arena->head->n_rings, sizeof(*rings->pids))};
	if (rings->signals < 0 || rings->made < 0)
		return -errno;
	return rings->pids ? 0 : -ENOMEM;
}

static int until_ms(uint64_t until_ns, uint64_t now_ns)
{
	return (int)((until_ns - now_ns + 999999) / 1000000);
}

static struct ring_slot *ring_of(const struct keeper_rings *rings, uint32_t ring)
{
	return &rings->arena->head->rings[ring];
}

/* Releases the hops that are open; with @remove, also removes objects that outlive all processes. */
static void undo_hops(const struct keeper_rings *rings, struct ring_slot *ring, bool remove)
{
	const struct probe *probe = rings->registry[ring->probe];
	struct hop hop;

	for (unsigned h = 0; h < ring->n_members; h++) {
		struct hop_slot *slot = arena_hop(rings->arena, ring, h);

		if (slot->opened == HOP_CLOSED)
			continue;
		arena_open_handle(rings->arena, ring, probe, h, &hop);
		if (slot->opened == HOP_OPENED)
			probe_release(probe, &hop);
		if (remove && probe->remove)
			probe->remove(&hop);
		slot->opened = remove ? HOP_CLOSED : HOP_RELEASED;
	}
}

static int open_hops(const struct keeper_rings *rings, struct ring_slot *ring)
{
	const struct probe *probe = rings->registry[ring->probe];
	const char *missing = probe->missing ? probe->missing() : NULL;
	struct hop hop;

	if (missing) {
		arena_fail(rings->arena, ring, "%s", missing);
		return -ENOTSUP;
	}
	for (unsigned h = 0; h < ring->n_members; h++) {
		arena_open_handle(rings->arena, ring, probe, h, &hop);
		arena_hop(rings->arena, ring, h)->opened = HOP_OPENED;
		ring_numa_prefer(rings->arena, ring, h);
		int r = probe->open(&hop);
		ring_numa_prefer_local(rings->arena);

		if (r < 0) {
			arena_fail(rings->arena, ring, "%s", probe_explain(probe, r));
			return r;
		}
	}
	return 0;
}

static bool stopping(const struct keeper_rings *rings)
{
	return atomic_load_explicit(&rings->arena->head->stop, memory_order_acquire);
}

/* With --fork, the keeper becomes the parent of members that outlive their host (it is their subreaper). They
 * have got SIGKILL; a starved one is moved to a CPU where it can die. */
static void reap_members(const struct keeper_rings *rings, struct ring_slot *ring)
{
	for (unsigned m = 0; ring->fork && m < ring->n_members; m++) {
		const struct member_slot *member = arena_member(rings->arena, ring, m);
		pid_t pid = member->pid;

		if (pid <= 0 || waitpid(pid, NULL, WNOHANG) != 0)
			continue;
		kill(pid, SIGKILL);
		stop_move_process(rings->arena, ring, pid);
		waitpid(pid, NULL, 0);
	}
}

/* The ring's host has ended: by command, by a member's failure, or by a signal. */
static void bury_host(struct keeper_rings *rings, uint32_t i, int status)
{
	struct ring_slot *ring = ring_of(rings, i);
	pid_t pid = rings->pids[i];

	rings->pids[i] = 0;
	rings->n_hosts--;
	reap_members(rings, ring);
	atomic_store_explicit(&ring->ended_ns, clock_now_ns(), memory_order_relaxed);
	if (atomic_load(&ring->has_reason)) {
		/* The origin may have set another state after the failure. */
		arena_set_state(rings->arena, ring, RING_FAILED);
	} else {
		if (!stopping(rings) && WIFSIGNALED(status))
			arena_fail(rings->arena, ring, "its host (pid %d) was killed by signal %d (%s)", pid,
				WTERMSIG(status), strsignal(WTERMSIG(status)));
		else
			arena_set_state(rings->arena, ring, RING_GONE);
	}
	undo_hops(rings, ring, true);
	atomic_store_explicit(&ring->host, 0, memory_order_relaxed);
}

/* Children that are no hosts are members whose host has ended. */
static void bury_hosts(struct keeper_rings *rings)
{
	struct signalfd_siginfo info;
	int status;
	pid_t pid;

	/* Read first: one signal may be for several children that have ended, but for none that ends from now
	 * on. */
	ssize_t taken = read(rings->signals, &info, sizeof(info));

	(void)taken;
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		for (uint32_t i = 0; i < rings->n; i++)
			if (rings->pids[i] == pid)
				bury_host(rings, i, status);
}

/* Where tasks are short, each ring gets all of its members before the next one starts. Otherwise several
 * rings could have some members, and none enough. */
static void wait_for_members(struct keeper_rings *rings, uint32_t i)
{
	uint64_t until_ns = clock_now_ns() + MADE_NS, now_ns;
	struct pollfd fds[] = {
		{.fd = rings->made, .events = POLLIN},
		{.fd = rings->signals, .events = POLLIN},
	};
	eventfd_t made;

	while (rings->pids[i] && (now_ns = clock_now_ns()) < until_ns) {
		if (poll(fds, 2, until_ms(until_ns, now_ns)) <= 0)
			continue;
		if (eventfd_read(rings->made, &made) == 0)
			return;
		bury_hosts(rings);
	}
}

void keeper_rings_open(struct keeper_rings *rings, uint32_t i)
{
	struct ring_slot *ring = ring_of(rings, i);
	pid_t keeper = getpid();
	eventfd_t late; /* of an earlier ring */

	rings->n = i + 1;
	if (atomic_load_explicit(&ring->state, memory_order_relaxed) == RING_FAILED)
		return; /* by the plan */
	ring_numa_bind(rings->arena, ring);
	arena_set_state(rings->arena, ring, RING_OPENING);
	if (open_hops(rings, ring) < 0) {
		undo_hops(rings, ring, true);
		return;
	}
	atomic_store_explicit(&ring->forked_ns, clock_now_ns(), memory_order_relaxed);
	eventfd_read(rings->made, &late);
	pid_t pid = fork();

	if (pid == 0) {
		close(rings->socket);
		close(rings->signals);
		host_run(rings->arena, ring, rings->registry[ring->probe], keeper, rings->made);
	}
	if (pid < 0) {
		arena_fail(rings->arena, ring, "can't start its process: %s", task_no_more(-errno));
		atomic_store_explicit(&ring->forked_ns, 0, memory_order_relaxed);
		undo_hops(rings, ring, true);
		return;
	}
	rings->pids[i] = pid;
	rings->n_hosts++;
	atomic_store_explicit(&ring->host, pid, memory_order_relaxed);
	undo_hops(rings, ring, false); /* its host has all of them by now */
	wait_for_members(rings, i);
}

int keeper_rings_attend(struct keeper_rings *rings, int timeout_ms)
{
	struct pollfd fds[] = {
		{.fd = rings->signals, .events = POLLIN},
		{.fd = rings->socket, .events = POLLIN},
	};
	char word;

	if (poll(fds, 2, timeout_ms) < 0)
		return 1;
	if (fds[0].revents)
		bury_hosts(rings);
	if (!fds[1].revents)
		return 1;
	return recv(rings->socket, &word, 1, MSG_DONTWAIT) == 1 ? 0 : -1;
}

static void wake_all(struct keeper_rings *rings, uint64_t waited_ns)
{
	for (uint32_t i = 0; i < rings->n; i++) {
		struct ring_slot *ring = ring_of(rings, i);

		if (!rings->pids[i])
			continue;
		stop_wake(rings->arena, ring, rings->registry[ring->probe], waited_ns);
		if (waited_ns < STOP_KILL_NS)
			continue;
		kill(rings->pids[i], SIGKILL);
		stop_move_process(rings->arena, ring, rings->pids[i]);
	}
}

/* Collects ends for a while, so that not all other hosts are woken for each. */
static void bury_for_a_while(struct keeper_rings *rings)
{
	uint64_t until_ns = clock_now_ns() + STOP_REPEAT_NS, now_ns;

	while ((now_ns = clock_now_ns()) < until_ns && rings->n_hosts)
		keeper_rings_attend(rings, until_ms(until_ns, now_ns));
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
	uint64_t start_ns = clock_now_ns();

	stop_command(rings->arena);
	rings->socket = -1; /* no word of the front is read any more */
	while (rings->n_hosts) {
		wake_all(rings, clock_now_ns() - start_ns);
		bury_for_a_while(rings);
	}
	reap_unnamed();
	for (uint32_t i = 0; i < rings->n; i++)
		undo_hops(rings, ring_of(rings, i), true);
}

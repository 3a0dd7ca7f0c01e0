/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hosts.c - the keeper's part of each ring: its channels, the host that is forked for it, and its burial. */
#include "src/hosts.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "src/clock.h"
#include "src/host.h"
#include "src/place.h"
#include "src/stop.h"

enum { UNNAMED_NS = 500000000 };

int hosts_init(
	struct hosts *hosts, const struct arena *arena, const struct probe *const *registry, int socket)
{
	*hosts = (struct hosts){.arena = arena,
		.registry = registry,
		.socket = socket,
		.fds = calloc(1 + arena->head->n_rings, sizeof(*hosts->fds)),
		.polled = calloc(1 + arena->head->n_rings, sizeof(*hosts->polled))};
	if (!hosts->fds || !hosts->polled)
		return -ENOMEM;
	hosts->fds[0] = (struct pollfd){.fd = socket, .events = POLLIN};
	return 0;
}

static struct ring_slot *ring_of(const struct hosts *hosts, uint32_t ring)
{
	return &hosts->arena->head->rings[ring];
}

static void close_hops(const struct hosts *hosts, struct ring_slot *ring)
{
	const struct probe *probe = hosts->registry[ring->probe];
	struct hop hop;

	for (unsigned h = 0; h < ring->n_members; h++) {
		struct hop_slot *slot = arena_hop(hosts->arena, ring, h);

		if (!slot->opened)
			continue;
		arena_open_handle(hosts->arena, ring, probe, h, &hop);
		probe->close(&hop);
		slot->opened = 0;
	}
}

static int open_hops(const struct hosts *hosts, struct ring_slot *ring)
{
	const struct probe *probe = hosts->registry[ring->probe];
	const char *missing = probe->missing ? probe->missing() : NULL;
	struct hop hop;

	if (missing) {
		arena_fail(hosts->arena, ring, "%s", missing);
		return -ENOTSUP;
	}
	for (unsigned h = 0; h < ring->n_members; h++) {
		arena_open_handle(hosts->arena, ring, probe, h, &hop);
		arena_hop(hosts->arena, ring, h)->opened = 1;
		place_begin(hosts->arena, ring, h);
		int r = probe->open(&hop);
		place_end(hosts->arena);

		if (r < 0) {
			arena_fail(hosts->arena, ring, "%s", probe_explain(probe, r));
			return r;
		}
	}
	return 0;
}

/* In a host: what it inherits, and has no use for. Earlier rings' channels stay open in it; they go with
 * their last user. */
static void leave_keeper(const struct hosts *hosts)
{
	close(hosts->socket);
	for (uint32_t i = 0; i < hosts->n; i++)
		if (hosts->fds[1 + i].fd >= 0)
			close(hosts->fds[1 + i].fd);
}

/* Without a pidfd its end would go unseen: so it ends now. */
static void watch_host(struct hosts *hosts, uint32_t i, pid_t pid)
{
	struct ring_slot *ring = ring_of(hosts, i);

	atomic_store_explicit(&ring->host, pid, memory_order_relaxed);
	hosts->fds[1 + i].fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (hosts->fds[1 + i].fd >= 0)
		return;
	arena_fail(hosts->arena, ring, "its host can't be watched: %s", reason_error(-errno));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	atomic_store_explicit(&ring->ended_ns, clock_now_ns(), memory_order_relaxed);
	close_hops(hosts, ring);
}

void hosts_open(struct hosts *hosts, uint32_t i)
{
	struct ring_slot *ring = ring_of(hosts, i);
	pid_t keeper = getpid();

	hosts->fds[1 + i] = (struct pollfd){.fd = -1, .events = POLLIN};
	hosts->n = i + 1;
	if (atomic_load_explicit(&ring->state, memory_order_relaxed) == RING_FAILED)
		return; /* by the plan */
	place_ring(hosts->arena, ring);
	arena_set_state(hosts->arena, ring, RING_OPENING);
	if (open_hops(hosts, ring) < 0) {
		close_hops(hosts, ring);
		return;
	}
	atomic_store_explicit(&ring->forked_ns, clock_now_ns(), memory_order_relaxed);
	pid_t pid = fork();

	if (pid == 0) {
		leave_keeper(hosts);
		host_run(hosts->arena, ring, hosts->registry[ring->probe], keeper);
	}
	if (pid < 0) {
		arena_fail(hosts->arena, ring, "no more processes to be had (RLIMIT_NPROC, pids.max): %s",
			strerror(errno));
		atomic_store_explicit(&ring->forked_ns, 0, memory_order_relaxed);
		close_hops(hosts, ring);
		return;
	}
	watch_host(hosts, i, pid);
}

static bool stopping(const struct hosts *hosts)
{
	return atomic_load_explicit(&hosts->arena->head->stop, memory_order_acquire);
}

/* With --fork, members that outlive their host are adopted (the keeper is their subreaper). They have been
 * sent SIGKILL; one that is starved where it stands dies elsewhere. */
static void reap_members(const struct hosts *hosts, struct ring_slot *ring)
{
	for (unsigned m = 0; ring->fork && m < ring->n_members; m++) {
		const struct member_slot *member = arena_member(hosts->arena, ring, m);
		pid_t pid = member->pid;

		if (pid <= 0 || waitpid(pid, NULL, WNOHANG) != 0)
			continue;
		kill(pid, SIGKILL);
		stop_move_process(hosts->arena, ring, pid);
		waitpid(pid, NULL, 0);
	}
}

/* The ring's host has ended: by command, by a member's failure, or killed by whoever. */
static void bury(struct hosts *hosts, uint32_t i)
{
	struct ring_slot *ring = ring_of(hosts, i);
	int status = 0;

	waitpid(ring->host, &status, 0);
	close(hosts->fds[1 + i].fd);
	hosts->fds[1 + i].fd = -1;
	reap_members(hosts, ring);
	atomic_store_explicit(&ring->ended_ns, clock_now_ns(), memory_order_relaxed);
	if (atomic_load(&ring->has_reason)) {
		/* The origin may have said something else after the member that failed. */
		arena_set_state(hosts->arena, ring, RING_FAILED);
	} else {
		if (!stopping(hosts) && WIFSIGNALED(status))
			arena_fail(hosts->arena, ring, "its host (pid %d) was killed by signal %d (%s)",
				ring->host, WTERMSIG(status), strsignal(WTERMSIG(status)));
		else
			arena_set_state(hosts->arena, ring, RING_GONE);
	}
	close_hops(hosts, ring);
}

/* The kernel refuses to poll more than may be opened, and counts those that are not there too. */
static int poll_open(struct hosts *hosts, int timeout_ms)
{
	nfds_t n = 0;

	for (uint32_t i = 0; i <= hosts->n; i++)
		if (hosts->fds[i].fd >= 0)
			hosts->polled[n++] = hosts->fds[i];
	int r = poll(hosts->polled, n, timeout_ms);

	n = 0;
	for (uint32_t i = 0; i <= hosts->n; i++)
		hosts->fds[i].revents = hosts->fds[i].fd >= 0 ? hosts->polled[n++].revents : 0;
	return r;
}

int hosts_attend(struct hosts *hosts, int timeout_ms)
{
	char word;

	if (poll_open(hosts, timeout_ms) < 0)
		return 1;
	for (uint32_t i = 0; i < hosts->n; i++)
		if (hosts->fds[1 + i].fd >= 0 && hosts->fds[1 + i].revents)
			bury(hosts, i);
	if (!hosts->fds[0].revents)
		return 1;
	return recv(hosts->socket, &word, 1, MSG_DONTWAIT) == 1 ? 0 : -1;
}

static unsigned wake_all(struct hosts *hosts, uint64_t waited_ns)
{
	unsigned left = 0;

	for (uint32_t i = 0; i < hosts->n; i++) {
		struct ring_slot *ring = ring_of(hosts, i);

		if (hosts->fds[1 + i].fd < 0)
			continue;
		left++;
		stop_wake(hosts->arena, ring, hosts->registry[ring->probe], waited_ns);
		if (waited_ns < STOP_KILL_NS)
			continue;
		kill(ring->host, SIGKILL);
		stop_move_process(hosts->arena, ring, ring->host);
	}
	return left;
}

/* A host that was killed as it forked did not come to say which process that is. It dies of its parent's
 * end, and is the keeper's child now. */
static void reap_unnamed(void)
{
	const struct timespec pause = {.tv_nsec = STOP_REPEAT_NS};
	uint64_t start_ns = clock_now_ns();

	while (waitpid(-1, NULL, WNOHANG) >= 0 && clock_now_ns() - start_ns < UNNAMED_NS)
		clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
}

void hosts_end(struct hosts *hosts)
{
	uint64_t start_ns = clock_now_ns();

	stop_command(hosts->arena);
	hosts->fds[0].fd = -1;
	while (wake_all(hosts, clock_now_ns() - start_ns))
		hosts_attend(hosts, STOP_REPEAT_NS / 1000000);
	reap_unnamed();
	for (uint32_t i = 0; i < hosts->n; i++)
		close_hops(hosts, ring_of(hosts, i));
}

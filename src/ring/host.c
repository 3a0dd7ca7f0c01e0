/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host.c - the process of one ring: its threads are the members, or with --fork its children are. */
#include "src/ring/host.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/base/futex.h"
#include "src/machine/memory.h"
#include "src/machine/task.h"
#include "src/ring/lost_token.h"
#include "src/ring/member.h"
#include "src/ring/stop.h"

struct host {
	const struct arena *arena;
	struct ring_slot *ring;
	const struct probe *probe;
	struct member *members;
	unsigned n_started;
	unsigned n_reaped; /* processes */
	int made;          /* see keeper_rings.h */
};

static void no_op(int signal)
{
}

/* Members are woken by a signal without SA_RESTART; all others are blocked. A process that outlives @parent
 * gets SIGKILL. */
static void host_signals(pid_t parent)
{
	struct sigaction action = {.sa_handler = no_op};
	sigset_t all;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	sigaction(MEMBER_WAKE, &action, NULL);
	sigfillset(&all);
	sigdelset(&all, MEMBER_WAKE);
	sigprocmask(SIG_SETMASK, &all, NULL);
}

static void lock(struct ring_slot *ring, void *start, size_t size)
{
	if (memory_lock(start, size) != 0)
		atomic_fetch_or_explicit(&ring->shortcomings, SHORT_OF_LOCKED_MEMORY, memory_order_relaxed);
}

static void lock_area(const struct arena *arena, struct ring_slot *ring)
{
	lock(ring, arena->head, sizeof(*arena->head));
	lock(ring, ring, sizeof(*ring));
	lock(ring, arena_at(arena, ring->area), ring->area_size);
}

/* In a process of its own, locks only the memory that this member uses: locking all of a large ring in each
 * process would take seconds, and more memory for page tables than for pages. */
static void lock_share(const struct member *member)
{
	const struct arena *arena = member->arena;
	struct ring_slot *ring = member->ring;
	struct member_slot *slot = arena_member(arena, ring, member->index);
	unsigned in = arena_hop_before(ring, member->index);

	lock(ring, arena->head, sizeof(*arena->head));
	lock(ring, ring, sizeof(*ring));
	lock(ring, slot, sizeof(*slot));
	lock(ring, arena_hop(arena, ring, in), ring->hop_stride);
	lock(ring, arena_hop(arena, ring, member->index), ring->hop_stride);
	for (unsigned f = 0; f < N_LIVE_FIGURES; f++)
		if (slot->live[f])
			lock(ring, arena_at(arena, slot->live[f]), sizeof(struct hist_live));
}

static void *member_thread(void *member)
{
	member_run(member);
	return NULL;
}

static struct member_slot *slot_of(const struct member *member)
{
	return arena_member(member->arena, member->ring, member->index);
}

static int start_thread(struct member *member)
{
	pthread_attr_t attributes;
	pthread_t thread;

	atomic_store_explicit(&slot_of(member)->pid, getpid(), memory_order_relaxed);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, MEMORY_STACK_SIZE);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	int r = -pthread_create(&thread, &attributes, member_thread, member);

	pthread_attr_destroy(&attributes);
	return r;
}

static int start_process(struct member *member, int made)
{
	pid_t host = getpid(), pid = fork();

	if (pid < 0)
		return -errno;
	if (pid > 0) {
		atomic_store_explicit(&slot_of(member)->pid, pid, memory_order_relaxed);
		return 0;
	}
	host_signals(host);
	close(made);
	/* Locks are not inherited. Where locking fails, the pages are at least present. */
	lock_share(member);
	member_run(member);
	_exit(0);
}

static int start_members(struct host *host)
{
	unsigned n = host->ring->alone ? 1 : host->ring->n_members;

	for (; host->n_started < n; host->n_started++) {
		struct member *member = &host->members[host->n_started];

		*member = (struct member){host->arena, host->ring, host->probe, host->n_started};
		int r = host->ring->fork ? start_process(member, host->made) : start_thread(member);

		if (r < 0) {
			arena_fail(host->arena, host->ring, "can't start a %s for member %u: %s",
				host->ring->fork ? "process" : "thread", host->n_started, task_no_more(r));
			return r;
		}
	}
	eventfd_write(host->made, 1);
	close(host->made);
	return 0;
}

/* Returns how many members have reached @stage, ended ones included. */
static unsigned arrived(const struct host *host, enum member_stage stage)
{
	unsigned n = 0;

	for (unsigned m = 0; m < host->n_started; m++)
		n += atomic_load_explicit(
			     &arena_member(host->arena, host->ring, m)->stage, memory_order_acquire) >= stage;
	return n;
}

/* Records the death of a member process that did not end by itself: SIGKILL, or a library that aborted. */
static void bury_member(struct host *host, pid_t pid, int status)
{
	for (unsigned m = 0; m < host->n_started; m++) {
		struct member_slot *member = arena_member(host->arena, host->ring, m);

		if (member->pid != pid || member->stage >= MEMBER_ENDED)
			continue;
		atomic_store_explicit(&member->stage, MEMBER_FAILED, memory_order_release);
		if (WIFSIGNALED(status))
			arena_fail(host->arena, host->ring, "member %u (pid %d) was killed by signal %d (%s)",
				m, pid, WTERMSIG(status), strsignal(WTERMSIG(status)));
		else
			arena_fail(host->arena, host->ring, "member %u (pid %d) exited by itself", m, pid);
	}
}

static void reap(struct host *host, int options)
{
	int status;
	pid_t pid;

	while (host->n_reaped < host->n_started && (pid = waitpid(-1, &status, options)) != 0) {
		if (pid < 0 && errno == EINTR)
			return;
		host->n_reaped++;
		if (pid > 0)
			bury_member(host, pid, status);
		options |= WNOHANG;
	}
}

static bool stopping(const struct host *host)
{
	return atomic_load_explicit(&host->ring->command, memory_order_acquire) == RING_COMMAND_STOP ||
	       atomic_load_explicit(&host->arena->head->stop, memory_order_acquire);
}

/* Waits until all members have reached @stage. Returns false where one has ended before, or all must end. */
static bool gather(struct host *host, enum member_stage stage)
{
	const struct timespec while_forked = {.tv_nsec = 20000000}; /* a child's death wakes no futex */

	for (;;) {
		uint32_t arrivals = atomic_load_explicit(&host->ring->arrivals, memory_order_acquire);

		if (host->ring->fork)
			reap(host, WNOHANG);
		if (arrived(host, MEMBER_ENDED) || stopping(host))
			return false;
		if (arrived(host, stage) == host->n_started) {
			atomic_store_explicit(&host->ring->go, stage, memory_order_release);
			futex_wake_all(&host->ring->go);
			return true;
		}
		futex_wait(&host->ring->arrivals, arrivals, host->ring->fork ? &while_forked : NULL);
	}
}

/* Sleeps until a member has ended, by itself or by command. Where tokens may be lost, it wakes up regularly:
 * only the host can wake an origin that waits for a lost token. */
static void watch(struct host *host)
{
	const struct timespec look = {.tv_nsec = LOST_TOKEN_CHECK_NS};
	bool looks = host->probe->traits & PROBE_MAY_LOSE;

	while (!arrived(host, MEMBER_ENDED)) {
		uint32_t arrivals = atomic_load_explicit(&host->ring->arrivals, memory_order_acquire);

		if (host->ring->fork)
			reap(host, looks ? WNOHANG : 0);
		if ((looks || !host->ring->fork) && !arrived(host, MEMBER_ENDED))
			futex_wait(&host->ring->arrivals, arrivals, looks ? &look : NULL);
		if (looks)
			lost_token_wake(host->arena, host->ring, clock_now_ns());
	}
}

/* Ends all members. Threads that don't end do so with this process, processes when it is gone. */
static void end_members(struct host *host)
{
	const struct timespec pause = {.tv_nsec = STOP_REPEAT_NS};
	uint64_t start_ns = clock_now_ns(), waited_ns = 0;

	stop_command_ring(host->ring);
	while (waited_ns < STOP_KILL_NS && stop_wake(host->arena, host->ring, host->probe, waited_ns)) {
		clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
		if (host->ring->fork)
			reap(host, WNOHANG);
		waited_ns = clock_now_ns() - start_ns;
	}
}

_Noreturn void host_run(
	const struct arena *arena, struct ring_slot *ring, const struct probe *probe, pid_t keeper, int made)
{
	struct host host = {.arena = arena, .ring = ring, .probe = probe, .made = made};
	char name[32];

	host_signals(keeper);
	snprintf(name, sizeof(name), "%.9s:%u", probe->name, ring->id);
	prctl(PR_SET_NAME, name);
	/* A thread that chrt(1) changes from real-time to other gets its creator's slack. */
	prctl(PR_SET_TIMERSLACK, 1);
	lock_area(arena, ring);
	host.members = calloc(ring->n_members, sizeof(*host.members));
	if (!host.members)
		arena_fail(arena, ring, "no memory for %u members", ring->n_members);
	else if (start_members(&host) == 0 && gather(&host, MEMBER_RECEIVES) && gather(&host, MEMBER_SENDS))
		watch(&host);
	end_members(&host);
	_exit(0);
}

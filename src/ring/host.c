/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host.c - the process of one ring: its threads are the members, or with --fork its children are. */
#include "src/ring/host.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/base/futex.h"
#include "src/base/process_words.h"
#include "src/machine/memory.h"
#include "src/machine/task.h"
#include "src/ring/member.h"
#include "src/ring/stop.h"

enum {
	STACK_SIZE = 128 * 1024,   /* of a member's thread */
	LOSS_CHECK_NS = 100000000, /* where tokens may be lost */
};

/* Members are processes of their own with --fork. */
struct host {
	struct arena_ring *ring;
	bool forks;
	unsigned n_started;
	unsigned n_reaped; /* processes */
	int made;          /* an eventfd of the keeper: counted up once all members are there */
};

static void no_op(int signal)
{
}

/* The parent is alive: its children die with it. */
static void pass_to_parent(int signal)
{
	kill(getppid(), signal);
}

/* Members are woken by a signal without SA_RESTART; all others are blocked. But users find the hosts of a
 * compat tool by the tool's name, and end the run by a signal to them: it goes on to the front, by the
 * keeper. A process that outlives @parent gets SIGKILL. */
static void host_signals(const struct config *config, pid_t parent)
{
	struct sigaction wake = {.sa_handler = no_op};
	struct sigaction end = {.sa_handler = pass_to_parent, .sa_flags = SA_RESTART};
	sigset_t blocked;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	sigaction(MEMBER_WAKE, &wake, NULL);
	sigfillset(&blocked);
	sigdelset(&blocked, MEMBER_WAKE);
	for (size_t i = 0; config->tool.words && i < N_STOP_SIGNALS; i++) {
		sigaction(stop_signals[i], &end, NULL);
		sigdelset(&blocked, stop_signals[i]);
	}
	sigprocmask(SIG_SETMASK, &blocked, NULL);
}

static void name_host(const struct arena_ring *ring)
{
	const struct process_words *words = ring->arena->config->tool.words;
	char name[32];

	snprintf(name, sizeof(name), "%.9s:%u", ring->probe->name, ring->plan.id);
	prctl(PR_SET_NAME, name);
	if (words)
		process_words_show(words, true);
}

static void lock_memory(struct arena_ring *ring, void *start, size_t size)
{
	if (memory_lock(start, size) != 0)
		atomic_fetch_or_explicit(&ring->shortcomings, SHORT_OF_LOCKED_MEMORY, memory_order_relaxed);
}

/* The words of all rings that a member needs, and this ring's. */
static void lock_heads(struct arena_ring *ring)
{
	lock_memory(ring, ring->arena, sizeof(*ring->arena));
	lock_memory(ring, ring, sizeof(*ring));
}

/* In a process of its own, locks only the memory that this member uses: locking all of a large ring in each
 * process would take seconds, and more memory for page tables than for pages. */
static void lock_share(struct arena_member *member)
{
	struct arena_ring *ring = member->ring;
	unsigned index = arena_member_index(member), in = arena_hop_before(ring, index);

	lock_heads(ring);
	lock_memory(ring, member, sizeof(*member));
	lock_memory(ring, arena_hop(ring, in), ring->hop_stride);
	lock_memory(ring, arena_hop(ring, index), ring->hop_stride);
	for (unsigned f = 0; f < N_LIVE_FIGURES; f++)
		if (member->live[f])
			lock_memory(ring, member->live[f], sizeof(*member->live[f]));
}

static void *member_thread(void *member)
{
	member_run(member);
	return NULL;
}

static int start_thread(struct arena_member *member)
{
	pthread_attr_t attributes;
	pthread_t thread;

	atomic_store_explicit(&member->pid, getpid(), memory_order_relaxed);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_SIZE);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	int r = -pthread_create(&thread, &attributes, member_thread, member);

	pthread_attr_destroy(&attributes);
	return r;
}

static int start_process(struct arena_member *member, int made)
{
	pid_t host = getpid(), pid = fork();

	if (pid < 0)
		return -errno;
	if (pid > 0) {
		atomic_store_explicit(&member->pid, pid, memory_order_relaxed);
		return 0;
	}
	host_signals(member->ring->arena->config, host);
	close(made);
	/* Locks are not inherited. Where locking fails, the pages are at least present. */
	lock_share(member);
	member_run(member);
	_exit(0);
}

static int start_members(struct host *host)
{
	unsigned n = host->ring->arena->config->tool.alone ? 1 : host->ring->n_members;

	for (; host->n_started < n; host->n_started++) {
		struct arena_member *member = &host->ring->members[host->n_started];
		int r = host->forks ? start_process(member, host->made) : start_thread(member);

		if (r < 0) {
			arena_fail(host->ring, "can't start a %s for member %u: %s",
				host->forks ? "process" : "thread", host->n_started,
				host->forks ? task_no_more(r) : task_no_thread(r, STACK_SIZE));
			return r;
		}
	}
	eventfd_write(host->made, 1);
	close(host->made);
	return 0;
}

/* Returns how many members have reached @stage, ended ones included. */
static unsigned count_arrived(const struct host *host, enum member_stage stage)
{
	unsigned n = 0;

	for (unsigned m = 0; m < host->n_started; m++)
		n += atomic_load_explicit(&host->ring->members[m].stage, memory_order_acquire) >= stage;
	return n;
}

/* The kernel sets the mark before it frees what the process holds. */
static bool is_dying(const struct arena_member *member)
{
	struct task_stat stat;

	return member->stage < MEMBER_ENDED && task_read_stat(member->pid, member->pid, &stat) == 0 &&
	       stat.flags & TASK_EXITING;
}

/* A library aborts where it finds that a process died with a lock, as glibc does with priority inheritance.
 * That process may be buried later, and is the cause. */
static bool aborted_after_another(const struct host *host, int status)
{
	if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT)
		return false;
	for (unsigned m = 0; m < host->n_started; m++)
		if (is_dying(&host->ring->members[m]))
			return true;
	return false;
}

/* Records the death of a member process that did not end by itself: SIGKILL, or a library that aborted. */
static void bury_member(struct host *host, pid_t pid, int status)
{
	for (unsigned m = 0; m < host->n_started; m++) {
		struct arena_member *member = &host->ring->members[m];

		if (member->pid != pid || member->stage >= MEMBER_ENDED)
			continue;
		atomic_store_explicit(&member->stage, MEMBER_ENDED, memory_order_release);
		if (aborted_after_another(host, status))
			continue;
		if (WIFSIGNALED(status))
			arena_fail(host->ring, "member %u (pid %d) was killed by signal %d (%s)", m, pid,
				WTERMSIG(status), strsignal(WTERMSIG(status)));
		else
			arena_fail(host->ring, "member %u (pid %d) exited by itself", m, pid);
	}
}

static void reap_members(struct host *host, int options)
{
	int status;
	pid_t pid;

	while (host->forks && host->n_reaped < host->n_started &&
		(pid = waitpid(-1, &status, options)) != 0) {
		if (pid < 0 && errno == EINTR)
			return;
		host->n_reaped++;
		if (pid > 0)
			bury_member(host, pid, status);
		options |= WNOHANG;
	}
}

static bool must_stop(const struct arena_ring *ring)
{
	return atomic_load_explicit(&ring->command, memory_order_acquire) == RING_COMMAND_STOP ||
	       atomic_load_explicit(&ring->arena->stop, memory_order_acquire);
}

/* Waits until all members have reached @stage. Returns false where one has ended before, or all must end. */
static bool wait_for_members(struct host *host, enum member_stage stage)
{
	const struct timespec while_forked = {.tv_nsec = 20000000}; /* a child's death wakes no futex */
	struct arena_ring *ring = host->ring;

	for (;;) {
		uint32_t arrivals = atomic_load_explicit(&ring->arrivals, memory_order_acquire);

		reap_members(host, WNOHANG);
		if (count_arrived(host, MEMBER_ENDED) || must_stop(ring))
			return false;
		if (count_arrived(host, stage) == host->n_started) {
			atomic_store_explicit(&ring->go, stage, memory_order_release);
			futex_wake_all(&ring->go);
			return true;
		}
		futex_wait(&ring->arrivals, arrivals, host->forks ? &while_forked : NULL);
	}
}

/* Wakes an origin that has waited for LOST_TOKEN_NS, which then declares its token lost. A deadline in its
 * receive would arm a timer within the measured window. */
static void wake_if_token_is_lost(const struct arena_ring *ring, uint64_t now_ns)
{
	const struct arena_member *origin = ring->members;
	uint64_t sent_ns = atomic_load_explicit(&arena_hop(ring, 0)->stamp.sent_ns, memory_order_relaxed);

	if (!atomic_load_explicit(&origin->turn_ns, memory_order_relaxed) ||
		atomic_load_explicit(&origin->turn_end_ns, memory_order_relaxed))
		return;
	/* It sleeps until its next due: no token is under way. */
	if (atomic_load_explicit(&origin->due_ns, memory_order_relaxed) > now_ns)
		return;
	if (sent_ns && sent_ns + LOST_TOKEN_NS <= now_ns)
		stop_signal_member(origin);
}

/* Sleeps until a member has ended, by itself or by command. Where tokens may be lost, it wakes up regularly:
 * only the host can wake an origin that waits for a lost token. */
static void wait_for_end(struct host *host)
{
	const struct timespec pause = {.tv_nsec = LOSS_CHECK_NS};
	bool may_lose = host->ring->probe->traits & PROBE_MAY_LOSE;

	while (!count_arrived(host, MEMBER_ENDED)) {
		uint32_t arrivals = atomic_load_explicit(&host->ring->arrivals, memory_order_acquire);

		reap_members(host, may_lose ? WNOHANG : 0);
		if ((may_lose || !host->forks) && !count_arrived(host, MEMBER_ENDED))
			futex_wait(&host->ring->arrivals, arrivals, may_lose ? &pause : NULL);
		if (may_lose)
			wake_if_token_is_lost(host->ring, clock_now_ns());
	}
}

/* Ends all members. Threads that don't end do so with this process, processes when it is gone. */
static void end_members(struct host *host)
{
	const struct timespec pause = {.tv_nsec = STOP_REPEAT_NS};
	uint64_t start_ns = clock_now_ns(), waited_ns = 0;

	stop_command_ring(host->ring, RING_COMMAND_STOP);
	while (waited_ns < STOP_KILL_NS && stop_wake(host->ring, waited_ns)) {
		clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
		reap_members(host, WNOHANG);
		waited_ns = clock_now_ns() - start_ns;
	}
}

_Noreturn void host_run(struct arena_ring *ring, pid_t keeper, int made)
{
	struct host host = {.ring = ring, .forks = ring->arena->config->fork, .made = made};

	host_signals(ring->arena->config, keeper);
	name_host(ring);
	/* A thread that chrt(1) changes from real-time to other gets its creator's slack. */
	prctl(PR_SET_TIMERSLACK, 1);
	lock_heads(ring);
	lock_memory(ring, ring->area, ring->area_size);
	if (start_members(&host) == 0 && wait_for_members(&host, MEMBER_RECEIVES) &&
		wait_for_members(&host, MEMBER_SENDS))
		wait_for_end(&host);
	end_members(&host);
	_exit(0);
}

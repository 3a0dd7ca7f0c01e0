/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clock_skew.c - measures how far the clocks of CPUs differ. */
#include "src/machine/clock_skew.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/base/futex.h"
#include "src/machine/cpus.h"
#include "src/machine/fact_rows.h"
#include "src/machine/task.h"

enum { STACK_SIZE = 128 << 10, THREADS = 2, USERS = THREADS + 1 };

static const uint64_t poll_ns = 100000, end_patience_ns = 1000000000;
static const struct clock_pace quick = {.usual_ns = 200000, .longest_ns = 10000000, .ways = 200};
static const uint64_t longest_of_all_ns = 100000000;

/* Shared by the two threads and their caller; the last one to leave frees it. */
struct way {
	_Alignas(64) _Atomic uint64_t word;       /* odd: on its way there; even: back */
	_Alignas(64) _Atomic uint64_t arrived_ns; /* written before the word comes back */
	_Alignas(64) struct clock_pair pair;      /* the first thread's, until it is done */
	struct clock_pace pace;
	pthread_t threads[THREADS];
	_Atomic pid_t tids[THREADS]; /* 0: it has not begun */
	atomic_int n_ready, n_users, error;
	atomic_bool ends;
	_Atomic uint32_t is_done; /* a futex */
};

static void leave(struct way *way)
{
	if (atomic_fetch_sub(&way->n_users, 1) == 1)
		free(way);
}

/* Pins this thread, and waits until both are ready. Returns whether they are. */
static bool meet_partner(struct way *way, unsigned i, unsigned cpu)
{
	const struct timespec delay = clock_timespec(poll_ns);
	/* First: on a busy CPU it may not get so far, and who does not know it can't move it away. */
	atomic_store(&way->tids[i], (pid_t)syscall(SYS_gettid));
	int r = task_pin(0, cpu);

	if (r < 0) {
		if (!atomic_exchange(&way->ends, true)) /* or else the caller has moved it */
			atomic_store(&way->error, r);
		return false;
	}
	if (way->pace.priority)
		task_set_policy(
			0, (struct task_policy){.policy = SCHED_FIFO, .priority = way->pace.priority});
	atomic_fetch_add(&way->n_ready, 1);
	while (atomic_load(&way->n_ready) < THREADS && !atomic_load(&way->ends))
		nanosleep(&delay, NULL);
	return !atomic_load(&way->ends);
}

static void *answer(void *data)
{
	struct way *way = data;

	if (meet_partner(way, 0, way->pair.b))
		for (uint64_t last = 0; !atomic_load_explicit(&way->ends, memory_order_relaxed);) {
			/* Acquire, release: pair with those of pass(). */
			uint64_t word = atomic_load_explicit(&way->word, memory_order_acquire);

			if (word == last)
				continue;
			atomic_store_explicit(&way->arrived_ns, clock_now_ns(), memory_order_relaxed);
			last = word + 1;
			atomic_store_explicit(&way->word, last, memory_order_release);
		}
	leave(way);
	return NULL;
}

/* Sends the word there, and waits for it. Returns whether it came back before @end_ns. */
static bool pass(struct way *way, struct clock_pair *pair, uint64_t end_ns)
{
	uint64_t word = 2 * pair->n + 1, sent_ns = clock_now_ns(), back_ns = sent_ns;

	atomic_store_explicit(&way->word, word, memory_order_release);
	while (atomic_load_explicit(&way->word, memory_order_acquire) == word)
		if ((back_ns = clock_now_ns()) > end_ns ||
			atomic_load_explicit(&way->ends, memory_order_relaxed))
			return false;
	back_ns = clock_now_ns();
	uint64_t arrived_ns = atomic_load_explicit(&way->arrived_ns, memory_order_relaxed);
	int64_t there = (int64_t)(arrived_ns - sent_ns), back = (int64_t)(back_ns - arrived_ns);

	if (!pair->n || there < pair->there_ns)
		pair->there_ns = there;
	if (!pair->n || back < pair->back_ns)
		pair->back_ns = back;
	pair->n++;
	return true;
}

static void *ask(void *data)
{
	struct way *way = data;
	const struct clock_pace *pace = &way->pace;

	if (meet_partner(way, 1, way->pair.a)) {
		uint64_t start_ns = clock_now_ns(), end_ns = start_ns + pace->longest_ns;

		while (way->pair.n < pace->ways || clock_now_ns() - start_ns < pace->usual_ns)
			if (!pass(way, &way->pair, end_ns))
				break;
	}
	atomic_store(&way->ends, true);
	atomic_store(&way->is_done, 1); /* the caller may read the pair */
	futex_wake_all(&way->is_done);
	leave(way);
	return NULL;
}

/* Returns 0 or a negative errno. */
static int start_thread(struct way *way, unsigned i, void *(*run)(void *))
{
	pthread_attr_t attributes;
	int r = -pthread_attr_init(&attributes);

	if (r < 0)
		return r;
	pthread_attr_setstacksize(&attributes, STACK_SIZE);
	r = -pthread_create(&way->threads[i], &attributes, run, way);
	pthread_attr_destroy(&attributes);
	return r;
}

/* Threads that get no CPU in time are told to end. Returns whether they are done. */
static bool await(struct way *way, uint64_t end_ns)
{
	for (uint64_t now_ns = clock_now_ns(); !atomic_load(&way->is_done) && now_ns < end_ns;
		now_ns = clock_now_ns()) {
		const struct timespec rest = clock_timespec(end_ns - now_ns);

		futex_wait(&way->is_done, 0, &rest);
	}
	atomic_store(&way->ends, true);
	return atomic_load(&way->is_done);
}

/* Waits until the thread is gone, as limits of tasks count it until then. Its CPU may be another task's for
 * long: to end it goes to @cpus, where the caller runs. */
static void end_thread(struct way *way, unsigned i, const struct cpus *cpus, uint64_t end_ns)
{
	const struct timespec moment = clock_timespec(poll_ns);

	while (clock_now_ns() < end_ns) {
		pid_t tid = atomic_load(&way->tids[i]); /* it may pin itself later */

		if (tid && syscall(SYS_tgkill, getpid(), tid, 0) < 0)
			break;
		if (tid)
			task_set_affinity(tid, cpus);
		nanosleep(&moment, NULL);
	}
	if (pthread_tryjoin_np(way->threads[i], NULL) != 0)
		pthread_detach(way->threads[i]);
}

static void end_threads(struct way *way, unsigned n)
{
	uint64_t end_ns = clock_now_ns() + end_patience_ns;
	struct cpus cpus;

	if (task_get_affinity(0, &cpus) < 0)
		end_ns = 0;
	for (unsigned i = 0; i < n; i++)
		end_thread(way, i, &cpus, end_ns);
}

int clock_pair_measure(struct clock_pair *pair, const struct clock_pace *pace)
{
	struct way *way = aligned_alloc(_Alignof(struct way), sizeof(*way));
	sigset_t all, before;

	pair->n = 0;
	if (!way)
		return -ENOMEM;
	*way = (struct way){.pair = *pair, .pace = *pace, .n_users = USERS};
	sigfillset(&all); /* the threads may outlive the call, and take no signals */
	pthread_sigmask(SIG_BLOCK, &all, &before);
	int r = start_thread(way, 0, answer), r_ask = r < 0 ? r : start_thread(way, 1, ask);
	unsigned n = (r == 0) + (r_ask == 0);

	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (n < THREADS)
		atomic_store(&way->ends, true);
	else if (await(way, clock_now_ns() + 2 * pace->longest_ns))
		*pair = way->pair;
	end_threads(way, n);
	atomic_fetch_sub(&way->n_users, (int)(THREADS - n)); /* those that did not start */
	r = n < THREADS ? r_ask : atomic_load(&way->error);
	leave(way);
	return r;
}

/* --- as a fact --- */

enum { ROW_SIZE = 64 };

struct fact_rows *clock_skew_read(const struct cpus *cpus)
{
	int first = cpus_next(cpus, -1);
	size_t size = ROW_SIZE * (size_t)(cpus_count(cpus) + 1), n;
	char *text = first < 0 ? NULL : malloc(size);
	uint64_t end_ns = clock_now_ns() + longest_of_all_ns;

	if (!text)
		return NULL;
	n = (size_t)snprintf(text, size, "%d:0..0ns", first);
	for (int cpu = first; (cpu = cpus_next(cpus, cpu)) >= 0 && clock_now_ns() < end_ns;) {
		struct clock_pair pair = {.a = (unsigned)first, .b = (unsigned)cpu};

		if (clock_pair_measure(&pair, &quick) == 0 && pair.n)
			n += (size_t)snprintf(text + n, size - n, " %d:%lld..%lldns", cpu,
				(long long)-pair.back_ns, (long long)pair.there_ns);
	}
	struct fact_rows *rows = fact_rows_parse(text);

	free(text);
	return rows;
}

/* Reads "-85..92ns" of a CPU. */
static bool read_row(const struct fact_rows *rows, unsigned cpu, int64_t *least_ns, int64_t *most_ns)
{
	for (size_t i = 0; rows && i < rows->n; i++) {
		long long least, most;

		if (cpu < rows->rows[i].first || cpu > rows->rows[i].last)
			continue;
		if (sscanf(rows->rows[i].value, "%lld..%lldns", &least, &most) != 2)
			return false;
		*least_ns = least;
		*most_ns = most;
		return true;
	}
	return false;
}

bool clock_skew_between(
	const struct fact_rows *rows, unsigned a, unsigned b, int64_t *least_ns, int64_t *most_ns)
{
	int64_t least_a, most_a, least_b, most_b;

	if (a == b) {
		*least_ns = *most_ns = 0;
		return true;
	}
	if (!read_row(rows, a, &least_a, &most_a) || !read_row(rows, b, &least_b, &most_b))
		return false;
	*least_ns = least_b - most_a;
	*most_ns = most_b - least_a;
	return true;
}

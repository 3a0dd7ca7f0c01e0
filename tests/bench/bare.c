/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bare - laps of two threads, written by hand: bench_bare KIND CPU CPU PRIORITY LAPS [INTERVAL_US]
 *
 * Of shm, futex, eventfd and pipe: what ipctop's probe does, at the same places of the same kind of memory,
 * and the clock where ipctop reads it: each member after it has received, and before it sends. Nothing else.
 * perf-pipe: what `perf bench sched pipe -T` does, which reads no clock but before and after all laps, and
 * can't pin its threads: here they are pinned.
 *
 * PRIORITY is of SCHED_FIFO, 0 for SCHED_OTHER. Prints one JSON object: op_ns, from the first start to the
 * last end, and with a clock lap_ns, from sent to received, each divided by the laps. With INTERVAL_US a lap
 * starts each so many microseconds, after a sleep, and median_ns is the median of the laps. */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <time.h>

#include "src/base/clock.h"
#include "src/base/futex.h"

enum { WARMUP_LAPS = 1000, INLINE_TOKEN = 4 };

#define INLINE static inline __attribute__((always_inline))

/* A hop as it lies in the arena: word and token behind the stamp, on its line. */
struct hop {
	alignas(64) uint64_t stamp[3];
	_Atomic uint32_t word;
	char token[INLINE_TOKEN];
};

struct end {
	struct hop *hop;
	int fd;
	uint32_t seen;
	char token[INLINE_TOKEN];
};

/* Its ends are written each lap, and share no line with the other's. */
struct member {
	alignas(128) struct end in, out;
	bool leads;
	unsigned cpu;
	int priority;
	uint64_t laps;
	void (*run)(struct member *member);
	pthread_barrier_t *barrier;
	uint64_t op_ns, lap_ns; /* of all its laps; only who leads has them */
	uint64_t interval_ns;   /* 0: without a pause */
	uint64_t *laps_ns;      /* owned by main(); has room for WARMUP_LAPS, too; NULL: laps are not kept */
};

static void check(bool fine, const char *what)
{
	if (fine)
		return;
	perror(what);
	exit(EXIT_FAILURE);
}

INLINE void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

/* Release and acquire: the token is there when the word is. */
INLINE void shm_send(struct end *end)
{
	end->hop->token[0] = end->token[0];
	atomic_store_explicit(&end->hop->word, ++end->seen, memory_order_release);
}

INLINE void shm_receive(struct end *end)
{
	while (atomic_load_explicit(&end->hop->word, memory_order_acquire) == end->seen)
		relax();
	end->token[0] = end->hop->token[0];
	end->seen++;
}

INLINE void futex_send(struct end *end)
{
	atomic_store_explicit(&end->hop->word, ++end->seen, memory_order_release);
	syscall(SYS_futex, &end->hop->word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

INLINE void futex_receive(struct end *end)
{
	while (atomic_load_explicit(&end->hop->word, memory_order_acquire) == end->seen)
		futex_wait(&end->hop->word, end->seen, NULL);
	end->seen++;
}

INLINE void eventfd_send(struct end *end)
{
	const uint64_t one = 1;

	check(write(end->fd, &one, sizeof(one)) == sizeof(one), "eventfd");
}

INLINE void eventfd_receive(struct end *end)
{
	uint64_t count;

	check(read(end->fd, &count, sizeof(count)) == sizeof(count), "eventfd");
}

INLINE void pipe_send(struct end *end)
{
	check(write(end->fd, end->token, sizeof(int)) == sizeof(int), "pipe");
}

INLINE void pipe_receive(struct end *end)
{
	check(read(end->fd, end->token, sizeof(int)) == sizeof(int), "pipe");
}

INLINE void pass(
	struct member *m, uint64_t laps, bool timed, void send(struct end *), void receive(struct end *))
{
	for (uint64_t i = 0; i < laps; i++) {
		receive(&m->in);
		if (timed) {
			clock_now_ns();
			clock_now_ns();
		}
		send(&m->out);
	}
}

static void sleep_until(uint64_t due_ns)
{
	const struct timespec due = {(time_t)(due_ns / 1000000000), (long)(due_ns % 1000000000)};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL) == EINTR)
		;
}

INLINE uint64_t lead(
	struct member *m, uint64_t laps, bool timed, void send(struct end *), void receive(struct end *))
{
	uint64_t sum_ns = 0, due_ns = clock_now_ns();

	for (uint64_t i = 0; i < laps; i++) {
		if (m->interval_ns)
			sleep_until(due_ns += m->interval_ns);
		uint64_t sent_ns = timed ? clock_now_ns() : 0;

		send(&m->out);
		receive(&m->in);
		uint64_t lap_ns = timed ? clock_now_ns() - sent_ns : 0;

		sum_ns += lap_ns;
		if (m->laps_ns)
			m->laps_ns[i] = lap_ns;
	}
	return sum_ns;
}

INLINE void take_part(struct member *m, bool timed, void send(struct end *), void receive(struct end *))
{
	if (m->leads) {
		lead(m, WARMUP_LAPS, timed, send, receive);
		uint64_t start_ns = clock_now_ns();

		m->lap_ns = lead(m, m->laps, timed, send, receive);
		m->op_ns = clock_now_ns() - start_ns;
	} else {
		pass(m, WARMUP_LAPS + m->laps, timed, send, receive);
	}
}

static void run_shm(struct member *m)
{
	take_part(m, true, shm_send, shm_receive);
}

static void run_futex(struct member *m)
{
	take_part(m, true, futex_send, futex_receive);
}

static void run_eventfd(struct member *m)
{
	take_part(m, true, eventfd_send, eventfd_receive);
}

static void run_pipe(struct member *m)
{
	take_part(m, true, pipe_send, pipe_receive);
}

static void run_perf_pipe(struct member *m)
{
	take_part(m, false, pipe_send, pipe_receive);
}

static int make_nothing(int fds[2])
{
	(void)fds;
	return 0;
}

static int make_eventfd(int fds[2])
{
	fds[0] = fds[1] = eventfd(0, EFD_CLOEXEC);
	return fds[0];
}

static const struct kind {
	const char *name;
	int (*make)(int fds[2]);
	void (*run)(struct member *member);
} kinds[] = {
	{"shm", make_nothing, run_shm},
	{"futex", make_nothing, run_futex},
	{"eventfd", make_eventfd, run_eventfd},
	{"pipe", pipe, run_pipe},
	{"perf-pipe", pipe, run_perf_pipe},
};

static const struct kind *find_kind(const char *name)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	fprintf(stderr, "%s: no such kind\n", name);
	exit(EXIT_FAILURE);
}

static void *member_main(void *argument)
{
	struct member *m = argument;
	const struct sched_param param = {.sched_priority = m->priority};
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(m->cpu, &cpus);
	if (m->priority)
		check(sched_setscheduler(0, SCHED_FIFO, &param) == 0, "sched_setscheduler");
	check(sched_setaffinity(0, sizeof(cpus), &cpus) == 0, "sched_setaffinity");
	pthread_barrier_wait(m->barrier);
	m->run(m);
	return NULL;
}

static int compare_laps(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static uint64_t median(uint64_t *laps_ns, uint64_t n)
{
	qsort(laps_ns, n, sizeof(*laps_ns), compare_laps);
	return laps_ns[n / 2];
}

int main(int argc, char **argv)
{
	const struct kind *kind = argc == 6 || argc == 7 ? find_kind(argv[1]) : NULL;
	struct hop *hops = mmap(NULL, 2 * sizeof(*hops), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	static struct member members[2];
	pthread_barrier_t barrier;
	pthread_t threads[2];
	int fds[2][2] = {0};

	if (!kind)
		return EXIT_FAILURE;
	check(hops != MAP_FAILED, "mmap");
	pthread_barrier_init(&barrier, NULL, 2);
	for (int i = 0; i < 2; i++)
		check(kind->make(fds[i]) >= 0, kind->name);
	if (argc == 7) {
		members[0].interval_ns = strtoull(argv[6], NULL, 10) * 1000;
		members[0].laps_ns =
			calloc(WARMUP_LAPS + strtoull(argv[5], NULL, 10), sizeof(*members[0].laps_ns));
		check(members[0].laps_ns, "calloc");
	}
	for (int i = 0; i < 2; i++) {
		members[i] = (struct member){
			.in = {.hop = &hops[!i], .fd = fds[!i][0]},
			.out = {.hop = &hops[i], .fd = fds[i][1]},
			.cpu = (unsigned)atoi(argv[2 + i]),
			.priority = atoi(argv[4]),
			.laps = strtoull(argv[5], NULL, 10),
			.run = kind->run,
			.barrier = &barrier,
			.leads = i == 0,
			.interval_ns = members[i].interval_ns,
			.laps_ns = members[i].laps_ns,
		};
		check(pthread_create(&threads[i], NULL, member_main, &members[i]) == 0, "pthread_create");
	}
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("{\"op_ns\": %.2f, \"lap_ns\": %.2f", (double)members[0].op_ns / (double)members[0].laps,
		(double)members[0].lap_ns / (double)members[0].laps);
	if (members[0].laps_ns)
		printf(", \"median_ns\": %" PRIu64, median(members[0].laps_ns, members[0].laps));
	puts("}");
	free(members[0].laps_ns);
	return EXIT_SUCCESS;
}

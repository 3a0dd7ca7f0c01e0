/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sweep_bench.c - measures pairs of CPUs, one after the other.
 *
 *   both: pin, map and touch memory | first: open both hops | both: attach the receiving end | the sending
 * end | laps that warm up | laps with a stamp at each hop | where members spin: batches with one stamp |
 * where they are wanted: first hops
 *
 * A barrier is between two of these steps up to the first lap. Each part of the laps ends with the lap that
 * the first thread calls the last one. */
#include "src/engine/sweep_bench.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/machine/memory.h"
#include "src/machine/task.h"
#include "src/ring/arena.h"
#include "src/ring/duty_cycle.h"

/* Each part ends with its last lap, or earlier, after its longest time (sweep_result.h). */
enum { LAPS_MAX = 1000, BATCHES_MAX = 60, WARM_NS = 300000, WARM_LAPS = 100 };

/* The menu governor of idle states looks at the last 8 times that a CPU was idle, and a lap has two: those
 * before were short. */
enum { FIRST_WARM_LAPS = 5 };

/* The start of each end's memory; a probe's state shares the stamp's cache line as in a ring. */
static struct hop_stamp *stamp_of(const struct sweep_end *end)
{
	return (struct hop_stamp *)(void *)end->memory;
}

static size_t round_up(size_t size, size_t step)
{
	return (size + step - 1) / step * step;
}

int sweep_bench_init(struct sweep_bench *bench)
{
	bench->token_at = round_up(HOP_FAR_STATE + bench->probe->hop_size, CACHE_LINE);
	bench->samples_at = round_up(bench->token_at + bench->token_size, CACHE_LINE);
	bench->memory_size = round_up(
		bench->samples_at + (2 * LAPS_MAX + SWEEP_FIRST_HOPS) * sizeof(float), memory_page_size());
	return -pthread_barrier_init(&bench->barrier, NULL, 2);
}

/* --- before and after the laps --- */

static void meet(struct sweep_bench *bench)
{
	pthread_barrier_wait(&bench->barrier);
}

/* Touches all of the memory, so that it is on the node of this CPU. */
static int make_memory(const struct sweep_bench *bench, struct sweep_end *end)
{
	void *memory =
		mmap(NULL, bench->memory_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return -errno;
	end->memory = memset(memory, 0, bench->memory_size);
	end->hops = (float *)(void *)(end->memory + bench->samples_at);
	end->laps = end->hops + LAPS_MAX;
	end->firsts = end->laps + LAPS_MAX;
	return 0;
}

/* The hop that leads to an end. */
static struct hop hop_to(struct sweep_bench *bench, unsigned to)
{
	bool is_near = bench->probe->traits & PROBE_TOKEN_IN_STATE;
	char *memory = bench->ends[to].memory;

	return (struct hop){
		.state = memory + (is_near ? sizeof(struct hop_stamp) : HOP_FAR_STATE),
		.fds = bench->fds[to],
		.ends = bench->hop_ends[to],
		.owner = bench->owner,
		.id = bench->first_hop + to,
		.size = bench->token_size,
		.is_answer = to == 0,
	};
}

static int open_hops(struct sweep_bench *bench)
{
	int r = 0;

	pthread_mutex_lock(bench->opening);
	for (unsigned to = 0; to < 2 && r == 0; to++) {
		struct hop hop = hop_to(bench, to);

		bench->hop_ends[to][HOP_SENDER] = bench->tasks[1 - to];
		bench->hop_ends[to][HOP_RECEIVER] = bench->tasks[to];
		memset(bench->fds[to], 0, sizeof(bench->fds[to]));
		r = bench->probe->open(&hop);
	}
	pthread_mutex_unlock(bench->opening);
	bench->is_open = true;
	return r;
}

static void close_hops(struct sweep_bench *bench)
{
	for (unsigned to = 0; to < 2; to++) {
		struct hop hop = hop_to(bench, to);

		probe_close(bench->probe, &hop);
	}
	bench->is_open = false;
}

static void attach(struct sweep_bench *bench, unsigned index, enum hop_end side)
{
	struct sweep_end *end = &bench->ends[index];
	struct hop *hop = side == HOP_RECEIVER ? &end->in : &end->out;
	int r = probe_attach(bench->probe, hop, side);

	if (r < 0)
		bench->fail(bench->data, bench, r);
}

static void detach(struct sweep_bench *bench, struct sweep_end *end)
{
	if (!bench->probe->detach)
		return;
	bench->probe->detach(&end->in);
	bench->probe->detach(&end->out);
}

/* --- laps --- */

static float elapsed(uint64_t from_ns, uint64_t to_ns)
{
	int64_t ns = (int64_t)(to_ns - from_ns);

	return ns > 0 ? (float)ns : 0;
}

static inline void send_token(struct sweep_bench *bench, struct sweep_end *end)
{
	int r;

	while ((r = bench->probe->send(&end->out)) == -EINTR)
		continue;
	if (r < 0)
		bench->fail(bench->data, bench, r);
}

/* Called between two polls. Members of two sweeps that spin at the same real-time priority may each have the
 * CPU that the other's partner waits for. */
static void rest_if_long(uint64_t *since_ns)
{
	const struct timespec rest = {.tv_nsec = DUTY_REST_NS};
	uint64_t now_ns = clock_now_ns();

	if (*since_ns && now_ns - *since_ns >= DUTY_STRETCH_NS)
		clock_nanosleep(CLOCK_MONOTONIC, 0, &rest, NULL);
	else if (*since_ns)
		return;
	*since_ns = clock_now_ns();
}

static inline void receive_token(struct sweep_bench *bench, struct sweep_end *end)
{
	uint64_t since_ns = 0;
	int r;

	while ((r = bench->probe->recv(&end->in, NULL)) == -EINTR)
		rest_if_long(&since_ns);
	if (r < 0)
		bench->fail(bench->data, bench, r);
}

/* Relaxed: the mechanism itself orders what is written before send and read after recv. */
static void set_last(struct sweep_bench *bench, bool is_last)
{
	if (atomic_load_explicit(&bench->is_last, memory_order_relaxed) != is_last)
		atomic_store_explicit(&bench->is_last, is_last, memory_order_relaxed);
}

static inline uint64_t stamp_now(struct hop_stamp *stamp)
{
	uint64_t now_ns = clock_now_ns();

	atomic_store_explicit(&stamp->sent_ns, now_ns, memory_order_relaxed);
	return now_ns;
}

static inline uint64_t sent_ns(const struct hop_stamp *stamp)
{
	return atomic_load_explicit(&stamp->sent_ns, memory_order_relaxed);
}

/* The first thread's laps with a stamp at each hop: at most @laps, and after @for_ns the last one. */
static void pass_stamped(struct sweep_bench *bench, size_t laps, uint64_t for_ns)
{
	struct sweep_end *end = &bench->ends[0];
	struct hop_stamp *in = stamp_of(end), *out = stamp_of(&bench->ends[1]);
	uint64_t until_ns = clock_now_ns() + for_ns, now_ns = 0;
	bool is_last;

	end->n_hops = end->n_laps = 0;
	do {
		is_last = end->n_laps + 1 == laps || now_ns >= until_ns;
		set_last(bench, is_last);
		uint64_t left_ns = stamp_now(out);

		send_token(bench, end);
		receive_token(bench, end);
		now_ns = clock_now_ns();
		end->hops[end->n_hops++] = elapsed(sent_ns(in), now_ns);
		end->laps[end->n_laps++] = elapsed(left_ns, now_ns);
		__builtin_prefetch(out, 1);
	} while (!is_last);
}

/* The second thread's part of the same. */
static void answer_stamped(struct sweep_bench *bench)
{
	struct sweep_end *end = &bench->ends[1];
	struct hop_stamp *in = stamp_of(end), *out = stamp_of(&bench->ends[0]);
	bool is_last;

	end->n_hops = 0;
	do {
		receive_token(bench, end);
		end->hops[end->n_hops++] = elapsed(sent_ns(in), clock_now_ns());
		is_last = atomic_load_explicit(&bench->is_last, memory_order_relaxed);
		__builtin_prefetch(out, 1);
		stamp_now(out);
		send_token(bench, end);
	} while (!is_last);
}

/* The mean lap of each batch, in ns, replaces the stamped laps. */
static void pass_batches(struct sweep_bench *bench)
{
	struct sweep_end *end = &bench->ends[0];
	uint64_t start_ns = clock_now_ns(), before_ns = start_ns;
	bool is_last;

	end->n_laps = 0;
	do {
		is_last = end->n_laps + 1 == BATCHES_MAX || before_ns - start_ns >= SWEEP_BATCHES_NS;
		for (unsigned lap = 0; lap < SWEEP_BATCH_LAPS; lap++) {
			set_last(bench, is_last && lap + 1 == SWEEP_BATCH_LAPS);
			send_token(bench, end);
			receive_token(bench, end);
		}
		uint64_t now_ns = clock_now_ns();

		end->laps[end->n_laps++] = elapsed(before_ns, now_ns) / SWEEP_BATCH_LAPS;
		before_ns = now_ns;
	} while (!is_last);
}

static void answer_batches(struct sweep_bench *bench)
{
	struct sweep_end *end = &bench->ends[1];
	bool is_last;

	do {
		receive_token(bench, end);
		is_last = atomic_load_explicit(&bench->is_last, memory_order_relaxed);
		send_token(bench, end);
	} while (!is_last);
}

/* Receives a first hop, and counts it. Returns when. */
static uint64_t receive_first(struct sweep_bench *bench, struct sweep_end *end)
{
	receive_token(bench, end);
	uint64_t now_ns = clock_now_ns();

	end->firsts[end->n_firsts++] = elapsed(sent_ns(stamp_of(end)), now_ns);
	return now_ns;
}

/* Passes the token on after a sleep. The other end's CPU has been idle since it sent the token. */
static void send_first(struct sweep_bench *bench, struct sweep_end *end, uint64_t due_ns)
{
	struct hop_stamp *out = stamp_of(&bench->ends[end == bench->ends]);
	struct timespec deadline = clock_timespec(due_ns);

	__builtin_prefetch(out, 1);
	while (clock_now_ns() < due_ns)
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, NULL);
	stamp_now(out);
	send_token(bench, end);
}

/* Each end sleeps before it sends, so a lap has a first hop in each direction. */
static void pass_first(struct sweep_bench *bench, size_t laps)
{
	struct sweep_end *end = &bench->ends[0];
	uint64_t now_ns = clock_now_ns(), until_ns = now_ns + SWEEP_FIRST_NS;
	bool is_last;

	end->n_firsts = 0;
	do {
		is_last = end->n_firsts + 1 == laps || now_ns >= until_ns;
		set_last(bench, is_last);
		send_first(bench, end, now_ns + SWEEP_SLEEP_NS);
		now_ns = receive_first(bench, end);
	} while (!is_last);
}

static void answer_first(struct sweep_bench *bench)
{
	struct sweep_end *end = &bench->ends[1];
	bool is_last;

	end->n_firsts = 0;
	do {
		uint64_t now_ns = receive_first(bench, end);

		is_last = atomic_load_explicit(&bench->is_last, memory_order_relaxed);
		send_first(bench, end, now_ns + SWEEP_SLEEP_NS);
	} while (!is_last);
}

static void pass_laps(struct sweep_bench *bench, unsigned index)
{
	bool spins = bench->probe->traits & PROBE_SPINS;

	if (index == 0) {
		pass_stamped(bench, WARM_LAPS, WARM_NS);
		pass_stamped(bench, LAPS_MAX, spins ? SWEEP_SPIN_NS : SWEEP_BLOCK_NS);
	} else {
		answer_stamped(bench);
		answer_stamped(bench);
	}
	if (spins && index == 0)
		pass_batches(bench);
	else if (spins)
		answer_batches(bench);
	if (bench->has_first && index == 0) {
		pass_first(bench, FIRST_WARM_LAPS);
		pass_first(bench, SWEEP_FIRST_HOPS);
	} else if (bench->has_first) {
		answer_first(bench);
		answer_first(bench);
	}
}

/* --- a pair --- */

static bool can_run(const struct sweep_bench *bench)
{
	return !bench->ends[0].error && !bench->ends[1].error;
}

/* Both threads run this at the same time. */
static void measure_end(struct sweep_bench *bench, unsigned index)
{
	struct sweep_end *end = &bench->ends[index];

	bench->tasks[index] = (struct hop_task){.pid = getpid(), .tid = gettid()};
	end->n_hops = end->n_laps = end->n_firsts = 0;
	end->error = task_pin(0, end->cpu);
	int r = make_memory(bench, end);

	if (r < 0)
		bench->fail(bench->data, bench, r);
	meet(bench);
	if (can_run(bench)) {
		if (index == 0 && (r = open_hops(bench)) < 0)
			bench->fail(bench->data, bench, r);
		meet(bench);
		end->in = hop_to(bench, index);
		end->out = hop_to(bench, 1 - index);
		end->in.token = end->out.token = end->memory + bench->token_at;
		end->in.spins_tight = true; /* as c2clat and core-to-core-latency */
		end->in.back = &end->out;
		end->out.back = &end->in;
		attach(bench, index, HOP_RECEIVER);
		meet(bench);
		attach(bench, index, HOP_SENDER);
		meet(bench);
		pass_laps(bench, index);
		if (sched_getcpu() != (int)end->cpu)
			end->error = -EXDEV;
		detach(bench, end);
	}
	meet(bench);
}

void sweep_bench_serve(struct sweep_bench *bench)
{
	for (;;) {
		meet(bench);
		measure_end(bench, 1);
	}
}

void sweep_bench_measure(
	struct sweep_bench *bench, const unsigned cpus[2], struct sweep_figure figures[N_SWEEP_FIGURES])
{
	struct sweep_end *first = &bench->ends[0], *second = &bench->ends[1];

	first->cpu = cpus[0];
	second->cpu = cpus[1];
	meet(bench);
	measure_end(bench, 0);
	memset(figures, 0, N_SWEEP_FIGURES * sizeof(*figures));
	if (can_run(bench)) {
		figures[SWEEP_THERE] = sweep_figure_of(second->hops, second->n_hops);
		figures[SWEEP_BACK] = sweep_figure_of(first->hops, first->n_hops);
		figures[SWEEP_LAP] = sweep_figure_of(first->laps, first->n_laps);
		figures[SWEEP_FIRST_THERE] = sweep_figure_of(second->firsts, second->n_firsts);
		figures[SWEEP_FIRST_BACK] = sweep_figure_of(first->firsts, first->n_firsts);
	}
	if (bench->is_open)
		close_hops(bench);
	munmap(first->memory, bench->memory_size);
	munmap(second->memory, bench->memory_size);
}

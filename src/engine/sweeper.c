/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sweeper.c - the process that sweeps over the pairs of CPUs.
 *
 * Its main thread waits. Two threads for each pair that is measured at once take the next pair, measure it
 * and put it back; one lock guards plan and results. They run without a pause, so the first of the two sleeps
 * for REST_NS in REST_EACH_NS: tasks of others get their CPUs then. */
#include "src/engine/sweeper.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/engine/sweep_bench.h"
#include "src/machine/task.h"
#include "src/plan/sweep_plan.h"
#include "src/ring/arena.h"

enum { REST_NS = 1000000, REST_EACH_NS = 16000000 };

struct sweeper {
	struct arena *arena;
	struct sweep_board *board;
	struct sweep_plan plan;
	struct sweep_lane *lanes; /* one for each pair at once */
	pthread_mutex_t lock, opening;
	pthread_cond_t put_back; /* a pair was */
};

/* --- the board --- */

int sweep_board_create(struct sweep_board **board)
{
	void *start = mmap(NULL, sizeof(**board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	*board = start == MAP_FAILED ? NULL : start;
	return *board ? 0 : -errno;
}

void sweep_board_destroy(struct sweep_board *board)
{
	if (board)
		munmap(board, sizeof(*board));
}

size_t sweep_board_read(struct sweep_board *board, struct sweep_result *results, size_t n)
{
	uint64_t read = atomic_load_explicit(&board->n_read, memory_order_relaxed);
	/* Acquire: pairs with the release in write_result(). */
	uint64_t written = atomic_load_explicit(&board->n_written, memory_order_acquire);
	size_t count = 0;

	for (; count < n && read < written; read++)
		results[count++] = board->results[read % SWEEP_RESULTS];
	/* Release: pairs with the acquire in write_result(), which overwrites what was read. */
	atomic_store_explicit(&board->n_read, read, memory_order_release);
	return count;
}

struct sweep_lane sweep_board_oldest(const struct sweep_board *board)
{
	/* Acquire: pair with the releases in store_oldest(). Who has the CPUs of a later pair sees that
	 * since_ns has changed. */
	uint64_t since_ns = atomic_load_explicit(&board->oldest_since_ns, memory_order_acquire);
	uint64_t cpus = atomic_load_explicit(&board->oldest_cpus, memory_order_acquire);

	if (atomic_load_explicit(&board->oldest_since_ns, memory_order_relaxed) != since_ns)
		since_ns = 0;
	return (struct sweep_lane){since_ns, {(unsigned)(cpus & UINT32_MAX), (unsigned)(cpus >> 32)}};
}

bool sweep_board_has_failed(const struct sweep_board *board, struct error_text *reason)
{
	/* Acquire: pairs with the release in set_reason(). */
	if (!atomic_load_explicit(&board->has_reason, memory_order_acquire))
		return false;
	*reason = board->reason;
	return true;
}

static void set_reason(struct sweep_board *board, const struct error_text *reason)
{
	board->reason = *reason;
	/* Release: pairs with the acquire in sweep_board_has_failed(). */
	atomic_store_explicit(&board->has_reason, 1, memory_order_release);
}

/* A front that is late makes the sweep wait. */
static void write_result(struct sweeper *s, const struct sweep_result *result)
{
	const struct timespec pause = {.tv_nsec = REST_NS};
	struct sweep_board *board = s->board;
	uint64_t n = atomic_load_explicit(&board->n_written, memory_order_relaxed);

	while (n - atomic_load_explicit(&board->n_read, memory_order_acquire) >= SWEEP_RESULTS)
		nanosleep(&pause, NULL);
	board->results[n % SWEEP_RESULTS] = *result;
	atomic_store_explicit(&board->n_rounds, s->plan.n_rounds, memory_order_relaxed);
	atomic_store_explicit(&board->n_written, n + 1, memory_order_release);
}

static void store_oldest(struct sweeper *s)
{
	const struct sweep_lane *oldest = NULL;

	for (uint32_t i = 0; i < s->arena->config->at_once; i++) {
		const struct sweep_lane *lane = &s->lanes[i];

		if (lane->since_ns && (!oldest || lane->since_ns < oldest->since_ns))
			oldest = lane;
	}
	atomic_store_explicit(&s->board->oldest_since_ns, 0, memory_order_relaxed);
	if (!oldest)
		return;
	atomic_store_explicit(&s->board->oldest_cpus, oldest->cpus[0] | (uint64_t)oldest->cpus[1] << 32,
		memory_order_release);
	atomic_store_explicit(&s->board->oldest_since_ns, oldest->since_ns, memory_order_release);
}

/* --- the sweeper's process --- */

_Noreturn static void end_with(struct sweep_board *board, const struct error_text *reason)
{
	set_reason(board, reason);
	_exit(1);
}

static void fail_bench(void *data, const struct sweep_bench *bench, int error)
{
	struct sweeper *s = data;
	struct error_text reason;

	error_text_set(&reason, error, "the sweep ended at CPUs %u and %u: %s", bench->ends[0].cpu,
		bench->ends[1].cpu, probe_explain(bench->probe, error));
	end_with(s->board, &reason);
}

/* After the last round nothing is measured until the run has ended. */
static void take_pair(struct sweeper *s, struct sweep_pair *pair, struct sweep_lane *lane)
{
	uint64_t rounds = s->arena->config->loops;

	pthread_mutex_lock(&s->lock);
	while ((rounds && s->plan.n_rounds >= rounds) || !sweep_plan_take(&s->plan, pair))
		pthread_cond_wait(&s->put_back, &s->lock);
	*lane = (struct sweep_lane){clock_now_ns(), {s->plan.cpus[pair->a].cpu, s->plan.cpus[pair->b].cpu}};
	store_oldest(s);
	pthread_mutex_unlock(&s->lock);
}

static void put_back_pair(struct sweeper *s, const struct sweep_pair *pair, const struct sweep_result *result,
	struct sweep_lane *lane)
{
	pthread_mutex_lock(&s->lock);
	lane->since_ns = 0;
	store_oldest(s);
	sweep_plan_put_back(&s->plan, pair, sweep_figure_spread(&result->figures[SWEEP_LAP]));
	write_result(s, result);
	pthread_cond_broadcast(&s->put_back);
	pthread_mutex_unlock(&s->lock);
}

static void set_policy(struct sweeper *s)
{
	const struct config *config = s->arena->config;
	int r = config->has_policy ? task_set_policy(0, config->policy) : 0;
	struct error_text reason;

	if (r == 0)
		return;
	if (r == -EPERM)
		arena_describe(s->arena->rt_runtime_zero ? SHORT_OF_RT_RUNTIME : SHORT_OF_REALTIME, &reason);
	else
		error_text_set(&reason, r, "the policy was refused: %s", strerror(-r));
	end_with(s->board, &reason);
}

static void *serve(void *data)
{
	struct sweep_bench *bench = data;

	set_policy(bench->data);
	sweep_bench_serve(bench);
	return NULL;
}

static void *sweep(void *data)
{
	struct sweep_bench *bench = data;
	struct sweeper *s = bench->data;
	struct sweep_lane *lane = &s->lanes[bench->first_hop / 2];
	const struct timespec rest = {.tv_nsec = REST_NS};
	uint64_t rested_ns = clock_now_ns();

	set_policy(s);
	for (;;) {
		struct sweep_pair pair;

		take_pair(s, &pair, lane);
		if (lane->since_ns - rested_ns >= REST_EACH_NS) { /* a rest that gets no end is the pair's */
			nanosleep(&rest, NULL);
			rested_ns = clock_now_ns();
		}
		struct sweep_result result = {.a = pair.a, .b = pair.b};

		sweep_bench_measure(bench, lane->cpus, result.figures);
		result.at_ns = clock_now_ns();
		put_back_pair(s, &pair, &result, lane);
	}
	return NULL;
}

static void start_thread(struct sweeper *s, void *(*run)(void *data), struct sweep_bench *bench)
{
	struct error_text reason;
	pthread_t thread;
	int error = pthread_create(&thread, NULL, run, bench);

	if (!error)
		return;
	error_text_set(&reason, -error, "can't start a thread of the sweep: %s", task_no_thread(-error, 0));
	end_with(s->board, &reason);
}

static void start_bench(struct sweeper *s, uint32_t number)
{
	const struct config *config = s->arena->config;
	struct sweep_bench *bench = aligned_alloc(alignof(struct sweep_bench), sizeof(*bench));
	struct error_text reason;
	int r = bench ? 0 : -ENOMEM;

	if (bench) {
		memset(bench, 0, sizeof(*bench));
		bench->probe = config->probes[0];
		bench->has_first = s->arena->plan->sweep.first;
		bench->token_size = config->size ? config->size : 1;
		bench->owner = s->board->owner;
		bench->first_hop = 2 * number;
		bench->opening = &s->opening;
		bench->fail = fail_bench;
		bench->data = s;
		r = sweep_bench_init(bench);
	}
	if (r < 0) {
		error_text_set(&reason, r, "the sweep can't start: %s", strerror(-r));
		end_with(s->board, &reason);
	}
	start_thread(s, serve, bench);
	start_thread(s, sweep, bench);
}

_Noreturn static void sweeper_run(struct arena *arena, pid_t keeper)
{
	struct sweeper s = {.arena = arena,
		.board = arena->sweep,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.opening = PTHREAD_MUTEX_INITIALIZER,
		.put_back = PTHREAD_COND_INITIALIZER};
	struct error_text reason;
	sigset_t all;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != keeper)
		_exit(1);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	prctl(PR_SET_NAME, "ipctop-sweep");
	prctl(PR_SET_TIMERSLACK, 1);
	s.board->owner = owner_self();
	s.lanes = calloc(arena->config->at_once, sizeof(*s.lanes));
	if (!s.lanes || sweep_plan_init(&s.plan, arena->topology, &arena->plan->measured) < 0) {
		error_text_set(&reason, -ENOMEM, "no memory for the plan of the sweep");
		end_with(s.board, &reason);
	}
	for (uint32_t i = 0; i < arena->config->at_once; i++)
		start_bench(&s, i);
	for (;;)
		pause();
}

/* --- the keeper's side --- */

pid_t sweeper_fork(struct arena *arena, const int *fds, size_t n)
{
	pid_t keeper = getpid(), pid = fork();
	struct error_text reason;

	if (pid == 0) {
		for (size_t i = 0; i < n; i++)
			close(fds[i]);
		sweeper_run(arena, keeper);
	}
	if (pid < 0) {
		int r = error_text_set(
			&reason, -errno, "can't start the process of the sweep: %s", task_no_more(-errno));

		set_reason(arena->sweep, &reason);
		return r;
	}
	atomic_store_explicit(&arena->sweep->host, pid, memory_order_relaxed);
	return pid;
}

/* A thread that gets no CPU can't even die, so all are moved to the housekeeping CPUs. */
void sweeper_kill(const struct arena *arena, pid_t pid)
{
	char path[32];
	struct dirent *entry;

	kill(pid, SIGKILL);
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	DIR *tasks = opendir(path);

	while (tasks && (entry = readdir(tasks))) {
		pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (tid > 0)
			task_set_affinity(tid, &arena->plan->housekeeping);
	}
	if (tasks)
		closedir(tasks);
}

void sweeper_bury(struct arena *arena, pid_t pid, int status, bool must_stop)
{
	const struct probe *probe = arena->config->probes[0];
	struct sweep_board *board = arena->sweep;
	struct error_text reason;

	if (probe->sweep)
		probe->sweep(&board->owner);
	if (!must_stop && !atomic_load_explicit(&board->has_reason, memory_order_acquire)) {
		if (WIFSIGNALED(status))
			error_text_set(&reason, -EINTR,
				"the process of the sweep (pid %d) was killed by signal %d (%s)", pid,
				WTERMSIG(status), strsignal(WTERMSIG(status)));
		else
			error_text_set(&reason, -EINTR, "the process of the sweep (pid %d) has ended", pid);
		set_reason(board, &reason);
	}
	atomic_store_explicit(&board->host, 0, memory_order_relaxed);
}

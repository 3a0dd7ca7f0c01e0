/* SPDX-License-Identifier: GPL-2.0-or-later */
/* load_process.c - the processes of a load, which all end with the keeper. */
#include "src/load/load_process.h"

#include <errno.h>
#include <linux/sched.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/machine/task.h"

enum {
	PERIOD_NS = 10000000,
	/* A FIFO load rests when members do, see duty_cycle.h: otherwise one would work while the other
	 * rests, and others would wait for both. */
	FIFO_PERIOD_NS = 16000000,
	FIFO_REST_NS = 4000000,
	FIFO_LIMIT_US = 100000, /* behind it, the kernel ends a worker that does not rest */
	STACK_SIZE = 64 << 10,
};

void load_fail(struct load_board *board, const char *format, ...)
{
	uint32_t none = 0;
	va_list arguments;

	if (!atomic_compare_exchange_strong(&board->has_reason, &none, 1))
		return;
	va_start(arguments, format);
	vsnprintf(board->reason.text, sizeof(board->reason.text), format, arguments);
	va_end(arguments);
	/* Release: pairs with the load in engine_loads.c, which reads the text. */
	atomic_store_explicit(&board->reason_is_complete, 1, memory_order_release);
}

int load_worker_fail(struct load_worker *worker, int error, const char *what)
{
	return error_text_set(&worker->reason, error, "%s: %s", what, error_text_of_errno(error));
}

/* --- the first process --- */

pid_t load_process_fork(void)
{
	struct clone_args args = {.flags = CLONE_NEWPID, .exit_signal = SIGCHLD};
	pid_t pid = (pid_t)syscall(SYS_clone3, &args, sizeof(args));

	if (pid < 0) /* no right to a namespace, or none is left: the parents' deaths end the load */
		pid = fork();
	if (pid > 0) /* before it is killed as a group */
		setpgid(pid, pid);
	return pid < 0 ? -errno : pid;
}

void load_process_kill(pid_t pid)
{
	kill(-pid, SIGKILL);
}

bool load_process_is_gone(pid_t pid)
{
	return kill(-pid, 0) < 0 && errno == ESRCH;
}

static void await_signal_of_death(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}

/* A FIFO worker that does not rest is ended by the kernel. */
static int become_fifo(struct load_worker *worker)
{
	const struct rlimit limit = {FIFO_LIMIT_US, FIFO_LIMIT_US * 2};
	int r;

	setrlimit(RLIMIT_RTTIME, &limit);
	r = task_set_policy(0, (struct task_policy){.policy = SCHED_FIFO, .priority = LOAD_PRIORITY});
	return r < 0 ? load_worker_fail(worker, r, "no right to FIFO") : 0;
}

static int work(struct load_worker *worker)
{
	const struct load_kind *kind = worker->load->kind;
	int r = task_set_affinity(0, &worker->cpus);

	if (r < 0)
		return load_worker_fail(worker, r, "its CPUs can't be set");
	if (kind->is_fifo)
		r = become_fifo(worker);
	if (r == 0 && kind->begin)
		r = kind->begin(worker);
	while (r == 0) {
		uint64_t until_ns = load_worker_rest(worker);

		while (r == 0 && clock_now_ns() < until_ns)
			r = kind->work(worker);
	}
	return r;
}

_Noreturn static void run_worker(struct load_board *board, const struct cpus *cpus, pid_t parent)
{
	struct load_worker worker = {.board = board, .load = &board->load, .cpus = *cpus};
	const struct rlimit no_core = {0};
	char name[16];
	sigset_t none;

	await_signal_of_death();
	if (getppid() != parent)
		_exit(1);
	snprintf(name, sizeof(name), "ipctop-%s", board->load.kind->name);
	prctl(PR_SET_NAME, name);
	prctl(PR_SET_TIMERSLACK, 1);
	setrlimit(RLIMIT_CORE, &no_core);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	work(&worker);
	load_fail(board, "%s", worker.reason.text);
	_exit(1);
}

static bool start_worker(struct load_board *board, const struct cpus *cpus)
{
	pid_t parent = getpid(), pid = fork();

	if (pid == 0)
		run_worker(board, cpus, parent);
	if (pid < 0)
		load_fail(board, "can't start its process: %s", task_no_more(-errno));
	return pid > 0;
}

/* A joint worker runs beside the CPUs of its load, if there are others. */
static bool start_workers(struct load_board *board, const struct cpus *allowed)
{
	bool all = true;
	struct cpus others = *allowed;

	cpus_subtract(&others, &board->load.cpus);
	if (board->load.kind->is_joint)
		return start_worker(board, cpus_count(&others) ? &others : allowed);
	for (int cpu = -1; all && (cpu = cpus_next(&board->load.cpus, cpu)) >= 0;) {
		struct cpus one = {0};

		cpus_add(&one, (unsigned)cpu);
		all = start_worker(board, &one);
	}
	return all;
}

/* Only a worker that fails, or that is killed, ends by itself; its children are then this process's. */
void load_process_run(struct load_board *board, const struct cpus *allowed, int owner)
{
	struct pollfd ended = {.fd = owner, .events = POLLIN};
	int status = 0;

	setpgid(0, 0);
	prctl(PR_SET_NAME, "ipctop-load");
	await_signal_of_death();
	if (poll(&ended, 1, 0) != 0) /* before it was awaited */
		_exit(1);
	close(owner);
	if (start_workers(board, allowed))
		while (waitpid(-1, &status, 0) < 0 && errno == EINTR)
			;
	if (WIFSIGNALED(status))
		load_fail(board, "one of its processes was killed by signal %d (%s)", WTERMSIG(status),
			strsignal(WTERMSIG(status)));
	kill(0, SIGKILL); /* an init is not ended by it, and ends the others here */
	_exit(1);
}

/* --- for workers --- */

uint64_t load_worker_rest(const struct load_worker *worker)
{
	bool is_fifo = worker->load->kind->is_fifo;
	uint64_t period_ns = is_fifo ? FIFO_PERIOD_NS : PERIOD_NS, rest_ns = is_fifo ? FIFO_REST_NS : 0;
	uint64_t work_ns = (period_ns - rest_ns) / 100 * worker->load->percent;
	uint64_t now_ns = clock_now_ns(), period_start_ns = now_ns - now_ns % period_ns;
	uint64_t start_ns = period_start_ns + rest_ns;

	if (now_ns >= start_ns + work_ns)
		start_ns += period_ns;
	if (now_ns < start_ns) {
		const struct timespec until = clock_timespec(start_ns);

		while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
			;
	}
	return start_ns + work_ns;
}

int load_worker_thread(struct load_worker *worker, void *(*run)(void *data), void *data)
{
	pthread_attr_t attributes;
	pthread_t thread;
	int r = pthread_attr_init(&attributes);

	if (r == 0)
		r = pthread_attr_setstacksize(&attributes, STACK_SIZE);
	if (r == 0)
		r = pthread_create(&thread, &attributes, run, data);
	return r ? error_text_set(
			   &worker->reason, -r, "can't start its threads: %s", task_no_thread(-r, STACK_SIZE))
		 : 0;
}

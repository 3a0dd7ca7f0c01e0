/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ipi.c - interrupts CPUs from another one. The kernel interrupts only CPUs that run threads of the process,
 * so each CPU of the load has a thread that computes. */
#include <errno.h>
#include <linux/membarrier.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/load/load_process.h"
#include "src/machine/task.h"

enum { CALLS = 16 };

struct target {
	const struct load_worker *worker;
	unsigned cpu;
};

static void *run_target(void *data)
{
	const struct target *target = data;

	/* On a CPU that has gone offline since, it can't run: then it runs beside the sender. */
	task_pin(0, target->cpu);
	for (;;) {
		uint64_t until_ns = load_worker_rest(target->worker);

		while (clock_now_ns() < until_ns)
			;
	}
	return NULL;
}

static int start_targets(struct load_worker *worker)
{
	struct target *targets = calloc(cpus_count(&worker->load->cpus), sizeof(*targets));
	size_t n = 0;
	int r = targets ? 0 : load_worker_fail(worker, -ENOMEM, "its threads");

	for (int cpu = -1; r == 0 && (cpu = cpus_next(&worker->load->cpus, cpu)) >= 0;) {
		targets[n] = (struct target){worker, (unsigned)cpu};
		r = load_worker_thread(worker, run_target, &targets[n++]);
	}
	return r;
}

static int begin_membarrier(struct load_worker *worker)
{
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) < 0)
		return load_worker_fail(worker, -errno, "membarrier(2)");
	return start_targets(worker);
}

static int work_membarrier(struct load_worker *worker)
{
	for (int i = 0; i < CALLS; i++)
		if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) < 0)
			return load_worker_fail(worker, -errno, "membarrier(2)");
	return 0;
}

static int begin_mprotect(struct load_worker *worker)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);

	worker->data = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (worker->data == MAP_FAILED)
		return load_worker_fail(worker, -errno, "no memory for a page");
	return start_targets(worker);
}

/* To lose the right to write, a page that was written must leave the TLBs of all CPUs. */
static int work_mprotect(struct load_worker *worker)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);

	for (int i = 0; i < CALLS; i++) {
		*(volatile char *)worker->data = 1;
		if (mprotect(worker->data, size, PROT_READ) < 0 ||
			mprotect(worker->data, size, PROT_READ | PROT_WRITE) < 0)
			return load_worker_fail(worker, -errno, "mprotect(2)");
	}
	return 0;
}

const struct load_kind load_ipi = {.name = "ipi",
	.title = "interrupts from another CPU, by membarrier(2)",
	.is_joint = true,
	.begin = begin_membarrier,
	.work = work_membarrier};
const struct load_kind load_mprotect = {.name = "mprotect",
	.title = "TLB flushes from another CPU, by mprotect(2)",
	.is_joint = true,
	.begin = begin_mprotect,
	.work = work_mprotect};

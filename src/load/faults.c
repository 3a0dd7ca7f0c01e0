/* SPDX-License-Identifier: GPL-2.0-or-later */
/* faults.c - touches pages, gives them back, and touches them again. */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "src/load/load_process.h"

enum { SIZE = 512 << 10 };

static int begin(struct load_worker *worker)
{
	worker->data = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (worker->data == MAP_FAILED)
		return load_worker_fail(worker, -errno, "no memory for its pages");
	madvise(worker->data, SIZE, MADV_NOHUGEPAGE); /* refused by kernels that have none */
	return 0;
}

static int work(struct load_worker *worker)
{
	volatile char *pages = worker->data;
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);

	for (size_t at = 0; at < SIZE; at += page_size)
		pages[at] = 1;
	return madvise(worker->data, SIZE, MADV_DONTNEED) < 0
		       ? load_worker_fail(worker, -errno, "its pages can't be given back")
		       : 0;
}

const struct load_kind load_faults = {.name = "faults",
	.title = "page faults: pages are touched and given back",
	.begin = begin,
	.work = work};

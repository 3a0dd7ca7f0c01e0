/* SPDX-License-Identifier: GPL-2.0-or-later */
/* memory.c - where memory lies, and that it is there before it is needed. The one file that knows libnuma. */
#include "src/memory.h"

#include <errno.h>
#include <numa.h>
#include <numaif.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE_SIZE = 4096, STACK_USED = 32 * 1024 }; /* what a member and a mechanism's library need of it */

int memory_place(void *start, size_t size, unsigned cpu)
{
	if (numa_available() < 0 || numa_max_node() == 0)
		return 0;
	int node = numa_node_of_cpu((int)cpu);

	if (node < 0)
		return -errno;
	struct bitmask *nodes = numa_allocate_nodemask();

	numa_bitmask_setbit(nodes, (unsigned)node);
	long r = mbind(start, size, MPOL_PREFERRED, nodes->maskp, nodes->size + 1, 0);
	int error = errno;

	numa_free_nodemask(nodes);
	return r < 0 ? -error : 0;
}

/* A kernel before 5.14 has no MADV_POPULATE_WRITE; reading makes shared pages present too. */
static int touch(void *start, size_t size)
{
	if (madvise(start, size, MADV_POPULATE_WRITE) == 0)
		return 0;
	if (errno != EINVAL)
		return -errno;
	for (size_t i = 0; i < size; i += PAGE_SIZE)
		(void)*((volatile char *)start + i);
	return 0;
}

int memory_lock(void *start, size_t size)
{
	uintptr_t first = (uintptr_t)start & ~(uintptr_t)(PAGE_SIZE - 1);
	size_t whole = (size_t)((uintptr_t)start + size - first);

	if (mlock((void *)first, whole) == 0)
		return 0;
	/* No right to lock as much: at least no page is missing when the first lap starts. */
	int r = touch((void *)first, whole);

	return r < 0 ? r : 1;
}

int memory_private(void **start, size_t size)
{
	*start = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (*start == MAP_FAILED) {
		*start = NULL;
		return -errno;
	}
	int r = memory_lock(*start, size);

	if (r < 0) {
		memory_release(*start, size);
		*start = NULL;
		return r;
	}
	memset(*start, 1, size); /* pages that are only read may all be the one of zeros */
	return r;
}

void memory_release(void *start, size_t size)
{
	munmap(start, size);
}

/* From below what the loop and a mechanism will use up to the stack's base, which holds their callers. */
__attribute__((noinline)) int memory_lock_stack(void)
{
	volatile char used[STACK_USED];
	pthread_attr_t attributes;
	void *lowest;
	size_t size;

	for (size_t i = 0; i < sizeof(used); i += 1024)
		used[i] = 0;
	if (pthread_getattr_np(pthread_self(), &attributes) != 0)
		return -ENOMEM;
	pthread_attr_getstack(&attributes, &lowest, &size);
	pthread_attr_destroy(&attributes);
	return memory_lock((void *)(uintptr_t)used, (size_t)((uintptr_t)lowest + size - (uintptr_t)used));
}

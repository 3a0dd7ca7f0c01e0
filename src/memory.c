/* SPDX-License-Identifier: GPL-2.0-or-later */
/* memory.c - where memory lies, and that it is there before it is needed. The one file that knows libnuma. */
#include "src/memory.h"

#include <errno.h>
#include <numa.h>
#include <numaif.h>
#include <stdint.h>
#include <sys/mman.h>

enum { STACK_USED = 32 * 1024 }; /* what a member and a mechanism's library need of it */

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

int memory_lock(void *start, size_t size)
{
	if (mlock(start, size) == 0)
		return 0;
	/* No right to lock as much: at least no page is missing when the first lap starts. */
	if (madvise(start, size, MADV_POPULATE_WRITE) < 0 && errno != EINVAL)
		return -errno;
	return 1;
}

__attribute__((noinline)) int memory_lock_stack(void)
{
	volatile char used[STACK_USED];

	for (size_t i = 0; i < sizeof(used); i += 1024)
		used[i] = 0;
	uintptr_t first = (uintptr_t)used & ~(uintptr_t)4095;

	return memory_lock((void *)first, ((uintptr_t)used + sizeof(used) - first) & ~(size_t)4095);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* memory.c - places memory on NUMA nodes, and makes it present before it is needed. The only file that uses
 * libnuma. */
#include "src/machine/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <numa.h>
#include <numaif.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "src/base/small_file.h"

#ifndef MADV_POPULATE_WRITE /* Linux 5.14; not in each C library */
#define MADV_POPULATE_WRITE 23
#endif

enum { STACK_USED = 32 * 1024 }; /* of a member and the library of a mechanism */
/* A run takes less than 96 KiB; arguments and libraries may take more. */
enum { STACK_NEEDED = 256 * 1024 };

size_t memory_page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static uintptr_t page_of(const void *address)
{
	return (uintptr_t)address / memory_page_size() * memory_page_size();
}

/* Returns the nodes whose memory is allowed; NULL where the kernel has no NUMA. */
static struct bitmask *allowed_nodes(void)
{
	return numa_available() < 0 ? NULL : numa_get_mems_allowed();
}

int memory_node_of_cpu(unsigned cpu)
{
	struct bitmask *allowed = allowed_nodes();
	int node = allowed ? numa_node_of_cpu((int)cpu) : -1, nearest = MEMORY_LOCAL, least = INT_MAX;

	for (int other = 0; node >= 0 && other <= numa_max_node(); other++) {
		int distance = other == node ? 0 : numa_distance(node, other);

		if (!numa_bitmask_isbitset(allowed, (unsigned)other) || distance >= least)
			continue;
		nearest = other;
		least = distance;
	}
	if (allowed)
		numa_bitmask_free(allowed);
	return nearest;
}

/* Asks for memory on @node: for [start, start + size), or for the calling thread if @start is NULL. */
static int set_policy(void *start, size_t size, int node)
{
	int mode = node == MEMORY_LOCAL         ? MPOL_DEFAULT
		   : node == MEMORY_INTERLEAVED ? MPOL_INTERLEAVE
						: MPOL_PREFERRED;
	struct bitmask *nodes = node == MEMORY_LOCAL ? NULL : allowed_nodes();

	if (node != MEMORY_LOCAL && !nodes)
		return -ENOSYS;
	if (mode == MPOL_PREFERRED) {
		if ((unsigned long)node >= nodes->size) { /* libnuma would ignore it */
			numa_bitmask_free(nodes);
			return -EINVAL;
		}
		numa_bitmask_clearall(nodes);
		numa_bitmask_setbit(nodes, (unsigned)node);
	}
	const unsigned long *mask = nodes ? nodes->maskp : NULL;
	unsigned long n_bits = nodes ? nodes->size + 1 : 0; /* the kernel counts one more than there are */
	long result = start ? mbind(start, size, mode, mask, n_bits, 0) : set_mempolicy(mode, mask, n_bits);
	int r = result < 0 ? -errno : 0;

	if (nodes)
		numa_bitmask_free(nodes);
	return r;
}

int memory_place(void *start, size_t size, int node)
{
	return set_policy(start, size, node);
}

int memory_prefer(int node)
{
	return set_policy(NULL, 0, node);
}

size_t memory_find(void *start, size_t size, int *nodes, size_t n)
{
	uintptr_t page = page_of(start), end = (uintptr_t)start + size;
	size_t found = 0;

	for (; page < end && found < n; page += memory_page_size(), found++) {
		void *address = (void *)page;

		if (move_pages(0, 1, &address, NULL, &nodes[found], 0) < 0)
			nodes[found] = -errno;
	}
	return found;
}

/* A kernel before 5.14 has no MADV_POPULATE_WRITE; reading makes shared pages present too. */
static int touch_stack(void *start, size_t size)
{
	if (madvise(start, size, MADV_POPULATE_WRITE) == 0)
		return 0;
	if (errno != EINVAL)
		return -errno;
	for (size_t i = 0; i < size; i += memory_page_size())
		(void)*((volatile char *)start + i);
	return 0;
}

int memory_lock(void *start, size_t size)
{
	uintptr_t first = page_of(start);
	size_t whole = (size_t)((uintptr_t)start + size - first);

	if (mlock((void *)first, whole) == 0)
		return 0;
	/* Locking is not allowed. */
	int r = touch_stack((void *)first, whole);

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
	memset(*start, 1, size); /* pages that were only read may all be the zero page */
	return r;
}

void memory_release(void *start, size_t size)
{
	munmap(start, size);
}

/* Locks the part that the loop and a mechanism will use, up to the stack's base. */
__attribute__((noinline)) int memory_lock_stack(void)
{
	volatile char used[STACK_USED];
	pthread_attr_t attributes;
	void *lowest;
	size_t size;

	for (size_t i = 0; i < sizeof(used); i += 1024)
		used[i] = 0;
	/* The base of a process's first stack is read from /proc, which may not be mounted. */
	if (pthread_getattr_np(pthread_self(), &attributes) != 0)
		return memory_lock((void *)(uintptr_t)used, sizeof(used));
	pthread_attr_getstack(&attributes, &lowest, &size);
	pthread_attr_destroy(&attributes);
	return memory_lock((void *)(uintptr_t)used, (size_t)((uintptr_t)lowest + size - (uintptr_t)used));
}

int memory_check_room(uint64_t bytes, const char *takes, const char *remedy, struct error_text *reason)
{
	uint64_t available_kib;
	char text[4096];

	small_file_read("/proc/meminfo", text, sizeof(text));
	const char *line = strstr(text, "MemAvailable:");

	if (!line || sscanf(line, "%*s %" SCNu64, &available_kib) != 1 || bytes >> 10 <= available_kib)
		return 0;
	return error_text_set(reason, -ENOMEM,
		"%s %" PRIu64 " MiB, but only %" PRIu64 " MiB of memory are available: choose %s", takes,
		bytes >> 20, available_kib >> 10, remedy);
}

int memory_check_members(uint64_t bytes, struct error_text *reason)
{
	return memory_check_room(bytes, "the payload and work of all members take",
		"a smaller --work or -s, or fewer members", reason);
}

/* Limits of a process's memory, and what counts towards them: a field of /proc/self/statm, in pages. */
static const struct memory_limit {
	int resource;
	unsigned field;
	int flags; /* the mappings that count */
	const char *sentence;
} memory_limits[] = {
	{RLIMIT_AS, 0, MAP_PRIVATE | MAP_SHARED, "no address space left: raise RLIMIT_AS (ulimit -v)"},
	{RLIMIT_DATA, 5, MAP_PRIVATE, "no private memory left: raise RLIMIT_DATA (ulimit -d)"},
};

static bool exceeds(const struct memory_limit *limit, size_t bytes)
{
	char text[128], *at = text;
	uint64_t pages = 0;
	struct rlimit allowed;

	if (small_file_read("/proc/self/statm", text, sizeof(text)) < 0 ||
		getrlimit(limit->resource, &allowed) < 0)
		return false;
	for (unsigned i = 0; i <= limit->field; i++)
		pages = strtoull(at, &at, 10);
	return pages * memory_page_size() + bytes > allowed.rlim_cur;
}

const char *memory_refused(size_t bytes, int flags)
{
	void *start = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);
	int error = errno;

	if (start != MAP_FAILED) {
		munmap(start, bytes);
		return NULL;
	}
	for (size_t i = 0; i < sizeof(memory_limits) / sizeof(*memory_limits); i++)
		if (memory_limits[i].flags & flags && exceeds(&memory_limits[i], bytes))
			return memory_limits[i].sentence;
	return strerror(error);
}

int memory_check_stack(struct error_text *reason)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_STACK, &limit) < 0 || limit.rlim_cur >= STACK_NEEDED)
		return 0;
	return error_text_set(reason, -ENOMEM,
		"the stack is limited to %" PRIu64 " KiB, but it needs %d: raise RLIMIT_STACK (ulimit -s)",
		(uint64_t)limit.rlim_cur / 1024, STACK_NEEDED / 1024);
}

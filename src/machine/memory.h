/* SPDX-License-Identifier: GPL-2.0-or-later */
/* memory.h - places memory on NUMA nodes, and makes it present before it is needed. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "src/base/error_text.h"
#include "src/machine/numa_policy.h"

/* A node is the kernel's number, MEMORY_INTERLEAVED or MEMORY_LOCAL. All return 0 or a negative errno:
 * -ENOSYS where the kernel has no NUMA, -EINVAL where the node is not allowed. */

/* Returns the node of @cpu, or the nearest one with memory for this process; MEMORY_LOCAL: not known. */
int memory_node_of_cpu(unsigned cpu);
/* Returns the bytes of a page: 4, 16 or 64 KiB. */
size_t memory_page_size(void);

/* Binds the pages of [start, start + size), which must not be touched yet, to @node. @start is page-aligned.
 */
int memory_place(void *start, size_t size, int node);
/* Sets the policy of the calling thread: for all memory that it touches first, and that the kernel allocates
 * for it. */
int memory_prefer(int node);
/* Finds the node of each page of [start, start + size), or a negative errno where it is not known. Returns
 * the number of pages, at most @n. */
size_t memory_find(void *start, size_t size, int *nodes, size_t n);

/* Makes the pages present in this process, and locks them if the limits allow it. Returns 0 if they are
 * locked, 1 if they are only present, or a negative errno. */
int memory_lock(void *start, size_t size);

/* Allocates private memory, locked or present as above. It is not zeroed. After a negative errno there is
 * nothing to release. */
int memory_private(void **start, size_t size);
void memory_release(void *start, size_t size);

/* Locks the part of the calling thread's stack that a member uses; returns as memory_lock(). */
int memory_lock_stack(void);

/* Returns 0, or -ENOMEM with a sentence if @bytes are more than MemAvailable, which ignores the limits of
 * cgroups. The sentence begins with @takes, as "the load takes", and ends with @remedy. */
int memory_check_room(uint64_t bytes, const char *takes, const char *remedy, struct error_text *reason);
/* The same for the memory of members. */
int memory_check_members(uint64_t bytes, struct error_text *reason);

/* Returns 0, or -ENOMEM with a sentence if RLIMIT_STACK is too small for this program. Below about 20 KiB, of
 * which the random offset takes up to 8, the kernel may kill it in the dynamic loader, before main(). */
int memory_check_stack(struct error_text *reason);

/* Returns why the kernel refuses to map @bytes more: a limit of this process, with its remedy, or
 * strerror(3)'s text in its memory; NULL: it maps them. @flags: MAP_PRIVATE or MAP_SHARED. */
const char *memory_refused(size_t bytes, int flags);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* memory.h - where memory lies, and that it is there before it is needed. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/error_text.h"
#include "src/machine/numa_policy.h"

/* A node is one by the kernel's number, MEMORY_INTERLEAVED or MEMORY_LOCAL. All return 0 or a negative errno:
 * -ENOSYS where the kernel knows no nodes, -EINVAL where the node may not be used. */

/* The node of @cpu, or the nearest that has memory for this process; MEMORY_LOCAL where none is known. */
int memory_node_of_cpu(unsigned cpu);
/* Asks for the pages of [start, start + size) there, before they are touched. @start lies on a page. */
int memory_place(void *start, size_t size, int node);
/* Asks for all there that the calling thread touches first from now on, and what the kernel makes for it. */
int memory_prefer(int node);
/* Where the pages of [start, start + size) lie: a node for each, or a negative errno where that can't be
 * told. Returns how many, @n at most. */
size_t memory_find(void *start, size_t size, int *nodes, size_t n);

/* Makes the pages present in this process and, where the limits allow it, keeps them.
 * Returns 0 where they are locked, 1 where they are only present, or a negative errno. */
int memory_lock(void *start, size_t size);

/* Memory of the caller's own, locked or present as above, and not zero. Where it returns a negative errno
 * there is nothing to be released. */
int memory_private(void **start, size_t size);
void memory_release(void *start, size_t size);

/* The same for the part of the calling thread's stack that a member uses. */
int memory_lock_stack(void);

/* Can the machine give so many bytes, beside what it uses? -ENOMEM with a sentence where it can't; where that
 * is not known, it can. */
int memory_check_room(uint64_t bytes, struct error_text *reason);

/* Returns -ENOMEM with a sentence where RLIMIT_STACK is too small for this program. Below about 20 KiB the
 * kernel may kill it in the dynamic loader, before main(): of these its random offset takes up to 8 KiB. */
int memory_check_stack(struct error_text *reason);

enum { MEMORY_STACK_SIZE = 128 * 1024 }; /* of a member's thread */

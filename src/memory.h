/* SPDX-License-Identifier: GPL-2.0-or-later */
/* memory.h - where memory lies, and that it is there before it is needed. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Asks for the pages of [start, start + size) on the NUMA node of @cpu, before they are touched.
 * Where the machine has one node there is nothing to ask. @start lies on a page. 0 or a negative errno. */
int memory_place(void *start, size_t size, unsigned cpu);

/* Makes the pages present in this process and, where the limits allow it, keeps them.
 * Returns 0 where they are locked, 1 where they are only present, or a negative errno. */
int memory_lock(void *start, size_t size);

/* Memory of the caller's own, locked or present as above, and not zero. Where it returns a negative errno
 * there is nothing to be released. */
int memory_private(void **start, size_t size);
void memory_release(void *start, size_t size);

/* The same for the part of the calling thread's stack that a member uses. */
int memory_lock_stack(void);

enum { MEMORY_STACK_SIZE = 128 * 1024 }; /* of a member's thread */

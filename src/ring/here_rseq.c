/* SPDX-License-Identifier: GPL-2.0-or-later */
/* here_rseq.c - the CPU that a thread runs on: the kernel writes it into the rseq area (rseq(2)) that the C
 * library registers for each thread. */
#include <sys/rseq.h>

#include "src/ring/here.h"

static const volatile uint32_t unknown = UINT32_MAX;

const volatile uint32_t *here_cpu(void)
{
	const struct rseq *area =
		(const struct rseq *)((const char *)__builtin_thread_pointer() + __rseq_offset);

	/* No area is registered with an old kernel, or with GLIBC_TUNABLES=glibc.pthread.rseq=0. */
	return __rseq_size ? (const volatile uint32_t *)&area->cpu_id : &unknown;
}

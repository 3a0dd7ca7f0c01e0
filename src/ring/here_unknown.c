/* SPDX-License-Identifier: GPL-2.0-or-later */
/* here_unknown.c - for C libraries that register no rseq area: a thread's CPU is not known. Laps of a moved
 * member then count until the next tick finds its affinity changed. */
#include "src/ring/here.h"

static const volatile uint32_t unknown = UINT32_MAX;

const volatile uint32_t *here_cpu(void)
{
	return &unknown;
}

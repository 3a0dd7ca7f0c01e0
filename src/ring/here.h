/* SPDX-License-Identifier: GPL-2.0-or-later */
/* here.h - the CPU that a thread runs on, without a system call. */
#pragma once

#include <stdint.h>

/* Where the kernel keeps the number of the CPU that the calling thread runs on; as an int32_t it is negative
 * where that is not known. The thread's own, and its forked child's. */
const volatile uint32_t *here_cpu(void);

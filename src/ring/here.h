/* SPDX-License-Identifier: GPL-2.0-or-later */
/* here.h - the CPU that a thread runs on, without a system call. */
#pragma once

#include <stdint.h>

/* Returns the word in which the kernel keeps the CPU of the calling thread, and of its forked child; as an
 * int32_t it is negative where the CPU is not known. */
const volatile uint32_t *here_cpu(void);

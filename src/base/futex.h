/* SPDX-License-Identifier: GPL-2.0-or-later */
/* futex.h - waits for a word in shared memory. */
#pragma once

#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The call that takes the C library's struct timespec: a 32-bit system has two. */
static inline long futex_call(void)
{
#ifdef SYS_futex_time64
	if (sizeof(time_t) > sizeof(long))
		return SYS_futex_time64;
#endif
	return SYS_futex;
}

/* Sleeps while *word is @value; @timeout is relative, NULL for ever. May return early. */
static inline void futex_wait(_Atomic uint32_t *word, uint32_t value, const struct timespec *timeout)
{
	syscall(futex_call(), word, FUTEX_WAIT, value, timeout, NULL, 0);
}

static inline void futex_wake_all(_Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* word.c - for probes: waiting for a word in shared memory, asleep or spinning. */
#include "src/probe/word.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { STRETCH = 10000 }; /* polls: some 0.1 to 0.5 ms */

int probe_word_wake(_Atomic uint32_t *word)
{
	return syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0) < 0 ? -errno : 0;
}

/* Acquire: pairs with the sender's release of the word, which it stores after the payload. */
int probe_word_wait(_Atomic uint32_t *word, uint32_t value)
{
	while (atomic_load_explicit(word, memory_order_acquire) == value)
		if (syscall(SYS_futex, word, FUTEX_WAIT, value, NULL, NULL, 0) < 0 && errno != EAGAIN)
			return -errno;
	return 0;
}

static inline void relax_cpu(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

int probe_word_spin(_Atomic uint32_t *word, uint32_t value)
{
	for (unsigned i = 0; i < STRETCH; i++) {
		if (atomic_load_explicit(word, memory_order_acquire) != value)
			return 0;
		relax_cpu();
	}
	return -EINTR;
}

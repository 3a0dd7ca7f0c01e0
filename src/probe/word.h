/* SPDX-License-Identifier: GPL-2.0-or-later */
/* word.h - for probes: a counter in shared memory with one writer, used as a futex. */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

int probe_word_wake(_Atomic uint32_t *word);
/* Sleeps until the word is no longer @value. Returns 0 or -EINTR. */
int probe_word_wait(_Atomic uint32_t *word, uint32_t value);
/* Spins for the same, but less than 1 ms. Returns 0 or -EINTR. */
int probe_word_spin(_Atomic uint32_t *word, uint32_t value);

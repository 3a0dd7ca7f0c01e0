/* SPDX-License-Identifier: GPL-2.0-or-later */
/* helpers.h - for probes: send and receive over descriptors and words of memory, mutexes, the loopback
 * interface. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

#include "src/probe/hop.h"

/* Move the whole token over a stream. */
int probe_fd_write(struct hop *hop);
int probe_fd_read(struct hop *hop, const struct timespec *deadline);
/* Sends the token as one message over a socket. */
int probe_fd_send(struct hop *hop);

int probe_word_wake(_Atomic uint32_t *word);
/* Sleeps until the word is no longer @value. Returns 0 or -EINTR. */
int probe_word_wait(_Atomic uint32_t *word, uint32_t value);

/* @shared: PTHREAD_PROCESS_*, @protocol: PTHREAD_PRIO_*. Returns 0 or a negative errno. */
int probe_mutex_init(pthread_mutex_t *mutex, int shared, int protocol);

/* A probe's remedies. */
extern const struct probe_remedy probe_loopback_remedies[];

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* thread.h - starts threads that work for the front, apart from its loops. */
#pragma once

#include <pthread.h>

/* Starts a thread of SCHED_OTHER, whatever the caller's policy is. It gets no signals: others wait for them.
 * Returns 0 or a negative errno. */
int thread_start(pthread_t *thread, void *(*run)(void *data), void *data);

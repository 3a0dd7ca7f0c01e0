/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mutex.h - for probes: a pthread mutex with attributes. */
#pragma once

#include <pthread.h>

/* @shared: PTHREAD_PROCESS_*, @protocol: PTHREAD_PRIO_*. Returns 0 or a negative errno. */
int probe_mutex_init(pthread_mutex_t *mutex, int shared, int protocol);

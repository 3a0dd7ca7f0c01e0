/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mutex.c - for probes: a pthread mutex with attributes. */
#include "src/probe/mutex.h"

int probe_mutex_init(pthread_mutex_t *mutex, int shared, int protocol)
{
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	int r = pthread_mutexattr_setpshared(&attributes, shared);

	if (r == 0)
		r = pthread_mutexattr_setprotocol(&attributes, protocol);
	if (r == 0)
		r = pthread_mutex_init(mutex, &attributes);
	pthread_mutexattr_destroy(&attributes);
	return -r;
}

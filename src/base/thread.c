/* SPDX-License-Identifier: GPL-2.0-or-later */
/* thread.c - starts threads that work for the front. */
#include "src/base/thread.h"

#include <sched.h>
#include <signal.h>

int thread_start(pthread_t *thread, void *(*run)(void *data), void *data)
{
	pthread_attr_t attributes;
	sigset_t all, before;
	int r = -pthread_attr_init(&attributes);

	if (r < 0)
		return r;
	pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
	pthread_attr_setschedpolicy(&attributes, SCHED_OTHER);
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	r = -pthread_create(thread, &attributes, run, data);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	return r;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* timers.c - timers expire on its CPU, one shortly after the other. */
#include <errno.h>
#include <sys/timerfd.h>
#include <time.h>

#include "src/load/load_process.h"

enum { TIMERS = 64, FIRST_NS = 50000, STEP_NS = 2000, PAUSE_NS = 200000 };

static int begin(struct load_worker *worker)
{
	static int timers[TIMERS]; /* of this process */

	worker->data = timers;
	for (size_t i = 0; i < TIMERS; i++)
		if ((timers[i] = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC)) < 0)
			return load_worker_fail(worker, -errno, "no timer for it");
	return 0;
}

static int work(struct load_worker *worker)
{
	const int *timers = worker->data;

	for (int i = 0; i < TIMERS; i++)
		if (timerfd_settime(timers[i], 0,
			    &(struct itimerspec){.it_value.tv_nsec = FIRST_NS + i * STEP_NS}, NULL) < 0)
			return load_worker_fail(worker, -errno, "its timer can't be set");
	clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
	return 0;
}

const struct load_kind load_timers = {.name = "timers",
	.title = "timer interrupts: 64 timers expire in 200 us",
	.begin = begin,
	.work = work};

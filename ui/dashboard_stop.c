/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dashboard_stop.c - how the terminal is given back, also where it is stalled and the thread is stuck in it.
 */
#include <signal.h>
#include <time.h>

#include "ui/dashboard_own.h"
#include "ui/restore.h"

enum {
	PATIENCE_MS = 100, /* a slow terminal gets this long, */
	FLUSHES_MS = 100,  /* then what it has not taken is thrown away, */
	CANCEL_MS = 50,    /* then the thread that writes is given up */
	STEP_MS = 10,
};

void dashboard_tell(struct dashboard *dashboard, bool *flag)
{
	pthread_mutex_lock(&dashboard->mutex);
	*flag = true;
	pthread_cond_broadcast(&dashboard->changed);
	pthread_mutex_unlock(&dashboard->mutex);
}

static struct timespec in_ms(clockid_t clock, long ms)
{
	struct timespec time;

	clock_gettime(clock, &time);
	time.tv_nsec += ms * 1000000;
	time.tv_sec += time.tv_nsec / 1000000000;
	time.tv_nsec %= 1000000000;
	return time;
}

static void set_wish(struct dashboard *dashboard, enum wish wish)
{
	pthread_mutex_lock(&dashboard->mutex);
	dashboard->wish = wish;
	pthread_mutex_unlock(&dashboard->mutex);
	dashboard_notify(dashboard);
}

/* Waits for one of the thread's flags; returns whether it was set in time. */
static bool wait_for(struct dashboard *dashboard, const bool *flag, long ms)
{
	struct timespec deadline = in_ms(CLOCK_MONOTONIC, ms);
	int r = 0;

	pthread_mutex_lock(&dashboard->mutex);
	while (!*flag && r == 0)
		r = pthread_cond_clockwait(
			&dashboard->changed, &dashboard->mutex, CLOCK_MONOTONIC, &deadline);
	bool set = *flag;
	pthread_mutex_unlock(&dashboard->mutex);
	return set;
}

/* The same, and helps a thread that a stalled terminal blocks. */
static bool wait_stubbornly(struct dashboard *dashboard, const bool *flag)
{
	bool set = wait_for(dashboard, flag, PATIENCE_MS);

	for (int ms = 0; ms < FLUSHES_MS && !set; ms += STEP_MS) {
		restore_flush();
		set = wait_for(dashboard, flag, STEP_MS);
	}
	return set;
}

void dashboard_suspend(struct dashboard *dashboard)
{
	set_wish(dashboard, WISH_SUSPEND);
	if (!wait_stubbornly(dashboard, &dashboard->given)) {
		restore_now();
		dashboard_tell(dashboard, &dashboard->given);
	}
	/* To this thread, which so does not go on before all have stopped. */
	pthread_kill(pthread_self(), SIGSTOP);
	set_wish(dashboard, WISH_RUN);
}

/* A thread that draws, or looks for the past, is waited for: what it looks at is to be freed next. */
static bool leave(struct dashboard *dashboard)
{
	pthread_mutex_lock(&dashboard->mutex);
	bool left = dashboard->left = dashboard->in_terminal;
	pthread_mutex_unlock(&dashboard->mutex);
	return left;
}

void dashboard_stop(struct dashboard *dashboard)
{
	set_wish(dashboard, WISH_STOP);
	bool ended = wait_stubbornly(dashboard, &dashboard->ended);

	if (!ended) {
		pthread_cancel(dashboard->thread);
		do {
			ended = wait_for(dashboard, &dashboard->ended, CANCEL_MS);
		} while (!ended && !leave(dashboard));
	}
	/* Does nothing where the thread came to do it. */
	restore_now();
	if (!ended)
		return; /* the thread is stuck in the kernel, and may look at the dashboard once more */
	pthread_join(dashboard->thread, NULL);
	restore_finish();
	dashboard_free(dashboard);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dashboard_stop.c - how the terminal is given back. */
#include <signal.h>
#include <time.h>

#include "ui/term/dashboard_own.h"
#include "ui/term/restore.h"

/* The thread waits for no terminal, but for a CPU, and for what it draws. */
enum { PATIENCE_MS = 200 };

void dashboard_tell_given(struct dashboard *dashboard)
{
	pthread_mutex_lock(&dashboard->mutex);
	dashboard->given = true;
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

/* Returns whether the thread gave the terminal back in time. */
static bool wait_until_given(struct dashboard *dashboard)
{
	struct timespec deadline = in_ms(CLOCK_MONOTONIC, PATIENCE_MS);
	int r = 0;

	pthread_mutex_lock(&dashboard->mutex);
	while (!dashboard->given && r == 0)
		r = pthread_cond_clockwait(
			&dashboard->changed, &dashboard->mutex, CLOCK_MONOTONIC, &deadline);
	bool given = dashboard->given;
	pthread_mutex_unlock(&dashboard->mutex);
	return given;
}

void dashboard_suspend(struct dashboard *dashboard)
{
	set_wish(dashboard, WISH_SUSPEND);
	if (!wait_until_given(dashboard)) {
		restore_now();
		dashboard_tell_given(dashboard);
	}
	/* To this thread, which so does not go on before all have stopped. */
	pthread_kill(pthread_self(), SIGSTOP);
	set_wish(dashboard, WISH_RUN);
}

void dashboard_stop(struct dashboard *dashboard)
{
	set_wish(dashboard, WISH_STOP);
	pthread_join(dashboard->thread, NULL);
	restore_finish();
	dashboard_free(dashboard);
}

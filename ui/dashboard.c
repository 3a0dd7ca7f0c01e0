/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dashboard.c - the live screen's thread, and who may ask what of it. */
#include "ui/dashboard.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "src/clock.h"
#include "src/session.h"
#include "ui/compose.h"
#include "ui/freeze.h"
#include "ui/keys.h"
#include "ui/restore.h"
#include "ui/screen.h"
#include "ui/view.h"

enum {
	PATIENCE_MS = 100, /* a slow terminal gets this long, */
	FLUSHES_MS = 100,  /* then what it has not taken is thrown away, */
	CANCEL_MS = 50,    /* then the thread that writes is given up */
	STEP_MS = 10,
	BACKGROUND_MS = 200, /* how often it is seen whether the terminal may be taken again */
};

enum wish { WISH_RUN, WISH_SUSPEND, WISH_STOP };

struct dashboard {
	const struct session *session;
	pthread_mutex_t *session_lock;
	struct dashboard_config config;
	pthread_t thread;
	int event_fd;
	_Atomic bool resized;

	/* The thread's own. */
	struct screen *screen;
	struct view view;
	struct canvas canvas;
	struct freeze freeze;
	uint64_t shown_ns;     /* when the last frame was */
	uint64_t shown_events; /* how many events had come by then */
	bool input_open, has_figure, quit_told;

	pthread_mutex_t mutex; /* guards what follows */
	pthread_cond_t changed;
	enum wish wish;
	bool given; /* the terminal was given back, by the thread or for it */
	bool ended; /* the thread did its last step */
};

static bool any_figure(const struct session *session)
{
	for (size_t i = 0; i < session->n_rings; i++)
		for (size_t f = 0; f < N_FIGURES; f++)
			if (session->rings[i].figures[f].hist.n)
				return true;
	return false;
}

/* Only while the terminal is written may the thread be cancelled: no lock is held then. */
static void show(struct dashboard *dashboard)
{
	bool repaint = dashboard->view.repaint;

	dashboard->view.repaint = false;
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
	screen_show(dashboard->screen, &dashboard->canvas, repaint);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
}

/* What someone changed, or what went wrong, is shown at once. */
static bool has_event(struct dashboard *dashboard)
{
	pthread_mutex_lock(dashboard->session_lock);
	uint64_t events = dashboard->session->n_events + dashboard->session->events_dropped;
	pthread_mutex_unlock(dashboard->session_lock);
	return events != dashboard->shown_events;
}

static void draw(struct dashboard *dashboard)
{
	unsigned columns, lines;
	int r;

	screen_resize(dashboard->screen, &columns, &lines);
	pthread_mutex_lock(dashboard->session_lock);
	const struct session *shown =
		freeze_session(&dashboard->freeze, dashboard->session, &dashboard->view);

	r = compose(shown, &dashboard->view, &dashboard->canvas, columns, lines);
	dashboard->has_figure = dashboard->has_figure || any_figure(dashboard->session);
	dashboard->shown_events = dashboard->session->n_events + dashboard->session->events_dropped;
	pthread_mutex_unlock(dashboard->session_lock);
	if (r == 0)
		show(dashboard);
	dashboard->shown_ns = clock_now_ns();
}

static bool obey_keys(struct dashboard *dashboard)
{
	bool pressed = false;
	uint32_t code;

	while ((code = screen_key(dashboard->screen)) != KEY_CODE_NONE)
		pressed |= keys_press(&dashboard->view, code);
	if (dashboard->view.quit && !dashboard->quit_told && dashboard->config.quit) {
		dashboard->quit_told = true;
		dashboard->config.quit(dashboard->config.data);
	}
	return pressed;
}

/* Sets one of the flags that others wait for. */
static void tell(struct dashboard *dashboard, bool *flag)
{
	pthread_mutex_lock(&dashboard->mutex);
	*flag = true;
	pthread_cond_broadcast(&dashboard->changed);
	pthread_mutex_unlock(&dashboard->mutex);
}

/* Gives or takes the terminal as is wished. The lock is not held meanwhile, for it may take long. */
static enum wish obey_wish(struct dashboard *dashboard, bool *holds)
{
	pthread_mutex_lock(&dashboard->mutex);
	enum wish wish = dashboard->wish;
	bool give = wish == WISH_SUSPEND && !dashboard->given;
	bool take = wish == WISH_RUN && dashboard->given && screen_is_ours();

	if (take)
		dashboard->given = false;
	*holds = wish == WISH_RUN && !dashboard->given;
	pthread_mutex_unlock(&dashboard->mutex);

	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
	if (give)
		screen_suspend(dashboard->screen);
	if (take) {
		screen_resume(dashboard->screen);
		dashboard->view.repaint = true;
		dashboard->shown_ns = 0;
	}
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	if (give)
		tell(dashboard, &dashboard->given);
	return wish;
}

static void drain(int event_fd)
{
	uint64_t count;

	while (read(event_fd, &count, sizeof(count)) == sizeof(count))
		;
}

/* Waits for a key, for news, or for the time to show what is new. Returns whether a key is there. */
static bool wait_for_news(struct dashboard *dashboard, int timeout_ms, bool *news)
{
	struct pollfd fds[] = {
		{.fd = dashboard->event_fd, .events = POLLIN},
		{.fd = dashboard->input_open ? dashboard->config.input_fd : -1, .events = POLLIN},
	};

	if (poll(fds, 2, timeout_ms) <= 0)
		return false;
	if (fds[0].revents & POLLIN) {
		drain(dashboard->event_fd);
		*news = true;
	}
	if (fds[1].revents && !(fds[1].revents & POLLIN))
		dashboard->input_open = false;
	return fds[1].revents & POLLIN;
}

static int until_ms(uint64_t due_ns)
{
	uint64_t now_ns = clock_now_ns();

	return due_ns <= now_ns ? 0 : (int)((due_ns - now_ns + 999999) / 1000000);
}

/* One round: obeys, waits, draws where that is due. Returns false when it is to end. */
static bool run_once(struct dashboard *dashboard, bool *news)
{
	unsigned columns, lines;
	bool pressed = false, holds;
	enum wish wish = obey_wish(dashboard, &holds);

	if (wish == WISH_STOP)
		return false;
	if (!holds) {
		wait_for_news(dashboard, wish == WISH_RUN ? BACKGROUND_MS : -1, news);
		return true;
	}
	uint64_t due_ns = dashboard->shown_ns + (dashboard->has_figure ? dashboard->view.refresh_ns : 0);

	if (wait_for_news(dashboard, *news ? until_ms(due_ns) : -1, news))
		pressed = obey_keys(dashboard);
	bool resized = screen_resize(dashboard->screen, &columns, &lines);

	/* Also where it came back to the size it had: what the terminal cut off in between is gone. */
	dashboard->view.repaint |= atomic_exchange(&dashboard->resized, false);

	if (pressed || resized || dashboard->view.repaint ||
		(*news && (until_ms(due_ns) == 0 || has_event(dashboard)))) {
		draw(dashboard);
		*news = false;
	}
	return true;
}

/* Also where it was cancelled. */
static void tell_end(void *data)
{
	struct dashboard *dashboard = data;

	tell(dashboard, &dashboard->ended);
}

static void *dashboard_thread(void *data)
{
	struct dashboard *dashboard = data;
	bool news = true;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	pthread_setname_np(pthread_self(), "screen");
	pthread_cleanup_push(tell_end, dashboard);
	while (run_once(dashboard, &news))
		;
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
	screen_destroy(dashboard->screen);
	pthread_cleanup_pop(1);
	return NULL;
}

/* Signals are for the threads that wait for them. */
static int start_thread(struct dashboard *dashboard)
{
	sigset_t all, before;
	int r;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	r = pthread_create(&dashboard->thread, NULL, dashboard_thread, dashboard);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -r;
}

static void dashboard_free(struct dashboard *dashboard)
{
	freeze_finish(&dashboard->freeze);
	view_finish(&dashboard->view);
	canvas_finish(&dashboard->canvas);
	if (dashboard->event_fd >= 0)
		close(dashboard->event_fd);
	pthread_mutex_destroy(&dashboard->mutex);
	pthread_cond_destroy(&dashboard->changed);
	free(dashboard);
}

int dashboard_start(struct dashboard **out, const struct session *session, pthread_mutex_t *lock,
	const struct dashboard_config *config, struct reason *reason)
{
	struct dashboard *dashboard = calloc(1, sizeof(*dashboard));
	int r;

	if (!dashboard)
		return reason_set(reason, -ENOMEM, "there is no memory for the screen");
	dashboard->session = session;
	dashboard->session_lock = lock;
	dashboard->config = *config;
	dashboard->input_open = true;
	dashboard->event_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	pthread_mutex_init(&dashboard->mutex, NULL);
	pthread_cond_init(&dashboard->changed, NULL);
	view_init(&dashboard->view, config->figure, config->refresh_ns);
	tzset(); /* here, for it reads a file */
	r = dashboard->event_fd < 0 ? reason_set(reason, -errno, "eventfd: %s", strerror(errno))
				    : canvas_init(&dashboard->canvas, 1, 1, config->ascii || compose_ascii());
	if (r == 0)
		r = screen_create(&dashboard->screen, config->input_fd, config->color, reason);
	if (r == 0) {
		r = start_thread(dashboard);
		if (r < 0) {
			screen_destroy(dashboard->screen);
			restore_finish();
			reason_set(reason, r, "the screen's thread can't be started: %s", strerror(-r));
		}
	}
	if (r < 0) {
		dashboard_free(dashboard);
		return r;
	}
	*out = dashboard;
	return 0;
}

void dashboard_notify(struct dashboard *dashboard)
{
	const uint64_t one = 1;

	/* Full is as good as written: the thread is awake then. */
	if (write(dashboard->event_fd, &one, sizeof(one)) < 0 && errno != EAGAIN)
		return;
}

void dashboard_resized(struct dashboard *dashboard)
{
	atomic_store(&dashboard->resized, true);
	dashboard_notify(dashboard);
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
		tell(dashboard, &dashboard->given);
	}
	/* To this thread, which so does not go on before all have stopped. */
	pthread_kill(pthread_self(), SIGSTOP);
	set_wish(dashboard, WISH_RUN);
}

void dashboard_stop(struct dashboard *dashboard)
{
	set_wish(dashboard, WISH_STOP);
	bool ended = wait_stubbornly(dashboard, &dashboard->ended);

	if (!ended) {
		pthread_cancel(dashboard->thread);
		ended = wait_for(dashboard, &dashboard->ended, CANCEL_MS);
	}
	/* Does nothing where the thread came to do it. */
	restore_now();
	if (!ended)
		return; /* the thread is stuck in the kernel, and may look at all of it once more */
	pthread_join(dashboard->thread, NULL);
	restore_finish();
	dashboard_free(dashboard);
}

void dashboard_restore(void)
{
	restore_now();
}

size_t dashboard_restore_bytes(char *bytes, size_t size, struct termios *termios)
{
	return restore_read(bytes, size, termios);
}

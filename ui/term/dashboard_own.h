/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dashboard_own.h - what the dashboard's thread and who may ask it to end share. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "ui/draw/canvas.h"
#include "ui/table/view.h"
#include "ui/term/dashboard.h"
#include "ui/term/input.h"
#include "ui/views/shown_session.h"

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
	struct moment moment;
	struct input input;
	uint64_t shown_ns;     /* when the last frame was */
	uint64_t shown_events; /* how much had come by then that is shown at once */
	bool input_open, has_figure, quit_told, typing_told;
	bool repaint; /* all of the terminal is drawn anew */
	bool stale;   /* what a key or a new size changed has not been drawn yet */

	pthread_mutex_t mutex; /* guards what follows */
	pthread_cond_t changed;
	enum wish wish;
	bool shown; /* the thread may take the terminal */
	bool given; /* the terminal was given back, by the thread or for it */
};

/* The terminal was given back; who waits for it goes on. */
void dashboard_tell_given(struct dashboard *dashboard);
void dashboard_free(struct dashboard *dashboard);

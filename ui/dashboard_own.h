/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dashboard_own.h - what the dashboard's thread and who may ask it to end share. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "ui/canvas.h"
#include "ui/dashboard.h"
#include "ui/moment.h"
#include "ui/view.h"

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
	uint64_t shown_ns;     /* when the last frame was */
	uint64_t shown_events; /* how much had come by then that is shown at once */
	bool input_open, has_figure, quit_told, typing_told;

	pthread_mutex_t mutex; /* guards what follows */
	pthread_cond_t changed;
	enum wish wish;
	bool shown;       /* the thread may take the terminal */
	bool given;       /* the terminal was given back, by the thread or for it */
	bool ended;       /* the thread did its last step */
	bool in_terminal; /* it may be stuck there, and nowhere else */
	bool left;        /* nobody waits for it any more: it must not come back from there */
};

/* Sets one of the flags that others wait for. */
void dashboard_tell(struct dashboard *dashboard, bool *flag);
void dashboard_free(struct dashboard *dashboard);

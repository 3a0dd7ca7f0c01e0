/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source.h - the source of a session: a run, or the playback of a recording. Lines and dashboard use either
 * through it. */
#pragma once

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "src/engine/input_thread.h"
#include "src/model/commands.h"
#include "src/model/comparison_lines.h"
#include "src/model/feed.h"
#include "src/model/phase_source.h"
#include "src/model/playback_state.h"

struct config;
struct history;

struct source {
	const struct config *config; /* the caller's */
	struct session session; /* written by the thread of source_loop() alone, which may read it unlocked */
	struct playing playing; /* of a playback; as the session */
	pthread_mutex_t lock;   /* guards both */
	struct baseline baseline; /* owned */
	struct commands commands;
	struct input_thread input;
	int priority;               /* of the input thread; 0: none */
	struct arena *arena;        /* whose rings run; NULL: a playback */
	struct history *history;    /* NULL: only the present can be shown */
	struct phase_source phases; /* of those that the session does not have any more */
	char ended_by[32];          /* "quit", "duration", "loops", "signal SIGINT", ... */
	atomic_bool quits;          /* COMMAND_QUIT was put: ends long reads */
	int signal;                 /* the signal that asked for the end; 0: none */

	/* The run's, or the playback's. */
	int (*start)(struct source *source, struct error_text *reason);
	void (*loop)(struct source *source);
	void (*obey)(struct source *source, const struct command *command); /* not of COMMAND_QUIT */
	bool stays;                                                         /* see source_start() */
	bool (*updated)(void *data);
	void *data;

	/* Called after the session was fed with an item, in the thread of source_loop(); NULL: not. The
	 * caller of source_init() sets both. */
	void (*fed)(void *fed_data, const struct feed_item *item);
	void *fed_data;
};

/* Returns 0, or a negative errno with its reason; source_finish() accepts what is left. */
int source_init(struct source *source, const struct config *config, struct error_text *reason);
void source_finish(struct source *source);

/* Obeys signals from now on; a dashboard does that itself. Returns 0, or a negative errno with its reason. */
int source_listen(struct source *source, struct error_text *reason);
/* Starts the rings, or reads the recording's first state; all threads of this process must exist. @stays: for
 * the dashboard, which does not end when all rings have failed or the recording ends. Returns 0, or a
 * negative errno with its reason. */
int source_start(struct source *source, bool stays, struct error_text *reason);
/* Feeds the session until the end. @updated is called after each tick, in this thread and without the lock,
 * and returns false to end it. */
void source_loop(struct source *source, bool (*updated)(void *data), void *data);
/* From any thread. COMMAND_QUIT stops the rings at once, because the thread of source_loop() may get no CPU.
 */
void source_command(struct source *source, const struct command *command);

/* --- for the run and the playback --- */

/* Waits until @until_ns (CLOCK_MONOTONIC; UINT64_MAX: forever), until there is a command, or until poll(2)
 * finds one of @fds ready. fds[0] becomes the one of the commands. */
void source_wait(const struct source *source, struct pollfd *fds, nfds_t n, uint64_t until_ns);
/* Obeys all commands. Returns whether there was one. */
bool source_obey(struct source *source);
/* Feeds the session, and then calls source->fed. Returns 0 or -ENOMEM. */
int source_feed(struct source *source, const struct feed_item *item);
/* Reports that the session has news. */
void source_updated(struct source *source);
/* Sets ended_by, unless something has ended it before. */
void source_end(struct source *source, const char *why);

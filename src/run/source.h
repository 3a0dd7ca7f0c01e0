/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source.h - the source of a session: a run, or the playback of a recording. Its modules use either through
 * it. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

#include "src/engine/input_thread.h"
#include "src/model/commands.h"
#include "src/model/comparison_lines.h"
#include "src/model/feed.h"
#include "src/model/phase_source.h"
#include "src/model/playback_state.h"
#include "src/run/bus.h"
#include "src/run/command.h"

struct config;
struct history;
struct loop;
struct recording;
struct replay;
struct topology;

struct source {
	const struct config *config;     /* the caller's */
	const struct topology *topology; /* the caller's, of a run */
	const struct replay *replay;     /* of a playback; NULL: a run */
	struct bus bus;
	struct session session; /* written by the thread of source_loop() alone, which may read it unlocked */
	struct playback_state playing; /* of a playback; as the session */
	pthread_mutex_t lock;          /* guards both */
	struct baseline baseline;      /* owned */
	struct commands queue;         /* of commands */
	struct input_thread input;
	int priority;                /* of the input thread; 0: none */
	struct arena *arena;         /* whose rings run; NULL: a playback */
	struct recording *recording; /* a module's; NULL: nothing is recorded, or not any more */
	struct history *history;     /* of a run; NULL: only the present can be shown */
	struct phase_source phases;  /* of those that the session does not have any more */
	char ended_by[32];           /* "quit", "duration", "loops", "signal SIGINT", ... */
	atomic_bool quits;           /* COMMAND_QUIT was put: ends long reads */
	int signal;                  /* the signal that asked for the end; 0: none */
	bool stays; /* a screen shows it: it does not end when all rings have failed or the recording ends */

	bool has_result; /* the loop has come to its end: modules may report */

	/* Prints the screen as text, in the main thread: the dashboard's last frame, or one without it. Set
	 * by modules. */
	void (*print_screen)(void *data, FILE *out);
	void *screen_data;

	/* The run's, or the playback's. */
	int (*start)(struct source *source, struct error_text *reason); /* calls source_feed_start() */
	void (*loop)(struct source *source);
	const struct command_row *const *commands; /* command_rows; source_start() sets it */
};

extern const struct module module_session; /* feeds the session: the first of all modules */

/* Returns 0, or a negative errno with its reason; source_finish() accepts what is left. */
int source_init(struct source *source, const struct config *config, struct error_text *reason);
void source_finish(struct source *source);

/* Obeys signals from now on; a screen does that itself. Returns 0, or a negative errno with its reason. */
int source_listen(struct source *source, struct error_text *reason);
/* Obeys @commands from now on. Opens the modules, and starts the rings or reads the recording's first state.
 * Returns 0, or a negative errno with its reason. */
int source_start(struct source *source, const struct module *const *modules,
	const struct command_row *const *commands, struct error_text *reason);
/* Feeds the modules until the end, up to FEED_STOP. */
void source_loop(struct source *source);
/* Sends a command to the main thread, from any thread. COMMAND_QUIT stops the rings at once, because the main
 * thread may get no CPU. Returns 0, or a negative errno with a sentence: then command->replied is not called.
 */
int source_command(struct source *source, const struct command *command, struct error_text *refusal);
/* Returns the name of a command that has a row. */
const char *source_command_name(const struct source *source, const struct command *command);
/* COMMAND_QUIT of a signal, or of a key (0). Where the queue is full of them, another one is no loss. */
void source_quit_by(void *source, int signal);
/* Sets ended_by, unless something has ended it before. */
void source_end(struct source *source, const char *why);

/* --- for the run and the playback --- */

/* Begins a round of a loop that a command wakes. */
void source_begin_round(const struct source *source, struct loop *loop);
/* Obeys all commands. Returns whether there was one. */
bool source_obey(struct source *source);
/* Feeds FEED_START. Returns 0, or a negative errno with its reason. */
int source_feed_start(struct source *source, struct error_text *reason);
/* Feeds all modules. Returns 0, or the first error of a module. */
int source_feed(struct source *source, const struct feed_item *item);

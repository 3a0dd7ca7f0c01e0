/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source.c - the source of a session: the common part of a run and a playback. */
#include "src/run/source.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "src/base/loop.h"
#include "src/ring/stop.h"

int source_init(struct source *source, const struct config *config, struct error_text *reason)
{
	pthread_mutexattr_t attributes;

	*source = (struct source){.config = config};
	/* Without inheritance, a drawing thread that gets no CPU would stop the thread of source_loop(),
	 * which may have real-time priority. */
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&source->lock, &attributes);
	pthread_mutexattr_destroy(&attributes);
	int r = commands_init(&source->commands);

	return r < 0 ? error_text_set(reason, r, "eventfd: %s", error_text_of_errno(r)) : 0;
}

void source_finish(struct source *source)
{
	input_thread_finish(&source->input);
	session_finish(&source->session);
	comparison_file_finish(&source->baseline.file);
	commands_finish(&source->commands);
	pthread_mutex_destroy(&source->lock);
}

static void quit(void *source, int signal)
{
	source_command(source, &(struct command){COMMAND_QUIT, .signal = signal});
}

int source_listen(struct source *source, struct error_text *reason)
{
	const struct input_hooks hooks = {.keys_in = -1, .keys_out = -1, .quit = quit, .data = source};

	return input_thread_start(&source->input, source->priority, &hooks, reason);
}

/* --- the session, as the first module --- */

static int open_session(struct source *source, void **state, struct error_text *reason)
{
	*state = source;
	return 0;
}

/* Without memory, a playback ends; a run has the samples in its next tick. */
static int take_item(void *state, const struct feed_item *item, struct error_text *reason)
{
	struct source *source = state;

	return feed_session(&source->session, item, &source->lock);
}

const struct module module_session = {"session", .open = open_session, .feed = take_item};

/* --- start and end --- */

int source_start(struct source *source, const struct module *const *modules, struct error_text *reason)
{
	int r = bus_open(&source->bus, modules, source, reason);

	return r == 0 ? source->start(source, reason) : r;
}

int source_feed_start(struct source *source, struct error_text *reason)
{
	return bus_feed(&source->bus, &(struct feed_item){FEED_START, source->session.start_ns}, reason);
}

void source_loop(struct source *source)
{
	source->loop(source);
	source_feed(source, &(struct feed_item){FEED_STOP, session_position_ns(&source->session)});
	source->has_result = true;
	atomic_store(&source->quits, false); /* what is read for the report is read to its end */
}

void source_command(struct source *source, const struct command *command)
{
	if (command->kind == COMMAND_QUIT && source->arena)
		stop_command(source->arena);
	commands_put(&source->commands, command);
	if (command->kind == COMMAND_QUIT) /* after the command, which a read that it ends is to find */
		atomic_store(&source->quits, true);
}

void source_begin_round(const struct source *source, struct loop *loop)
{
	loop_begin(loop);
	loop_watch(loop, source->commands.wanted, POLLIN, NULL, NULL);
}

/* Names the signals that end a run. */
static const char *signal_name(int signal)
{
	return signal == SIGINT    ? "SIGINT"
	       : signal == SIGTERM ? "SIGTERM"
	       : signal == SIGHUP  ? "SIGHUP"
				   : "SIGQUIT";
}

static void obey_quit(struct source *source, const struct command *command)
{
	char why[sizeof(source->ended_by)] = "quit";

	if (command->signal) {
		source->signal = command->signal;
		snprintf(why, sizeof(why), "signal %s", signal_name(command->signal));
		if (strcmp(source->ended_by, "quit") == 0) /* a terminal that hangs up ends its keys, too */
			source->ended_by[0] = '\0';
	}
	source_end(source, why);
}

static void set_baseline(struct source *source, uint32_t number)
{
	source->baseline.number = number;
	pthread_mutex_lock(&source->lock);
	source->session.phases.baseline = number;
	pthread_mutex_unlock(&source->lock);
}

bool source_obey(struct source *source)
{
	struct command command;
	bool any = false;

	for (; commands_next(&source->commands, &command); any = true)
		if (command.kind == COMMAND_QUIT)
			obey_quit(source, &command);
		else if (command.kind == COMMAND_BASELINE)
			set_baseline(source, command.phase);
		else
			source->obey(source, &command);
	return any;
}

int source_feed(struct source *source, const struct feed_item *item)
{
	struct error_text reason; /* of a warning that was fed, or of a lack of memory */

	return bus_feed(&source->bus, item, &reason);
}

void source_end(struct source *source, const char *why)
{
	if (!source->ended_by[0])
		snprintf(source->ended_by, sizeof(source->ended_by), "%s", why);
}

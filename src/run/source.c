/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source.c - the source of a session: the common part of a run and a playback. */
#include "src/run/source.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "src/ring/stop.h"

int source_init(struct source *source, const struct config *config, struct error_text *reason)
{
	*source = (struct source){.config = config};
	pthread_mutex_init(&source->lock, NULL);
	int r = commands_init(&source->commands);

	return r < 0 ? error_text_set(reason, r, "eventfd: %s", error_text_of_errno(r)) : 0;
}

void source_finish(struct source *source)
{
	input_thread_finish(&source->input);
	session_finish(&source->session);
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

int source_start(struct source *source, bool stays, struct error_text *reason)
{
	source->stays = stays;
	return source->start(source, reason);
}

void source_loop(struct source *source, bool (*updated)(void *data), void *data)
{
	source->updated = updated;
	source->data = data;
	source->loop(source);
}

void source_command(struct source *source, const struct command *command)
{
	if (command->kind == COMMAND_QUIT && source->arena)
		stop_command(source->arena);
	commands_put(&source->commands, command);
}

bool source_obey(struct source *source, struct command *command)
{
	char why[sizeof(source->ended_by)] = "quit";

	if (!commands_next(&source->commands, command))
		return false;
	if (command->kind != COMMAND_QUIT)
		return true;
	if (command->signal) {
		source->signal = command->signal;
		snprintf(why, sizeof(why), "signal SIG%s", sigabbrev_np(command->signal));
		if (strcmp(source->ended_by, "quit") == 0) /* a terminal that hangs up ends its keys, too */
			source->ended_by[0] = '\0';
	}
	source_end(source, why);
	return true;
}

int source_feed(struct source *source, const struct feed_item *item)
{
	pthread_mutex_lock(&source->lock);
	int r = feed_session(&source->session, item);
	pthread_mutex_unlock(&source->lock);
	if (r == 0 && source->session.merges_apart && item->kind == FEED_TICK)
		r = session_merge(&source->session, &source->lock);
	return r;
}

void source_updated(struct source *source)
{
	if (!source->updated(source->data))
		source_end(source, "output closed");
}

void source_end(struct source *source, const char *why)
{
	if (!source->ended_by[0])
		snprintf(source->ended_by, sizeof(source->ended_by), "%s", why);
}

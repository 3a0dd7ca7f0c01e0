/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source.c - the source of a session: the common part of a run and a playback. */
#include "src/run/source.h"

#include <errno.h>
#include <signal.h>
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
	int r = commands_init(&source->queue);

	return r < 0 ? error_text_set(reason, r, "eventfd: %s", error_text_of_errno(r)) : 0;
}

void source_finish(struct source *source)
{
	input_thread_finish(&source->input);
	session_finish(&source->session);
	comparison_file_finish(&source->baseline.file);
	commands_finish(&source->queue);
	pthread_mutex_destroy(&source->lock);
}

void source_quit_by(void *source, int signal)
{
	const struct command command = {
		COMMAND_QUIT, signal ? COMMAND_BY_SIGNAL : COMMAND_BY_KEY, .signal = signal};
	struct error_text refusal;

	source_command(source, &command, &refusal);
}

int source_listen(struct source *source, struct error_text *reason)
{
	const struct input_hooks hooks = {
		.keys_in = -1, .keys_out = -1, .quit = source_quit_by, .data = source};

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

const struct module module_session = {.open = open_session, .feed = take_item};

/* --- start and end --- */

int source_start(struct source *source, const struct module *const *modules,
	const struct command_row *const *commands, struct error_text *reason)
{
	source->commands = commands;

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

const char *source_command_name(const struct source *source, const struct command *command)
{
	return command_row_of(source->commands, command)->name;
}

static bool is_read_only(
	const struct source *source, const struct command_row *row, const struct command *command)
{
	return source->config->read_only && row->acts &&
	       (row->kind != COMMAND_QUIT || command->sender == COMMAND_BY_SOCKET);
}

/* Why a run, or a replay, has no such command. */
static const char *usual_refusal(const struct source *source)
{
	return source->replay ? "a replay has the rings of its recording alone"
			      : "only a replay can do that; the screen scrubs through the past of a run";
}

static int check_command(
	const struct source *source, const struct command *command, struct error_text *refusal)
{
	const struct command_row *row = command_row_of(source->commands, command);

	if (!row)
		return error_text_set(refusal, -ENOENT, "%s: no such command", command->row_name);
	if (!(source->replay ? row->in_replay : row->in_run))
		return error_text_set(refusal, -ENOTSUP, "%s: %s", row->name,
			row->refusal ? row->refusal : usual_refusal(source));
	if (is_read_only(source, row, command))
		return error_text_set(refusal, -EPERM, "%s: --read-only is set", row->name);
	return 0;
}

int source_command(struct source *source, const struct command *command, struct error_text *refusal)
{
	bool quits = command->kind == COMMAND_QUIT;
	int r = check_command(source, command, refusal);

	if (r < 0)
		return r;
	if (quits && source->arena)
		stop_command(source->arena);
	r = commands_put(&source->queue, command);
	if (quits) /* after the command, which a read that it ends is to find */
		atomic_store(&source->quits, true);
	return r < 0 ? error_text_set(refusal, r, "%s: too many commands wait; try again",
			       source_command_name(source, command))
		     : 0;
}

void source_begin_round(const struct source *source, struct loop *loop)
{
	loop_begin(loop);
	loop_watch(loop, source->queue.wanted, POLLIN, NULL, NULL);
}

/* Names the signals that end a run. */
static const char *signal_name(int signal)
{
	return signal == SIGINT    ? "SIGINT"
	       : signal == SIGTERM ? "SIGTERM"
	       : signal == SIGHUP  ? "SIGHUP"
				   : "SIGQUIT";
}

static int obey_quit(struct source *source, const struct command *command, struct command_result *result,
	struct error_text *refusal)
{
	char why[sizeof(source->ended_by)] = "quit";

	if (command->signal) {
		source->signal = command->signal;
		snprintf(why, sizeof(why), "signal %s", signal_name(command->signal));
		if (strcmp(source->ended_by, "quit") == 0) /* a terminal that hangs up ends its keys, too */
			source->ended_by[0] = '\0';
	}
	source_end(source, why);
	return 0;
}

const struct command_row command_quit = {"quit", "end, and report the result", .kind = COMMAND_QUIT,
	.acts = true, .in_run = obey_quit, .in_replay = obey_quit};

/* Keys choose among the phases on the screen, so only those of a socket are checked. */
static int set_baseline(struct source *source, const struct command *command, struct command_result *result,
	struct error_text *refusal)
{
	uint32_t number = command->phase;

	if (source->session.is_sweep && number)
		return error_text_set(refusal, -EINVAL,
			"baseline %u: a sweep has none: it compares each phase with the one before",
			(unsigned)number);
	if (command->sender == COMMAND_BY_SOCKET && number && !phases_find(&source->session.phases, number))
		return error_text_set(
			refusal, -ENOENT, "baseline %u: there is no such phase", (unsigned)number);
	source->baseline.number = number;
	pthread_mutex_lock(&source->lock);
	source->session.phases.baseline = number;
	pthread_mutex_unlock(&source->lock);
	return 0;
}

static const struct option_row phase_argument = {.name = "phase",
	.argument = "NUMBER",
	.read = option_read_number,
	OPTION_FIELD(struct command, phase),
	.range = {"the phase", 0, COMPARISON_FILE - 1, NULL, "a number, or 0 for none"}};

const struct command_row command_baseline = {"baseline", "compare with this phase from now on; 0: with none",
	&phase_argument, .kind = COMMAND_BASELINE, .acts = true, .in_run = set_baseline,
	.in_replay = set_baseline};

bool source_obey(struct source *source)
{
	struct command command;
	bool any = false;

	for (; commands_next(&source->queue, &command); any = true) {
		const struct command_row *row = command_row_of(source->commands, &command);
		struct command_result result = {0};
		struct error_text refusal;

		if (command.at_ns < source->session.start_ns) /* while the rings were started */
			command.at_ns = source->session.start_ns;
		int r = (source->replay ? row->in_replay : row->in_run)(source, &command, &result, &refusal);

		if (command.replied)
			command.replied(command.data, &command, &result, r < 0 ? &refusal : NULL);
	}
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

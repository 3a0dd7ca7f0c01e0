/* SPDX-License-Identifier: GPL-2.0-or-later */
/* screen.c - the module that shows a run, or a playback, on the dashboard: terminal, keys and signals. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "src/base/tty.h"
#include "src/engine/terminal.h"
#include "src/options/config_file.h"
#include "src/plan/config.h"
#include "src/run/output.h"
#include "src/run/run_add.h"
#include "src/run/run_loads.h"
#include "src/run/run_preview.h"
#include "src/run/source.h"
#include "ui/term/dashboard.h"
#include "ui/term/rescue.h"

static void crash(int signal)
{
	rescue_now();
	raise(signal); /* the default action has been put back */
}

static void catch_crashes(void)
{
	static const int signals[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};
	struct sigaction action = {.sa_handler = crash, .sa_flags = SA_RESETHAND | SA_NODEFER};

	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		sigaction(signals[i], &action, NULL);
}

struct screen {
	struct source *source;
	struct dashboard *dashboard;
	int keys[2]; /* a pipe */
	int terminal;
	_Atomic uint64_t q_quits_after; /* see struct input_hooks */
	struct line_helper helper;
};

/* While the terminal is taken, the keeper of a run has the bytes and modes that restore it. */
static void note_terminal(void *data, bool taken)
{
	struct arena *arena = ((struct screen *)data)->source->arena;
	char bytes[RESCUE_BYTES_MAX];
	struct termios termios;

	if (arena)
		terminal_note(
			arena, bytes, taken ? rescue_read(bytes, sizeof(bytes), &termios) : 0, &termios);
}

/* Called in the main thread. */
static void take_reply(void *data, const struct command *command, const struct command_result *result,
	const struct error_text *refusal)
{
	struct screen *screen = data;

	if (screen->dashboard)
		dashboard_reply(screen->dashboard, command->client, refusal, &result->said);
}

static int describe_line(void *data, const struct command *command, char *text, size_t size)
{
	struct source *source = ((struct screen *)data)->source;
	struct error_text meaning = {""};
	int r = 0;

	if (command->kind == COMMAND_LOAD)
		r = run_loads_describe(source, command->words, &meaning);
	else if (command->kind == COMMAND_ADD)
		r = run_add_describe(source, command->words, &meaning);
	else
		r = run_preview_value(source, command, &meaning);

	snprintf(text, size, "%s", meaning.text);
	return r;
}

static void complete_line(
	void *data, const struct command *command, char *line, size_t line_size, char *words, size_t size)
{
	struct source *source = ((struct screen *)data)->source;

	if (command->kind == COMMAND_LOAD)
		run_loads_complete(line, line_size, words, size);
	else if (command->kind == COMMAND_ADD)
		run_add_complete(source, line, line_size, words, size);
	else
		run_preview_complete(source, command, line, line_size, words, size);
}

/* Called in the main thread. */
static void print_frame(void *data, FILE *out)
{
	const struct screen *screen = data;

	if (screen->dashboard)
		dashboard_print(screen->dashboard, out);
}

static int send_command(void *data, const struct command *command, struct error_text *refusal)
{
	const struct command_row *row = command_row_of(command_rows, command);
	struct command sent = *command;

	if (!sent.sender)
		sent.sender = COMMAND_BY_KEY;
	if (row && row->acts) {
		sent.replied = take_reply;
		sent.data = data;
	}
	return source_command(((struct screen *)data)->source, &sent, refusal);
}

static int save(void *data, const struct setting *settings, size_t n_settings, struct error_text *sentence)
{
	const struct config *config = ((struct screen *)data)->source->config;

	if (config->no_config)
		return error_text_set(sentence, -EINVAL, "--no-config: no file is used, so none was written");
	return config_write(config->config_file, settings, n_settings, sentence);
}

static void quit(void *data, int signal)
{
	source_quit_by(((struct screen *)data)->source, signal);
}

static void resized(void *data)
{
	dashboard_resized(((struct screen *)data)->dashboard);
}

/* dashboard_suspend() returns some time after Ctrl-Z is over; the terminal is taken later. */
static void suspended(void *data)
{
	note_terminal(data, false);
	dashboard_suspend(((struct screen *)data)->dashboard);
}

/* The input thread reads keys, and passes them through a pipe. Reading must not wait, because bytes that
 * poll() announced may be gone. Returns the terminal's descriptor, or -1. */
static int open_keys(int pipe[2])
{
	if (pipe2(pipe, O_CLOEXEC | O_NONBLOCK) < 0)
		return -1;
	if (!isatty(STDIN_FILENO))
		return open("/dev/tty", O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	int own = tty_open(STDIN_FILENO, O_RDONLY);

	return own < 0 ? STDIN_FILENO : own;
}

static int start_dashboard(struct screen *screen, struct error_text *reason)
{
	struct source *source = screen->source;
	const struct config *config = source->config;

	screen->helper =
		(struct line_helper){.describe = describe_line, .complete = complete_line, .data = screen};
	const struct dashboard_config dashboard = {.figure = config->figure,
		.view = config->view,
		.refresh_ns = config->refresh_ns,
		.limit_ns = config->fail_above_ns,
		.baseline = &source->baseline,
		.palette = (enum palette)config->palette,
		.table = {config->columns, config->n_columns, config->sort, (enum unit)config->unit,
			(enum window)config->window},
		.colors = (enum colors)config->colors,
		.no_color = config->no_color,
		.mouse = config->mouse,
		.read_only = config->read_only,
		.hunts = config->hunt,
		.helper = source->arena ? &screen->helper : NULL,
		.ascii = config->ascii,
		.keys = screen->keys[0],
		.q_quits_after = &screen->q_quits_after,
		.playing = source->arena ? NULL : &source->playing,
		.command = send_command,
		.save = save,
		.taken = note_terminal,
		.data = screen};

	return dashboard_start(&screen->dashboard, &source->session, &source->lock, &dashboard, reason);
}

static int start_input(struct screen *screen, struct error_text *reason)
{
	struct source *source = screen->source;
	const struct input_hooks hooks = {.keys_in = screen->terminal,
		.keys_out = screen->keys[1],
		.q_quits_after = &screen->q_quits_after,
		.quit = quit,
		.resized = resized,
		.suspended = suspended,
		.data = screen};

	return input_thread_start(&source->input, source->priority, &hooks, reason);
}

/* Gives the terminal back. */
static void close_screen(struct screen *screen)
{
	if (!screen->dashboard)
		return;
	input_thread_join(&screen->source->input); /* its hooks use the dashboard */
	dashboard_stop(screen->dashboard);
	screen->dashboard = NULL;
	note_terminal(screen, false);
}

static bool is_wanted(const struct config *config)
{
	return isatty(STDOUT_FILENO) && !config->plain && !config->quiet && !config->render_columns &&
	       !output_is_report(config);
}

/* Without a terminal that can show it, or a thread for that, there are lines instead. */
static int open_screen(struct source *source, void **state, struct error_text *reason)
{
	struct screen *screen = is_wanted(source->config) ? calloc(1, sizeof(*screen)) : NULL;

	if (!screen)
		return 0;
	screen->source = source;
	screen->keys[0] = screen->keys[1] = -1;
	screen->terminal = open_keys(screen->keys);
	int r = start_dashboard(screen, reason);

	if (r == 0) {
		catch_crashes();
		note_terminal(screen, true);
		r = start_input(screen, reason);
	}
	if (r == 0) {
		source->stays = true;
		source->print_screen = print_frame;
		source->screen_data = screen;
		*state = screen;
		return 0;
	}
	fprintf(stderr, "ipctop: %s; going on with lines\n", reason->text);
	close_screen(screen);
	free(screen);
	return 0;
}

static int show_item(void *state, const struct feed_item *item, struct error_text *reason)
{
	struct screen *screen = state;
	const struct source *source = screen->source;

	if (item->kind == FEED_START)
		dashboard_show(screen->dashboard, source->history, &source->phases);
	else if (item->kind == FEED_STOP)
		close_screen(screen);
	else if (screen->dashboard)
		dashboard_notify(screen->dashboard);
	return 0;
}

static int end_screen(void *state, struct error_text *reason)
{
	struct screen *screen = state;

	close_screen(screen); /* if the rings could not start */
	free(screen);
	return 0;
}

const struct module module_screen = {.open = open_screen, .feed = show_item, .end = end_screen};

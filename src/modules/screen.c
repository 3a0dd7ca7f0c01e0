/* SPDX-License-Identifier: GPL-2.0-or-later */
/* screen.c - a run, or a playback, on the dashboard: terminal, keys and signals. */
#include "src/modules/screen.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "src/base/tty.h"
#include "src/engine/terminal.h"
#include "src/modules/metrics_file.h"
#include "src/options/config_write.h"
#include "src/plan/config.h"
#include "ui/term/dashboard.h"
#include "ui/term/restore.h"

static void crash(int signal)
{
	restore_now();
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
	struct metrics *metrics;        /* the caller's */
	_Atomic uint64_t q_quits_after; /* see struct input_hooks */
};

/* While the terminal is taken, the keeper of a run has the bytes and modes that restore it. */
static void note_terminal(void *data, bool taken)
{
	struct arena *arena = ((struct screen *)data)->source->arena;
	char bytes[RESTORE_BYTES_MAX];
	struct termios termios;

	if (arena)
		terminal_note(
			arena, bytes, taken ? restore_read(bytes, sizeof(bytes), &termios) : 0, &termios);
}

static void put_command(void *data, const struct command *command)
{
	source_command(((struct screen *)data)->source, command);
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
	put_command(data, &(struct command){COMMAND_QUIT, .signal = signal});
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

static bool updated(void *data)
{
	struct screen *screen = data;

	dashboard_notify(screen->dashboard);
	main_metrics_update(screen->metrics);
	return true;
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

/* @keys: the pipe's ends. */
static int start_dashboard(struct screen *screen, const int keys[2], struct error_text *reason)
{
	struct source *source = screen->source;
	const struct config *config = source->config;
	const struct dashboard_config dashboard = {.figure = config->figure,
		.screen = config->screen,
		.refresh_ns = config->refresh_ns,
		.limit_ns = config->fail_above_ns,
		.baseline = &source->baseline,
		.palette = (enum palette)config->palette,
		.table = {config->columns, config->n_columns, config->sort, (enum unit)config->unit},
		.colors = (enum colors)config->colors,
		.no_color = config->no_color,
		.mouse = config->mouse,
		.ascii = config->ascii,
		.keys = keys[0],
		.q_quits_after = &screen->q_quits_after,
		.playing = source->arena ? NULL : &source->playing,
		.command = put_command,
		.save = save,
		.taken = note_terminal,
		.data = screen};

	return dashboard_start(&screen->dashboard, &source->session, &source->lock, &dashboard, reason);
}

int main_run_dashboard(struct source *source, struct metrics *metrics, bool *shown, struct error_text *reason)
{
	struct screen screen = {.source = source, .metrics = metrics};
	int keys[2] = {-1, -1};
	int terminal = open_keys(keys);
	const struct input_hooks hooks = {.keys_in = terminal,
		.keys_out = keys[1],
		.q_quits_after = &screen.q_quits_after,
		.quit = quit,
		.resized = resized,
		.suspended = suspended,
		.data = &screen};
	int r = start_dashboard(&screen, keys, reason);

	*shown = false;
	if (r < 0)
		return r;
	catch_crashes();
	note_terminal(&screen, true);
	r = input_thread_start(&source->input, source->priority, &hooks, reason);
	*shown = r == 0;
	if (r == 0)
		r = source_start(source, true, reason); /* all threads exist */
	if (r == 0) {
		main_metrics_ready(metrics);
		dashboard_show(screen.dashboard, source->history, &source->phases);
		source_loop(source, updated, &screen);
	}
	input_thread_join(&source->input);
	dashboard_stop(screen.dashboard);
	note_terminal(&screen, false);
	return r;
}

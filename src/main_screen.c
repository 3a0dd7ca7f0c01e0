/* SPDX-License-Identifier: GPL-2.0-or-later */
/* main_screen.c - a run, or a recording, on the dashboard: main.c's part that knows the terminal. */
#include "src/main_screen.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "src/base/tty.h"
#include "src/engine/terminal.h"
#include "src/plan/config.h"
#include "src/run/playback.h"
#include "ui/term/dashboard.h"
#include "ui/views/keys.h"

int main_start(struct run *run, struct error_text *reason)
{
	return run->replay ? 0 : run_start(run, reason);
}

void main_loop(struct run *run, uint64_t for_ns, bool stays, bool (*updated)(void *data), void *data)
{
	if (run->replay)
		playback_loop(run, stays, updated, data);
	else
		run_loop(run, for_ns, stays, updated, data);
}

static void crash(int signal)
{
	dashboard_restore();
	raise(signal); /* the default action has been put back */
}

static void catch_crashes(void)
{
	static const int signals[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};
	struct sigaction action = {.sa_handler = crash, .sa_flags = SA_RESETHAND | SA_NODEFER};

	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		sigaction(signals[i], &action, NULL);
}

/* The terminal is the shell's, and not the keeper's to mend. A replay has no keeper. */
static void note_no_terminal(struct run *run)
{
	if (!run->replay)
		terminal_note(run->engine.arena.head, NULL, 0, NULL);
}

static void note_terminal(struct run *run)
{
	if (run->replay)
		return;
	char bytes[sizeof(run->engine.arena.head->terminal_bytes)];
	struct termios termios;
	size_t n = dashboard_restore_bytes(bytes, sizeof(bytes), &termios);

	terminal_note(run->engine.arena.head, bytes, n, &termios);
}

struct screen {
	struct run *run;
	struct dashboard *dashboard;
};

static void quit(void *data)
{
	guard_quit(&((struct screen *)data)->run->guard);
}

static void typing(void *data, bool typing)
{
	guard_typing(&((struct screen *)data)->run->guard, typing);
}

static void resized(void *data)
{
	dashboard_resized(((struct screen *)data)->dashboard);
}

static void suspended(void *data)
{
	struct screen *screen = data;

	note_no_terminal(screen->run);
	dashboard_suspend(screen->dashboard);
}

/* Some time after Ctrl-Z is over: only then is there something to be mended again. */
static void taken(void *data, bool taken)
{
	if (taken)
		note_terminal(((struct screen *)data)->run);
	else
		note_no_terminal(((struct screen *)data)->run);
}

static bool updated(void *data)
{
	dashboard_notify(((struct screen *)data)->dashboard);
	return true;
}

/* Keys go through a pipe, for it is the guard who reads them. Bytes that are announced may be gone when they
 * are read, so that waits for none. */
static int open_keys(int pipe[2])
{
	if (pipe2(pipe, O_CLOEXEC | O_NONBLOCK) < 0)
		return -1;
	if (!isatty(STDIN_FILENO))
		return open("/dev/tty", O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	int own = tty_open(STDIN_FILENO, O_RDONLY);

	return own < 0 ? STDIN_FILENO : own;
}

/* With all threads there: the rings first, then the screen. */
static int start(struct screen *screen, struct error_text *reason)
{
	struct run *run = screen->run;
	int r = main_start(run, reason);

	if (r < 0)
		return r;
	if (!run->replay)
		run_remember(run);
	dashboard_show(screen->dashboard, run->history);
	return 0;
}

int main_run_dashboard(struct run *run, uint64_t for_ns, bool *can, struct error_text *reason)
{
	static const char text_keys[] = {KEY_NAME, KEY_FILTER, '\0'};
	struct screen screen = {.run = run};
	const struct config *config = run->config;
	int keys[2] = {-1, -1};
	int terminal = open_keys(keys);

	struct dashboard_config dashboard = {.figure = config->figure,
		.screen = config->screen,
		.refresh_ns = config->refresh_ns,
		.limit_ns = config->fail_above_ns,
		.color = config->color,
		.mouse = config->mouse,
		.ascii = config->ascii,
		.input_fd = keys[0],
		.quit = quit,
		.commands = &run->commands,
		.playing = run->replay ? &run->playing : NULL,
		.typing = typing,
		.taken = taken,
		.data = &screen};
	int r = dashboard_start(&screen.dashboard, &run->session, &run->lock, &dashboard, reason);

	*can = false;
	if (r < 0)
		return r;
	catch_crashes();
	note_terminal(run);
	struct guard_screen guard = {.keys_in = terminal,
		.keys_out = keys[1],
		.text_keys = text_keys,
		.resized = resized,
		.suspended = suspended,
		.data = &screen};

	r = run_guard(run, &guard, reason);
	*can = r == 0;
	if (r == 0)
		r = start(&screen, reason);
	if (r == 0)
		main_loop(run, for_ns, true, updated, &screen);
	guard_join(&run->guard);
	dashboard_stop(screen.dashboard);
	note_no_terminal(run);
	return r;
}

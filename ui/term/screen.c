/* SPDX-License-Identifier: GPL-2.0-or-later */
/* screen.c - shows canvases on the terminal.
 *
 * Curses writes into a memfd, and never waits; of the terminal it knows only the description. The memfd holds
 * the output until the terminal accepts it. */
#include "ui/term/screen.h"

#include <curses.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <term.h>
#include <unistd.h>

#include "ui/term/restore.h"
#include "ui/term/wire.h"
#include "ui/views/keys.h"

/* Two of the macros that term.h has for each capability; here they are a screen's size. */
#undef columns
#undef lines

enum { SIZE_MAX_SHOWN = 1000 };

struct screen {
	SCREEN *curses;
	FILE *output;      /* owned; a memfd */
	struct wire *wire; /* owned */
	bool color, mouse;
	bool taken; /* the terminal is in full screen mode */
	unsigned columns, lines;
	char leave[RESTORE_BYTES_MAX]; /* the bytes that leave the full screen */
	size_t n_leave;
};

/* Each style has a look without colour, and may have a colour. */
static const struct {
	attr_t attributes;
	short color; /* -1: the terminal's own */
} looks[N_STYLES] = {
	[STYLE_PLAIN] = {A_NORMAL, -1},
	[STYLE_DIM] = {A_DIM, -1},
	[STYLE_STRONG] = {A_BOLD, -1},
	[STYLE_TITLE] = {A_BOLD, COLOR_CYAN},
	[STYLE_HEAD] = {A_REVERSE, -1},
	[STYLE_SELECTED] = {A_REVERSE | A_BOLD, -1},
	[STYLE_WARNING] = {A_BOLD, COLOR_YELLOW},
	[STYLE_WRONG] = {A_BOLD, COLOR_RED},
	[STYLE_BAR] = {A_NORMAL, COLOR_CYAN},
	[STYLE_KEY] = {A_REVERSE, -1},
};

/* Curses sets handlers for signals with the default disposition. They are put back. */
static const int curses_signals[] = {SIGINT, SIGTERM, SIGTSTP, SIGWINCH};

enum { N_CURSES_SIGNALS = sizeof(curses_signals) / sizeof(*curses_signals) };

/* Terminals ignore unknown modes: one without the second mode sends the older encoding. */
static const char mouse_on[] = "\033[?1000h\033[?1006h", mouse_off[] = "\033[?1006l\033[?1000l";

/* Collects the bytes of endwin(). Global, because tputs() passes no argument to its writer. */
static struct screen *collecting;

static int collect(int byte)
{
	if (collecting->n_leave < sizeof(collecting->leave))
		collecting->leave[collecting->n_leave++] = (char)byte;
	return byte;
}

static void collect_leave(struct screen *screen)
{
	char *const strings[] = {exit_attribute_mode, orig_pair, keypad_local, cursor_normal, exit_ca_mode};

	collecting = screen;
	for (size_t i = 0; i < sizeof(strings) / sizeof(*strings); i++)
		if (strings[i] && strings[i] != (char *)-1)
			tputs(strings[i], 1, collect);
	if (!exit_ca_mode)
		collect('\n');
	for (const char *byte = screen->mouse ? mouse_off : ""; *byte; byte++)
		collect(*byte);
	collecting = NULL;
}

static int check_terminal(struct error_text *reason)
{
	const char *name = getenv("TERM");
	int found;

	if (!isatty(STDOUT_FILENO))
		return error_text_set(reason, -ENOTTY, "standard output is no terminal");
	if (!name || !*name)
		return error_text_set(
			reason, -EINVAL, "TERM is not set, so it is not known how to draw on this terminal");
	if (setupterm(name, STDOUT_FILENO, &found) != OK)
		return error_text_set(reason, -EINVAL, "TERM=%.60s is %s", name,
			found < 0 ? "unknown, for there is no terminfo database"
				  : "unknown or can't be drawn on");
	if (!cursor_address || !clear_screen) {
		del_curterm(cur_term);
		return error_text_set(reason, -EINVAL, "TERM=%.60s can't move the cursor", name);
	}
	del_curterm(cur_term);
	return 0;
}

static void no_op(int signal)
{
}

/* If SIGTSTP has a handler, curses leaves it alone. Otherwise it ignores SIGTSTP while it draws, and a
 * pending Ctrl-Z would be lost. */
static SCREEN *open_curses(FILE *output)
{
	const struct sigaction ours = {.sa_handler = no_op};
	struct sigaction before[N_CURSES_SIGNALS];
	SCREEN *curses;

	for (size_t i = 0; i < N_CURSES_SIGNALS; i++)
		sigaction(curses_signals[i], curses_signals[i] == SIGTSTP ? &ours : NULL, &before[i]);
	curses = newterm(NULL, output, output);
	for (size_t i = 0; i < N_CURSES_SIGNALS; i++)
		sigaction(curses_signals[i], &before[i], NULL);
	return curses;
}

/* Sends the output of curses to the terminal, as much as it accepts now. */
static void pass_on(struct screen *screen)
{
	int fd = fileno(screen->output);
	off_t n = lseek(fd, 0, SEEK_CUR);
	char *bytes = n > 0 ? mmap(NULL, (size_t)n, PROT_READ, MAP_SHARED, fd, 0) : MAP_FAILED;

	/* Without memory the frame is lost, and the next one draws everything. */
	if (n > 0 && (bytes == MAP_FAILED || wire_add(screen->wire, bytes, (size_t)n) < 0))
		clearok(stdscr, TRUE);
	if (bytes != MAP_FAILED)
		munmap(bytes, (size_t)n);
	lseek(fd, 0, SEEK_SET);
	wire_send(screen->wire);
}

static void turn_mouse(struct screen *screen, bool on)
{
	if (screen->mouse)
		wire_add(screen->wire, on ? mouse_on : mouse_off, sizeof(mouse_on) - 1);
}

static void take_modes(struct screen *screen)
{
	wire_take(screen->wire);
	nonl(); /* as the wire's modes have it */
	keypad(stdscr, TRUE);
	curs_set(0);
	turn_mouse(screen, true);
}

static void take_colors(struct screen *screen)
{
	screen->color = screen->color && has_colors() && start_color() == OK;
	if (!screen->color)
		return;
	use_default_colors();
	for (short style = 0; style < N_STYLES; style++)
		init_pair((short)(style + 1), looks[style].color, -1);
}

void screen_suspend(struct screen *screen)
{
	if (!screen->taken)
		return;
	endwin();
	turn_mouse(screen, false);
	pass_on(screen);
	wire_give(screen->wire);
	screen->taken = false;
}

void screen_destroy(struct screen *screen)
{
	screen_suspend(screen);
	if (screen->curses)
		delscreen(screen->curses);
	if (screen->output)
		fclose(screen->output);
	if (screen->wire)
		wire_destroy(screen->wire);
	free(screen);
}

static FILE *open_memory(void)
{
	int fd = memfd_create("screen", MFD_CLOEXEC);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r+");

	if (!file && fd >= 0)
		close(fd);
	return file;
}

static int open_screen(struct screen *screen, struct error_text *reason)
{
	int r = wire_create(&screen->wire, reason);

	if (r < 0)
		return r;
	screen->output = open_memory();
	if (!screen->output)
		return error_text_set(
			reason, -errno, "there is no memory for the screen: %s", strerror(errno));
	screen->curses = open_curses(screen->output);
	if (!screen->curses)
		return error_text_set(reason, -EINVAL, "TERM=%.60s can't be drawn on", getenv("TERM"));
	collect_leave(screen);
	r = wire_arm(screen->wire, screen->leave, screen->n_leave);
	if (r < 0)
		return error_text_set(reason, r, "the terminal can't be taken: %s", strerror(-r));
	screen->taken = true;
	typeahead(-1); /* a frame is drawn to its end */
	return 0;
}

int screen_create(struct screen **out, bool color, bool mouse, struct error_text *reason)
{
	struct screen *screen;
	int r = check_terminal(reason);

	if (r < 0)
		return r;
	screen = calloc(1, sizeof(*screen));
	if (!screen)
		return error_text_set(reason, -ENOMEM, "there is no memory for the screen");
	screen->color = color;
	screen->mouse = mouse;
	r = open_screen(screen, reason);
	if (r < 0) {
		screen_destroy(screen);
		return r;
	}
	*out = screen;
	return 0;
}

void screen_take(struct screen *screen)
{
	take_modes(screen);
	take_colors(screen);
	pass_on(screen);
}

void screen_resume(struct screen *screen)
{
	if (screen->taken)
		endwin(); /* curses does not know yet that it was given back */
	/* The shell may have changed the modes meanwhile. */
	wire_arm(screen->wire, screen->leave, screen->n_leave);
	screen->taken = true;
	take_modes(screen);
	clearok(stdscr, TRUE);
	refresh();
	pass_on(screen);
}

bool screen_is_ours(void)
{
	return wire_is_foreground();
}

bool screen_resize(struct screen *screen, unsigned *columns, unsigned *lines)
{
	if (!wire_size(columns, lines)) {
		*columns = (unsigned)COLS;
		*lines = (unsigned)LINES;
	}
	*columns = *columns < SIZE_MAX_SHOWN ? *columns : SIZE_MAX_SHOWN;
	*lines = *lines < SIZE_MAX_SHOWN ? *lines : SIZE_MAX_SHOWN;
	bool changed = *columns != screen->columns || *lines != screen->lines;

	if (changed) {
		resize_term((int)*lines, (int)*columns);
		clearok(stdscr, TRUE);
	}
	screen->columns = *columns;
	screen->lines = *lines;
	return changed;
}

/* One run of cells of the same style. */
static unsigned show_run(const struct screen *screen, const struct canvas *canvas, unsigned x, unsigned y)
{
	const struct cell *line = &canvas->cells[(size_t)y * canvas->columns];
	unsigned style = line[x].style, n = 0;
	wchar_t text[SIZE_MAX_SHOWN + 1];

	move((int)y, (int)x);
	attr_set(looks[style].attributes, screen->color ? (short)(style + 1) : 0, NULL);
	for (; x < canvas->columns && line[x].style == style; x++)
		if (line[x].rune)
			text[n++] = (wchar_t)line[x].rune;
	addnwstr(text, (int)n);
	return x;
}

void screen_show(struct screen *screen, const struct canvas *canvas, bool repaint)
{
	if (!restore_is_armed())
		return;
	if (repaint)
		clearok(stdscr, TRUE);
	for (unsigned y = 0; y < canvas->lines; y++)
		for (unsigned x = 0; x < canvas->columns;)
			x = show_run(screen, canvas, x, y);
	refresh();
	pass_on(screen);
}

int screen_behind(const struct screen *screen)
{
	return wire_behind(screen->wire);
}

void screen_send(struct screen *screen)
{
	wire_send(screen->wire);
}

void screen_tell_input(const struct screen *screen, struct input *input)
{
	const struct {
		const char *bytes;
		uint32_t code;
	} keys[] = {
		{key_up, KEY_CODE_ARROW_UP},
		{key_down, KEY_CODE_ARROW_DOWN},
		{key_home, KEY_CODE_FIRST},
		{key_end, KEY_CODE_LAST},
		{key_ppage, KEY_CODE_PAGE_UP},
		{key_npage, KEY_CODE_PAGE_DOWN},
		{key_backspace, KEY_CODE_BACKSPACE},
		{key_enter, KEY_CODE_ENTER},
		{key_f1, KEY_CODE_F1},
		{key_f10, KEY_CODE_F10},
	};

	input->mouse = screen->mouse;
	input->n_keys = 0;
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		struct input_key *key = &input->keys[input->n_keys];

		if (!keys[i].bytes || keys[i].bytes == (char *)-1 ||
			strlen(keys[i].bytes) >= sizeof(key->bytes))
			continue;
		*key = (struct input_key){.code = keys[i].code};
		strcpy(key->bytes, keys[i].bytes);
		input->n_keys++;
	}
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* screen.c - the terminal: shows canvases, reads keys. */
#include "ui/screen.h"

#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

#include "ui/keys.h"
#include "ui/restore.h"

/* Two of the macros that term.h has for each capability; here they are a screen's size. */
#undef columns
#undef lines

enum { SIZE_MAX_SHOWN = 1000, ESCAPE_DELAY_MS = 25 };

struct screen {
	SCREEN *curses;
	FILE *input, *output; /* owned, on descriptors of their own */
	bool color, mouse;
	bool taken; /* the terminal is in full screen mode */
	unsigned columns, lines;
	struct termios before;
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
	[STYLE_BAD] = {A_BOLD, COLOR_RED},
	[STYLE_BAR] = {A_NORMAL, COLOR_CYAN},
	[STYLE_KEY] = {A_REVERSE, -1},
};

/* Curses takes over signals whose disposition is the default; they are the program's, so they are put back.
 */
static const int curses_signals[] = {SIGINT, SIGTERM, SIGTSTP, SIGWINCH};

enum { N_CURSES_SIGNALS = sizeof(curses_signals) / sizeof(*curses_signals) };

static const struct {
	int curses;
	uint32_t code;
} key_codes[] = {
	{KEY_UP, KEY_CODE_ARROW_UP},
	{KEY_DOWN, KEY_CODE_ARROW_DOWN},
	{KEY_HOME, KEY_CODE_FIRST},
	{KEY_END, KEY_CODE_LAST},
	{KEY_PPAGE, KEY_CODE_PAGE_UP},
	{KEY_NPAGE, KEY_CODE_PAGE_DOWN},
	{KEY_BACKSPACE, KEY_CODE_BACKSPACE},
	{KEY_ENTER, KEY_CODE_ENTER},
	{KEY_F(1), KEY_CODE_F1},
	{KEY_F(10), KEY_CODE_F10},
};

/* What curses writes to turn it off, and more: terminals pass over modes that they don't know. */
static const char mouse_off[] = "\033[?1006l\033[?1000l";

static const struct {
	mmask_t mask;
	uint32_t code;
} mouse_codes[] = {
	{BUTTON1_PRESSED, KEY_CODE_CLICK},
	{BUTTON4_PRESSED, KEY_CODE_WHEEL_UP},
	{BUTTON5_PRESSED, KEY_CODE_WHEEL_DOWN},
};

/* What endwin() would write, collected beforehand: tputs() has no argument for its writer. */
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

static int check_terminal(struct reason *reason)
{
	const char *name = getenv("TERM");
	int found;

	if (!isatty(STDOUT_FILENO))
		return reason_set(reason, -ENOTTY, "standard output is no terminal");
	if (!name || !*name)
		return reason_set(
			reason, -EINVAL, "TERM is not set, so it is not known how to draw on this terminal");
	if (setupterm(name, STDOUT_FILENO, &found) != OK)
		return reason_set(reason, -EINVAL, "TERM=%.60s is %s", name,
			found < 0 ? "unknown, for there is no terminfo database"
				  : "unknown or can't be drawn on");
	if (!cursor_address || !clear_screen) {
		del_curterm(cur_term);
		return reason_set(reason, -EINVAL, "TERM=%.60s can't move the cursor", name);
	}
	del_curterm(cur_term);
	return 0;
}

/* On a descriptor of its own, so that closing it leaves the caller's open. */
static FILE *open_own(int fd, const char *mode)
{
	int own = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	FILE *file = own < 0 ? NULL : fdopen(own, mode);

	if (!file && own >= 0)
		close(own);
	return file;
}

static void no_op(int signal)
{
	(void)signal;
}

/* Finding a handler of SIGTSTP, curses leaves it alone for good. Else it would ignore it whenever it draws:
 * a Ctrl-Z that is pending then is lost, and the guard may find it ignored. */
static SCREEN *open_curses(FILE *output, FILE *input)
{
	const struct sigaction ours = {.sa_handler = no_op};
	struct sigaction before[N_CURSES_SIGNALS];
	SCREEN *curses;

	for (size_t i = 0; i < N_CURSES_SIGNALS; i++)
		sigaction(curses_signals[i], curses_signals[i] == SIGTSTP ? &ours : NULL, &before[i]);
	curses = newterm(NULL, output, input);
	for (size_t i = 0; i < N_CURSES_SIGNALS; i++)
		sigaction(curses_signals[i], &before[i], NULL);
	return curses;
}

static void take_modes(void)
{
	cbreak(); /* Ctrl-C, Ctrl-\ and Ctrl-Z go on to make signals */
	noecho();
	nonl();
	intrflush(stdscr, FALSE);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	curs_set(0);
}

static void take_mouse(struct screen *screen)
{
	if (!screen->mouse)
		return;
	mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
	mouseinterval(0); /* a press is told at once, not when it has become a click */
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
	tcsetattr(STDOUT_FILENO, TCSADRAIN, &screen->before);
	restore_disarm();
	screen->taken = false;
}

void screen_destroy(struct screen *screen)
{
	screen_suspend(screen);
	if (screen->curses)
		delscreen(screen->curses);
	if (screen->input)
		fclose(screen->input);
	if (screen->output)
		fclose(screen->output);
	free(screen);
}

int screen_create(struct screen **out, int input_fd, bool color, bool mouse, struct reason *reason)
{
	struct screen *screen;
	int r = check_terminal(reason);

	if (r < 0)
		return r;
	screen = calloc(1, sizeof(*screen));
	if (!screen)
		return reason_set(reason, -ENOMEM, "there is no memory for the screen");
	screen->color = color;
	screen->mouse = mouse;
	screen->input = open_own(input_fd, "r");
	screen->output = open_own(STDOUT_FILENO, "w");
	if (!screen->input || !screen->output || tcgetattr(STDOUT_FILENO, &screen->before) < 0) {
		r = reason_set(reason, -errno, "the terminal can't be opened: %s", strerror(errno));
		screen_destroy(screen);
		return r;
	}
	screen->curses = open_curses(screen->output, screen->input);
	if (!screen->curses) {
		screen_destroy(screen);
		return reason_set(reason, -EINVAL, "TERM=%.60s can't be drawn on", getenv("TERM"));
	}
	screen->taken = true;
	collect_leave(screen);
	restore_arm(fileno(screen->output), &screen->before, screen->leave, screen->n_leave);
	set_escdelay(ESCAPE_DELAY_MS);
	*out = screen;
	return 0;
}

void screen_take(struct screen *screen)
{
	take_modes();
	take_mouse(screen);
	take_colors(screen);
}

void screen_resume(struct screen *screen)
{
	if (screen->taken)
		endwin();                          /* curses does not know yet that it was given back */
	tcgetattr(STDOUT_FILENO, &screen->before); /* the shell may have changed it meanwhile */
	restore_arm(fileno(screen->output), &screen->before, screen->leave, screen->n_leave);
	screen->taken = true;
	reset_prog_mode();
	take_modes();
	clearok(stdscr, TRUE);
	refresh();
}

bool screen_is_ours(void)
{
	pid_t foreground = tcgetpgrp(STDOUT_FILENO);

	return foreground < 0 || foreground == getpgrp();
}

bool screen_resize(struct screen *screen, unsigned *columns, unsigned *lines)
{
	struct winsize size = {0};
	bool changed;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || !size.ws_col || !size.ws_row)
		size = (struct winsize){.ws_col = (unsigned short)COLS, .ws_row = (unsigned short)LINES};
	*columns = size.ws_col < SIZE_MAX_SHOWN ? size.ws_col : SIZE_MAX_SHOWN;
	*lines = size.ws_row < SIZE_MAX_SHOWN ? size.ws_row : SIZE_MAX_SHOWN;
	changed = *columns != screen->columns || *lines != screen->lines;
	if (changed) {
		resizeterm((int)*lines, (int)*columns);
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
}

static uint32_t mouse_code(unsigned *x, unsigned *y)
{
	MEVENT event;

	if (getmouse(&event) != OK || event.x < 0 || event.y < 0)
		return UINT32_MAX;
	*x = (unsigned)event.x;
	*y = (unsigned)event.y;
	for (size_t i = 0; i < sizeof(mouse_codes) / sizeof(*mouse_codes); i++)
		if (event.bstate & mouse_codes[i].mask)
			return mouse_codes[i].code;
	return UINT32_MAX;
}

/* The middle of a sequence: numbers and signs; the Linux console's F1 to F5 have a second bracket. */
static bool is_inside(wint_t key)
{
	return (key >= ' ' && key <= '?') || key == '[';
}

static bool read_plain(wint_t *key)
{
	int r = wget_wch(stdscr, key);

	if (r == KEY_CODE_YES)
		ungetch((int)*key);
	return r == OK;
}

/* After an escape that begins no key of this terminal's: the rest of a key of another one's, which would be
 * keys of ours. Returns false where it was Esc itself; what follows that stays to be read. */
static bool skip_sequence(void)
{
	wint_t first, key;

	if (!read_plain(&first))
		return false;
	if ((first != '[' && first != 'O') || !read_plain(&key)) {
		unget_wch((wchar_t)first);
		return false;
	}
	while (is_inside(key) && read_plain(&key))
		;
	return true;
}

uint32_t screen_key(struct screen *screen, unsigned *x, unsigned *y)
{
	wint_t key;
	int r;

	if (!screen->taken)
		return KEY_CODE_NONE;
	do {
		r = wget_wch(stdscr, &key);
	} while (r == KEY_CODE_YES && key == KEY_RESIZE);
	if (r == ERR)
		return KEY_CODE_NONE;
	if (r == OK && key == KEY_CODE_ESCAPE && skip_sequence())
		return UINT32_MAX;
	if (r == OK)
		return key < KEY_CODE_ARROW_UP ? (uint32_t)key : KEY_CODE_NONE;
	if (key == KEY_MOUSE)
		return mouse_code(x, y);
	for (size_t i = 0; i < sizeof(key_codes) / sizeof(*key_codes); i++)
		if (key_codes[i].curses == (int)key)
			return key_codes[i].code;
	return UINT32_MAX; /* a key that means nothing, so that those after it are read */
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* screen.c - shows canvases on the terminal.
 *
 * Curses writes into a memfd, and never waits; of the terminal it knows only the description. The memfd holds
 * the output until the terminal accepts it. */
#include "ui/term/screen.h"

#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

#include "src/base/tty.h"
#include "ui/draw/key_code.h"
#include "ui/term/rescue.h"

/* Two of the macros that term.h has for each capability; here they are a screen's size. */
#undef columns
#undef lines

enum { SIZE_MAX_SHOWN = 1000, GIVE_MS = 60, NAME_SIZE = 256 };

/* Curses sends either indexed colors or true color, as the description of the terminal has it. */
enum coloring { INDEXED, DIRECT, N_COLORINGS };

struct screen {
	SCREEN *curses[N_COLORINGS]; /* owned; NULL: the terminal has no such description */
	enum coloring coloring;      /* the one in use */
	FILE *output;                /* owned; a memfd */
	off_t sent, n;               /* bytes of it: the terminal has accepted, curses has written */
	int terminal;                /* owned; of its own open file description */
	struct termios before;
	bool no_color, mouse;
	enum depth usual, most; /* of the terminal's colors: without being asked for, and at most */
	enum depth depth;       /* drawn with */
	enum palette palette;
	enum colors colors;
	/* The look of each style, as curses has it. */
	struct {
		attr_t attributes;
		short pair;
	} looks[N_STYLES];
	bool taken; /* the terminal is in full screen mode */
	unsigned columns, lines;
	/* The cells of the last frame, which curses has. Owned, line by line; n_shown is 0 if they are
	 * unknown. */
	struct cell *shown;
	size_t n_shown;
	char leave[RESCUE_BYTES_MAX]; /* the bytes that leave the full screen */
	size_t n_leave;
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
	for (const char *byte = mouse_off; *byte; byte++) /* the setup may turn it on */
		collect(*byte);
	collecting = NULL;
}

/* RGB of a description may be a flag, a number or a string. */
static bool has_rgb(void)
{
	const char *text = tigetstr("RGB");

	return tigetflag("RGB") > 0 || tigetnum("RGB") > 0 || (text && text != (char *)-1);
}

static enum coloring coloring_of(enum depth depth)
{
	return depth == DEPTH_TRUE ? DIRECT : INDEXED;
}

/* The names of the descriptions of one terminal; "": it has none. */
struct descriptions {
	char names[N_COLORINGS][NAME_SIZE];
};

/* A terminal has two descriptions, such as "xterm-256color" and "xterm-direct". Writes the name of the one
 * that TERM is not, if it exists and has such colors. */
static void find_other(const char *term, enum coloring other, char name[NAME_SIZE])
{
	static const char *const endings[] = {[INDEXED] = "-256color", [DIRECT] = "-direct"};
	int found, length = (int)strcspn(term, "-");

	if (strcmp(term + length, endings[!other]) != 0)
		length = (int)strlen(term);
	snprintf(name, NAME_SIZE, "%.*s%s", length, term, endings[other]);
	if (setupterm(name, STDOUT_FILENO, &found) != OK) {
		name[0] = '\0';
		return;
	}
	if (has_rgb() != (other == DIRECT))
		name[0] = '\0';
	del_curterm(cur_term);
}

static int check_terminal(struct screen *screen, struct descriptions *descriptions, struct error_text *reason)
{
	const char *name = getenv("TERM");
	int found;

	if (!isatty(STDOUT_FILENO))
		return error_text_set(reason, -ENOTTY, "standard output is no terminal");
	if (!name || !*name)
		return error_text_set(
			reason, -EINVAL, "TERM is not set: the kind of this terminal is unknown");
	if (setupterm(name, STDOUT_FILENO, &found) != OK)
		return error_text_set(reason, -EINVAL, "TERM=%.60s is %s", name,
			found < 0 ? "unknown: there is no terminfo database"
				  : "unknown or can't be drawn on");
	bool can_draw = cursor_address && clear_screen;
	enum depth depth = palette_depth(max_colors, has_rgb(), NULL);
	enum coloring coloring = coloring_of(depth);
	bool is_true = palette_depth(max_colors, has_rgb(), getenv("COLORTERM")) == DEPTH_TRUE;

	del_curterm(cur_term);
	snprintf(descriptions->names[coloring], NAME_SIZE, "%s", name);
	if (depth >= DEPTH_256)
		find_other(name, !coloring, descriptions->names[!coloring]);
	screen->most = *descriptions->names[DIRECT] ? DEPTH_TRUE : depth;
	screen->usual = screen->no_color ? DEPTH_NONE : is_true ? screen->most : depth;
	return can_draw ? 0 : error_text_set(reason, -EINVAL, "TERM=%.60s can't move the cursor", name);
}

static void no_op(int signal)
{
}

/* Curses writes to a file, which has no size. It sets the margins for scrolling at once, and they stay when
 * it ends: with those of 24 lines, a larger terminal would scroll only its upper lines from then on. */
static void export_size(void)
{
	struct winsize size;
	char text[8];

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || !size.ws_row || !size.ws_col)
		return;
	snprintf(text, sizeof(text), "%u", size.ws_row);
	setenv("LINES", text, 1);
	snprintf(text, sizeof(text), "%u", size.ws_col);
	setenv("COLUMNS", text, 1);
}

/* If SIGTSTP has a handler, curses leaves it alone. Otherwise it ignores SIGTSTP while it draws, and a
 * pending Ctrl-Z would be lost. */
static SCREEN *open_curses(char *description, FILE *output)
{
	const struct sigaction ours = {.sa_handler = no_op};
	struct sigaction before[N_CURSES_SIGNALS];
	SCREEN *curses;

	for (size_t i = 0; i < N_CURSES_SIGNALS; i++)
		sigaction(curses_signals[i], curses_signals[i] == SIGTSTP ? &ours : NULL, &before[i]);
	export_size();
	curses = newterm(description, output, output);
	unsetenv("LINES");
	unsetenv("COLUMNS");
	for (size_t i = 0; i < N_CURSES_SIGNALS; i++)
		sigaction(curses_signals[i], &before[i], NULL);
	return curses;
}

/* The next frame draws all cells, whatever curses and the terminal have. */
static void forget_shown(struct screen *screen)
{
	clearok(stdscr, TRUE);
	screen->n_shown = 0;
}

static void drop_output(struct screen *screen)
{
	lseek(fileno(screen->output), 0, SEEK_SET);
	screen->sent = screen->n = 0;
}

/* Sends output until the terminal accepts no more, or for @wait_ms. */
static void send_output(struct screen *screen, int wait_ms)
{
	int fd = fileno(screen->output);
	ssize_t sent = -EIO; /* a crash gave the terminal back */

	screen->n = lseek(fd, 0, SEEK_CUR);
	if (screen->n == 0)
		return;
	if (rescue_is_armed()) {
		size_t n = (size_t)screen->n, at = (size_t)screen->sent;
		char *bytes = mmap(NULL, n, PROT_READ, MAP_SHARED, fd, 0);

		if (bytes == MAP_FAILED) {
			forget_shown(screen); /* the output is lost: the next frame draws everything */
		} else {
			sent = tty_send(screen->terminal, bytes + at, n - at, wait_ms, false);
			munmap(bytes, n);
		}
	}
	screen->sent += sent > 0 ? sent : 0;
	/* The output to a terminal that is gone is dropped; the input thread notices that it is gone. */
	if (sent < 0 || screen->sent == screen->n)
		drop_output(screen);
}

static void turn_mouse(struct screen *screen, bool on)
{
	if (screen->mouse)
		dprintf(fileno(screen->output), "%s", on ? mouse_on : mouse_off);
}

/* Saves the terminal's present modes for giving it back. Returns 0 or a negative errno. */
static int arm_restore(struct screen *screen)
{
	drop_output(screen);
	if (tcgetattr(STDOUT_FILENO, &screen->before) < 0)
		return -errno;
	return rescue_arm(screen->terminal, &screen->before, screen->leave, screen->n_leave);
}

/* Ctrl-C, Ctrl-\ and Ctrl-Z still make signals, which discard no output. Sets the modes at once: a stalled
 * terminal never finishes its output. */
static void take_modes(struct screen *screen)
{
	struct termios modes = screen->before;

	modes.c_iflag &= ~(tcflag_t)(ICRNL | INLCR | IGNCR);
	modes.c_oflag &= ~(tcflag_t)(ONLCR | XTABS);
	modes.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ECHONL);
	modes.c_lflag |= NOFLSH;
	modes.c_cc[VMIN] = 1;
	modes.c_cc[VTIME] = 0;
	tcsetattr(screen->terminal, TCSANOW, &modes);
	nonl(); /* as these modes require */
	keypad(stdscr, TRUE);
	curs_set(0);
	turn_mouse(screen, true);
}

static attr_t curses_attributes(unsigned attributes)
{
	return (attributes & LOOK_BOLD ? A_BOLD : 0) | (attributes & LOOK_DIM ? A_DIM : 0) |
	       (attributes & LOOK_UNDERLINE ? A_UNDERLINE : 0) | (attributes & LOOK_REVERSE ? A_REVERSE : 0);
}

/* Few colors have no half blocks, and may have few pairs. */
static short n_styles(enum depth depth)
{
	return depth < DEPTH_256 ? STYLE_HALVES : N_STYLES;
}

/* Pair 0 has the terminal's own colors: with another pair, some terminals lack dim and underline. */
static void load_palette(struct screen *screen)
{
	for (short style = 0; style < n_styles(screen->depth); style++) {
		struct look look = palette_look(screen->palette, screen->depth, (enum style)style);
		bool own = look.foreground < 0 && look.background < 0;
		short pair = (short)(style + 1);

		screen->looks[style].attributes = curses_attributes(look.attributes);
		screen->looks[style].pair = own ? 0 : pair;
		if (!own)
			init_extended_pair(pair, look.foreground, look.background);
	}
}

/* Terminals without a description of indexed colors have the first 8 in the other one. */
static enum depth start_colors(const struct screen *screen, enum depth depth)
{
	bool can = depth > DEPTH_NONE && has_colors() && start_color() == OK && use_default_colors() == OK &&
		   COLOR_PAIRS > n_styles(depth);

	if (!can)
		return DEPTH_NONE;
	return screen->coloring == coloring_of(depth) ? depth : DEPTH_8;
}

static void use_depth(struct screen *screen, enum depth depth)
{
	screen->depth = start_colors(screen, depth);
	load_palette(screen);
}

/* A terminal without a second screen keeps what is drawn; other output starts in its last line. */
static void clear_last_line(void)
{
	if (exit_ca_mode)
		return;
	move(LINES - 1, 0);
	clrtoeol();
	refresh();
}

void screen_suspend(struct screen *screen)
{
	if (!screen->taken)
		return;
	clear_last_line();
	endwin();
	turn_mouse(screen, false);
	send_output(screen, GIVE_MS);
	if (screen->n) {
		drop_output(screen);
		rescue_now();
	} else if (rescue_is_armed()) {
		tcsetattr(screen->terminal, TCSANOW, &screen->before);
		rescue_disarm();
	}
	screen->taken = false;
}

void screen_destroy(struct screen *screen)
{
	screen_suspend(screen);
	for (size_t i = 0; i < N_COLORINGS; i++)
		if (screen->curses[i])
			delscreen(screen->curses[i]);
	if (screen->output)
		fclose(screen->output);
	if (screen->terminal >= 0)
		close(screen->terminal);
	free(screen->shown);
	free(screen);
}

static enum depth wanted_depth(const struct screen *screen)
{
	return palette_choose_depth(screen->colors, screen->usual, screen->most);
}

/* Opens both now, because this is not safe beside other threads. Returns whether all that exist are open. */
static bool open_descriptions(struct screen *screen, struct descriptions *descriptions)
{
	bool opened = true;

	for (size_t i = 0; i < N_COLORINGS; i++)
		if (*descriptions->names[i])
			opened &= (screen->curses[i] = open_curses(descriptions->names[i], screen->output)) !=
				  NULL;
	return opened;
}

/* Returns the description to draw with at this depth. */
static enum coloring find_coloring(const struct screen *screen, enum depth depth)
{
	enum coloring wanted = coloring_of(depth);

	return screen->curses[wanted] ? wanted : !wanted;
}

static int open_screen(struct screen *screen, struct descriptions *descriptions, struct error_text *reason)
{
	int r;

	screen->terminal = tty_open(STDOUT_FILENO, O_WRONLY);
	if (screen->terminal < 0)
		return error_text_set(reason, screen->terminal, "the terminal can't be opened: %s",
			strerror(-screen->terminal));
	int fd = memfd_create("screen", MFD_CLOEXEC);

	screen->output = fd < 0 ? NULL : fdopen(fd, "r+");
	if (!screen->output)
		return error_text_set(
			reason, -errno, "there is no memory for the screen: %s", strerror(errno));
	if (!open_descriptions(screen, descriptions))
		return error_text_set(reason, -EINVAL, "TERM=%.60s can't be drawn on", getenv("TERM"));
	screen->coloring = find_coloring(screen, wanted_depth(screen));
	set_term(screen->curses[screen->coloring]);
	collect_leave(screen);
	r = arm_restore(screen);
	if (r < 0)
		return error_text_set(reason, r, "the terminal can't be taken: %s", strerror(-r));
	screen->taken = true;
	typeahead(-1); /* a frame is drawn to its end */
	return 0;
}

int screen_create(
	struct screen **out, enum colors colors, bool no_color, bool mouse, struct error_text *reason)
{
	struct descriptions descriptions = {0};
	struct screen *screen = calloc(1, sizeof(*screen));

	if (!screen)
		return error_text_set(reason, -ENOMEM, "there is no memory for the screen");
	*screen = (struct screen){.colors = colors, .no_color = no_color, .mouse = mouse, .terminal = -1};
	int r = check_terminal(screen, &descriptions, reason);

	if (r == 0)
		r = open_screen(screen, &descriptions, reason);
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
	use_depth(screen, wanted_depth(screen));
	send_output(screen, 0);
}

void screen_resume(struct screen *screen)
{
	if (screen->taken)
		endwin(); /* curses does not know yet that it was given back */
	/* The shell may have changed the modes meanwhile. */
	arm_restore(screen);
	screen->taken = true;
	take_modes(screen);
	forget_shown(screen);
	refresh();
	send_output(screen, 0);
}

/* Curses leaves the full screen with one description, and takes it with the other. */
static void change_description(struct screen *screen, enum coloring coloring)
{
	endwin();
	set_term(screen->curses[coloring]);
	screen->coloring = coloring;
	resize_term((int)screen->lines, (int)screen->columns);
	take_modes(screen);
}

enum depth screen_use_colors(struct screen *screen, enum palette palette, enum colors colors)
{
	if (palette == screen->palette && colors == screen->colors)
		return screen->depth;
	screen->palette = palette;
	screen->colors = colors;
	if (find_coloring(screen, wanted_depth(screen)) != screen->coloring)
		change_description(screen, find_coloring(screen, wanted_depth(screen)));
	use_depth(screen, wanted_depth(screen));
	forget_shown(screen);
	return screen->depth;
}

void screen_use_mouse(struct screen *screen, bool on, struct input *input)
{
	if (on == screen->mouse)
		return;
	screen->mouse = true;
	turn_mouse(screen, on);
	screen->mouse = input->mouse = on;
}

bool screen_resize(struct screen *screen, unsigned *columns, unsigned *lines)
{
	struct winsize size;
	bool is_known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col && size.ws_row;

	*columns = is_known ? size.ws_col : (unsigned)COLS;
	*lines = is_known ? size.ws_row : (unsigned)LINES;
	*columns = *columns < SIZE_MAX_SHOWN ? *columns : SIZE_MAX_SHOWN;
	*lines = *lines < SIZE_MAX_SHOWN ? *lines : SIZE_MAX_SHOWN;
	bool changed = *columns != screen->columns || *lines != screen->lines;

	if (changed) {
		resize_term((int)*lines, (int)*columns);
		forget_shown(screen);
	}
	screen->columns = *columns;
	screen->lines = *lines;
	return changed;
}

static bool is_same(const struct cell *a, const struct cell *b)
{
	return a->rune == b->rune && a->style == b->style;
}

/* Skips cells that are in @shown already (NULL: unknown), then writes one run of others of the same style.
 * Returns where that ends. */
static size_t show_run(
	const struct screen *screen, const struct canvas *canvas, const struct cell *shown, size_t at)
{
	size_t end = at + canvas->columns - at % canvas->columns;
	const struct cell *cells = canvas->cells;
	wchar_t text[SIZE_MAX_SHOWN + 1];
	unsigned n = 0;

	while (at < end && shown && is_same(&cells[at], &shown[at]))
		at++;
	if (at == end)
		return at;
	unsigned style = cells[at].style;

	move((int)(at / canvas->columns), (int)(at % canvas->columns));
	attr_set(screen->looks[style].attributes, screen->looks[style].pair, NULL);
	for (; at < end && cells[at].style == style && !(shown && is_same(&cells[at], &shown[at])); at++)
		if (cells[at].rune)
			text[n++] = (wchar_t)cells[at].rune;
	addnwstr(text, (int)n);
	return at;
}

/* Without memory the next frame draws all cells again. */
static void keep_shown(struct screen *screen, const struct cell *cells, size_t n)
{
	if (n != screen->n_shown) {
		free(screen->shown);
		screen->shown = malloc(n * sizeof(*screen->shown));
	}
	screen->n_shown = screen->shown ? n : 0;
	if (screen->shown)
		memcpy(screen->shown, cells, n * sizeof(*screen->shown));
}

void screen_show(struct screen *screen, const struct canvas *canvas, bool repaint)
{
	size_t n = (size_t)canvas->columns * canvas->lines;

	if (!rescue_is_armed())
		return;
	if (repaint)
		forget_shown(screen);
	for (size_t at = 0; at < n;)
		at = show_run(screen, canvas, n == screen->n_shown ? screen->shown : NULL, at);
	keep_shown(screen, canvas->cells, n);
	refresh();
	send_output(screen, 0);
}

int screen_behind(const struct screen *screen)
{
	return screen->n ? screen->terminal : -1;
}

void screen_send(struct screen *screen)
{
	send_output(screen, 0);
}

void screen_tell_input(const struct screen *screen, struct input *input)
{
	const struct {
		const char *bytes;
		uint32_t code;
	} keys[] = {
		{key_up, KEY_CODE_ARROW_UP},
		{key_down, KEY_CODE_ARROW_DOWN},
		{key_left, KEY_CODE_ARROW_LEFT},
		{key_right, KEY_CODE_ARROW_RIGHT},
		{key_home, KEY_CODE_FIRST},
		{key_end, KEY_CODE_LAST},
		{key_ppage, KEY_CODE_PAGE_UP},
		{key_npage, KEY_CODE_PAGE_DOWN},
		{key_backspace, KEY_CODE_BACKSPACE},
		{key_enter, KEY_CODE_ENTER},
		{key_f1, KEY_CODE_F1},
		{key_f2, KEY_CODE_F2},
		{key_f6, KEY_CODE_F6},
		{key_f7, KEY_CODE_F7},
		{key_f8, KEY_CODE_F8},
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

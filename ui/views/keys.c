/* SPDX-License-Identifier: GPL-2.0-or-later */
/* keys.c - the one table of keys. */
#include "ui/views/keys.h"

#include <limits.h>

#include "ui/table/view_state.h"
#include "ui/views/views.h"

static void press_help(struct view_state *view, long argument)
{
	view->help = !view->help;
	view->help_top = 0;
}

static void press_view(struct view_state *view, long screen)
{
	view->help = false;
	view->screen = (unsigned)screen;
}

static void press_escape(struct view_state *view, long argument)
{
	if (!view->help)
		view->screen = 0;
	view->help = false;
}

static void press_move(struct view_state *view, long rows)
{
	view_state_move(view, rows);
}

static void press_page(struct view_state *view, long pages)
{
	view_state_move(view, pages * (long)view->page);
}

static void press_fold(struct view_state *view, long all)
{
	view_state_fold(view, all);
}

/* Sorts by the next visible column to the left or right that can be sorted by. */
static void press_sort(struct view_state *view, long step)
{
	size_t column = view->sort;

	do {
		column = (column + N_COLUMNS + (size_t)step) % N_COLUMNS;
	} while (column != view->sort && (!view->columns.width[column] || !columns_table[column].value));
	view->sort = column;
	view->inverted = false;
}

static void press_invert(struct view_state *view, long argument)
{
	view->inverted = !view->inverted;
}

static void press_figure(struct view_state *view, long argument)
{
	view->figure = (view->figure + 1) % N_FIGURES_SHOWN;
}

static void press_unit(struct view_state *view, long argument)
{
	view->unit = (view->unit + 1) % N_UNITS;
}

static void press_window(struct view_state *view, long argument)
{
	view->window = (view->window + 1) % N_WINDOWS;
	if (view->window < view->shortest_window)
		view->window = view->shortest_window;
}

static struct command begin_named_phase(struct view_state *view, const char *name)
{
	struct command mark = {COMMAND_MARK};

	phase_copy_name(mark.name, name);
	return mark;
}

static void press_mark(struct view_state *view, long argument)
{
	prompt_open(
		&view->prompt, " name of the new phase ", "Enter begins it, Esc closes", begin_named_phase);
}

static struct command set_filter(struct view_state *view, const char *text)
{
	struct error_text reason;

	if (filter_parse(&view->filter, text, &reason) < 0)
		prompt_refuse(&view->prompt, reason.text);
	return (struct command){COMMAND_REDRAW};
}

static void press_filter(struct view_state *view, long argument)
{
	prompt_open(&view->prompt, " show rings with ", "cpu:2-7  a mechanism  smt  text  !not; empty: all",
		set_filter);
}

/* A still picture has no refresh to change. */
static void press_refresh(struct view_state *view, long step)
{
	static const uint64_t refreshes_ns[] = {100000000, 200000000, 500000000, 1000000000, 2000000000,
		UINT64_C(5000000000), UINT64_C(10000000000)};
	const size_t n = sizeof(refreshes_ns) / sizeof(*refreshes_ns);
	size_t i = 0;

	while (i < n && (step > 0 ? refreshes_ns[i] <= view->refresh_ns : refreshes_ns[i] < view->refresh_ns))
		i++;
	i -= step < 0; /* past either end is no step at all */
	if (view->refresh_ns && i < n)
		view->refresh_ns = refreshes_ns[i];
}

#define SECOND_NS INT64_C(1000000000)

static const struct key keys[] = {
	{{'h', '?', KEY_CODE_F1}, "h, ?, F1", "open or close this help", "Help", "F1", press_help},
	{{'r'}, "r", "begin a new phase", "Phase", "r", .command = {COMMAND_PHASE}},
	{{'m'}, "m", "begin one with a name", "Mark", "m", press_mark},
	{{'/'}, "/", "show only some rings", "Filter", "/", press_filter},
	{{'w'}, "w", "next window (1 s to all)", "Window", "w", press_window},
	{{'o'}, "o", "show the next figure", "Figure", "o", press_figure},
	{{'<'}, "<", "sort by the next column left", "", "<", press_sort, -1},
	{{'>'}, ">", "sort by the next column right", "Sort", ">", press_sort, 1},
	{{'I'}, "I", "invert the order", "Invert", "I", press_invert},
	{{'u'}, "u", "next unit (ns, us, ms)", "Unit", "u", press_unit},
	{{'k', KEY_CODE_ARROW_UP}, "k, Up", "select the row above", "", "k", press_move, -1},
	{{'j', KEY_CODE_ARROW_DOWN}, "j, Down", "select the row below", "Select", "j", press_move, 1},
	{{'f'}, "f", "fold a mechanism, unfold hops", NULL, NULL, press_fold, false},
	{{'F'}, "F", "the same for all of its kind", NULL, NULL, press_fold, true},
	{{' '}, "Space", "freeze the display, or go on", "Freeze", "Spc", .command = {COMMAND_FREEZE}},
	{{'['}, "[", "a second back", NULL, NULL, .command = {COMMAND_SEEK, .by_ns = -SECOND_NS}},
	{{']'}, "]", "a second on", NULL, NULL, .command = {COMMAND_SEEK, .by_ns = SECOND_NS}},
	{{'{'}, "{", "ten seconds back", NULL, NULL, .command = {COMMAND_SEEK, .by_ns = -10 * SECOND_NS}},
	{{'}'}, "}", "ten seconds on", NULL, NULL, .command = {COMMAND_SEEK, .by_ns = 10 * SECOND_NS}},
	{{'.'}, ".", "the next tick of a replay", NULL, NULL, .command = {COMMAND_STEP}},
	{{'+'}, "+", "refresh faster", NULL, NULL, press_refresh, -1},
	{{'-'}, "-", "refresh slower", NULL, NULL, press_refresh, 1},
	{{KEY_CODE_PAGE_UP}, "PgUp", "a page up", NULL, NULL, press_page, -1},
	{{KEY_CODE_PAGE_DOWN}, "PgDn", "a page down", NULL, NULL, press_page, 1},
	{{'g', KEY_CODE_FIRST}, "g, Home", "select the first row", NULL, NULL, press_move, -LONG_MAX},
	{{'G', KEY_CODE_LAST}, "G, End", "select the last row", NULL, NULL, press_move, LONG_MAX},
	{{KEY_CODE_CTRL_L}, "Ctrl-L", "draw the screen anew", NULL, NULL, .command = {COMMAND_REPAINT}},
	{{KEY_CODE_ESCAPE}, "Esc", "close this help, or go back", NULL, NULL, press_escape},
	{{'q', KEY_CODE_F10}, "q, F10", "quit", "Quit", "q", .command = {COMMAND_QUIT}},
};

enum { N_KEYS = sizeof(keys) / sizeof(*keys), N_BEFORE_VIEWS = 1 };

/* Each view but the overview has two keys of the same code: one opens it, the other goes back. */
size_t keys_count(void)
{
	return N_KEYS + 2 * (views_n - 1);
}

struct key keys_at(size_t i)
{
	size_t of_views = keys_count() - N_KEYS, at = i - N_BEFORE_VIEWS;

	if (i < N_BEFORE_VIEWS || at >= of_views)
		return keys[i < N_BEFORE_VIEWS ? i : i - of_views];
	unsigned screen = 1 + (unsigned)at / 2;
	struct key key = views_table[screen]->key;

	key.press = press_view;
	if (at % 2 == 0) {
		key.opens = screen;
		key.argument = screen;
	} else {
		key.leaves = screen;
		key.help = "there: back to the overview";
		key.label = "Back";
	}
	return key;
}

bool keys_known(const struct key *key, const struct view_state *view)
{
	return (!key->opens || key->opens != view->screen) && (!key->leaves || key->leaves == view->screen);
}

/* Returns false where no key of the view has the code. */
static bool find_key(const struct view_state *view, uint32_t code, struct key *key)
{
	for (size_t i = 0; i < keys_count(); i++) {
		*key = keys_at(i);
		for (size_t c = 0; c < 4 && key->codes[c]; c++)
			if (key->codes[c] == code && keys_known(key, view))
				return true;
	}
	return false;
}

struct command keys_press(struct view_state *view, uint32_t code)
{
	bool is_never_text = code == KEY_CODE_CTRL_L || code == KEY_CODE_F10;
	struct key key;

	/* On a screen that is too small the effect of other keys is invisible. */
	if (code == KEY_CODE_NONE || (view->too_small && !is_never_text && code != 'q'))
		return (struct command){COMMAND_NONE};
	if (view_state_is_typing(view) && !is_never_text)
		return prompt_press(&view->prompt, code, view);
	if (!find_key(view, code, &key))
		return (struct command){COMMAND_NONE};
	if (!key.press)
		return key.command;
	key.press(view, key.argument);
	return (struct command){COMMAND_REDRAW};
}

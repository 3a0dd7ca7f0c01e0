/* SPDX-License-Identifier: GPL-2.0-or-later */
/* keys.c - the one table of keys. */
#include "ui/views/keys.h"

#include "ui/table/view.h"
#include "ui/term/dashboard.h"

static void press_help(struct view *view)
{
	view->help = !view->help;
	view->help_top = 0;
}

static void press_detail(struct view *view)
{
	view->help = false;
	view->screen = SCREEN_DETAIL;
}

static void press_back(struct view *view)
{
	view->help = false;
	view->screen = SCREEN_OVERVIEW;
}

static void press_escape(struct view *view)
{
	if (view->help)
		view->help = false;
	else
		view->screen = SCREEN_OVERVIEW;
}

/* While the help is open, it is what moves. */
static void move(struct view *view, long by)
{
	(view->help ? help_move : view_move)(view, by);
}

static void press_up(struct view *view)
{
	move(view, -1);
}

static void press_down(struct view *view)
{
	move(view, 1);
}

static void press_page_up(struct view *view)
{
	move(view, -(long)view->page);
}

static void press_page_down(struct view *view)
{
	move(view, (long)view->page);
}

static void press_first(struct view *view)
{
	move(view, -(long)(view->order.n + keys_n));
}

static void press_last(struct view *view)
{
	move(view, (long)(view->order.n + keys_n));
}

/* The next column to the left or right that is shown and can be sorted by. */
static void sort_by(struct view *view, size_t step)
{
	size_t column = view->sort;

	do {
		column = (column + step) % N_COLUMNS;
	} while (column != view->sort && (!view->columns.width[column] || !columns_table[column].value));
	view->sort = column;
	view->inverted = false;
}

static void press_sort_left(struct view *view)
{
	sort_by(view, N_COLUMNS - 1);
}

static void press_sort_right(struct view *view)
{
	sort_by(view, 1);
}

static void press_invert(struct view *view)
{
	view->inverted = !view->inverted;
}

static void press_figure(struct view *view)
{
	view->figure = (view->figure + 1) % N_FIGURES_SHOWN;
}

static void press_unit(struct view *view)
{
	view->unit = (view->unit + 1) % N_UNITS;
}

static void press_window(struct view *view)
{
	view->window = (view->window + 1) % N_WINDOWS;
	if (view->window < view->shortest_window)
		view->window = view->shortest_window;
}

static struct command begin_named_phase(struct view *view, const char *name)
{
	struct command mark = {COMMAND_MARK};

	phase_copy_name(mark.name, name);
	return mark;
}

static void press_mark(struct view *view)
{
	prompt_open(
		&view->prompt, " name of the new phase ", "Enter begins it, Esc closes", begin_named_phase);
}

static struct command set_filter(struct view *view, const char *text)
{
	struct error_text reason;

	if (filter_parse(&view->filter, text, &reason) < 0)
		prompt_refuse(&view->prompt, reason.text);
	return (struct command){COMMAND_REDRAW};
}

static void press_filter(struct view *view)
{
	prompt_open(&view->prompt, " show rings with ", "cpu:2-7  a mechanism  smt  text  !not; empty: all",
		set_filter);
}

static const uint64_t refreshes_ns[] = {
	100000000, 200000000, 500000000, 1000000000, 2000000000, UINT64_C(5000000000), UINT64_C(10000000000)};

enum { N_REFRESHES = sizeof(refreshes_ns) / sizeof(*refreshes_ns) };

/* A still picture has none to change. */
static void press_faster(struct view *view)
{
	for (size_t i = N_REFRESHES; view->refresh_ns && i-- > 0;)
		if (refreshes_ns[i] < view->refresh_ns) {
			view->refresh_ns = refreshes_ns[i];
			return;
		}
}

static void press_slower(struct view *view)
{
	for (size_t i = 0; view->refresh_ns && i < N_REFRESHES; i++)
		if (refreshes_ns[i] > view->refresh_ns) {
			view->refresh_ns = refreshes_ns[i];
			return;
		}
}

enum { SECOND_NS = 1000000000 };

const struct key keys_table[] = {
	{{'h', '?', KEY_CODE_F1}, "h, ?, F1", "open or close this help", "Help", "F1", press_help},
	{{KEY_CODE_ENTER, '\n'}, "Enter", "the selected pair in detail", "Detail", "Enter", press_detail,
		.views = 1u << SCREEN_OVERVIEW},
	{{KEY_CODE_ENTER, '\n'}, "Enter", "there: back to the overview", "Back", "Enter", press_back,
		.views = 1u << SCREEN_DETAIL},
	{{'r'}, "r", "begin a new phase", "Phase", "r", .command = {COMMAND_PHASE}},
	{{DASHBOARD_KEY_NAME}, "m", "begin one with a name", "Mark", "m", press_mark},
	{{DASHBOARD_KEY_FILTER}, "/", "show only some rings", "Filter", "/", press_filter},
	{{'w'}, "w", "next window (1 s to all)", "Window", "w", press_window},
	{{'o'}, "o", "show the next figure", "Figure", "o", press_figure},
	{{'<'}, "<", "sort by the next column left", "", "<", press_sort_left},
	{{'>'}, ">", "sort by the next column right", "Sort", ">", press_sort_right},
	{{'I'}, "I", "invert the order", "Invert", "I", press_invert},
	{{'u'}, "u", "next unit (ns, us, ms)", "Unit", "u", press_unit},
	{{'k', KEY_CODE_ARROW_UP}, "k, Up", "select the row above", "", "k", press_up},
	{{'j', KEY_CODE_ARROW_DOWN}, "j, Down", "select the row below", "Select", "j", press_down},
	{{'f'}, "f", "fold a mechanism, unfold hops", NULL, NULL, view_fold},
	{{'F'}, "F", "the same for all of its kind", NULL, NULL, view_fold_all},
	{{' '}, "Space", "freeze the display, or go on", "Freeze", "Spc", .command = {COMMAND_FREEZE}},
	{{'['}, "[", "a second back", NULL, NULL, .command = {COMMAND_SEEK, .by_ns = -SECOND_NS}},
	{{']'}, "]", "a second on", NULL, NULL, .command = {COMMAND_SEEK, .by_ns = SECOND_NS}},
	{{'{'}, "{", "ten seconds back", NULL, NULL,
		.command = {COMMAND_SEEK, .by_ns = -10 * (int64_t)SECOND_NS}},
	{{'}'}, "}", "ten seconds on", NULL, NULL,
		.command = {COMMAND_SEEK, .by_ns = 10 * (int64_t)SECOND_NS}},
	{{'.'}, ".", "the next tick of a replay", NULL, NULL, .command = {COMMAND_STEP}},
	{{'+'}, "+", "refresh faster", NULL, NULL, press_faster},
	{{'-'}, "-", "refresh slower", NULL, NULL, press_slower},
	{{KEY_CODE_PAGE_UP}, "PgUp", "a page up", NULL, NULL, press_page_up},
	{{KEY_CODE_PAGE_DOWN}, "PgDn", "a page down", NULL, NULL, press_page_down},
	{{'g', KEY_CODE_FIRST}, "g, Home", "select the first row", NULL, NULL, press_first},
	{{'G', KEY_CODE_LAST}, "G, End", "select the last row", NULL, NULL, press_last},
	{{KEY_CODE_CTRL_L}, "Ctrl-L", "draw the screen anew", NULL, NULL, .command = {COMMAND_REPAINT}},
	{{KEY_CODE_ESCAPE}, "Esc", "close this help, or go back", NULL, NULL, press_escape},
	{{'q', KEY_CODE_F10}, "q, F10", "quit", "Quit", "q", .command = {COMMAND_QUIT}},
};

const size_t keys_n = sizeof(keys_table) / sizeof(*keys_table);

/* Even then these are keys, not text. */
static bool is_always_a_key(uint32_t code)
{
	return code == KEY_CODE_CTRL_L || code == KEY_CODE_F10;
}

bool keys_known(const struct key *key, const struct view *view)
{
	return !key->views || key->views & 1u << view->screen;
}

/* On too small a screen nobody sees what another key does. */
static bool is_obeyed_unseen(uint32_t code)
{
	return is_always_a_key(code) || code == 'q';
}

static const struct key *find_key(const struct view *view, uint32_t code)
{
	for (size_t i = 0; code != KEY_CODE_NONE && i < keys_n; i++)
		for (size_t c = 0; c < 4 && keys_table[i].codes[c]; c++)
			if (keys_table[i].codes[c] == code && keys_known(&keys_table[i], view))
				return &keys_table[i];
	return NULL;
}

struct command keys_press(struct view *view, uint32_t code)
{
	if (view->layout.too_small && !is_obeyed_unseen(code))
		return (struct command){COMMAND_NONE};
	if (view_is_typing(view) && !is_always_a_key(code) && code != KEY_CODE_NONE)
		return prompt_press(&view->prompt, code, view);
	const struct key *key = find_key(view, code);

	if (!key)
		return (struct command){COMMAND_NONE};
	if (!key->press)
		return key->command;
	key->press(view);
	return (struct command){COMMAND_REDRAW};
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* keys.c - the one table of keys. */
#include "ui/views/keys.h"

#include <limits.h>
#include <string.h>

#include "ui/table/view_state.h"
#include "ui/views/setup.h"
#include "ui/views/views.h"

static void press_help(struct view_state *view, long argument)
{
	view->help = !view->help;
	view->help_page = HELP_KEYS;
	view->help_top = 0;
}

static void press_page_of_help(struct view_state *view, long page)
{
	view->help_page = (enum help_page)page;
	view->help_top = 0;
}

static void press_view(struct view_state *view, long screen)
{
	view->help = false;
	view->screen = (unsigned)screen;
}

static void press_close(struct view_state *view, long argument)
{
	if (view->list.open)
		view->list.open = false;
	else if (view->setup.open)
		view->setup.open = false;
	else
		view->help = false;
}

/* A row less than the page has lines: the last one may count the hidden rows. */
static void press_page(struct view_state *view, long pages)
{
	view_state_move(view, pages * (long)(view->page > 1 ? view->page - 1 : 1));
}

static void press_fold(struct view_state *view, long all)
{
	view_state_fold(view, all);
}

/* Sorts by the next visible column to the left or right that can be sorted by. */
static void press_sort(struct view_state *view, long step)
{
	const unsigned char *order = view->chosen.order;
	size_t place = 0, column;

	while (order[place] != view->sort)
		place++;
	do {
		place = (place + N_COLUMNS + (size_t)step) % N_COLUMNS;
		column = order[place];
	} while (column != view->sort && (!view->columns.width[column] || !columns_table[column].value));
	view->sort = column;
	view->inverted = false;
}

static void write_sort_line(const struct view_state *view, size_t i, char text[LIST_LINE_SIZE])
{
	size_t column = columns_sortable(i);
	char title[32];

	snprintf(text, LIST_LINE_SIZE, "%-8s %s", columns_title(column, view->limit_ns, title, sizeof(title)),
		columns_table[column].help);
}

static void sort_by_line(struct view_state *view, size_t i)
{
	view->inverted = view->inverted && view->sort == columns_sortable(i);
	view->sort = columns_sortable(i);
}

static void press_sort_list(struct view_state *view, long argument)
{
	size_t n = 0, position = 0;

	for (; columns_sortable(n) < N_COLUMNS; n++)
		if (columns_sortable(n) == view->sort)
			position = n;
	view->list = (struct list){.open = true,
		.title = " sort by ",
		.hint = "Enter sorts by it, Esc closes",
		.n = n,
		.position = position,
		.line = write_sort_line,
		.done = sort_by_line};
}

static void press_choose(struct view_state *view, long argument)
{
	list_choose(&view->list, view);
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
	return (struct command){COMMAND_NONE};
}

static void press_filter(struct view_state *view, long argument)
{
	prompt_open(&view->prompt, " show rings with ", "cpu:2-7  mq,pipe  FF80  smt  text  !not; empty: all",
		set_filter);
}

static void press_refresh(struct view_state *view, long step)
{
	view_state_step_refresh(view, (int)step);
}

static void press_setup(struct view_state *view, long argument)
{
	setup_open(view);
}

static void press_other_list(struct view_state *view, long argument)
{
	setup_go_to_other_list(view);
}

static void press_move_column(struct view_state *view, long by)
{
	setup_move_column(view, (int)by);
}

static void press_change(struct view_state *view, long step)
{
	setup_change(view, (int)step);
}

static void press_phase_a(struct view_state *view, long argument)
{
	compared_next_a(&view->compared);
}

static void press_phase_b(struct view_state *view, long argument)
{
	compared_next_b(&view->compared);
}

static void press_baseline(struct view_state *view, long argument)
{
	compared_toggle_baseline(&view->compared);
}

static void press_differences(struct view_state *view, long argument)
{
	view->compared.lists_differences = !view->compared.lists_differences;
}

/* A phase would change what is not shown; in a replay it would be lost by the next seek. */
static const char *refuse_phase(const struct view_state *view)
{
	if (view->is_replay)
		return "a replay has the phases of its recording alone: begin them while measuring";
	return view->frozen ? "frozen: press Space first; phases begin in the present" : NULL;
}

static const char *refuse_hold(const struct view_state *view)
{
	if (view->is_replay)
		return "a replay has no turns to hold";
	if (!view->has_turns)
		return "no turns to hold: all run at the same time";
	return view_state_ring(view) < 0 && !view->turn_held
		       ? "a group has no turn of its own: select a row below it"
		       : NULL;
}

#define SECOND_NS INT64_C(1000000000)

#define IN(key_places) .places = (key_places)
#define MOVES .wish = SCREEN_REDRAW

static const struct key keys[] = {
	{{'h', '?', KEY_CODE_F1}, "h, ?, F1", "open or close this help", "Help", "F1", press_help,
		IN(PLACE_VIEW | PLACE_HELP)},
	{{KEY_CODE_F2}, "F2", "set columns, unit, colors ...", "Setup", "F2", press_setup},
	{{'A'}, "A", "compare: the next phase as A", NULL, NULL, press_phase_a, .of_comparison = true},
	{{'B'}, "B", "compare: the next phase as B", "Phases", "A B", press_phase_b, .of_comparison = true},
	{{'b'}, "b", "compare: A is the baseline", "Baseline", "b", press_baseline, .of_comparison = true},
	{{'d'}, "d", "compare: list what differs", "Differences", "d", press_differences,
		.of_comparison = true},
	{{'r'}, "r", "begin a new phase", "Phase", "r", .command = {COMMAND_PHASE}, .refusal = refuse_phase},
	{{'m'}, "m", "begin one with a name", "Mark", "m", press_mark, .refusal = refuse_phase},
	{{'/'}, "/", "show only some rings", "Filter", "/", press_filter},
	{{'w'}, "w", "next window (1 s to all)", "Window", "w", press_window},
	{{'o'}, "o", "show the next figure", "Figure", "o", press_figure},
	{{'<'}, "<", "sort by the next column left", NULL, NULL, press_sort, -1, .sorts = true},
	{{'>'}, ">", "sort by the next column right", "Sort", "< >", press_sort, 1, .sorts = true},
	{{KEY_CODE_F6}, "F6", "choose the column to sort by", NULL, NULL, press_sort_list, .sorts = true},
	{{'I'}, "I", "invert the order", "Invert", "I", press_invert, .sorts = true},
	{{'u'}, "u", "next unit (ns, us, ms)", "Unit", "u", press_unit},
	{{'k', KEY_CODE_ARROW_UP}, "k, Up", "select the row above", NULL, NULL, view_state_move, -1,
		IN(PLACE_ALL), MOVES},
	{{'j', KEY_CODE_ARROW_DOWN}, "j, Down", "select the row below", "Move", "k j", view_state_move, 1,
		IN(PLACE_ALL), MOVES},
	{{'f'}, "f", "fold a mechanism, unfold hops", NULL, NULL, press_fold, false},
	{{'F'}, "F", "the same for all of its kind", NULL, NULL, press_fold, true},
	{{'s'}, "s", "hold the row's turn, or go on", NULL, NULL, .command = {COMMAND_HOLD},
		.refusal = refuse_hold},
	{{' '}, "Space", "freeze the display, or go on", "Freeze", "Spc", .command = {COMMAND_FREEZE}},
	{{'['}, "[", "a second back", NULL, NULL, .command = {COMMAND_SEEK, .by_ns = -SECOND_NS}},
	{{']'}, "]", "a second on", NULL, NULL, .command = {COMMAND_SEEK, .by_ns = SECOND_NS}},
	{{'{'}, "{", "ten seconds back", NULL, NULL, .command = {COMMAND_SEEK, .by_ns = -10 * SECOND_NS}},
	{{'}'}, "}", "ten seconds on", NULL, NULL, .command = {COMMAND_SEEK, .by_ns = 10 * SECOND_NS}},
	{{'.'}, ".", "the next tick of a replay", NULL, NULL, .command = {COMMAND_STEP}},
	{{'+'}, "+", "refresh faster", NULL, NULL, press_refresh, -1},
	{{'-'}, "-", "refresh slower", NULL, NULL, press_refresh, 1},
	{{KEY_CODE_PAGE_UP}, "PgUp", "a page up", NULL, NULL, press_page, -1, IN(PLACE_ALL), MOVES},
	{{KEY_CODE_PAGE_DOWN}, "PgDn", "a page down", NULL, NULL, press_page, 1, IN(PLACE_ALL), MOVES},
	{{'g', KEY_CODE_FIRST}, "g, Home", "select the first row", NULL, NULL, view_state_move, -LONG_MAX,
		IN(PLACE_ALL), MOVES},
	{{'G', KEY_CODE_LAST}, "G, End", "select the last row", NULL, NULL, view_state_move, LONG_MAX,
		IN(PLACE_ALL), MOVES},
	{{KEY_CODE_CTRL_L}, "Ctrl-L", "draw the screen anew", NULL, NULL, IN(PLACE_ALL),
		.wish = SCREEN_REPAINT},
	{{KEY_CODE_ARROW_LEFT, '1'}, "Left, 1", "this list of keys", NULL, NULL, press_page_of_help,
		HELP_KEYS, IN(PLACE_HELP)},
	{{KEY_CODE_ARROW_RIGHT, '2'}, "Right, 2", "the glossary", "Page", "Left Right", press_page_of_help,
		HELP_GLOSSARY, IN(PLACE_HELP)},
	{{KEY_CODE_ENTER, '\n'}, "Enter", "choose the marked line", "Choose", "Enter", press_choose,
		IN(PLACE_LIST)},
	{{' ', KEY_CODE_ENTER, '\n'}, "Space", "change what is marked", "Change", "Spc", press_change, 0,
		IN(PLACE_SETUP | PLACE_COLUMNS)},
	{{KEY_CODE_ARROW_LEFT}, "Left", "the value before", NULL, NULL, press_change, -1, IN(PLACE_SETUP)},
	{{KEY_CODE_ARROW_RIGHT}, "Right", "the next value", "Choose", "Left Right", press_change, 1,
		IN(PLACE_SETUP)},
	{{KEY_CODE_F7}, "F7", "move the column to the left", NULL, NULL, press_move_column, -1,
		IN(PLACE_COLUMNS)},
	{{KEY_CODE_F8}, "F8", "move the column to the right", "Order", "F7 F8", press_move_column, 1,
		IN(PLACE_COLUMNS)},
	{{KEY_CODE_TAB}, "Tab", "go to the other list", "Other list", "Tab", press_other_list,
		IN(PLACE_SETUP | PLACE_WRITE | PLACE_COLUMNS)},
	{{KEY_CODE_ENTER, '\n'}, "Enter", "write the configuration", "Write", "Enter", IN(PLACE_WRITE),
		.wish = SCREEN_SAVE},
	{{KEY_CODE_ESCAPE}, "Esc", "go back to the overview", NULL, NULL, press_view, 0, IN(PLACE_VIEW)},
	{{KEY_CODE_ESCAPE}, "Esc", "close this help, or a dialog", "Close", "Esc", press_close,
		IN(PLACE_ALL & ~PLACE_VIEW)},
	{{'q', KEY_CODE_F10}, "q, F10", "quit", "Quit", "q", IN(PLACE_ALL), .command = {COMMAND_QUIT}},
};

enum { N_KEYS = sizeof(keys) / sizeof(*keys), N_BEFORE_VIEWS = 2 };

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

static enum key_place place_of(const struct view_state *view)
{
	if (view->list.open)
		return PLACE_LIST;
	if (view->setup.open)
		return setup_is_at_write(view)             ? PLACE_WRITE
		       : view->setup.list == SETUP_COLUMNS ? PLACE_COLUMNS
							   : PLACE_SETUP;
	return view->help ? PLACE_HELP : PLACE_VIEW;
}

bool keys_known(const struct key *key, const struct view_state *view)
{
	if (view->compared.is_open ? key->sorts : key->of_comparison)
		return false;
	unsigned places = key->places ? key->places : PLACE_VIEW | PLACE_HELP;

	return places & place_of(view) && (!key->opens || key->opens != view->screen) &&
	       (!key->leaves || key->leaves == view->screen);
}

bool keys_in_bar(const struct key *key, const struct view_state *view)
{
	return key->short_name && keys_known(key, view) && (key->places || place_of(view) == PLACE_VIEW);
}

/* The names of a key are in the order of its codes. Returns KEY_CODE_NONE if none is @name. */
static uint32_t code_of_name(const struct key *key, const char *name, size_t length)
{
	const char *at = key->names;

	for (size_t c = 0; c < 4 && *at; c++) {
		size_t n = strcspn(at, ",");

		if (n == length && memcmp(at, name, n) == 0)
			return key->codes[c];
		at += n + strspn(at + n, ", ");
	}
	return KEY_CODE_NONE;
}

uint32_t keys_named(const struct view_state *view, const char *name, size_t length, uint32_t other)
{
	for (size_t i = 0; i < keys_count(); i++) {
		struct key key = keys_at(i);
		uint32_t code = keys_known(&key, view) ? code_of_name(&key, name, length) : KEY_CODE_NONE;

		if (code != KEY_CODE_NONE)
			return code;
	}
	return other;
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

struct effect keys_press(struct view_state *view, uint32_t code)
{
	bool is_never_text = code == KEY_CODE_CTRL_L || code == KEY_CODE_F10;
	bool had_message = view->message != NULL;
	struct key key;

	/* On a screen that is too small the effect of other keys is invisible. */
	if (code == KEY_CODE_NONE || (view->too_small && !is_never_text && code != 'q'))
		return (struct effect){SCREEN_NONE};
	view->message = NULL;
	if (view_state_is_typing(view) && !is_never_text) {
		struct command command = prompt_press(&view->prompt, code, view);

		return (struct effect){view->prompt.open ? SCREEN_REDRAW : SCREEN_REFIT, command};
	}
	if (!find_key(view, code, &key))
		return (struct effect){had_message ? SCREEN_REDRAW : SCREEN_NONE};
	key.command.ring = view_state_ring(view);
	view->message = key.refusal ? key.refusal(view) : NULL;
	if (view->message)
		return (struct effect){SCREEN_REDRAW};
	uint32_t baseline = view->compared.baseline;

	if (key.press)
		key.press(view, key.argument);
	key.command.phase = view->compared.baseline;
	if (view->compared.baseline != baseline)
		key.command.kind = COMMAND_BASELINE;
	return (struct effect){key.wish, key.command};
}

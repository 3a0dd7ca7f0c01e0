/* SPDX-License-Identifier: GPL-2.0-or-later */
/* keys.c - the keys that all views have, the search for the key of a code, and the key bar. */
#include "ui/frame/keys.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "ui/panes/histogram.h"
#include "ui/views/act.h"
#include "ui/views/list.h"
#include "ui/views/prompt.h"
#include "ui/views/setup.h"

/* A row less than the page has lines: the last one may count the hidden rows. */
static void press_page(struct frame *frame, long pages)
{
	const struct view_kind *top = view_top(frame);
	size_t page = top->page ? top->page(frame) : frame->view.page;

	view_move(frame, pages * (long)(page > 1 ? page - 1 : 1));
}

static void press_fold(struct frame *frame, long all)
{
	view_state_fold(&frame->view, all);
}

static void press_worst(struct frame *frame, long argument)
{
	frame->view.selects_worst = true;
}

static void press_zoom(struct frame *frame, long by)
{
	frame->histogram.zoom = (unsigned)view_state_step(frame->histogram.zoom, by, N_HISTOGRAM_ZOOMS - 1);
}

static void press_axis(struct frame *frame, long argument)
{
	frame->histogram.linear = !frame->histogram.linear;
}

/* Sorts by the next visible column to the left or right that can be sorted by. */
static void press_sort(struct frame *frame, long step)
{
	struct view_state *view = &frame->view;
	const unsigned char *order = view->chosen.order;
	size_t position = 0, column;

	while (order[position] != view->sort)
		position++;
	do {
		position = (position + N_COLUMNS + (size_t)step) % N_COLUMNS;
		column = order[position];
	} while (column != view->sort && (!view->columns.width[column] || !columns_table[column].value));
	view->sort = column;
	view->inverted = false;
}

static void write_sort_line(const struct frame *frame, size_t i, char text[LIST_LINE_SIZE])
{
	size_t column = columns_sortable(i);
	char title[32];

	snprintf(text, LIST_LINE_SIZE, "%-8s %s",
		columns_title(column, frame->view.limit_ns, title, sizeof(title)),
		columns_table[column].help);
}

static void sort_by_line(struct frame *frame, size_t i)
{
	struct view_state *view = &frame->view;

	view->inverted = view->inverted && view->sort == columns_sortable(i);
	view->sort = columns_sortable(i);
}

static void press_sort_list(struct frame *frame, long argument)
{
	size_t n = 0, position = 0;

	for (; columns_sortable(n) < N_COLUMNS; n++)
		if (columns_sortable(n) == frame->view.sort)
			position = n;
	list_open(frame, &(struct list){.title = " sort by ",
				 .hint = "Enter sorts by it, Esc closes",
				 .n = n,
				 .position = position,
				 .line = write_sort_line,
				 .done = sort_by_line});
}

static void press_invert(struct frame *frame, long argument)
{
	frame->view.inverted = !frame->view.inverted;
}

static bool has_rings(const struct frame *frame)
{
	return !frame->open[0]->has_no_rings;
}

static bool sorts_by_column(const struct frame *frame)
{
	return has_rings(frame) && !frame->view.ranking;
}

static bool has_histogram(const struct frame *frame)
{
	return frame->has_histogram;
}

static struct command begin_named_phase(struct frame *frame, const char *name)
{
	struct command mark = {COMMAND_MARK};

	phase_copy_name(mark.name, name);
	return mark;
}

static void press_mark(struct frame *frame, long argument)
{
	prompt_open(frame, " name of the new phase ", "Enter begins it, Esc closes", NULL, begin_named_phase);
}

static struct command set_filter(struct frame *frame, const char *text)
{
	struct error_text reason;

	if (filter_parse(&frame->view.filter, text, &reason) < 0)
		prompt_refuse(frame, reason.text);
	return (struct command){COMMAND_NONE};
}

static void press_filter(struct frame *frame, long argument)
{
	prompt_open(frame, " show rings with ", "cpu:2-7 in:0-3 mq,pipe FF80 smt text !gone; empty: all",
		frame->view.filter.text, set_filter);
}

static const char changes_nothing[] = "--read-only is set: keys change nothing";

/* A phase would begin in the present, which is not shown; in a replay the next seek would lose it. */
static const char *refuse_phase(const struct frame *frame)
{
	if (frame->is_replay)
		return "a replay has the phases of its recording alone: begin them while measuring";
	if (frame->read_only)
		return changes_nothing;
	return frame->frozen ? "frozen: press Space first; phases begin in the present" : NULL;
}

static const char *refuse_hold(const struct frame *frame)
{
	if (frame->is_replay)
		return "a replay has no turns to hold";
	if (frame->read_only)
		return changes_nothing;
	if (act_refuse_view(frame))
		return act_refuse_view(frame);
	if (!frame->view.has_turns)
		return "no turns to hold: all run at the same time";
	if (frame->hunts)
		return act_refuse_kept(frame);
	if (frame->view.turn_held)
		return NULL;
	return view_state_ring(&frame->view) < 0 ? "a group has no turn of its own: select a row below it"
						 : act_refuse_removed(frame);
}

static const char *refuse_recorder(const struct frame *frame)
{
	if (frame->is_replay)
		return "a replay records nothing";
	if (frame->read_only)
		return changes_nothing;
	return frame->hunts ? act_refuse_kept(frame) : NULL;
}

static void press_leave(struct frame *frame, long argument)
{
	view_open(frame, frame->kinds[0]);
}

static void press_close(struct frame *frame, long argument)
{
	view_close(frame);
}

static bool is_in_view(const struct frame *frame)
{
	return frame->n_open == 1;
}

static bool is_in_dialog(const struct frame *frame)
{
	return frame->n_open > 1;
}

#define SECOND_NS INT64_C(1000000000)
#define MOVES .group = KEYS_OF_ROWS, .wish = SCREEN_REDRAW, .everywhere = true, .applies = view_moves

/* The keys of all views, beside those of act.h. */
static const struct key common[] = {
	{{'r'}, "r", "begin a new phase", "Phase", "r", .command = COMMAND("phase"), .refusal = refuse_phase,
		.bar_refusal = refuse_phase, .group = KEYS_OF_PHASES},
	{{'m'}, "m", "begin a phase with a name", "Mark", "m", press_mark, .refusal = refuse_phase,
		.bar_refusal = refuse_phase, .group = KEYS_OF_PHASES},
	{{'z'}, "z", "zoom into the histogram", NULL, NULL, press_zoom, 1, .applies = has_histogram,
		.group = KEYS_OF_FIGURES},
	{{'Z'}, "Z", "zoom out of it", NULL, NULL, press_zoom, -1, .applies = has_histogram,
		.group = KEYS_OF_FIGURES},
	{{'y'}, "y", "its bars: log or linear", NULL, NULL, press_axis, .applies = has_histogram,
		.group = KEYS_OF_FIGURES},
	{{'/'}, "/", "show only some rings", "Filter", "/", press_filter, .group = KEYS_OF_ROWS},
	{{'w'}, "w", "show the next window", "Window", "w", setup_next, SETUP_WINDOW,
		.group = KEYS_OF_FIGURES},
	{{'o'}, "o", "show the next figure", "Figure", "o", setup_next, SETUP_FIGURE,
		.group = KEYS_OF_FIGURES},
	{{'<'}, "<", "sort by the next column left", NULL, NULL, press_sort, -1, .applies = sorts_by_column,
		.group = KEYS_OF_ROWS},
	{{'>'}, ">", "sort by the next column right", "Sort", "< >", press_sort, 1,
		.applies = sorts_by_column, .group = KEYS_OF_ROWS},
	{{KEY_CODE_F6}, "F6", "choose the column to sort by", NULL, NULL, press_sort_list,
		.applies = sorts_by_column, .group = KEYS_OF_ROWS},
	{{'I'}, "I", "invert the order", "Invert", "I", press_invert, .applies = sorts_by_column,
		.group = KEYS_OF_ROWS},
	{{'u'}, "u", "show the next unit", "Unit", "u", setup_next, SETUP_UNIT, .group = KEYS_OF_FIGURES},
	{{'k', KEY_CODE_ARROW_UP}, "k, Up", "select the row above", NULL, NULL, view_move, -1, MOVES},
	{{'j', KEY_CODE_ARROW_DOWN}, "j, Down", "select the row below", "Move", "k j", view_move, 1, MOVES},
	{{'!'}, "!", "select the worst row", "Worst", "!", press_worst, .applies = has_rings,
		.group = KEYS_OF_ROWS},
	{{'f'}, "f", "fold a mechanism, unfold hops", NULL, NULL, press_fold, false, .applies = has_rings,
		.group = KEYS_OF_ROWS},
	{{'F'}, "F", "fold or unfold all of a kind", NULL, NULL, press_fold, true, .applies = has_rings,
		.group = KEYS_OF_ROWS},
	{{'s'}, "s", "hold the row's turn, or go on", NULL, NULL, .command = COMMAND("hold"),
		.refusal = refuse_hold, .group = KEYS_OF_ROWS},
	{{'E'}, "E", "switch the flight recorder", NULL, NULL, .command = COMMAND("recorder"),
		.refusal = refuse_recorder, .group = KEYS_OF_SCREEN},
	{{' '}, "Space", "freeze the display, or go on", "Freeze", "Spc", .command = {COMMAND_FREEZE},
		.group = KEYS_OF_TIME},
	{{'['}, "[", "go back a second", NULL, NULL, .command = {COMMAND_SEEK, .by_ns = -SECOND_NS},
		.group = KEYS_OF_TIME},
	{{']'}, "]", "go forward a second", NULL, NULL, .command = {COMMAND_SEEK, .by_ns = SECOND_NS},
		.group = KEYS_OF_TIME},
	{{'{'}, "{", "go back ten seconds", NULL, NULL, .command = {COMMAND_SEEK, .by_ns = -10 * SECOND_NS},
		.group = KEYS_OF_TIME},
	{{'}'}, "}", "go forward ten seconds", NULL, NULL, .command = {COMMAND_SEEK, .by_ns = 10 * SECOND_NS},
		.group = KEYS_OF_TIME},
	{{'.'}, ".", "show a replay's next tick", NULL, NULL, .command = {COMMAND_STEP},
		.group = KEYS_OF_TIME},
	{{'+'}, "+", "refresh faster", NULL, NULL, setup_step_refresh, -1, .group = KEYS_OF_SCREEN},
	{{'-'}, "-", "refresh slower", NULL, NULL, setup_step_refresh, 1, .group = KEYS_OF_SCREEN},
	{{KEY_CODE_PAGE_UP}, "PgUp", "go up a page", NULL, NULL, press_page, -1, MOVES},
	{{KEY_CODE_PAGE_DOWN}, "PgDn", "go down a page", NULL, NULL, press_page, 1, MOVES},
	{{'g', KEY_CODE_FIRST}, "g, Home", "select the first row", NULL, NULL, view_move, -LONG_MAX, MOVES},
	{{'G', KEY_CODE_LAST}, "G, End", "select the last row", NULL, NULL, view_move, LONG_MAX, MOVES},
	{{KEY_CODE_CTRL_L}, "Ctrl-L", "redraw the screen", NULL, NULL, .wish = SCREEN_REPAINT,
		.everywhere = true, .group = KEYS_OF_SCREEN},
};

/* The same, at the end of the list. */
static const struct key last[] = {
	{{KEY_CODE_ESCAPE}, "Esc", "go back to the overview", NULL, NULL, press_leave, .applies = is_in_view,
		.group = KEYS_OF_SCREEN},
	{{KEY_CODE_ESCAPE}, "Esc", "close this help, or a dialog", "Close", "Esc", press_close,
		.applies = is_in_dialog, .everywhere = true, .group = KEYS_OF_SCREEN},
	{{'q', KEY_CODE_F10}, "q, F10", "quit", "Quit", "q", .command = {COMMAND_QUIT}, .everywhere = true,
		.group = KEYS_OF_SCREEN},
};

enum { N_COMMON = sizeof(common) / sizeof(*common), N_LAST = sizeof(last) / sizeof(*last) };

/* --- the list of all keys --- */

static void append(struct frame *frame, const struct key *keys, size_t n, const struct view_kind *of)
{
	for (size_t i = 0; i < n; i++) {
		frame->keys[frame->n_keys] = keys[i];
		if (of)
			frame->keys[frame->n_keys].group = KEYS_OF_ONE;
		frame->keys[frame->n_keys++].of = of;
	}
}

/* A view but the overview has two keys of the same code: one opens it, the other goes back. */
static void append_openers(struct frame *frame, bool of_dialogs)
{
	for (size_t i = 1; i < frame->n_kinds; i++) {
		const struct view_kind *kind = frame->kinds[i];

		if (kind->is_dialog != of_dialogs || !kind->key.codes[0])
			continue;
		append(frame, &kind->key, 1, kind->key.of);
		frame->keys[frame->n_keys - 1].opens = kind;
		if (of_dialogs)
			continue;
		append(frame, &kind->key, 1, kind);
		struct key *back = &frame->keys[frame->n_keys - 1];

		back->group = KEYS_OF_VIEWS;
		back->help = "there: back to the overview";
		back->label = "Back";
		back->short_name = back->short_name ? back->short_name : back->names;
		back->press = press_leave;
	}
}

static void append_own(struct frame *frame, bool of_dialogs)
{
	for (size_t i = 0; i < frame->n_kinds; i++)
		if (frame->kinds[i]->is_dialog == of_dialogs)
			append(frame, frame->kinds[i]->keys, frame->kinds[i]->n_keys, frame->kinds[i]);
}

int keys_collect(struct frame *frame)
{
	size_t n = N_COMMON + n_act_keys + N_LAST;

	for (size_t i = 0; i < frame->n_kinds; i++)
		n += 2 + frame->kinds[i]->n_keys;
	frame->keys = calloc(n, sizeof(*frame->keys));
	if (!frame->keys)
		return -ENOMEM;
	append_openers(frame, true);
	append_openers(frame, false);
	append_own(frame, false);
	append(frame, common, N_COMMON, NULL);
	append(frame, act_keys, n_act_keys, NULL);
	append_own(frame, true);
	append(frame, last, N_LAST, NULL);
	return 0;
}

/* --- the key of a code --- */

/* Returns whether the view is open, and what is open over it lets its keys through. */
static bool has_keys(const struct frame *frame, const struct view_kind *kind)
{
	size_t i = frame->n_open - 1;

	while (i > 0 && frame->open[i] != kind && frame->open[i]->passes_keys)
		i--;
	return frame->open[i] == kind;
}

static bool is_offered(const struct frame *frame, const struct key *key)
{
	if ((key->applies && !key->applies(frame)) || key->opens == frame->open[0])
		return false;
	if (key->opens && key->opens == view_top(frame)) /* it closes the dialog */
		return true;
	return key->everywhere || has_keys(frame, key->of ? key->of : frame->open[0]);
}

static bool has_code(const struct key *key, uint32_t code)
{
	size_t c = 0;

	while (c < 4 && key->codes[c] && key->codes[c] != code)
		c++;
	return c < 4 && key->codes[c];
}

static size_t depth_of(const struct frame *frame, const struct view_kind *kind)
{
	size_t depth = 0;

	while (depth < frame->n_open && frame->open[depth] != kind)
		depth++;
	return depth;
}

/* A key of one view replaces those of all views that have one of its codes, and those of views below it. */
static bool replaces(const struct frame *frame, const struct key *other, const struct key *key)
{
	return other->of &&
	       (!key->of || (other->of != key->of && depth_of(frame, other->of) > depth_of(frame, key->of)));
}

static bool is_replaced(const struct frame *frame, const struct key *key)
{
	for (size_t i = 0; i < frame->n_keys; i++) {
		const struct key *other = &frame->keys[i];

		if (replaces(frame, other, key) && has_code(other, key->codes[0]) && is_offered(frame, other))
			return true;
	}
	return false;
}

bool keys_known(const struct frame *frame, const struct key *key)
{
	return is_offered(frame, key) && (!key->codes[0] || !is_replaced(frame, key));
}

bool keys_in_bar(const struct frame *frame, const struct key *key)
{
	const struct view_kind *top = view_top(frame);

	if (!key->label || !key->short_name || !keys_known(frame, key))
		return false;
	if (key->bar_refusal && key->bar_refusal(frame))
		return false;
	return !top->is_dialog || key->of == top || key->opens == top || (key->everywhere && !top->type);
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

/* Returns the code of the known key of this name, such as "Left", or @other if there is none. */
static uint32_t code_named(const struct frame *frame, const char *name, size_t length, uint32_t other)
{
	for (size_t i = 0; i < frame->n_keys; i++) {
		const struct key *key = &frame->keys[i];
		uint32_t code = key->names && keys_known(frame, key) ? code_of_name(key, name, length)
								     : KEY_CODE_NONE;

		if (code != KEY_CODE_NONE)
			return code;
	}
	return other;
}

/* Returns NULL where no key of the view has the code. */
static const struct key *find_key(const struct frame *frame, uint32_t code)
{
	for (size_t i = 0; i < frame->n_keys; i++)
		if (has_code(&frame->keys[i], code) && keys_known(frame, &frame->keys[i]))
			return &frame->keys[i];
	return NULL;
}

static void open_or_close(struct frame *frame, const struct view_kind *kind)
{
	bool is_open = view_top(frame) == kind;

	frame->n_open = 1;
	if (!is_open)
		view_open(frame, kind);
}

bool keys_are_text(const struct frame *frame)
{
	return view_top(frame)->type && !frame->too_small;
}

struct effect keys_press(struct frame *frame, uint32_t code)
{
	bool is_never_text = code == KEY_CODE_CTRL_L || code == KEY_CODE_F10;

	/* On a screen that is too small the effect of other keys is invisible. */
	if (code == KEY_CODE_NONE || (frame->too_small && !is_never_text && code != 'q'))
		return (struct effect){SCREEN_NONE};
	/* A message that comes while a dialog takes text shows when that closes. */
	if (keys_are_text(frame) && !is_never_text)
		return view_top(frame)->type(frame, code);
	frame->message = NULL;
	frame->is_answer = false;
	const struct key *key = find_key(frame, code);

	frame->message = !key ? "unknown" : key->refusal ? key->refusal(frame) : NULL;
	if (frame->message)
		return (struct effect){SCREEN_REDRAW};
	struct effect effect = {key->wish, key->command};
	uint32_t baseline = frame->view.compared.baseline;

	if (key->command_of)
		effect.command = key->command_of(frame);
	effect.command.ring = view_state_ring(&frame->view);
	if (key->opens)
		open_or_close(frame, key->opens);
	else if (key->press)
		key->press(frame, key->argument);
	effect.command.phase = frame->view.compared.baseline;
	if (effect.command.phase != baseline)
		effect.command.kind = COMMAND_BASELINE;
	return effect;
}

/* --- the key bar --- */

/* A walk over the keys of the bar, from left to right. */
struct walk {
	const struct frame *frame;
	unsigned width; /* of the bar */
	size_t i;       /* the next row of the table */
	unsigned x;     /* where the next key begins */
};

/* The key that has opened a dialog closes it. */
static const char *label_of(const struct frame *frame, const struct key *key)
{
	return key->opens && key->opens == view_top(frame) ? "Back" : key->label;
}

static unsigned key_width(const struct frame *frame, const struct key *key)
{
	return (unsigned)(strlen(key->short_name) + 1 + strlen(label_of(frame, key)) + 2);
}

/* The last key, quit, is always in the bar. The screen's last cell stays free: some terminals scroll when it
 * is written. Returns NULL at the end. */
static const struct key *walk_next(struct walk *walk, unsigned *x)
{
	const struct key *keys = walk->frame->keys;
	size_t quit = walk->frame->n_keys - 1;

	while (quit > 0 && !keys_in_bar(walk->frame, &keys[quit]))
		quit--;
	unsigned quit_width = key_width(walk->frame, &keys[quit]);
	unsigned end = walk->width > quit_width ? walk->width - quit_width + 1 : 0;

	while (walk->i < quit && !keys_in_bar(walk->frame, &keys[walk->i]))
		walk->i++;
	if (walk->i > quit)
		return NULL;
	if (walk->x + key_width(walk->frame, &keys[walk->i]) > end)
		walk->i = quit;
	const struct key *key = &keys[walk->i++];

	*x = walk->x;
	walk->x += key_width(walk->frame, key);
	return key;
}

static void draw_key(const struct scene *scene, struct area area, unsigned x, const struct key *key)
{
	for (const char *name = key->short_name; *name; name++, x++) /* of ASCII */
		canvas_put(scene->canvas, area, x, 0, (unsigned char)*name,
			*name == ' ' ? STYLE_PLAIN : STYLE_KEY);
	canvas_text(scene->canvas, area, x + 1, 0, STYLE_PLAIN, label_of(scene->frame, key));
}

/* A message is readable as a whole: a long one covers the last lines of the body, too. */
static void draw_message(struct canvas *canvas, struct area bar, enum style style, const char *message)
{
	unsigned lines = canvas_wrap_lines(bar.width - 1, message);
	struct area area = {bar.x, bar.y, bar.width, 1};

	for (; area.height < lines && area.y > 0; area.y--)
		area.height++;
	canvas_blank(canvas, area);
	area.width--;
	canvas_wrap(canvas, area, style, message);
}

void keys_draw_bar(const struct scene *scene, struct area area)
{
	struct walk walk = {.frame = scene->frame, .width = area.width};
	const char *message = view_top(scene->frame)->type ? NULL : scene->frame->message;
	const struct key *key;
	unsigned x;

	if (message)
		draw_message(
			scene->canvas, area, scene->frame->is_answer ? STYLE_STRONG : STYLE_WARNING, message);
	else
		while ((key = walk_next(&walk, &x)))
			draw_key(scene, area, x, key);
}

/* "< > Sort" has two keys: each name acts as its own key, the label as that of the row. */
static uint32_t code_of(const struct frame *frame, const struct key *key, unsigned at)
{
	for (const char *name = key->short_name; *name;) {
		size_t begin = (size_t)(name - key->short_name), length = strcspn(name, " ");

		if (at >= begin && at < begin + length)
			return code_named(frame, name, length, key->codes[0]);
		name += length + strspn(name + length, " ");
	}
	return key->codes[0];
}

uint32_t keys_bar_code(const struct frame *frame, unsigned x, unsigned y)
{
	struct walk walk = {.frame = frame, .width = frame->body.width};
	const struct key *key;
	unsigned from;

	if (frame->too_small || frame->message || y != frame->body.y + frame->body.height)
		return KEY_CODE_NONE;
	while ((key = walk_next(&walk, &from)))
		if (x >= from && x < from + key_width(frame, key) - 2) /* not the gap behind it */
			return code_of(frame, key, x - from);
	return KEY_CODE_NONE;
}

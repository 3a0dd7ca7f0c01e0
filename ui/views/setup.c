/* SPDX-License-Identifier: GPL-2.0-or-later */
/* setup.c - the setup screen: which columns are shown, and settings that the configuration file can keep. */
#include "ui/views/setup.h"

#include <limits.h>
#include <string.h>

#include "src/base/text.h"
#include "src/base/values.h"
#include "src/model/comparison_lines.h"
#include "ui/draw/key_code.h"
#include "ui/table/columns.h"

enum {
	BESIDE_FROM = 72, /* columns of the smallest screen with both lists */
	COLUMNS_WIDTH = 36,
	TITLE_WIDTH = 12,
	INDENT = 2,
	VALUES = INDENT + TITLE_WIDTH,
	N_CHOICES = 8,
	N_COLUMN_LINES = N_COLUMNS - COLUMN_PAIR,
};

/* --- the settings --- */

static void write_sort(const struct view_state *view, char *text, size_t size)
{
	snprintf(text, size, "%s", columns_name((unsigned)(view->sort - COLUMN_PAIR)));
}

static void step_sort(struct view_state *view, int step)
{
	size_t n = 0, at = 0;

	for (; columns_sortable(n) < N_COLUMNS; n++)
		if (columns_sortable(n) == view->sort)
			at = n;
	view->sort = columns_sortable((at + n + (size_t)step) % n);
	view->inverted = false;
}

static void write_unit(const struct view_state *view, char *text, size_t size)
{
	snprintf(text, size, "%s", unit_name(view->unit));
}

static void step_unit(struct view_state *view, int step)
{
	view->unit = (view->unit + N_UNITS + (unsigned)step) % N_UNITS;
}

static void write_refresh(const struct view_state *view, char *text, size_t size)
{
	snprintf(text, size, "%g", (double)view->refresh_ns / 1e9);
}

static void write_figure(const struct view_state *view, char *text, size_t size)
{
	snprintf(text, size, "%s", figure_name(view->figure));
}

static void step_figure(struct view_state *view, int step)
{
	view->figure = (view->figure + N_FIGURES_SHOWN + (unsigned)step) % N_FIGURES_SHOWN;
}

static void write_palette(const struct view_state *view, char *text, size_t size)
{
	snprintf(text, size, "%s", palette_name(view->palette));
}

static void step_palette(struct view_state *view, int step)
{
	view->palette = (view->palette + N_PALETTES + (unsigned)step) % N_PALETTES;
}

static void write_colors(const struct view_state *view, char *text, size_t size)
{
	snprintf(text, size, "%s", palette_colors_name(view->colors));
}

static void step_colors(struct view_state *view, int step)
{
	view->colors = (view->colors + N_COLORS + (unsigned)step) % N_COLORS;
}

static void write_depth(const struct view_state *view, char *text, size_t size)
{
	static const char *const names[] = {[DEPTH_NONE] = "none",
		[DEPTH_8] = "8",
		[DEPTH_16] = "16",
		[DEPTH_256] = "256",
		[DEPTH_TRUE] = "true"};

	snprintf(text, size, "; now %s", names[view->depth]);
}

/* Exact, for the file; options have no unit below us. */
static void write_limit(const struct view_state *view, char *text, size_t size)
{
	bool in_ms = view->limit_ns >= 1000000 && view->limit_ns % 1000 == 0;

	if (view->limit_ns)
		snprintf(text, size, "%.15g%s", (double)view->limit_ns / (in_ms ? 1e6 : 1e3),
			in_ms ? "ms" : "us");
	else
		snprintf(text, size, "0");
}

static void step_limit(struct view_state *view, int step)
{
	static const uint64_t limits_us[] = {
		0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000, 100000};
	const size_t n = sizeof(limits_us) / sizeof(*limits_us);
	size_t i = 0;

	while (i < n &&
		(step > 0 ? limits_us[i] * 1000 <= view->limit_ns : limits_us[i] * 1000 < view->limit_ns))
		i++;
	i -= step < 0; /* past either end: no change */
	if (i < n)
		view->limit_ns = limits_us[i] * 1000;
}

static struct command set_limit(struct view_state *view, const char *text)
{
	static const uint64_t max_ns = UINT64_C(60000000000);
	uint64_t ns;

	if (value_time(text, value_microseconds, &ns) < 0 || ns > max_ns)
		prompt_refuse(&view->prompt, "0 (none) to 60s, in microseconds or with us, ms or s");
	else
		view->limit_ns = ns;
	return (struct command){COMMAND_NONE};
}

static void ask_for_limit(struct view_state *view)
{
	prompt_open(&view->prompt, " the limit ", "such as 80, 80us or 1.5ms; 0: none", set_limit);
}

static void write_window(const struct view_state *view, char *text, size_t size)
{
	snprintf(text, size, "%s", window_name(view->window));
}

/* Windows shorter than a round of turns are left out. */
static void step_window(struct view_state *view, int step)
{
	do {
		view->window = (view->window + N_WINDOWS + (unsigned)step) % N_WINDOWS;
	} while (view->window < view->shortest_window);
}

static void write_baseline(const struct view_state *view, char *text, size_t size)
{
	uint32_t number = view->compared.baseline;

	if (number && number != COMPARISON_FILE)
		snprintf(text, size, "phase %u", (unsigned)number);
	else
		snprintf(text, size, "%s", number ? "the file" : "none");
}

static void step_baseline(struct view_state *view, int step)
{
	compared_step_baseline(&view->compared, step);
}

/* Part of the method, whose rate of false verdicts was tested with it. */
static void write_threshold(const struct view_state *view, char *text, size_t size)
{
	snprintf(text, size, "5 %% and 0.2 us");
}

static void write_signs(const struct view_state *view, char *text, size_t size)
{
	snprintf(text, size, "%s", view->ascii || view->ascii_locale ? "ASCII" : "UTF-8");
}

static bool has_asked_for_ascii(const struct view_state *view)
{
	return view->ascii;
}

static void step_signs(struct view_state *view, int step)
{
	view->ascii = !view->ascii;
}

static void write_mouse(const struct view_state *view, char *text, size_t size)
{
	snprintf(text, size, "%s", view->mouse ? "on" : "off");
}

static bool has_mouse(const struct view_state *view)
{
	return view->mouse;
}

static void step_mouse(struct view_state *view, int step)
{
	view->mouse = !view->mouse;
}

/* Each is an option: its word, its default, and the values that are shown beside each other, unless there are
 * too many. */
static const struct kind {
	const char *title;
	const char *word; /* NULL: not in the file */
	const char *usual, *help;
	const char *choices[N_CHOICES];
	void (*write)(const struct view_state *view, char *text, size_t size);
	void (*step)(struct view_state *view, int step); /* NULL: it can't be changed */
	/* Of an option without a value: whether it is on. NULL: it has one. */
	bool (*is_on)(const struct view_state *view);
	void (*ask)(struct view_state *view); /* opens a prompt for any value; NULL: there is none */
	/* Writes what follows the help; NULL: nothing. */
	void (*write_note)(const struct view_state *view, char *text, size_t size);
} kinds[] = {
	{"Sort", "sort", "PAIR", "the column that rows are sorted by; I inverts the order", {NULL},
		write_sort, step_sort},
	{"Unit", "unit", "us", "the unit of times on the screen", {"ns", "us", "ms"}, write_unit, step_unit},
	{"Refresh", "refresh", "1", "seconds from one frame to the next",
		{"0.1", "0.2", "0.5", "1", "2", "5", "10"}, write_refresh, view_state_step_refresh},
	{"Window", NULL, NULL, "whose samples the columns show; not kept in the file",
		{"1s", "10s", "60s", "phase", "all"}, write_window, step_window},
	{"Figure", "show", "first", "the figure in the columns", {"first", "answer", "lap", "response"},
		write_figure, step_figure},
	{"Limit", "fail-above", "0", "samples above it are counted; Space: any; in the file: exit status 2",
		{NULL}, write_limit, step_limit, .ask = ask_for_limit},
	{"Threshold", NULL, NULL, "a smaller change is none; fixed, as the verdicts were tested with it",
		{NULL}, write_threshold, NULL},
	{"Baseline", NULL, NULL, "the phase that others are compared with; not kept in the file", {NULL},
		write_baseline, step_baseline},
	{"Palette", "palette", "default", "the colors; each look has a word or a sign too",
		{"default", "colour-blind", "mono"}, write_palette, step_palette},
	{"Colors", "colors", "auto", "how many the terminal is sent; auto: what it has",
		{"auto", "true", "256", "16", "none"}, write_colors, step_colors, .write_note = write_depth},
	{"Signs", "ascii", NULL, "ASCII for fonts that lack bars and rules; a locale may have it alone",
		{"UTF-8", "ASCII"}, write_signs, step_signs, has_asked_for_ascii},
	{"Mouse", "mouse", NULL, "a click selects, sorts or is a key; the terminal then selects no text",
		{"on", "off"}, write_mouse, step_mouse, has_mouse},
};

enum { N_KINDS = sizeof(kinds) / sizeof(*kinds) };

static void write_columns(const struct view_state *view, char *text, size_t size)
{
	const struct column_choice *chosen = &view->chosen;

	text[0] = '\0';
	for (size_t place = COLUMN_PAIR; place < N_COLUMNS; place++)
		if (!chosen->hidden[chosen->order[place]])
			text_append(text, size, ",", columns_name(chosen->order[place] - COLUMN_PAIR));
	if (columns_is_usual(chosen))
		snprintf(text, size, "all");
}

size_t setup_settings(const struct view_state *view, struct setting settings[SETTINGS_MAX])
{
	size_t n = 1;

	settings[0] = (struct setting){.word = "columns", .is_usual = columns_is_usual(&view->chosen)};
	write_columns(view, settings[0].value, sizeof(settings[0].value));
	for (size_t i = 0; i < N_KINDS; i++) {
		struct setting *setting = &settings[n];

		if (!kinds[i].word)
			continue;
		n++;
		*setting = (struct setting){.word = kinds[i].word, .is_flag = kinds[i].is_on};
		if (setting->is_flag) {
			setting->is_usual = !kinds[i].is_on(view);
			continue;
		}
		kinds[i].write(view, setting->value, sizeof(setting->value));
		setting->is_usual = strcmp(setting->value, kinds[i].usual) == 0;
	}
	return n;
}

void setup_note_kept(struct view_state *view)
{
	setup_settings(view, view->kept);
}

static unsigned count_changes(const struct view_state *view)
{
	struct setting settings[SETTINGS_MAX];
	size_t n = setup_settings(view, settings);
	unsigned changes = 0;

	for (size_t i = 0; i < n; i++)
		changes += settings[i].is_usual != view->kept[i].is_usual ||
			   strcmp(settings[i].value, view->kept[i].value) != 0;
	return changes;
}

/* --- what keys do --- */

void setup_open(struct view_state *view)
{
	view->help = false;
	view->setup = (struct setup){
		.open = true, .n = {[SETUP_COLUMNS] = N_COLUMN_LINES, [SETUP_SETTINGS] = N_KINDS + 1}};
}

void setup_go_to_other_list(struct view_state *view)
{
	view->setup.list = view->setup.list == SETUP_COLUMNS ? SETUP_SETTINGS : SETUP_COLUMNS;
}

bool setup_is_at_write(const struct view_state *view)
{
	return view->setup.list == SETUP_SETTINGS && view->setup.position[SETUP_SETTINGS] == N_KINDS;
}

/* The column on a line of their list. */
static size_t column_on(const struct view_state *view, size_t line)
{
	return view->chosen.order[COLUMN_PAIR + line];
}

void setup_change(struct view_state *view, int step)
{
	const struct setup *setup = &view->setup;
	size_t position = setup->position[setup->list], column = column_on(view, position);

	view->setup.said.text[0] = '\0';
	if (setup->list == SETUP_COLUMNS)
		view->chosen.hidden[column] = !view->chosen.hidden[column] && !columns_always_shown(column);
	else if (position < N_KINDS && kinds[position].ask && !step)
		kinds[position].ask(view);
	else if (position < N_KINDS && kinds[position].step)
		kinds[position].step(view, step ? step : 1);
}

void setup_move_column(struct view_state *view, int by)
{
	size_t *position = &view->setup.position[SETUP_COLUMNS];

	view->setup.said.text[0] = '\0';
	if (column_on(view, *position) <= COLUMN_CUR)
		error_text_set(&view->setup.said, 0,
			"PAIR to Cur stay at the left: F7 and F8 move those after them");
	*position = columns_move(&view->chosen, COLUMN_PAIR + *position, by) - COLUMN_PAIR;
}

/* --- how it looks --- */

static void draw_column(const struct scene *scene, struct area line, size_t i)
{
	const struct view_state *view = scene->view;
	size_t column = column_on(view, i);
	bool is_on = !view->chosen.hidden[column];
	char title[32], note[32] = "", text[128];

	if (columns_always_shown(column))
		snprintf(note, sizeof(note), "always");
	else if (!view->columns.needed[column])
		snprintf(note, sizeof(note), "empty in this run");
	else if (is_on && !view->columns.width[column])
		snprintf(note, sizeof(note), "no room: %u needed", view->columns.needed[column] + 1);
	snprintf(text, sizeof(text), "[%c] %-11s %s", is_on ? 'x' : ' ',
		columns_title(column, view->limit_ns, title, sizeof(title)), note);
	canvas_left(scene->canvas, line, INDENT, 0, line.width - INDENT, STYLE_PLAIN, text);
}

/* The values beside each other, the current one in brackets; returns the one at column @at, or N_CHOICES. */
static size_t write_choices(const struct view_state *view, size_t i, unsigned at, char *text, size_t size)
{
	char value[SETTING_SIZE], choice[SETTING_SIZE + 2];
	bool listed = false;
	size_t found = N_CHOICES;

	kinds[i].write(view, value, sizeof(value));
	text[0] = '\0';
	for (size_t c = 0; c < N_CHOICES && kinds[i].choices[c]; c++) {
		bool is_its = strcmp(kinds[i].choices[c], value) == 0;
		size_t from = strlen(text);

		snprintf(choice, sizeof(choice), is_its ? "[%s]" : "%s", kinds[i].choices[c]);
		text_append(text, size, " ", choice);
		listed |= is_its;
		if (at >= from && at < strlen(text))
			found = c;
	}
	snprintf(choice, sizeof(choice), "[%s]", value);
	if (!listed)
		text_append(text, size, " ", choice);
	return found;
}

static void draw_kind(const struct scene *scene, struct area line, size_t i)
{
	char text[2 * SETTING_SIZE];

	if (i == N_KINDS) {
		canvas_left(
			scene->canvas, line, INDENT, 0, line.width - INDENT, STYLE_PLAIN, "Write the file");
		return;
	}
	write_choices(scene->view, i, 0, text, sizeof(text));
	canvas_left(scene->canvas, line, INDENT, 0, TITLE_WIDTH, STYLE_PLAIN, kinds[i].title);
	canvas_left(scene->canvas, line, VALUES, 0, line.width - VALUES, STYLE_PLAIN, text);
}

/* The place of a list, its title included; of height 0 where the other one hides it. */
static struct area list_area(const struct setup *setup, struct area body, enum setup_list list)
{
	struct area area = {body.x, body.y + 1, body.width, body.height - 3};

	if (body.width < BESIDE_FROM)
		area.height = list == setup->list ? area.height : 0;
	else if (list == SETUP_COLUMNS)
		area.width = COLUMNS_WIDTH;
	else
		area = (struct area){area.x + COLUMNS_WIDTH, area.y, area.width - COLUMNS_WIDTH, area.height};
	return area;
}

/* The marked line is visible. Where lines follow the last one counts them. */
struct page {
	size_t first, n;
};

static struct page page_of(const struct setup *setup, enum setup_list list, struct area area)
{
	size_t n = setup->n[list], position = setup->position[list], room = area.height - 1;
	struct page page = {0, room};

	if (position + 1 >= n)
		page.first = n > room ? n - room : 0;
	else if (position + 2 > room)
		page.first = position + 2 - room;
	if (page.first + room < n)
		page.n = room - 1;
	else
		page.n = n - page.first;
	return page;
}

static void draw_list(const struct scene *scene, struct area area, enum setup_list list)
{
	static const char *const titles[] = {[SETUP_COLUMNS] = " columns ", [SETUP_SETTINGS] = " settings "};
	const struct setup *setup = &scene->view->setup;
	struct page page = page_of(setup, list, area);
	size_t n_left = setup->n[list] - page.first - page.n;
	struct area line = {area.x, area.y + 1, area.width, 1};
	char more[32];

	canvas_title(scene->canvas, (struct area){area.x, area.y, area.width - 1, 1}, titles[list]);
	for (size_t i = page.first; i < page.first + page.n; i++, line.y++) {
		(list == SETUP_COLUMNS ? draw_column : draw_kind)(scene, line, i);
		if (i != setup->position[list] || list != setup->list)
			continue;
		canvas_put(scene->canvas, line, 0, 0, '>', STYLE_PLAIN);
		canvas_restyle(scene->canvas, line, STYLE_SELECTED);
	}
	snprintf(more, sizeof(more), "%s %zu more", scene->canvas->ascii ? "..." : "\u2026", n_left);
	if (n_left)
		canvas_text(scene->canvas, line, INDENT, 0, STYLE_PLAIN, more);
}

/* Some looks of the palette, as many as fit. */
static void draw_sample(const struct scene *scene, struct area line)
{
	static const struct {
		const char *word;
		enum style style;
	} words[] = {{"bad", STYLE_WRONG}, {"limit", STYLE_ABOVE_LIMIT}, {"worse", STYLE_WORSE},
		{"better", STYLE_BETTER}, {"waits", STYLE_WAITING}};
	unsigned x = VALUES;

	for (unsigned step = 0; step < STYLE_STEPS; step++)
		canvas_put(
			scene->canvas, line, INDENT + step, 0, '1' + step, (enum style)(STYLE_STEP_1 + step));
	for (size_t i = 0; i < sizeof(words) / sizeof(*words) && x + strlen(words[i].word) <= line.width; i++)
		x = 1 + canvas_text(scene->canvas, line, x, 0, words[i].style, words[i].word);
}

/* --- what a click does --- */

/* Returns the key that does the rest of a change to a value that is shown. */
static uint32_t choose_value(struct view_state *view, size_t i, size_t choice, uint32_t other)
{
	char value[SETTING_SIZE];
	size_t c = 0;

	kinds[i].write(view, value, sizeof(value));
	while (c < N_CHOICES && kinds[i].choices[c] && strcmp(kinds[i].choices[c], value) != 0)
		c++;
	if (c == choice)
		return other;
	for (; c + 1 < choice; c++)
		kinds[i].step(view, 1);
	for (; c > choice + 1; c--)
		kinds[i].step(view, -1);
	return c < choice ? KEY_CODE_ARROW_RIGHT : KEY_CODE_ARROW_LEFT;
}

/* Marks the line of the list at a cell. Returns false if there is none. */
static bool mark_line_at(struct view_state *view, enum setup_list list, unsigned x, unsigned y)
{
	struct setup *setup = &view->setup;
	struct area area = list_area(setup, view->body, list);

	if (area.height < 2 || x < area.x || x >= area.x + area.width || y <= area.y)
		return false;
	struct page page = page_of(setup, list, area);

	if (y - area.y - 1 >= page.n)
		return false;
	setup->list = list;
	setup->position[list] = page.first + y - area.y - 1;
	return true;
}

uint32_t setup_click(struct view_state *view, uint32_t code, unsigned x, unsigned y)
{
	char text[2 * SETTING_SIZE];

	if (mark_line_at(view, SETUP_COLUMNS, x, y))
		return ' ';
	if (!mark_line_at(view, SETUP_SETTINGS, x, y))
		return code;
	size_t i = view->setup.position[SETUP_SETTINGS];
	unsigned from = list_area(&view->setup, view->body, SETUP_SETTINGS).x + VALUES;

	if (i == N_KINDS)
		return KEY_CODE_ENTER;
	if (!kinds[i].choices[0])
		return ' ';
	size_t choice = write_choices(view, i, x < from ? UINT_MAX : x - from, text, sizeof(text));

	return choice < N_CHOICES ? choose_value(view, i, choice, code) : code;
}

/* --- how it looks --- */

/* The marked line's name and sentence. */
static void write_explanation(const struct view_state *view, char *text, size_t size)
{
	const struct setup *setup = &view->setup;
	size_t position = setup->position[setup->list];
	const struct kind *kind = position < N_KINDS ? &kinds[position] : NULL;
	char note[32] = "";

	if (setup->list == SETUP_SETTINGS && kind && kind->write_note)
		kind->write_note(view, note, sizeof(note));
	if (setup->list == SETUP_COLUMNS)
		snprintf(text, size, " %s: %s ", columns_table[column_on(view, position)].title,
			columns_table[column_on(view, position)].help);
	else if (kind)
		snprintf(text, size, " %s: %s%s ", kind->title, kind->help, note);
	else
		snprintf(text, size, " Enter writes the configuration file: the next start is like this ");
}

/* What became of the file, or which changes it lacks. */
static void write_end(const struct view_state *view, unsigned width, char *text, size_t size)
{
	unsigned changes = count_changes(view);
	char kept[64] = "at once; the file keeps it for the next start";

	if (changes)
		snprintf(kept, sizeof(kept), "not written to the file yet: %u change%s", changes,
			changes == 1 ? "" : "s");
	if (*view->setup.said.text)
		snprintf(text, size, "%s", view->setup.said.text);
	else
		snprintf(text, size, "%s. The row ends at column %u of %u", kept, view->columns.end, width);
}

void setup_draw(const struct scene *scene, struct area area)
{
	const struct setup *setup = &scene->view->setup;
	struct area end = {area.x, area.y + area.height - 2, area.width, 2};
	char text[sizeof(setup->said.text)];

	canvas_blank(scene->canvas, area, STYLE_PLAIN);
	canvas_title(scene->canvas, area, " setup: Tab goes to the other list, Esc closes ");
	for (enum setup_list list = 0; list < N_SETUP_LISTS; list++) {
		struct area place = list_area(setup, area, list);

		if (place.height)
			draw_list(scene, place, list);
		if (list == SETUP_SETTINGS && place.height > setup->n[list] + 2)
			draw_sample(
				scene, (struct area){place.x, place.y + place.height - 1, place.width, 1});
	}
	write_explanation(scene->view, text, sizeof(text));
	canvas_title(scene->canvas, end, text);
	write_end(scene->view, area.width, text, sizeof(text));
	canvas_left(scene->canvas, end, 1, 1, end.width - 1, *setup->said.text ? STYLE_STRONG : STYLE_PLAIN,
		text);
}

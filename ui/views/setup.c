/* SPDX-License-Identifier: GPL-2.0-or-later */
/* setup.c - the setup screen: which columns are shown, and settings that the configuration file can keep. */
#include "ui/views/setup.h"

#include <string.h>

#include "src/base/text.h"
#include "ui/table/columns.h"

enum {
	BESIDE_FROM = 72, /* columns of the smallest screen with both lists */
	COLUMNS_WIDTH = 36,
	TITLE_WIDTH = 12,
	INDENT = 2,
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

/* Each is an option: its word, its default, and the values that are shown beside each other, unless there are
 * too many. */
static const struct kind {
	const char *title, *word, *usual, *help;
	const char *choices[8];
	void (*write)(const struct view_state *view, char *text, size_t size);
	void (*step)(struct view_state *view, int step);
} kinds[] = {
	{"Sort", "sort", "PAIR", "the column that rows are sorted by; I inverts the order", {NULL},
		write_sort, step_sort},
	{"Unit", "unit", "us", "the unit of times on the screen", {"ns", "us", "ms"}, write_unit, step_unit},
	{"Refresh", "refresh", "1", "seconds from one frame to the next",
		{"0.1", "0.2", "0.5", "1", "2", "5", "10"}, write_refresh, view_state_step_refresh},
	{"Figure", "show", "first", "the figure in the columns", {"first", "answer", "lap", "response"},
		write_figure, step_figure},
	{"Palette", "palette", "default", "the colors; each look has a word or a sign too",
		{"default", "colour-blind", "mono"}, write_palette, step_palette},
	{"Limit", "fail-above", "0", "counts samples above it; 0: none; in the file they make exit status 2",
		{NULL}, write_limit, step_limit},
};

enum { N_KINDS = sizeof(kinds) / sizeof(*kinds) };

static void write_columns(const struct view_state *view, char *text, size_t size)
{
	text[0] = '\0';
	for (size_t i = COLUMN_PAIR; i < N_COLUMNS && view->chosen; i++)
		if (columns_is_chosen(view->chosen, i))
			text_append(text, size, ",", columns_name((unsigned)(i - COLUMN_PAIR)));
	if (!view->chosen)
		snprintf(text, size, "all");
}

size_t setup_settings(const struct view_state *view, struct setting settings[SETUP_SETTINGS_MAX])
{
	settings[0] = (struct setting){.word = "columns", .is_usual = !view->chosen};
	write_columns(view, settings[0].value, sizeof(settings[0].value));
	for (size_t i = 0; i < N_KINDS; i++) {
		struct setting *setting = &settings[1 + i];

		setting->word = kinds[i].word;
		kinds[i].write(view, setting->value, sizeof(setting->value));
		setting->is_usual = strcmp(setting->value, kinds[i].usual) == 0;
	}
	return 1 + N_KINDS;
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

static bool is_always_shown(size_t column)
{
	return columns_is_chosen(UINT32_C(1) << COLUMN_MARK, column);
}

static void turn_column(struct view_state *view, size_t column)
{
	uint32_t chosen = 0, all = 0;

	for (size_t i = COLUMN_PAIR; i < N_COLUMNS; i++) {
		bool is_on = columns_is_chosen(view->chosen, i) != (i == column && !is_always_shown(i));

		chosen |= (uint32_t)is_on << i;
		all |= UINT32_C(1) << i;
	}
	view->chosen = chosen == all ? 0 : chosen;
}

void setup_change(struct view_state *view, int step)
{
	const struct setup *setup = &view->setup;
	size_t position = setup->position[setup->list];

	view->setup.said.text[0] = '\0';
	if (setup->list == SETUP_COLUMNS)
		turn_column(view, COLUMN_PAIR + position);
	else if (position < N_KINDS)
		kinds[position].step(view, step);
}

/* --- how it looks --- */

static void draw_column(const struct scene *scene, struct area line, size_t i)
{
	const struct view_state *view = scene->view;
	size_t column = COLUMN_PAIR + i;
	bool is_on = columns_is_chosen(view->chosen, column);
	char title[32], note[32] = "", text[128];

	if (is_always_shown(column))
		snprintf(note, sizeof(note), "always");
	else if (!view->columns.needed[column])
		snprintf(note, sizeof(note), "empty in this run");
	else if (is_on && !view->columns.width[column])
		snprintf(note, sizeof(note), "no room: %u needed", view->columns.needed[column] + 1);
	snprintf(text, sizeof(text), "[%c] %-11s %s", is_on ? 'x' : ' ',
		columns_title(column, view->limit_ns, title, sizeof(title)), note);
	canvas_left(scene->canvas, line, INDENT, 0, line.width - INDENT, STYLE_PLAIN, text);
}

static void draw_kind(const struct scene *scene, struct area line, size_t i)
{
	unsigned x = INDENT + TITLE_WIDTH;
	char value[SETTING_SIZE], text[SETTING_SIZE + 2] = "", choice[SETTING_SIZE + 2];
	bool listed = false;

	if (i == N_KINDS) {
		canvas_left(
			scene->canvas, line, INDENT, 0, line.width - INDENT, STYLE_PLAIN, "Write the file");
		return;
	}
	kinds[i].write(scene->view, value, sizeof(value));
	for (size_t c = 0; c < 8 && kinds[i].choices[c]; c++) {
		bool is_its = strcmp(kinds[i].choices[c], value) == 0;

		snprintf(choice, sizeof(choice), is_its ? "[%s]" : "%s", kinds[i].choices[c]);
		text_append(text, sizeof(text), " ", choice);
		listed |= is_its;
	}
	snprintf(choice, sizeof(choice), "[%s]", value);
	if (!listed)
		text_append(text, sizeof(text), " ", choice);
	canvas_left(scene->canvas, line, INDENT, 0, TITLE_WIDTH, STYLE_PLAIN, kinds[i].title);
	canvas_left(scene->canvas, line, x, 0, line.width - x, STYLE_PLAIN, text);
}

/* The marked line is visible. */
static void draw_list(const struct scene *scene, struct area area, enum setup_list list)
{
	static const char *const titles[] = {[SETUP_COLUMNS] = " columns ", [SETUP_SETTINGS] = " settings "};
	const struct setup *setup = &scene->view->setup;
	size_t position = setup->position[list], room = area.height - 1;
	size_t first = position < room ? 0 : position - room + 1;

	canvas_title(scene->canvas, (struct area){area.x, area.y, area.width - 1, 1}, titles[list]);
	for (size_t i = first; i < setup->n[list] && i < first + room; i++) {
		struct area line = {area.x, area.y + 1 + (unsigned)(i - first), area.width, 1};

		(list == SETUP_COLUMNS ? draw_column : draw_kind)(scene, line, i);
		if (i != position || list != setup->list)
			continue;
		canvas_put(scene->canvas, line, 0, 0, '>', STYLE_PLAIN);
		canvas_restyle(scene->canvas, line, STYLE_SELECTED);
	}
}

/* The marked line's name and sentence. */
static void write_explanation(const struct view_state *view, char *text, size_t size)
{
	const struct setup *setup = &view->setup;
	size_t position = setup->position[setup->list];
	const struct column *column = &columns_table[COLUMN_PAIR + position];

	if (setup->list == SETUP_COLUMNS)
		snprintf(text, size, " %s: %s ", column->title, column->help);
	else if (position < N_KINDS)
		snprintf(text, size, " %s: %s ", kinds[position].title, kinds[position].help);
	else
		snprintf(text, size, " Enter writes the configuration file: the next start is like this ");
}

void setup_draw(const struct scene *scene, struct area area)
{
	const struct setup *setup = &scene->view->setup;
	struct area lists = {area.x, area.y + 1, area.width, area.height - 3};
	struct area end = {area.x, area.y + area.height - 2, area.width, 2};
	char text[160];

	canvas_blank(scene->canvas, area, STYLE_PLAIN);
	canvas_title(scene->canvas, area, " setup: Tab goes to the other list, Esc closes ");
	if (area.width >= BESIDE_FROM) {
		struct area left = lists, right = lists;

		left.width = COLUMNS_WIDTH;
		right.x += COLUMNS_WIDTH;
		right.width -= COLUMNS_WIDTH;
		draw_list(scene, left, SETUP_COLUMNS);
		draw_list(scene, right, SETUP_SETTINGS);
	} else {
		draw_list(scene, lists, setup->list);
	}
	write_explanation(scene->view, text, sizeof(text));
	canvas_title(scene->canvas, end, text);
	canvas_left(scene->canvas, end, 1, 1, end.width - 1, *setup->said.text ? STYLE_STRONG : STYLE_PLAIN,
		*setup->said.text ? setup->said.text
				  : "a change takes effect at once; the file keeps it for the next start");
}

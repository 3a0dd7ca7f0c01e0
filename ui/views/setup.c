/* SPDX-License-Identifier: GPL-2.0-or-later */
/* setup.c - the setup screen: which columns are shown, and settings that the configuration file can keep. */
#include "ui/views/setup.h"

#include <limits.h>
#include <stddef.h>
#include <string.h>

#include "src/base/text.h"
#include "src/base/values.h"
#include "src/model/comparison_lines.h"
#include "ui/table/columns.h"
#include "ui/views/prompt.h"

enum {
	BESIDE_FROM = 72, /* columns of the smallest screen with both lists */
	COLUMNS_WIDTH = 36,
	TITLE_WIDTH = 12,
	INDENT = 2,
	VALUES = INDENT + TITLE_WIDTH,
	N_CHOICES = 8,
	N_COLUMN_LINES = N_COLUMNS - COLUMN_PAIR,
};

enum setup_list { SETUP_COLUMNS, SETUP_SETTINGS, N_SETUP_LISTS };

struct setup {
	enum setup_list list;
	size_t position[N_SETUP_LISTS];    /* of the marked lines */
	struct error_text said;            /* about the file that was written; or "" */
	struct setting kept[SETTINGS_MAX]; /* as at the start, or in the file that was written */
};

extern const struct view_kind view_setup;

static struct setup *setup_of(const struct frame *frame)
{
	return view_own(frame, &view_setup);
}

/* --- the settings --- */

/* Each is an option: its word, its default, and the values that are shown beside each other, unless there are
 * too many. */
struct kind {
	const char *title;
	const char *word; /* NULL: not in the file */
	const char *usual, *help;
	const char *choices[N_CHOICES];
	enum {
		KIND_OTHER,
		KIND_CHOICE,
		KIND_FLAG
	} is;          /* one of the choices by its number; an option without a value */
	size_t member; /* of struct frame, but for KIND_OTHER */
	/* NULL for a flag or a choice: its text is one of the choices, of a flag that is on the first. */
	void (*write)(const struct frame *frame, char *text, size_t size);
	void (*step)(struct frame *frame, long step); /* NULL: it can't be changed */
	void (*ask)(struct frame *frame);             /* opens a prompt for any value; NULL: there is none */
	/* Writes what follows the help; NULL: nothing. */
	void (*write_note)(const struct frame *frame, char *text, size_t size);
};

static unsigned *choice_of(const struct frame *frame, const struct kind *kind)
{
	return (unsigned *)((char *)frame + kind->member);
}

static bool *flag_of(const struct frame *frame, const struct kind *kind)
{
	return (bool *)((char *)frame + kind->member);
}

static void write_value(const struct frame *frame, const struct kind *kind, char *text, size_t size)
{
	if (kind->write)
		kind->write(frame, text, size);
	else if (kind->is == KIND_FLAG)
		snprintf(text, size, "%s", kind->choices[!*flag_of(frame, kind)]);
	else
		snprintf(text, size, "%s", kind->choices[*choice_of(frame, kind)]);
}

static unsigned count_choices(const struct kind *kind)
{
	unsigned n = 0;

	while (n < N_CHOICES && kind->choices[n])
		n++;
	return n;
}

/* Goes to the next value (@step 1), or to the one before (-1). Windows shorter than a round of turns are left
 * out. */
static void step_value(struct frame *frame, const struct kind *kind, long step)
{
	if (kind->is == KIND_FLAG)
		*flag_of(frame, kind) = !*flag_of(frame, kind);
	else if (kind->is == KIND_CHOICE)
		do
			*choice_of(frame, kind) =
				(*choice_of(frame, kind) + count_choices(kind) + (unsigned)step) %
				count_choices(kind);
		while (frame->view.window < frame->view.shortest_window);
	else if (kind->step)
		kind->step(frame, step);
}

/* Past either end there is no change. */
static void step_in(const uint64_t *values, size_t n, uint64_t *value, long step)
{
	size_t i = 0;

	while (i < n && (step > 0 ? values[i] <= *value : values[i] < *value))
		i++;
	i -= step < 0;
	if (i < n)
		*value = values[i];
}

static void write_sort(const struct frame *frame, char *text, size_t size)
{
	snprintf(text, size, "%s", columns_name((unsigned)(frame->view.sort - COLUMN_PAIR)));
}

static void step_sort(struct frame *frame, long step)
{
	size_t n = 0, at = 0;

	for (; columns_sortable(n) < N_COLUMNS; n++)
		if (columns_sortable(n) == frame->view.sort)
			at = n;
	frame->view.sort = columns_sortable((at + n + (size_t)step) % n);
	frame->view.inverted = false;
}

static void write_refresh(const struct frame *frame, char *text, size_t size)
{
	snprintf(text, size, "%g", (double)frame->refresh_ns / 1e9);
}

void setup_step_refresh(struct frame *frame, long step)
{
	static const uint64_t refreshes_ns[] = {100000000, 200000000, 500000000, 1000000000, 2000000000,
		UINT64_C(5000000000), UINT64_C(10000000000)};

	if (frame->refresh_ns)
		step_in(refreshes_ns, sizeof(refreshes_ns) / sizeof(*refreshes_ns), &frame->refresh_ns, step);
}

static void write_depth(const struct frame *frame, char *text, size_t size)
{
	static const char *const names[] = {[DEPTH_NONE] = "none",
		[DEPTH_8] = "8",
		[DEPTH_16] = "16",
		[DEPTH_256] = "256",
		[DEPTH_TRUE] = "true"};

	snprintf(text, size, "; now %s", names[frame->depth]);
}

/* Exact, for the file; options have no unit below us. */
static void write_limit(const struct frame *frame, char *text, size_t size)
{
	uint64_t ns = frame->view.limit_ns;
	bool in_ms = ns >= 1000000 && ns % 1000 == 0;

	if (ns)
		snprintf(text, size, "%.15g%s", (double)ns / (in_ms ? 1e6 : 1e3), in_ms ? "ms" : "us");
	else
		snprintf(text, size, "0");
}

static void step_limit(struct frame *frame, long step)
{
	static const uint64_t limits_ns[] = {0, 1000, 2000, 5000, 10000, 20000, 50000, 100000, 200000, 500000,
		1000000, 2000000, 5000000, 10000000, 20000000, 50000000, 100000000};

	step_in(limits_ns, sizeof(limits_ns) / sizeof(*limits_ns), &frame->view.limit_ns, step);
}

static struct command set_limit(struct frame *frame, const char *text)
{
	static const uint64_t max_ns = UINT64_C(60000000000);
	uint64_t ns;

	if (value_time(text, value_microseconds, &ns) < 0 || ns > max_ns)
		prompt_refuse(frame, "0 (none) to 60s, in microseconds or with us, ms or s");
	else
		frame->view.limit_ns = ns;
	return (struct command){COMMAND_NONE};
}

static void ask_for_limit(struct frame *frame)
{
	prompt_open(frame, " the limit ", "such as 80, 80us or 1.5ms; 0: none", NULL, set_limit);
}

static void write_baseline(const struct frame *frame, char *text, size_t size)
{
	uint32_t number = frame->view.compared.baseline;

	if (number && number != COMPARISON_FILE)
		snprintf(text, size, "phase %u", (unsigned)number);
	else
		snprintf(text, size, "%s", number ? "the file" : "none");
}

static void step_baseline(struct frame *frame, long step)
{
	compared_step_baseline(&frame->view.compared, (int)step);
}

/* Part of the method, whose rate of false verdicts was tested with it. */
static void write_threshold(const struct frame *frame, char *text, size_t size)
{
	snprintf(text, size, "5 %% and 0.2 us");
}

static void write_signs(const struct frame *frame, char *text, size_t size)
{
	snprintf(text, size, "%s", frame->ascii || frame->ascii_locale ? "ASCII" : "UTF-8");
}

#define CHOICE(of) .is = KIND_CHOICE, .member = offsetof(struct frame, of)
#define FLAG(of) .is = KIND_FLAG, .member = offsetof(struct frame, of)

static const struct kind kinds[] = {
	{"Sort", "sort", "PAIR", "the column that rows are sorted by; I inverts the order", {NULL},
		.write = write_sort, .step = step_sort},
	[SETUP_UNIT] = {"Unit", "unit", "us", "the unit of times on the screen", {"ns", "us", "ms"},
		CHOICE(view.unit)},
	{"Refresh", "refresh", "1", "seconds from one frame to the next",
		{"0.1", "0.2", "0.5", "1", "2", "5", "10"}, .write = write_refresh,
		.step = setup_step_refresh},
	[SETUP_WINDOW] = {"Window", "window", "phase", "whose samples the columns show",
		{"1s", "10s", "60s", "phase", "all"}, CHOICE(view.window)},
	[SETUP_FIGURE] = {"Figure", "show", "first", "the figure in the columns",
		{"first", "answer", "lap", "response"}, CHOICE(view.figure)},
	{"Limit", "fail-above", "0", "samples above it are counted; Space: any; in the file: exit status 2",
		{NULL}, .write = write_limit, .step = step_limit, .ask = ask_for_limit},
	{"Threshold", NULL, NULL, "a smaller change is none; fixed, as the verdicts were tested with it",
		{NULL}, .write = write_threshold},
	{"Baseline", NULL, NULL, "the phase that others are compared with; not kept in the file", {NULL},
		.write = write_baseline, .step = step_baseline},
	{"Palette", "palette", "default", "the colors; each look has a word or a sign too",
		{"default", "colour-blind", "mono"}, CHOICE(palette)},
	{"Colors", "colors", "auto", "how many colors the terminal is sent; auto: as many as it has",
		{"auto", "true", "256", "16", "none"}, CHOICE(colors), .write_note = write_depth},
	{"Signs", "ascii", NULL, "ASCII for fonts that lack bars and rules; a locale may have it alone",
		{"UTF-8", "ASCII"}, FLAG(ascii), .write = write_signs},
	{"Mouse", "mouse", NULL, "a click selects, sorts or is a key; the terminal then selects no text",
		{"on", "off"}, FLAG(mouse)},
};

enum { N_KINDS = sizeof(kinds) / sizeof(*kinds) };

static const size_t n_lines[] = {[SETUP_COLUMNS] = N_COLUMN_LINES, [SETUP_SETTINGS] = N_KINDS + 1};

static void write_columns(const struct frame *frame, char *text, size_t size)
{
	const struct column_choice *chosen = &frame->view.chosen;

	text[0] = '\0';
	for (size_t i = COLUMN_PAIR; i < N_COLUMNS; i++)
		if (!chosen->hidden[chosen->order[i]])
			text_append(text, size, ",", columns_name(chosen->order[i] - COLUMN_PAIR));
	if (columns_is_usual(chosen))
		snprintf(text, size, "all");
}

size_t setup_settings(const struct frame *frame, struct setting settings[SETTINGS_MAX])
{
	size_t n = 1;

	settings[0] = (struct setting){.word = "columns", .is_usual = columns_is_usual(&frame->view.chosen)};
	write_columns(frame, settings[0].value, sizeof(settings[0].value));
	for (size_t i = 0; i < N_KINDS; i++) {
		struct setting *setting = &settings[n];

		if (!kinds[i].word)
			continue;
		n++;
		*setting = (struct setting){.word = kinds[i].word, .is_flag = kinds[i].is == KIND_FLAG};
		if (setting->is_flag) {
			setting->is_usual = !*flag_of(frame, &kinds[i]);
			continue;
		}
		write_value(frame, &kinds[i], setting->value, sizeof(setting->value));
		setting->is_usual = strcmp(setting->value, kinds[i].usual) == 0;
	}
	return n;
}

void setup_note_kept(struct frame *frame)
{
	setup_settings(frame, setup_of(frame)->kept);
}

static unsigned count_changes(const struct frame *frame)
{
	const struct setting *kept = setup_of(frame)->kept;
	struct setting settings[SETTINGS_MAX];
	size_t n = setup_settings(frame, settings);
	unsigned changes = 0;

	for (size_t i = 0; i < n; i++)
		changes += settings[i].is_usual != kept[i].is_usual ||
			   strcmp(settings[i].value, kept[i].value) != 0;
	return changes;
}

/* --- what keys do --- */

static void open(struct frame *frame)
{
	struct setup *setup = setup_of(frame);

	setup->list = SETUP_COLUMNS;
	memset(setup->position, 0, sizeof(setup->position));
	setup->said.text[0] = '\0';
}

static void press_other_list(struct frame *frame, long argument)
{
	struct setup *setup = setup_of(frame);

	setup->list = setup->list == SETUP_COLUMNS ? SETUP_SETTINGS : SETUP_COLUMNS;
}

static bool is_at_write(const struct frame *frame)
{
	const struct setup *setup = setup_of(frame);

	return setup->list == SETUP_SETTINGS && setup->position[SETUP_SETTINGS] == N_KINDS;
}

static bool is_at_column(const struct frame *frame)
{
	return setup_of(frame)->list == SETUP_COLUMNS;
}

static bool is_at_setting(const struct frame *frame)
{
	return !is_at_column(frame) && !is_at_write(frame);
}

static bool can_change(const struct frame *frame)
{
	return !is_at_write(frame);
}

/* The column on a line of their list. */
static size_t column_on(const struct frame *frame, size_t line)
{
	return frame->view.chosen.order[COLUMN_PAIR + line];
}

/* Turns the marked column on or off, or goes to the next value of the marked setting, with @step -1 to the
 * one before; with 0 it asks for the value if any is allowed. */
static void press_change(struct frame *frame, long step)
{
	struct setup *setup = setup_of(frame);
	struct column_choice *chosen = &frame->view.chosen;
	size_t position = setup->position[setup->list], column = column_on(frame, position);

	setup->said.text[0] = '\0';
	if (setup->list == SETUP_COLUMNS)
		chosen->hidden[column] = !chosen->hidden[column] && !columns_always_shown(column);
	else if (kinds[position].ask && !step)
		kinds[position].ask(frame);
	else
		step_value(frame, &kinds[position], step ? step : 1);
}

/* Moves the marked column to the left (@by -1) or right (1): up or down in the list. */
static void press_move_column(struct frame *frame, long by)
{
	struct setup *setup = setup_of(frame);
	size_t *position = &setup->position[SETUP_COLUMNS];

	setup->said.text[0] = '\0';
	if (column_on(frame, *position) <= COLUMN_CUR)
		error_text_set(
			&setup->said, 0, "PAIR to Cur stay at the left: F7 and F8 move those after them");
	*position = columns_move(&frame->view.chosen, COLUMN_PAIR + *position, (int)by) - COLUMN_PAIR;
}

static void move(struct frame *frame, long by)
{
	struct setup *setup = setup_of(frame);
	size_t *position = &setup->position[setup->list];

	*position = view_state_step(*position, by, n_lines[setup->list] - 1);
}

/* --- how it looks --- */

static void draw_column(const struct scene *scene, struct area line, size_t i)
{
	const struct frame *frame = scene->frame;
	size_t column = column_on(frame, i);
	bool is_on = !frame->view.chosen.hidden[column];
	char title[32], note[32] = "", text[128];

	if (columns_always_shown(column))
		snprintf(note, sizeof(note), "always");
	else if (!frame->view.columns.needed[column])
		snprintf(note, sizeof(note), "empty in this run");
	else if (is_on && !frame->view.columns.width[column])
		snprintf(note, sizeof(note), "no room: %u needed", frame->view.columns.needed[column] + 1);
	snprintf(text, sizeof(text), "[%c] %-11s %s", is_on ? 'x' : ' ',
		columns_title(column, frame->view.limit_ns, title, sizeof(title)), note);
	canvas_left(scene->canvas, line, INDENT, 0, line.width - INDENT, STYLE_PLAIN, text);
}

/* The values beside each other, the current one in brackets; returns the one at column @at, or N_CHOICES. */
static size_t write_choices(const struct frame *frame, size_t i, unsigned at, char *text, size_t size)
{
	char value[SETTING_SIZE], choice[SETTING_SIZE + 2];
	bool listed = false;
	size_t found = N_CHOICES;

	write_value(frame, &kinds[i], value, sizeof(value));
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
	write_choices(scene->frame, i, 0, text, sizeof(text));
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
	size_t n = n_lines[list], position = setup->position[list], room = area.height - 1;
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
	const struct setup *setup = setup_of(scene->frame);
	struct page page = page_of(setup, list, area);
	size_t n_left = n_lines[list] - page.first - page.n;
	struct area line = {area.x, area.y + 1, area.width, 1};

	canvas_title(scene->canvas, (struct area){area.x, area.y, area.width - 1, 1}, titles[list]);
	for (size_t i = page.first; i < page.first + page.n; i++, line.y++) {
		(list == SETUP_COLUMNS ? draw_column : draw_kind)(scene, line, i);
		if (i == setup->position[list] && list == setup->list)
			canvas_select(scene->canvas, line, true);
	}
	canvas_more(scene->canvas, line, INDENT, 0, n_left);
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

/* Goes to a value that is shown, if it can be chosen. */
static void choose_value(struct frame *frame, const struct kind *kind, size_t choice)
{
	char value[SETTING_SIZE];

	for (unsigned tries = 0; tries < N_CHOICES; tries++) {
		size_t at = 0;

		write_value(frame, kind, value, sizeof(value));
		while (at < count_choices(kind) && strcmp(kind->choices[at], value) != 0)
			at++;
		if (at == choice)
			break;
		step_value(frame, kind, at < choice ? 1 : -1);
	}
	setup_of(frame)->said.text[0] = '\0';
}

/* Marks the line of the list at a cell. Returns false if there is none. */
static bool mark_line_at(struct frame *frame, enum setup_list list, unsigned x, unsigned y)
{
	struct setup *setup = setup_of(frame);
	struct area area = list_area(setup, frame->body, list);

	if (area.height < 2 || x < area.x || x >= area.x + area.width || y <= area.y)
		return false;
	struct page page = page_of(setup, list, area);

	if (y - area.y - 1 >= page.n)
		return false;
	setup->list = list;
	setup->position[list] = page.first + y - area.y - 1;
	return true;
}

/* Marks the line at the cell, and goes to the value there. Returns the key that changes or writes others. */
static uint32_t click(struct frame *frame, unsigned x, unsigned y)
{
	char text[2 * SETTING_SIZE];

	if (mark_line_at(frame, SETUP_COLUMNS, x, y))
		return ' ';
	if (!mark_line_at(frame, SETUP_SETTINGS, x, y))
		return KEY_CODE_NONE;
	const struct setup *setup = setup_of(frame);
	size_t i = setup->position[SETUP_SETTINGS];
	unsigned from = list_area(setup, frame->body, SETUP_SETTINGS).x + VALUES;

	if (i == N_KINDS)
		return KEY_CODE_ENTER;
	if (!kinds[i].choices[0])
		return ' ';
	size_t choice = write_choices(frame, i, x < from ? UINT_MAX : x - from, text, sizeof(text));

	if (choice < N_CHOICES)
		choose_value(frame, &kinds[i], choice);
	return KEY_CODE_NONE;
}

/* --- how it looks --- */

/* The marked line's name and sentence. */
static void write_explanation(const struct frame *frame, char *text, size_t size)
{
	const struct setup *setup = setup_of(frame);
	size_t position = setup->position[setup->list];
	const struct kind *kind = position < N_KINDS ? &kinds[position] : NULL;
	char note[32] = "";

	if (setup->list == SETUP_SETTINGS && kind && kind->write_note)
		kind->write_note(frame, note, sizeof(note));
	if (setup->list == SETUP_COLUMNS)
		snprintf(text, size, " %s: %s ", columns_table[column_on(frame, position)].title,
			columns_table[column_on(frame, position)].help);
	else if (kind)
		snprintf(text, size, " %s: %s%s ", kind->title, kind->help, note);
	else
		snprintf(text, size, " Enter writes the configuration file: the next start uses it ");
}

/* What became of the file, or which changes it lacks. */
static void write_end(const struct frame *frame, unsigned width, char *text, size_t size)
{
	unsigned changes = count_changes(frame);
	char kept[64] = "changes act at once; the file keeps them";

	if (changes)
		snprintf(kept, sizeof(kept), "not written to the file yet: %u change%s", changes,
			changes == 1 ? "" : "s");
	if (*setup_of(frame)->said.text)
		snprintf(text, size, "%s", setup_of(frame)->said.text);
	else
		snprintf(text, size, "%s. The row ends at column %u of %u", kept, frame->view.columns.end,
			width);
}

static void draw_setup(const struct scene *scene, struct area area)
{
	const struct setup *setup = setup_of(scene->frame);
	struct area end = {area.x, area.y + area.height - 2, area.width, 2};
	char text[sizeof(setup->said.text)];

	canvas_blank(scene->canvas, area);
	canvas_title(scene->canvas, area, " setup: Tab goes to the other list, Esc closes ");
	for (enum setup_list list = 0; list < N_SETUP_LISTS; list++) {
		struct area place = list_area(setup, area, list);

		if (place.height)
			draw_list(scene, place, list);
		if (list == SETUP_SETTINGS && place.height > n_lines[list] + 2)
			draw_sample(
				scene, (struct area){place.x, place.y + place.height - 1, place.width, 1});
	}
	write_explanation(scene->frame, text, sizeof(text));
	canvas_title(scene->canvas, end, text);
	write_end(scene->frame, area.width, text, sizeof(text));
	canvas_left(scene->canvas, end, 1, 1, end.width - 1, *setup->said.text ? STYLE_STRONG : STYLE_PLAIN,
		text);
}

/* Returns whether the rings have the same in place of the two figures, as a flood has laps for responses. */
static bool looks_like(const struct frame *frame, enum figure before)
{
	return frame->view.shown_as[frame->view.figure] == frame->view.shown_as[before];
}

void setup_next(struct frame *frame, long setting)
{
	enum figure before = frame->view.figure;

	do
		step_value(frame, &kinds[setting], 1);
	while (setting == SETUP_FIGURE && frame->view.figure != before && looks_like(frame, before));
}

int setup_save(struct frame *frame, setup_writer *write, void *data)
{
	struct setting settings[SETTINGS_MAX];
	size_t n = setup_settings(frame, settings);
	int r = write(data, settings, n, &setup_of(frame)->said);

	if (r == 0)
		setup_note_kept(frame);
	return r;
}

static const struct key keys[] = {
	{{' ', KEY_CODE_ENTER, '\n'}, "Space", "change what is marked", "Change", "Spc", press_change, 0,
		.applies = can_change},
	{{KEY_CODE_ARROW_LEFT}, "Left", "choose the value before", NULL, NULL, press_change, -1,
		.applies = is_at_setting},
	{{KEY_CODE_ARROW_RIGHT}, "Right", "choose the next value", "Choose", "Left Right", press_change, 1,
		.applies = is_at_setting},
	{{KEY_CODE_F7}, "F7", "move the column to the left", NULL, NULL, press_move_column, -1,
		.applies = is_at_column},
	{{KEY_CODE_F8}, "F8", "move the column to the right", "Order", "F7 F8", press_move_column, 1,
		.applies = is_at_column},
	{{KEY_CODE_TAB}, "Tab", "go to the other list", "Other list", "Tab", press_other_list},
	{{KEY_CODE_ENTER, '\n'}, "Enter", "write the configuration", "Write", "Enter", .wish = SCREEN_SAVE,
		.applies = is_at_write},
};

const struct view_kind view_setup = {
	.name = "setup",
	.key = {{KEY_CODE_F2}, "F2", "set columns, unit, colors ...", "Setup", "F2"},
	VIEW_KEYS(keys),
	.state_size = sizeof(struct setup),
	.is_dialog = true,
	.open = open,
	.draw = draw_setup,
	.move = move,
	.click = click,
};

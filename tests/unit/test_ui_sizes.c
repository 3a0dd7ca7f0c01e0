/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_ui_sizes.c - what holds of layout, columns and panes at every size, and with any number of pairs and
 * of CPUs; with IPCTOP_FULL=1 of many more CPUs. */
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/model/comparison_lines.h"
#include "tests/golden/run.h"
#include "tests/unit/tap.h"
#include "ui/frame/frame.h"
#include "ui/frame/keys.h"
#include "ui/table/view_state.h"
#include "ui/views/overview.h"
#include "ui/views/views.h"

enum {
	COLUMNS_MAX = 300,
	LINES_MAX = 100,
	PAIRS_MAX = 1024,
	MACHINE_CPUS_MAX = 1024,
	PATIENCE_S = 500,   /* then something has no end, also in a build with sanitizers */
	UNTOUCHED = 0xe000, /* a letter of private use: nothing draws it */
	GUARD = 2,
};

static bool is_inside(struct area area, unsigned columns, unsigned lines)
{
	return area.width <= columns && area.x <= columns - area.width && area.height <= lines &&
	       area.y <= lines - area.height;
}

static void count_cells(struct area area, unsigned char cells[LINES_MAX][COLUMNS_MAX])
{
	for (unsigned y = area.y; y < area.y + area.height; y++)
		for (unsigned x = area.x; x < area.x + area.width; x++)
			cells[y][x]++;
}

/* Each cell between the header and the footer is one pane's. */
static void check_layout(unsigned columns, unsigned lines, size_t n_rows)
{
	static unsigned char cells[LINES_MAX][COLUMNS_MAX];
	const struct overview_needs needs = {n_rows, n_rows % 3, (unsigned)n_rows % 15};
	struct overview_layout layout = overview_layout(columns, lines, &needs);
	unsigned header = overview_header_lines(lines), wrong = 0;

	memset(cells, 0, sizeof(cells));
	for (size_t i = 0; i < N_PANES; i++) {
		struct area pane = layout.panes[i];

		CHECK(!pane.height == !pane.width, "%ux%u, %zu rows: pane %zu", columns, lines, n_rows, i);
		if (!is_inside(pane, columns, lines)) {
			CHECK(false, "%ux%u, %zu rows: pane %zu is outside", columns, lines, n_rows, i);
			return;
		}
		count_cells(pane, cells);
	}
	for (unsigned y = 0; y < lines; y++)
		for (unsigned x = 0; x < columns; x++)
			wrong += cells[y][x] != (y >= header && y < lines - 1);
	CHECK(wrong == 0, "%ux%u, %zu rows: %u cells have no pane, or several", columns, lines, n_rows,
		wrong);
	CHECK(header >= 1 && layout.panes[PANE_TABLE].height >= 2, "%ux%u, %zu rows", columns, lines, n_rows);
	CHECK(layout.panes[PANE_TABLE].height > n_rows ||
			layout.panes[PANE_EVENTS].height <= needs.event_lines + (needs.event_lines > 0),
		"%ux%u, %zu rows: event lines are empty while rows are missing", columns, lines, n_rows);
}

static void panes_share_every_screen_among_them(void)
{
	for (unsigned columns = FRAME_COLUMNS_MIN; columns <= COLUMNS_MAX; columns++)
		for (unsigned lines = FRAME_LINES_MIN; lines <= LINES_MAX; lines++)
			check_layout(columns, lines, (columns + lines) % 50);
	/* More rows than there are lines are all alike. */
	for (size_t n_rows = 0; n_rows <= PAIRS_MAX; n_rows += n_rows < LINES_MAX ? 1 : 7)
		for (unsigned lines = FRAME_LINES_MIN; lines <= LINES_MAX; lines++)
			check_layout(40 + (unsigned)n_rows % 41, lines, n_rows);
}

/* --- columns --- */

/* @n_pairs, @n_cpus 0: as many as the story has. */
static struct made_run *told(const char *story, size_t n_pairs, unsigned n_cpus, unsigned n_ticks)
{
	struct made_run *run = made_run_create(run_story(story), n_pairs, n_cpus);

	while (n_ticks-- > 0)
		made_run_step(run, NULL);
	return run;
}

static void check_columns(const struct session *session, unsigned width)
{
	static const enum column_id must[] = {
		COLUMN_PAIR, COLUMN_CUR, COLUMN_P99, COLUMN_MAX, COLUMN_RESPONSE_MAX};
	struct column_choice choice;
	unsigned end = 0;

	columns_choose(&choice, NULL, 0);
	for (size_t place = COLUMN_CUR + 1; place < N_COLUMNS; place++) /* several orders */
		columns_move(&choice, place, (width + place) % 3 ? 1 : -1);
	struct columns columns = columns_fit(session, 0, width % 2, &choice, width % N_COLUMNS, width);

	for (size_t place = 0; place < N_COLUMNS; place++) {
		size_t i = choice.order[place];

		if (!columns.width[i])
			continue;
		CHECK(columns.x[i] > end || end == 0, "at %u: no gap before %s", width,
			columns_table[i].title);
		end = columns.x[i] + columns.width[i];
	}
	CHECK(columns.end >= end, "at %u", width);
	if (width < FRAME_COLUMNS_MIN)
		return;
	CHECK(columns.end <= width, "at %u: %u", width, columns.end);
	for (size_t i = 0; i < sizeof(must) / sizeof(*must); i++)
		CHECK(columns.width[must[i]] > 0, "at %u: %s", width, columns_table[must[i]].title);
}

static void columns_never_end_behind_the_screen_and_the_main_ones_stay(void)
{
	static const char *const names[] = {"few", "many", "crowd"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct made_run *run = told(names[i], 0, 0, 3);

		for (unsigned width = 1; width <= COLUMNS_MAX; width++)
			check_columns(made_run_session(run), width);
		made_run_destroy(run);
	}
}

/* --- drawing --- */

struct guarded {
	const struct session *session;
	struct frame frame;
	struct canvas canvas; /* larger than what is drawn, by GUARD columns and lines */
	struct comparison_lines compared;
	const char *place; /* the name of the one that is checked */
};

static void guarded_init(struct guarded *guarded, const struct session *session)
{
	*guarded = (struct guarded){.session = session};
	if (frame_init(&guarded->frame, FIGURE_FIRST, 1000000000) < 0)
		abort();
	guarded->frame.view.limit_ns = 50000;
	if (canvas_init(&guarded->canvas, 1, 1, false) < 0)
		abort();
}

static void guarded_finish(struct guarded *guarded)
{
	frame_finish(&guarded->frame);
	canvas_finish(&guarded->canvas);
	comparison_lines_finish(&guarded->compared);
}

static bool is_in(struct area area, unsigned x, unsigned y)
{
	return x >= area.x && x - area.x < area.width && y >= area.y && y - area.y < area.height;
}

static struct cell cell_of(const struct guarded *guarded, unsigned x, unsigned y)
{
	return guarded->canvas.cells[(size_t)y * guarded->canvas.columns + x];
}

/* Nothing outside the area was drawn on, and what was is letters of ASCII where only they may be.
 * @blank: the letter that no drawing made. */
static void check_drawn(const struct guarded *guarded, struct area area, uint32_t blank, const char *what)
{
	const struct canvas *canvas = &guarded->canvas;
	unsigned outside = 0, strange = 0;

	for (unsigned y = 0; y < canvas->lines; y++) {
		for (unsigned x = 0; x < canvas->columns; x++) {
			struct cell cell = cell_of(guarded, x, y);

			if (cell.rune == blank)
				continue;
			outside += !is_in(area, x, y);
			strange += cell.style >= N_STYLES ||
				   (canvas->ascii && (cell.rune < ' ' || cell.rune > '~'));
		}
	}
	CHECK(outside == 0 && strange == 0, "%s at %ux%u: %u cells outside, %u of no ASCII or style", what,
		canvas->columns - GUARD, canvas->lines - GUARD, outside, strange);
}

/* A line of the screen in ASCII, "?" for other letters, without blanks at its end. */
static const char *line_text(const struct guarded *guarded, unsigned y)
{
	static char text[COLUMNS_MAX + 1];
	unsigned columns = guarded->canvas.columns - GUARD, end = 0;

	for (unsigned x = 0; x < columns; x++) {
		uint32_t rune = cell_of(guarded, x, y).rune;

		text[x] = rune < 0x80 ? (char)rune : '?';
		end = rune != ' ' ? x + 1 : end;
	}
	text[end] = '\0';
	return text;
}

static bool is_key_of_bar(const struct frame *frame, const char *word, size_t length)
{
	for (size_t i = 0; i < frame->n_keys; i++) {
		const struct key *key = &frame->keys[i];
		char text[64];

		if (!key->short_name)
			continue;
		bool closes = key->opens && key->opens == view_top(frame);

		snprintf(text, sizeof(text), "%s %s", key->short_name, closes ? "Back" : key->label);
		if (keys_in_bar(frame, key) && strlen(text) == length && memcmp(text, word, length) == 0)
			return true;
	}
	return false;
}

/* The key bar is whole words, up to the one that ends the program. */
static void check_key_bar(const struct guarded *guarded, const char *state)
{
	const char *text = line_text(guarded, guarded->canvas.lines - GUARD - 1), *at = text, *end;
	bool good = true;

	if (guarded->frame.message)
		return;
	if (view_top(&guarded->frame)->type) {
		CHECK(strcmp(text, "Enter Done  Esc Close  F10 Quit") == 0, "%s: '%s'", state, text);
		return;
	}
	for (; good && (end = strstr(at, "  ")); at = end + 2)
		good = is_key_of_bar(&guarded->frame, at, (size_t)(end - at));
	CHECK(good && strcmp(at, "q Quit") == 0, "%s at %ux%u: '%s'", state, guarded->canvas.columns - GUARD,
		guarded->canvas.lines - GUARD, text);
}

static bool is_on_top(const struct guarded *guarded, const char *name)
{
	return strcmp(view_top(&guarded->frame)->name, name) == 0;
}

/* The overview, or the comparison of two phases: views whose rows can be selected. */
static bool is_table(const struct guarded *guarded)
{
	const struct view_state *view = &guarded->frame.view;

	return (is_on_top(guarded, "overview") || is_on_top(guarded, "compare")) && view->table.height &&
	       view->order.n > 0 &&
	       (!view->ranking || (view->compared.a && strcmp(guarded->place, "differences") != 0));
}

/* The selected row, or the marked line of a dialog, is on the screen; so is the cursor of a prompt. */
static void check_cursor(const struct guarded *guarded, const char *state)
{
	unsigned n_marked = 0, n_cursors = 0;

	for (unsigned y = guarded->frame.body.y; y < guarded->frame.body.y + guarded->frame.body.height;
		y++) {
		bool is_marked = false;

		for (unsigned x = 0; x < guarded->frame.body.width; x++) {
			is_marked |= cell_of(guarded, x, y).style == STYLE_SELECTED;
			n_cursors += cell_of(guarded, x, y).rune == '_';
		}
		n_marked += is_marked;
	}
	if (is_on_top(guarded, "list") || is_on_top(guarded, "setup"))
		CHECK(n_marked >= 1, "%s at %ux%u: %u lines are marked", state, guarded->frame.body.width,
			guarded->frame.body.height, n_marked);
	else if (is_on_top(guarded, "prompt"))
		CHECK(n_cursors >= 1, "%s at %ux%u: no cursor", state, guarded->frame.body.width,
			guarded->frame.body.height);
	else if (is_table(guarded))
		CHECK(n_marked == 1, "%s at %ux%u: %u rows are selected", state, guarded->frame.body.width,
			guarded->frame.body.height, n_marked);
}

static unsigned count_empty_lines(const struct guarded *guarded, struct area area)
{
	unsigned n = 0;

	for (unsigned y = area.y; y < area.y + area.height; y++)
		n += !*line_text(guarded, y);
	return n;
}

/* Lines below the table that show nothing. The heat map has none for times that nobody needed: only if all of
 * it is empty it counts. */
static unsigned count_wasted_lines(const struct guarded *guarded)
{
	const struct view_state *view = &guarded->frame.view;
	unsigned from = view->table.y + view->table.height,
		 end = guarded->frame.body.y + guarded->frame.body.height;
	struct area below = {.y = from, .width = guarded->frame.body.width, .height = end - from};

	if (view->ranking)
		return count_empty_lines(guarded, below);
	struct overview_needs needs = overview_needs(guarded->session, view, guarded->frame.body.width);
	struct area heat = overview_layout(guarded->frame.body.width, end + 1, &needs).panes[PANE_HEAT];
	unsigned n_heat = count_empty_lines(guarded, heat);

	return count_empty_lines(guarded, below) - (n_heat + 2 < heat.height ? n_heat : 0);
}

/* Where rows are missing a line counts them, unless a message covers it, and none below the table is empty.
 */
static void check_missing_rows(const struct guarded *guarded, const char *state)
{
	const struct view_state *view = &guarded->frame.view;
	size_t end = view->top + view_state_visible(view);
	unsigned last = view->table.y + view->table.height - 1;
	char more[32];

	if (!is_table(guarded) || end >= view->order.n)
		return;
	snprintf(more, sizeof(more), "%zu below", view->order.n - end);
	if (view->page > 1 && !guarded->frame.message)
		CHECK(strstr(line_text(guarded, last), more), "%s at %ux%u: '%s' has no '%s'", state,
			guarded->frame.body.width, guarded->frame.body.height, line_text(guarded, last),
			more);
	CHECK(count_wasted_lines(guarded) == 0, "%s at %ux%u: %u lines are empty, while rows are missing",
		state, guarded->frame.body.width, guarded->frame.body.height, count_wasted_lines(guarded));
}

/* Compares at once, where the dashboard has a thread for it. */
static void compare(struct guarded *guarded)
{
	struct comparison_choice choice;

	if (!compared_choice(&guarded->frame.view, &choice))
		return;
	if (guarded->frame.view.compared.lines && comparison_choice_equal(&choice, &guarded->compared.choice))
		return;
	comparison_lines_finish(&guarded->compared);
	if (comparison_lines_make(&guarded->compared, guarded->session, &choice, NULL) < 0)
		abort();
	guarded->frame.view.compared.lines = &guarded->compared;
}

/* All of a frame, at whatever place its keys have brought it to. */
static void check_frame(struct guarded *guarded, unsigned columns, unsigned lines, const char *state)
{
	struct frame *frame = &guarded->frame;
	struct canvas *canvas = &guarded->canvas;

	if (canvas_reset(canvas, columns + GUARD, lines + GUARD) < 0 ||
		frame_update(frame, guarded->session, columns, lines) < 0)
		abort();
	guarded->place = state;
	compare(guarded);
	if (frame->too_small)
		return;
	frame_draw(&(struct scene){guarded->session, &frame->view, canvas, frame, &frame->histogram});
	check_drawn(guarded, (struct area){.width = columns, .height = lines}, ' ', state);
	CHECK(canvas->n_cut == 0 && canvas->n_overlaps == 0,
		"%s at %ux%u: %u texts are cut without a mark, %u letters drawn over others", state, columns,
		lines, canvas->n_cut, canvas->n_overlaps);
	check_key_bar(guarded, state);
	check_cursor(guarded, state);
	check_missing_rows(guarded, state);
}

static void untouch(struct canvas *canvas, unsigned columns, unsigned lines)
{
	if (canvas_reset(canvas, columns + GUARD, lines + GUARD) < 0)
		abort();
	for (size_t i = 0; i < (size_t)canvas->columns * canvas->lines; i++)
		canvas->cells[i].rune = UNTOUCHED;
}

/* The panes one by one, as no other covers what they draw outside. */
static void check_panes(struct guarded *guarded, unsigned columns, unsigned lines)
{
	struct frame *frame = &guarded->frame;
	struct view_state *view = &frame->view;
	const struct scene scene = {guarded->session, view, &guarded->canvas, frame, &frame->histogram};

	if (frame_update(frame, guarded->session, columns, lines) < 0)
		abort();
	if (frame->too_small)
		return;
	struct overview_needs needs = overview_needs(guarded->session, view, columns);
	struct overview_layout layout = overview_layout(columns, lines, &needs);

	for (size_t i = 0; i < N_PANES; i++) {
		char name[16];

		if (!layout.panes[i].height)
			continue;
		snprintf(name, sizeof(name), "pane %zu", i);
		untouch(&guarded->canvas, columns, lines);
		overview_panes[i](&scene, layout.panes[i]);
		check_drawn(guarded, layout.panes[i], UNTOUCHED, name);
	}
}

/* Each view, dialog and page, by the keys that lead there from the overview. "\2" is F2. */
static const struct place {
	const char *name, *keys;
} places[] = {
	{"overview", ""},
	{"the last row", "G"},
	{"sorted, in ns", "uu>>>>I"},
	{"the laps of a minute", "oowww"},
	{"folded", "F"},
	{"unfolded", "jjf"},
	{"a filter that nothing passes", "/nothing\r"},
	{"a filter", "/mq\r"},
	{"detail", "\r"},
	{"detail of a group", "g\r"},
	{"detail of the last", "G\r"},
	{"compare", "c"},
	{"compare, the last row", "cG"},
	{"compare, other phases", "cABA"},
	{"differences", "cd"},
	{"baseline", "cbc"},
	{"detail with a baseline", "cbc\r"},
	{"keys", "h"},
	{"keys, their end", "hG"},
	{"glossary", "h2"},
	{"glossary, its end", "h2G"},
	{"setup", "\2"},
	{"setup, the last column", "\2G"},
	{"setup, the settings", "\2\t"},
	{"setup, the last setting", "\2\tG"},
	{"sort", "\6"},
	{"sort, the last one", "\6G"},
	{"a name", "mthe name of a phase that has as many letters as there is room for, and then some more"},
	{"a wrong filter", "/cpu:x\r"},
	{"a message", "s"},
	{"spikes", "t"},
	{"spikes, the last one", "tG"},
	{"a spike", "t\r"},
	{"knobs", "K"},
	{"knobs, the last one", "KG"},
	{"topology", "T"},
	{"topology, the last part", "TG"},
	{"the matrix", "M"},
};

enum { N_PLACES = sizeof(places) / sizeof(*places) };

/* Each key has its frame, on a screen where it is known. */
static void go_to(struct guarded *guarded, const struct place *place)
{
	frame_finish(&guarded->frame);
	if (frame_init(&guarded->frame, FIGURE_FIRST, 1000000000) < 0)
		abort();
	guarded->frame.view.limit_ns = 50000;
	if (frame_make(guarded->session, &guarded->frame, &guarded->canvas, 120, 40) < 0)
		abort();
	for (const char *key = place->keys; *key; key++) {
		bool is_function_key = *key == 2 || *key == 6;

		keys_press(&guarded->frame,
			is_function_key ? KEY_CODE_F1 + (uint32_t)*key - 1 : (unsigned char)*key);
		if (frame_make(guarded->session, &guarded->frame, &guarded->canvas, 120, 40) < 0)
			abort();
	}
}

static void check_place(struct guarded *guarded, const struct place *place, unsigned columns, unsigned lines)
{
	guarded->canvas.ascii = (columns + lines) % 2;
	check_frame(guarded, columns, lines, place->name);
	if ((columns + lines) % 16 == 0 && guarded->frame.open[0] == views_table[0])
		check_panes(guarded, columns, lines);
}

/* All places together meet every size, and each place every width and every height; without IPCTOP_FULL every
 * 37th size, and every seventh width and height, by turns. */
static void check_sizes(struct guarded *guarded, size_t number)
{
	const struct place *place = &places[number];
	bool full = getenv("IPCTOP_FULL");
	unsigned step = full ? 1 : 37, side_step = full ? 1 : 7, skip = (unsigned)number % side_step;

	go_to(guarded, place);
	for (unsigned columns = 1; columns <= COLUMNS_MAX; columns++)
		for (unsigned lines = 1; lines <= LINES_MAX; lines++)
			if ((columns + 7 * lines) % (step * N_PLACES) == number)
				check_place(guarded, place, columns, lines);
	for (unsigned columns = FRAME_COLUMNS_MIN + skip; columns <= COLUMNS_MAX; columns += side_step)
		check_place(guarded, place, columns, 24 + columns % 2);
	for (unsigned lines = FRAME_LINES_MIN + skip; lines <= LINES_MAX; lines += side_step)
		check_place(guarded, place, 80, lines);
}

static void every_view_and_dialog_fits_every_size(void)
{
	static const char *const names[] = {"few", "many", "rings", "spikes"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct made_run *run = told(names[i], 0, 0, 370);
		struct guarded guarded;

		guarded_init(&guarded, made_run_session(run));
		for (size_t p = i; p < N_PLACES; p += 1 + i)
			check_sizes(&guarded, p);
		guarded_finish(&guarded);
		made_run_destroy(run);
	}
}

static const struct {
	unsigned columns, lines;
} main_sizes[] = {{40, 10}, {80, 24}, {120, 40}, {200, 60}, {300, 100}, {41, 99}, {299, 11}};

enum { N_MAIN_SIZES = sizeof(main_sizes) / sizeof(*main_sizes) };

/* Each fifth place. */
static void check_places(struct made_run *run, size_t number)
{
	struct guarded guarded;

	guarded_init(&guarded, made_run_session(run));
	for (size_t p = number % 5; p < N_PLACES; p += 5) {
		go_to(&guarded, &places[p]);
		for (size_t i = 0; i < N_MAIN_SIZES; i++)
			check_place(&guarded, &places[p], main_sizes[i].columns, main_sizes[i].lines);
	}
	go_to(&guarded, &places[0]);
	check_panes(&guarded, 120, 40);
	guarded_finish(&guarded);
	made_run_destroy(run);
}

static void any_number_of_pairs_fits_every_view_and_dialog(void)
{
	bool full = getenv("IPCTOP_FULL");

	for (size_t n = 1; n <= PAIRS_MAX; n += n >= 100 ? 132 : full ? 3 : 9)
		check_places(told("crowd", n, 0, 3), n);
}

/* All up to 128 with IPCTOP_FULL. Beyond them screens fold or cut what they show of a machine, so every 7th
 * number will do: it meets each fifth of the places with each way to divide the CPUs into cores and packages.
 * CPU 1000 has another digit. */
static unsigned next_number_of_cpus(unsigned n, bool full)
{
	if (full)
		return n + (n < 128 || (n > 995 && n < 1003) ? 1 : 7);
	return n + (n < 12 ? 1 : n < 100 ? 11 : 84);
}

/* Five pairs, and five rings of four members, on the last CPUs, whose numbers are the longest. */
static void any_number_of_cpus_fits_every_view_and_dialog(void)
{
	bool full = getenv("IPCTOP_FULL");

	for (unsigned n = 1; n <= MACHINE_CPUS_MAX; n = next_number_of_cpus(n, full)) {
		struct made_run *run = told("crowd", n < 5 ? n : 5, n, 3);

		for (unsigned width = 1; width <= COLUMNS_MAX; width++)
			check_columns(made_run_session(run), width);
		check_places(run, n);
		check_places(told("rings", n < 5 ? n : 5, n, 3), n + 2);
	}
}

/* --- the smallest --- */

static char *frame_text(const struct session *session, unsigned columns, unsigned lines)
{
	struct canvas canvas;
	struct frame frame;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out || frame_init(&frame, FIGURE_FIRST, 1000000000) < 0 ||
		canvas_init(&canvas, columns, lines, true) < 0 ||
		frame_make(session, &frame, &canvas, columns, lines) < 0 || canvas_print(&canvas, out) < 0)
		abort();
	fclose(out);
	frame_finish(&frame);
	canvas_finish(&canvas);
	return text;
}

static void the_main_figures_are_there_from_40x10_on_and_a_notice_below(void)
{
	static const char *const heads[] = {"PAIR", "Cur", "p99", "Max", "RMax"};
	struct made_run *run = told("few", 0, 0, 30);

	for (unsigned columns = 1; columns <= COLUMNS_MAX; columns += columns < 45 ? 1 : 17) {
		for (unsigned lines = 1; lines <= LINES_MAX; lines += lines < 14 ? 1 : 9) {
			char *text = frame_text(made_run_session(run), columns, lines);
			bool fits = columns >= FRAME_COLUMNS_MIN && lines >= FRAME_LINES_MIN;

			for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++)
				CHECK(!strstr(text, heads[i]) == !fits, "%s at %ux%u:\n%s", heads[i], columns,
					lines, text);
			CHECK(fits || columns < 18 || strstr(text, "is too small"), "%ux%u", columns, lines);
			CHECK(fits || columns < 8 || lines < 3 || strstr(text, "q quits"), "%ux%u", columns,
				lines);
			free(text);
		}
	}
	made_run_destroy(run);
}

int main(void)
{
	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		return 1;
	alarm(PATIENCE_S);
	TEST(panes_share_every_screen_among_them);
	TEST(columns_never_end_behind_the_screen_and_the_main_ones_stay);
	TEST(every_view_and_dialog_fits_every_size);
	TEST(any_number_of_pairs_fits_every_view_and_dialog);
	TEST(any_number_of_cpus_fits_every_view_and_dialog);
	TEST(the_main_figures_are_there_from_40x10_on_and_a_notice_below);
	return tap_done();
}

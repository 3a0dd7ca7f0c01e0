/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_ui_sizes.c - what holds of layout, columns and panes at every size, and with any number of pairs. */
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/golden/run.h"
#include "tests/unit/tap.h"
#include "ui/panes/table.h"
#include "ui/table/view_state.h"
#include "ui/views/frame.h"
#include "ui/views/keys.h"
#include "ui/views/overview.h"

enum {
	COLUMNS_MAX = 300,
	LINES_MAX = 100,
	PAIRS_MAX = 1024,
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
	for (size_t n_rows = 0; n_rows <= PAIRS_MAX; n_rows++)
		for (unsigned lines = FRAME_LINES_MIN; lines <= LINES_MAX; lines++)
			check_layout(40 + (unsigned)n_rows % 41, lines, n_rows);
}

/* --- columns --- */

/* @n_pairs 0: as many as the story has. */
static struct made_run *told(const char *story, size_t n_pairs, unsigned n_ticks)
{
	struct made_run *run = made_run_create(run_story(story), n_pairs);

	while (n_ticks-- > 0)
		made_run_step(run, NULL);
	return run;
}

static void check_columns(const struct session *session, unsigned width)
{
	static const enum column_id must[] = {
		COLUMN_PAIR, COLUMN_CUR, COLUMN_MIN, COLUMN_AVG, COLUMN_P99, COLUMN_MAX};
	struct columns columns = columns_fit(session, 0, width % 2, 0, width);
	unsigned end = 0;

	for (size_t i = 0; i < N_COLUMNS; i++) {
		if (!columns.width[i])
			continue;
		CHECK(columns.x[i] >= end, "at %u: %s", width, columns_table[i].title);
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
		struct made_run *run = told(names[i], 0, 3);

		for (unsigned width = 1; width <= COLUMNS_MAX; width++)
			check_columns(made_run_session(run), width);
		made_run_destroy(run);
	}
}

/* --- drawing --- */

struct guarded {
	const struct session *session;
	struct view_state view;
	struct canvas canvas; /* larger than what is drawn, by GUARD columns and lines */
};

static void guarded_init(struct guarded *guarded, const struct session *session)
{
	*guarded = (struct guarded){.session = session};
	view_state_init(&guarded->view, FIGURE_FIRST, 1000000000);
	if (canvas_init(&guarded->canvas, 1, 1, false) < 0)
		abort();
}

static void guarded_finish(struct guarded *guarded)
{
	view_state_finish(&guarded->view);
	canvas_finish(&guarded->canvas);
}

static void untouch(struct canvas *canvas, unsigned columns, unsigned lines)
{
	if (canvas_reset(canvas, columns + GUARD, lines + GUARD) < 0)
		abort();
	for (size_t i = 0; i < (size_t)canvas->columns * canvas->lines; i++)
		canvas->cells[i].rune = UNTOUCHED;
}

static bool is_in(struct area area, unsigned x, unsigned y)
{
	return x >= area.x && x - area.x < area.width && y >= area.y && y - area.y < area.height;
}

/* Nothing outside the area was drawn on, and what was is letters of ASCII where only they may be. */
static void check_drawn(const struct guarded *guarded, struct area area, const char *what)
{
	const struct canvas *canvas = &guarded->canvas;
	unsigned outside = 0, strange = 0;

	for (unsigned y = 0; y < canvas->lines; y++) {
		for (unsigned x = 0; x < canvas->columns; x++) {
			struct cell cell = canvas->cells[(size_t)y * canvas->columns + x];

			if (cell.rune == UNTOUCHED)
				continue;
			outside += !is_in(area, x, y);
			strange += cell.style >= N_STYLES ||
				   (canvas->ascii && (cell.rune < ' ' || cell.rune > '~'));
		}
	}
	CHECK(outside == 0 && strange == 0, "%s at %ux%u: %u cells outside, %u of no ASCII or style", what,
		canvas->columns - GUARD, canvas->lines - GUARD, outside, strange);
}

static struct scene frame_of(struct guarded *guarded)
{
	return (struct scene){guarded->session, &guarded->view, &guarded->canvas};
}

/* All of a frame, at whatever place its keys have brought it to. */
static void check_frame(struct guarded *guarded, unsigned columns, unsigned lines)
{
	struct view_state *view = &guarded->view;
	const struct scene scene = frame_of(guarded);

	untouch(&guarded->canvas, columns, lines);
	if (frame_update(view, guarded->session, columns, lines) < 0)
		abort();
	if (view->too_small)
		return;
	frame_draw(&scene);
	check_drawn(guarded, (struct area){.width = columns, .height = lines}, "a frame");
}

/* The panes one by one, as no other covers what they draw outside. */
static void check_panes(struct guarded *guarded, unsigned columns, unsigned lines)
{
	struct view_state *view = &guarded->view;
	const struct scene scene = frame_of(guarded);

	if (frame_update(view, guarded->session, columns, lines) < 0)
		abort();
	if (view->too_small)
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
		check_drawn(guarded, layout.panes[i], name);
	}
}

/* Keys that change what is drawn: one more for each frame. */
static void press_next(struct guarded *guarded, unsigned n)
{
	static const char keys[] = "jo>uIGkwhjgh<oumx\033jw hq";
	uint32_t code = (unsigned char)keys[n % (sizeof(keys) - 1)];

	if (code != 'q')
		keys_press(&guarded->view, code);
	guarded->canvas.ascii = n / 2 % 2;
}

/* In steps that meet every size once; the larger ones less often in a row. */
static void every_size_is_drawn_within_its_panes(void)
{
	static const char *const names[] = {"few", "many"};
	unsigned n = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct made_run *run = told(names[i], 0, 370);
		struct guarded guarded;

		guarded_init(&guarded, made_run_session(run));
		for (unsigned columns = 1; columns <= COLUMNS_MAX; columns++) {
			for (unsigned lines = 1; lines <= LINES_MAX; lines++) {
				/* The second session at every third size. */
				if (i > 0 && (columns + lines) % 3)
					continue;
				press_next(&guarded, n);
				check_frame(&guarded, columns, lines);
				if (n++ % 16 == 0)
					check_panes(&guarded, columns, lines);
			}
		}
		guarded_finish(&guarded);
		made_run_destroy(run);
	}
}

static void any_number_of_pairs_is_drawn_within_its_panes(void)
{
	static const struct {
		unsigned columns, lines;
	} sizes[] = {{40, 10}, {80, 24}, {120, 40}, {200, 60}, {300, 100}, {41, 99}, {299, 11}};

	for (size_t n = 1; n <= PAIRS_MAX; n += n < 100 ? 1 : 33) {
		struct made_run *run = told("crowd", n, 3);
		struct guarded guarded;

		guarded_init(&guarded, made_run_session(run));
		for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
			press_next(&guarded, (unsigned)(n + i));
			check_frame(&guarded, sizes[i].columns, sizes[i].lines);
		}
		check_panes(&guarded, 120, 40);
		guarded_finish(&guarded);
		made_run_destroy(run);
	}
}

/* --- the smallest --- */

static char *frame_text(const struct session *session, unsigned columns, unsigned lines)
{
	struct canvas canvas;
	struct view_state view;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	view_state_init(&view, FIGURE_FIRST, 1000000000);
	if (!out || canvas_init(&canvas, columns, lines, true) < 0 ||
		frame_make(session, &view, &canvas, columns, lines) < 0 || canvas_print(&canvas, out) < 0)
		abort();
	fclose(out);
	view_state_finish(&view);
	canvas_finish(&canvas);
	return text;
}

static void the_main_figures_are_there_from_40x10_on_and_a_notice_below(void)
{
	static const char *const heads[] = {"PAIR", "Cur", "Min", "Avg", "p99", "Max"};
	struct made_run *run = told("few", 0, 30);

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
	TEST(every_size_is_drawn_within_its_panes);
	TEST(any_number_of_pairs_is_drawn_within_its_panes);
	TEST(the_main_figures_are_there_from_40x10_on_and_a_notice_below);
	return tap_done();
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compare.c - the view of two phases beside each other. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/text.h"
#include "src/model/comparison_lines.h"
#include "src/model/trial.h"
#include "ui/draw/histogram_bins.h"
#include "ui/panes/compared_table.h"
#include "ui/panes/table.h"
#include "ui/views/view.h"

enum {
	WIDE = 100, /* columns of the narrowest body with the number of blocks */
	SMALL = 15, /* lines of the largest body without the differences and the selected row */
	LARGE = 33, /* lines of the smallest body that always has histograms */
	BARS_LARGE = 8,
	GAP = 2,
	NAME_MIN = 8,    /* columns of a phase's name that is cut */
	INTRO_LINES = 6, /* A, B, the differences, the advice or the blame, the headline, the counts */
	BRIEF_LINES = 2, /* the phases, the headline */
	BARS_MIN = 4,    /* lines of the histograms, with their title */
	BARS_MAX = BINS_MAX + 1,
	TABLE_MIN = COMPARED_HEAD_LINES + 2,
	BRIEF_SIZE = PHASE_NAME_SIZE + COMPARISON_PHASES_SIZE + 16,
};

enum compare_pane {
	COMPARE_INTRO,
	COMPARE_TABLE,
	COMPARE_TOTALS,
	COMPARE_INTERVALS,
	COMPARE_HISTOGRAMS,
	N_COMPARE_PANES
};

/* The view's own state: the phases that keys have chosen. Without a choice B is the current phase, and A the
 * baseline, or the phase before B; after a trial, without a baseline, they are those of its values. */
struct compare {
	uint32_t wanted_a, wanted_b; /* 0: no key has chosen one */
	uint32_t wanted_at;          /* the last phase when the view was open */
	bool lists_differences;      /* in place of the rows */
	bool is_sweep;               /* the session has no rings */
};

extern const struct view_kind view_compare;

static unsigned header_lines(unsigned lines)
{
	return 1;
}

/* --- which phases --- */

/* Returns the phase that A is unless a key has chosen one. */
static uint32_t usual_a(const struct compared *compared, uint32_t b)
{
	if (compared_has_phase(compared, compared->baseline) && compared->baseline != b)
		return compared->baseline;
	return b > compared->first ? b - 1 : compared->file ? COMPARISON_FILE : compared->last;
}

/* Sets the phases of the last trial, if no other phase has begun since the one after it. */
static bool find_tried(const struct session *session, uint32_t *a, uint32_t *b)
{
	const struct phase *of_a, *of_b;

	if (!trial_last(session, &of_a, &of_b))
		return false;
	*a = of_a->number;
	*b = of_b->number;
	return phases_current(&session->phases)->number <= 1 + (*a > *b ? *a : *b);
}

static void settle(struct frame *frame, const struct session *session)
{
	struct compare *own = view_own(frame, &view_compare);
	struct compared *compared = &frame->view.compared;
	bool is_open = frame->open[0] == &view_compare;

	own->is_sweep = session->is_sweep;
	if (is_open)
		own->wanted_at = compared->last;
	else if (own->wanted_at != compared->last) /* the new phase is offered */
		own->wanted_a = own->wanted_b = 0;
	uint32_t tried_a, tried_b;
	bool is_tried = !own->wanted_a && !own->wanted_b && !compared_has_baseline(compared) &&
			find_tried(session, &tried_a, &tried_b);
	uint32_t b = is_tried                                      ? tried_b
		     : compared_has_phase(compared, own->wanted_b) ? own->wanted_b
								   : compared->last;
	uint32_t a = is_tried                                      ? tried_a
		     : compared_has_phase(compared, own->wanted_a) ? own->wanted_a
								   : usual_a(compared, b);

	if (a == b)
		a = usual_a(compared, b);
	if (compared->first == compared->last && (!compared->last || a != COMPARISON_FILE))
		a = b = 0;
	compared->offered_a = a;
	compared->offered_b = b;
	if (!is_open)
		return;
	compared->a = a;
	compared->b = b;
}

/* Returns the next phase in a circle, without @other. A file follows the last phase of the run. */
static uint32_t next_phase(const struct compared *compared, uint32_t number, uint32_t other, bool with_file)
{
	for (unsigned step = 0; step < 2 && (number == other || step == 0); step++)
		number = number < compared->last                                   ? number + 1
			 : number == compared->last && with_file && compared->file ? COMPARISON_FILE
										   : compared->first;
	return number;
}

/* B stays what it is, unless it is the current phase: the next one takes its place. */
static void keep_b(struct compare *own, const struct compared *compared)
{
	if (compared->b != compared->last)
		own->wanted_b = compared->b;
}

static void press_a(struct frame *frame, long argument)
{
	struct compare *own = view_own(frame, &view_compare);
	const struct compared *compared = &frame->view.compared;

	own->wanted_a = next_phase(compared, compared->a, compared->b, true);
	keep_b(own, compared);
}

/* A stays what it is. */
static void press_b(struct frame *frame, long argument)
{
	struct compare *own = view_own(frame, &view_compare);
	const struct compared *compared = &frame->view.compared;

	own->wanted_a = compared->a;
	own->wanted_b = next_phase(compared, compared->b, compared->a, false);
}

static void press_baseline(struct frame *frame, long argument)
{
	struct compared *compared = &frame->view.compared;

	compared->baseline = compared->baseline == compared->a ? 0 : compared->a;
	keep_b(view_own(frame, &view_compare), compared);
}

static void press_differences(struct frame *frame, long argument)
{
	struct compare *own = view_own(frame, &view_compare);

	own->lists_differences = !own->lists_differences;
}

/* --- its layout --- */

/* Lines that the table does not need go to the histograms. */
static void lay_out(
	const struct session *session, size_t n_rows, struct area body, struct area panes[N_COMPARE_PANES])
{
	size_t totals[TOTALS_MAX];
	bool small = body.height <= SMALL;
	unsigned heights[N_COMPARE_PANES] = {
		[COMPARE_INTRO] = small ? BRIEF_LINES : INTRO_LINES,
		[COMPARE_TOTALS] = small ? 0 : (unsigned)totals_of(session, totals),
		[COMPARE_INTERVALS] = small ? 0 : 1,
	};
	unsigned room = body.height, bars = body.height < LARGE ? 0 : BARS_LARGE;

	for (size_t i = 0; i < N_COMPARE_PANES; i++)
		room -= heights[i];
	if (n_rows + COMPARED_HEAD_LINES + bars < room)
		bars = smaller(BARS_MAX, room - (unsigned)n_rows - COMPARED_HEAD_LINES);
	heights[COMPARE_HISTOGRAMS] = small || bars < BARS_MIN ? 0 : bars;
	heights[COMPARE_TABLE] = room - heights[COMPARE_HISTOGRAMS];
	memset(panes, 0, N_COMPARE_PANES * sizeof(*panes));
	canvas_stack(panes, heights, N_COMPARE_PANES, body.y, body.width);
}

static struct area fit(struct frame *frame, const struct session *session, struct area body)
{
	struct area panes[N_COMPARE_PANES], rows;

	lay_out(session, frame->view.order.n, body, panes);
	rows = panes[COMPARE_TABLE];
	rows.y++; /* the second line of titles is the table's own */
	rows.height--;
	return rows;
}

/* --- what is compared --- */

/* "5m00s", "84s". */
static char *format_length(uint64_t ns, char *text, size_t size)
{
	unsigned long long s = ns / 1000000000;

	if (s < 10)
		snprintf(text, size, "%.1fs", (double)(ns / 100000000) / 10);
	else if (s < 100)
		snprintf(text, size, "%llus", s);
	else
		snprintf(text, size, "%llum%02llus", s / 60, s % 60);
	return text;
}

/* The file's name, and which phase of it, unless it is the first: "before.rec:3", as an option has it. */
static char *write_file(const struct comparison_phase *phase, char *text, size_t size)
{
	snprintf(text, size, phase->number_in_file > 1 ? "%s:%u" : "%s", phase->name,
		(unsigned)phase->number_in_file);
	return text;
}

/* "A  base phase 2", "A  base before.rec:3". */
static void write_title(
	const struct scene *scene, char letter, const struct comparison_phase *phase, char *text, size_t size)
{
	bool is_baseline = letter == 'A' && scene->view->compared.baseline == phase->number;
	char file[PHASE_NAME_SIZE + 16], phases[COMPARISON_PHASES_SIZE];
	const uint32_t *numbers = phase->n_like ? phase->like : &phase->number;
	size_t n = phase->n_like ? phase->n_like : 1;

	if (phase->number == COMPARISON_FILE)
		snprintf(text, size, "%c  %s%s%s%s", letter, is_baseline ? "base " : "",
			write_file(phase, file, sizeof(file)), phase->n_like ? ", " : "",
			phase->n_like ? comparison_phases(numbers, n, phases) : "");
	else
		snprintf(text, size, "%c  %s%s", letter, is_baseline ? "base " : "",
			comparison_phases(numbers, n, phases));
}

/* "14:10:00 4m12s  active 84s  n 1.4M  42 blocks  32 FIFO:80, 4 OTHER"; "3-6 blocks" where rings have turns.
 */
static void write_measure(const struct scene *scene, const struct comparison_phase *phase,
	const struct block_range *range, char *text, size_t size)
{
	const struct session *session = scene->session;
	char clock[32] = "", length[32], active[32], count[32], blocks[64] = "";
	bool is_file = phase->number == COMPARISON_FILE;

	if (range && range->least < range->most)
		snprintf(blocks, sizeof(blocks), "  %zu-%zu blocks", range->least, range->most);
	else if (range && range->most)
		snprintf(blocks, sizeof(blocks), "  %zu block%s", range->most, range->most == 1 ? "" : "s");
	if (!is_file)
		units_clock(
			clock, sizeof(clock), session->wall_start_ns + phase->start_ns - session->start_ns);
	snprintf(text, size, "%s%s%s  active %s  n %s%s  %s", clock, *clock ? " " : "",
		format_length(phase->length_ns, length, sizeof(length)),
		format_length(phase->active_ns, active, sizeof(active)),
		units_count(count, sizeof(count), 4, phase->n), blocks, phase->policies);
}

/* The name is what a narrow line cuts. */
static void draw_phase(
	const struct scene *scene, struct area line, char letter, const struct comparison_lines *lines)
{
	const struct comparison_phase *phase = letter == 'A' ? &lines->a : &lines->b;
	const struct block_range *range = letter == 'A' ? &lines->blocks_a : &lines->blocks_b;
	bool has_room = phase->number == COMPARISON_FILE || line.width >= WIDE;
	char title[PHASE_NAME_SIZE + 48 + COMPARISON_PHASES_SIZE], name[PHASE_NAME_SIZE + 4] = "", text[512];

	write_title(scene, letter, phase, title, sizeof(title));
	write_measure(scene, phase, has_room && lines->is_complete ? range : NULL, text, sizeof(text));
	if (*phase->name && phase->number != COMPARISON_FILE)
		snprintf(name, sizeof(name), "'%s'", phase->name);
	canvas_left(scene->canvas, line, 0, 0, line.width, STYLE_PLAIN, title);
	unsigned x = canvas_measure(scene->canvas, title) + 1, width = canvas_measure(scene->canvas, name),
		 taken = x + GAP + canvas_measure(scene->canvas, text);
	unsigned room = taken < line.width ? line.width - taken : 0;

	if (width > room)
		width = room < NAME_MIN ? smaller(width, NAME_MIN) : room;
	if (width)
		canvas_left(scene->canvas, line, x, 0, width, STYLE_PLAIN, name);
	x += width ? width + GAP : 1;
	if (x < line.width)
		canvas_left(scene->canvas, line, x, 0, line.width - x, STYLE_PLAIN, text);
}

static void append_if_it_fits(
	const struct scene *scene, unsigned width, const char *part, char text[COMPARISON_WORDS_SIZE])
{
	size_t at = strlen(text);

	text_print(text, COMPARISON_WORDS_SIZE, ";  %s", part);
	if (!*part || canvas_measure(scene->canvas, text) > width)
		text[at] = '\0';
}

static void draw_headline(const struct scene *scene, struct area line, const struct comparison_lines *lines)
{
	char text[COMPARISON_WORDS_SIZE] = "comparing ...";

	if (*lines->refusal.text)
		return;
	if (lines->is_complete)
		comparison_headline_in(
			&lines->summary, comparison_quoted_line(lines), lines->figure, line.width, text);
	canvas_left(scene->canvas, line, 0, 0, line.width,
		lines->is_complete ? compared_headline_style(&lines->summary) : STYLE_STRONG, text);
}

static void draw_counts(const struct scene *scene, struct area line, const struct comparison_lines *lines)
{
	char text[COMPARISON_WORDS_SIZE], part[COMPARISON_FEW_SIZE + 16];

	if (!lines->is_complete || *lines->refusal.text)
		return;
	comparison_rows(&lines->summary, line.width, text);
	if (*comparison_few_text(lines)) {
		snprintf(part, sizeof(part), "too few: %s", comparison_few_text(lines));
		append_if_it_fits(scene, line.width, part, text);
	}
	append_if_it_fits(scene, line.width, lines->alone, text);
	append_if_it_fits(scene, line.width, comparison_bounds, text);
	canvas_left(scene->canvas, line, 0, 0, line.width, STYLE_PLAIN, text);
}

/* "3 'name'", "before.rec:3", or of replicates "phases 3, 5". */
static char *write_brief(const struct comparison_phase *phase, char text[BRIEF_SIZE])
{
	char phases[COMPARISON_PHASES_SIZE];

	if (phase->number == COMPARISON_FILE)
		write_file(phase, text, BRIEF_SIZE);
	else if (phase->n_like)
		snprintf(text, BRIEF_SIZE, "%s", comparison_phases(phase->like, phase->n_like, phases));
	else
		snprintf(text, BRIEF_SIZE, "%u '%s'", (unsigned)phase->number, phase->name);
	return text;
}

static void draw_brief(const struct scene *scene, struct area area, const struct comparison_lines *lines)
{
	char text[2 * BRIEF_SIZE + 8], a[BRIEF_SIZE], b[BRIEF_SIZE];

	snprintf(text, sizeof(text), "A %s  B %s", write_brief(&lines->a, a), write_brief(&lines->b, b));
	canvas_left(scene->canvas, area, 0, 0, area.width, STYLE_PLAIN, text);
	draw_headline(scene, (struct area){area.x, area.y + 1, area.width, 1}, lines);
}

/* Draws as many differences as fit the area, and the number of those that do not. The first one may be cut.
 */
static void draw_first_differences(const struct scene *scene, struct area area, const char *differences)
{
	size_t n = comparison_differences_count(differences);
	char *line = comparison_differences_line(differences, n);

	while (line && n > 1 && canvas_wrap_lines(area.width, line) > area.height) {
		free(line);
		line = comparison_differences_line(differences, --n);
	}
	if (line)
		canvas_wrap(scene->canvas, area, STYLE_STRONG, line);
	free(line);
}

static void draw_intro(const struct scene *scene, struct area area, const struct comparison_lines *lines)
{
	struct area line = {area.x, area.y, area.width, 1};

	if (area.height < INTRO_LINES) {
		draw_brief(scene, area, lines);
		return;
	}
	draw_phase(scene, line, 'A', lines);
	line.y++;
	draw_phase(scene, line, 'B', lines);
	line.y++;
	if (lines->differences)
		draw_first_differences(scene,
			(struct area){line.x, line.y, line.width, *lines->advice || *lines->blame ? 1 : 2},
			lines->differences);
	line.y++;
	if (*lines->advice)
		canvas_left(scene->canvas, line, 0, 0, line.width, STYLE_WARNING, lines->advice);
	else
		canvas_left(scene->canvas, line, 0, 0, line.width, STYLE_PLAIN, lines->blame);
	line.y++;
	draw_headline(scene, line, lines);
	line.y++;
	draw_counts(scene, line, lines);
}

/* Returns the lines taken, or 0 if the text needs more than there are. @length: of the text. */
static unsigned draw_difference(
	const struct scene *scene, struct area area, unsigned height, const char *difference, size_t length)
{
	char *text = strndup(difference, length);
	unsigned lines = text ? canvas_wrap_lines(area.width, text) : 0;

	if (lines > height)
		lines = 0;
	else if (lines)
		canvas_wrap(scene->canvas, area, STYLE_PLAIN, text);
	free(text);
	return lines;
}

/* Each begins a line; the last line has the number of those that do not fit. */
static void draw_differences(const struct scene *scene, struct area area, const char *differences)
{
	struct area line = {area.x + 1, area.y + 2, area.width - 2, area.height - 2};
	size_t n = comparison_differences_count(differences), i = 0; /* line 0 is the head */
	char more[32];

	canvas_title(scene->canvas, area, " what differs between A and B: d closes it ");
	if (area.height <= 2 || area.width <= 2)
		return;
	for (; i <= n; i++) {
		size_t length = strcspn(differences, "\n");
		unsigned taken = draw_difference(scene, line, line.height - (i < n), differences, length);

		if (!taken)
			break;
		line.y += taken;
		line.height -= taken;
		differences += length + 1;
	}
	snprintf(more, sizeof(more), "and %zu more", i ? n + 1 - i : n);
	if (i <= n)
		canvas_left(scene->canvas, line, 0, 0, line.width, STYLE_PLAIN, more);
}

static void draw_lines(const struct scene *scene, struct area body, const struct comparison_lines *lines)
{
	struct area panes[N_COMPARE_PANES];
	const struct compare *own = view_own(scene->frame, &view_compare);
	bool lists_differences = own->lists_differences && lines->differences;
	size_t n_listed = lists_differences ? comparison_differences_count(lines->differences) + 1 : 0;
	size_t n_rows = scene->view->order.n;

	lay_out(scene->session, n_rows > n_listed ? n_rows : n_listed, body, panes);
	draw_intro(scene, panes[COMPARE_INTRO], lines);
	if (*lines->refusal.text) {
		canvas_wrap(scene->canvas, panes[COMPARE_TABLE], STYLE_WARNING, lines->refusal.text);
		return;
	}
	if (lists_differences)
		draw_differences(scene, panes[COMPARE_TABLE], lines->differences);
	else
		compared_table_draw(scene, panes[COMPARE_TABLE]);
	compared_totals_draw(scene, panes[COMPARE_TOTALS]);
	if (panes[COMPARE_INTERVALS].height)
		compared_intervals_draw(scene, panes[COMPARE_INTERVALS]);
	if (panes[COMPARE_HISTOGRAMS].height)
		compared_histograms_draw(scene, panes[COMPARE_HISTOGRAMS]);
}

/* Names the keys that begin another one where they do. */
static const char *words_of_one_phase(const struct frame *frame)
{
	if (frame->is_replay)
		return "There is one phase only until this moment of the recording.";
	if (frame->frozen)
		return "There is one phase only until this moment.";
	if (frame->read_only)
		return "There is one phase only: a change of the members' scheduling begins another one.";
	return "There is one phase only: m or r begins another one, as does a change of the members' "
	       "scheduling.";
}

static void draw_compare(const struct scene *scene, struct area body)
{
	const struct comparison_lines *lines = compared_lines(scene->view);

	if (scene->session->is_sweep)
		canvas_wrap(scene->canvas, body, STYLE_PLAIN,
			"a sweep runs no rings: M, then c compares its cells");
	else if (lines)
		draw_lines(scene, body, lines);
	else
		canvas_wrap(scene->canvas, body, STYLE_PLAIN,
			scene->view->compared.a ? "comparing ..." : words_of_one_phase(scene->frame));
}

static uint32_t click(struct frame *frame, unsigned x, unsigned y)
{
	struct view_state *view = &frame->view;
	const struct area *rows = &view->table;

	if (y > rows->y && y < rows->y + rows->height && view->top + y - rows->y - 1 < view->order.n)
		view_state_select(view, view->top + y - rows->y - 1);
	return KEY_CODE_NONE;
}

/* Its matrix has a key c of its own. */
static const char *refuse_sweep(const struct frame *frame)
{
	const struct compare *own = view_own(frame, &view_compare);

	return own->is_sweep ? "a sweep runs no rings: M, then c compares its cells" : NULL;
}

static const struct key keys[] = {
	{{'A'}, "A", "compare: take the next as A", NULL, NULL, press_a},
	{{'B'}, "B", "compare: take the next as B", "Phases", "A B", press_b},
	{{'b'}, "b", "compare: make A the baseline", "Baseline", "b", press_baseline},
	{{'d'}, "d", "compare: list what differs", "Differences", "d", press_differences},
};

/* Worse ones have the largest. */
static double rank(const struct row *row)
{
	const struct comparison_line *line = compared_line(row->view, row_number(row));

	return line ? (double)line->verdict : 0;
}

static const struct ranking by_verdict = {"compare", "verdict", rank};

const struct view_kind view_compare = {
	.name = "compare",
	.key = {{'c'}, "c", "compare two phases", "Compare", "c", .refusal = refuse_sweep,
		.bar_refusal = refuse_sweep},
	VIEW_KEYS(keys),
	.state_size = sizeof(struct compare),
	.header_lines = header_lines,
	.ranking = &by_verdict,
	.settle = settle,
	.fit = fit,
	.draw = draw_compare,
	.click = click,
};

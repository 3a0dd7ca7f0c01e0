/* SPDX-License-Identifier: GPL-2.0-or-later */
/* matrix.c - the view of a sweep: a cell for each two CPUs, or for each two parts of the machine.
 *
 * Cells are figures where they fit, or else signs: the step of a scale, or the verdict about a change. Where
 * there are more rows than lines, a line has two rows, and its sign is the larger step, or the worse verdict.
 */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "src/base/text.h"
#include "src/model/matrix_grid.h"
#include "src/model/matrix_words.h"
#include "src/model/session.h"
#include "ui/draw/units.h"
#include "ui/panes/matrix_panel.h"
#include "ui/table/matrix_scale.h"
#include "ui/views/view.h"

enum { UPPER_HALF = 0x2580, LOWER_HALF = 0x2584 }; /* of a cell of the canvas: ▀ and ▄ */

enum {
	LABEL_WIDTH = 6,  /* of a row's name, with the mark of the cursor */
	FIGURE_WIDTH = 5, /* of a cell's figure, with the mark of the cursor */
	CELL_WIDTH = 6,   /* the same, with its doubt, or the letter of a verdict */
	SIGNS_APART = 8,  /* columns of signs between two names */
	PANEL_LINES = 5,  /* of them below all else, at least */
	PANEL_LEAST = 42, /* columns of them beside the cells alone */
	WIDE = 120,       /* columns of the narrowest screen with the classes beside all else */
	SMALL = 12,       /* lines of the largest body with one line about the selected cell */
	TEXT_SIZE = MATRIX_PANEL_TEXT_SIZE,
	TIME_SIZE = MATRIX_PANEL_TIME_SIZE,
};

/* Where its parts are, and how cells are drawn. */
struct layout {
	enum matrix_grouping grouping;
	uint32_t n; /* rows */
	bool has_figures;
	unsigned cell_width; /* in columns */
	unsigned rows_a_line;
	struct area title, head, cells, scale, selected, panel; /* height 0: omitted */
};

/* The view's own state. */
struct matrix_view {
	enum matrix_value value;
	unsigned grouping;    /* of enum matrix_grouping, plus 1; 0: the finest that fits */
	bool has_details;     /* of the selected pair */
	bool wants_changes;   /* since the phase before */
	bool shows_changes;   /* the same, if there is such a phase; set by fit() */
	bool has_changes;     /* there is one; set by fit() */
	bool is_placed;       /* the cursor was, at the first two CPUs */
	uint32_t row, column; /* the selected cell, by the indices of its CPUs */
	uint32_t top, left;   /* rows and columns before the first ones shown */

	/* By keys and clicks; fit() moves the cursor. */
	long move_rows, move_columns;
	bool selects_worst;

	/* Set by fit(). */
	struct layout layout;             /* height of the cells 0: there is no matrix */
	enum matrix_figure figure;        /* that is shown */
	bool has_first;                   /* the sweep measures first hops */
	uint32_t shown_row, shown_column; /* of the layout's rows, those at the cursor */
};

extern const struct view_kind view_matrix;

/* Without first hops, other hops are shown in their place, and in that of responses. */
static enum matrix_figure figure_shown(const struct matrix *matrix, const struct view_state *view)
{
	return view->figure == FIGURE_LAP                          ? MATRIX_LAP
	       : view->figure == FIGURE_FIRST && matrix->has_first ? MATRIX_FIRST
								   : MATRIX_HOP;
}

/* --- its layout --- */

static unsigned selected_lines(const struct matrix_view *own, struct area body)
{
	return own->has_details && !own->shows_changes ? smaller(own->has_first ? 6 : 4, body.height / 2)
	       : body.height <= SMALL                  ? 1
						       : 2;
}

static bool figures_fit(uint32_t n, unsigned columns, unsigned lines)
{
	return n * CELL_WIDTH <= columns && n <= lines;
}

/* Returns the finest grouping whose cells fit, or the coarsest one. */
static enum matrix_grouping grouping_that_fits(const struct matrix *matrix, unsigned columns, unsigned lines)
{
	enum matrix_grouping grouping = MATRIX_BY_CPU;

	for (; grouping < MATRIX_BY_NODE; grouping++) {
		uint32_t n = matrix_grid_rows(matrix, grouping);

		if (figures_fit(n, columns, lines) || (n <= columns && n <= 2 * lines))
			break;
	}
	return grouping;
}

/* The classes never take the place of finer cells, or of figures: they are beside all else on wide screens,
 * or below it, or beside the cells alone. */
static struct layout lay_out(const struct matrix_view *own, const struct matrix *matrix, struct area body)
{
	unsigned selected = selected_lines(own, body), fixed = 3 + selected;
	unsigned lines = body.height > fixed ? body.height - fixed : 1;
	unsigned room = body.width > LABEL_WIDTH ? body.width - LABEL_WIDTH : 1;
	struct layout layout = {.grouping = own->grouping ? (enum matrix_grouping)(own->grouping - 1)
							  : grouping_that_fits(matrix, room, lines)};

	layout.n = matrix_grid_rows(matrix, layout.grouping);
	layout.has_figures = figures_fit(layout.n, room, lines);
	layout.cell_width = layout.has_figures ? CELL_WIDTH : 1;
	layout.rows_a_line = layout.has_figures || layout.n <= lines ? 1 : 2;
	unsigned used = smaller(lines, (layout.n + layout.rows_a_line - 1) / layout.rows_a_line);
	unsigned cells = layout.n * layout.cell_width, left = room > cells ? room - cells : 0;
	unsigned below = body.height - smaller(body.height, fixed + used);
	bool beside_all = body.width >= WIDE && (left >= MATRIX_PANEL_WIDTH || cells > room);
	unsigned panel = beside_all                                   ? MATRIX_PANEL_WIDTH
			 : below < PANEL_LINES && left >= PANEL_LEAST ? left
								      : 0;
	unsigned whole = LABEL_WIDTH + room, width = beside_all ? whole - panel : whole, y = body.y;

	layout.title = (struct area){body.x, y++, body.width, 1};
	layout.head = (struct area){body.x, y++, whole - panel, 1};
	layout.cells = (struct area){body.x, y, whole - panel, used};
	y += used;
	layout.scale = (struct area){body.x, y++, width, 1};
	layout.selected = (struct area){body.x, y, width, selected};
	y += selected;
	if (panel)
		layout.panel = (struct area){body.x + body.width - panel + 1, body.y + 1, panel - 1,
			beside_all ? body.height - 1 : 1 + used};
	else if (below >= PANEL_LINES)
		layout.panel = (struct area){body.x, y, body.width, below};
	return layout;
}

/* --- scrolling and the cursor --- */

/* Steps over whole parts, to the first CPU of one. */
static uint32_t stepped(const struct matrix *matrix, enum matrix_grouping grouping, uint32_t index, long by)
{
	uint32_t n = matrix_grid_rows(matrix, grouping), at = matrix_grid_row_of(matrix, grouping, index);
	uint32_t wanted = (uint32_t)view_state_step(at, by, n - 1), found = 0;

	if (wanted == at)
		return index;
	while (matrix_grid_row_of(matrix, grouping, found) != wanted)
		found++;
	return found;
}

static unsigned columns_shown(const struct layout *layout)
{
	unsigned columns = (layout->cells.width - LABEL_WIDTH) / layout->cell_width;

	return columns ? columns : 1;
}

/* Selects the cell of the longest time, or of the change that is worst. */
static void select_worst(struct matrix_view *own, const struct matrix *matrix)
{
	struct matrix_change change = {0};
	struct matrix_summary summary;
	float longest = -1;

	if (own->shows_changes && matrix_change_make(&change, matrix, own->figure, own->value) == 0 &&
		change.worst)
		matrix_change_indices(&change, change.worst, &own->row, &own->column);
	matrix_change_finish(&change);
	if (own->shows_changes || matrix_summarize(matrix, own->figure, own->value, &summary) < 0)
		return;
	for (int i = 0; i < N_LOCALITIES; i++) {
		const struct matrix_class *class = &summary.classes[i];

		if (!class->n || class->largest <= longest)
			continue;
		longest = class->largest;
		own->row = class->row;
		own->column = class->column;
	}
}

static struct area fit(struct frame *frame, const struct session *session, struct area body)
{
	struct matrix_view *own = view_own(frame, &view_matrix);
	const struct matrix *matrix = session->matrix;

	own->layout = (struct layout){0};
	if (!matrix)
		return (struct area){0};
	own->figure = figure_shown(matrix, &frame->view);
	own->has_first = matrix->has_first;
	own->has_changes = matrix->before.number > 0;
	own->shows_changes = own->wants_changes && own->has_changes;
	own->layout = lay_out(own, matrix, body);
	const struct layout *layout = &own->layout;
	unsigned lines = layout->cells.height * layout->rows_a_line;

	frame->view.page = lines;
	if (!own->is_placed)
		own->column = 1;
	own->is_placed = true;
	own->row = own->row < matrix->n_cpus ? own->row : matrix->n_cpus - 1;
	own->column = own->column < matrix->n_cpus ? own->column : matrix->n_cpus - 1;
	if (own->selects_worst)
		select_worst(own, matrix);
	own->selects_worst = false;
	own->row = stepped(matrix, layout->grouping, own->row, own->move_rows);
	own->column = stepped(matrix, layout->grouping, own->column, own->move_columns);
	own->move_rows = own->move_columns = 0;
	own->shown_row = matrix_grid_row_of(matrix, layout->grouping, own->row);
	own->shown_column = matrix_grid_row_of(matrix, layout->grouping, own->column);
	own->top = (uint32_t)view_state_top(own->top, own->shown_row, layout->n, lines);
	own->top -= own->top % layout->rows_a_line;
	own->left = (uint32_t)view_state_top(own->left, own->shown_column, layout->n, columns_shown(layout));
	return (struct area){0};
}

/* --- cells --- */

/* Returns the unit of all figures: the chosen one, or a smaller one in which they have digits enough to
 * differ. The scale goes from @least_ns to @most_ns. */
static enum unit unit_of(const struct scene *scene, float least_ns, float most_ns)
{
	static const float sizes_ns[N_UNITS] = {[UNIT_NS] = 1, [UNIT_US] = 1e3f, [UNIT_MS] = 1e6f};
	enum unit unit = scene->view->unit;

	while (unit > UNIT_NS && (most_ns < sizes_ns[unit] || least_ns < sizes_ns[unit] / 10))
		unit = (enum unit)(unit - 1);
	return unit;
}

/* The arguments that all drawing functions have. */
struct drawing {
	const struct scene *scene;
	const struct matrix_view *own;
	const struct matrix *matrix;
	struct layout layout;
	struct matrix_grid grid;
	struct matrix_scale scale;
	enum unit unit;
	struct matrix_change change; /* zeroed unless changes are shown */
};

/* A part with itself has the cells of its own CPUs with each other, but for a single CPU. */
static bool is_itself(const struct drawing *d, uint32_t row, uint32_t column)
{
	return row == column && d->grid.first[row + 1] - d->grid.first[row] == 1;
}

/* All of the cell has the style, on both sides of the text, too. @sign: behind the text. */
static void draw_text_cell(
	const struct drawing *d, unsigned x, unsigned y, enum style style, const char *text, uint32_t sign)
{
	struct canvas *canvas = d->scene->canvas;

	canvas_put(canvas, d->layout.cells, x, y, style == STYLE_SELECTED ? '>' : ' ', style);
	for (unsigned i = 1; i < FIGURE_WIDTH; i++)
		canvas_put(canvas, d->layout.cells, x + i, y, ' ', style);
	canvas_right(canvas, d->layout.cells, x + 1, y, FIGURE_WIDTH - 1, style, text);
	canvas_put(canvas, d->layout.cells, x + FIGURE_WIDTH, y, sign, style);
}

static void draw_figure(const struct drawing *d, unsigned x, unsigned y, uint32_t row, uint32_t column)
{
	float ns = matrix_grid_value(&d->grid, row, column);
	unsigned step = matrix_scale_step(&d->scale, ns);
	bool is_selected = row == d->own->shown_row && column == d->own->shown_column;
	enum style style = is_selected ? STYLE_SELECTED : step ? style_of_step(step, true) : STYLE_PLAIN;
	char text[TIME_SIZE];

	draw_text_cell(d, x, y, style,
		is_itself(d, row, column) ? "\\" : matrix_panel_time(text, ns, d->unit),
		matrix_grid_is_doubtful(&d->grid, row, column) ? '~' : ' ');
}

/* Draws the colors of two rows in one sign. Returns false where it can't. */
static bool draw_halves(const struct drawing *d, unsigned x, unsigned y, unsigned upper, unsigned lower)
{
	const struct frame *frame = d->scene->frame;

	if (d->layout.rows_a_line == 1 || d->scene->canvas->ascii || frame->depth < DEPTH_256 ||
		frame->palette == PALETTE_MONO || (!upper && !lower))
		return false;
	if (upper)
		canvas_put(
			d->scene->canvas, d->layout.cells, x, y, UPPER_HALF, style_of_halves(upper, lower));
	else
		canvas_put(d->scene->canvas, d->layout.cells, x, y, LOWER_HALF, style_of_halves(lower, 0));
	return true;
}

/* The colors of the line's rows, or the digit of the larger step. */
static void draw_sign(const struct drawing *d, unsigned x, unsigned y, uint32_t row, uint32_t column)
{
	unsigned steps[2] = {0};
	bool is_selected = false, is_diagonal = false;

	for (uint32_t i = 0; i < d->layout.rows_a_line && row + i < d->layout.n; i++) {
		steps[i] = matrix_scale_step(&d->scale, matrix_grid_value(&d->grid, row + i, column));
		is_diagonal |= is_itself(d, row + i, column);
		is_selected |= row + i == d->own->shown_row;
	}
	unsigned largest = steps[0] > steps[1] ? steps[0] : steps[1];

	is_selected &= column == d->own->shown_column;
	if (!is_selected && draw_halves(d, x, y, steps[0], steps[1]))
		return;
	canvas_put(d->scene->canvas, d->layout.cells, x, y,
		largest       ? '0' + largest
		: is_diagonal ? '\\'
			      : '.',
		is_selected ? STYLE_SELECTED
		: largest   ? style_of_step(largest, true)
			    : STYLE_PLAIN);
}

/* Undecided cells have a sign that does not stand out. */
static const char *sign_of_verdict(enum shift_verdict verdict)
{
	return verdict == SHIFT_UNDECIDED ? "." : shift_verdict_words[verdict].sign;
}

static enum style style_of_verdict(enum shift_verdict verdict)
{
	return verdict == SHIFT_BETTER                            ? STYLE_BETTER
	       : verdict == SHIFT_WORSE || verdict == SHIFT_MIXED ? STYLE_WORSE
	       : verdict == SHIFT_SAME                            ? STYLE_PLAIN
								  : STYLE_THIN;
}

/* " -44b": changes that are not beyond chance have no letter. */
static void draw_change(const struct drawing *d, unsigned x, unsigned y, uint32_t row, uint32_t column)
{
	enum shift_verdict verdict = matrix_grid_verdict(&d->grid, row, column);
	bool is_selected = row == d->own->shown_row && column == d->own->shown_column;
	enum style style = is_selected ? STYLE_SELECTED : style_of_verdict(verdict);
	char text[MATRIX_CHANGE_SIZE];

	if (verdict != SHIFT_TOO_FEW)
		matrix_change_text(text, matrix_grid_value(&d->grid, row, column));
	else
		strcpy(text, is_itself(d, row, column) ? "\\" : sign_of_verdict(verdict));
	draw_text_cell(
		d, x, y, style, text, verdict >= SHIFT_BETTER ? (uint32_t)sign_of_verdict(verdict)[0] : ' ');
}

/* The worse verdict of the line's rows. */
static void draw_verdict(const struct drawing *d, unsigned x, unsigned y, uint32_t row, uint32_t column)
{
	enum shift_verdict worst = SHIFT_TOO_FEW;
	bool is_selected = false, is_diagonal = false;

	for (uint32_t r = row; r < row + d->layout.rows_a_line && r < d->layout.n; r++) {
		enum shift_verdict verdict = matrix_grid_verdict(&d->grid, r, column);

		worst = verdict > worst ? verdict : worst;
		is_diagonal |= is_itself(d, r, column);
		is_selected |= r == d->own->shown_row;
	}
	is_selected &= column == d->own->shown_column;
	canvas_put(d->scene->canvas, d->layout.cells, x, y,
		worst == SHIFT_TOO_FEW && is_diagonal ? '\\' : (uint32_t)sign_of_verdict(worst)[0],
		is_selected ? STYLE_SELECTED : style_of_verdict(worst));
}

static void draw_cell(const struct drawing *d, unsigned i, unsigned y, uint32_t row, uint32_t column)
{
	unsigned x = LABEL_WIDTH + i * d->layout.cell_width;

	if (d->own->shows_changes && d->layout.has_figures)
		draw_change(d, x, y, row, column);
	else if (d->own->shows_changes)
		draw_verdict(d, x, y, row, column);
	else if (d->layout.has_figures)
		draw_figure(d, x, y, row, column);
	else
		draw_sign(d, x, y, row, column);
}

static void draw_row(const struct drawing *d, unsigned y, uint32_t row)
{
	char name[MATRIX_ROW_SIZE];
	bool is_selected = false;

	for (uint32_t r = row; r < row + d->layout.rows_a_line && r < d->layout.n; r++)
		is_selected |= r == d->own->shown_row;
	canvas_put(d->scene->canvas, d->layout.cells, 0, y, is_selected ? '>' : ' ',
		is_selected ? STYLE_SELECTED : STYLE_PLAIN);
	canvas_right(d->scene->canvas, d->layout.cells, 1, y, LABEL_WIDTH - 2,
		is_selected ? STYLE_SELECTED : STYLE_PLAIN, matrix_grid_row_name(&d->grid, row, name));
	for (unsigned i = 0; i < columns_shown(&d->layout) && d->own->left + i < d->layout.n; i++)
		draw_cell(d, i, y, row, d->own->left + i);
}

/* Signs have a name at each eighth column. */
static void draw_head(const struct drawing *d)
{
	unsigned width = d->layout.cell_width;
	char name[MATRIX_ROW_SIZE];

	canvas_restyle(d->scene->canvas, d->layout.head, STYLE_HEAD);
	canvas_left(d->scene->canvas, d->layout.head, 0, 0, LABEL_WIDTH - 1, STYLE_HEAD, "to");
	for (unsigned i = 0; i < columns_shown(&d->layout) && d->own->left + i < d->layout.n; i++) {
		uint32_t column = d->own->left + i;
		unsigned x = LABEL_WIDTH + i * width, room = d->layout.head.width - x;
		enum style style = column == d->own->shown_column ? STYLE_SELECTED : STYLE_HEAD;

		matrix_grid_row_name(&d->grid, column, name);
		if (d->layout.has_figures)
			canvas_right(
				d->scene->canvas, d->layout.head, x + 1, 0, FIGURE_WIDTH - 1, style, name);
		else if (i % SIGNS_APART == 0 && room > strlen(name))
			canvas_left(
				d->scene->canvas, d->layout.head, x, 0, SIGNS_APART - 1, STYLE_HEAD, name);
	}
}

/* --- above and below the cells --- */

/* Where both words fit. */
static void append_to_title(const struct drawing *d, char title[2 * TEXT_SIZE], const char *a, const char *b)
{
	char part[2 * TEXT_SIZE];

	snprintf(part, sizeof(part), "%s%s", a, b);
	if (strlen(title) + strlen(part) + MATRIX_TITLE_FRAME <= d->layout.title.width)
		text_append(title, 2 * TEXT_SIZE, ", ", part);
}

static void finish_title(const struct drawing *d, char title[2 * TEXT_SIZE])
{
	text_append(title, 2 * TEXT_SIZE, " ", "");
	canvas_title(d->scene->canvas, d->layout.title, title);
}

static void draw_title(const struct drawing *d, const struct matrix_summary *summary)
{
	const struct matrix *matrix = d->matrix;
	char title[2 * TEXT_SIZE], text[MATRIX_WORDS_SIZE], age[TIME_SIZE];

	snprintf(title, sizeof(title), " %s %s %s [%s] by %s, %s", matrix->mechanism,
		matrix_figure_title(d->own->figure), matrix_value_name(d->own->value), unit_name(d->unit),
		matrix_grouping_name(d->layout.grouping), matrix_conditions_text(matrix, text));
	if (summary->n_least)
		append_to_title(
			d, title, matrix_samples_text(matrix, d->own->figure, summary, text), " a cell");
	if (summary->oldest_ns)
		append_to_title(d, title, "oldest ",
			units_ago(age, sizeof(age), session_age_ns(d->scene->session, summary->oldest_ns)));
	finish_title(d, title);
}

/* " mq hop p50 change [%] by CPU, phase 1 > 2, 14 worse, 0 better of 56 " */
static void draw_title_of_changes(const struct drawing *d)
{
	const struct matrix_change *change = &d->change;
	char title[2 * TEXT_SIZE], text[MATRIX_WORDS_SIZE], need[MATRIX_NEED_SIZE];

	matrix_change_need(need, change);
	snprintf(title, sizeof(title),
		" %s %s %s change [%%] by %s, phase %u > %u, %zu worse, %zu better of %zu",
		d->matrix->mechanism, matrix_figure_title(d->own->figure), matrix_value_name(d->own->value),
		matrix_grouping_name(d->layout.grouping), d->matrix->before.number, d->matrix->now.number,
		change->n_worse, change->n_better, change->n_cells);
	append_to_title(d, title, matrix_conditions_text(d->matrix, text), "");
	if (*need && !d->layout.panel.height)
		append_to_title(d, title, need, "");
	finish_title(d, title);
}

/* What the signs mean. */
static void draw_verdicts(const struct drawing *d)
{
	static const char *const texts[] = {
		"w worse, b better, m both: beyond chance; others not; ~ too few repeats",
		"w worse, b better, m both  = same  . undecided  ~ too few repeats",
		"w worse, b better, m both"};
	unsigned width = d->layout.scale.width, text = d->layout.has_figures ? 0 : 1;

	while (text < 2 && strlen(texts[text]) > width)
		text++;
	canvas_left(d->scene->canvas, d->layout.scale, 0, 0, width, STYLE_PLAIN, texts[text]);
}

/* "scale [us] 1<2.50 2<3.00 ... 7", each step in its style. */
static void draw_scale(const struct drawing *d)
{
	struct canvas *canvas = d->scene->canvas;
	struct area area = d->layout.scale;
	char text[TEXT_SIZE], edge[TIME_SIZE];
	unsigned x = 0;

	if (area.width >= 60) {
		snprintf(text, sizeof(text), "scale [%s] ", unit_name(d->unit));
		x = canvas_text(canvas, area, x, 0, STYLE_PLAIN, text);
	}
	for (unsigned step = 1; step <= STYLE_STEPS; step++) {
		if (step < STYLE_STEPS)
			snprintf(text, sizeof(text), "%s",
				matrix_panel_time(edge, d->scale.edges[step - 1], d->unit));
		else
			snprintf(text, sizeof(text), "more");
		if (x + 2 + strlen(text) >= area.width)
			return;
		canvas_put(canvas, area, x, 0, '0' + step, style_of_step(step, true));
		canvas_put(canvas, area, x + 1, 0, step < STYLE_STEPS ? '<' : ' ', STYLE_PLAIN);
		x = canvas_text(canvas, area, x + 2, 0, STYLE_PLAIN, text) + 1;
	}
}

static void draw_line(
	const struct drawing *d, struct area area, unsigned y, enum style style, const char *text)
{
	if (y < area.height)
		canvas_left(d->scene->canvas, area, 0, y, area.width, style, text);
}

/* "n 1300  min 2.69  p50 2.88  p99 3.64~  Max 7.87" */
static void write_figure(const struct drawing *d, const struct sweep_figure *figure, char text[TEXT_SIZE])
{
	char times[N_MATRIX_VALUES][TIME_SIZE];
	enum unit unit = d->unit;

	if (!figure->n) {
		snprintf(text, TEXT_SIZE, "no samples");
		return;
	}
	for (int i = 0; i < N_MATRIX_VALUES; i++)
		matrix_panel_time(times[i], matrix_value_of(figure, (enum matrix_value)i), unit);
	snprintf(text, TEXT_SIZE, "n %-4u min %s  p50 %s%s  p99 %s%s  Max %s", figure->n, times[MATRIX_MIN],
		times[MATRIX_P50], matrix_value_is_trusted(figure, MATRIX_P50) ? "" : "~", times[MATRIX_P99],
		matrix_value_is_trusted(figure, MATRIX_P99) ? "" : "~", times[MATRIX_MAX]);
}

static void draw_direction(
	const struct drawing *d, unsigned y, enum matrix_figure figure, uint32_t row, uint32_t column)
{
	bool is_first = figure == MATRIX_FIRST && d->own->has_details; /* above the other hops */
	char text[TEXT_SIZE], values[TEXT_SIZE], age[TIME_SIZE] = "";
	uint64_t at_ns = matrix_measured_ns(d->matrix, row, column);

	if (at_ns)
		units_ago(age, sizeof(age), session_age_ns(d->scene->session, at_ns));
	write_figure(d, matrix_figure_of(d->matrix, figure, row, column), values);
	snprintf(text, sizeof(text), "%s%u>%u %s %.120s%s%s", is_first ? "first " : "",
		d->matrix->cpus[row].cpu, d->matrix->cpus[column].cpu,
		locality_name(matrix_locality(d->matrix, row, column)), values, at_ns ? " age " : "", age);
	draw_line(d, d->layout.selected, y, y ? STYLE_PLAIN : STYLE_STRONG, text);
}

/* Both directions of the figure shown, or with all figures of each hop. Returns the next line. */
static unsigned draw_directions(const struct drawing *d, unsigned y, uint32_t row, uint32_t column)
{
	enum matrix_figure from = d->own->has_details ? MATRIX_FIRST : d->own->figure;
	enum matrix_figure to = d->own->has_details ? MATRIX_HOP : d->own->figure;

	for (enum matrix_figure figure = from; figure <= to; figure++) {
		if (!matrix_has(d->matrix, figure))
			continue;
		draw_direction(d, y++, figure, row, column);
		draw_direction(d, y++, figure, column, row);
	}
	return y;
}

static void draw_changed_direction(
	const struct drawing *d, unsigned y, const char *before, uint32_t row, uint32_t column)
{
	const struct matrix_cell_change *cell = matrix_change_of(&d->change, row, column);
	char text[TEXT_SIZE], values[TEXT_SIZE];

	matrix_panel_change(values, cell, d->unit);
	snprintf(text, sizeof(text), "%s%u>%u %s  %.120s  %s, %u and %u repeats", before,
		d->matrix->cpus[row].cpu, d->matrix->cpus[column].cpu,
		locality_name(matrix_locality(d->matrix, row, column)), values,
		shift_verdict_words[cell->verdict].name, cell->n_a, cell->n_b);
	draw_line(d, d->layout.selected, y, y ? STYLE_PLAIN : STYLE_STRONG, text);
}

/* The cells between two parts of the machine that have a value: a time, or how far it changed. */
struct part {
	size_t n_cells, n;
	float least, largest;
	uint32_t row, column; /* of the largest one */
};

/* Returns a value below 0 where there is none. */
static float value_of_cell(const struct drawing *d, uint32_t row, uint32_t column)
{
	if (!d->own->shows_changes)
		return matrix_value_of(
			matrix_figure_of(d->matrix, d->own->figure, row, column), d->own->value);
	const struct matrix_cell_change *cell = matrix_change_of(&d->change, row, column);

	return cell->verdict == SHIFT_TOO_FEW ? -1 : fabsf(cell->estimate);
}

static struct part sum_part(const struct drawing *d, uint32_t from, uint32_t to)
{
	bool is_lap = d->own->figure == MATRIX_LAP;
	struct part part = {0};

	for (uint32_t row = d->grid.first[from]; row < d->grid.first[from + 1]; row++)
		for (uint32_t column = d->grid.first[to]; column < d->grid.first[to + 1]; column++) {
			if (row == column || (is_lap && from == to && row > column))
				continue;
			float value = value_of_cell(d, row, column);

			part.n_cells++;
			if (value < 0)
				continue;
			if (!part.n || value < part.least)
				part.least = value;
			if (!part.n || value > part.largest) {
				part.largest = value;
				part.row = row;
				part.column = column;
			}
			part.n++;
		}
	return part;
}

/* "504>0: 23 of 5184 hops, median 5.05, 4.97 to 7.88 at 510>5" */
static void draw_part_direction(
	const struct drawing *d, unsigned y, uint32_t from, uint32_t to, const struct part *part)
{
	char text[TEXT_SIZE], a[MATRIX_ROW_SIZE], b[MATRIX_ROW_SIZE];
	char median[TIME_SIZE], least[TIME_SIZE], largest[TIME_SIZE];

	snprintf(text, sizeof(text), "%s>%s: %zu of %zu %ss", matrix_grid_row_name(&d->grid, from, a),
		matrix_grid_row_name(&d->grid, to, b), part->n, part->n_cells,
		matrix_figure_title(d->own->figure));

	if (part->n)
		text_print(text, sizeof(text), ", median %s, %s to %s at %u>%u",
			matrix_panel_time(median, matrix_grid_value(&d->grid, from, to), d->unit),
			matrix_panel_time(least, part->least, d->unit),
			matrix_panel_time(largest, part->largest, d->unit), d->matrix->cpus[part->row].cpu,
			d->matrix->cpus[part->column].cpu);
	draw_line(d, d->layout.selected, y, y ? STYLE_PLAIN : STYLE_STRONG, text);
}

/* Two parts of the machine, with the pair that is slowest there, or that changed most. */
static void draw_selected_part(const struct drawing *d, uint32_t from, uint32_t to)
{
	struct part there = sum_part(d, from, to), back = sum_part(d, to, from);

	if (d->own->shows_changes && there.n) {
		draw_changed_direction(d, 0, "most: ", there.row, there.column);
		draw_changed_direction(d, 1, "back: ", there.column, there.row);
		return;
	}
	draw_part_direction(d, 0, from, to, &there);
	if (from != to)
		draw_part_direction(d, 1, to, from, &back);
	if (!d->own->has_details || d->own->shows_changes || !there.n)
		return;
	draw_directions(d, 2, there.row, there.column);
}

/* The two CPUs at the cursor, or the parts that they are in. */
static void draw_selected(const struct drawing *d)
{
	uint32_t row = d->own->row, column = d->own->column;
	uint32_t from = d->own->shown_row, to = d->own->shown_column;
	char text[TEXT_SIZE], values[TEXT_SIZE];

	if (d->layout.grouping != MATRIX_BY_CPU && !is_itself(d, from, to)) {
		draw_selected_part(d, from, to);
		return;
	}
	if (row == column) {
		snprintf(text, sizeof(text), "CPU %u with itself: a sweep needs two CPUs",
			d->matrix->cpus[row].cpu);
		draw_line(d, d->layout.selected, 0, STYLE_STRONG, text);
		return;
	}
	if (d->own->shows_changes) {
		draw_changed_direction(d, 0, "", row, column);
		draw_changed_direction(d, 1, "", column, row);
		return;
	}
	unsigned y = draw_directions(d, 0, row, column);

	if (!d->own->has_details)
		return;
	write_figure(d, matrix_figure_of(d->matrix, MATRIX_LAP, row, column), values);
	snprintf(text, sizeof(text), "lap %.120s%s", values, d->matrix->batches ? "  (batch means)" : "");
	draw_line(d, d->layout.selected, y++, STYLE_PLAIN, text);
	snprintf(text, sizeof(text), "node %u to %u, L3 %u to %u, core %u to %u, counted in this order%s",
		d->matrix->cpus[row].node, d->matrix->cpus[column].node, d->matrix->cpus[row].l3,
		d->matrix->cpus[column].l3, d->matrix->cpus[row].core, d->matrix->cpus[column].core,
		d->matrix->isolated[row] && d->matrix->isolated[column] ? ", isolated" : "");
	draw_line(d, d->layout.selected, y, STYLE_PLAIN, text);
}

/* --- all of it --- */

static void draw_lack(const struct scene *scene, struct area body)
{
	canvas_title(scene->canvas, (struct area){body.x, body.y, body.width, 1}, " matrix ");
	if (body.height > 1)
		canvas_wrap(scene->canvas, (struct area){body.x, body.y + 1, body.width, body.height - 1},
			STYLE_PLAIN,
			scene->frame->frozen && scene->session->is_sweep
				? "there is no matrix of this moment: Space returns to the present"
				: "no sweep: --sweep measures each CPU with each other one");
}

static void draw_cells(const struct drawing *d)
{
	draw_head(d);
	for (unsigned y = 0; y < d->layout.cells.height; y++)
		if (d->own->top + y * d->layout.rows_a_line < d->layout.n)
			draw_row(d, y, d->own->top + y * d->layout.rows_a_line);
	draw_selected(d);
}

static struct matrix_panel panel_of(const struct drawing *d)
{
	return (struct matrix_panel){.scene = d->scene,
		.matrix = d->matrix,
		.area = d->layout.panel,
		.figure = d->own->figure,
		.unit = d->unit,
		.change = &d->change};
}

static void draw_values(struct drawing *d)
{
	const struct matrix *matrix = d->matrix;
	struct matrix_summary summary;

	if (matrix_summarize(matrix, d->own->figure, d->own->value, &summary) < 0 ||
		matrix_grid_make(&d->grid, matrix, d->own->figure, d->own->value, d->layout.grouping) < 0)
		return;
	d->scale = matrix_scale_make(&d->grid);
	d->unit = unit_of(d->scene, d->scale.edges[0], d->scale.edges[MATRIX_SCALE_EDGES - 1]);
	draw_title(d, &summary);
	draw_cells(d);
	if (matrix->n_measured)
		draw_scale(d);
	const struct matrix_panel panel = panel_of(d);

	matrix_panel_draw(&panel, &summary);
}

/* All means are in the unit of the longest one: only the selected cell and two others show theirs. */
static float longest_mean(const struct matrix_change *change)
{
	size_t n_cells = (size_t)change->matrix->n_cpus * change->matrix->n_cpus;
	float longest = 0;

	for (size_t i = 0; i < n_cells; i++)
		longest = fmaxf(longest, fmaxf(change->cells[i].a, change->cells[i].b));
	return longest;
}

static void draw_changes(struct drawing *d)
{
	if (matrix_change_make(&d->change, d->matrix, d->own->figure, d->own->value) < 0 ||
		matrix_grid_make_changes(&d->grid, &d->change, d->layout.grouping) < 0)
		return;
	float longest_ns = longest_mean(&d->change);

	d->unit = unit_of(d->scene, longest_ns, longest_ns);
	draw_title_of_changes(d);
	draw_cells(d);
	draw_verdicts(d);
	const struct matrix_panel panel = panel_of(d);

	matrix_panel_draw_changes(&panel);
}

static void draw_matrix(const struct scene *scene, struct area body)
{
	struct drawing d = {scene, view_own(scene->frame, &view_matrix), scene->session->matrix};

	if (!d.matrix) {
		draw_lack(scene, body);
		return;
	}
	d.layout = d.own->layout;
	if (d.own->shows_changes)
		draw_changes(&d);
	else
		draw_values(&d);
	matrix_grid_finish(&d.grid);
	matrix_change_finish(&d.change);
}

/* --- its keys --- */

/* fit() has the matrix. An end is a place: what came before it has no effect, and what comes after it steps
 * from there. */
static void move(struct frame *frame, long by)
{
	struct matrix_view *own = view_own(frame, &view_matrix);
	bool is_end = by == LONG_MAX || by == -LONG_MAX;

	if (is_end)
		own->row = by > 0 ? UINT32_MAX : 0;
	own->move_rows = is_end ? 0 : own->move_rows + by;
}

static void press_column(struct frame *frame, long by)
{
	((struct matrix_view *)view_own(frame, &view_matrix))->move_columns += by;
}

static void press_worst(struct frame *frame, long argument)
{
	struct matrix_view *own = view_own(frame, &view_matrix);

	own->selects_worst = true;
	own->move_rows = own->move_columns = 0;
}

static void press_figure(struct frame *frame, long argument)
{
	const struct matrix_view *own = view_own(frame, &view_matrix);

	frame->view.figure = own->figure == MATRIX_LAP                      ? FIGURE_FIRST
			     : own->figure == MATRIX_HOP || !own->has_first ? FIGURE_LAP
									    : FIGURE_ANSWER;
}

static void press_value(struct frame *frame, long argument)
{
	struct matrix_view *own = view_own(frame, &view_matrix);

	own->value = (own->value + 1) % (own->shows_changes ? N_COMPARED_VALUES : N_MATRIX_VALUES);
}

static const char *refuse_changes(const struct frame *frame)
{
	const struct matrix_view *own = view_own(frame, &view_matrix);

	return own->has_changes ? NULL : "nothing was measured in an earlier phase: m begins the next one";
}

static void press_changes(struct frame *frame, long argument)
{
	struct matrix_view *own = view_own(frame, &view_matrix);

	own->wants_changes = !own->wants_changes;
	if (own->value > MATRIX_P99)
		own->value = MATRIX_P50;
}

/* From the shown one on: CPU, core, L3, node. */
static void press_grouping(struct frame *frame, long argument)
{
	struct matrix_view *own = view_own(frame, &view_matrix);

	own->grouping = (own->layout.grouping + 1) % N_MATRIX_GROUPINGS + 1;
}

static void press_details(struct frame *frame, long argument)
{
	struct matrix_view *own = view_own(frame, &view_matrix);

	own->has_details = own->shows_changes || !own->has_details;
	own->wants_changes = false;
}

/* Without a sweep, keys mean what they mean elsewhere. */
static bool has_matrix(const struct frame *frame)
{
	return ((const struct matrix_view *)view_own(frame, &view_matrix))->layout.n > 0;
}

#define IN_MATRIX .applies = has_matrix

static const struct key keys[] = {
	{{KEY_CODE_ARROW_LEFT}, "Left", "matrix: go to the left", NULL, NULL, press_column, -1, IN_MATRIX},
	{{KEY_CODE_ARROW_RIGHT}, "Right", "matrix: go to the right", NULL, NULL, press_column, 1, IN_MATRIX},
	{{KEY_CODE_ENTER, '\n'}, "Enter", "matrix: show all figures", "Pair", "Enter", press_details,
		IN_MATRIX},
	{{'o'}, "o", "matrix: the next figure", "Figure", "o", press_figure, IN_MATRIX},
	{{'p'}, "p", "matrix: p50, p99, Max or Min", "Value", "p", press_value, IN_MATRIX},
	{{'c'}, "c", "matrix: show what changed", "Change", "c", press_changes, .refusal = refuse_changes,
		IN_MATRIX},
	{{'!'}, "!", "matrix: select the worst", NULL, NULL, press_worst, IN_MATRIX},
	{{'#'}, "#", "matrix: the next grouping", "Group", "#", press_grouping, IN_MATRIX},
};

/* Selects the cell that was clicked. */
static uint32_t click(struct frame *frame, unsigned x, unsigned y)
{
	struct matrix_view *own = view_own(frame, &view_matrix);
	const struct layout *layout = &own->layout;
	const struct area *cells = &layout->cells;

	if (y < cells->y || y >= cells->y + cells->height || x < LABEL_WIDTH || x >= cells->width)
		return KEY_CODE_NONE;
	uint32_t row = own->top + (y - cells->y) * layout->rows_a_line;
	uint32_t column = own->left + (x - LABEL_WIDTH) / layout->cell_width;

	if (row < layout->n && column < layout->n) {
		own->move_rows = (long)row - (long)own->shown_row;
		own->move_columns = (long)column - (long)own->shown_column;
	}
	return KEY_CODE_NONE;
}

const struct view_kind view_matrix = {
	.name = "matrix",
	.key = {{'M'}, "M", "show the matrix of a sweep", NULL, "M"},
	VIEW_KEYS(keys),
	.state_size = sizeof(struct matrix_view),
	.has_no_rings = true,
	.fit = fit,
	.draw = draw_matrix,
	.move = move,
	.click = click,
};

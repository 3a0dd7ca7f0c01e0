/* SPDX-License-Identifier: GPL-2.0-or-later */
/* matrix.c - the view of a sweep: a cell for each two CPUs, or for each two parts of the machine.
 *
 * Cells are figures where they fit, or else signs: the step of a scale. Where there are more rows than lines,
 * a line has two rows, and its sign is the larger step. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/model/matrix_grid.h"
#include "src/model/session.h"
#include "ui/draw/units.h"
#include "ui/views/view.h"

enum {
	LABEL_WIDTH = 6,  /* of a row's name, with the mark of the cursor */
	FIGURE_WIDTH = 5, /* of a cell that is a figure */
	SIGNS_APART = 8,  /* columns of signs between two names */
	PANEL_WIDTH = 50, /* of the classes beside the cells */
	PANEL_LINES = 5,  /* of them below the cells, at least */
	WIDE = 120,       /* columns of the narrowest screen with the classes beside the cells */
	SMALL = 12,       /* lines of the largest body with one line about the selected cell */
	TEXT_SIZE = 200,
	TIME_SIZE = 16,
	STEP_EDGES = STYLE_STEPS - 1,
};

/* The view's own state. */
struct matrix_view {
	enum matrix_figure figure;
	enum matrix_value value;
	unsigned grouping;    /* of enum matrix_grouping, plus 1; 0: the finest that fits */
	bool has_details;     /* of the selected pair */
	bool is_placed;       /* the cursor was, at the first two CPUs */
	uint32_t row, column; /* the selected cell, by the places of its CPUs */
	uint32_t top, left;   /* rows and columns before the first ones shown */

	long move_rows, move_columns;        /* by keys; fit() moves the cursor */
	enum matrix_grouping shown_grouping; /* set by fit() */
};

/* Where its parts are, and how cells are drawn. */
struct layout {
	enum matrix_grouping grouping;
	uint32_t n; /* rows */
	bool has_figures;
	unsigned rows_a_line;
	struct area title, head, cells, scale, selected, panel; /* height 0: omitted */
};

/* Between steps, in ns, ascending. */
struct scale {
	float edges[STEP_EDGES];
};

extern const struct view_kind view_matrix;

static unsigned header_lines(unsigned lines)
{
	return lines < 30 ? 1 : 2;
}

/* --- its layout --- */

static unsigned selected_lines(const struct matrix_view *own, struct area body)
{
	return own->has_details ? smaller(4, body.height / 2) : body.height <= SMALL ? 1 : 2;
}

static bool figures_fit(uint32_t n, unsigned columns, unsigned lines)
{
	return n * FIGURE_WIDTH <= columns && n <= lines;
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

static struct layout lay_out(const struct matrix_view *own, const struct matrix *matrix, struct area body)
{
	unsigned selected = selected_lines(own, body), fixed = 3 + selected;
	unsigned lines = body.height > fixed ? body.height - fixed : 1;
	unsigned room = body.width > LABEL_WIDTH ? body.width - LABEL_WIDTH : 1, panel = 0;
	struct layout layout = {.grouping = grouping_that_fits(matrix, room, lines)};

	if (body.width >= WIDE &&
		(own->grouping || grouping_that_fits(matrix, room - PANEL_WIDTH, lines) == layout.grouping))
		panel = PANEL_WIDTH;
	room -= panel;
	if (own->grouping)
		layout.grouping = (enum matrix_grouping)(own->grouping - 1);
	layout.n = matrix_grid_rows(matrix, layout.grouping);
	layout.has_figures = figures_fit(layout.n, room, lines);
	layout.rows_a_line = layout.has_figures || layout.n <= lines ? 1 : 2;
	unsigned used = smaller(lines, (layout.n + layout.rows_a_line - 1) / layout.rows_a_line), y = body.y;

	layout.title = (struct area){body.x, y++, body.width, 1};
	layout.head = (struct area){body.x, y++, LABEL_WIDTH + room, 1};
	layout.cells = (struct area){body.x, y, LABEL_WIDTH + room, used};
	y += used;
	layout.scale = (struct area){body.x, y++, LABEL_WIDTH + room, 1};
	layout.selected = (struct area){body.x, y, LABEL_WIDTH + room, selected};
	y += selected;
	if (panel)
		layout.panel = (struct area){
			body.x + body.width - panel + 1, body.y + 1, panel - 1, body.height - 1};
	else if (body.y + body.height >= y + PANEL_LINES)
		layout.panel = (struct area){body.x, y, body.width, body.y + body.height - y};
	return layout;
}

/* --- scrolling and the cursor --- */

/* Steps over whole parts, to the first CPU of one. */
static uint32_t stepped(const struct matrix *matrix, enum matrix_grouping grouping, uint32_t place, long by)
{
	uint32_t n = matrix_grid_rows(matrix, grouping), at = matrix_grid_row_of(matrix, grouping, place);
	uint32_t wanted = (uint32_t)view_state_place(at, by, n - 1), found = 0;

	if (wanted == at)
		return place;
	while (matrix_grid_row_of(matrix, grouping, found) != wanted)
		found++;
	return found;
}

static unsigned columns_shown(const struct layout *layout)
{
	unsigned columns = (layout->cells.width - LABEL_WIDTH) / (layout->has_figures ? FIGURE_WIDTH : 1);

	return columns ? columns : 1;
}

static struct area fit(struct frame *frame, const struct session *session, struct area body)
{
	struct matrix_view *own = view_own(frame, &view_matrix);
	const struct matrix *matrix = session->matrix;

	if (!matrix)
		return (struct area){0};
	struct layout layout = lay_out(own, matrix, body);
	unsigned lines = layout.cells.height * layout.rows_a_line;

	if (!own->is_placed)
		own->column = 1;
	own->is_placed = true;
	own->row = own->row < matrix->n_cpus ? own->row : matrix->n_cpus - 1;
	own->column = own->column < matrix->n_cpus ? own->column : matrix->n_cpus - 1;
	own->shown_grouping = layout.grouping;
	own->row = stepped(matrix, layout.grouping, own->row, own->move_rows);
	own->column = stepped(matrix, layout.grouping, own->column, own->move_columns);
	own->move_rows = own->move_columns = 0;
	own->top = (uint32_t)view_state_top(
		own->top, matrix_grid_row_of(matrix, layout.grouping, own->row), layout.n, lines);
	own->top -= own->top % layout.rows_a_line;
	own->left = (uint32_t)view_state_top(own->left,
		matrix_grid_row_of(matrix, layout.grouping, own->column), layout.n, columns_shown(&layout));
	return (struct area){0};
}

/* --- the scale --- */

/* The steps are ratios between a fiftieth of all cells and the last fiftieth, so single cells that are far
 * away do not make all others look alike, nor does noise look like a difference. */
static struct scale make_scale(const struct matrix_grid *grid)
{
	const double least_ratio = 1.5;
	size_t n = 0, all = (size_t)grid->n * grid->n;
	float *values = malloc(all * sizeof(*values));
	double low = 1, high = 1;
	struct scale scale;

	for (size_t i = 0; values && i < all; i++)
		if (grid->values[i] >= 0)
			values[n++] = grid->values[i];
	if (n) {
		low = fmax((double)sweep_times_select(values, n, n / 50), 1);
		high = (double)sweep_times_select(values, n, n - 1 - n / 50);
	}
	free(values);
	high = fmax(high, low * least_ratio);
	for (unsigned i = 0; i < STEP_EDGES; i++)
		scale.edges[i] = (float)(low * pow(high / low, (i + 1.0) / STYLE_STEPS));
	return scale;
}

/* Returns 1 to STYLE_STEPS; 0: it was not measured. */
static unsigned step_of(const struct scale *scale, float ns)
{
	unsigned step = ns >= 0;

	while (step && step < STYLE_STEPS && ns >= scale->edges[step - 1])
		step++;
	return step;
}

/* --- cells --- */

/* Times between neighbours are too short for the default unit. */
static enum unit unit_of(const struct scene *scene, const struct scale *scale)
{
	return scene->view->unit == UNIT_US && scale->edges[STEP_EDGES - 1] < 1000 ? UNIT_NS
										   : scene->view->unit;
}

static char *time_text(char text[TIME_SIZE], float ns, enum unit unit)
{
	if (ns < 0)
		return strcpy(text, "-");
	return units_brief(text, TIME_SIZE, 4, (uint64_t)(ns + 0.5f), unit);
}

static bool is_selected_row(const struct matrix_view *own, const struct matrix *matrix, uint32_t row)
{
	return matrix_grid_row_of(matrix, own->shown_grouping, own->row) == row;
}

static bool is_selected_column(const struct matrix_view *own, const struct matrix *matrix, uint32_t column)
{
	return matrix_grid_row_of(matrix, own->shown_grouping, own->column) == column;
}

/* The arguments that all drawing functions have. */
struct drawing {
	const struct scene *scene;
	const struct matrix_view *own;
	const struct matrix *matrix;
	struct layout layout;
	struct matrix_grid grid;
	struct scale scale;
	enum unit unit;
};

static void draw_figure(const struct drawing *d, unsigned x, unsigned y, uint32_t row, uint32_t column)
{
	float ns = matrix_grid_value(&d->grid, row, column);
	unsigned step = step_of(&d->scale, ns);
	bool is_selected =
		is_selected_row(d->own, d->matrix, row) && is_selected_column(d->own, d->matrix, column);
	enum style style = is_selected ? STYLE_SELECTED : step ? style_of_step(step, true) : STYLE_PLAIN;
	char text[TIME_SIZE];

	canvas_put(d->scene->canvas, d->layout.cells, x, y, is_selected ? '>' : ' ', style);
	canvas_right(d->scene->canvas, d->layout.cells, x + 1, y, FIGURE_WIDTH - 1, style,
		row == column && ns < 0 ? "\\" : time_text(text, ns, d->unit));
}

/* The larger step of the line's rows. */
static void draw_sign(const struct drawing *d, unsigned x, unsigned y, uint32_t row, uint32_t column)
{
	unsigned largest = 0;
	bool is_selected = false, is_diagonal = false;

	for (uint32_t r = row; r < row + d->layout.rows_a_line && r < d->layout.n; r++) {
		unsigned step = step_of(&d->scale, matrix_grid_value(&d->grid, r, column));

		largest = step > largest ? step : largest;
		is_diagonal |= r == column;
		is_selected |= is_selected_row(d->own, d->matrix, r);
	}
	is_selected &= is_selected_column(d->own, d->matrix, column);
	canvas_put(d->scene->canvas, d->layout.cells, x, y,
		largest       ? '0' + largest
		: is_diagonal ? '\\'
			      : '.',
		is_selected ? STYLE_SELECTED
		: largest   ? style_of_step(largest, true)
			    : STYLE_PLAIN);
}

static void draw_row(const struct drawing *d, unsigned y, uint32_t row)
{
	char name[MATRIX_ROW_SIZE];
	bool is_selected = false;

	for (uint32_t r = row; r < row + d->layout.rows_a_line && r < d->layout.n; r++)
		is_selected |= is_selected_row(d->own, d->matrix, r);
	canvas_put(d->scene->canvas, d->layout.cells, 0, y, is_selected ? '>' : ' ',
		is_selected ? STYLE_SELECTED : STYLE_PLAIN);
	canvas_right(d->scene->canvas, d->layout.cells, 1, y, LABEL_WIDTH - 2,
		is_selected ? STYLE_SELECTED : STYLE_PLAIN, matrix_grid_row_name(&d->grid, row, name));
	for (unsigned i = 0; i < columns_shown(&d->layout) && d->own->left + i < d->layout.n; i++) {
		uint32_t column = d->own->left + i;

		if (d->layout.has_figures)
			draw_figure(d, LABEL_WIDTH + i * FIGURE_WIDTH, y, row, column);
		else
			draw_sign(d, LABEL_WIDTH + i, y, row, column);
	}
}

/* Signs have a name at each eighth column, and at the selected one. */
static void draw_head(const struct drawing *d)
{
	unsigned width = d->layout.has_figures ? FIGURE_WIDTH : 1;
	char name[MATRIX_ROW_SIZE];

	canvas_restyle(d->scene->canvas, d->layout.head, STYLE_HEAD);
	canvas_left(d->scene->canvas, d->layout.head, 0, 0, LABEL_WIDTH - 1, STYLE_HEAD, "to");
	for (unsigned i = 0; i < columns_shown(&d->layout) && d->own->left + i < d->layout.n; i++) {
		uint32_t column = d->own->left + i;
		unsigned x = LABEL_WIDTH + i * width, room = d->layout.head.width - x;
		enum style style =
			is_selected_column(d->own, d->matrix, column) ? STYLE_SELECTED : STYLE_HEAD;

		matrix_grid_row_name(&d->grid, column, name);
		if (d->layout.has_figures)
			canvas_right(d->scene->canvas, d->layout.head, x + 1, 0, width - 1, style, name);
		else if (i % SIGNS_APART == 0 && room > strlen(name))
			canvas_left(
				d->scene->canvas, d->layout.head, x, 0, SIGNS_APART - 1, STYLE_HEAD, name);
	}
}

/* --- above and below the cells --- */

static uint64_t age_ns(const struct drawing *d, uint64_t at_ns)
{
	uint64_t now_ns = session_position_ns(d->scene->session);

	return now_ns > at_ns ? now_ns - at_ns : 0;
}

static void draw_title(const struct drawing *d, const struct matrix_summary *summary)
{
	const struct matrix *matrix = d->matrix;
	char title[TEXT_SIZE], age[TIME_SIZE];
	int length = snprintf(title, sizeof(title), " %s %s %s [%s] by %s", matrix->mechanism,
		matrix_figure_name(d->own->figure), matrix_value_name(d->own->value), unit_name(d->unit),
		matrix_grouping_name(d->layout.grouping));

	length += snprintf(title + length, sizeof(title) - (size_t)length, ", %zu of %zu pairs",
		matrix->n_measured, matrix->n_pairs);
	if (d->layout.title.width >= 70)
		length += snprintf(title + length, sizeof(title) - (size_t)length, ", round %llu",
			(unsigned long long)matrix->n_rounds + 1);
	if (d->layout.title.width >= 100)
		length += snprintf(
			title + length, sizeof(title) - (size_t)length, ", %u at once", matrix->at_once);
	if (summary->oldest_ns)
		length += snprintf(title + length, sizeof(title) - (size_t)length, ", oldest %s",
			units_ago(age, sizeof(age), age_ns(d, summary->oldest_ns)));
	snprintf(title + length, sizeof(title) - (size_t)length, " ");
	canvas_title(d->scene->canvas, d->layout.title, title);
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
			snprintf(
				text, sizeof(text), "%s", time_text(edge, d->scale.edges[step - 1], d->unit));
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

/* "n 1300  min 2.69  p50 2.88  p99 3.64  Max 7.87" */
static void write_figure(const struct drawing *d, const struct sweep_figure *figure, char text[TEXT_SIZE])
{
	char times[N_MATRIX_VALUES][TIME_SIZE];
	enum unit unit = d->unit;

	if (!figure->n) {
		snprintf(text, TEXT_SIZE, "no samples");
		return;
	}
	for (int i = 0; i < N_MATRIX_VALUES; i++)
		time_text(times[i], matrix_value_of(figure, (enum matrix_value)i), unit);
	snprintf(text, TEXT_SIZE, "n %-4u min %s  p50 %s  p99 %s  Max %s", figure->n, times[MATRIX_MIN],
		times[MATRIX_P50], times[MATRIX_P99], times[MATRIX_MAX]);
}

static void draw_direction(const struct drawing *d, unsigned y, uint32_t row, uint32_t column)
{
	enum matrix_figure figure = d->own->has_details ? MATRIX_HOP : d->own->figure;
	char text[TEXT_SIZE], values[TEXT_SIZE], age[TIME_SIZE] = "";
	uint64_t at_ns = matrix_measured_ns(d->matrix, row, column);

	if (at_ns)
		units_ago(age, sizeof(age), age_ns(d, at_ns));
	write_figure(d, matrix_figure_of(d->matrix, figure, row, column), values);
	snprintf(text, sizeof(text), "%u>%u %s  %.120s%s%s", d->matrix->cpus[row].cpu,
		d->matrix->cpus[column].cpu, locality_name(matrix_locality(d->matrix, row, column)), values,
		at_ns ? "  age " : "", age);
	draw_line(d, d->layout.selected, y, y ? STYLE_PLAIN : STYLE_STRONG, text);
}

/* The pair of CPUs at the cursor, in any grouping. */
static void draw_selected(const struct drawing *d)
{
	uint32_t row = d->own->row, column = d->own->column;
	char text[TEXT_SIZE], values[TEXT_SIZE];

	if (row == column) {
		snprintf(text, sizeof(text), "CPU %u with itself: a sweep needs two CPUs",
			d->matrix->cpus[row].cpu);
		draw_line(d, d->layout.selected, 0, STYLE_STRONG, text);
		return;
	}
	draw_direction(d, 0, row, column);
	draw_direction(d, 1, column, row);
	if (!d->own->has_details)
		return;
	write_figure(d, matrix_figure_of(d->matrix, MATRIX_LAP, row, column), values);
	snprintf(text, sizeof(text), "lap %.120s%s", values,
		d->matrix->batches ? "  (means of batches of laps)" : "");
	draw_line(d, d->layout.selected, 2, STYLE_PLAIN, text);
	snprintf(text, sizeof(text), "node %u to %u, L3 %u to %u, core %u to %u, counted in this order%s",
		d->matrix->cpus[row].node, d->matrix->cpus[column].node, d->matrix->cpus[row].l3,
		d->matrix->cpus[column].l3, d->matrix->cpus[row].core, d->matrix->cpus[column].core,
		d->matrix->isolated[row] && d->matrix->isolated[column] ? ", isolated" : "");
	draw_line(d, d->layout.selected, 3, STYLE_PLAIN, text);
}

/* --- the panel --- */

static unsigned draw_classes(const struct drawing *d, unsigned y, const struct matrix_summary *summary)
{
	char text[TEXT_SIZE], least[TIME_SIZE], median[TIME_SIZE], largest[TIME_SIZE];
	enum unit unit = d->unit;

	draw_line(d, d->layout.panel, y++, STYLE_HEAD, "CLASS     CELLS  LEAST MEDIAN    MAX AT");
	for (int i = 0; i < N_LOCALITIES; i++) {
		const struct matrix_class *class = &summary->classes[i];

		if (!class->n_cells)
			continue;
		int length = snprintf(text, sizeof(text), "%-8s %6zu %6s %6s %6s ",
			locality_name((enum locality)i), class->n,
			time_text(least, class->n ? class->least : -1, unit),
			time_text(median, class->n ? class->median : -1, unit),
			time_text(largest, class->n ? class->largest : -1, unit));

		if (class->n)
			snprintf(text + length, sizeof(text) - (size_t)length, "%u>%u",
				d->matrix->cpus[class->row].cpu, d->matrix->cpus[class->column].cpu);
		draw_line(d, d->layout.panel, y++, STYLE_PLAIN, text);
	}
	return y;
}

static unsigned draw_slow_cpu(
	const struct drawing *d, unsigned y, const char *what, const struct matrix_slow_cpu *slow)
{
	char text[TEXT_SIZE], median[TIME_SIZE];

	if (!slow->is_known)
		return y;
	snprintf(text, sizeof(text), "slowest %s: CPU %u  %s, %.2f x the others", what,
		d->matrix->cpus[slow->place].cpu, time_text(median, slow->median, d->unit),
		slow->others > 0 ? (double)(slow->median / slow->others) : 0);
	draw_line(d, d->layout.panel, y, STYLE_PLAIN, text);
	return y + 1;
}

static void draw_panel(const struct drawing *d, const struct matrix_summary *summary)
{
	char text[TEXT_SIZE], there[TIME_SIZE], back[TIME_SIZE];
	unsigned row = d->matrix->cpus[summary->row].cpu, column = d->matrix->cpus[summary->column].cpu;
	enum unit unit = d->unit;

	canvas_title(d->scene->canvas, d->layout.panel, " classes ");
	unsigned y = draw_classes(d, 1, summary);

	if (d->own->figure == MATRIX_LAP) {
		draw_slow_cpu(d, y, "CPU", &summary->receiver);
		return;
	}
	y = draw_slow_cpu(d, y, "receiver", &summary->receiver);
	y = draw_slow_cpu(d, y, "sender", &summary->sender);
	if (!summary->has_asymmetry)
		return;
	snprintf(text, sizeof(text), "asymmetry: %u>%u %s, %u>%u %s: %.2f x", row, column,
		time_text(there, summary->there, unit), column, row, time_text(back, summary->back, unit),
		(double)(summary->there / summary->back));
	draw_line(d, d->layout.panel, y, STYLE_PLAIN, text);
}

/* --- all of it --- */

static void draw_lack(const struct scene *scene, struct area body)
{
	canvas_title(scene->canvas, (struct area){body.x, body.y, body.width, 1}, " matrix ");
	if (body.height > 1)
		canvas_wrap(scene->canvas, (struct area){body.x, body.y + 1, body.width, body.height - 1},
			STYLE_PLAIN,
			scene->frame->frozen
				? "there is no matrix of this moment: Space returns to the present"
				: "no sweep: --sweep measures each CPU with each other one");
}

static void draw_matrix(const struct scene *scene, struct area body)
{
	const struct matrix *matrix = scene->session->matrix;
	struct drawing d = {scene, view_own(scene->frame, &view_matrix), matrix};
	struct matrix_summary summary;

	if (!matrix) {
		draw_lack(scene, body);
		return;
	}
	d.layout = lay_out(d.own, matrix, body);
	if (matrix_summarize(matrix, d.own->figure, d.own->value, &summary) == 0 &&
		matrix_grid_make(&d.grid, matrix, d.own->figure, d.own->value, d.layout.grouping) == 0) {
		d.scale = make_scale(&d.grid);
		d.unit = unit_of(scene, &d.scale);
		draw_title(&d, &summary);
		draw_head(&d);
		for (unsigned y = 0; y < d.layout.cells.height; y++)
			if (d.own->top + y * d.layout.rows_a_line < d.layout.n)
				draw_row(&d, y, d.own->top + y * d.layout.rows_a_line);
		draw_scale(&d);
		draw_selected(&d);
		if (d.layout.panel.height)
			draw_panel(&d, &summary);
	}
	matrix_grid_finish(&d.grid);
}

/* --- its keys --- */

static void move(struct frame *frame, long by)
{
	struct matrix_view *own = view_own(frame, &view_matrix);

	own->move_rows += by;
}

static void press_column(struct frame *frame, long by)
{
	((struct matrix_view *)view_own(frame, &view_matrix))->move_columns += by;
}

static void press_figure(struct frame *frame, long argument)
{
	struct matrix_view *own = view_own(frame, &view_matrix);

	own->figure = (own->figure + 1) % N_MATRIX_FIGURES;
}

static void press_value(struct frame *frame, long argument)
{
	struct matrix_view *own = view_own(frame, &view_matrix);

	own->value = (own->value + 1) % N_MATRIX_VALUES;
}

/* From the shown one on: CPU, core, L3, node. */
static void press_grouping(struct frame *frame, long argument)
{
	struct matrix_view *own = view_own(frame, &view_matrix);

	own->grouping = (own->shown_grouping + 1) % N_MATRIX_GROUPINGS + 1;
}

static void press_details(struct frame *frame, long argument)
{
	struct matrix_view *own = view_own(frame, &view_matrix);

	own->has_details = !own->has_details;
}

static const struct key keys[] = {
	{{KEY_CODE_ARROW_LEFT}, "Left", "matrix: go to the left", NULL, NULL, press_column, -1},
	{{KEY_CODE_ARROW_RIGHT}, "Right", "matrix: go to the right", NULL, NULL, press_column, 1},
	{{KEY_CODE_ENTER}, "Enter", "matrix: show all figures", "Pair", "Enter", press_details},
	{{'o'}, "o", "matrix: hops or laps", "Figure", "o", press_figure},
	{{'p'}, "p", "matrix: p50, p99, Max or Min", "Value", "p", press_value},
	{{'#'}, "#", "matrix: the next grouping", "Group", "#", press_grouping},
};

const struct view_kind view_matrix = {
	.name = "matrix",
	.key = {{'M'}, "M", "show the matrix of a sweep", NULL, "M"},
	VIEW_KEYS(keys),
	.state_size = sizeof(struct matrix_view),
	.header_lines = header_lines,
	.fit = fit,
	.draw = draw_matrix,
	.move = move,
};

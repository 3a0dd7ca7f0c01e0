/* SPDX-License-Identifier: GPL-2.0-or-later */
/* matrix.c - the picture of a sweep: a square for each two CPUs, or for each two parts of the machine.
 *
 * Squares have their figures where these fit. Smaller ones are a path for each step, so that the picture of
 * many CPUs stays a small file. */
#include <math.h>
#include <string.h>

#include "src/base/text.h"
#include "src/model/matrix_grid.h"
#include "src/model/matrix_words.h"
#include "src/model/session.h"
#include "ui/draw/units.h"
#include "ui/pictures/picture.h"
#include "ui/table/matrix_scale.h"

enum {
	LEFT = 44, /* of the rows' names */
	RIGHT = 16,
	HEAD = 16,   /* of the columns' names */
	LEGEND = 48, /* its two lines */
	ROWS_MAX = 300,
	SQUARE_MAX = 60,
	SQUARE_WITH_FIGURE = 34, /* at least, pixels */
	PART_WITH_LINES = 16,    /* pixels of a core or a cache, at least */
	DIGIT = 7,
	LINE = 12,
	MONO_TEXT_STEP = 4, /* from which on a figure has the color of the paper */
	TEXT_SIZE = 160,
	TIME_SIZE = 16,
};

struct drawing {
	const struct picture_scene *scene;
	FILE *out;
	struct matrix_grid grid;
	struct matrix_scale scale;
	struct svg_box box; /* of all squares */
	double square;
	enum unit unit;
};

/* --- the size --- */

static double square_of(uint32_t n, double width)
{
	double square = fmin((width - LEFT - RIGHT) / n, SQUARE_MAX);

	return square >= 3 ? floor(square) : square; /* all of one size */
}

static uint32_t count_rows(const struct matrix *matrix)
{
	return matrix_grid_rows(matrix, matrix_grid_fit(matrix, ROWS_MAX));
}

static double measure(const struct picture_scene *scene, double width)
{
	uint32_t n = count_rows(scene->session->matrix);

	return PICTURE_TITLE + HEAD + n * square_of(n, width) + LEGEND;
}

/* --- squares --- */

/* Returns the color of a step; -1: the palette has no colors. */
static int32_t color_of(const struct picture_scene *scene, unsigned step)
{
	return palette_look(scene->palette, DEPTH_TRUE, style_of_step(step, true)).background;
}

static double ink_of(unsigned step)
{
	return 0.9 * step / STYLE_STEPS;
}

static void draw_square(const struct picture_scene *scene, FILE *out, struct svg_box box, unsigned step)
{
	if (color_of(scene, step) < 0)
		svg_shaded(out, box, "ink", ink_of(step));
	else
		svg_colored(out, box, color_of(scene, step), 1.0);
}

static const char *text_class_of(const struct picture_scene *scene, unsigned step)
{
	int32_t text = palette_look(scene->palette, DEPTH_TRUE, style_of_step(step, true)).foreground;

	if (color_of(scene, step) < 0)
		return step >= MONO_TEXT_STEP ? "paper small" : "ink small";
	return text >= 0x800000 ? "white small" : "black small";
}

static unsigned step_at(const struct drawing *d, uint32_t row, uint32_t column)
{
	return matrix_scale_step(&d->scale, matrix_grid_value(&d->grid, row, column));
}

static char *brief(const struct drawing *d, float ns, char text[TIME_SIZE])
{
	return units_brief(text, TIME_SIZE, 4, (uint64_t)(ns + 0.5f), d->unit);
}

/* "0>4 cross: p50 4.10, p99 5.30, n 600": only of a cell that is one pair. */
static void begin_note(const struct drawing *d, uint32_t row, uint32_t column)
{
	const struct matrix *matrix = d->grid.matrix;
	uint32_t a = d->grid.first[row], b = d->grid.first[column];
	char note[TEXT_SIZE], name_a[MATRIX_ROW_SIZE], name_b[MATRIX_ROW_SIZE], p50[TIME_SIZE],
		p99[TIME_SIZE];

	matrix_grid_row_name(&d->grid, row, name_a);
	matrix_grid_row_name(&d->grid, column, name_b);
	if (d->grid.grouping == MATRIX_BY_CPU) {
		const struct sweep_figure *figure = matrix_figure_of(matrix, matrix_wanted_hop(matrix), a, b);

		snprintf(note, sizeof(note), "%s>%s %s: p50 %s, p99 %s %s, n %u", name_a, name_b,
			locality_name(matrix_locality(matrix, a, b)), brief(d, figure->p50_ns, p50),
			brief(d, figure->p99_ns, p99), unit_name(d->unit), figure->n);
	} else {
		snprintf(note, sizeof(note), "%s>%s", name_a, name_b);
	}
	svg_note_begin(d->out, note);
}

static void draw_with_figure(const struct drawing *d, uint32_t row, uint32_t column, unsigned step)
{
	struct svg_box box = {
		d->box.x + column * d->square, d->box.y + row * d->square, d->square, d->square};
	char time[TIME_SIZE], text[TIME_SIZE + 1];

	snprintf(text, sizeof(text), "%s%s", brief(d, matrix_grid_value(&d->grid, row, column), time),
		matrix_grid_is_doubtful(&d->grid, row, column) ? "~" : "");
	begin_note(d, row, column);
	draw_square(d->scene, d->out, box, step);
	svg_text(d->out, box.x + d->square / 2, box.y + d->square / 2 + 4, SVG_MIDDLE,
		text_class_of(d->scene, step), text);
	svg_note_end(d->out);
}

static bool has_figures(const struct drawing *d)
{
	return d->square >= SQUARE_WITH_FIGURE;
}

static void draw_figures(const struct drawing *d)
{
	for (uint32_t row = 0; row < d->grid.n; row++)
		for (uint32_t column = 0; column < d->grid.n; column++) {
			unsigned step = step_at(d, row, column);

			if (step)
				draw_with_figure(d, row, column, step);
		}
}

/* Squares of one step beside each other are one rectangle. */
static void draw_step(const struct drawing *d, unsigned step)
{
	int32_t rgb = color_of(d->scene, step);

	fprintf(d->out, "<path transform=\"translate(%.2f %.2f) scale(%.4f)\" shape-rendering=\"crispEdges\"",
		d->box.x, d->box.y, d->square);
	if (rgb >= 0)
		fprintf(d->out, " fill=\"#%06x\"", (unsigned)rgb);
	else
		fprintf(d->out, " class=\"ink\" fill-opacity=\"%.2f\"", ink_of(step));
	fputs(" d=\"", d->out);
	for (uint32_t row = 0; row < d->grid.n; row++) {
		uint32_t from = 0;

		for (uint32_t column = 0; column < d->grid.n; column = from) {
			from = column + 1;
			if (step_at(d, row, column) != step)
				continue;
			while (from < d->grid.n && step_at(d, row, from) == step)
				from++;
			fprintf(d->out, "M%u %uh%uv1h-%uz", column, row, from - column, from - column);
		}
	}
	fputs("\"/>\n", d->out);
}

/* --- names and lines --- */

/* Returns each how many-th row has its name. */
static uint32_t stride(double square, double room)
{
	uint32_t n = 1;

	while (n * square < room)
		n *= 2;
	return n;
}

static void draw_names(const struct drawing *d)
{
	char name[MATRIX_ROW_SIZE];
	size_t longest = 0;

	for (uint32_t row = 0; row < d->grid.n; row++) {
		size_t length = strlen(matrix_grid_row_name(&d->grid, row, name));

		longest = length > longest ? length : longest;
	}
	uint32_t by_row = stride(d->square, LINE), by_column = stride(d->square, (double)longest * DIGIT + 5);

	for (uint32_t i = 0; i < d->grid.n; i++) {
		double middle = (i + 0.5) * d->square;

		matrix_grid_row_name(&d->grid, i, name);
		if (i % by_row == 0)
			svg_text(d->out, d->box.x - 6, d->box.y + middle + 4, SVG_END, "faint small", name);
		if (i % by_column == 0)
			svg_text(d->out, d->box.x + middle, d->box.y - 5, SVG_MIDDLE, "faint small", name);
	}
}

enum edge { EDGE_NONE, EDGE_CORE, EDGE_L3, EDGE_NODE, N_EDGES };

/* Returns what begins at a row. */
static enum edge edge_at(const struct matrix_grid *grid, uint32_t row)
{
	const struct sweep_cpu *cpu = &grid->matrix->cpus[grid->first[row]], *before = cpu - 1;

	return cpu->package != before->package || cpu->node != before->node ? EDGE_NODE
	       : cpu->l3 != before->l3                                      ? EDGE_L3
	       : cpu->core != before->core                                  ? EDGE_CORE
									    : EDGE_NONE;
}

/* Where each row begins a part of a kind, lines would say nothing; where parts are small, they would cover
 * these. */
static void find_edges(const struct drawing *d, bool draws[N_EDGES])
{
	uint32_t n[N_EDGES] = {0}, n_parts = 1;

	for (uint32_t row = 1; row < d->grid.n; row++)
		n[edge_at(&d->grid, row)]++;
	for (enum edge edge = N_EDGES; edge-- > EDGE_CORE;) {
		n_parts += n[edge];
		draws[edge] = n[edge] && n_parts < d->grid.n &&
			      (edge == EDGE_NODE || d->grid.n * d->square / n_parts >= PART_WITH_LINES);
	}
	draws[EDGE_NONE] = false;
}

static void draw_edges(const struct drawing *d, const bool draws[N_EDGES])
{
	static const char *const classes[N_EDGES] = {NULL, "edge", "edge edge-l3", "edge edge-node"};
	double side = d->grid.n * d->square;

	for (uint32_t row = 1; row < d->grid.n; row++) {
		enum edge edge = edge_at(&d->grid, row);
		double at = row * d->square;

		if (!draws[edge])
			continue;
		svg_line(d->out, d->box.x, d->box.y + at, d->box.x + side, d->box.y + at, classes[edge]);
		svg_line(d->out, d->box.x + at, d->box.y, d->box.x + at, d->box.y + side, classes[edge]);
	}
}

/* --- below --- */

static bool has_doubtful_figure(const struct drawing *d)
{
	for (uint32_t row = 0; row < d->grid.n && has_figures(d); row++)
		for (uint32_t column = 0; column < d->grid.n; column++)
			if (matrix_grid_is_doubtful(&d->grid, row, column))
				return true;
	return false;
}

static void draw_legend(const struct drawing *d, const bool draws[N_EDGES])
{
	const struct matrix *matrix = d->grid.matrix;
	double y = d->box.y + d->grid.n * d->square + 18;
	bool has_nodes = matrix->cpus[matrix->n_cpus - 1].node > 0;
	const char *const names[N_EDGES] = {
		NULL, "cores (thin)", "L3 caches", has_nodes ? "nodes (wide)" : "packages (wide)"};
	uint64_t edges[MATRIX_SCALE_EDGES];
	char text[2 * TEXT_SIZE], conditions[MATRIX_WORDS_SIZE], doubt[64];
	bool is_first = true;

	for (unsigned i = 0; i < MATRIX_SCALE_EDGES; i++)
		edges[i] = (uint64_t)(d->scale.edges[i] + 0.5f);
	picture_draw_key(d->scene, d->out, d->box.x, y, edges, draw_square);
	snprintf(text, sizeof(text), "%s; %zu of %zu pairs are measured",
		matrix_conditions_text(matrix, conditions), matrix->n_measured, matrix->n_pairs);
	for (enum edge edge = EDGE_CORE; edge < N_EDGES; edge++)
		if (draws[edge]) {
			text_append(text, sizeof(text), is_first ? "; lines between " : ", ", names[edge]);
			is_first = false;
		}
	snprintf(doubt, sizeof(doubt), "~ fewer than %d samples beyond it", HIST_BEYOND_TRUSTED);
	if (has_doubtful_figure(d))
		text_append(text, sizeof(text), "; ", doubt);
	svg_text(d->out, d->box.x, y + 18, SVG_START, "faint small", text);
}

/* --- all of it --- */

static bool is_there(const struct picture_scene *scene)
{
	return scene->session->matrix && scene->session->matrix->n_measured > 0;
}

static void draw_all(struct drawing *d, struct svg_box whole)
{
	char title[TEXT_SIZE];
	bool draws[N_EDGES];
	bool by_cpu = d->grid.grouping == MATRIX_BY_CPU;

	d->scale = matrix_scale_make(&d->grid);
	d->unit = d->scale.edges[MATRIX_SCALE_EDGES - 1] < 1000 ? UNIT_NS : UNIT_US;
	snprintf(title, sizeof(title), "Matrix: %s p50 in %s from the row's CPU to the column's%s%s",
		matrix_figure_title(matrix_wanted_hop(d->grid.matrix)), unit_name(d->unit),
		by_cpu ? "" : ", medians by ", by_cpu ? "" : matrix_grouping_name(d->grid.grouping));
	d->box = picture_frame(d->out, whole, title, LEFT, RIGHT, LEGEND);
	d->box.y += HEAD;
	d->square = square_of(d->grid.n, whole.width);
	double side = d->grid.n * d->square;

	svg_rectangle(d->out, (struct svg_box){d->box.x, d->box.y, side, side}, "empty");
	if (has_figures(d))
		draw_figures(d);
	else
		for (unsigned step = 1; step <= STYLE_STEPS; step++)
			draw_step(d, step);
	find_edges(d, draws);
	draw_edges(d, draws);
	draw_names(d);
	draw_legend(d, draws);
}

static void draw_matrix(const struct picture_scene *scene, FILE *out, struct svg_box whole)
{
	const struct matrix *matrix = scene->session->matrix;
	struct drawing d = {.scene = scene, .out = out};

	if (matrix_grid_make(&d.grid, matrix, matrix_wanted_hop(matrix), MATRIX_P50,
		    matrix_grid_fit(matrix, ROWS_MAX)) == 0)
		draw_all(&d, whole);
	else
		picture_frame(out, whole, "no memory for the matrix", LEFT, RIGHT, LEGEND);
	matrix_grid_finish(&d.grid);
}

const struct picture picture_matrix = {0, is_there, draw_matrix, .measure = measure};

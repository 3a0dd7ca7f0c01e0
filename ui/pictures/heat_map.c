/* SPDX-License-Identifier: GPL-2.0-or-later */
/* heat_map.c - the picture of the heat map: a row is a range of times; the color is the longest sample, and
 * its strength the count. */
#include "src/model/session.h"
#include "ui/pictures/picture.h"
#include "ui/pictures/scale.h"
#include "ui/pictures/time_columns.h"

enum { ROWS = 18 };

static void draw_step(
	const struct picture_scene *scene, FILE *out, struct svg_box box, unsigned step, double opacity)
{
	int32_t rgb = palette_look(scene->palette, DEPTH_TRUE, style_of_step(step, true)).background;

	if (rgb < 0) /* a palette without colors: the step is the strength */
		svg_colored(out, box, 0xffffff, (double)step / STYLE_STEPS);
	else
		svg_colored(out, box, rgb, opacity);
}

static void draw_cell(
	const struct picture_scene *scene, FILE *out, struct svg_box box, const struct heat_cell *cell)
{
	double opacity = 0.4 + 0.6 * cell->shade / HEAT_SHADES;

	draw_step(scene, out, box, cell->step, cell->step >= STYLE_STEPS / 2 ? 1.0 : opacity);
}

static void draw_key_square(const struct picture_scene *scene, FILE *out, struct svg_box box, unsigned step)
{
	svg_rectangle(out, box, "night");
	draw_step(scene, out, box, step, 1.0);
}

/* As palette_step() has them. */
static void draw_key(const struct picture_scene *scene, FILE *out, struct svg_box box)
{
	uint64_t edges[STYLE_STEPS - 1];

	for (unsigned i = 0; i < STYLE_STEPS - 1; i++)
		edges[i] = scene->view->calm_ns << i;
	picture_draw_key(scene, out, box.x, box.y + box.height + 48, edges, draw_key_square);
}

static void draw_rows(
	const struct picture_scene *scene, FILE *out, struct svg_box box, const struct heat *heat)
{
	double height = box.height / heat->rows;
	char text[32];

	for (unsigned y = 0; y < heat->rows; y++) {
		for (unsigned x = 0; x < heat->columns; x++) {
			struct svg_box cell = time_columns_box(scene->columns, heat->columns - 1 - x, box);

			cell.y = box.y + y * height;
			cell.height = height;
			if (heat->cells[y][x].step)
				draw_cell(scene, out, cell, &heat->cells[y][x]);
		}
		if (y + 1 < heat->rows && y % 2 == 0)
			svg_text(out, box.x - 6, box.y + (y + 1) * height + 4, SVG_END, "faint small",
				scale_time(text, sizeof(text), (double)heat_round(heat->lower_ns[y])));
	}
	for (unsigned x = 0; x < heat->columns; x++)
		if (heat->gaps[x])
			svg_rectangle(
				out, time_columns_box(scene->columns, heat->columns - 1 - x, box), "gap");
}

static void draw_heat_map(const struct picture_scene *scene, FILE *out, struct svg_box whole)
{
	const struct session *session = scene->session;
	struct heat heat;
	char title[160], length[32];

	snprintf(title, sizeof(title), "Heat map: %s, a column each %s", figure_title(scene->view->shown),
		time_columns_length(scene->columns, length, sizeof(length)));
	struct svg_box box = picture_frame(out, whole, title, 56, 16, 56);

	heat_make(&heat, scene->columns->stats, scene->group, scene->view->shown, &scene->columns->seconds,
		ROWS, scene->view->calm_ns);
	svg_rectangle(out, box, "night");
	if (heat.rows)
		draw_rows(scene, out, box, &heat);
	draw_key(scene, out, box);
	time_columns_draw_axis(scene->columns, session, out, box);
}

const struct picture picture_heat_map = {290, picture_has_seconds, draw_heat_map};

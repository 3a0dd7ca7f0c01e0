/* SPDX-License-Identifier: GPL-2.0-or-later */
/* heat_map.c - the picture of the heat map: a column a second, a row a range of times; the color is the
 * longest sample, and its strength the count. */
#include "src/model/session.h"
#include "ui/draw/units.h"
#include "ui/pictures/picture.h"
#include "ui/pictures/seconds.h"

enum { ROWS = 18 };

static bool is_there(const struct picture_scene *scene)
{
	return scene->session->seconds.start_ns > 0 && picture_samples(scene)->n > 0;
}

static void draw_cell(
	const struct picture_scene *scene, FILE *out, struct svg_box box, const struct heat_cell *cell)
{
	int32_t rgb = palette_look(scene->palette, DEPTH_TRUE, style_of_step(cell->step, true)).background;
	double opacity = 0.4 + 0.6 * cell->shade / HEAT_SHADES;

	if (rgb < 0) /* a palette without colors: the step is the strength */
		svg_colored(out, box, 0xffffff, (double)cell->step / STYLE_STEPS);
	else
		svg_colored(out, box, rgb, cell->step >= STYLE_STEPS / 2 ? 1.0 : opacity);
}

static void draw_rows(const struct picture_scene *scene, FILE *out, struct svg_box box,
	const struct heat *heat, const struct heat_seconds *seconds)
{
	double height = box.height / heat->rows;
	char text[32];

	for (unsigned y = 0; y < heat->rows; y++) {
		for (unsigned x = 0; x < heat->columns; x++) {
			struct svg_box cell = seconds_column(seconds, heat->columns - 1 - x, box);

			cell.y = box.y + y * height;
			cell.height = height;
			if (heat->cells[y][x].step)
				draw_cell(scene, out, cell, &heat->cells[y][x]);
		}
		if (y + 1 < heat->rows && y % 2 == 0)
			svg_text(out, box.x - 6, box.y + (y + 1) * height + 4, SVG_END, "faint small",
				units_named(text, sizeof(text), heat_round(heat->lower_ns[y])));
	}
	for (unsigned x = 0; x < heat->columns; x++)
		if (heat->gaps[x])
			svg_rectangle(out, seconds_column(seconds, heat->columns - 1 - x, box), "gap");
}

static void draw(const struct picture_scene *scene, FILE *out, struct svg_box whole)
{
	const struct session *session = scene->session;
	struct heat_seconds seconds = seconds_shown(session);
	struct heat heat;
	char title[160];

	snprintf(title, sizeof(title), "Heat map: %s, a column a second%s", figure_title(scene->view->shown),
		seconds.n == HEAT_COLUMNS_MAX ? ", the last four minutes" : "");
	struct svg_box box = picture_frame(out, whole, title, 56, 16, 36);

	heat_make(&heat, &session->seconds, scene->group, scene->view->shown, &seconds, ROWS,
		scene->view->calm_ns);
	svg_rectangle(out, box, "night");
	if (heat.rows)
		draw_rows(scene, out, box, &heat, &seconds);
	seconds_draw_axis(session, &seconds, out, box);
}

const struct picture picture_heat_map = {270, is_there, draw};

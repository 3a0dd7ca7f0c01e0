/* SPDX-License-Identifier: GPL-2.0-or-later */
/* strips.c - the picture of each column's maximum, p99 and lateness as lines. */
#include "src/model/session.h"
#include "ui/pictures/picture.h"
#include "ui/pictures/scale.h"
#include "ui/pictures/time_columns.h"

enum { N_LINES = 3 };

/* A line of times. */
struct strip {
	const char *name, *class;
	enum figure figure;
	bool is_max; /* else p99 */
};

static uint64_t value_of(const struct picture_scene *scene, const struct strip *strip, unsigned back)
{
	const struct second *second =
		second_stats_at(scene->columns->stats, scene->group, strip->figure, back);
	unsigned bucket = !second ? 0 : strip->is_max ? second->max : second->p99;

	return bucket ? hist_middle(bucket - 1) : 0;
}

static void draw_strip(const struct picture_scene *scene, FILE *out, const struct strip *strip,
	const struct scale *time, struct svg_box box)
{
	const struct heat_seconds *seconds = &scene->columns->seconds;
	bool is_open = false;

	for (unsigned i = seconds->n; i-- > 0;) {
		uint64_t ns = value_of(scene, strip, seconds->back[i]);
		struct svg_box column = time_columns_box(scene->columns, i, box);
		double y = scale_at(time, (double)ns);

		if (ns && !is_open)
			svg_path_begin(out, column.x, y, strip->class);
		if (ns) {
			svg_path_to(out, column.x, y);
			svg_path_to(out, column.x + column.width, y);
		} else if (is_open) {
			svg_path_end(out);
		}
		is_open = ns > 0;
	}
	if (is_open)
		svg_path_end(out);
}

static void draw_legend(FILE *out, const struct strip *strips, const bool *has_samples, struct svg_box box)
{
	double x = box.x + box.width - N_LINES * 150.0;

	for (size_t i = 0; i < N_LINES; i++) {
		if (!has_samples[i])
			continue;
		svg_path_begin(out, x, box.y - 12, strips[i].class);
		svg_path_to(out, x + 28, box.y - 12);
		svg_path_end(out);
		svg_text(out, x + 34, box.y - 8, SVG_START, "ink small", strips[i].name);
		x += 150;
	}
}

static void draw(const struct picture_scene *scene, FILE *out, struct svg_box whole)
{
	enum figure shown = scene->view->shown;
	const struct strip strips[N_LINES] = {
		{scene->view->response == FIGURE_RESPONSE ? "longest response" : "longest lap", "line1",
			scene->view->response, true},
		{"p99", "line0", shown, false}, {"p99 of lateness", "line2", FIGURE_LATENESS, false}};
	const struct heat_seconds *seconds = &scene->columns->seconds;
	uint64_t least = UINT64_MAX, most = 1;
	bool has_samples[N_LINES] = {false};
	char title[128], length[32];

	snprintf(title, sizeof(title), "Each %s: %s",
		time_columns_length(scene->columns, length, sizeof(length)), figure_title(shown));
	struct svg_box box = picture_frame(out, whole, title, 56, 16, 36);

	for (size_t s = 0; s < N_LINES; s++) {
		for (unsigned i = 0; i < seconds->n; i++) {
			uint64_t ns = value_of(scene, &strips[s], seconds->back[i]);

			least = ns && ns < least ? ns : least;
			most = ns > most ? ns : most;
			has_samples[s] |= ns > 0;
		}
	}
	struct scale time = scale_make(least < most ? least : most, most, box.y + box.height, box.y);

	scale_draw_times_left(out, &time, box);
	for (unsigned i = 0; i < seconds->n; i++)
		if (second_stats_is_gap(scene->columns->stats, scene->group, seconds->back[i]))
			svg_rectangle(out, time_columns_box(scene->columns, i, box), "gap");
	for (size_t s = 0; s < N_LINES; s++)
		draw_strip(scene, out, &strips[s], &time, box);
	draw_legend(out, strips, has_samples, box);
	time_columns_draw_axis(scene->columns, scene->session, out, box);
}

const struct picture picture_strips = {220, picture_has_seconds, draw};

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* percentiles.c - the picture of the percentile curve: time over 1 - p on a logarithmic axis, as
 * HdrHistogram's plotter has it. Percentiles with too few samples beyond them are pale. */
#include <math.h>
#include <string.h>

#include "src/model/session.h"
#include "src/model/session_rows.h"
#include "ui/pictures/picture.h"
#include "ui/pictures/scale.h"

enum { LEGEND_LINE = 17, NAME_SIZE = 96 };

struct curve {
	char name[NAME_SIZE];
	const struct hist *hist;
	const char *class;
};

struct curves {
	struct curve list[SVG_LINES];
	size_t n, n_omitted;
};

/* --- which curves --- */

static uint64_t worst_of(const struct session_ring *ring, enum figure shown)
{
	const struct hist *hist = &ring->figures[session_figure_of(ring, shown)].hist;

	return hist->n ? hist->max_ns : 0;
}

/* Inserts a ring, the worst first, and drops the last where there is no room. */
static void insert_ring(
	const struct session_ring **worst, size_t *n, const struct session_ring *ring, enum figure figure)
{
	size_t at = *n < SVG_LINES ? (*n)++ : SVG_LINES;

	while (at > 0 && worst_of(worst[at - 1], figure) < worst_of(ring, figure)) {
		if (at < SVG_LINES)
			worst[at] = worst[at - 1];
		at--;
	}
	if (at < SVG_LINES)
		worst[at] = ring;
}

static void add_rings(struct curves *curves, const struct picture_scene *scene)
{
	static const char *const classes[SVG_LINES] = {
		"line0", "line1", "line2", "line3", "line4", "line5", "line6", "line7"};
	const struct session *session = scene->session;
	const struct session_ring *worst[SVG_LINES];
	size_t n = 0, n_with_samples = 0;

	for (size_t i = 0; i < session->n_rings; i++) {
		if (!worst_of(&session->rings[i], scene->view->shown))
			continue;
		insert_ring(worst, &n, &session->rings[i], scene->view->shown);
		n_with_samples++;
	}
	for (size_t i = 0; i < n; i++) {
		struct curve *curve = &curves->list[curves->n++];

		char name[SESSION_NAME_SIZE];
		enum figure figure = session_figure_of(worst[i], scene->view->shown);

		snprintf(curve->name, sizeof(curve->name), "%s%s%s", session_ring_name(worst[i], name),
			figure == scene->view->shown ? "" : ", ",
			figure == scene->view->shown ? "" : figure_title(figure));
		curve->hist = &worst[i]->figures[figure].hist;
		curve->class = classes[i];
	}
	curves->n_omitted = n_with_samples - n;
}

static void add_phase(
	struct curves *curves, const char *sign, const char *name, const struct hist *hist, const char *class)
{
	struct curve *curve = &curves->list[curves->n];

	if (!hist->n)
		return;
	curves->n++;
	snprintf(curve->name, sizeof(curve->name), "%s%s%s", sign, *name ? ": " : "", name);
	curve->hist = hist;
	curve->class = class;
}

static void find_curves(struct curves *curves, const struct picture_scene *scene)
{
	curves->n = curves->n_omitted = 0;
	if (!scene->a) {
		add_rings(curves, scene);
		return;
	}
	add_phase(curves, "A", scene->name_a, scene->a, "line-a");
	add_phase(curves, "B", scene->name_b, scene->b, "line-b");
}

/* --- the axes --- */

/* The scale of 1 / (1 - p): from 1 (p is 0) to the largest number of samples. */
static struct scale beyond_scale(const struct curves *curves, struct svg_box box)
{
	double most = 100;

	for (size_t i = 0; i < curves->n; i++)
		most = fmax(most, (double)curves->list[i].hist->n);
	return (struct scale){1, most, box.x, box.x + box.width};
}

static struct scale time_scale(const struct curves *curves, struct svg_box box)
{
	uint64_t least = UINT64_MAX, most = 0;

	for (size_t i = 0; i < curves->n; i++) {
		const struct hist *hist = curves->list[i].hist;

		least = hist->min_ns < least ? hist->min_ns : least;
		most = hist->max_ns > most ? hist->max_ns : most;
	}
	return scale_make(least, most, box.y + box.height, box.y);
}

static void draw_percents(FILE *out, const struct scale *scale, struct svg_box box)
{
	static const char *const names[] = {
		"0", "90", "99", "99.9", "99.99", "99.999", "99.9999", "99.99999", "99.999999", "99.9999999"};
	double beyond = 1;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names) && beyond <= scale->to; i++, beyond *= 10) {
		double x = scale_at(scale, beyond);

		svg_line(out, x, box.y, x, box.y + box.height, "grid");
		svg_text(out, x, box.y + box.height + 16, SVG_MIDDLE, "faint small", names[i]);
	}
	svg_text(out, box.x + box.width, box.y + box.height + 30, SVG_END, "faint small", "percentile");
}

/* --- the curves --- */

struct pen {
	FILE *out;
	const struct scale *beyond, *time;
	double x, y;
	bool is_pale;
};

static void begin_path(const struct pen *pen, const char *class)
{
	char classes[32];

	snprintf(classes, sizeof(classes), "%s%s", class, pen->is_pale ? " dim" : "");
	svg_path_begin(pen->out, pen->x, pen->y, classes);
}

/* @n_beyond: samples that are longer than this time. */
static void draw_to(struct pen *pen, const struct curve *curve, uint64_t n_beyond, uint64_t ns)
{
	double n = (double)curve->hist->n;

	pen->x = scale_at(pen->beyond, n_beyond ? n / (double)n_beyond : n);
	pen->y = scale_at(pen->time, (double)ns);
	svg_path_to(pen->out, pen->x, pen->y);
	if (n_beyond >= HIST_BEYOND_TRUSTED || pen->is_pale)
		return;
	svg_path_end(pen->out);
	pen->is_pale = true;
	begin_path(pen, curve->class);
}

static void draw_curve(
	FILE *out, const struct curve *curve, const struct scale *beyond, const struct scale *time)
{
	const struct hist *hist = curve->hist;
	struct pen pen = {
		out, beyond, time, scale_at(beyond, 1), scale_at(time, (double)hist->min_ns), false};
	uint64_t n_beyond = hist->n;

	begin_path(&pen, curve->class);
	for (unsigned b = 0; b < HIST_BUCKETS && n_beyond; b++) {
		uint64_t count = b % HIST_OCTAVE || hist->octave_n[b / HIST_OCTAVE] ? hist_count(hist, b) : 0;

		if (!count)
			continue;
		n_beyond -= count < n_beyond ? count : n_beyond;
		uint64_t ns = hist_middle(b);

		draw_to(&pen, curve, n_beyond, ns < hist->max_ns && n_beyond ? ns : hist->max_ns);
	}
	svg_path_end(out);
}

static void draw_legend(FILE *out, const struct curves *curves, struct svg_box box)
{
	double y = box.y + 14, lines = (double)(curves->n + (curves->n_omitted > 0)), width = 0;
	char more[48], cut[SVG_TEXT_SIZE];

	snprintf(more, sizeof(more), "%zu more, with shorter maxima", curves->n_omitted);
	if (curves->n_omitted)
		width = svg_text_width(more, SVG_FONT_SMALL);
	for (size_t i = 0; i < curves->n; i++)
		width = fmax(width, svg_text_width(curves->list[i].name, SVG_FONT_SMALL));
	width = fmin(width, box.width / 2 - 46); /* a long name would hide the curves */
	svg_shaded(out, (struct svg_box){box.x + 6, box.y + 2, width + 46, lines * LEGEND_LINE + 2}, "paper",
		0.75);
	for (size_t i = 0; i < curves->n; i++, y += LEGEND_LINE) {
		svg_path_begin(out, box.x + 10, y - 4, curves->list[i].class);
		svg_path_to(out, box.x + 40, y - 4);
		svg_path_end(out);
		svg_text(out, box.x + 46, y, SVG_START, "ink small",
			svg_cut(curves->list[i].name, SVG_FONT_SMALL, width, cut));
	}
	if (curves->n_omitted)
		svg_text(out, box.x + 46, y, SVG_START, "faint small", more);
}

static bool is_there(const struct picture_scene *scene)
{
	return picture_samples(scene)->n > 0;
}

static void draw(const struct picture_scene *scene, FILE *out, struct svg_box whole)
{
	struct curves curves;
	char title[128];

	snprintf(title, sizeof(title), "Percentiles of the %s%s", figure_title(scene->view->shown),
		scene->a ? " in two phases" : "");
	struct svg_box box = picture_frame(out, whole, title, 56, 16, 36);

	find_curves(&curves, scene);
	if (!curves.n)
		return;
	struct scale beyond = beyond_scale(&curves, box), time = time_scale(&curves, box);

	scale_draw_times_left(out, &time, box);
	draw_percents(out, &beyond, box);
	for (size_t i = curves.n; i-- > 0;) /* the worst one on top */
		draw_curve(out, &curves.list[i], &beyond, &time);
	draw_legend(out, &curves, box);
}

const struct picture picture_percentiles = {300, is_there, draw};

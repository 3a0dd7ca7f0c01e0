/* SPDX-License-Identifier: GPL-2.0-or-later */
/* percentiles.c - the picture of the percentile curve: time over 1 - p on a logarithmic axis, as
 * HdrHistogram's plotter has it. Percentiles with too few samples beyond them are pale, so the legend is
 * below the box: over the curves it would make them pale, too. */
#include <math.h>

#include "src/model/session.h"
#include "ui/pictures/picture.h"
#include "ui/pictures/scale.h"

enum {
	HEIGHT = 300, /* without the legend */
	LEFT = 56,
	RIGHT = 16,
	BOTTOM = 36, /* of the axis */
	LEGEND_LINE = 17,
	LEGEND_NAME = 36, /* where the name of a curve begins, after a piece of its line */
	LEGEND_GAP = 14,
	LEGEND_COLUMNS = 3,
	NAME_SIZE = 96
};

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
	svg_text(out, box.x + box.width, box.y + box.height + 30, SVG_END, "faint small",
		"percentile; pale: too few samples beyond it");
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

/* The names of the curves, in as many columns as they have room for. */
struct legend {
	size_t n, n_columns, n_lines;
	double column_width;
	char more[48]; /* the last name; "": there is none */
};

static void lay_out_legend(struct legend *legend, const struct curves *curves, double width)
{
	double widest = 0;

	legend->more[0] = '\0';
	if (curves->n_omitted)
		snprintf(legend->more, sizeof(legend->more), "%zu more, with shorter maxima",
			curves->n_omitted);
	for (size_t i = 0; i < curves->n; i++)
		widest = fmax(widest, svg_text_width(curves->list[i].name, SVG_FONT_SMALL));
	widest = fmax(widest, svg_text_width(legend->more, SVG_FONT_SMALL)) + LEGEND_NAME + LEGEND_GAP;
	legend->n = curves->n + (curves->n_omitted > 0);
	/* Two at least: a very long name is cut. */
	legend->n_columns = (size_t)fmin(fmax(width / widest, 2), LEGEND_COLUMNS);
	legend->n_lines = (legend->n + legend->n_columns - 1) / legend->n_columns;
	legend->column_width = width / (double)legend->n_columns;
}

static void draw_legend(
	FILE *out, const struct curves *curves, const struct legend *legend, double left, double top)
{
	char cut[SVG_TEXT_SIZE];

	for (size_t i = 0; i < legend->n; i++) {
		double x = left + (double)(i / legend->n_lines) * legend->column_width;
		double y = top + (double)(i % legend->n_lines + 1) * LEGEND_LINE;
		bool is_curve = i < curves->n;

		if (is_curve) {
			svg_path_begin(out, x, y - 4, curves->list[i].class);
			svg_path_to(out, x + LEGEND_NAME - 6, y - 4);
			svg_path_end(out);
		}
		svg_text(out, x + LEGEND_NAME, y, SVG_START, is_curve ? "ink small" : "faint small",
			svg_cut(is_curve ? curves->list[i].name : legend->more, SVG_FONT_SMALL,
				legend->column_width - LEGEND_NAME - LEGEND_GAP, cut));
	}
}

static bool is_there(const struct picture_scene *scene)
{
	return picture_samples(scene)->n > 0;
}

static double measure(const struct picture_scene *scene, double width)
{
	struct curves curves;
	struct legend legend;

	find_curves(&curves, scene);
	lay_out_legend(&legend, &curves, width - LEFT - RIGHT);
	return HEIGHT + (double)legend.n_lines * LEGEND_LINE;
}

static void draw(const struct picture_scene *scene, FILE *out, struct svg_box whole)
{
	struct curves curves;
	struct legend legend;
	char title[128];

	snprintf(title, sizeof(title), "Percentiles of the %s%s", figure_title(scene->view->shown),
		scene->a ? " in two phases" : "");
	find_curves(&curves, scene);
	lay_out_legend(&legend, &curves, whole.width - LEFT - RIGHT);
	struct svg_box box =
		picture_frame(out, whole, title, LEFT, RIGHT, BOTTOM + (double)legend.n_lines * LEGEND_LINE);

	if (!curves.n)
		return;
	struct scale beyond = beyond_scale(&curves, box), time = time_scale(&curves, box);

	scale_draw_times_left(out, &time, box);
	draw_percents(out, &beyond, box);
	for (size_t i = curves.n; i-- > 0;) /* the worst one on top */
		draw_curve(out, &curves.list[i], &beyond, &time);
	draw_legend(out, &curves, &legend, box.x, box.y + box.height + BOTTOM);
}

const struct picture picture_percentiles = {0, is_there, draw, .measure = measure};

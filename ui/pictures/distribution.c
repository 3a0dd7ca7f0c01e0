/* SPDX-License-Identifier: GPL-2.0-or-later */
/* distribution.c - the picture of the histogram: how many samples each eighth of an octave has. Counts are
 * logarithmic, so that a single sample is seen beside millions. */
#include <math.h>

#include "ui/pictures/picture.h"
#include "ui/pictures/scale.h"

enum { EIGHTHS = HIST_OCTAVES * 8, EIGHTH = HIST_OCTAVE / 8, MARK_NAMES = 14 };

struct eighths {
	uint64_t count[EIGHTHS];
	uint64_t most;
};

static void count_eighths(struct eighths *eighths, const struct hist *hist)
{
	*eighths = (struct eighths){0};
	for (unsigned b = 0; b < HIST_BUCKETS; b++) {
		uint64_t count = hist->octave_n[b / HIST_OCTAVE] ? hist_count(hist, b) : 0;

		eighths->count[b / EIGHTH] += count;
	}
	for (unsigned i = 0; i < EIGHTHS; i++)
		eighths->most = eighths->count[i] > eighths->most ? eighths->count[i] : eighths->most;
}

static struct svg_box bar_of(
	const struct eighths *eighths, unsigned i, const struct scale *time, const struct scale *count)
{
	double from = (double)hist_lower(i * EIGHTH),
	       to = i + 1 < EIGHTHS ? (double)hist_lower((i + 1) * EIGHTH) : from * 2;
	double x = scale_at(time, from), bottom = count->start + 3;
	double y = eighths->count[i] ? scale_at(count, (double)eighths->count[i]) : bottom;

	return (struct svg_box){x, y, scale_at(time, to) - x, bottom - y};
}

static void draw_bars(
	FILE *out, const struct eighths *eighths, const struct scale *time, const struct scale *count)
{
	for (unsigned i = 0; i < EIGHTHS; i++)
		if (eighths->count[i])
			svg_rectangle(out, bar_of(eighths, i, time, count), "fill-b");
}

/* Draws one line round the bars: over those of another phase, both can be seen. */
static void draw_outline(
	FILE *out, const struct eighths *eighths, const struct scale *time, const struct scale *count)
{
	bool is_in_path = false;

	for (unsigned i = 0; i < EIGHTHS; i++) {
		struct svg_box bar = bar_of(eighths, i, time, count);

		if (!eighths->count[i])
			continue;
		if (!is_in_path)
			svg_path_begin(out, bar.x, bar.y + bar.height, "line-a");
		svg_path_to(out, bar.x, bar.y);
		svg_path_to(out, bar.x + bar.width, bar.y);
		is_in_path = i + 1 < EIGHTHS && eighths->count[i + 1];
		if (is_in_path)
			continue;
		svg_path_to(out, bar.x + bar.width, bar.y + bar.height);
		svg_path_end(out);
	}
}

/* Percentiles of the last phase, or of the whole run. Their names are above the box: bars would hide them. */
static void draw_marks(FILE *out, const struct hist *hist, const struct scale *time, struct svg_box box)
{
	static const struct {
		const char *name;
		double percentile;
	} marks[] = {{"p50", 50}, {"p99", 99}, {"p99.9", 99.9}};
	double free_from = box.x;

	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
		double x = scale_at(time, (double)hist_percentile(hist, marks[i].percentile));

		svg_line(out, x, box.y, x, box.y + box.height, "mark");
		double width = svg_text_width(marks[i].name, SVG_FONT_SMALL);
		double left = fmax(fmin(x - width / 2, box.x + box.width - width), free_from);

		svg_text(out, left, box.y - 4, SVG_START, "faint small", marks[i].name);
		free_from = left + width + 6;
	}
}

static bool is_there(const struct picture_scene *scene)
{
	return picture_samples(scene)->n > 0;
}

static void draw_distribution(const struct picture_scene *scene, FILE *out, struct svg_box whole)
{
	const struct hist *all = picture_samples(scene), *b = scene->a ? scene->b : all;
	struct eighths of_a = {0}, of_b;
	char title[128];

	snprintf(title, sizeof(title), "Samples of the %s%s", figure_title(scene->view->shown),
		scene->a ? ": A dashed, B filled; percentiles of B" : "");
	struct svg_box box = picture_frame(out, whole, title, 56, 16, 24);

	box.y += MARK_NAMES;
	box.height -= MARK_NAMES;
	count_eighths(&of_b, b);
	if (scene->a)
		count_eighths(&of_a, scene->a);
	uint64_t least = b->n ? b->min_ns : UINT64_MAX, most = b->n ? b->max_ns : 0;

	if (scene->a && scene->a->n) {
		least = scene->a->min_ns < least ? scene->a->min_ns : least;
		most = scene->a->max_ns > most ? scene->a->max_ns : most;
	}
	struct scale time = scale_make(least, most + most / 8, box.x, box.x + box.width);
	struct scale count =
		scale_make(1, of_a.most > of_b.most ? of_a.most : of_b.most, box.y + box.height - 3, box.y);

	scale_draw_times_below(out, &time, box);
	scale_draw_counts_left(out, &count, box);
	draw_bars(out, &of_b, &time, &count);
	if (scene->a)
		draw_outline(out, &of_a, &time, &count);
	if (b->n)
		draw_marks(out, b, &time, box);
}

const struct picture picture_distribution = {230, is_there, draw_distribution};

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scale.c - a logarithmic scale between two values, and its grid. */
#include "ui/pictures/scale.h"

#include <math.h>
#include <stdbool.h>

#include "ui/draw/units.h"

static const double nearest = 20; /* pixels between two lines that have their values */

/* Returns the next round value: 1, 2, 5, 10, 20, ... */
static double next_round(double value)
{
	double decade = pow(10.0, floor(log10(value) + 1e-9)), lead = value / decade;

	return lead < 1.5 ? 2 * decade : lead < 4 ? 5 * decade : 10 * decade;
}

struct scale scale_make(uint64_t least, uint64_t most, double start, double end)
{
	struct scale scale = {.from = 1.0, .start = start, .end = end};

	while (next_round(scale.from) <= (double)least)
		scale.from = next_round(scale.from);
	scale.to = next_round(scale.from);
	while (scale.to < (double)most)
		scale.to = next_round(scale.to);
	return scale;
}

double scale_at(const struct scale *scale, double value)
{
	double within = fmin(fmax(value, scale->from), scale->to);

	return scale->start +
	       (scale->end - scale->start) * log(within / scale->from) / log(scale->to / scale->from);
}

/* Goes through the round values whose lines are far enough from the last one; decades come first where not
 * all have room. */
static double next_line(const struct scale *scale, double value, double room)
{
	double decade = fabs(scale->end - scale->start) / log10(scale->to / scale->from);

	if (decade * 0.3 >= room) /* from 1 to 2, and from 5 to 10 */
		return next_round(value);
	double next = pow(10.0, floor(log10(value) + 1e-9) + 1);

	while (decade * log10(next / value) < room)
		next *= 10;
	return next;
}

static double first_line(const struct scale *scale, double room)
{
	double decade = fabs(scale->end - scale->start) / log10(scale->to / scale->from);

	return decade * 0.3 >= room ? scale->from : pow(10.0, ceil(log10(scale->from) - 1e-9));
}

char *scale_time(char *text, size_t size, double ns)
{
	static const char *const units[] = {"ns", "us", "ms", "s"};
	size_t unit = 0;

	for (; ns > 999.5 && unit < 3; unit++)
		ns /= 1000;
	bool has_decimal = ns < 9.95 && fabs(ns - round(ns)) >= 0.05;

	snprintf(text, size, "%.*f %s", has_decimal, ns, units[unit]);
	return text;
}

static char *scale_count(char *text, size_t size, double count)
{
	return units_count(text, size, 5, (uint64_t)(count + 0.5));
}

static void draw_left(FILE *out, const struct scale *scale, struct svg_box box,
	char *(*format)(char *text, size_t size, double value))
{
	char text[32];

	for (double at = first_line(scale, nearest); at <= scale->to * 1.001;
		at = next_line(scale, at, nearest)) {
		double y = scale_at(scale, at);

		svg_line(out, box.x, y, box.x + box.width, y, "grid");
		svg_text(out, box.x - 6, y + 4, SVG_END, "faint small", format(text, sizeof(text), at));
	}
}

void scale_draw_times_left(FILE *out, const struct scale *scale, struct svg_box box)
{
	draw_left(out, scale, box, scale_time);
}

void scale_draw_counts_left(FILE *out, const struct scale *scale, struct svg_box box)
{
	draw_left(out, scale, box, scale_count);
}

void scale_draw_times_below(FILE *out, const struct scale *scale, struct svg_box box)
{
	const double room = 44;
	char text[32];

	for (double at = first_line(scale, room); at <= scale->to * 1.001; at = next_line(scale, at, room)) {
		double x = scale_at(scale, at);

		svg_line(out, x, box.y, x, box.y + box.height, "grid");
		svg_text(out, x, box.y + box.height + 16, SVG_MIDDLE, "faint small",
			scale_time(text, sizeof(text), at));
	}
}

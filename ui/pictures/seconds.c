/* SPDX-License-Identifier: GPL-2.0-or-later */
/* seconds.c - the axis of the last seconds. */
#include "ui/pictures/seconds.h"

#include "src/model/session.h"
#include "ui/draw/units.h"

struct heat_seconds seconds_shown(const struct session *session)
{
	uint64_t n = session->seconds.second + 1;
	struct heat_seconds seconds;

	heat_seconds_all(&seconds, n < HEAT_COLUMNS_MAX ? (unsigned)n : HEAT_COLUMNS_MAX);
	return seconds;
}

/* The newest second is the first in the list, and to the right. */
struct svg_box seconds_column(const struct heat_seconds *seconds, unsigned i, struct svg_box box)
{
	double width = box.width / (seconds->n > 30 ? seconds->n : 30);

	return (struct svg_box){box.x + box.width - (i + 1) * width, box.y, width, box.height};
}

enum { NAME_WIDTH = 150 };

/* The newest first: where names have no room beside each other, that of the older phase is omitted. */
static void draw_phases(
	const struct session *session, const struct heat_seconds *seconds, FILE *out, struct svg_box box)
{
	double free_to = box.x + box.width;

	for (size_t p = session->phases.n; p-- > 0;) {
		const struct phase *phase = &session->phases.list[p];
		uint64_t back = second_stats_back(&session->seconds, phase->start_ns);
		char name[PHASE_NAME_SIZE + 16], cut[SVG_TEXT_SIZE];

		if (back >= seconds->n)
			continue;
		double x = seconds_column(seconds, (unsigned)back, box).x, y = box.y + box.height;
		bool is_at_end = free_to >= box.x + box.width && x + NAME_WIDTH > free_to;

		svg_line(out, x, box.y, x, y, "phase");
		if (!is_at_end && x + NAME_WIDTH > free_to)
			continue;
		snprintf(name, sizeof(name), "%u%s%s", phase->number, *phase->name ? " " : "", phase->name);
		svg_text(out, is_at_end ? x - 3 : x + 3, y + 28, is_at_end ? SVG_END : SVG_START,
			"faint small", svg_cut(name, SVG_FONT_SMALL, NAME_WIDTH - 6, cut));
		free_to = is_at_end ? x - NAME_WIDTH : x;
	}
}

void seconds_draw_axis(
	const struct session *session, const struct heat_seconds *seconds, FILE *out, struct svg_box box)
{
	unsigned n = seconds->n, step = n > 120 ? 60 : n > 30 ? 20 : 10;
	char text[16];

	for (unsigned back = 0; back < n; back += step) {
		uint64_t at_ns = second_stats_start_ns(&session->seconds, back);
		struct svg_box column = seconds_column(seconds, back, box);

		units_clock(text, sizeof(text), session->wall_start_ns + at_ns - session->start_ns);
		svg_text(out, column.x + column.width, box.y + box.height + 14, SVG_END, "faint small", text);
	}
	draw_phases(session, seconds, out, box);
}

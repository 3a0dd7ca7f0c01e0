/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spikes.c - a spike as a line: when, which ring, how long, and why. */
#include "ui/panes/spikes.h"

#include <stdio.h>
#include <string.h>

#include "src/model/session.h"
#include "ui/panes/second_strips.h"

enum {
	NARROW = 60, /* columns of the widest area without the time */
	TIME_WIDTH = 8,
	LENGTH_WIDTH = 7,
	RING_MIN = 4,
	RING_MAX = 20,
	GAP = 1,
	SCALE_WIDTH = 22,
	WHY_MIN = 24, /* columns of the head of the cause, beside the scale */
};

char *spike_ring(const struct scene *scene, const struct spike *spike, char text[SPIKE_RING_SIZE])
{
	const struct session_ring *ring = session_find_ring(scene->session, spike->ring);
	bool several = scene->session->n_mechanisms > 1;
	char label[SPIKE_LABEL_SIZE], suffix[SESSION_SUFFIX_SIZE];

	if (ring)
		snprintf(text, SPIKE_RING_SIZE, "%s%s%s%s", several ? ring->mechanism : "",
			several ? " " : "", session_spike_label(ring, spike, label),
			session_ring_suffix(ring, suffix));
	else
		snprintf(text, SPIKE_RING_SIZE, "ring %u", (unsigned)spike->ring);
	return text;
}

/* "212.40us"; a longer unit has its name already. */
static char *spike_length(const struct scene *scene, const struct spike *spike, char *text, size_t size)
{
	enum unit unit = scene->view->unit;
	char time[32];

	units_time(time, sizeof(time), LENGTH_WIDTH - 1, spike_length_ns(spike), unit);
	snprintf(text, size, "%s%s", time, time[strspn(time, "0123456789.")] ? "" : unit_name(unit));
	return text;
}

char *spike_text(const struct scene *scene, const struct kept_spike *kept, char text[SPIKE_TEXT_SIZE])
{
	char ring[SPIKE_RING_SIZE], length[40], why[EXPLANATION_TEXT_SIZE];

	snprintf(text, SPIKE_TEXT_SIZE, "%s %s: %s", spike_ring(scene, &kept->spike, ring),
		spike_length(scene, &kept->spike, length, sizeof(length)),
		explanation_text(kept->explanation, why));
	return text;
}

/* Returns the columns that the kept spikes' rings need. */
static unsigned ring_width(const struct scene *scene)
{
	const struct session_spikes *spikes = &scene->session->spikes;
	unsigned width = RING_MIN;
	char text[SPIKE_RING_SIZE];

	for (size_t i = 0; i < spikes->n_last + spikes->n_worst && width < RING_MAX; i++) {
		const struct kept_spike *kept =
			i < spikes->n_last ? &spikes->last[i] : &spikes->worst[i - spikes->n_last];
		unsigned needed = canvas_measure(scene->canvas, spike_ring(scene, &kept->spike, text));

		width = needed > width ? needed : width;
	}
	return smaller(width, RING_MAX);
}

struct spike_columns spike_columns(const struct scene *scene, unsigned x, unsigned width)
{
	struct spike_columns columns = {.time_x = x,
		.time_width = width < NARROW ? 0 : TIME_WIDTH,
		.ring_width = ring_width(scene),
		.length_width = LENGTH_WIDTH};

	columns.ring_x = x + columns.time_width + (columns.time_width ? GAP : 0);
	columns.length_x = columns.ring_x + columns.ring_width + GAP;
	columns.sign_x = columns.length_x + columns.length_width + GAP;
	columns.text_x = columns.sign_x + 1 + GAP;
	return columns;
}

void spike_head_draw(const struct scene *scene, struct area line, const struct spike_columns *columns)
{
	struct canvas *canvas = scene->canvas;

	canvas_restyle(canvas, line, STYLE_HEAD);
	if (columns->time_width)
		canvas_left(canvas, line, columns->time_x, 0, columns->time_width, STYLE_HEAD, "TIME");
	canvas_left(canvas, line, columns->ring_x, 0, columns->ring_width, STYLE_HEAD, "RING");
	canvas_right(canvas, line, columns->length_x, 0, columns->length_width, STYLE_HEAD,
		unit_name(scene->view->unit));
	canvas_left(canvas, line, columns->text_x, 0, line.width - columns->text_x, STYLE_HEAD, "WHY");
	if (line.width >= columns->text_x + WHY_MIN + SCALE_WIDTH)
		trend_draw_scale(
			scene, (struct area){line.x + line.width - SCALE_WIDTH, line.y, SCALE_WIDTH, 1});
}

void spike_draw(const struct scene *scene, struct area line, const struct spike_columns *columns,
	const struct kept_spike *kept)
{
	const struct session *session = scene->session;
	const struct spike *spike = &kept->spike;
	struct canvas *canvas = scene->canvas;
	char clock[32], ring[SPIKE_RING_SIZE], time[32], text[EXPLANATION_TEXT_SIZE];

	units_clock(clock, sizeof(clock), session->wall_start_ns + spike_start_ns(spike) - session->start_ns);
	if (columns->time_width)
		canvas_left(canvas, line, columns->time_x, 0, columns->time_width, STYLE_PLAIN, clock);
	canvas_left(canvas, line, columns->ring_x, 0, columns->ring_width, STYLE_PLAIN,
		spike_ring(scene, spike, ring));
	units_time(time, sizeof(time), columns->length_width - 1, spike_length_ns(spike), scene->view->unit);
	canvas_right(canvas, line, columns->length_x, 0, columns->length_width, STYLE_STRONG, time);
	trend_draw_time(scene, line, columns->sign_x, spike_length_ns(spike));
	canvas_left(canvas, line, columns->text_x, 0, line.width - columns->text_x, STYLE_PLAIN,
		explanation_text(kept->explanation, text));
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spike.c - the picture of the longest spike: what ran meanwhile on each CPU, on an axis of time. */
#include <math.h>
#include <string.h>

#include "src/model/session.h"
#include "ui/pictures/picture.h"

enum { CPUS_SHOWN = 4, WHY = 18, LANE = 26, MOMENTS = 48, MOMENT_LINE = 14, LEGEND_LINE = 18, CAUSES = 7 };

static size_t find_cpus(const struct explanation *explanation, uint32_t cpus[CPUS_SHOWN])
{
	size_t n = 0;

	for (size_t i = 0; i < explanation->n_segments; i++) {
		uint32_t cpu = explanation->segments[i].cause.cpu;
		size_t at = 0;

		while (at < n && cpus[at] != cpu)
			at++;
		if (at == n && n < CPUS_SHOWN)
			cpus[n++] = cpu;
	}
	return n;
}

/* Below the title: why, lanes, moments, and two columns of causes. */
static double measure(const struct picture_scene *scene, double width)
{
	const struct explanation *explanation = scene->session->spikes.worst[0].explanation;
	uint32_t cpus[CPUS_SHOWN];
	size_t n_lines = ((explanation->n_blames < CAUSES ? explanation->n_blames : CAUSES) + 1) / 2;

	return PICTURE_TITLE + WHY + (double)find_cpus(explanation, cpus) * LANE + MOMENTS +
	       (double)n_lines * LEGEND_LINE;
}

static bool is_there(const struct picture_scene *scene)
{
	return scene->session->spikes.n_worst > 0;
}

struct moment_axis {
	struct svg_box box;
	uint64_t start_ns, length_ns;
};

static double x_of(const struct moment_axis *axis, uint64_t at_ns)
{
	uint64_t since_ns = at_ns > axis->start_ns ? at_ns - axis->start_ns : 0;

	return axis->box.x + axis->box.width * fmin((double)since_ns / (double)axis->length_ns, 1.0);
}

/* Returns the look of a cause: its rank among those that are blamed. What the recorder did not see has no
 * color, and those that are not blamed share one. */
static void class_of(const struct explanation *explanation, const struct cause *cause, char class[16])
{
	char text[CAUSE_TEXT_SIZE], other[CAUSE_TEXT_SIZE];
	size_t i = 0;

	cause_text(cause, text);
	while (i < explanation->n_blames &&
		strcmp(cause_text(&explanation->blames[i].cause, other), text) != 0)
		i++;
	if (cause->kind == CAUSE_UNSEEN)
		snprintf(class, 16, "unseen");
	else
		snprintf(class, 16, "cause%u",
			cause->kind == CAUSE_UNEXPLAINED || i >= CAUSES ? CAUSES : (unsigned)i);
}

static void draw_lane(FILE *out, const struct moment_axis *axis, const struct explanation *explanation,
	uint32_t cpu, double y)
{
	char name[24], class[16], text[CAUSE_TEXT_SIZE];

	snprintf(name, sizeof(name), "CPU %u", cpu);
	svg_text(out, axis->box.x - 6, y + 15, SVG_END, "ink small", name);
	svg_line(out, axis->box.x, y + LANE - 6, axis->box.x + axis->box.width, y + LANE - 6, "grid");
	for (size_t i = 0; i < explanation->n_segments; i++) {
		const struct segment *segment = &explanation->segments[i];
		double from = x_of(axis, segment->from_ns), to = x_of(axis, segment->to_ns);

		if (segment->cause.cpu != cpu)
			continue;
		class_of(explanation, &segment->cause, class);
		svg_note_begin(out, cause_text(&segment->cause, text));
		svg_rectangle(out, (struct svg_box){from, y, fmax(to - from, 1.0), LANE - 6}, class);
		svg_note_end(out);
	}
}

/* @row: of the texts below, which may be as wide as the axis. */
static void draw_moment(FILE *out, const struct moment_axis *axis, uint64_t at_ns, const char *name,
	double bottom, unsigned row)
{
	double x = x_of(axis, at_ns);
	char text[48], time[32];

	if (!at_ns)
		return;
	picture_time(time, sizeof(time), at_ns > axis->start_ns ? at_ns - axis->start_ns : 0);
	snprintf(text, sizeof(text), "%s %s", name, at_ns > axis->start_ns ? time : "");
	svg_line(out, x, axis->box.y - 4, x, bottom, "mark");
	svg_text(out, x, bottom + (row + 1) * MOMENT_LINE,
		x > axis->box.x + axis->box.width / 2 ? SVG_END : SVG_START, "faint small", text);
}

static void draw_causes(FILE *out, const struct explanation *explanation, struct svg_box box, double y)
{
	char class[16], text[CAUSE_TEXT_SIZE], time[32], line[CAUSE_TEXT_SIZE + 40], cut[SVG_TEXT_SIZE];

	for (size_t i = 0; i < explanation->n_blames && i < CAUSES; i++) {
		double x = box.x + (double)(i % 2) * box.width / 2, at = y + (double)(i / 2) * LEGEND_LINE;

		class_of(explanation, &explanation->blames[i].cause, class);
		svg_rectangle(out, (struct svg_box){x, at - 9, 10, 10}, class);
		snprintf(line, sizeof(line), "%s: %s", cause_text(&explanation->blames[i].cause, text),
			picture_time(time, sizeof(time), explanation->blames[i].ns));
		svg_text(out, x + 16, at, SVG_START, "ink small",
			svg_cut(line, SVG_FONT_SMALL, box.width / 2 - 20, cut));
	}
}

static void draw(const struct picture_scene *scene, FILE *out, struct svg_box whole)
{
	const struct kept_spike *kept = &scene->session->spikes.worst[0];
	const struct session_ring *ring = session_find_ring(scene->session, kept->spike.ring);
	char title[EXPLANATION_TEXT_SIZE + 256], text[EXPLANATION_TEXT_SIZE], time[32];
	char name[SESSION_NAME_SIZE], cut[SVG_TEXT_SIZE];
	uint32_t cpus[CPUS_SHOWN];

	snprintf(name, sizeof(name), "ring %u", (unsigned)kept->spike.ring);
	snprintf(title, sizeof(title), "The longest spike: %s, %s",
		ring ? session_spike_name(ring, &kept->spike, name) : name,
		picture_time(time, sizeof(time), spike_length_ns(&kept->spike)));
	struct svg_box box = picture_frame(out, whole, title, 56, 16, 0);

	svg_text(out, whole.x, whole.y + PICTURE_TITLE + 4, SVG_START, "ink small",
		svg_cut(explanation_text(kept->explanation, text), SVG_FONT_SMALL, whole.width, cut));
	box.y += WHY;
	struct moment_axis axis = {box, spike_start_ns(&kept->spike), spike_length_ns(&kept->spike)};
	size_t n = find_cpus(kept->explanation, cpus);

	if (!axis.length_ns)
		return;
	for (size_t i = 0; i < n; i++)
		draw_lane(out, &axis, kept->explanation, cpus[i], box.y + (double)i * LANE);
	double bottom = box.y + (double)n * LANE;

	draw_moment(out, &axis, kept->spike.due_ns, "due", bottom, 0);
	draw_moment(out, &axis, spike_hop_sent_ns(&kept->spike), "sent", bottom, 1);
	draw_moment(out, &axis, spike_end_ns(&kept->spike),
		kept->spike.received_ns ? "received" : "still out", bottom, 0);
	draw_causes(out, kept->explanation, box, bottom + MOMENTS);
}

const struct picture picture_spike = {0, is_there, draw, .measure = measure};

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spike_axis.c - a spike on an axis of time: what ran meanwhile on each CPU. */
#include "ui/panes/spike_axis.h"

#include <stdio.h>
#include <string.h>

enum {
	NAME_WIDTH = 9, /* columns of "CPU 1023 " */
	AXIS_CPUS = 8,
	MARK_LINES = 2, /* the marks' names, the marks */
	SCALE_LINES = 1,
	LABEL_WIDTH = 10, /* columns of the scale from one number to the next, at least */
};

/* The columns of the axis, and its time. */
struct axis {
	struct area area;
	uint64_t start_ns, length_ns;
};

struct axis_cpus {
	uint32_t cpus[AXIS_CPUS]; /* in the order of their first segments */
	size_t n;
};

char spike_axis_letter(const struct explanation *explanation, const struct cause *cause)
{
	char text[CAUSE_TEXT_SIZE], other[CAUSE_TEXT_SIZE];
	unsigned letter = 0;

	if (cause->kind == CAUSE_UNEXPLAINED || cause->kind == CAUSE_UNSEEN)
		return '?';
	cause_text(cause, text);
	for (size_t i = 0; i < explanation->n_blames; i++) {
		const struct cause *blamed = &explanation->blames[i].cause;

		if (strcmp(cause_text(blamed, other), text) == 0)
			return (char)('A' + letter);
		letter += blamed->kind > CAUSE_UNSEEN;
	}
	return '*'; /* too many causes */
}

static struct axis_cpus cpus_of(const struct explanation *explanation)
{
	struct axis_cpus cpus = {.n = 0};

	for (size_t i = 0; i < explanation->n_segments && cpus.n < AXIS_CPUS; i++) {
		uint32_t cpu = explanation->segments[i].cause.cpu;
		size_t at = 0;

		while (at < cpus.n && cpus.cpus[at] != cpu)
			at++;
		if (at == cpus.n)
			cpus.cpus[cpus.n++] = cpu;
	}
	return cpus;
}

unsigned spike_axis_lines(const struct explanation *explanation, unsigned most)
{
	return smaller(most, MARK_LINES + SCALE_LINES + (unsigned)cpus_of(explanation).n);
}

/* Returns the column that begins at a time: the axis's width for the end. */
static unsigned column_of(const struct axis *axis, uint64_t at_ns)
{
	uint64_t since_ns = at_ns > axis->start_ns ? at_ns - axis->start_ns : 0;

	if (since_ns >= axis->length_ns)
		return axis->area.width;
	return (unsigned)((double)since_ns / (double)axis->length_ns * axis->area.width + 0.5);
}

/* --- marks --- */

struct axis_mark {
	const char *name;
	unsigned column;
};

/* Moves names to the left until none covers the next one; a name without room is omitted, as are all where
 * @y, the line of the marks, is the first one. */
static void draw_marks(
	const struct scene *scene, const struct axis *axis, unsigned y, struct axis_mark *marks, size_t n)
{
	unsigned end = y ? axis->area.width : 0, tick = scene->canvas->ascii ? '|' : 0x2502;

	for (size_t i = n; i-- > 0;) {
		unsigned width = (unsigned)strlen(marks[i].name);
		unsigned x = marks[i].column > width / 2 ? marks[i].column - width / 2 : 0;

		x = x + width <= end ? x : end > width ? end - width : 0;
		if (width <= end)
			canvas_text(scene->canvas, axis->area, x, 0, STYLE_PLAIN, marks[i].name);
		end = width > end ? 0 : x ? x - 1 : 0;
		canvas_put(scene->canvas, axis->area, smaller(marks[i].column, axis->area.width - 1), y, tick,
			STYLE_PLAIN);
	}
}

static void draw_moments(
	const struct scene *scene, const struct axis *axis, unsigned y, const struct kept_spike *kept)
{
	const struct spike *spike = &kept->spike;
	const struct explanation *explanation = &kept->explanation;
	struct axis_mark marks[5];
	size_t n = 0;

	if (spike->due_ns)
		marks[n++] = (struct axis_mark){"due", column_of(axis, spike->due_ns)};
	if (explanation->sender_ran_ns)
		marks[n++] = (struct axis_mark){"running", column_of(axis, explanation->sender_ran_ns)};
	if (spike->sent_ns)
		marks[n++] = (struct axis_mark){"sent", column_of(axis, spike->sent_ns)};
	if (explanation->receiver_ran_ns)
		marks[n++] = (struct axis_mark){"running", column_of(axis, explanation->receiver_ran_ns)};
	marks[n++] = (struct axis_mark){
		spike->received_ns ? "received" : "still out", column_of(axis, spike_end_ns(spike))};
	draw_marks(scene, axis, y, marks, n);
}

/* --- bars --- */

static void draw_segment(const struct scene *scene, const struct axis *axis, unsigned y,
	const struct explanation *explanation, const struct segment *segment)
{
	unsigned from = smaller(column_of(axis, segment->from_ns), axis->area.width - 1),
		 to = column_of(axis, segment->to_ns);
	char letter = spike_axis_letter(explanation, &segment->cause);

	for (unsigned x = from; x < to || x == from; x++)
		canvas_put(scene->canvas, axis->area, x, y, (unsigned char)letter,
			letter == '?' ? STYLE_UNDECIDED : STYLE_STRONG);
}

/* Segments shorter than a column are drawn over the others. */
static void draw_cpu(const struct scene *scene, const struct axis *axis, unsigned y, uint32_t cpu,
	const struct explanation *explanation)
{
	for (unsigned x = 0; x < axis->area.width; x++)
		canvas_put(scene->canvas, axis->area, x, y, scene->canvas->ascii ? '.' : 0xb7, STYLE_THIN);
	for (int is_short = 0; is_short < 2; is_short++) {
		for (size_t i = 0; i < explanation->n_segments; i++) {
			const struct segment *segment = &explanation->segments[i];
			bool fits = column_of(axis, segment->from_ns) < column_of(axis, segment->to_ns);

			if (segment->cause.cpu == cpu && fits != is_short)
				draw_segment(scene, axis, y, explanation, segment);
		}
	}
}

/* --- the scale --- */

/* Returns 1, 2 or 5 times a power of ten: the time from one number to the next. */
static uint64_t scale_step(const struct axis *axis)
{
	uint64_t least_ns = axis->length_ns * LABEL_WIDTH / axis->area.width, step = 1;

	while (step < least_ns) {
		if (step * 2 >= least_ns)
			return step * 2;
		if (step * 5 >= least_ns)
			return step * 5;
		step *= 10;
	}
	return step;
}

static void draw_scale(const struct scene *scene, const struct axis *axis, unsigned y)
{
	uint64_t step = scale_step(axis);
	unsigned end = 0;

	for (uint64_t at = 0; at <= axis->length_ns; at += step) {
		unsigned x = column_of(axis, axis->start_ns + at);
		char text[40], time[32];

		units_named(time, sizeof(time), at);
		snprintf(text, sizeof(text), "%s%s", scene->canvas->ascii ? "^" : "\u2514", at ? time : "0");
		unsigned width = canvas_measure(scene->canvas, text);

		if (x + width > axis->area.width || x < end)
			break;
		end = canvas_text(scene->canvas, axis->area, x, y, STYLE_PLAIN, text) + 1;
	}
}

void spike_axis_draw(const struct scene *scene, struct area area, const struct kept_spike *kept)
{
	struct axis axis = {.area = {area.x + NAME_WIDTH, area.y, area.width - NAME_WIDTH, area.height},
		.start_ns = spike_start_ns(&kept->spike),
		.length_ns = spike_length_ns(&kept->spike)};
	struct axis_cpus cpus = cpus_of(&kept->explanation);
	unsigned marks =
		smaller(MARK_LINES, area.height > SCALE_LINES + 1 ? area.height - SCALE_LINES - 1 : 0);
	unsigned room = area.height - marks - SCALE_LINES, y = marks;

	if (area.width <= NAME_WIDTH + LABEL_WIDTH || area.height <= SCALE_LINES || !axis.length_ns)
		return;
	if (marks)
		draw_moments(scene, &axis, marks - 1, kept);
	for (size_t i = 0; i < cpus.n && i < room; i++, y++) {
		char name[24];

		snprintf(name, sizeof(name), "CPU %u", (unsigned)cpus.cpus[i]);
		canvas_left(scene->canvas, area, 0, y, NAME_WIDTH - 1, STYLE_PLAIN, name);
		draw_cpu(scene, &axis, y, cpus.cpus[i], &kept->explanation);
	}
	draw_scale(scene, &axis, y);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cpu_boxes.c - the parts of a machine as boxes within each other.
 *
 * A box has a frame with its name in the first line. The boxes inside are beside each other from left to
 * right, and below these where the width does not suffice. */
#include "ui/panes/cpu_boxes.h"

#include <stdio.h>
#include <string.h>

#include "src/machine/cpu_activity.h"
#include "ui/draw/statistic.h"

enum { VALUE_WIDTH = 11, TIME_WIDTH = 7, SHARE_WIDTH = 6, FRAME = 2 };

struct size {
	unsigned width, lines;
};

/* --- where they are --- */

static bool is_leaf(const struct cpu_boxes *boxes, size_t part)
{
	const struct cpu_part *of = &boxes->tree->parts[part];

	return of->end == part + 1 || fold_is_turned(boxes->folded, of->id);
}

/* The machine has a frame where it is a package, too, or a smaller part. */
static bool is_framed(const struct cpu_boxes *boxes, size_t part)
{
	const struct cpu_part *of = &boxes->tree->parts[part];

	return is_leaf(boxes, part) ||
	       (of->levels != 1u << LEVEL_MACHINE && cpu_part_level(of) < boxes->unframed);
}

static struct size leaf_size(const struct cpu_boxes *boxes, size_t part)
{
	char name[CPU_PART_NAME_SIZE];
	unsigned length = (unsigned)strlen(cpu_part_name(&boxes->tree->parts[part], name));

	return (struct size){
		FRAME + (length > VALUE_WIDTH ? length : VALUE_WIDTH), FRAME + (boxes->activity ? 2 : 1)};
}

/* Goes through the boxes inside of a part, those of parts without a frame in place of these. */
struct flow {
	const struct cpu_boxes *boxes;
	size_t next, end; /* parts */
	unsigned most;    /* columns */
	unsigned x, y, row_lines;
	struct size used;
};

static struct flow flow_into(const struct cpu_boxes *boxes, size_t part, unsigned most)
{
	return (struct flow){boxes, part + 1, boxes->tree->parts[part].end, most, 0, 0, 0, {0, 0}};
}

static size_t next_part(struct flow *flow)
{
	while (flow->next < flow->end && !is_framed(flow->boxes, flow->next))
		flow->next++;
	size_t part = flow->next;

	flow->next = part < flow->end ? flow->boxes->tree->parts[part].end : part;
	return part;
}

/* Moves to where a box of this size is. */
static void move_to_box(struct flow *flow, struct size size)
{
	if (flow->x && flow->x + size.width > flow->most) {
		flow->x = 0;
		flow->y += flow->row_lines;
		flow->row_lines = 0;
	}
	flow->row_lines = size.lines > flow->row_lines ? size.lines : flow->row_lines;
	if (flow->x + size.width > flow->used.width)
		flow->used.width = flow->x + size.width;
	flow->used.lines = flow->y + flow->row_lines;
}

/* Returns the size of the box of a part within @most columns, which it may exceed. */
static struct size measure(const struct cpu_boxes *boxes, size_t part, unsigned most)
{
	unsigned frame = is_framed(boxes, part) ? FRAME : 0;
	struct flow flow = flow_into(boxes, part, most > frame ? most - frame : 1);

	if (is_leaf(boxes, part))
		return leaf_size(boxes, part);
	for (size_t inside; (inside = next_part(&flow)) < flow.end;) {
		struct size size = measure(boxes, inside, flow.most);

		move_to_box(&flow, size);
		flow.x += size.width;
	}
	unsigned name = leaf_size(boxes, part).width;

	return (struct size){frame && flow.used.width + frame < name ? name : flow.used.width + frame,
		flow.used.lines + frame};
}

unsigned cpu_boxes_fit(struct cpu_boxes *boxes, unsigned width, unsigned lines)
{
	for (enum cpu_level unframed = LEVEL_CPU; unframed > LEVEL_PACKAGE; unframed--) {
		boxes->unframed = unframed;
		struct size size = measure(boxes, 0, width);

		if (size.width <= width && size.lines <= lines)
			return size.lines;
	}
	return 0;
}

/* --- what is drawn --- */

static void draw_frame(const struct scene *scene, struct area box, const char *name, bool is_selected)
{
	static const uint32_t lines[] = {0x2500, 0x2502, 0x250c, 0x2510, 0x2514, 0x2518};
	static const uint32_t signs[] = {'-', '|', '+', '+', '+', '+'};
	const uint32_t *runes = scene->canvas->ascii ? signs : lines;
	unsigned right = box.width - 1, bottom = box.height - 1, length = (unsigned)strlen(name);

	canvas_put(scene->canvas, box, 0, 0, runes[2], STYLE_PLAIN);
	canvas_left(scene->canvas, box, 1, 0, length, is_selected ? STYLE_SELECTED : STYLE_STRONG, name);
	for (unsigned x = 1 + length; x < right; x++)
		canvas_put(scene->canvas, box, x, 0, runes[0], STYLE_PLAIN);
	canvas_put(scene->canvas, box, right, 0, runes[3], STYLE_PLAIN);
	for (unsigned y = 1; y < bottom; y++) {
		canvas_put(scene->canvas, box, 0, y, runes[1], STYLE_PLAIN);
		canvas_put(scene->canvas, box, right, y, runes[1], STYLE_PLAIN);
	}
	canvas_put(scene->canvas, box, 0, bottom, runes[4], STYLE_PLAIN);
	for (unsigned x = 1; x < right; x++)
		canvas_put(scene->canvas, box, x, bottom, runes[0], STYLE_PLAIN);
	canvas_put(scene->canvas, box, right, bottom, runes[5], STYLE_PLAIN);
}

/* Writes the mean load of the CPUs where it is known. */
static void write_busy(const struct cpu_boxes *boxes, const struct cpu_part *part, char text[16])
{
	uint64_t sum = 0, n = 0;

	for (size_t i = part->first; i < part->first + part->n_cpus; i++) {
		const struct cpu_now *now = cpu_activity_of(boxes->activity, boxes->tree->cpus[i]);

		if (now && now->is_known) {
			sum += now->busy_permille;
			n++;
		}
	}
	if (n)
		snprintf(text, 16, "%.1f", (double)sum / (double)n / 10);
	else
		snprintf(text, 16, "-");
}

static void draw_values(
	const struct scene *scene, struct area box, const struct cpu_boxes *boxes, size_t part)
{
	const struct statistic p99 = {"p99", 99};
	const struct hist *hist = &boxes->sums[part].hist;
	unsigned inner = box.width - FRAME;
	char text[32], busy[16];

	statistic_text(&p99, hist, scene->view->unit, TIME_WIDTH, text, sizeof(text));
	canvas_left(scene->canvas, box, 1, 1, inner - TIME_WIDTH, STYLE_PLAIN, p99.name);
	canvas_right(scene->canvas, box, 1 + inner - TIME_WIDTH, 1, TIME_WIDTH,
		statistic_style(&p99, hist, scene->view->limit_ns), text);
	if (!boxes->activity)
		return;
	write_busy(boxes, &boxes->tree->parts[part], busy);
	canvas_left(scene->canvas, box, 1, 2, inner - SHARE_WIDTH, STYLE_PLAIN, "BUSY%");
	canvas_right(scene->canvas, box, 1 + inner - SHARE_WIDTH, 2, SHARE_WIDTH, STYLE_PLAIN, busy);
}

/* @area: of the boxes inside. */
static void draw_inside(const struct scene *scene, struct area area, const struct cpu_boxes *boxes,
	size_t part, size_t selected)
{
	struct flow flow = flow_into(boxes, part, area.width);
	char name[CPU_PART_NAME_SIZE];

	for (size_t inside; (inside = next_part(&flow)) < flow.end;) {
		struct size size = measure(boxes, inside, flow.most);

		move_to_box(&flow, size);
		struct area box = {area.x + flow.x, area.y + flow.y, size.width, size.lines};

		draw_frame(scene, box, cpu_part_name(&boxes->tree->parts[inside], name), inside == selected);
		if (is_leaf(boxes, inside))
			draw_values(scene, box, boxes, inside);
		else
			draw_inside(scene,
				(struct area){box.x + 1, box.y + 1, box.width - FRAME, box.height - FRAME},
				boxes, inside, selected);
		flow.x += size.width;
	}
}

void cpu_boxes_draw(
	const struct scene *scene, struct area area, const struct cpu_boxes *boxes, size_t selected)
{
	struct size size = measure(boxes, 0, area.width);
	struct area box = {area.x, area.y, size.width, size.lines};
	char name[CPU_PART_NAME_SIZE];

	if (is_framed(boxes, 0)) {
		draw_frame(scene, box, cpu_part_name(boxes->tree->parts, name), selected == 0);
		box = (struct area){box.x + 1, box.y + 1, box.width - FRAME, box.height - FRAME};
	}
	draw_inside(scene, box, boxes, 0, selected);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* topology.c - the view of the machine's parts as a tree, with the figures of the rings inside each, and
 * below it as boxes where these fit. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/text.h"
#include "src/machine/cpu_activity.h"
#include "src/machine/cpu_parts.h"
#include "src/machine/topology.h"
#include "src/model/cpu_tree.h"
#include "src/model/session.h"
#include "ui/draw/statistic.h"
#include "ui/panes/blame.h"
#include "ui/panes/cpu_boxes.h"
#include "ui/panes/table.h"
#include "ui/views/view.h"

enum {
	SMALL = 12, /* lines of the largest body without titles */
	MARK_WIDTH = 2,
	SIGN_WIDTH = 2,
	INDENT = 2,
	NAME_MIN = 22,
	GAP = 1,
	LIST_SIZE = 400,
	TREE_LINES = 8, /* that boxes leave to a tree that scrolls */
	TALL = 48,      /* lines of the tree, where it may scroll for the sake of boxes */
};

/* A line: a part that no folded part hides. */
struct tree_line {
	size_t part;
	bool has_more, is_folded; /* parts inside */
};

/* The view's own state. */
struct topology_view {
	struct fact_rows *parts; /* of which the tree is; released by finish() */
	struct cpu_tree tree;
	struct cpu_part_sums *sums; /* owned; of each part */
	struct tree_line *lines;    /* owned; room for each part */
	struct cpus isolated, nohz_full;
	bool knows_flags;
	size_t n_kept; /* spikes of the window that are kept */
	struct fold folded;
	uint32_t selected; /* the id of a part */
	struct error_text refusal;

	/* Set by fit(). */
	size_t n_lines, position, top;
	struct area area; /* of the visible lines */
	struct cpu_boxes boxes;
	unsigned boxes_lines; /* 0: they don't fit */
};

extern const struct view_kind view_topology;

/* --- the tree and its sums --- */

static void release_tree(struct topology_view *own)
{
	for (size_t i = 0; own->sums && i < own->tree.n; i++)
		hist_finish(&own->sums[i].hist);
	free(own->sums);
	free(own->lines);
	cpu_tree_finish(&own->tree);
	fact_rows_release(own->parts);
	own->sums = NULL;
	own->lines = NULL;
	own->parts = NULL;
}

static void finish(void *state)
{
	struct topology_view *own = state;

	release_tree(own);
	fold_finish(&own->folded);
}

/* Makes the tree of the session's machine, unless it is that already. Without memory it has no parts. */
static void make_tree(struct topology_view *own, struct fact_rows *parts)
{
	struct topology_cpu *cpus;

	if (own->parts == parts)
		return;
	release_tree(own);
	own->parts = fact_rows_share(parts);
	ptrdiff_t n = cpu_parts_read(parts, &cpus);

	if (n > 0 && cpu_tree_init(&own->tree, cpus, (size_t)n) == 0) {
		own->sums = calloc(own->tree.n, sizeof(*own->sums));
		own->lines = calloc(own->tree.n, sizeof(*own->lines));
	}
	if (!own->sums || !own->lines)
		cpu_tree_finish(&own->tree);
	free(cpus);
}

static void sum_rings(struct topology_view *own, struct view_state *view, const struct session *session)
{
	for (size_t i = 0; i < session->n_rings; i++) {
		const struct session_ring *ring = &session->rings[i];

		if (!filter_passes_elsewhere(&view->filter, ring))
			continue;
		struct cpu_part_sums *sums = &own->sums[cpu_tree_find_ring(&own->tree, ring)];

		sums->n_rings += !ring->ended_ns;
		hist_merge(&sums->hist, window_sums_hist(&view->sums, view->window, ring->id, view->shown));
	}
}

/* Each segment of a spike is time of its CPU. */
static void sum_spikes(
	struct topology_view *own, const struct view_state *view, const struct session *session)
{
	const struct session_spikes *spikes = &session->spikes;
	uint64_t start_ns = blame_window_start(session_window(session, view->window), session);

	own->n_kept = 0;
	for (size_t i = 0; i < spikes->n_last; i++) {
		const struct explanation *explanation = spikes->last[i].explanation;
		const struct session_ring *ring = session_find_ring(session, spikes->last[i].spike.ring);

		if (spike_end_ns(&spikes->last[i].spike) < start_ns || !ring ||
			!filter_passes_elsewhere(&view->filter, ring))
			continue;
		own->n_kept++;
		for (size_t s = 0; s < explanation->n_segments; s++) {
			const struct segment *segment = &explanation->segments[s];

			own->sums[cpu_tree_find(&own->tree, segment->cause.cpu)].spike_ns +=
				segment->to_ns - segment->from_ns;
		}
	}
}

/* Without memory the screen lacks some samples, until the next frame. */
static void sum_up(struct topology_view *own, struct view_state *view, const struct session *session)
{
	for (size_t i = 0; i < own->tree.n; i++) {
		hist_reset(&own->sums[i].hist);
		own->sums[i].n_rings = 0;
		own->sums[i].spike_ns = 0;
	}
	if (!own->tree.n)
		return;
	sum_rings(own, view, session);
	sum_spikes(own, view, session);
	cpu_tree_add_up(&own->tree, own->sums);
}

static void read_flags(struct topology_view *own, const struct machine *machine)
{
	own->isolated = own->nohz_full = (struct cpus){0};
	own->knows_flags = cpus_parse(&own->isolated, machine->isolated) == 0 &&
			   cpus_parse(&own->nohz_full, machine->nohz_full) == 0;
}

/* --- the lines --- */

static const struct cpu_part *selected_part(const struct topology_view *own)
{
	return &own->tree.parts[own->lines[own->position].part];
}

static void list_lines(struct topology_view *own)
{
	own->n_lines = 0;
	for (size_t i = 0; i < own->tree.n;) {
		const struct cpu_part *part = &own->tree.parts[i];
		struct tree_line *line = &own->lines[own->n_lines++];

		*line = (struct tree_line){.part = i,
			.has_more = part->end > i + 1,
			.is_folded = part->end > i + 1 && fold_is_turned(&own->folded, part->id)};
		i = line->is_folded ? part->end : i + 1;
	}
}

/* Selects the line of the selected part, or if that is hidden, of the folded part around it. */
static void find_selected(struct topology_view *own)
{
	size_t selected = 0;

	while (selected < own->tree.n && own->tree.parts[selected].id != own->selected)
		selected++;
	own->position = 0;
	for (size_t i = 0; i < own->n_lines && selected < own->tree.n; i++)
		if (own->lines[i].part <= selected)
			own->position = i;
	if (own->n_lines)
		own->selected = selected_part(own)->id;
}

static void scroll(struct topology_view *own)
{
	own->top = view_state_top(own->top, own->position, own->n_lines, own->area.height);
}

static void select_line(struct topology_view *own, size_t position)
{
	own->position = position;
	own->selected = selected_part(own)->id;
}

static void move(struct frame *frame, long by)
{
	struct topology_view *own = view_own(frame, &view_topology);

	if (own->n_lines)
		select_line(own, view_state_step(own->position, by, own->n_lines - 1));
}

/* A click on the selected line is as Enter. */
static uint32_t click(struct frame *frame, unsigned x, unsigned y)
{
	struct topology_view *own = view_own(frame, &view_topology);
	size_t line = view_state_line_at(own->area, own->top, own->n_lines, x, y);

	if (line == own->n_lines)
		return KEY_CODE_NONE;
	if (line == own->position)
		return KEY_CODE_ENTER;
	select_line(own, line);
	return KEY_CODE_NONE;
}

/* --- its layout --- */

struct layout {
	struct area title, head, lines, boxes_title, boxes, selected; /* height 0: omitted */
};

/* @boxes_lines: 0: none. */
static struct layout lay_out(struct area body, size_t n_lines, unsigned boxes_lines)
{
	unsigned titles = body.height > SMALL;
	struct layout layout = {
		.title = {body.x, body.y, body.width, titles},
		.head = {body.x, body.y + titles, body.width, 1},
		.lines = {body.x, body.y + titles + 1, body.width, body.height - 1 - 2 * titles},
		.selected = {body.x, body.y + body.height - titles, body.width, titles},
	};

	if (!boxes_lines)
		return layout;
	unsigned left = layout.lines.height - boxes_lines - 1;

	layout.lines.height = n_lines < left ? (unsigned)n_lines : left;
	layout.boxes_title = (struct area){body.x, layout.lines.y + layout.lines.height, body.width, 1};
	layout.boxes = (struct area){body.x, layout.boxes_title.y + 1, body.width, boxes_lines};
	return layout;
}

/* Boxes have the lines that the tree does not need; on a tall screen a tree that scrolls leaves most of them.
 */
static void fit_boxes(struct topology_view *own, const struct frame *frame, struct area body)
{
	unsigned lines = lay_out(body, own->n_lines, 0).lines.height;
	unsigned kept = own->n_lines > lines && lines >= TALL ? TREE_LINES : (unsigned)own->n_lines;

	own->boxes = (struct cpu_boxes){
		.tree = &own->tree, .sums = own->sums, .folded = &own->folded, .activity = frame->activity};
	own->boxes_lines = own->n_lines > 1 && lines > kept + 1
				   ? cpu_boxes_fit(&own->boxes, body.width, lines - kept - 1)
				   : 0;
}

static struct area fit(struct frame *frame, const struct session *session, struct area body)
{
	struct topology_view *own = view_own(frame, &view_topology);

	make_tree(own, session->machine.cpu_parts);
	read_flags(own, &session->machine);
	sum_up(own, &frame->view, session);
	list_lines(own);
	find_selected(own);
	fit_boxes(own, frame, body);
	struct area page = lay_out(body, own->n_lines, own->boxes_lines).lines;

	own->area = page;
	own->area.height = (unsigned)view_state_room(own->n_lines, page.height);
	scroll(own);
	return (struct area){page.x, page.y - 1, page.width, page.height + 1};
}

/* --- columns --- */

struct cell_of {
	const struct topology_view *own;
	const struct cpu_part *part;
	const struct cpu_part_sums *sums;
	const struct view_state *view;
	const struct cpu_activity *activity; /* NULL: not known */
};

struct tree_column {
	const char *title;
	unsigned width, rank; /* rank: the highest gives way first */
	unsigned wide;        /* where there is room; 0: no more */
	bool left;
	double percentile; /* of the rings' figure; 0: see cell() */
	bool is_activity;  /* of the present alone */
	void (*cell)(const struct cell_of *of, struct cell_text *cell);
};

enum { TIME_WIDTH = 7, COUNT_WIDTH = 7, IRQ_WIDTH = 6 };

/* "isol", "isol 6/8" of a part. */
static void add_flag(
	const struct cell_of *of, const struct cpus *flagged, const char *word, struct cell_text *cell)
{
	struct cpus cpus = cpu_part_cpus(&of->own->tree, of->part);
	char text[32];

	cpus_intersect(&cpus, flagged);
	size_t n = cpus_count(&cpus);

	if (n == of->part->n_cpus)
		snprintf(text, sizeof(text), "%s", word);
	else
		snprintf(text, sizeof(text), "%s %zu/%zu", word, n, of->part->n_cpus);
	if (n)
		text_append(cell->text, sizeof(cell->text), " ", text);
}

/* Where both lists are equal, only "isol nohz" or "isol 6/8". */
static void cell_flags(const struct cell_of *of, struct cell_text *cell)
{
	const struct topology_view *own = of->own;
	struct cpus cpus = cpu_part_cpus(&own->tree, of->part), isolated = cpus, nohz_full = cpus;

	cpus_intersect(&isolated, &own->isolated);
	cpus_intersect(&nohz_full, &own->nohz_full);
	if (!own->knows_flags) {
		snprintf(cell->text, sizeof(cell->text), "?");
		return;
	}
	add_flag(of, &own->isolated, "isol", cell);
	if (!cpus_equal(&isolated, &nohz_full) || cpus_equal(&nohz_full, &cpus))
		add_flag(of, &own->nohz_full, "nohz", cell);
}

static void cell_statistic(
	const struct cell_of *of, const struct statistic *statistic, struct cell_text *cell)
{
	bool is_group = of->part->end > (size_t)(of->part - of->own->tree.parts) + 1;

	statistic_text(
		statistic, &of->sums->hist, of->view->unit, TIME_WIDTH, cell->text, sizeof(cell->text));
	cell->style = style_stronger(is_group ? STYLE_STRONG : STYLE_PLAIN,
		statistic_style(statistic, &of->sums->hist, of->view->limit_ns));
}

static void cell_max(const struct cell_of *of, struct cell_text *cell)
{
	cell_statistic(of, &(struct statistic){"Max", .of = statistic_max}, cell);
}

static void cell_n(const struct cell_of *of, struct cell_text *cell)
{
	units_count(cell->text, sizeof(cell->text), COUNT_WIDTH, hist_samples(&of->sums->hist));
}

static void cell_rings(const struct cell_of *of, struct cell_text *cell)
{
	snprintf(cell->text, sizeof(cell->text), "%zu", of->sums->n_rings);
}

/* The share of the time of all kept spikes of the window. */
static void cell_spikes(const struct cell_of *of, struct cell_text *cell)
{
	uint64_t ns = of->sums->spike_ns, all_ns = of->own->sums[0].spike_ns;

	if (!all_ns)
		snprintf(cell->text, sizeof(cell->text), "-");
	else if (ns && ns < all_ns / 100)
		snprintf(cell->text, sizeof(cell->text), "<1%%");
	else
		snprintf(cell->text, sizeof(cell->text), "%.0f%%", 100.0 * (double)ns / (double)all_ns);
}

/* --- what its CPUs do --- */

/* The CPU of a part that has no others inside. */
static const struct cpu_now *cpu_now(const struct cell_of *of)
{
	return of->part->n_cpus == 1 ? cpu_activity_of(of->activity, of->own->tree.cpus[of->part->first])
				     : NULL;
}

/* Writes the mean of a share over the CPUs where it is known. */
static void write_share(const struct cell_of *of, size_t offset, struct cell_text *cell)
{
	uint64_t sum = 0, n = 0;

	for (size_t i = 0; i < of->part->n_cpus; i++) {
		const struct cpu_now *now =
			cpu_activity_of(of->activity, of->own->tree.cpus[of->part->first + i]);

		if (!now || !now->is_known)
			continue;
		sum += *(const uint32_t *)((const char *)now + offset);
		n++;
	}
	if (n)
		snprintf(cell->text, sizeof(cell->text), "%.1f", (double)sum / (double)n / 10);
	else
		snprintf(cell->text, sizeof(cell->text), "-");
}

static void cell_busy(const struct cell_of *of, struct cell_text *cell)
{
	write_share(of, offsetof(struct cpu_now, busy_permille), cell);
}

static void cell_steal(const struct cell_of *of, struct cell_text *cell)
{
	write_share(of, offsetof(struct cpu_now, steal_permille), cell);
}

static void cell_interrupts(const struct cell_of *of, struct cell_text *cell)
{
	uint64_t sum = 0;
	bool is_known = false;

	for (size_t i = 0; i < of->part->n_cpus; i++) {
		const struct cpu_now *now =
			cpu_activity_of(of->activity, of->own->tree.cpus[of->part->first + i]);

		if (!now || now->interrupts_hz == UINT64_MAX)
			continue;
		sum += now->interrupts_hz;
		is_known = true;
	}
	if (is_known)
		units_count(cell->text, sizeof(cell->text), IRQ_WIDTH, sum);
	else
		snprintf(cell->text, sizeof(cell->text), "-");
}

static void cell_mhz(const struct cell_of *of, struct cell_text *cell)
{
	const struct cpu_now *now = cpu_now(of);

	if (now && now->mhz)
		snprintf(cell->text, sizeof(cell->text), "%u", now->mhz);
	else if (of->part->n_cpus == 1)
		snprintf(cell->text, sizeof(cell->text), "-");
}

static void cell_idle(const struct cell_of *of, struct cell_text *cell)
{
	const struct cpu_now *now = cpu_now(of);

	if (of->part->n_cpus == 1)
		snprintf(cell->text, sizeof(cell->text), "%s", now && *now->idle ? now->idle : "-");
}

/* "hog FF90", "make +2" */
static void cell_task(const struct cell_of *of, struct cell_text *cell)
{
	const struct cpu_now *now = cpu_now(of);
	char policy[8] = "", more[16] = "";

	if (of->part->n_cpus > 1)
		return;
	if (now && task_policy_is_realtime(now->policy.policy))
		task_policy_format(now->policy, policy);
	if (now && now->n_tasks > 1)
		snprintf(more, sizeof(more), " +%u", now->n_tasks - 1);
	snprintf(cell->text, sizeof(cell->text), "%s%s%s%s", now && now->n_tasks ? now->task : "-",
		*policy ? " " : "", policy, more);
}

static const struct tree_column columns[] = {
	{"FLAGS", 12, 8, .left = true, .cell = cell_flags},
	{"BUSY%", 5, 3, .is_activity = true, .cell = cell_busy},
	{"MHz", 5, 10, .is_activity = true, .cell = cell_mhz},
	{"IDLE", 7, 11, .wide = IDLE_NAME_SIZE - 1, .is_activity = true, .cell = cell_idle},
	{"irq/s", IRQ_WIDTH, 9, .is_activity = true, .cell = cell_interrupts},
	{"STEAL%", 6, 12, .is_activity = true, .cell = cell_steal},
	{"RINGS", 5, 13, .cell = cell_rings},
	{"p50", TIME_WIDTH, 4, .percentile = 50},
	{"p99", TIME_WIDTH, 1, .percentile = 99},
	{"p99.9", TIME_WIDTH, 14, .percentile = 99.9},
	{"Max", TIME_WIDTH, 2, .cell = cell_max},
	{"n", COUNT_WIDTH, 7, .cell = cell_n},
	{"SPIKES", 6, 5, .cell = cell_spikes},
	{"NOW", 20, 6, .left = true, .is_activity = true, .cell = cell_task},
};

enum { N_TREE_COLUMNS = sizeof(columns) / sizeof(*columns) };

/* The width of the names, and which columns there is room for. */
struct tree_columns {
	unsigned name;
	bool shown[N_TREE_COLUMNS];
	unsigned width[N_TREE_COLUMNS];
};

static unsigned name_width(const struct topology_view *own)
{
	unsigned widest = 0;

	for (size_t i = 0; i < own->tree.n; i++) {
		const struct cpu_part *part = &own->tree.parts[i];
		char name[CPU_PART_NAME_SIZE];
		unsigned width = part->depth * INDENT + (unsigned)strlen(cpu_part_name(part, name));

		widest = width > widest ? width : widest;
	}
	return MARK_WIDTH + SIGN_WIDTH + widest;
}

/* Long names share the room of narrow screens with figures. A narrow column may have room where one of a
 * lower rank has not. */
static struct tree_columns columns_for(const struct topology_view *own, unsigned width, bool has_activity)
{
	unsigned most = width / 2 > NAME_MIN ? width / 2 : NAME_MIN;
	struct tree_columns fit = {.name = smaller(smaller(name_width(own), most), width)};
	unsigned left = width - fit.name;

	for (unsigned rank = 1; rank <= N_TREE_COLUMNS; rank++)
		for (size_t i = 0; i < N_TREE_COLUMNS; i++) {
			if (columns[i].rank != rank || (columns[i].is_activity && !has_activity) ||
				left < columns[i].width + GAP)
				continue;
			fit.shown[i] = true;
			fit.width[i] = columns[i].width;
			left -= columns[i].width + GAP;
		}
	for (size_t i = 0; i < N_TREE_COLUMNS; i++)
		if (fit.shown[i] && columns[i].wide && left >= columns[i].wide - columns[i].width) {
			fit.width[i] = columns[i].wide;
			left -= columns[i].wide - columns[i].width;
		}
	return fit;
}

/* --- what is drawn --- */

static void draw_title(const struct scene *scene, struct area line, const struct topology_view *own)
{
	static const char lacks_live[] = "; no live columns";
	bool is_live = !scene->frame->is_replay && !scene->frame->frozen;
	char title[160], kept[80] = "";

	if (own->n_kept)
		snprintf(kept, sizeof(kept), "; SPIKES: share of %zu spike%s time", own->n_kept,
			own->n_kept == 1 ? "'s" : "s'");
	int length = snprintf(title, sizeof(title), " topology: rings with all members inside%s", kept);
	bool has_room = (size_t)length + sizeof(lacks_live) + 2 <= line.width;

	text_print(title, sizeof(title), "%s ", is_live || !has_room ? "" : lacks_live);
	canvas_title(scene->canvas, line, title);
}

static void draw_head(const struct scene *scene, struct area line, const struct tree_columns *fit)
{
	unsigned x = fit->name;

	canvas_restyle(scene->canvas, line, STYLE_HEAD);
	canvas_left(scene->canvas, line, MARK_WIDTH + SIGN_WIDTH, 0, fit->name - MARK_WIDTH - SIGN_WIDTH,
		STYLE_HEAD, "PART");
	for (size_t i = 0; i < N_TREE_COLUMNS; i++) {
		if (!fit->shown[i])
			continue;
		(columns[i].left ? canvas_left : canvas_right)(
			scene->canvas, line, x + GAP, 0, fit->width[i], STYLE_HEAD, columns[i].title);
		x += GAP + fit->width[i];
	}
}

static void draw_name(const struct scene *scene, struct area area, const struct tree_line *line,
	const struct cpu_part *part)
{
	unsigned x = MARK_WIDTH + part->depth * INDENT;
	char name[CPU_PART_NAME_SIZE];

	if (line->has_more)
		canvas_text(
			scene->canvas, area, x, 0, STYLE_PLAIN, table_fold_sign(scene, line->is_folded) + 2);
	x += SIGN_WIDTH;
	if (x < area.width)
		canvas_left(scene->canvas, area, x, 0, area.width - x,
			line->has_more ? STYLE_STRONG : STYLE_PLAIN, cpu_part_name(part, name));
}

static void draw_line(const struct scene *scene, struct area area, const struct topology_view *own,
	const struct tree_columns *fit, const struct tree_line *line)
{
	struct cell_of of = {own, &own->tree.parts[line->part], &own->sums[line->part], scene->view,
		scene->frame->activity};
	unsigned x = fit->name;

	draw_name(scene, (struct area){area.x, area.y, fit->name, 1}, line, of.part);
	for (size_t i = 0; i < N_TREE_COLUMNS; i++) {
		struct cell_text cell = {.style = STYLE_PLAIN};
		struct statistic statistic = {columns[i].title, columns[i].percentile};

		if (!fit->shown[i])
			continue;
		if (columns[i].cell)
			columns[i].cell(&of, &cell);
		else
			cell_statistic(&of, &statistic, &cell);
		(columns[i].left ? canvas_left : canvas_right)(
			scene->canvas, area, x + GAP, 0, fit->width[i], cell.style, cell.text);
		x += GAP + fit->width[i];
	}
}

/* "package 1 node 1 L3, CPUs 4-7: Enter shows 6 pairs" */
static void draw_selected(const struct scene *scene, struct area line, const struct topology_view *own)
{
	const struct cpu_part *part = selected_part(own);
	struct cpus cpus = cpu_part_cpus(&own->tree, part);
	size_t n = own->sums[own->lines[own->position].part].n_rings;
	char name[CPU_PART_NAME_SIZE], list[64], all[80] = "", shows[64] = "no ring inside", title[256];

	if (part->n_cpus > 1)
		snprintf(all, sizeof(all), ", CPUs %s", cpus_format(&cpus, list, sizeof(list)));
	if (n)
		snprintf(shows, sizeof(shows), "Enter shows %zu %s%s", n, row_noun(scene->session),
			n == 1 ? "" : "s");
	snprintf(title, sizeof(title), " %s%s: %s ", cpu_part_name(part, name), all, shows);
	canvas_title(scene->canvas, line, title);
}

static void draw_boxes_title(const struct scene *scene, struct area line)
{
	char title[64];

	snprintf(title, sizeof(title), " p99 [%s] of rings with all members inside ",
		unit_name(scene->view->unit));
	canvas_title(scene->canvas, line, title);
}

static void draw_topology(const struct scene *scene, struct area body)
{
	const struct topology_view *own = view_own(scene->frame, &view_topology);
	struct layout layout = lay_out(body, own->n_lines, own->boxes_lines);
	struct tree_columns fit = columns_for(own, body.width, scene->frame->activity != NULL);

	if (layout.title.height)
		draw_title(scene, layout.title, own);
	draw_head(scene, layout.head, &fit);
	if (!own->n_lines) {
		canvas_wrap(scene->canvas,
			(struct area){layout.lines.x + 1, layout.lines.y, layout.lines.width - 1,
				layout.lines.height},
			STYLE_PLAIN,
			"the parts of the machine are not known: recordings have them from format 5.4 on");
		return;
	}
	size_t end = smaller((unsigned)own->n_lines, (unsigned)own->top + own->area.height);

	for (size_t i = own->top; i < end; i++) {
		struct area line = {
			layout.lines.x, layout.lines.y + (unsigned)(i - own->top), layout.lines.width, 1};

		draw_line(scene, line, own, &fit, &own->lines[i]);
		if (i == own->position)
			canvas_select(scene->canvas, line, true);
	}
	canvas_hidden(scene->canvas, layout.lines, MARK_WIDTH, layout.lines.height - 1, own->top,
		own->n_lines - end);
	if (layout.boxes.height) {
		draw_boxes_title(scene, layout.boxes_title);
		cpu_boxes_draw(scene, layout.boxes, &own->boxes, own->lines[own->position].part);
	}
	if (layout.selected.height)
		draw_selected(scene, layout.selected, own);
}

/* --- its keys --- */

/* Returns the selected part, or if it has none inside, the one around it: the part that a key folds. */
static size_t foldable(const struct topology_view *own)
{
	const struct tree_line *line = &own->lines[own->position];

	return line->has_more ? line->part : own->tree.parts[line->part].parent;
}

/* All: those of the same level. */
static void press_fold(struct frame *frame, long all)
{
	struct topology_view *own = view_own(frame, &view_topology);

	if (!own->n_lines)
		return;
	const struct cpu_part *parts = own->tree.parts, *of = &parts[foldable(own)];
	bool folds = !fold_is_turned(&own->folded, of->id);

	for (size_t i = 0; i < own->tree.n && all; i++)
		if (cpu_part_level(&parts[i]) == cpu_part_level(of) && parts[i].end > i + 1)
			fold_turn(&own->folded, parts[i].id, folds);
	fold_turn(&own->folded, of->id, folds);
	own->selected = folds ? of->id : own->selected;
}

/* Selects the smallest part that has the longest time of all, and unfolds those around it. */
static void press_worst(struct frame *frame, long argument)
{
	struct topology_view *own = view_own(frame, &view_topology);
	const struct cpu_part *parts = own->tree.parts;
	size_t worst = 0;

	for (size_t i = 1; i < own->tree.n; i++)
		if (parts[i].parent == worst && own->sums[i].hist.n &&
			own->sums[i].hist.max_ns == own->sums[worst].hist.max_ns) {
			fold_turn(&own->folded, parts[worst].id, false);
			worst = i;
		}
	if (own->tree.n)
		own->selected = parts[worst].id;
}

/* Sets the filter to the CPUs of the selected part; that of the machine shows all. */
static int filter_inside(const struct topology_view *own, struct filter *filter, struct error_text *reason)
{
	struct cpus cpus = cpu_part_cpus(&own->tree, selected_part(own));
	char list[LIST_SIZE];

	cpus_format(&cpus, list, sizeof(list));
	return filter_set_inside(filter, own->position ? list : NULL, reason);
}

static const char *refuse_enter(const struct frame *frame)
{
	struct topology_view *own = view_own(frame, &view_topology);
	struct filter filter = frame->view.filter;
	char name[CPU_PART_NAME_SIZE];

	if (!own->n_lines)
		return "the parts of the machine are not known";
	if (own->position && !own->sums[own->lines[own->position].part].n_rings) {
		error_text_set(&own->refusal, -ENOENT, "no ring has all its members in %s",
			cpu_part_name(selected_part(own), name));
		return own->refusal.text;
	}
	return filter_inside(own, &filter, &own->refusal) < 0 ? own->refusal.text : NULL;
}

static void press_enter(struct frame *frame, long argument)
{
	struct error_text reason;

	filter_inside(view_own(frame, &view_topology), &frame->view.filter, &reason);
	view_open(frame, frame->kinds[0]);
}

static const struct key keys[] = {
	{{KEY_CODE_ENTER, '\n'}, "Enter", "topology: show rings inside", "Rings", "Enter", press_enter,
		.refusal = refuse_enter},
	{{'f'}, "f", "topology: fold or unfold it", "Fold", "f F", press_fold, false},
	{{'F'}, "F", "topology: all of its level", NULL, NULL, press_fold, true},
	{{'!'}, "!", "topology: select the worst", "Worst", "!", press_worst},
};

const struct view_kind view_topology = {
	.name = "topology",
	.key = {{'T'}, "T", "show the machine's parts"},
	VIEW_KEYS(keys),
	.state_size = sizeof(struct topology_view),
	.shows_activity = true,
	.has_no_rings = true,
	.finish = finish,
	.fit = fit,
	.draw = draw_topology,
	.move = move,
	.wheel_lines = WHEEL_LINES,
	.click = click,
};

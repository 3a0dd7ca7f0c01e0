/* SPDX-License-Identifier: GPL-2.0-or-later */
/* time_columns.c - the columns of heat map and strips. */
#include "ui/pictures/time_columns.h"

#include "src/model/session.h"
#include "ui/draw/units.h"

#define SECOND_NS UINT64_C(1000000000)

/* --- parts of a long session --- */

static bool has_blocks(const struct phase *phase)
{
	return phase->n_blocks && !phase->lacks_blocks;
}

static uint64_t whole_seconds(uint64_t ns)
{
	return (ns + SECOND_NS - 1) / SECOND_NS * SECOND_NS;
}

/* No block is longer than a column, so that each is in one. */
static uint64_t choose_length(const struct phases *phases, uint64_t all_ns)
{
	uint64_t longest_ns = (all_ns + HEAT_COLUMNS_MAX - 1) / HEAT_COLUMNS_MAX;

	for (size_t p = 0; p < phases->n; p++) {
		const struct phase *phase = &phases->list[p];

		for (unsigned i = 0; i < phase->n_blocks && has_blocks(phase); i++) {
			uint64_t ns = phase->blocks[i].end_ns - phase->blocks[i].start_ns;

			longest_ns = ns > longest_ns ? ns : longest_ns;
		}
	}
	return whole_seconds(longest_ns);
}

/* Returns a time on the clock of the parts, which begins with 1. */
static uint64_t part_ns(const struct time_columns *columns, uint64_t at_ns)
{
	uint64_t since_ns = at_ns > columns->start_ns ? at_ns - columns->start_ns : 0;

	return 1 + (uint64_t)((double)since_ns * (double)SECOND_NS / (double)columns->length_ns);
}

static int add_block(struct time_columns *columns, const struct block *block, uint64_t start_ns,
	uint64_t end_ns, size_t row, const enum figure *figures, size_t n_figures)
{
	const struct block_list list = {.first = *block};
	int r = 0;

	second_stats_tick(&columns->parts, part_ns(columns, start_ns), part_ns(columns, end_ns), false);
	for (size_t i = 0; i < n_figures && r == 0; i++) {
		struct hist hist = {0};

		r = block_list_add_figure(&list, row, figures[i], &hist);
		if (r == 0 && hist.n)
			r = second_stats_feed(&columns->parts, row, figures[i], &hist);
		hist_finish(&hist);
	}
	return r;
}

/* A phase without blocks has its sum in all of its columns. */
static int add_phase(struct time_columns *columns, const struct phase *phase, size_t row,
	const enum figure *figures, size_t n_figures)
{
	int r = 0;

	if (!has_blocks(phase))
		return phase->sum.n_ticks ? add_block(columns, &phase->sum, phase->start_ns, phase->end_ns,
						    row, figures, n_figures)
					  : 0;
	for (unsigned i = 0; i < phase->n_blocks && r == 0; i++)
		r = add_block(columns, &phase->blocks[i], phase->blocks[i].start_ns, phase->blocks[i].end_ns,
			row, figures, n_figures);
	return r;
}

static int make_parts(struct time_columns *columns, const struct phases *phases, size_t row,
	const enum figure *figures, size_t n_figures)
{
	int r = second_stats_add(&columns->parts, row, NULL, 0);

	columns->start_ns = phases->list[0].start_ns;
	columns->length_ns =
		choose_length(phases, phases->list[phases->n - 1].end_ns - phases->list[0].start_ns);
	for (size_t p = 0; p < phases->n && r == 0; p++)
		r = add_phase(columns, &phases->list[p], row, figures, n_figures);
	columns->stats = &columns->parts;
	return r;
}

/* --- columns --- */

int time_columns_init(struct time_columns *columns, const struct session *session, size_t row,
	const enum figure *figures, size_t n_figures)
{
	bool is_long = session->seconds.second >= HEAT_COLUMNS_MAX && session->phases.n;
	int r = 0;

	*columns = (struct time_columns){.stats = &session->seconds, .length_ns = SECOND_NS};
	if (is_long)
		r = make_parts(columns, &session->phases, row, figures, n_figures);
	uint64_t n = columns->stats->second + 1;

	heat_seconds_all(&columns->seconds, n < HEAT_COLUMNS_MAX ? (unsigned)n : HEAT_COLUMNS_MAX);
	return r;
}

void time_columns_finish(struct time_columns *columns)
{
	second_stats_finish(&columns->parts);
}

char *time_columns_length(const struct time_columns *columns, char *text, size_t size)
{
	uint64_t seconds = columns->length_ns / SECOND_NS;

	snprintf(text, size, seconds == 1 ? "second" : "%llu s", (unsigned long long)seconds);
	return text;
}

/* The newest second is the first in the list, and to the right. */
struct svg_box time_columns_box(const struct time_columns *columns, unsigned i, struct svg_box box)
{
	double width = box.width / columns->seconds.n;

	return (struct svg_box){box.x + box.width - (i + 1) * width, box.y, width, box.height};
}

/* Returns when a column ended, CLOCK_MONOTONIC. */
static uint64_t column_end_ns(const struct time_columns *columns, unsigned back)
{
	uint64_t start_ns = second_stats_start_ns(columns->stats, back);

	if (columns->stats != &columns->parts)
		return start_ns + SECOND_NS;
	return columns->start_ns + (start_ns / SECOND_NS + 1) * columns->length_ns;
}

static uint64_t column_back(const struct time_columns *columns, uint64_t at_ns)
{
	return second_stats_back(
		columns->stats, columns->stats == &columns->parts ? part_ns(columns, at_ns) : at_ns);
}

/* --- the axis --- */

enum { NAME_WIDTH = 150, TIME_WIDTH = 110 /* from one time to the next, at least */ };

/* The newest first: where names have no room beside each other, that of the older phase is omitted. */
static void draw_phases(
	const struct time_columns *columns, const struct session *session, FILE *out, struct svg_box box)
{
	double free_to = box.x + box.width;

	for (size_t p = session->phases.n; p-- > 0;) {
		const struct phase *phase = &session->phases.list[p];
		uint64_t back = column_back(columns, phase->start_ns);
		char name[PHASE_NAME_SIZE + 16], cut[SVG_TEXT_SIZE];

		if (back >= columns->seconds.n)
			continue;
		double x = time_columns_box(columns, (unsigned)back, box).x, y = box.y + box.height;
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

/* Returns each how many-th column has its time. */
static unsigned stride(double width)
{
	static const unsigned steps[] = {1, 2, 5, 10, 20, 30, 60};
	size_t i = 0;

	while (i + 1 < sizeof(steps) / sizeof(*steps) && steps[i] * width < TIME_WIDTH)
		i++;
	return steps[i];
}

void time_columns_draw_axis(
	const struct time_columns *columns, const struct session *session, FILE *out, struct svg_box box)
{
	unsigned n = columns->seconds.n, step = stride(box.width / n);
	char text[16];

	for (unsigned back = 0; back < n; back += step) {
		uint64_t at_ns = column_end_ns(columns, back);
		struct svg_box column = time_columns_box(columns, back, box);

		units_clock(text, sizeof(text), session->wall_start_ns + at_ns - session->start_ns);
		svg_text(out, column.x + column.width, box.y + box.height + 14, SVG_END, "faint small", text);
	}
	draw_phases(columns, session, out, box);
}

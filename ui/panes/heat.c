/* SPDX-License-Identifier: GPL-2.0-or-later */
/* heat.c - a heat map over time of one ring, or of a group. */
#include "ui/panes/heat.h"

#include <math.h>
#include <string.h>

#include "src/model/session.h"
#include "ui/table/view_state.h"

enum { MARGIN = 8, WIDE_MARGIN = 14, WIDE_FROM = 60, HALF_OCTAVES_MAX = 2, BULK = 100 };

/* About how many samples each of the seconds's rows has, in the columns of the map. */
struct heat_counts {
	double rows[SECOND_BANDS], all;
	int lowest, highest; /* lowest > highest: none */
	unsigned hottest;
};

static struct heat_counts count_samples(
	const struct second_stats *stats, size_t row, enum figure figure, unsigned columns)
{
	struct heat_counts counts = {.lowest = SECOND_BANDS, .highest = -1};

	for (unsigned back = 0; back < columns; back++) {
		const struct second *second = second_stats_at(stats, row, figure, back);

		for (int t = 0; second && t < SECOND_BANDS; t++) {
			unsigned heat = second_stats_heat(second, (unsigned)t);
			double n = heat ? pow(2.8, heat - 1) : 0.0;

			if (!heat)
				continue;
			counts.rows[t] += n;
			counts.all += n;
			counts.lowest = t < counts.lowest ? t : counts.lowest;
			counts.highest = t > counts.highest ? t : counts.highest;
			counts.hottest = heat > counts.hottest ? heat : counts.hottest;
		}
	}
	return counts;
}

/* Each row of the map holds @step bands; the lowest row starts with band @base. With two bands the edges
 * are whole octaves. */
struct scale {
	int base, step, rows;
};

static int aligned(int row, int step)
{
	return row ? 1 + (row - 1) / step * step : 1 - step;
}

static void use_rows(struct scale *scale, int rows)
{
	int most = (SECOND_BANDS - scale->base + scale->step - 1) / scale->step;

	scale->rows = rows < most ? rows : most;
}

/* False where that is more rows than there may be. What room is left, is left above. */
static bool scale_all(struct scale *scale, int lowest, int highest, int step, int rows)
{
	*scale = (struct scale){.base = aligned(lowest, step), .step = step};
	use_rows(scale, rows);
	return (highest - scale->base) / step < rows;
}

/* All but a hundredth at either end. */
static void find_bulk(const struct heat_counts *counts, int *lowest, int *highest)
{
	double below = 0.0, above = 0.0;

	for (*lowest = counts->lowest; (below += counts->rows[*lowest]) * BULK < counts->all;)
		++*lowest;
	for (*highest = counts->highest; (above += counts->rows[*highest]) * BULK < counts->all;)
		--*highest;
}

static struct scale choose_scale(const struct heat_counts *counts, int rows)
{
	int lowest, highest, step;
	struct scale scale;

	for (step = 1; step <= HALF_OCTAVES_MAX; step++)
		if (scale_all(&scale, counts->lowest, counts->highest, step, rows))
			return scale;
	find_bulk(counts, &lowest, &highest);
	if (rows < 3) {
		while (!scale_all(&scale, counts->lowest, counts->highest, step, rows))
			step++;
		return scale;
	}
	for (step = HALF_OCTAVES_MAX; !scale_all(&scale, lowest, highest, step, rows - 2);)
		step++;
	/* One more at either end, for samples beyond. */
	if (counts->lowest < scale.base)
		scale.base -= step;
	use_rows(&scale, rows);
	return scale;
}

static unsigned map_row(const struct scale *scale, int t)
{
	int up = t < scale->base ? 0 : (t - scale->base) / scale->step;

	return (unsigned)(up < scale->rows ? scale->rows - 1 - up : 0);
}

void heat_make(struct heat *heat, const struct second_stats *stats, size_t row, enum figure figure,
	unsigned columns, unsigned rows)
{
	columns = columns < HEAT_COLUMNS_MAX ? columns : HEAT_COLUMNS_MAX;
	struct heat_counts counts = count_samples(stats, row, figure, columns);

	*heat = (struct heat){.columns = columns};
	if (!columns || !rows || counts.lowest > counts.highest)
		return;
	struct scale scale = choose_scale(&counts, rows < HEAT_ROWS_MAX ? (int)rows : HEAT_ROWS_MAX);

	heat->rows = (unsigned)scale.rows;
	for (int i = 0; i < scale.rows; i++) {
		int t = scale.base + i * scale.step;

		heat->lower_ns[scale.rows - 1 - i] = t > 0 ? second_stats_lower_ns((unsigned)t) : 0;
	}
	for (unsigned back = 0; back < columns; back++) {
		const struct second *second = second_stats_at(stats, row, figure, back);

		for (int t = counts.lowest; second && t <= counts.highest; t++) {
			uint8_t *shade = &heat->shade[map_row(&scale, t)][columns - 1 - back];
			unsigned hot = second_stats_heat(second, (unsigned)t);
			unsigned is = hot ? 1 + (hot - 1) * HEAT_SHADES / counts.hottest : 0;

			*shade = is > *shade ? (uint8_t)is : *shade;
		}
	}
}

uint64_t heat_back(const struct second_stats *stats, uint64_t at_ns)
{
	uint64_t newest_ns = second_stats_start_ns(stats, 0);

	return at_ns >= newest_ns ? 0 : (newest_ns - at_ns + 999999999) / 1000000000;
}

unsigned heat_margin(unsigned width)
{
	return width >= WIDE_FROM ? WIDE_MARGIN : MARGIN;
}

uint64_t heat_round(uint64_t ns)
{
	uint64_t digit = 1;

	while (ns / digit >= 100)
		digit *= 10;
	return (ns + digit / 2) / digit * digit;
}

/* ">98", "65-98" or only "65", "<1.5" */
static void write_label(
	const struct heat *heat, unsigned y, unsigned room, enum unit unit, char *text, size_t size)
{
	uint64_t from_ns = heat_round(heat->lower_ns[y]);
	uint64_t to_ns = y > 0 ? heat_round(heat->lower_ns[y - 1]) : 0;
	char edge[32];

	if (y == 0)
		snprintf(text, size, ">%s", units_short(edge, sizeof(edge), from_ns, unit));
	else if (y + 1 == heat->rows)
		snprintf(text, size, "<%s", units_short(edge, sizeof(edge), to_ns, unit));
	else if (strlen(units_range(text, size, from_ns, to_ns, unit)) > room)
		units_short(text, size, from_ns, unit);
}

static void draw_map(const struct scene *scene, struct area area, const struct heat *heat, unsigned margin)
{
	static const char ascii[] = " .:+#";
	unsigned left = area.width - margin - heat->columns;

	for (unsigned y = 0; y < heat->rows; y++) {
		char label[80];

		write_label(heat, y, margin - 1, scene->view->unit, label, sizeof(label));
		canvas_right(scene->canvas, area, 0, y, margin - 1, STYLE_PLAIN, label);
		canvas_put(scene->canvas, area, margin - 1, y, '|', STYLE_PLAIN);
		for (unsigned x = 0; x < heat->columns; x++) {
			unsigned shade = heat->shade[y][x];
			uint32_t block = shade < HEAT_SHADES ? 0x2590u + shade : 0x2588u;

			if (shade)
				canvas_put(scene->canvas, area, margin + left + x, y,
					scene->canvas->ascii ? (unsigned char)ascii[shade] : block,
					STYLE_BAR);
		}
	}
}

/* The column in which a phase began; @width or more where that is on the map no more. */
static unsigned mark_column(const struct session *session, size_t phase, unsigned width)
{
	uint64_t back = heat_back(&session->seconds, session->phases.list[phase].start_ns);

	return back < width && back < HEAT_COLUMNS_MAX ? width - 1 - (unsigned)back : width;
}

/* "^3" under the second in which phase 3 began, or "3^" where it would pass the end; where marks are too
 * close, the number gives way. */
static void draw_marks(const struct scene *scene, struct area line, unsigned margin)
{
	const struct session *session = scene->session;
	unsigned width = line.width - margin, free_from = 0;

	for (unsigned x = 0; x < width; x++)
		canvas_put(
			scene->canvas, line, margin + x, 0, scene->canvas->ascii ? '-' : 0x2500, STYLE_PLAIN);
	canvas_put(scene->canvas, line, margin - 1, 0, '+', STYLE_PLAIN);
	for (size_t i = 0; i < session->phases.n; i++) {
		unsigned x = mark_column(session, i, width), number = session->phases.list[i].number;
		unsigned next = i + 1 < session->phases.n ? mark_column(session, i + 1, width) : width;
		char text[16];
		unsigned length = (unsigned)snprintf(text, sizeof(text), "%u", number);

		if (x >= width)
			continue;
		canvas_put(scene->canvas, line, margin + x, 0, '^', STYLE_STRONG);
		if (x + 1 + length <= next)
			canvas_text(scene->canvas, line, margin + x + 1, 0, STYLE_STRONG, text);
		else if (next == width && x >= free_from + length)
			canvas_text(scene->canvas, line, margin + x - length, 0, STYLE_STRONG, text);
		free_from = x + 1 + length <= next ? x + 1 + length : x + 1;
	}
}

void heat_draw(const struct scene *scene, struct area area, size_t row, enum figure figure, const char *title)
{
	unsigned margin = heat_margin(area.width);
	struct area map = {area.x, area.y + 1, area.width, area.height - 1};
	struct area marks = {area.x, area.y + area.height - 1, area.width, 1};
	struct heat heat;

	canvas_title(scene->canvas, area, title);
	if (map.width <= margin || map.height < 2)
		return;
	heat_make(&heat, &scene->session->seconds, row, figure, map.width - margin, map.height - 1);
	if (!heat.rows)
		canvas_text(scene->canvas, map, 1, 0, STYLE_PLAIN, "no samples in these seconds");
	draw_map(scene, map, &heat, margin);
	draw_marks(scene, marks, margin);
}

void heat_draw_main(const struct scene *scene, struct area area)
{
	const struct session *session = scene->session;
	size_t group = row_main_group(session);
	/* Leaves a column free before the pane to the right. */
	struct area inner = {
		area.x, area.y, area.width - (area.x + area.width < scene->canvas->columns), area.height};
	char title[96];

	snprintf(title, sizeof(title), " %s %ss, %s, a column a second, ^ phases ",
		group ? "isolated" : "all", row_noun(session), figure_title(scene->view->shown));
	if (session->n_groups)
		heat_draw(scene, inner, session->n_rings + group, scene->view->shown, title);
	canvas_title(scene->canvas, area, title);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* heat.c - a heat map over time of one ring, or of a group. */
#include "ui/panes/heat.h"

#include <math.h>
#include <string.h>

#include "src/model/session.h"
#include "src/model/session_rows.h"
#include "ui/draw/palette.h"
#include "ui/table/view_state.h"

enum { TITLE_INDENT = 2, MARGIN = 8, WIDE_MARGIN = 14, WIDE_FROM = 60, HALF_OCTAVES_MAX = 2, BULK = 100 };

/* --- seconds --- */

void heat_seconds_all(struct heat_seconds *seconds, unsigned columns)
{
	seconds->n = columns < HEAT_COLUMNS_MAX ? columns : HEAT_COLUMNS_MAX;
	for (unsigned back = 0; back < seconds->n; back++)
		seconds->back[back] = (uint8_t)back;
}

bool heat_is_of_turns(const struct session *session, size_t row)
{
	return session->n_turns > 1 && row < GROUP_ROW;
}

/* A stalled ring has missed laps, which are samples of the response. */
static bool has_run(const struct second_stats *stats, size_t row, unsigned back)
{
	for (int f = 0; f < N_SECOND_FIGURES; f++) {
		const struct second *second = second_stats_at(stats, row, (enum figure)f, back);

		if (second && (second->n || second->max))
			return true;
	}
	return false;
}

void heat_seconds_find(
	struct heat_seconds *seconds, const struct session *session, size_t row, unsigned columns)
{
	if (!heat_is_of_turns(session, row)) {
		heat_seconds_all(seconds, columns);
		return;
	}
	seconds->n = 0;
	for (unsigned back = 0; back < SECONDS_KEPT && seconds->n < columns; back++)
		if (has_run(&session->seconds, row, back) ||
			second_stats_is_gap(&session->seconds, row, back))
			seconds->back[seconds->n++] = (uint8_t)back;
}

void heat_spike_seconds(
	const struct session *session, size_t row, const bool *passes, bool seconds[SECONDS_KEPT])
{
	size_t group = 0;

	memset(seconds, 0, SECONDS_KEPT * sizeof(*seconds));
	if (row < GROUP_ROW) {
		second_stats_note_marks(&session->seconds, row, seconds);
		return;
	}
	while (group < session->n_groups && session->groups[group].row != row)
		group++;
	for (size_t i = 0; i < session->n_rings && group < session->n_groups; i++)
		if (session_row_is_in(session, &session->rings[i], group) && (!passes || passes[i]))
			second_stats_note_marks(&session->seconds, session->rings[i].id, seconds);
}

/* --- the map --- */

/* About how many samples each band has in the columns of the map. */
struct heat_counts {
	double rows[SECOND_BANDS], all;
	int lowest, highest; /* lowest > highest: none */
	unsigned hottest;
};

static struct heat_counts count_samples(
	const struct second_stats *stats, size_t row, enum figure figure, const struct heat_seconds *seconds)
{
	struct heat_counts counts = {.lowest = SECOND_BANDS, .highest = -1};

	for (unsigned i = 0; i < seconds->n; i++) {
		const struct second *second = second_stats_at(stats, row, figure, seconds->back[i]);

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

static int aligned_band(int row, int step)
{
	return row ? 1 + (row - 1) / step * step : 1 - step;
}

/* Returns how many rows the bands up to @highest need. */
static int rows_up_to(const struct scale *scale, int highest)
{
	return (highest - scale->base) / scale->step + 1;
}

/* Finds the bands of all samples but the lowest and the highest 1 %. */
static void find_bulk(const struct heat_counts *counts, int *lowest, int *highest)
{
	double below = 0.0, above = 0.0;

	for (*lowest = counts->lowest; (below += counts->rows[*lowest]) * BULK < counts->all;)
		++*lowest;
	for (*highest = counts->highest; (above += counts->rows[*highest]) * BULK < counts->all;)
		--*highest;
}

/* Rows are half an octave or an octave, if all samples fit then. Otherwise the bulk gets rows of an octave or
 * more, with a row at either end for samples beyond. */
static struct scale find_scale(const struct heat_counts *counts, int rows)
{
	int lowest = counts->lowest, highest = counts->highest, outer = 0;
	struct scale scale = {.base = aligned_band(lowest, 1), .step = 1};

	while (rows_up_to(&scale, highest) > rows - outer) {
		if (scale.step == HALF_OCTAVES_MAX && rows >= 3 && !outer) {
			find_bulk(counts, &lowest, &highest);
			outer = 2;
		} else {
			scale.step++;
		}
		scale.base = aligned_band(lowest, scale.step);
	}
	if (counts->lowest < scale.base)
		scale.base -= scale.step;
	scale.rows = rows_up_to(&scale, counts->highest);
	scale.rows = scale.rows < rows ? scale.rows : rows;
	return scale;
}

static unsigned map_row(const struct scale *scale, int t)
{
	int up = t < scale->base ? 0 : (t - scale->base) / scale->step;

	return (unsigned)(up < scale->rows ? scale->rows - 1 - up : 0);
}

void heat_make(struct heat *heat, const struct second_stats *stats, size_t row, enum figure figure,
	const struct heat_seconds *seconds, unsigned rows, uint64_t calm_ns)
{
	struct heat_counts counts = count_samples(stats, row, figure, seconds);

	*heat = (struct heat){.columns = seconds->n};
	if (!seconds->n || !rows || counts.lowest > counts.highest)
		return;
	struct scale scale = find_scale(&counts, rows < HEAT_ROWS_MAX ? (int)rows : HEAT_ROWS_MAX);

	heat->rows = (unsigned)scale.rows;
	for (int i = 0; i < scale.rows; i++) {
		int t = scale.base + i * scale.step;

		heat->lower_ns[scale.rows - 1 - i] = t > 0 ? second_stats_lower_ns((unsigned)t) : 0;
	}
	for (unsigned i = 0; i < seconds->n; i++) {
		const struct second *second = second_stats_at(stats, row, figure, seconds->back[i]);

		heat->gaps[seconds->n - 1 - i] = second_stats_is_gap(stats, row, seconds->back[i]);
		for (int t = counts.lowest; second && t <= counts.highest; t++) {
			struct heat_cell *cell = &heat->cells[map_row(&scale, t)][seconds->n - 1 - i];
			unsigned hot = second_stats_heat(second, (unsigned)t);
			unsigned shade = hot ? 1 + (hot - 1) * HEAT_SHADES / counts.hottest : 0;

			cell->shade = shade > cell->shade ? (uint8_t)shade : cell->shade;
			if (hot)
				cell->step =
					(uint8_t)palette_step(second_stats_lower_ns((unsigned)t), calm_ns);
		}
	}
}

const char *heat_gap_words(const struct session *session, size_t row, unsigned width)
{
	unsigned margin = heat_margin(width);
	struct heat_seconds seconds;

	heat_seconds_find(&seconds, session, row, width > margin ? width - margin : 0);
	for (unsigned i = 0; i < seconds.n; i++)
		if (second_stats_is_gap(&session->seconds, row, seconds.back[i]))
			return ", / ipctop was late";
	return "";
}

/* The words that explain the marks of spikes whose cause is named, or "". */
static const char *spike_words(const struct session *session, size_t row, unsigned width)
{
	unsigned margin = heat_margin(width);
	struct heat_seconds seconds;
	bool spikes[SECONDS_KEPT];

	heat_seconds_find(&seconds, session, row, width > margin ? width - margin : 0);
	heat_spike_seconds(session, row, NULL, spikes);
	for (unsigned i = 0; i < seconds.n; i++)
		if (spikes[seconds.back[i]])
			return ", * spikes with a cause";
	return "";
}

void heat_write_title(const struct session *session, size_t row, unsigned width, const char *of, bool turns,
	char *title, size_t size)
{
	static const char *const columns[] = {"a column a second", "seconds"};
	size_t length = width;

	for (size_t i = 0; i < 2 && length + TITLE_INDENT > width; i++)
		length = (size_t)snprintf(title, size, " %s%s%s, ^ phases%s%s ", of, columns[i],
			turns ? " of its turns" : "", heat_gap_words(session, row, width),
			spike_words(session, row, width));
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

static void draw_cell(
	struct canvas *canvas, struct area area, unsigned x, unsigned y, const struct heat_cell *cell)
{
	static const char ascii[] = " .:+#";
	uint32_t block = cell->shade < HEAT_SHADES ? 0x2590u + cell->shade : 0x2588u;

	canvas_put(canvas, area, x, y, canvas->ascii ? (unsigned char)ascii[cell->shade] : block,
		style_of_step(cell->step, canvas->ascii));
}

static void draw_map(const struct scene *scene, struct area area, const struct heat *heat, unsigned margin)
{
	unsigned left = area.width - margin - heat->columns;

	for (unsigned y = 0; y < heat->rows; y++) {
		char label[80];

		write_label(heat, y, margin - 1, scene->view->unit, label, sizeof(label));
		canvas_right(scene->canvas, area, 0, y, margin - 1, STYLE_PLAIN, label);
		canvas_put(scene->canvas, area, margin - 1, y, '|', STYLE_PLAIN);
		for (unsigned x = 0; x < heat->columns; x++)
			if (heat->gaps[x])
				canvas_put(
					scene->canvas, area, margin + left + x, y, HEAT_GAP, STYLE_WARNING);
			else if (heat->cells[y][x].step)
				draw_cell(scene->canvas, area, margin + left + x, y, &heat->cells[y][x]);
	}
}

/* Returns the column in which a phase began, or the first one after that; @width if the map starts later, or
 * has no second of the phase. */
static unsigned mark_column(
	const struct session *session, size_t phase, const struct heat_seconds *seconds, unsigned width)
{
	uint64_t back = second_stats_back(&session->seconds, session->phases.list[phase].start_ns);
	unsigned n = 0;

	while (n < seconds->n && seconds->back[n] <= back)
		n++;
	bool is_full = n == smaller(width, HEAT_COLUMNS_MAX);

	return n && !(is_full && back > seconds->back[n - 1]) ? width - n : width;
}

/* A phase's number covers the marks of spikes. */
static void put_number(const struct scene *scene, struct area line, unsigned x, const char *digits)
{
	for (; *digits; digits++, x++)
		canvas_put(scene->canvas, line, x, 0, (unsigned char)*digits, STYLE_STRONG);
}

/* "^3" under the second in which phase 3 began, or "3^" at the end of the line. Without room for the number
 * only the mark is drawn. */
static void draw_marks(const struct scene *scene, struct area line, size_t row,
	const struct heat_seconds *seconds, unsigned margin)
{
	const struct session *session = scene->session;
	unsigned width = line.width - margin, free_from = 0;
	bool spikes[SECONDS_KEPT];

	for (unsigned x = 0; x < width; x++)
		canvas_put(
			scene->canvas, line, margin + x, 0, scene->canvas->ascii ? '-' : 0x2500, STYLE_PLAIN);
	heat_spike_seconds(session, row, NULL, spikes);
	for (unsigned i = 0; i < seconds->n; i++)
		if (spikes[seconds->back[i]])
			canvas_put(scene->canvas, line, margin + width - 1 - i, 0, HEAT_SPIKE, STYLE_STRONG);
	canvas_put(scene->canvas, line, margin - 1, 0, '+', STYLE_PLAIN);
	for (size_t i = 0; i < session->phases.n; i++) {
		unsigned x = mark_column(session, i, seconds, width), number = session->phases.list[i].number;
		unsigned next =
			i + 1 < session->phases.n ? mark_column(session, i + 1, seconds, width) : width;
		char text[16];
		unsigned length = (unsigned)snprintf(text, sizeof(text), "%u", number);

		if (x >= width)
			continue;
		canvas_put(scene->canvas, line, margin + x, 0, '^', STYLE_STRONG);
		if (x + 1 + length <= next)
			put_number(scene, line, margin + x + 1, text);
		else if (next == width && x >= free_from + length)
			put_number(scene, line, margin + x - length, text);
		free_from = x + 1 + length <= next ? x + 1 + length : x + 1;
	}
}

void heat_draw(const struct scene *scene, struct area area, size_t row, enum figure figure, const char *title)
{
	unsigned margin = heat_margin(area.width);
	struct area map = {area.x, area.y + 1, area.width, area.height - 1};
	struct area marks = {area.x, area.y + area.height - 1, area.width, 1};
	struct heat_seconds seconds;
	struct heat heat;

	canvas_title(scene->canvas, area, title);
	if (map.width <= margin || map.height < 2)
		return;
	heat_seconds_find(&seconds, scene->session, row, map.width - margin);
	heat_make(
		&heat, &scene->session->seconds, row, figure, &seconds, map.height - 1, scene->view->calm_ns);
	if (!heat.rows)
		canvas_text(scene->canvas, map, 1, 0, STYLE_PLAIN,
			scene->session->n_rings && scene->session->rings[0].batch_laps
				? "no single laps: they ran in batches"
				: "no samples in these seconds");
	map.y += map.height - 1 - heat.rows; /* rows that it does not need stay empty above it */
	draw_map(scene, map, &heat, margin);
	draw_marks(scene, marks, row, &seconds, margin);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* matrix_panel.c - the classes of a matrix, their outliers, or how they changed, and the last events. */
#include "ui/panes/matrix_panel.h"

#include <stdio.h>
#include <string.h>

#include "src/base/text.h"
#include "src/model/matrix.h"
#include "src/model/matrix_words.h"
#include "src/model/session.h"
#include "ui/panes/events.h"

enum { OUTLIERS_WIDTH = 56 /* of those of each class beside the classes */ };

char *matrix_panel_time(char text[MATRIX_PANEL_TIME_SIZE], float ns, enum unit unit)
{
	if (ns < 0)
		return strcpy(text, "-");
	return units_brief(text, MATRIX_PANEL_TIME_SIZE, 4, (uint64_t)(ns + 0.5f), unit);
}

void matrix_panel_change(
	char text[MATRIX_PANEL_TEXT_SIZE], const struct matrix_cell_change *cell, enum unit unit)
{
	char a[MATRIX_PANEL_TIME_SIZE], b[MATRIX_PANEL_TIME_SIZE], interval[MATRIX_CHANGE_SIZE] = "";

	if (cell->verdict != SHIFT_TOO_FEW)
		matrix_change_interval(interval, cell);
	snprintf(text, MATRIX_PANEL_TEXT_SIZE, "%s > %s%s%s",
		matrix_panel_time(a, cell->n_a ? cell->a : -1, unit),
		matrix_panel_time(b, cell->n_b ? cell->b : -1, unit), *interval ? ", " : "", interval);
}

static void draw_line(
	const struct matrix_panel *panel, struct area area, unsigned y, enum style style, const char *text)
{
	if (y < area.height)
		canvas_left(panel->scene->canvas, area, 0, y, area.width, style, text);
}

static unsigned draw_classes(
	const struct matrix_panel *panel, unsigned y, const struct matrix_summary *summary)
{
	char text[MATRIX_PANEL_TEXT_SIZE], least[MATRIX_PANEL_TIME_SIZE], median[MATRIX_PANEL_TIME_SIZE],
		largest[MATRIX_PANEL_TIME_SIZE];
	enum unit unit = panel->unit;

	draw_line(panel, panel->area, y++, STYLE_HEAD, "CLASS     CELLS  LEAST MEDIAN    MAX AT");
	for (int i = 0; i < N_LOCALITIES; i++) {
		const struct matrix_class *class = &summary->classes[i];

		if (!class->n_cells)
			continue;
		snprintf(text, sizeof(text), "%-8s %6zu %6s %6s %6s ", locality_name((enum locality)i),
			class->n, matrix_panel_time(least, class->n ? class->least : -1, unit),
			matrix_panel_time(median, class->n ? class->median : -1, unit),
			matrix_panel_time(largest, class->n ? class->largest : -1, unit));
		if (class->n)
			text_print(text, sizeof(text), "%u>%u", panel->matrix->cpus[class->row].cpu,
				panel->matrix->cpus[class->column].cpu);
		draw_line(panel, panel->area, y++, STYLE_PLAIN, text);
	}
	return y;
}

static unsigned draw_slow_cpu(
	const struct matrix_panel *panel, unsigned y, const char *what, const struct matrix_slow_cpu *slow)
{
	char text[MATRIX_PANEL_TEXT_SIZE], median[MATRIX_PANEL_TIME_SIZE], ratio[MATRIX_TIME_SIZE];

	if (!slow->is_known)
		return y;
	snprintf(text, sizeof(text), "slowest %s: CPU %u  %s, %s x the others", what,
		panel->matrix->cpus[slow->index].cpu, matrix_panel_time(median, slow->median, panel->unit),
		matrix_ratio(ratio, slow->median, slow->others));
	draw_line(panel, panel->area, y, STYLE_PLAIN, text);
	return y + 1;
}

static unsigned draw_asymmetry(
	const struct matrix_panel *panel, unsigned y, const struct matrix_asymmetry *asymmetry)
{
	char text[MATRIX_PANEL_TEXT_SIZE], there[MATRIX_PANEL_TIME_SIZE], back[MATRIX_PANEL_TIME_SIZE],
		ratio[MATRIX_TIME_SIZE];
	unsigned row = panel->matrix->cpus[asymmetry->row].cpu,
		 column = panel->matrix->cpus[asymmetry->column].cpu;

	if (!asymmetry->is_known)
		return y;
	snprintf(text, sizeof(text), "asymmetry: %u>%u %s, %u>%u %s: %s x%s", row, column,
		matrix_panel_time(there, asymmetry->there, panel->unit), column, row,
		matrix_panel_time(back, asymmetry->back, panel->unit),
		matrix_ratio(ratio, asymmetry->there, asymmetry->back),
		matrix_is_skew(panel->scene->session, asymmetry) ? ", within skew" : "");
	draw_line(panel, panel->area, y, STYLE_PLAIN, text);
	return y + 1;
}

/* " 1024  7.50 1.52" */
static void append_slow_cpu(const struct matrix_panel *panel, const struct matrix_slow_cpu *slow,
	char text[MATRIX_PANEL_TEXT_SIZE])
{
	char median[MATRIX_PANEL_TIME_SIZE], ratio[MATRIX_TIME_SIZE];

	if (slow->is_known)
		text_print(text, MATRIX_PANEL_TEXT_SIZE, " %4u %5s %4s", panel->matrix->cpus[slow->index].cpu,
			matrix_panel_time(median, slow->median, panel->unit),
			matrix_ratio(ratio, slow->median, slow->others));
	else
		text_print(text, MATRIX_PANEL_TEXT_SIZE, " %4s %5s %4s", "-", "-", "-");
}

/* What stands out in each class: the head, and a line for each of them in the order of draw_classes(). */
static unsigned draw_class_outliers(
	const struct matrix_panel *panel, struct area area, unsigned y, const struct matrix_summary *summary)
{
	bool is_lap = panel->figure == MATRIX_LAP;
	char text[MATRIX_PANEL_TEXT_SIZE], ratio[MATRIX_TIME_SIZE];

	draw_line(panel, area, y++, STYLE_HEAD,
		is_lap ? "SLOWEST  CPU     X" : "SLOWEST RECEIVER   X SENDER     X ASYMMETRY X");
	for (int i = 0; i < N_LOCALITIES; i++) {
		const struct matrix_outliers *outliers = &summary->classes[i].outliers;
		const struct matrix_asymmetry *asymmetry = &outliers->asymmetry;

		if (!summary->classes[i].n_cells)
			continue;
		snprintf(text, sizeof(text), "%-7s", locality_name((enum locality)i));
		append_slow_cpu(panel, &outliers->receiver, text);
		if (!is_lap)
			append_slow_cpu(panel, &outliers->sender, text);
		if (asymmetry->is_known)
			text_print(text, sizeof(text), " %u>%u %s", panel->matrix->cpus[asymmetry->row].cpu,
				panel->matrix->cpus[asymmetry->column].cpu,
				matrix_is_skew(panel->scene->session, asymmetry)
					? "skew"
					: matrix_ratio(ratio, asymmetry->there, asymmetry->back));
		draw_line(panel, area, y++, STYLE_PLAIN, text);
	}
	return y;
}

/* Draws the title if the panel has room for it and @lines lines. Returns the next line. */
static unsigned draw_panel_title(const struct matrix_panel *panel, const char *title, unsigned lines)
{
	if (panel->area.height <= lines)
		return 0;
	canvas_title(panel->scene->canvas, panel->area, title);
	return 1;
}

static unsigned draw_outliers(
	const struct matrix_panel *panel, unsigned y, const struct matrix_outliers *outliers)
{
	if (panel->figure == MATRIX_LAP)
		return draw_slow_cpu(panel, y, "CPU", &outliers->receiver);
	y = draw_slow_cpu(panel, y, "receiver", &outliers->receiver);
	y = draw_slow_cpu(panel, y, "sender", &outliers->sender);
	return draw_asymmetry(panel, y, &outliers->asymmetry);
}

/* The outliers of each class are beside the classes, or below those of all cells, or in their place, where
 * they have room. Returns the lines that it fills. */
static unsigned draw_values(const struct matrix_panel *panel, const struct matrix_summary *summary)
{
	struct area area = panel->area, beside = area;
	unsigned of_all = panel->figure == MATRIX_LAP ? 1 : 3, classes = 1; /* lines */

	for (int i = 0; i < N_LOCALITIES; i++)
		classes += summary->classes[i].n_cells > 0;
	bool has_several = matrix_has_classes_to_tell_apart(summary);
	bool are_beside = has_several && area.width >= MATRIX_PANEL_WIDTH + OUTLIERS_WIDTH;
	bool are_below = has_several && !are_beside && 2 * classes <= area.height;
	bool has_all = !are_below || 2 * classes + of_all <= area.height;
	unsigned lines = classes + (are_below ? classes : 0) + (has_all ? of_all : 0);
	unsigned top = draw_panel_title(panel, " classes ", lines), y = draw_classes(panel, top, summary);

	if (has_all)
		y = draw_outliers(panel, y, &summary->outliers);
	beside.x += MATRIX_PANEL_WIDTH;
	beside.width -= smaller(MATRIX_PANEL_WIDTH, beside.width);
	if (are_beside)
		draw_class_outliers(panel, beside, top, summary);
	return are_below ? draw_class_outliers(panel, area, y, summary) : y;
}

static unsigned draw_changed_classes(const struct matrix_panel *panel, unsigned y)
{
	char text[MATRIX_PANEL_TEXT_SIZE], median[MATRIX_CHANGE_SIZE];

	draw_line(panel, panel->area, y++, STYLE_HEAD, "CLASS     CELLS  WORSE BETTER MEDIAN");
	for (int i = 0; i < N_LOCALITIES; i++) {
		const struct matrix_class_change *class = &panel->change->classes[i];

		if (!class->n_cells)
			continue;
		snprintf(text, sizeof(text), "%-8s %6zu %6zu %6zu %6s", locality_name((enum locality)i),
			class->n_cells, class->n_worse, class->n_better,
			matrix_change_with_unit(median, class->median));
		draw_line(panel, panel->area, y++, STYLE_PLAIN, text);
	}
	return y;
}

static unsigned draw_most_changed(
	const struct matrix_panel *panel, unsigned y, const char *how, const struct matrix_cell_change *cell)
{
	char text[MATRIX_PANEL_TEXT_SIZE], values[MATRIX_PANEL_TEXT_SIZE];
	uint32_t row, column;

	if (!cell)
		return y;
	matrix_change_indices(panel->change, cell, &row, &column);
	matrix_panel_change(values, cell, panel->unit);
	snprintf(text, sizeof(text), "%s: %u>%u %.120s", how, panel->matrix->cpus[row].cpu,
		panel->matrix->cpus[column].cpu, values);
	draw_line(panel, panel->area, y, STYLE_PLAIN, text);
	return y + 1;
}

/* How many repeats are needed is in the title, or in the last line where the panel is narrow. Returns the
 * number of lines that it fills. */
static unsigned draw_changes(const struct matrix_panel *panel)
{
	char need[MATRIX_NEED_SIZE], title[MATRIX_PANEL_TEXT_SIZE];
	unsigned lines = 3; /* the head, the worst and the best */

	for (int i = 0; i < N_LOCALITIES; i++)
		lines += panel->change->classes[i].n_cells > 0;
	matrix_change_need(need, panel->change);
	snprintf(title, sizeof(title), " changes by class%s%s ", *need ? ", " : "", need);
	bool fits = *need && strlen(title) + MATRIX_TITLE_FRAME <= panel->area.width;
	unsigned y = draw_panel_title(panel, fits ? title : " changes by class ", lines);

	y = draw_most_changed(panel, draw_changed_classes(panel, y), "worst", panel->change->worst);
	y = draw_most_changed(panel, y, "best", panel->change->best);
	if (*need && (!fits || panel->area.height <= lines))
		draw_line(panel, panel->area, y++, STYLE_PLAIN, need);
	return y;
}

/* Below the @used lines of the panel, once there is an event, and if it has room. */
static void draw_events(const struct matrix_panel *panel, unsigned used)
{
	struct area left = panel->area;

	if (!panel->scene->session->n_events || left.height < used + 2)
		return;
	left.y += used;
	left.height -= used;
	events_draw(panel->scene, left);
	canvas_title(panel->scene->canvas, left, " events ");
}

void matrix_panel_draw(const struct matrix_panel *panel, const struct matrix_summary *summary)
{
	if (panel->area.height)
		draw_events(panel, draw_values(panel, summary));
}

void matrix_panel_draw_changes(const struct matrix_panel *panel)
{
	if (panel->area.height)
		draw_events(panel, draw_changes(panel));
}

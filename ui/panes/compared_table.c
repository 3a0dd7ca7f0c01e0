/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compared_table.c - the rows of two phases: the figures of A and B, the change, and the verdict. */
#include "ui/panes/compared_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "src/base/text.h"
#include "src/model/comparison_lines.h"
#include "src/model/session.h"
#include "src/model/session_rows.h"
#include "ui/draw/histogram_bins.h"
#include "ui/panes/table.h"

enum {
	LABEL_WIDTH = 9, /* with the mark and the sign of a group */
	LABEL_MAX = 20,
	VERDICT_WIDTH = 15, /* "  better spikes" */
	VALUE_WIDTH = 6,    /* with the blank before it */
	VALUE_NARROW = 5,   /* the same, where that lets another column stay */
	CHANGE_WIDTH = 6,
	COUNT_WIDTH = 5,
	SHARE_WIDTH = 4, /* with the blank before it */
};

enum { N_COMPARED = N_COMPARISON_COLUMNS };

static const struct comparison_column *const columns = comparison_columns;

static bool has_change(size_t i)
{
	return columns[i].percentile < N_SHIFT_PERCENTILES;
}

struct compared_layout {
	unsigned label, x[N_COMPARED], width[N_COMPARED], verdict;
};

static unsigned layout_end(const struct compared_layout *layout)
{
	unsigned end = layout->label;

	for (size_t i = 0; i < N_COMPARED; i++)
		end += layout->width[i];
	return end;
}

enum { NAME_SIZE = 64 };

/* "0>0", or "mq 0>0" where each pair has its own mechanism, because then no group's line names it. The suffix
 * of a ring that has a namesake stays where there is no room for all. */
static char *ring_name(
	const struct session *session, const struct session_ring *ring, unsigned width, char name[NAME_SIZE])
{
	bool has_groups = session->n_groups && session->groups[session->n_groups - 1].kind == GROUP_MECHANISM;
	bool is_one =
		strcmp(session->rings[0].mechanism, session->rings[session->n_rings - 1].mechanism) == 0;
	char suffix[SESSION_SUFFIX_SIZE];

	snprintf(name, NAME_SIZE, "%s%s%s", has_groups || is_one ? "" : ring->mechanism,
		has_groups || is_one ? "" : " ", ring->label);
	size_t taken = strlen(session_ring_suffix(ring, suffix)), at = strlen(name);
	size_t room = smaller(width, NAME_SIZE - 1);
	bool is_cut = taken && at + taken > room;

	if (is_cut)
		at = room > taken + 2 ? room - taken - 2 : 0;
	snprintf(name + at, NAME_SIZE - at, "%s%s", is_cut ? ".." : "", suffix);
	return name;
}

static unsigned label_width(const struct scene *scene)
{
	char name[NAME_SIZE];
	size_t longest = 0;

	for (size_t i = 0; i < scene->session->n_rings; i++) {
		size_t n = strlen(ring_name(scene->session, &scene->session->rings[i], NAME_SIZE, name));

		longest = n > longest ? n : longest;
	}
	return longest + 3 < LABEL_WIDTH ? LABEL_WIDTH : smaller((unsigned)longest + 3, LABEL_MAX);
}

static bool has_place(const struct scene *scene, size_t i, unsigned columns_wide)
{
	return columns_wide >= columns[i].from && (i != COMPARISON_ABOVE || scene->view->limit_ns);
}

/* p99 and p99.9 may need room for "~". */
static unsigned column_width(size_t i, bool is_narrow)
{
	bool may_be_doubtful = has_change(i) && columns[i].percentile > SHIFT_P50;
	bool has_wide_title = i == COMPARISON_MAX || i == COMPARISON_ABOVE;
	unsigned value = is_narrow && !may_be_doubtful && !has_wide_title ? VALUE_NARROW : VALUE_WIDTH;

	return i == COMPARISON_N        ? 2 * COUNT_WIDTH
	       : i == COMPARISON_MISSED ? 2 * SHARE_WIDTH
					: 2 * value + (has_change(i) ? CHANGE_WIDTH : 0);
}

/* Where not all columns fit, times become narrow before columns give way. */
static struct compared_layout fit_columns(const struct scene *scene, unsigned columns_wide)
{
	struct compared_layout wide = {.label = label_width(scene)}, layout = wide;
	unsigned x;

	for (size_t i = 0; i < N_COMPARED; i++) {
		wide.width[i] = has_place(scene, i, columns_wide) ? column_width(i, false) : 0;
		layout.width[i] = wide.width[i] ? column_width(i, true) : 0;
	}
	while (layout_end(&layout) + VERDICT_WIDTH > columns_wide) {
		size_t first = COMPARISON_P99;

		for (size_t i = 0; i < N_COMPARED; i++)
			if (layout.width[i] && columns[i].gives_way > columns[first].gives_way)
				first = i;
		if (!columns[first].gives_way)
			break;
		layout.width[first] = wide.width[first] = 0;
	}
	if (layout_end(&wide) + VERDICT_WIDTH <= columns_wide)
		layout = wide;
	x = layout.label;
	for (size_t i = 0; i < N_COMPARED; i++) {
		layout.x[i] = x;
		x += layout.width[i];
	}
	layout.verdict = x + 2;
	return layout;
}

static unsigned value_width(const struct compared_layout *layout, size_t i)
{
	return (layout->width[i] - (has_change(i) ? CHANGE_WIDTH : 0)) / 2;
}

/* --- titles --- */

/* "Max of 84s", "Max of 8.0h": the active time in which both phases' maxima are looked for. */
static void title_max(const struct scene *scene, char *title, size_t size)
{
	uint64_t over_ns = UINT64_MAX;

	for (size_t i = 0; i < scene->session->n_rings; i++) {
		const struct comparison_line *line = compared_line(scene->view, scene->session->rings[i].id);

		if (line && line->over_ns && line->over_ns < over_ns)
			over_ns = line->over_ns;
	}
	if (over_ns < UINT64_MAX)
		snprintf(title, size,
			over_ns < 10000000000      ? "Max of %.1fs"
			: over_ns < 10000000000000 ? "Max of %.0fs"
						   : "Max of %.1fh",
			(double)over_ns / (over_ns < 10000000000000 ? 1e9 : 3600e9));
}

static void draw_title(
	const struct scene *scene, struct area area, const struct compared_layout *layout, size_t i)
{
	unsigned x = area.x + layout->x[i], width = value_width(layout, i);
	char title[48];
	char limit[32];

	snprintf(title, sizeof(title), "%s", columns[i].title);
	if (i == COMPARISON_ABOVE)
		snprintf(title, sizeof(title), ">%s/s",
			units_named(limit, sizeof(limit), scene->view->limit_ns));
	if (i == COMPARISON_MAX)
		title_max(scene, title, sizeof(title));
	canvas_right(
		scene->canvas, area, x, 0, layout->width[i] - (has_change(i) ? 3 : 0), STYLE_HEAD, title);
	canvas_right(scene->canvas, area, x, 1, width, STYLE_HEAD, "A");
	canvas_right(scene->canvas, area, x + width, 1, width, STYLE_HEAD, "B");
	if (has_change(i))
		canvas_right(scene->canvas, area, x + 2 * width, 1, CHANGE_WIDTH, STYLE_HEAD, "chg");
}

static void draw_titles(const struct scene *scene, struct area area, const struct compared_layout *layout)
{
	const char *sign = scene->canvas->ascii ? "v" : "\u25be";
	char verdict[32];

	canvas_restyle(
		scene->canvas, (struct area){area.x, area.y, area.width, COMPARED_HEAD_LINES}, STYLE_HEAD);
	canvas_right(scene->canvas, area, area.x, 1, layout->label, STYLE_HEAD, "PAIR");
	for (size_t i = 0; i < N_COMPARED; i++)
		if (layout->width[i])
			draw_title(scene, area, layout, i);
	snprintf(verdict, sizeof(verdict), "%sVERDICT", sign);
	canvas_left(scene->canvas, area, layout->verdict - 1, 1, VERDICT_WIDTH, STYLE_HEAD, verdict);
}

/* --- rows --- */

/* Whole percents where the decimal would touch the number before. */
static void write_share(const struct comparison_side *side, char *text, size_t size)
{
	comparison_share((double)side->missed, (double)side->slots, text);
	if (strlen(text) >= SHARE_WIDTH)
		snprintf(text, size, "%.0f", 100 * (double)side->missed / (double)side->slots);
}

/* @width: with the blank before it. Returns the style. */
static enum style write_value(const struct scene *scene, size_t i, unsigned width,
	const struct comparison_side *side, char *text, size_t size)
{
	const char *doubt = has_change(i) && comparison_is_doubtful(side, columns[i].percentile) ? "~" : "";
	uint64_t ns = columns[i].kind == COMPARISON_TIME ? comparison_ns(&columns[i], side) : 0;
	double rate = comparison_rate(side);
	char time[32];

	if (columns[i].kind == COMPARISON_SHARE)
		write_share(side, text, size);
	else if (columns[i].kind == COMPARISON_COUNT)
		units_count(text, size, COUNT_WIDTH - 1, side->n);
	else if (columns[i].kind == COMPARISON_RATE)
		snprintf(text, size, rate < 9.995 ? "%.2f" : "%.0f", rate);
	else
		snprintf(text, size, "%s%s", ns ? doubt : "",
			ns ? units_brief(time, sizeof(time), width - 1 - (unsigned)strlen(doubt), ns,
				     scene->view->unit)
			   : "-");
	return ns && *doubt ? STYLE_THIN : STYLE_PLAIN;
}

static void draw_values(const struct scene *scene, struct area line, const struct compared_layout *layout,
	size_t i, const struct comparison_line *of, bool group)
{
	unsigned x = layout->x[i], width = value_width(layout, i);
	char text[48];
	enum style style = write_value(scene, i, width, &of->a, text, sizeof(text));

	canvas_right(scene->canvas, line, x, 0, width, style, text);
	style = write_value(scene, i, width, &of->b, text, sizeof(text));
	canvas_right(scene->canvas, line, x + width, 0, width, style, text);
	if (!has_change(i))
		return;
	enum mark_id mark = (enum mark_id)(MARK_SHOWN + columns[i].percentile);

	compared_change(of, mark, group, text, sizeof(text));
	canvas_right(scene->canvas, line, x + 2 * width, 0, CHANGE_WIDTH,
		group && of->marks[mark].verdict < SHIFT_BETTER ? STYLE_PLAIN
								: compared_mark_style(&of->marks[mark]),
		text);
}

static void count_verdicts(const struct row *row, size_t n[N_SHIFT_VERDICTS])
{
	size_t group = (size_t)(row->group - row->session->groups);

	for (size_t i = 0; i < row->session->n_rings; i++) {
		const struct comparison_line *line = compared_line(row->view, row->session->rings[i].id);

		if (line && line->is_compared &&
			session_row_is_in(row->session, &row->session->rings[i], group))
			n[line->verdict]++;
	}
}

/* Writes the verdict of a row: "worse p99"; of a group with those of its rings if @width has room: "worse
 * p99: 2w 1?" (worse, undecided). Returns @text. */
static char *verdict_text(
	const struct row *row, const struct comparison_line *line, unsigned width, char *text, size_t size)
{
	size_t n[N_SHIFT_VERDICTS] = {0};
	char words[COMPARISON_WORDS_SIZE] = "", counts[COMPARISON_WORDS_SIZE] = "";

	if (row->ring && !line->is_compared)
		snprintf(words, sizeof(words), "only in %s", line->is_of_a ? "A" : "B");
	else
		comparison_verdict(line, words);
	if (row->group) {
		count_verdicts(row, n);
		comparison_counts(n, counts);
	}
	bool has_room = *counts && strlen(words) + 2 + strlen(counts) <= width;

	snprintf(text, size, "%s%s%s", words, has_room ? ": " : "", has_room ? counts : "");
	return text;
}

static void draw_line(const struct scene *scene, struct area line, const struct compared_layout *layout,
	const struct row *row)
{
	const struct comparison_line *of = compared_line(scene->view, row_number(row));
	char verdict[64];

	if (!of) {
		canvas_left(scene->canvas, line, layout->verdict, 0, VERDICT_WIDTH, STYLE_WAITING,
			scene->canvas->ascii ? "..." : "\u2026");
		return;
	}
	for (size_t i = 0; i < N_COMPARED; i++)
		if (layout->width[i])
			draw_values(scene, line, layout, i, of, row->group != NULL);
	canvas_left(scene->canvas, line, layout->verdict, 0, line.width - layout->verdict, compared_style(of),
		verdict_text(row, of, line.width - layout->verdict, verdict, sizeof(verdict)));
}

static void draw_name(const struct scene *scene, struct area line, const struct compared_layout *layout,
	const struct row *row, const char *sign)
{
	char name[NAME_SIZE];

	if (row->hop)
		return;
	if (!row->group) {
		canvas_right(scene->canvas, line, 0, 0, layout->label, STYLE_PLAIN,
			ring_name(scene->session, row->ring, layout->label, name));
		return;
	}
	snprintf(name, sizeof(name), "%s%s", sign,
		row->group->kind == GROUP_ISOLATED       ? "isol"
		: row->group->kind == GROUP_HOUSEKEEPING ? "hk"
							 : row->group->name);
	canvas_left(scene->canvas, line, 0, 0, layout->label, STYLE_STRONG, name);
}

static void draw_row(
	const struct scene *scene, struct area line, const struct order_row *order_row, const void *layout)
{
	struct row row = row_of(scene->session, scene->view, order_row);
	bool folded = fold_is_turned(&scene->view->fold, order_group_id(order_row->group));

	draw_name(scene, line, layout, &row, table_fold_sign(scene, folded) + 1);
	if (!row.hop)
		draw_line(scene, line, layout, &row);
}

void compared_table_draw(const struct scene *scene, struct area area)
{
	struct compared_layout layout = fit_columns(scene, area.width);
	struct area rows = {
		area.x, area.y + COMPARED_HEAD_LINES, area.width, area.height - COMPARED_HEAD_LINES};

	draw_titles(scene, area, &layout);
	table_draw_rows(scene, rows, draw_row, &layout);
}

void compared_totals_draw(const struct scene *scene, struct area area)
{
	struct compared_layout layout = fit_columns(scene, area.width);
	size_t groups[TOTALS_MAX], n = totals_of(scene->session, groups);

	for (unsigned y = 0; y < area.height && y < n; y++) {
		struct area line = {area.x, area.y + y, area.width, 1};
		struct row row = row_of(scene->session, scene->view,
			&(struct order_row){.is_group = true, .group = groups[y]});

		draw_name(scene, line, &layout, &row, " ");
		draw_line(scene, line, &layout, &row);
	}
}

/* --- the selected row --- */

/* As many marks as fit tell why, then the intervals. */
void compared_intervals_draw(const struct scene *scene, struct area area)
{
	struct row row;
	const struct comparison_line *line =
		view_state_row(scene, &row) ? compared_line(scene->view, row_number(&row)) : NULL;
	char text[COMPARISON_WORDS_SIZE], name[COMPARISON_WORDS_SIZE], ring[SESSION_NAME_SIZE];

	if (!line)
		return;
	snprintf(name, sizeof(name), "%s:", row.group ? row.group->name : session_ring_name(row.ring, ring));
	unsigned x = canvas_text(scene->canvas, area, 0, 0, STYLE_STRONG, name) + 1;

	if (line->verdict == SHIFT_TOO_FEW && !row.group) {
		canvas_left(scene->canvas, area, x, 0, area.width - x, STYLE_PLAIN,
			line->few[MARK_SHOWN + SHIFT_P50]);
		return;
	}
	for (size_t n = N_MARKS; n > 0; n--)
		if (x + canvas_measure(scene->canvas, comparison_reasons(line, n, text)) <= area.width)
			break;
	if (x < area.width)
		canvas_left(scene->canvas, area, x, 0, area.width - x, STYLE_PLAIN, text);
	x += canvas_measure(scene->canvas, text) + 2;
	for (enum mark_id mark = MARK_SHOWN; mark < MARK_RESPONSE && !row.group; mark++) {
		size_t at = strlen(comparison_interval(line, mark, text));

		if (line->marks[mark].verdict == SHIFT_TOO_FEW)
			text_print(text, sizeof(text), " (%s)", line->few[mark]);
		if (x + canvas_measure(scene->canvas, text) > area.width)
			text[at] = '\0';
		if (x + canvas_measure(scene->canvas, text) <= area.width)
			x = canvas_text(scene->canvas, area, x, 0, STYLE_PLAIN, text) + 2;
	}
}

static bool add_file_hist(const struct compared_row *row, bool of_replicates, struct hist *hist)
{
	bool has_all = true;

	if (!of_replicates)
		return hist_merge(hist, &compared_row_sum(row)->hists[JUDGED_SHOWN]) == 0;
	for (size_t i = 0; i < row->n_like; i++)
		has_all &= hist_merge(hist, &row->like[i].hists[JUDGED_SHOWN]) == 0;
	return has_all;
}

static bool add_phase(
	const struct session *session, uint32_t number, size_t row, enum figure figure, struct hist *hist)
{
	const struct phase *phase = phases_find(&session->phases, number);

	if (row == NOT_A_ROW)
		return true;
	if (!phase)
		return false;
	struct block_list blocks = session_phase_blocks(session, phase);

	return block_list_add_figure(&blocks, row, figure, hist) == 0;
}

/* Adds what the line is of: the phase, or its replicates. @rows: where it is in them. */
static bool add_hist(const struct scene *scene, const struct comparison_phase *compared,
	const struct comparison_line *line, const uint32_t *rows, enum figure figure, struct hist *hist)
{
	const struct comparison_file *file = scene->view->compared.file;
	const struct compared_phase *of_file = file ? &file->phases[scene->view->shown] : NULL;
	bool has_all = true;

	if (compared->number == COMPARISON_FILE)
		return of_file && rows[0] < of_file->n_rows &&
		       add_file_hist(&of_file->rows[rows[0]], line->is_of_replicates, hist);
	if (!line->is_of_replicates)
		return add_phase(scene->session, compared->number, rows[0], figure, hist);
	for (size_t i = 0; i < compared->n_like && has_all; i++)
		has_all = add_phase(scene->session, compared->like[i], rows[i], figure, hist);
	return has_all;
}

enum { RANGE_WIDTH = 13, NUMBER_WIDTH = 7 };

/* A bar that grows to the left. */
static void draw_left_bar(
	const struct scene *scene, struct area area, unsigned end, unsigned y, unsigned width, double share)
{
	unsigned n = share > 0 ? (unsigned)ceil(share * width) : 0;

	for (unsigned i = 0; i < n; i++)
		canvas_put(scene->canvas, area, end - 1 - i, y, scene->canvas->ascii ? '=' : 0x2591,
			STYLE_BAR_A);
}

static double log_share(uint64_t count, uint64_t most)
{
	return count ? log1p((double)count) / log1p((double)most) : 0;
}

static void draw_bins(const struct scene *scene, struct area area, const struct histogram_bins *bins,
	const uint64_t *a, const uint64_t *b)
{
	unsigned bar = (area.width - RANGE_WIDTH - 2 * NUMBER_WIDTH - 4) / 2;
	unsigned middle = NUMBER_WIDTH + 1 + bar;
	uint64_t most = 1;
	char text[80];

	for (size_t i = 0; i < bins->n; i++) {
		most = a[i] > most ? a[i] : most;
		most = b[i] > most ? b[i] : most;
	}
	for (unsigned i = 0; i < bins->n; i++) {
		canvas_right(scene->canvas, area, 0, i, NUMBER_WIDTH, STYLE_PLAIN,
			units_count(text, sizeof(text), NUMBER_WIDTH, a[i]));
		draw_left_bar(scene, area, middle, i, bar, log_share(a[i], most));
		canvas_right(scene->canvas, area, middle, i, RANGE_WIDTH, STYLE_PLAIN,
			units_range(text, sizeof(text), bins->edge_ns[i], bins->edge_ns[i + 1],
				scene->view->unit));
		canvas_bar(scene->canvas, area, middle + RANGE_WIDTH + 1, i, bar, log_share(b[i], most),
			STYLE_BAR_B);
		canvas_right(scene->canvas, area, area.width - NUMBER_WIDTH, i, NUMBER_WIDTH, STYLE_PLAIN,
			units_count(text, sizeof(text), NUMBER_WIDTH, b[i]));
	}
}

static void draw_both(const struct scene *scene, struct area area, const struct hist *a, const struct hist *b)
{
	struct histogram_bins bins;
	struct hist both = {0};
	uint64_t in_a[BINS_MAX], in_b[BINS_MAX];

	if (hist_merge(&both, a) == 0 && hist_merge(&both, b) == 0) {
		histogram_bins_make_fine(&bins, &both, area.height);
		histogram_bins_count(&bins, a, in_a);
		histogram_bins_count(&bins, b, in_b);
		draw_bins(scene, area, &bins, in_a, in_b);
	}
	hist_finish(&both);
}

void compared_histograms_draw(const struct scene *scene, struct area area)
{
	struct area bars = {area.x, area.y + 1, area.width, area.height - 1};
	const struct comparison_lines *lines = compared_lines(scene->view);
	struct hist a = {0}, b = {0};
	struct row row;
	char title[2 * SESSION_NAME_SIZE], name[SESSION_NAME_SIZE];

	if (!view_state_row(scene, &row)) {
		canvas_title(scene->canvas, area, " no row is selected ");
		return;
	}
	row.hop = NULL;
	snprintf(title, sizeof(title), " %s, %s [%s]: log count, A to the left, B to the right ",
		row.group ? row.group->name : session_ring_name(row.ring, name), figure_title(row.figure),
		unit_name(scene->view->unit));
	canvas_title(scene->canvas, area, title);
	const struct comparison_line *line = lines ? compared_line(scene->view, row_number(&row)) : NULL;

	if (!line)
		return;
	if (add_hist(scene, &lines->a, line, line->rows_a, row.figure, &a) &&
		add_hist(scene, &lines->b, line, line->rows_b, row.figure, &b))
		draw_both(scene, bars, &a, &b);
	hist_finish(&a);
	hist_finish(&b);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* page_html.c - a session as a report that a person can mail: one file of HTML, without scripts. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "src/model/advice.h"
#include "src/model/comparison_lines.h"
#include "src/model/matrix.h"
#include "src/model/matrix_change.h"
#include "src/model/matrix_words.h"
#include "src/model/session.h"
#include "ui/draw/svg.h"
#include "ui/draw/units.h"
#include "ui/pictures/page_scene.h"

enum {
	TIME_WIDTH = 6,
	CELLS_SHOWN = 10,
	SPIKES_SHOWN = 20,
	EVENTS_SHOWN = 100,
	PICTURE_WIDTH = 800,
	PICTURE_MARGIN = 8 /* right of scales, whose last value is wider */
};

static const char style[] =
	"body{font:15px/1.5 system-ui,sans-serif;max-width:832px;margin:2em auto;padding:0 16px;background:#fff;color:#1a1a1a}\n"
	"h1{font-size:1.5em;margin:0}h2{font-size:1.15em;margin:2em 0 .5em}\n"
	"table{border-collapse:collapse;font-size:14px;font-variant-numeric:tabular-nums;display:block;overflow-x:auto}\n"
	"td,th{padding:2px 12px 2px 0;text-align:right;white-space:nowrap;border-bottom:1px solid #dcdcdc}\n"
	"td:first-child,th:first-child,.text td,.text th{text-align:left}.text td:last-child{white-space:normal;min-width:16em}.values td:nth-child(3){white-space:normal;max-width:12em}th{white-space:normal;vertical-align:bottom}\n"
	".name{width:max-content;max-width:40ch;white-space:normal;overflow-wrap:anywhere}\n"
	"td{vertical-align:top}code{font:13px ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace;overflow-wrap:anywhere}\n"
	"summary{cursor:pointer}\n"
	"svg{max-width:100%;height:auto;display:block;margin:1em 0}.verdict{font-size:1.15em;font-weight:600}\n"
	"@media (prefers-color-scheme:dark){body{background:#16181c;color:#e8e8e8}td,th{border-color:#33363d}}\n";

/* --- headings, paragraphs and tables; texts are escaped --- */

static void put_heading(FILE *out, const char *text)
{
	fputs("<h2>", out);
	svg_escape(out, text);
	fputs("</h2>\n", out);
}

/* @class: of the style sheet, or "". Nothing for an empty text. */
static void put_paragraph(FILE *out, const char *class, const char *text)
{
	if (!*text)
		return;
	fprintf(out, "<p class=\"%s\">", class);
	svg_escape(out, text);
	fputs("</p>\n", out);
}

/* @class: "text" where all cells are texts, or "". @heads: ended by NULL. */
static void begin_table(FILE *out, const char *class, const char *const *heads)
{
	fprintf(out, "<table class=\"%s\">\n<tr>", class);
	for (; *heads; heads++) {
		fputs("<th>", out);
		svg_escape(out, *heads);
	}
	fputs("</tr>\n", out);
}

static void end_table(FILE *out)
{
	fputs("</table>\n", out);
}

static void begin_row(FILE *out)
{
	fputs("<tr>", out);
}

static void end_row(FILE *out)
{
	fputs("</tr>\n", out);
}

static void put_cell(FILE *out, const char *text)
{
	fputs("<td>", out);
	svg_escape(out, text);
}

/* The name of a ring, a phase or a cause. Up to 40 letters are in one line, however narrow the page is;
 * longer ones are wrapped, so that the figures stay in sight. */
static void put_name(FILE *out, const char *text)
{
	fputs("<td><div class=\"name\">", out);
	svg_escape(out, text);
	fputs("</div>", out);
}

static void put_line_in(FILE *out, const char *name, const char *text, const char *begin, const char *end)
{
	if (!*text)
		return;
	fputs("<br>", out);
	svg_escape(out, name);
	fputs(begin, out);
	svg_escape(out, text);
	fputs(end, out);
}

/* Another line of a cell, a text or a command, after a word of what it is. Nothing for an empty text. */
static void put_line(FILE *out, const char *name, const char *text)
{
	put_line_in(out, name, text, "", "");
}

static void put_code(FILE *out, const char *name, const char *text)
{
	put_line_in(out, name, text, "<code>", "</code>");
}

/* In us; "-" where it is not known. */
static void put_time(FILE *out, bool is_known, uint64_t ns)
{
	char text[32];

	put_cell(out, is_known ? units_time(text, sizeof(text), TIME_WIDTH, ns, UNIT_US) : "-");
}

/* What a reader unfolds. */
static void begin_folded(FILE *out, const char *title)
{
	fputs("<details><summary>", out);
	svg_escape(out, title);
	fputs("</summary>\n", out);
}

static void end_folded(FILE *out)
{
	fputs("</details>\n", out);
}

static void put_count(FILE *out, uint64_t count)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)count);
	put_cell(out, text);
}

/* --- a sweep --- */

static const float stands_out = 1.25f; /* times the median of its class */

static void print_us(FILE *out, bool is_known, float ns)
{
	char text[MATRIX_TIME_SIZE];

	put_cell(out, matrix_us(text, is_known ? ns : -1));
}

static void print_pair(
	FILE *out, const struct matrix *matrix, enum matrix_figure figure, uint32_t row, uint32_t column)
{
	char text[32];

	snprintf(text, sizeof(text), "%u%c%u", matrix->cpus[row].cpu, figure == MATRIX_LAP ? '-' : '>',
		matrix->cpus[column].cpu);
	put_cell(out, text);
}

static void print_classes(FILE *out, const struct matrix *matrix, enum matrix_figure figure,
	const struct matrix_summary *summary)
{
	static const char *const heads[] = {
		"class", "cells", "measured", "least us", "median us", "largest us", "at", "n", NULL};

	begin_table(out, "", heads);
	for (int i = 0; i < N_LOCALITIES; i++) {
		const struct matrix_class *class = &summary->classes[i];

		if (!class->n_cells)
			continue;
		begin_row(out);
		put_cell(out, locality_name((enum locality)i));
		put_count(out, class->n_cells);
		put_count(out, class->n);
		print_us(out, class->n, class->least);
		print_us(out, class->n, class->median);
		print_us(out, class->n, class->largest);
		if (class->n)
			print_pair(out, matrix, figure, class->row, class->column);
		else
			put_cell(out, "-");
		put_count(out, class->n_samples);
		end_row(out);
	}
	end_table(out);
}

static void print_slow_cpu(FILE *out, const struct matrix *matrix, const struct matrix_slow_cpu *slow)
{
	char ratio[MATRIX_TIME_SIZE];

	if (slow->is_known)
		put_count(out, matrix->cpus[slow->index].cpu);
	else
		put_cell(out, "-");
	print_us(out, slow->is_known, slow->median);
	put_cell(out, slow->is_known ? matrix_ratio(ratio, slow->median, slow->others) : "-");
}

static void print_asymmetry(
	FILE *out, const struct session *session, const struct matrix_asymmetry *asymmetry)
{
	char ratio[MATRIX_TIME_SIZE], text[2 * MATRIX_TIME_SIZE];

	if (asymmetry->is_known)
		print_pair(out, session->matrix, MATRIX_HOP, asymmetry->row, asymmetry->column);
	else
		put_cell(out, "-");
	print_us(out, asymmetry->is_known, asymmetry->there);
	snprintf(text, sizeof(text), "%s%s", matrix_ratio(ratio, asymmetry->there, asymmetry->back),
		matrix_is_skew(session, asymmetry) ? ", within clock skew" : "");
	put_cell(out, asymmetry->is_known ? text : "-");
}

/* What stands out in each class. */
static void print_class_outliers(FILE *out, const struct session *session, enum matrix_figure figure,
	const struct matrix_summary *summary)
{
	static const char *const heads[] = {"class", "slowest receiver", "median us", "times the others",
		"slowest sender", "median us", "times the others", "largest asymmetry", "us", "times", NULL};
	static const char *const of_laps[] = {"class", "slowest CPU", "median us", "times the others", NULL};
	bool is_lap = figure == MATRIX_LAP;

	if (!matrix_has_classes_to_tell_apart(summary))
		return;
	begin_table(out, "", is_lap ? of_laps : heads);
	for (int i = 0; i < N_LOCALITIES; i++) {
		const struct matrix_outliers *outliers = &summary->classes[i].outliers;

		if (!summary->classes[i].n)
			continue;
		begin_row(out);
		put_cell(out, locality_name((enum locality)i));
		print_slow_cpu(out, session->matrix, &outliers->receiver);
		if (!is_lap) {
			print_slow_cpu(out, session->matrix, &outliers->sender);
			print_asymmetry(out, session, &outliers->asymmetry);
		}
		end_row(out);
	}
	end_table(out);
}

/* --- cells that stand out --- */

struct outlier {
	uint32_t row, column;
	float ns, ratio; /* to the median of its class */
};

static float ratio_of(const struct matrix_summary *summary, enum locality locality, float ns)
{
	float median = summary->classes[locality].median;

	return median > 0 ? ns / median : 0;
}

/* Returns how many there are, the worst first. */
static size_t find_outliers(const struct matrix *matrix, const struct matrix_summary *summary,
	struct outlier outliers[CELLS_SHOWN])
{
	enum matrix_figure figure = matrix_wanted_hop(matrix);
	size_t n = 0;

	for (uint32_t row = 0; row < matrix->n_cpus; row++)
		for (uint32_t column = 0; column < matrix->n_cpus; column++) {
			float ns = row == column
					   ? -1
					   : matrix_value_of(matrix_figure_of(matrix, figure, row, column),
						     MATRIX_P50);
			float ratio =
				ns < 0 ? 0 : ratio_of(summary, matrix_locality(matrix, row, column), ns);
			size_t at = n < CELLS_SHOWN ? n : CELLS_SHOWN - 1;

			if (ratio < stands_out || (n == CELLS_SHOWN && ratio <= outliers[at].ratio))
				continue;
			for (; at > 0 && outliers[at - 1].ratio < ratio; at--)
				outliers[at] = outliers[at - 1];
			outliers[at] = (struct outlier){row, column, ns, ratio};
			n += n < CELLS_SHOWN;
		}
	return n;
}

static void print_outliers(FILE *out, const struct session *session, const struct matrix_summary *summary)
{
	const struct matrix *matrix = session->matrix;
	enum matrix_figure figure = matrix_wanted_hop(matrix);
	const char *const heads[] = {
		matrix_figure_title(figure), "class", "p50 us", "median of the class us", "times", NULL};
	struct outlier outliers[CELLS_SHOWN];
	size_t n = find_outliers(matrix, summary, outliers);
	char text[MATRIX_WORDS_SIZE];

	put_heading(out, "What stands out");
	for (unsigned i = 0; matrix_outlier_text(session, figure, &summary->outliers, i, text); i++)
		put_paragraph(out, "", text);
	if (!n) {
		snprintf(text, sizeof(text), "No %s has %.2f times the median of its class.",
			matrix_figure_title(figure), (double)stands_out);
		put_paragraph(out, "", text);
		return;
	}
	begin_table(out, "", heads);
	for (size_t i = 0; i < n; i++) {
		enum locality locality = matrix_locality(matrix, outliers[i].row, outliers[i].column);

		begin_row(out);
		print_pair(out, matrix, figure, outliers[i].row, outliers[i].column);
		put_cell(out, locality_name(locality));
		print_us(out, true, outliers[i].ns);
		print_us(out, true, summary->classes[locality].median);
		snprintf(text, sizeof(text), "%.2f", (double)outliers[i].ratio);
		put_cell(out, text);
		end_row(out);
	}
	end_table(out);
}

/* --- changes --- */

/* "hop p99: 12 repeats would show 5 %, A has 5, B 4" */
static void print_needs(FILE *out, const struct matrix_changes *changes)
{
	char need[MATRIX_NEED_SIZE], text[2 * MATRIX_NEED_SIZE];

	for (int i = 0; i < N_MATRIX_FIGURES * N_COMPARED_VALUES; i++) {
		int figure = i / N_COMPARED_VALUES, value = i % N_COMPARED_VALUES;

		if (!changes->of[figure][value].matrix ||
			!*matrix_change_need(need, &changes->of[figure][value]))
			continue;
		snprintf(text, sizeof(text), "%s %s: %s", matrix_figure_title((enum matrix_figure)figure),
			matrix_value_name((enum matrix_value)value), need);
		put_paragraph(out, "", text);
	}
}

static int print_changes(FILE *out, const struct matrix *matrix)
{
	static const char *const heads[] = {
		"figure", "cells", "worse", "better", "same", "undecided", "too few", NULL};
	struct matrix_changes changes;
	char text[64];
	int r = matrix_changes_make(&changes, matrix);

	if (r == 0) {
		snprintf(text, sizeof(text), "Changes from phase %u (A) to phase %u (B)",
			matrix->before.number, matrix->now.number);
		put_heading(out, text);
		begin_table(out, "", heads);
	}
	for (int i = 0; i < N_MATRIX_FIGURES * N_COMPARED_VALUES && r == 0; i++) {
		enum matrix_figure figure = (enum matrix_figure)(i / N_COMPARED_VALUES);
		enum matrix_value value = (enum matrix_value)(i % N_COMPARED_VALUES);
		const struct matrix_change *change = &changes.of[figure][value];

		if (!change->matrix)
			continue;
		snprintf(text, sizeof(text), "%s %s", matrix_figure_title(figure), matrix_value_name(value));
		begin_row(out);
		put_cell(out, text);
		put_count(out, change->n_cells);
		put_count(out, change->n_worse);
		put_count(out, change->n_better);
		put_count(out, change->n_same);
		put_count(out, change->n_undecided);
		put_count(out, change->n_too_few);
		end_row(out);
	}
	if (r == 0) {
		end_table(out);
		print_needs(out, &changes);
	}
	matrix_changes_finish(&changes);
	return r;
}

/* Prints the classes, what stands out, and what changed since the phase before. Returns 0 or -ENOMEM. */
static int print_sweep(FILE *out, const struct session *session)
{
	static const struct {
		enum matrix_figure figure;
		const char *heading;
	} parts[] = {{MATRIX_LAP, "Laps by class, there and back"}, {MATRIX_HOP, "Hops by class"},
		{MATRIX_FIRST, "First hops by class, after a sleep of their sender"}};
	const struct matrix *matrix = session->matrix;

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		struct matrix_summary summary;

		if (!matrix_has(matrix, parts[i].figure))
			continue;
		int r = matrix_summarize(matrix, parts[i].figure, MATRIX_P50, &summary);

		if (r < 0)
			return r;
		put_heading(out, parts[i].heading);
		print_classes(out, matrix, parts[i].figure, &summary);
		print_class_outliers(out, session, parts[i].figure, &summary);
		if (parts[i].figure == matrix_wanted_hop(matrix))
			print_outliers(out, session, &summary);
	}
	return matrix->before.number ? print_changes(out, matrix) : 0;
}

/* --- the page --- */

static void print_head(FILE *out, const struct session *session)
{
	char title[PAGE_TITLE_SIZE], when[64];
	time_t seconds = (time_t)(session->wall_start_ns / 1000000000);
	struct tm here;

	fputs("<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>ipctop: ",
		out);
	svg_escape(out, page_title(session, title));
	fprintf(out, "</title>\n<style>\n%s%s</style></head>\n<body>\n<h1>ipctop</h1>\n", style,
		svg_style_sheet);
	put_paragraph(out, "", title);
	localtime_r(&seconds, &here);
	strftime(when, sizeof(when), "Measured from %Y-%m-%d %H:%M:%S %z on.", &here);
	put_paragraph(out, "", when);
}

static void print_lines(FILE *out, const struct comparison_lines *lines)
{
	char text[COMPARISON_WORDS_SIZE];
	const struct comparison_line *only = comparison_only_line(lines);
	char *differences;

	if (lines->refusal.text[0]) {
		put_paragraph(out, "", lines->refusal.text);
		return;
	}
	put_paragraph(out, "verdict",
		comparison_headline(&lines->summary, comparison_quoted_line(lines), lines->figure, text));
	if (!only)
		put_paragraph(out, "", comparison_rows(&lines->summary, SIZE_MAX, text));
	if (*comparison_few_text(lines)) {
		snprintf(text, sizeof(text), "too few: %s", comparison_few_text(lines));
		put_paragraph(out, "", text);
	}
	differences = lines->differences ? comparison_differences_line(lines->differences, SIZE_MAX) : NULL;
	put_paragraph(out, "", differences ? differences : "");
	free(differences);
	put_paragraph(out, "", lines->advice);
	put_paragraph(out, "", lines->blame);
	put_paragraph(out, "", lines->alone);
}

/* Each trial has judged all of its phases with one value beside all with the other. */
static void print_trials(FILE *out, const struct session *session)
{
	size_t n = 0;

	for (size_t i = 0; i < session->n_events; i++) {
		if (session->events[i].kind != EVENT_TRIAL)
			continue;
		char *text = event_text(&session->events[i]);

		if (!n++)
			put_heading(out, "Verdict: what was tried");
		put_paragraph(out, "verdict", text ? text : "no memory for it");
		free(text);
	}
}

static void print_verdict_heading(FILE *out, const struct page_phases *phases)
{
	char title[2 * PHASE_NAME_SIZE + 32];

	if (phases->trial)
		snprintf(title, sizeof(title), "Verdict: all phases %s and %s", phases->a->name,
			phases->b->name);
	else if (phases->is_file)
		snprintf(title, sizeof(title), "Verdict: the baseline and phase %u", phases->b->number);
	else
		snprintf(title, sizeof(title), "Verdict: phases %u and %u", phases->a->number,
			phases->b->number);
	put_heading(out, title);
}

/* Prints the verdict on the phases that the pictures show. */
static int print_verdict(FILE *out, const struct session *session, const struct page_choice *page)
{
	const struct page_phases phases = page_phases_of(session, page->baseline);
	struct comparison_choice choice = {.a = phases.is_file ? COMPARISON_FILE
						: phases.a     ? phases.a->number
							       : 0,
		.b = phases.b ? phases.b->number : 0,
		.figure = page->figure,
		.file = phases.is_file ? &page->baseline->file : NULL};
	struct comparison_lines lines = {0};

	print_trials(out, session);
	if (!choice.a || !choice.b)
		return 0;
	int r = comparison_lines_make(&lines, session, &choice, page->phases);

	if (r == 0) {
		print_verdict_heading(out, &phases);
		print_lines(out, &lines);
	}
	comparison_lines_finish(&lines);
	return r == -ENOENT ? 0 : r;
}

static int print_phase(FILE *out, const struct page_scene *page, const struct phase *phase)
{
	const struct block_list blocks = session_phase_blocks(page->scene.session, phase);
	struct hist shown = {0}, response = {0};
	char name[PHASE_NAME_SIZE + 16], length[32];
	int r = block_list_add_figure(&blocks, page->scene.group, page->view.shown, &shown);

	if (r == 0)
		r = block_list_add_figure(&blocks, page->scene.group, page->view.response_column, &response);
	if (r == 0) {
		snprintf(name, sizeof(name), "%u %s", phase->number, phase->name);
		snprintf(length, sizeof(length), "%.1f", (double)(phase->end_ns - phase->start_ns) / 1e9);
		begin_row(out);
		put_name(out, name);
		put_cell(out, length);
		put_count(out, shown.n);
		put_time(out, shown.n, hist_percentile(&shown, 50.0));
		put_time(out, shown.n, hist_percentile(&shown, 99.0));
		put_time(out, response.n, hist_percentile(&response, 99.0));
		put_time(out, response.n, response.max_ns);
		end_row(out);
	}
	hist_finish(&shown);
	hist_finish(&response);
	return r;
}

static int print_phases(FILE *out, const struct page_scene *page)
{
	static const char *const heads[] = {
		"phase", "s", "n", "p50 us", "p99 us", "response p99 us", "response Max us", NULL};
	const struct phases *phases = &page->scene.session->phases;
	int r = 0;

	if (phases->n < 2)
		return 0;
	put_heading(out, "Phases");
	begin_table(out, "", heads);
	for (size_t i = 0; i < phases->n && r == 0; i++)
		r = print_phase(out, page, &phases->list[i]);
	end_table(out);
	return r;
}

static void print_blame(FILE *out, const struct session *session)
{
	static const char *const heads[] = {"cause", "%", "time", "spikes", NULL};
	const struct blame_sums *sums = &session->spikes.blames;
	char text[48];

	if (!sums->n_spikes)
		return;
	put_heading(out, "What spikes were caused by");
	begin_table(out, "", heads);
	for (size_t i = 0; i < sums->n; i++) {
		begin_row(out);
		put_name(out, sums->list[i].text);
		double percent = sums->ns ? 100.0 * (double)sums->list[i].ns / (double)sums->ns : 0.0;

		snprintf(text, sizeof(text), "%.0f", percent);
		put_cell(out, percent < 0.5 && sums->list[i].ns ? "<1" : text);
		put_cell(out, picture_time(text, sizeof(text), sums->list[i].ns));
		put_count(out, sums->list[i].n);
		end_row(out);
	}
	end_table(out);
}

static void print_spikes(FILE *out, const struct session *session)
{
	static const char *const heads[] = {"at", "ring", "length", "why", NULL};
	const struct session_spikes *spikes = &session->spikes;
	char text[EXPLANATION_TEXT_SIZE], when[16], length[32], name[SESSION_NAME_SIZE];

	if (!spikes->n_worst)
		return;
	put_heading(out, "The longest spikes");
	begin_table(out, "text", heads);
	for (size_t i = 0; i < spikes->n_worst && i < SPIKES_SHOWN; i++) {
		const struct kept_spike *kept = &spikes->worst[i];
		const struct session_ring *ring = session_find_ring(session, kept->spike.ring);

		snprintf(name, sizeof(name), "ring %u", (unsigned)kept->spike.ring);
		begin_row(out);
		put_cell(out,
			units_clock(when, sizeof(when),
				session->wall_start_ns + spike_start_ns(&kept->spike) - session->start_ns));
		put_name(out, ring ? session_spike_name(ring, &kept->spike, name) : name);
		put_cell(out, picture_time(length, sizeof(length), spike_length_ns(&kept->spike)));
		put_cell(out, explanation_text(kept->explanation, text));
		end_row(out);
	}
	end_table(out);
}

static void print_pictures(FILE *out, const struct picture_scene *scene)
{
	for (const struct picture *const *picture = pictures_table; *picture; picture++) {
		if ((*picture)->is_there && !(*picture)->is_there(scene))
			continue;
		struct svg_box box = {0, 0, PICTURE_WIDTH - PICTURE_MARGIN, 0};

		box.height = picture_height(*picture, scene, box.width);
		svg_begin_part(out, PICTURE_WIDTH, box.height, "picture");
		(*picture)->draw(scene, out, box);
		svg_end(out);
	}
}

static void print_ring(FILE *out, const struct page_scene *page, const struct session_ring *ring)
{
	enum figure shown = session_figure_of(ring, page->view.shown);
	const struct hist *hist = &ring->figures[shown].hist;
	const struct hist *response = &ring->figures[session_response_of(ring)].hist;
	char name[SESSION_NAME_SIZE];

	begin_row(out);
	put_name(out, session_ring_name(ring, name));
	put_cell(out, figure_title(shown));
	put_count(out, hist_samples(hist));
	put_time(out, hist->n, hist->min_ns);
	put_time(out, hist->n, hist_percentile(hist, 50.0));
	put_time(out, hist->n, hist_percentile(hist, 99.0));
	put_time(out, hist->n && hist_beyond(hist->n, 99.9) >= HIST_BEYOND_TRUSTED,
		hist_percentile(hist, 99.9));
	put_time(out, hist->n, hist->max_ns);
	put_time(out, response->n, hist_percentile(response, 99.0));
	put_time(out, response->n, response->max_ns);
	put_count(out, ring->missed);
	end_row(out);
}

static void print_rings(FILE *out, const struct page_scene *page)
{
	static const char *const heads[] = {"ring", "figure", "n", "Min us", "p50 us", "p99 us", "p99.9 us",
		"Max us", "response p99 us", "response Max us", "missed", NULL};
	const struct session *session = page->scene.session;

	put_heading(out, "Rings");
	begin_table(out, "", heads);
	for (size_t i = 0; i < session->n_rings; i++)
		print_ring(out, page, &session->rings[i]);
	end_table(out);
}

/* A sweep has no members that stay: its threads go to each of its CPUs. */
static struct advice_site site_of(const struct session *session)
{
	struct advice_site site;

	advice_site_of(&site, session);
	for (uint32_t i = 0; session->matrix && i < session->matrix->n_cpus; i++)
		cpus_add(&site.cpus, session->matrix->cpus[i].cpu);
	cpus_subtract(&site.others, &site.cpus);
	site.is_fair |= session->matrix != NULL;
	return site;
}

static bool has_value(const struct advice *advice)
{
	return advice->rank < ADVICE_DENIED;
}

static void print_costly(FILE *out, const struct advice *advice, const struct advice_site *site)
{
	const struct knob *knob = advice->knob;
	char text[ADVICE_TEXT_SIZE];

	begin_row(out);
	put_cell(out, advice_rank_word(advice->rank));
	put_cell(out, knob->name);
	put_cell(out, advice->found.value);
	put_cell(out, advice_cost_text(advice, text));
	put_line(out, "", knob->about);
	put_line(out, "good: ", knob->good);
	put_code(out, "now: ", advice_command(advice, site, advice_now(advice, site), text));
	put_code(out, "keep: ", advice_command(advice, site, knob->keep, text));
	end_row(out);
}

/* Returns how many there are. */
static size_t print_all_costly(FILE *out, const struct advice_list *advice, const struct advice_site *site)
{
	static const char *const heads[] = {"rank", "knob", "value", "what it costs, and the remedy", NULL};
	size_t n = 0;

	while (n < advice->n && advice->list[n].rank < ADVICE_INFORMS)
		n++;
	if (n)
		begin_table(out, "text values", heads);
	for (size_t i = 0; i < n; i++)
		print_costly(out, &advice->list[i], site);
	if (n)
		end_table(out);
	else
		put_paragraph(out, "", "No knob is known to cost latency here.");
	return n;
}

static void print_other_knobs(FILE *out, const struct advice_list *advice, size_t first)
{
	static const char *const heads[] = {"rank", "knob", "value", NULL};
	char title[64];

	if (first == advice->n)
		return;
	snprintf(title, sizeof(title), "%zu other knobs", advice->n - first);
	begin_folded(out, title);
	begin_table(out, "text", heads);
	for (size_t i = first; i < advice->n; i++) {
		begin_row(out);
		put_cell(out, advice_rank_word(advice->list[i].rank));
		put_cell(out, advice->list[i].knob->name);
		put_cell(out, has_value(&advice->list[i]) ? advice->list[i].found.value : "");
		end_row(out);
	}
	end_table(out);
	end_folded(out);
}

/* Prints the knobs that are not good, the most costly first, with their remedies, and folded the others.
 * Returns 0 or -ENOMEM. */
static int print_knobs(FILE *out, const struct session *session)
{
	const struct advice_site site = site_of(session);
	struct advice_list *advice = malloc(sizeof(*advice));
	char text[KNOB_LIST_SIZE + 64], cpus[KNOB_LIST_SIZE];

	if (!advice)
		return -ENOMEM;
	advice_make(advice, &site);
	put_heading(out, "Knobs");
	snprintf(text, sizeof(text), "For members on CPUs %s, the most costly first.",
		cpus_format(&site.cpus, cpus, sizeof(cpus)));
	put_paragraph(out, "", cpus_count(&site.cpus) ? text : "");
	print_other_knobs(out, advice, print_all_costly(out, advice, &site));
	free(advice);
	return 0;
}

static void print_machine(FILE *out, const struct session *session)
{
	static const char *const heads[] = {"fact", "value", NULL};
	char word[MACHINE_WORD_SIZE];

	put_heading(out, "The machine");
	begin_folded(out, "Its facts");
	begin_table(out, "text", heads);
	for (size_t i = 0; i < machine_n_facts; i++) {
		const struct machine_fact *fact = &machine_facts[i];

		if (!fact->report || !*machine_word(&session->machine, fact, word))
			continue;
		begin_row(out);
		put_cell(out, fact->title ? fact->title : fact->report);
		put_cell(out, word);
		end_row(out);
	}
	end_table(out);
	end_folded(out);
}

static void print_events(FILE *out, const struct session *session)
{
	static const char *const heads[] = {"at", "event", NULL};
	size_t first = session->n_events > EVENTS_SHOWN ? session->n_events - EVENTS_SHOWN : 0;
	char when[16];

	if (!session->n_events)
		return;
	put_heading(out, "Events");
	begin_table(out, "text", heads);
	for (size_t i = first; i < session->n_events; i++) {
		const struct event *event = &session->events[i];
		char *text = event_text(event);

		begin_row(out);
		put_cell(out, units_clock(when, sizeof(when),
				      session->wall_start_ns + event->at_ns - session->start_ns));
		put_cell(out, text ? text : "no memory for it");
		end_row(out);
		free(text);
	}
	end_table(out);
}

int page_print_html(const struct session *session, const struct page_choice *choice, FILE *out)
{
	struct page_scene page;
	int r = page_scene_init(&page, session, choice);

	if (r < 0)
		return r;
	const char *lack = picture_lack(&page.scene);

	print_head(out, session);
	if (!session->matrix)
		r = print_verdict(out, session, choice);
	if (r == 0 && !session->matrix)
		r = print_phases(out, &page);
	if (r == 0) {
		print_blame(out, session);
		put_heading(out, "Pictures");
		put_paragraph(out, "", lack ? lack : "");
		print_pictures(out, &page.scene);
	}
	if (r == 0 && session->matrix)
		r = print_sweep(out, session);
	if (r == 0) {
		if (!session->matrix)
			print_rings(out, &page);
		print_spikes(out, session);
		r = print_knobs(out, session);
	}
	if (r == 0) {
		print_machine(out, session);
		print_events(out, session);
		fputs("</body>\n</html>\n", out);
	}
	page_scene_finish(&page);
	return r < 0 ? r : ferror(out) ? -EIO : 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* page_sweep.c - the tables of a sweep in a report. */
#include "ui/pictures/page_sweep.h"

#include <math.h>

#include "src/model/matrix_change.h"
#include "src/model/matrix_words.h"
#include "src/model/session.h"
#include "ui/draw/html.h"

enum { CELLS_SHOWN = 10 };

static const float stands_out = 1.25f; /* times the median of its class */

static void print_us(FILE *out, bool is_known, float ns)
{
	char text[MATRIX_TIME_SIZE];

	html_cell(out, matrix_us(text, is_known ? ns : -1));
}

static void print_pair(
	FILE *out, const struct matrix *matrix, enum matrix_figure figure, uint32_t row, uint32_t column)
{
	char text[32];

	snprintf(text, sizeof(text), "%u%c%u", matrix->cpus[row].cpu, figure == MATRIX_LAP ? '-' : '>',
		matrix->cpus[column].cpu);
	html_cell(out, text);
}

static void print_classes(FILE *out, const struct matrix *matrix, enum matrix_figure figure,
	const struct matrix_summary *summary)
{
	static const char *const heads[] = {
		"class", "cells", "measured", "least us", "median us", "largest us", "at", "n", NULL};

	html_begin_table(out, "", heads);
	for (int i = 0; i < N_LOCALITIES; i++) {
		const struct matrix_class *class = &summary->classes[i];

		if (!class->n_cells)
			continue;
		html_begin_row(out);
		html_cell(out, locality_name((enum locality)i));
		html_count(out, class->n_cells);
		html_count(out, class->n);
		print_us(out, class->n, class->least);
		print_us(out, class->n, class->median);
		print_us(out, class->n, class->largest);
		if (class->n)
			print_pair(out, matrix, figure, class->row, class->column);
		else
			html_cell(out, "-");
		html_count(out, class->n_samples);
		html_end_row(out);
	}
	html_end_table(out);
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
	size_t n = 0;

	for (uint32_t row = 0; row < matrix->n_cpus; row++)
		for (uint32_t column = 0; column < matrix->n_cpus; column++) {
			float ns = row == column ? -1
						 : matrix_value_of(
							   matrix_figure_of(matrix, MATRIX_HOP, row, column),
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
	static const char *const heads[] = {
		"hop", "class", "p50 us", "median of the class us", "times", NULL};
	const struct matrix *matrix = session->matrix;
	struct outlier outliers[CELLS_SHOWN];
	size_t n = find_outliers(matrix, summary, outliers);
	char text[MATRIX_WORDS_SIZE];

	html_heading(out, "What stands out");
	for (unsigned i = 0; matrix_outlier_text(session, MATRIX_HOP, summary, i, text); i++)
		html_paragraph(out, "", text);
	if (!n) {
		snprintf(text, sizeof(text), "No hop has %.2f times the median of its class.",
			(double)stands_out);
		html_paragraph(out, "", text);
		return;
	}
	html_begin_table(out, "", heads);
	for (size_t i = 0; i < n; i++) {
		enum locality locality = matrix_locality(matrix, outliers[i].row, outliers[i].column);

		html_begin_row(out);
		print_pair(out, matrix, MATRIX_HOP, outliers[i].row, outliers[i].column);
		html_cell(out, locality_name(locality));
		print_us(out, true, outliers[i].ns);
		print_us(out, true, summary->classes[locality].median);
		snprintf(text, sizeof(text), "%.2f", (double)outliers[i].ratio);
		html_cell(out, text);
		html_end_row(out);
	}
	html_end_table(out);
}

/* --- changes --- */

static int print_changes(FILE *out, const struct matrix *matrix)
{
	static const char *const heads[] = {
		"figure", "cells", "worse", "better", "same", "undecided", "too few", NULL};
	struct matrix_changes changes;
	char text[64];
	int r = matrix_changes_make(&changes, matrix);

	if (r == 0) {
		snprintf(text, sizeof(text), "Changes from phase %u to phase %u", matrix->before.number,
			matrix->now.number);
		html_heading(out, text);
		html_begin_table(out, "", heads);
	}
	for (int i = 0; i < N_MATRIX_FIGURES * N_COMPARED_VALUES && r == 0; i++) {
		enum matrix_figure figure = (enum matrix_figure)(i / N_COMPARED_VALUES);
		enum matrix_value value = (enum matrix_value)(i % N_COMPARED_VALUES);
		const struct matrix_change *change = &changes.of[figure][value];

		snprintf(text, sizeof(text), "%s %s", matrix_figure_name(figure), matrix_value_name(value));
		html_begin_row(out);
		html_cell(out, text);
		html_count(out, change->n_cells);
		html_count(out, change->n_worse);
		html_count(out, change->n_better);
		html_count(out, change->n_same);
		html_count(out, change->n_undecided);
		html_count(out, change->n_too_few);
		html_end_row(out);
	}
	if (r == 0)
		html_end_table(out);
	matrix_changes_finish(&changes);
	return r;
}

int page_print_sweep(FILE *out, const struct session *session)
{
	const struct matrix *matrix = session->matrix;
	struct matrix_summary summary;
	int r = matrix_summarize(matrix, MATRIX_LAP, MATRIX_P50, &summary);

	if (r < 0)
		return r;
	html_heading(out, "Laps by class, there and back");
	print_classes(out, matrix, MATRIX_LAP, &summary);
	r = matrix_summarize(matrix, MATRIX_HOP, MATRIX_P50, &summary);
	if (r < 0)
		return r;
	html_heading(out, "Hops by class");
	print_classes(out, matrix, MATRIX_HOP, &summary);
	print_outliers(out, session, &summary);
	return matrix->before.number ? print_changes(out, matrix) : 0;
}

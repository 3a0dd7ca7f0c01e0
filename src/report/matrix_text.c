/* SPDX-License-Identifier: GPL-2.0-or-later */
/* matrix_text.c - the matrix of a sweep in plain text. */
#include "src/report/matrix_text.h"

#include "src/figures/hist.h"
#include "src/model/matrix_change.h"
#include "src/model/matrix_grid.h"
#include "src/model/matrix_words.h"
#include "src/model/session.h"
#include "src/report/report_lines.h"

enum { ROW_WIDTH = 5, CELL_WIDTH = 8 /* with its doubt */, ROWS_MAX = 30 };
enum { COLUMNS_A_LINE = (REPORT_WIDTH - ROW_WIDTH) / CELL_WIDTH };

static double share(size_t n, size_t of)
{
	return of ? 100.0 * (double)n / (double)of : 0;
}

void matrix_text_line(FILE *out, const struct session *session)
{
	const struct matrix *matrix = session->matrix;

	fprintf(out, "%.1f s: round %llu, %zu of %zu pairs measured (%.0f %%), %llu in all\n",
		(double)(session_position_ns(session) - session->start_ns) / 1e9,
		(unsigned long long)matrix_round(matrix), matrix->n_measured, matrix->n_pairs,
		share(matrix->n_measured, matrix->n_pairs), (unsigned long long)matrix->n_results);
}

static void print_columns(FILE *out, const struct matrix_grid *grid, uint32_t from, uint32_t to)
{
	char name[MATRIX_ROW_SIZE], cell[MATRIX_TIME_SIZE];

	fprintf(out, "%*s", ROW_WIDTH, "to");
	for (uint32_t column = from; column < to; column++)
		fprintf(out, "%*s%s", CELL_WIDTH - 1, matrix_grid_row_name(grid, column, name),
			column + 1 < to ? " " : "");
	fputc('\n', out);
	for (uint32_t row = 0; row < grid->n; row++) {
		fprintf(out, "%*s", ROW_WIDTH, matrix_grid_row_name(grid, row, name));
		for (uint32_t column = from; column < to; column++)
			fprintf(out, "%*s%s", CELL_WIDTH - 1,
				matrix_us(cell, matrix_grid_value(grid, row, column)),
				matrix_grid_is_doubtful(grid, row, column) ? "~"
				: column + 1 < to                          ? " "
									   : "");
		fputc('\n', out);
	}
}

static void print_grid(FILE *out, const struct matrix *matrix, enum matrix_figure figure,
	const struct matrix_summary *summary)
{
	enum matrix_grouping grouping = matrix_grid_fit(matrix, ROWS_MAX);
	struct matrix_grid grid;
	bool any_doubtful = false;
	char samples[MATRIX_WORDS_SIZE], head[2 * MATRIX_WORDS_SIZE];

	snprintf(head, sizeof(head), "%s, p50 of each cell (%s)%s%s%s:", matrix_figure_title(figure),
		matrix_samples_text(matrix, figure, summary, samples), grouping ? ", medians by " : "",
		grouping ? matrix_grouping_name(grouping) : "",
		figure == MATRIX_LAP ? ", there and back" : ", rows send and columns receive");
	fputc('\n', out);
	report_wrap(out, 0, 0, head);
	if (matrix_grid_make(&grid, matrix, figure, MATRIX_P50, grouping) == 0)
		for (uint32_t column = 0; column < grid.n; column += COLUMNS_A_LINE)
			print_columns(out, &grid, column,
				column + COLUMNS_A_LINE < grid.n ? column + COLUMNS_A_LINE : grid.n);
	for (size_t i = 0; grid.doubtful && i < (size_t)grid.n * grid.n; i++)
		any_doubtful |= grid.doubtful[i];
	if (any_doubtful)
		fprintf(out, "~ fewer than %d samples beyond it: not to be trusted\n", HIST_BEYOND_TRUSTED);
	if (grouping)
		fputs("rows have the number of their first CPU; --export matrix=FILE has each cell\n", out);
	matrix_grid_finish(&grid);
}

static void print_classes(FILE *out, const struct matrix *matrix, enum matrix_figure figure,
	const struct matrix_summary *summary)
{
	char least[MATRIX_TIME_SIZE], median[MATRIX_TIME_SIZE], largest[MATRIX_TIME_SIZE], at[32];

	fprintf(out, "\n%-8s %8s %8s %9s %9s %9s  %-9s %9s\n", "class", "cells", "measured", "least",
		"median", "largest", "at", "n");
	for (int i = 0; i < N_LOCALITIES; i++) {
		const struct matrix_class *class = &summary->classes[i];

		if (!class->n_cells)
			continue;
		snprintf(at, sizeof(at), "%u%c%u", matrix->cpus[class->row].cpu,
			figure == MATRIX_LAP ? '-' : '>', matrix->cpus[class->column].cpu);
		fprintf(out, "%-8s %8zu %8zu %9s %9s %9s  %-9s %9llu\n", locality_name((enum locality)i),
			class->n_cells, class->n, matrix_us(least, class->n ? class->least : -1),
			matrix_us(median, class->n ? class->median : -1),
			matrix_us(largest, class->n ? class->largest : -1), class->n ? at : "-",
			(unsigned long long)class->n_samples);
	}
}

static void print_slow_cpu(FILE *out, const struct matrix *matrix, const struct matrix_slow_cpu *slow)
{
	char median[MATRIX_TIME_SIZE], ratio[MATRIX_TIME_SIZE];

	if (slow->is_known)
		fprintf(out, " %5u %7s %6s", matrix->cpus[slow->index].cpu, matrix_us(median, slow->median),
			matrix_ratio(ratio, slow->median, slow->others));
	else
		fprintf(out, " %5s %7s %6s", "-", "-", "-");
}

static void print_asymmetry(
	FILE *out, const struct session *session, const struct matrix_asymmetry *asymmetry)
{
	const struct sweep_cpu *cpus = session->matrix->cpus;
	char pair[32], there[MATRIX_TIME_SIZE], ratio[MATRIX_TIME_SIZE];

	if (!asymmetry->is_known) {
		fputs("  -", out);
		return;
	}
	snprintf(pair, sizeof(pair), "%u>%u", cpus[asymmetry->row].cpu, cpus[asymmetry->column].cpu);
	fprintf(out, "  %-9s %7s %6s%s", pair, matrix_us(there, asymmetry->there),
		matrix_ratio(ratio, asymmetry->there, asymmetry->back),
		matrix_is_skew(session, asymmetry) ? " skew" : "");
}

/* Those of each class, and in sentences those of all cells. */
static void print_outliers(FILE *out, const struct session *session, enum matrix_figure figure,
	const struct matrix_summary *summary)
{
	char text[MATRIX_WORDS_SIZE];
	bool is_lap = figure == MATRIX_LAP;

	if (matrix_has_classes_to_tell_apart(summary))
		fputs(is_lap ? "\n         slowest CPU\nclass      CPU  median  times\n"
			     : "\n         slowest receiver     slowest sender        largest asymmetry\n"
			       "class      CPU  median  times   CPU  median  times  pair        there  times\n",
			out);
	for (int i = 0; i < N_LOCALITIES && matrix_has_classes_to_tell_apart(summary); i++) {
		const struct matrix_outliers *outliers = &summary->classes[i].outliers;

		if (!summary->classes[i].n)
			continue;
		fprintf(out, "%-7s", locality_name((enum locality)i));
		print_slow_cpu(out, session->matrix, &outliers->receiver);
		if (!is_lap) {
			print_slow_cpu(out, session->matrix, &outliers->sender);
			print_asymmetry(out, session, &outliers->asymmetry);
		}
		fputc('\n', out);
	}
	for (unsigned i = 0; matrix_outlier_text(session, figure, &summary->outliers, i, text); i++)
		report_wrap(out, 0, 2, text);
}

/* --- changes since the phase before --- */

static void print_most_changed(FILE *out, const struct matrix_change *change, char between, const char *how,
	const struct matrix_cell_change *cell)
{
	char a[MATRIX_TIME_SIZE], b[MATRIX_TIME_SIZE], interval[MATRIX_CHANGE_SIZE], text[MATRIX_WORDS_SIZE];
	uint32_t row, column;

	if (!cell)
		return;
	matrix_change_indices(change, cell, &row, &column);
	snprintf(text, sizeof(text), "%s: %u%c%u %s > %s us, %s, %u and %u repeats", how,
		change->matrix->cpus[row].cpu, between, change->matrix->cpus[column].cpu,
		matrix_us(a, cell->a), matrix_us(b, cell->b), matrix_change_interval(interval, cell),
		cell->n_a, cell->n_b);
	report_wrap(out, 0, 2, text);
}

static void print_changes(
	FILE *out, const struct matrix_change *change, enum matrix_figure figure, enum matrix_value value)
{
	char median[MATRIX_CHANGE_SIZE], need[MATRIX_NEED_SIZE], between = figure == MATRIX_LAP ? '-' : '>';

	fprintf(out, "\n%s, %s: of %zu cells %zu worse, %zu better, %zu same, %zu undecided",
		matrix_figure_title(figure), matrix_value_name(value), change->n_cells, change->n_worse,
		change->n_better, change->n_same, change->n_undecided);
	if (change->n_too_few)
		fprintf(out, ", %zu too few", change->n_too_few);
	if (*matrix_change_need(need, change))
		fprintf(out, "\n%s", need);
	fprintf(out, "\n%-8s %8s %8s %8s %8s\n", "class", "compared", "worse", "better", "median%");
	for (int i = 0; i < N_LOCALITIES; i++)
		if (change->classes[i].n_cells)
			fprintf(out, "%-8s %8zu %8zu %8zu %8s\n", locality_name((enum locality)i),
				change->classes[i].n_cells, change->classes[i].n_worse,
				change->classes[i].n_better,
				matrix_change_text(median, change->classes[i].median));
	print_most_changed(out, change, between, "worst", change->worst);
	print_most_changed(out, change, between, "best", change->best);
}

void matrix_text_changes(FILE *out, const struct matrix_changes *changes)
{
	for (int figure = 0; figure < N_MATRIX_FIGURES; figure++)
		for (int value = 0; value < N_COMPARED_VALUES && changes->of[figure][value].matrix; value++)
			print_changes(out, &changes->of[figure][value], (enum matrix_figure)figure,
				(enum matrix_value)value);
}

static void print_changes_since_phase_before(FILE *out, const struct matrix *matrix)
{
	struct matrix_changes changes;

	fprintf(out, "\nchanges from phase %u to phase %u:\n", matrix->before.number, matrix->now.number);
	if (matrix_changes_make(&changes, matrix) == 0)
		matrix_text_changes(out, &changes);
	else
		fputs("no memory for the changes of the matrix\n", out);
	matrix_changes_finish(&changes);
}

void matrix_text_summary(FILE *out, const struct session *session)
{
	const struct matrix *matrix = session->matrix;
	uint64_t now_ns = session_position_ns(session);
	struct matrix_summary summary;
	char conditions[MATRIX_WORDS_SIZE], head[2 * MATRIX_WORDS_SIZE];

	snprintf(head, sizeof(head),
		"sweep of %s, %u CPUs, %s; %llu complete round%s, %zu of %zu pairs measured",
		matrix->mechanism, matrix->n_cpus, matrix_conditions_text(matrix, conditions),
		(unsigned long long)matrix->n_rounds, matrix->n_rounds == 1 ? "" : "s", matrix->n_measured,
		matrix->n_pairs);
	report_wrap(out, 0, 0, head);
	for (int figure = 0; figure < N_MATRIX_FIGURES; figure++) {
		if (!matrix_has(matrix, (enum matrix_figure)figure))
			continue;
		if (matrix_summarize(matrix, (enum matrix_figure)figure, MATRIX_P50, &summary) < 0) {
			fputs("no memory for the summary of the matrix\n", out);
			return;
		}
		print_grid(out, matrix, (enum matrix_figure)figure, &summary);
		print_classes(out, matrix, (enum matrix_figure)figure, &summary);
		print_outliers(out, session, (enum matrix_figure)figure, &summary);
	}
	if (matrix->before.number)
		print_changes_since_phase_before(out, matrix);
	if (summary.oldest_ns && now_ns >= summary.oldest_ns)
		fprintf(out, "oldest cell: %.1f s\n", (double)(now_ns - summary.oldest_ns) / 1e9);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* matrix_change.c - by how much each cell of a matrix changed. */
#include "src/model/matrix_change.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/sort.h"
#include "src/figures/distributions.h"

static const double ALPHA = 0.05;

/* A comparison on its way. */
struct judging {
	struct matrix_change *change;
	enum matrix_figure figure;
	enum matrix_value value;
	size_t n_tests;
	double *probabilities; /* of each cell, that chance alone moves it so far; 1: it is not tested */
	double *sorted;        /* room for as many */
	float *estimates;      /* room for as many */
};

/* Cells are tested right of the diagonal where both halves are alike, as of laps, or else on both sides of
 * it. */
static uint32_t first_column(const struct judging *j, uint32_t row)
{
	return j->figure == MATRIX_LAP ? row + 1 : 0;
}

/* Of all figures and values. */
static double count_tables(const struct matrix *matrix)
{
	return (matrix->has_first ? N_MATRIX_FIGURES : N_MATRIX_FIGURES - 1) * N_COMPARED_VALUES;
}

static void compare_cell(struct judging *j, uint32_t row, uint32_t column)
{
	const struct matrix *matrix = j->change->matrix;
	size_t at = (size_t)row * matrix->n_cpus + column, pair = sweep_pair_index(row, column);
	enum sweep_figure_kind kind = matrix_kind_of(j->figure, row, column);
	struct repeats a = matrix_repeats_of(&matrix->before.repeats[pair], kind, j->value);
	struct repeats b = matrix_repeats_of(&matrix->now.repeats[pair], kind, j->value);
	struct matrix_cell_change *cell = &j->change->cells[at];
	struct repeats_shift shift;

	*cell = (struct matrix_cell_change){
		.n_a = a.n, .n_b = b.n, .a = (float)repeats_ns(&a), .b = (float)repeats_ns(&b)};
	j->probabilities[at] = 1;
	if (!repeats_compare(&a, &b, &shift))
		return;
	double half = student_quantile(ALPHA, shift.df) * shift.deviation;

	cell->verdict = repeats_judge(&shift, half);
	cell->estimate = (float)shift.estimate;
	cell->half = (float)half;
	if (cell->verdict == SHIFT_BETTER || cell->verdict == SHIFT_WORSE)
		j->probabilities[at] = student_tail(fabs(shift.estimate) / shift.deviation, shift.df);
	j->n_tests++;
}

/* Finds how many repeats cells have that were measured in both phases, and by the spread of a typical one how
 * many are needed. */
static void find_needed(struct judging *j)
{
	const struct matrix *matrix = j->change->matrix;
	size_t n_cells = 0, n = 0;

	for (uint32_t row = 0; row < matrix->n_cpus; row++)
		for (uint32_t column = first_column(j, row); column < matrix->n_cpus; column++) {
			if (row == column) /* it is no pair */
				continue;
			size_t pair = sweep_pair_index(row, column);
			enum sweep_figure_kind kind = matrix_kind_of(j->figure, row, column);
			struct repeats a = matrix_repeats_of(&matrix->before.repeats[pair], kind, j->value);
			struct repeats b = matrix_repeats_of(&matrix->now.repeats[pair], kind, j->value);
			double in_a = repeats_deviation(&a), in_b = repeats_deviation(&b);

			if (!a.n || !b.n)
				continue;
			j->change->n_a = !n_cells || a.n < j->change->n_a ? a.n : j->change->n_a;
			j->change->n_b = !n_cells || b.n < j->change->n_b ? b.n : j->change->n_b;
			n_cells++;
			if (a.n > 1 && b.n > 1)
				j->estimates[n++] = (float)sqrt((in_a * in_a + in_b * in_b) / 2);
		}
	if (n)
		j->change->n_needed = repeats_needed((double)matrix_median(j->estimates, n),
			ALPHA / count_tables(matrix) / (double)n_cells);
}

/* Returns the largest probability that is beyond chance, with which those of all tables together are wrong in
 * 5 %; 0: none is. */
static double find_limit(struct judging *j)
{
	uint32_t n_cpus = j->change->matrix->n_cpus;
	size_t n = 0, passed = 0;

	for (uint32_t row = 0; row < n_cpus; row++)
		for (uint32_t column = first_column(j, row); column < n_cpus; column++)
			if (row != column && j->probabilities[(size_t)row * n_cpus + column] < 1)
				j->sorted[n++] = j->probabilities[(size_t)row * n_cpus + column];
	sort_doubles(j->sorted, n);
	double alpha = ALPHA / count_tables(j->change->matrix);

	while (passed < n && j->sorted[passed] <= alpha / (double)(j->n_tests - passed))
		passed++;
	return passed ? j->sorted[passed - 1] : 0;
}

static void count_cell(
	struct matrix_change *change, const struct matrix_cell_change *cell, enum locality locality)
{
	struct matrix_class_change *class = &change->classes[locality];
	bool is_better = cell->verdict == SHIFT_BETTER, is_worse = cell->verdict == SHIFT_WORSE;

	change->n_cells++;
	change->n_too_few += cell->verdict == SHIFT_TOO_FEW;
	change->n_same += cell->verdict == SHIFT_SAME;
	change->n_undecided += cell->verdict == SHIFT_UNDECIDED;
	change->n_better += is_better;
	change->n_worse += is_worse;
	class->n_cells += cell->verdict != SHIFT_TOO_FEW;
	class->n_better += is_better;
	class->n_worse += is_worse;
	if (is_better && (!change->best || cell->estimate < change->best->estimate))
		change->best = cell;
	if (is_worse && (!change->worst || cell->estimate > change->worst->estimate))
		change->worst = cell;
}

static void judge_cell(struct judging *j, uint32_t row, uint32_t column, double limit)
{
	const struct matrix *matrix = j->change->matrix;
	size_t at = (size_t)row * matrix->n_cpus + column;
	struct matrix_cell_change *cell = &j->change->cells[at];
	bool has_moved = cell->verdict == SHIFT_BETTER || cell->verdict == SHIFT_WORSE;

	if (has_moved && j->probabilities[at] > limit)
		cell->verdict = SHIFT_UNDECIDED;
	count_cell(j->change, cell, matrix_locality(matrix, row, column));
	if (j->figure == MATRIX_LAP)
		j->change->cells[(size_t)column * matrix->n_cpus + row] = *cell;
}

static void find_median(struct judging *j, enum locality locality)
{
	const struct matrix *matrix = j->change->matrix;
	size_t n = 0;

	for (uint32_t row = 0; row < matrix->n_cpus; row++)
		for (uint32_t column = first_column(j, row); column < matrix->n_cpus; column++) {
			const struct matrix_cell_change *cell = matrix_change_of(j->change, row, column);

			if (row != column && cell->verdict != SHIFT_TOO_FEW &&
				matrix_locality(matrix, row, column) == locality)
				j->estimates[n++] = cell->estimate;
		}
	if (n)
		j->change->classes[locality].median = matrix_median(j->estimates, n);
}

static void judge(struct judging *j)
{
	uint32_t n_cpus = j->change->matrix->n_cpus;

	for (uint32_t row = 0; row < n_cpus; row++)
		for (uint32_t column = first_column(j, row); column < n_cpus; column++)
			if (row != column)
				compare_cell(j, row, column);
	double limit = find_limit(j);

	find_needed(j);
	for (uint32_t row = 0; row < n_cpus; row++)
		for (uint32_t column = first_column(j, row); column < n_cpus; column++)
			if (row != column)
				judge_cell(j, row, column, limit);
	for (int locality = LOCALITY_SMT; locality < N_LOCALITIES; locality++)
		find_median(j, (enum locality)locality);
}

int matrix_change_make(struct matrix_change *change, const struct matrix *matrix, enum matrix_figure figure,
	enum matrix_value value)
{
	size_t n_cells = (size_t)matrix->n_cpus * matrix->n_cpus;
	struct judging j = {
		.change = change,
		.figure = figure,
		.value = value,
		.probabilities = malloc(n_cells * sizeof(*j.probabilities)),
		.sorted = malloc(n_cells * sizeof(*j.sorted)),
		.estimates = malloc(n_cells * sizeof(*j.estimates)),
	};
	int r = -ENOMEM;

	*change = (struct matrix_change){.matrix = matrix, .cells = calloc(n_cells, sizeof(*change->cells))};
	if (change->cells && j.probabilities && j.sorted && j.estimates) {
		judge(&j);
		r = 0;
	}
	free(j.probabilities);
	free(j.sorted);
	free(j.estimates);
	return r;
}

void matrix_change_finish(struct matrix_change *change)
{
	free(change->cells);
	*change = (struct matrix_change){0};
}

/* --- all figures and values --- */

int matrix_changes_make(struct matrix_changes *changes, const struct matrix *matrix)
{
	int r = 0;

	*changes = (struct matrix_changes){0};
	for (int figure = 0; figure < N_MATRIX_FIGURES; figure++)
		for (int value = 0;
			value < N_COMPARED_VALUES && r == 0 && matrix_has(matrix, (enum matrix_figure)figure);
			value++)
			r = matrix_change_make(&changes->of[figure][value], matrix,
				(enum matrix_figure)figure, (enum matrix_value)value);
	return r;
}

void matrix_changes_finish(struct matrix_changes *changes)
{
	for (int figure = 0; figure < N_MATRIX_FIGURES; figure++)
		for (int value = 0; value < N_COMPARED_VALUES; value++)
			matrix_change_finish(&changes->of[figure][value]);
}

struct matrix_verdict matrix_changes_verdict(const struct matrix_changes *changes)
{
	const struct matrix_change *hops = &changes->of[MATRIX_HOP][MATRIX_P50];
	struct matrix_verdict all = {0};

	for (int figure = 0; figure < N_MATRIX_FIGURES; figure++)
		for (int value = 0; value < N_COMPARED_VALUES; value++) {
			const struct matrix_change *change = &changes->of[figure][value];

			all.n_tests += change->n_cells - change->n_too_few;
			all.n_worse += change->n_worse;
			all.n_better += change->n_better;
		}
	all.verdict = all.n_worse && all.n_better        ? SHIFT_MIXED
		      : all.n_worse                      ? SHIFT_WORSE
		      : all.n_better                     ? SHIFT_BETTER
		      : hops->n_too_few == hops->n_cells ? SHIFT_TOO_FEW
		      : hops->n_same == hops->n_cells    ? SHIFT_SAME
							 : SHIFT_UNDECIDED;
	return all;
}

/* --- in words --- */

static const double FACTOR_MIN = 10.995, FACTOR_MAX = 999;

static int write_factor(char *text, size_t size, double log_ratio)
{
	double ratio = fmin(exp(log_ratio), FACTOR_MAX);

	return snprintf(text, size, "x%.*f", ratio < 9.95 ? 1 : 0, ratio);
}

static int write_percent(char *text, size_t size, double log_ratio)
{
	double percent = 100 * expm1(log_ratio);

	return snprintf(text, size, "%+.*f", fabs(percent) < 9.95 ? 1 : 0, percent);
}

char *matrix_change_text(char text[MATRIX_CHANGE_SIZE], float estimate)
{
	if (exp((double)estimate) < FACTOR_MIN)
		write_percent(text, MATRIX_CHANGE_SIZE, (double)estimate);
	else
		write_factor(text, MATRIX_CHANGE_SIZE, (double)estimate);
	return text;
}

char *matrix_change_with_unit(char text[MATRIX_CHANGE_SIZE], float estimate)
{
	matrix_change_text(text, estimate);
	if (*text != 'x')
		strcat(text, "%");
	return text;
}

char *matrix_change_interval(char text[MATRIX_CHANGE_SIZE], const struct matrix_cell_change *cell)
{
	double logs[] = {(double)cell->estimate, (double)(cell->estimate - cell->half),
		(double)(cell->estimate + cell->half)};
	bool has_factors = exp(logs[2]) >= FACTOR_MIN;
	const char *after[] = {has_factors ? " [" : " % [", ", ", "]"};
	size_t length = 0;

	for (size_t i = 0; i < 3; i++) {
		char *at = text + length;
		size_t room = MATRIX_CHANGE_SIZE - length;
		int n = has_factors ? write_factor(at, room, logs[i]) : write_percent(at, room, logs[i]);

		length += (size_t)n;
		length += (size_t)snprintf(text + length, MATRIX_CHANGE_SIZE - length, "%s", after[i]);
	}
	return text;
}

char *matrix_change_need(char text[MATRIX_NEED_SIZE], const struct matrix_change *change)
{
	uint32_t n = change->n_needed, a = change->n_a, b = change->n_b;

	text[0] = '\0';
	if (n && (a < n || b < n))
		snprintf(text, MATRIX_NEED_SIZE, "%u repeats would show 5 %%, A has %u, B %u", n, a, b);
	else if (!n && a && (a < REPEATS_MIN || b < REPEATS_MIN))
		snprintf(
			text, MATRIX_NEED_SIZE, "a cell needs %d repeats, A has %u, B %u", REPEATS_MIN, a, b);
	return text;
}

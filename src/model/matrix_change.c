/* SPDX-License-Identifier: GPL-2.0-or-later */
/* matrix_change.c - by how much each cell of a matrix changed. */
#include "src/model/matrix_change.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "src/figures/distributions.h"

enum { N_TABLES = N_MATRIX_FIGURES * N_COMPARED_VALUES };

static const double ALPHA = 0.05;

/* A comparison on its way. */
struct judging {
	struct matrix_change *change;
	enum matrix_figure figure;
	enum matrix_value value;
	struct rounds_shift *shifts; /* of the cells; df 0: too few rounds */
	double alpha, df, critical;  /* the last quantile: most cells have equally many rounds */
};

/* Returns how many standard errors chance alone exceeds with the probability @alpha. */
static double critical_of(struct judging *j, double alpha, double df)
{
	if (alpha != j->alpha || df != j->df) {
		j->alpha = alpha;
		j->df = df;
		j->critical = student_quantile(alpha, df);
	}
	return j->critical;
}

/* Of a lap the cells above the diagonal are tested, of a hop all others than that. */
static uint32_t first_column(const struct judging *j, uint32_t row)
{
	return j->figure == MATRIX_LAP ? row + 1 : 0;
}

static void compare_cell(struct judging *j, uint32_t row, uint32_t column)
{
	const struct matrix *matrix = j->change->matrix;
	size_t at = (size_t)row * matrix->n_cpus + column, pair = sweep_pair_index(row, column);
	enum sweep_figure_kind kind = matrix_kind_of(j->figure, row, column);
	struct rounds a = matrix_rounds_of(&matrix->before.rounds[pair], kind, j->value);
	struct rounds b = matrix_rounds_of(&matrix->now.rounds[pair], kind, j->value);
	struct matrix_cell_change *cell = &j->change->cells[at];

	*cell = (struct matrix_cell_change){
		.n_a = a.n, .n_b = b.n, .a = (float)rounds_ns(&a), .b = (float)rounds_ns(&b)};
	if (!rounds_compare(&a, &b, &j->shifts[at]))
		return;
	double half = critical_of(j, ALPHA, j->shifts[at].df) * j->shifts[at].deviation;

	cell->verdict = rounds_judge(&j->shifts[at], half);
	cell->estimate = (float)j->shifts[at].estimate;
	cell->half = (float)half;
}

static bool is_beyond(struct judging *j, size_t at, double alpha)
{
	const struct rounds_shift *shift = &j->shifts[at];

	return shift->df > 0 && fabs(shift->estimate) > critical_of(j, alpha, shift->df) * shift->deviation;
}

static size_t count_beyond(struct judging *j, double alpha)
{
	uint32_t n_cpus = j->change->matrix->n_cpus;
	size_t n = 0;

	for (uint32_t row = 0; row < n_cpus; row++)
		for (uint32_t column = first_column(j, row); column < n_cpus; column++)
			n += is_beyond(j, (size_t)row * n_cpus + column, alpha);
	return n;
}

/* The error probability of each test with which those of all tables together are wrong in 5 %. */
static double corrected_alpha(struct judging *j, size_t n_tests)
{
	size_t rejected = 0;

	while (rejected < n_tests) {
		size_t now = count_beyond(j, ALPHA / N_TABLES / (double)(n_tests - rejected));

		if (now <= rejected)
			break;
		rejected = now;
	}
	return ALPHA / N_TABLES / (double)(n_tests - (rejected < n_tests ? rejected : n_tests - 1));
}

static void count_cell(struct judging *j, const struct matrix_cell_change *cell, enum locality locality)
{
	struct matrix_change *change = j->change;
	struct matrix_class_change *class = &change->classes[locality];
	bool is_better = cell->survives && cell->verdict == SHIFT_BETTER;
	bool is_worse = cell->survives && cell->verdict == SHIFT_WORSE;

	change->n_cells++;
	change->n_too_few += cell->verdict == SHIFT_TOO_FEW;
	change->n_same += cell->verdict == SHIFT_SAME;
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

static void mark_survivors(struct judging *j, double alpha)
{
	const struct matrix *matrix = j->change->matrix;

	for (uint32_t row = 0; row < matrix->n_cpus; row++)
		for (uint32_t column = first_column(j, row); column < matrix->n_cpus; column++) {
			size_t at = (size_t)row * matrix->n_cpus + column;

			if (row == column)
				continue;
			j->change->cells[at].survives = is_beyond(j, at, alpha);
			count_cell(j, &j->change->cells[at], matrix_locality(matrix, row, column));
			if (j->figure == MATRIX_LAP)
				j->change->cells[(size_t)column * matrix->n_cpus + row] =
					j->change->cells[at];
		}
}

static void find_medians(struct judging *j, float *estimates)
{
	const struct matrix *matrix = j->change->matrix;

	for (int locality = LOCALITY_SMT; locality < N_LOCALITIES; locality++) {
		size_t n = 0;

		for (uint32_t row = 0; row < matrix->n_cpus; row++)
			for (uint32_t column = first_column(j, row); column < matrix->n_cpus; column++) {
				const struct matrix_cell_change *cell =
					matrix_change_of(j->change, row, column);

				if (row != column && cell->verdict != SHIFT_TOO_FEW &&
					(int)matrix_locality(matrix, row, column) == locality)
					estimates[n++] = cell->estimate;
			}
		if (n)
			j->change->classes[locality].median = matrix_median(estimates, n);
	}
}

int matrix_change_make(struct matrix_change *change, const struct matrix *matrix, enum matrix_figure figure,
	enum matrix_value value)
{
	size_t n_cells = (size_t)matrix->n_cpus * matrix->n_cpus, n_tests = 0;
	struct judging j = {
		.change = change,
		.figure = figure,
		.value = value,
		.shifts = calloc(n_cells, sizeof(*j.shifts)),
	};
	float *estimates = malloc(n_cells * sizeof(*estimates));

	*change = (struct matrix_change){.matrix = matrix, .cells = calloc(n_cells, sizeof(*change->cells))};
	if (!change->cells || !j.shifts || !estimates) {
		free(j.shifts);
		free(estimates);
		return -ENOMEM;
	}
	for (uint32_t row = 0; row < matrix->n_cpus; row++)
		for (uint32_t column = first_column(&j, row); column < matrix->n_cpus; column++)
			if (row != column) {
				compare_cell(&j, row, column);
				n_tests += j.shifts[(size_t)row * matrix->n_cpus + column].df > 0;
			}
	mark_survivors(&j, n_tests ? corrected_alpha(&j, n_tests) : 0);
	find_medians(&j, estimates);
	free(j.shifts);
	free(estimates);
	return 0;
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
	for (int figure = 0; figure < N_MATRIX_FIGURES && matrix->before.number; figure++)
		for (int value = 0; value < N_COMPARED_VALUES && r == 0; value++)
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

enum shift_verdict matrix_changes_verdict(const struct matrix_changes *changes)
{
	const struct matrix_change *hops = &changes->of[MATRIX_HOP][MATRIX_P50];
	size_t worse = 0, better = 0;

	for (int figure = 0; figure < N_MATRIX_FIGURES; figure++)
		for (int value = 0; value < N_COMPARED_VALUES; value++) {
			worse += changes->of[figure][value].n_worse;
			better += changes->of[figure][value].n_better;
		}
	if (worse || better)
		return worse && better ? SHIFT_MIXED : worse ? SHIFT_WORSE : SHIFT_BETTER;
	if (hops->n_too_few == hops->n_cells)
		return SHIFT_TOO_FEW;
	return hops->n_same == hops->n_cells ? SHIFT_SAME : SHIFT_UNDECIDED;
}

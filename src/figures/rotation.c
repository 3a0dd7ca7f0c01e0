/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rotation.c - how likely chance alone makes any of several values differ between replicates. */
#include "src/figures/rotation.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/figures/signed_rank.h"

enum { DIRECTIONS = 4096 };

/* A smaller sum of squares is an error of rounding. */
static const double LEAST = 1e-30, ROUNDING = 1e-12;

static double product(const double *x, const double *y, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += x[i] * y[i];
	return sum;
}

/* Makes the length 1. Returns whether it has a length. */
static bool make_direction(double *values, size_t n)
{
	double length = sqrt(product(values, values, n));

	for (size_t i = 0; i < n && length * length > LEAST; i++)
		values[i] /= length;
	return length * length > LEAST;
}

static void subtract_mean(double *values, size_t n)
{
	double mean = 0;

	for (size_t i = 0; i < n; i++)
		mean += values[i] / (double)n;
	for (size_t i = 0; i < n; i++)
		values[i] -= mean;
}

static double next_uniform(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return ((double)(*state >> 11) + 0.5) / 9007199254740992.0;
}

/* Evenly among all directions: Box and Muller (1958). */
static void next_direction(uint64_t *state, double *direction, size_t n)
{
	for (size_t i = 0; i < n; i += 2) {
		double radius = sqrt(-2 * log(next_uniform(state))), angle = 2 * M_PI * next_uniform(state);

		direction[i] = radius * cos(angle);
		if (i + 1 < n)
			direction[i + 1] = radius * sin(angle);
	}
	subtract_mean(direction, n);
	make_direction(direction, n);
}

/* Each of the signs is random. */
static void next_signs(uint64_t *state, double *direction, size_t n)
{
	for (size_t i = 0; i < n; i++)
		direction[i] = next_uniform(state) < 0.5 ? -1 : 1;
	make_direction(direction, n);
}

/* Sets how often one of the random directions is nearer to the values than that of the change is. */
static void find_chances(struct rotation_mark *marks, size_t n_marks, const double *change, size_t n,
	void (*next)(uint64_t *state, double *direction, size_t n))
{
	struct rotation_mark *sorted[ROTATION_MARKS_MAX]; /* those that moved most come first */
	double direction[ROTATION_VALUES_MAX], moved[ROTATION_MARKS_MAX];
	size_t n_sorted = 0, n_nearer[ROTATION_MARKS_MAX] = {0};
	uint64_t state = 0x9e3779b97f4a7c15;

	for (size_t i = 0; i < n_marks; i++) {
		marks[i].chance = 1;
		if (!make_direction(marks[i].values, n))
			continue;
		double near = fabs(product(marks[i].values, change, n));
		size_t at = n_sorted++;

		for (; at && near > moved[at - 1]; at--) {
			sorted[at] = sorted[at - 1];
			moved[at] = moved[at - 1];
		}
		sorted[at] = &marks[i];
		moved[at] = near;
	}
	for (size_t d = 0; d < DIRECTIONS; d++) {
		double nearest = 0;

		next(&state, direction, n);
		for (size_t i = n_sorted; i-- > 0;) {
			nearest = fmax(nearest, fabs(product(sorted[i]->values, direction, n)));
			n_nearer[i] += nearest >= moved[i] - ROUNDING;
		}
	}
	for (size_t i = 0; i < n_sorted; i++) {
		double chance = (double)(n_nearer[i] + 1) / (DIRECTIONS + 1);

		sorted[i]->chance = i ? fmax(chance, sorted[i - 1]->chance) : chance;
	}
}

void rotation_test(struct rotation_mark *marks, size_t n_marks, size_t n_a, size_t n_b)
{
	double change[ROTATION_VALUES_MAX];
	size_t n = n_a + n_b;

	for (size_t i = 0; i < n; i++)
		change[i] = i < n_a ? -1 / (double)n_a : 1 / (double)n_b;
	make_direction(change, n);
	for (size_t i = 0; i < n_marks; i++)
		subtract_mean(marks[i].values, n);
	find_chances(marks, n_marks, change, n, next_direction);
}

void rotation_test_pairs(struct rotation_mark *marks, size_t n_marks, size_t n)
{
	double change[ROTATION_VALUES_MAX];

	for (size_t i = 0; i < n; i++)
		change[i] = 1;
	make_direction(change, n);
	for (size_t i = 0; i < n_marks; i++)
		signed_ranks(marks[i].values, n);
	find_chances(marks, n_marks, change, n, next_signs);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_rotation.c - the correction for values that move together between replicates. */
#include "src/figures/rotation.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "src/figures/distributions.h"
#include "tests/unit/tap.h"

static uint64_t random_state = 1;

static double normal(void)
{
	double uniform[2];

	for (size_t i = 0; i < 2; i++) {
		random_state ^= random_state << 13;
		random_state ^= random_state >> 7;
		random_state ^= random_state << 17;
		uniform[i] = ((double)(random_state >> 11) + 0.5) / 9007199254740992.0;
	}
	return sqrt(-2 * log(uniform[0])) * cos(2 * M_PI * uniform[1]);
}

/* Student's t of a mark. */
static double t_of(const struct rotation_mark *mark, size_t n_a, size_t n_b)
{
	double a = 0, b = 0, squares = 0;

	for (size_t i = 0; i < n_a + n_b; i++)
		*(i < n_a ? &a : &b) += mark->values[i] / (double)(i < n_a ? n_a : n_b);
	for (size_t i = 0; i < n_a + n_b; i++)
		squares += pow(mark->values[i] - (i < n_a ? a : b), 2);
	return fabs(b - a) / sqrt(squares / (double)(n_a + n_b - 2) * (1 / (double)n_a + 1 / (double)n_b));
}

/* Alone, or with marks that move just as it does, or not at all. */
static void a_mark_has_the_chance_of_students_test(void)
{
	static const size_t sides[][2] = {{2, 2}, {2, 3}, {3, 3}, {6, 6}, {2, 6}, {32, 32}};

	for (size_t s = 0; s < sizeof(sides) / sizeof(*sides); s++)
		for (double change = 0; change <= 8; change += 2) {
			struct rotation_mark marks[4] = {0};
			size_t n_a = sides[s][0], n_b = sides[s][1];

			for (size_t i = 0; i < n_a + n_b; i++) {
				marks[1].values[i] = normal() + (i < n_a ? 0 : change);
				marks[0].values[i] = 5 - 1e-6 * marks[1].values[i];
				marks[2].values[i] = 10 * marks[1].values[i];
				marks[3].values[i] = 0.02;
			}
			double chance = student_tail(t_of(&marks[1], n_a, n_b), (double)(n_a + n_b) - 2);

			rotation_test(marks, 4, n_a, n_b);
			for (size_t m = 0; m < 3; m++)
				CHECK(fabs(marks[m].chance - chance) < 0.025, "%zu and %zu, +%g: %g, not %g",
					n_a, n_b, change, marks[m].chance, chance);
			CHECK(marks[3].chance == 1);
		}
}

/* Of 400 comparisons in which nothing changed, a mark is wrong in 20: the marks move together, or each by
 * itself, or in pairs. */
static void any_mark_is_wrong_as_often_as_it_says(void)
{
	enum { RUNS = 400, MARKS = 6 };
	static const size_t groups[] = {1, 2, 6};

	for (size_t g = 0; g < sizeof(groups) / sizeof(*groups); g++)
		for (size_t n = 2; n <= 6; n += 2) {
			unsigned wrong = 0;

			for (unsigned run = 0; run < RUNS; run++) {
				struct rotation_mark marks[MARKS];
				bool any = false;

				for (size_t m = 0; m < MARKS; m++)
					for (size_t i = 0; i < 2 * n; i++)
						marks[m].values[i] = m < groups[g]
									     ? normal()
									     : marks[m % groups[g]].values[i];
				rotation_test(marks, MARKS, n, n);
				for (size_t m = 0; m < MARKS; m++)
					any |= marks[m].chance <= 0.05;
				wrong += any;
			}
			printf("# %zu and %zu replicates, %zu marks of their own: %.1f %% wrong\n", n, n,
				groups[g], 100. * wrong / RUNS);
			CHECK(wrong >= 6 && wrong <= 38, "%u", wrong);
		}
}

/* The largest change is corrected for all, the next one for all but that. */
static void a_change_is_found_beside_marks_that_stay(void)
{
	unsigned found = 0, with_another = 0;

	for (unsigned run = 0; run < 200; run++) {
		struct rotation_mark marks[3] = {0};

		for (size_t i = 0; i < 6; i++) {
			marks[0].values[i] = normal() + (i < 3 ? 0 : 30);
			marks[1].values[i] = normal() + (i < 3 ? 0 : 6);
			marks[2].values[i] = normal();
		}
		rotation_test(marks, 3, 3, 3);
		CHECK(marks[0].chance <= marks[1].chance || marks[1].chance <= 0.01);
		found += marks[0].chance <= 0.05;
		with_another += marks[1].chance <= 0.05;
	}
	CHECK(found == 200 && with_another > 150, "%u, %u", found, with_another);
}

int main(void)
{
	TEST(a_mark_has_the_chance_of_students_test);
	TEST(any_mark_is_wrong_as_often_as_it_says);
	TEST(a_change_is_found_beside_marks_that_stay);
	return tap_done();
}

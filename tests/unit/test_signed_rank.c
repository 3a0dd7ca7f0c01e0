/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_signed_rank.c - whether pairs differ, by the order of their differences. */
#include "src/figures/signed_rank.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "src/figures/rotation.h"
#include "tests/unit/tap.h"

enum { PAIRS = 12 };

static uint64_t random_state = 1;

static double uniform(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return ((double)(random_state >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
	double radius = sqrt(-2 * log(uniform()));

	return radius * cos(2 * M_PI * uniform());
}

static void ranks_are_by_size(void)
{
	double differences[] = {-3, 0.5, 0, 3, 9, -1};
	static const double ranks[] = {-3.5, 1, 0, 3.5, 5, -2};

	signed_ranks(differences, 6);
	for (size_t i = 0; i < 6; i++)
		CHECK(differences[i] == ranks[i], "%zu: %g", i, differences[i]);
}

/* By tables of the test: of ten pairs 8 is the largest sum that is rejected at 5 %, with 4.88 %. */
static void chances_are_those_of_wilcoxons_test(void)
{
	static const struct {
		double differences[10];
		size_t n;
		double higher, lower;
	} rows[] = {
		{{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 10, 2. / 1024, 1},
		{{-1, -2, -3, -4, -5, -6, -7, -8, -9, -10}, 10, 1, 2. / 1024},
		{{1, 2, 3, 4, 5, 6, 7, -8, 9, 10}, 10, 50. / 1024, 1},
		{{1, 2, 3, 4, 5, 6, 7, 8, -9, 10}, 10, 66. / 1024, 1},
		{{1, 1, 1}, 3, 0.25, 1},
		{{1, 1, -1}, 3, 1, 1},
		{{0, 2, 2}, 3, 0.5, 1},
		{{0, 0, 0}, 3, 1, 1},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct rate_test test = signed_rank_test(rows[i].differences, rows[i].n);

		CHECK(fabs(test.higher - rows[i].higher) < 1e-9 && fabs(test.lower - rows[i].lower) < 1e-9,
			"row %zu: %g, %g", i, test.higher, test.lower);
	}
}

/* The interval has 0 in it just where the test does not reject. */
static void intervals_hold_what_the_test_does_not_reject(void)
{
	enum { RUNS = 2000 };
	unsigned wrong = 0;

	for (size_t n = SIGNED_RANK_PAIRS_MIN; n <= SIGNED_RANK_PAIRS_MAX; n += 11) {
		unsigned outside = 0;

		for (unsigned run = 0; run < RUNS; run++) {
			double differences[SIGNED_RANK_PAIRS_MAX];

			for (size_t i = 0; i < n; i++)
				differences[i] = normal() / uniform(); /* of a heavy tail */
			struct shift shift = signed_rank_interval(differences, n, 0.05);
			struct rate_test test = signed_rank_test(differences, n);

			CHECK(shift.low <= shift.estimate && shift.estimate <= shift.high);
			wrong += (shift.low > 0) != (test.higher <= 0.05) ||
				 (shift.high < 0) != (test.lower <= 0.05);
			outside += shift.low > 0 || shift.high < 0;
		}
		printf("# %zu pairs: %.1f %% outside\n", n, 100. * outside / RUNS);
		CHECK(outside <= RUNS * 0.06 && outside >= RUNS * 0.03, "%zu pairs: %u", n, outside);
	}
	CHECK(wrong == 0, "%u", wrong);
}

/* A machine that is slow now and then, for longer than a pair takes, and once for a part of a pair. */
static void a_change_is_found_beside_others_that_come_and_go(void)
{
	unsigned found = 0, false_ones = 0;

	for (unsigned run = 0; run < 400; run++) {
		double differences[PAIRS], same[PAIRS], level = 0;

		for (size_t i = 0; i < PAIRS; i++) {
			level = uniform() < 0.2 ? uniform() : level;
			double a = level + 0.05 * normal(), b = level + 0.05 * normal();

			same[i] = b - a + (i == 7 ? 2 : 0);
			differences[i] = b + 0.2 - a - (i == 5 ? 2 : 0);
		}
		found += signed_rank_test(differences, PAIRS).higher <= 0.05;
		struct rate_test test = signed_rank_test(same, PAIRS);

		false_ones += fmin(test.higher, test.lower) <= 0.05;
	}
	CHECK(found >= 390 && false_ones <= 40, "found %u, false %u", found, false_ones);
}

/* Marks that move together count as one, others as many. */
static void marks_of_pairs_are_wrong_as_often_as_they_say(void)
{
	enum { RUNS = 400, MARKS = 6 };
	static const size_t groups[] = {1, 2, 6};

	for (size_t g = 0; g < sizeof(groups) / sizeof(*groups); g++) {
		unsigned wrong = 0, found = 0;

		for (unsigned run = 0; run < RUNS; run++) {
			struct rotation_mark marks[MARKS], changed[MARKS];
			bool any = false;

			for (size_t m = 0; m < MARKS; m++)
				for (size_t i = 0; i < PAIRS; i++)
					marks[m].values[i] =
						m < groups[g] ? normal() : marks[m % groups[g]].values[i];
			memcpy(changed, marks, sizeof(changed));
			for (size_t i = 0; i < PAIRS; i++)
				changed[0].values[i] += 2;
			rotation_test_pairs(marks, MARKS, PAIRS);
			for (size_t m = 0; m < MARKS; m++)
				any |= marks[m].chance <= 0.05;
			wrong += any;
			rotation_test_pairs(changed, MARKS, PAIRS);
			found += changed[0].chance <= 0.05;
		}
		printf("# %zu marks of their own: %.1f %% wrong, %.1f %% found\n", groups[g],
			100. * wrong / RUNS, 100. * found / RUNS);
		CHECK(wrong >= 4 && wrong <= 38 && found >= 0.9 * RUNS, "%u wrong, %u found", wrong, found);
	}
}

int main(void)
{
	TEST(ranks_are_by_size);
	TEST(chances_are_those_of_wilcoxons_test);
	TEST(intervals_hold_what_the_test_does_not_reject);
	TEST(a_change_is_found_beside_others_that_come_and_go);
	TEST(marks_of_pairs_are_wrong_as_often_as_they_say);
	return tap_done();
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_shift.c - quantiles, variances, shifts and verdicts with known results. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "src/figures/distributions.h"
#include "src/figures/longrun.h"
#include "src/figures/shift.h"
#include "tests/unit/tap.h"

enum { BLOCKS = 20 };

static bool is_near(double x, double y, double distance)
{
	return fabs(x - y) <= distance;
}

static void quantiles_are_those_of_tables(void)
{
	static const struct {
		double alpha, df, expected;
	} rows[] = {
		{0.05, 2, 4.303},
		{0.05, 3, 3.182},
		{0.05, 7.5, 2.333},
		{0.01, 9, 3.250},
		{0.05 / 128, 10, 5.219},
		{0.05, 30, 2.042},
		{0.05, 1e9, 1.960},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		double found = student_quantile(rows[i].alpha, rows[i].df);

		CHECK(is_near(found, rows[i].expected, 0.0006), "t(%g, %g) is %g", rows[i].alpha, rows[i].df,
			found);
	}
	CHECK(is_near(normal_quantile(0.975), 1.959963984540, 1e-9));
	CHECK(is_near(beta_quantile(0.025, 3, 8), 0.06673951, 1e-8));
	CHECK(is_near(beta_quantile(0.025, 0.5, 0.5), 0.00154133, 1e-8));
	CHECK(is_near(beta_quantile(0.975, 4, 7), 0.65245285, 1e-8));
	CHECK(is_near(beta_quantile(0.025, 5000, 3000), 0.61436276, 1e-8));
	CHECK(is_near(normal_quantile(1e-6), -4.753424308823, 1e-9));
	CHECK(is_near(student_tail(3.182446, 3), 0.05, 1e-7));
	CHECK(is_near(student_tail(2.333, 7.5), 0.05, 1e-4) && student_tail(-1, 3) == 1);
}

static void dependent_blocks_count_as_fewer(void)
{
	static const struct {
		const char *what;
		double residuals[16];
		size_t n;
		double variance, blocks;
	} rows[] = {
		{"neighbours cancel out", {1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, -6, 7, -7, 8, -8}, 16, 0.272,
			16},
		{"neighbours are alike", {-3, -3, -3, -3, 1, 1, 1, 1, 2, 2, 2, 2, 0, 0, 0, 0}, 16, 1.05941,
			0.563836},
		{"mixed", {1, -2, 3, 1, -1, -2, 0, 2, -3, 1, 2, -2}, 12, 0.0255, 6},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		double residuals[16];

		memcpy(residuals, rows[i].residuals, sizeof(residuals));
		struct longrun found = longrun_variance(residuals, rows[i].n, 1600);

		CHECK(is_near(found.variance, rows[i].variance, 1e-5) &&
				is_near(found.blocks, rows[i].blocks, 1e-5),
			"%s: %g, %g", rows[i].what, found.variance, found.blocks);
	}
}

/* 100 samples or so in each block: most at the first latency, 2 % at the last. */
static void make_blocks(struct hist blocks[BLOCKS], const uint64_t ns[3])
{
	for (unsigned i = 0; i < BLOCKS; i++) {
		const struct hist_cell cells[] = {{hist_bucket(ns[0]), 60}, {hist_bucket(ns[1]), 38 + i % 3},
			{hist_bucket(ns[2]), 2 - i % 2}};

		CHECK(hist_add_cells(&blocks[i], cells, 3) == 0);
	}
}

static void finish_blocks(struct hist *blocks, size_t n)
{
	for (size_t i = 0; i < n; i++)
		hist_finish(&blocks[i]);
}

static const uint64_t before_ns[] = {10300, 12300, 20600}, after_ns[] = {11300, 13300, 24700};

static void make_row(struct figure_shift *row, const uint64_t a_ns[3], const uint64_t b_ns[3])
{
	struct hist a[BLOCKS] = {0}, b[BLOCKS] = {0};

	make_blocks(a, a_ns);
	make_blocks(b, b_ns);
	CHECK(figure_shift_init(row, a, BLOCKS, b, BLOCKS, 0) == 0);
	finish_blocks(a, BLOCKS);
	finish_blocks(b, BLOCKS);
}

static void a_slower_row_is_worse_by_the_known_interval(void)
{
	static const struct shift expected[] = {{0.09437, 0.08126, 0.10748}, {0.18164, 0.16150, 0.19928}};
	struct figure_shift row;

	make_row(&row, before_ns, after_ns);
	for (size_t i = 0; i < 2; i++) {
		CHECK(is_near(row.shifts[i].estimate, expected[i].estimate, 1e-5));
		CHECK(is_near(row.shifts[i].low, expected[i].low, 1e-5));
		CHECK(is_near(row.shifts[i].high, expected[i].high, 1e-5));
		CHECK(row.verdicts[i] == SHIFT_WORSE);
	}
	CHECK(row.verdicts[SHIFT_P999] == SHIFT_TOO_FEW, "2 of 5 samples beyond p99.9");
	figure_shift_finish(&row);
}

static void the_verdict_turns_with_the_phases(void)
{
	static const struct {
		const uint64_t *a, *b;
		enum shift_verdict verdict;
	} rows[] = {
		{before_ns, after_ns, SHIFT_WORSE},
		{after_ns, before_ns, SHIFT_BETTER},
		{before_ns, before_ns, SHIFT_SAME},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct figure_shift row;

		make_row(&row, rows[i].a, rows[i].b);
		for (size_t q = 0; q < SHIFT_P999; q++)
			CHECK(row.verdicts[q] == rows[i].verdict, "row %zu is %s", i,
				shift_verdict_words[row.verdicts[q]].name);
		figure_shift_finish(&row);
	}
}

static void blocks_without_samples_are_left_out(void)
{
	struct hist a[BLOCKS] = {0}, b[2 * BLOCKS] = {0};
	struct figure_shift row, plain;

	make_row(&plain, before_ns, after_ns);
	make_blocks(a, before_ns);
	make_blocks(b, after_ns);
	for (size_t i = BLOCKS; i-- > 1;) { /* each second block is of another turn */
		b[2 * i] = b[i];
		b[i] = (struct hist){0};
	}
	CHECK(figure_shift_init(&row, a, BLOCKS, b, 2 * BLOCKS, 0) == 0);
	CHECK(row.b.n_blocks == BLOCKS && row.b.block_at[3] == 6);
	CHECK(!memcmp(row.shifts, plain.shifts, sizeof(row.shifts)));
	finish_blocks(a, BLOCKS);
	finish_blocks(b, 2 * BLOCKS);
	figure_shift_finish(&row);
	figure_shift_finish(&plain);
}

static void phases_of_few_blocks_get_no_verdict(void)
{
	struct hist a[BLOCKS] = {0}, b[BLOCKS] = {0};

	make_blocks(a, before_ns);
	make_blocks(b, after_ns);
	for (size_t n = 0; n <= SHIFT_BLOCKS_MIN; n++) {
		struct figure_shift row;

		CHECK(figure_shift_init(&row, a, BLOCKS, b, n, 0) == 0);
		CHECK(row.verdicts[SHIFT_P50] == (n < SHIFT_BLOCKS_MIN ? SHIFT_TOO_FEW : SHIFT_WORSE),
			"%zu blocks: %s", n, shift_verdict_words[row.verdicts[SHIFT_P50]].name);
		figure_shift_finish(&row);
	}
	finish_blocks(a, BLOCKS);
	finish_blocks(b, BLOCKS);
}

static void a_rate_above_a_limit_has_an_interval(void)
{
	static const struct {
		const uint64_t *a, *b;
		double limit_ns, low, high; /* of what the interval must exclude: below low, above high */
	} rows[] = {
		{before_ns, after_ns, 22000, 0, INFINITY}, /* 30 more in B; none in A: the end is open */
		{before_ns, after_ns, 12900, 5, 100},      /* 40 % in B, 1.5 % in A */
		{before_ns, before_ns, 12000, 0.5, 2},
		{before_ns, before_ns, 1e9, 0, INFINITY},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct figure_shift row;

		make_row(&row, rows[i].a, rows[i].b);
		struct block_counts a = shift_phase_above(&row.a, log(rows[i].limit_ns)),
				    b = shift_phase_above(&row.b, log(rows[i].limit_ns));
		struct rate_shift rate = rate_interval(&a, &b);

		CHECK(rate.low >= rows[i].low && rate.high <= rows[i].high && rate.low < rate.high,
			"row %zu: %g to %g", i, rate.low, rate.high);
		CHECK((rate.low > 1) == (rows[i].a != rows[i].b), "row %zu: %g", i, rate.low);
		figure_shift_finish(&row);
	}
}

int main(void)
{
	TEST(quantiles_are_those_of_tables);
	TEST(dependent_blocks_count_as_fewer);
	TEST(a_slower_row_is_worse_by_the_known_interval);
	TEST(the_verdict_turns_with_the_phases);
	TEST(blocks_without_samples_are_left_out);
	TEST(phases_of_few_blocks_get_no_verdict);
	TEST(a_rate_above_a_limit_has_an_interval);
	return tap_done();
}

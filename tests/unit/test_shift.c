/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_shift.c - quantiles, variances, shifts and verdicts with known results. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "src/figures/distributions.h"
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

static void make_row(struct shift_row *row, const uint64_t a_ns[3], const uint64_t b_ns[3])
{
	struct hist a[BLOCKS] = {0}, b[BLOCKS] = {0};

	make_blocks(a, a_ns);
	make_blocks(b, b_ns);
	CHECK(shift_row_init(row, a, BLOCKS, b, BLOCKS, 0) == 0);
	finish_blocks(a, BLOCKS);
	finish_blocks(b, BLOCKS);
}

static void a_slower_row_is_worse_by_the_known_interval(void)
{
	static const struct shift expected[] = {{0.09437, 0.08126, 0.10748}, {0.18164, 0.16150, 0.19928}};
	struct shift_row row;

	make_row(&row, before_ns, after_ns);
	for (size_t i = 0; i < 2; i++) {
		CHECK(is_near(row.shifts[i].estimate, expected[i].estimate, 1e-5));
		CHECK(is_near(row.shifts[i].low, expected[i].low, 1e-5));
		CHECK(is_near(row.shifts[i].high, expected[i].high, 1e-5));
		CHECK(row.verdicts[i] == SHIFT_WORSE);
	}
	CHECK(row.verdicts[SHIFT_P999] == SHIFT_TOO_FEW, "2 of 5 samples beyond p99.9");
	CHECK(row.verdict == SHIFT_WORSE);
	shift_row_finish(&row);
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
		struct shift_row row;

		make_row(&row, rows[i].a, rows[i].b);
		CHECK(row.verdict == rows[i].verdict, "row %zu is %s", i,
			shift_verdict_words[row.verdict].name);
		shift_row_finish(&row);
	}
}

static void blocks_without_samples_are_left_out(void)
{
	struct hist a[BLOCKS] = {0}, b[2 * BLOCKS] = {0};
	struct shift_row row, plain;

	make_row(&plain, before_ns, after_ns);
	make_blocks(a, before_ns);
	make_blocks(b, after_ns);
	for (size_t i = BLOCKS; i-- > 1;) { /* each second block is of another turn */
		b[2 * i] = b[i];
		b[i] = (struct hist){0};
	}
	CHECK(shift_row_init(&row, a, BLOCKS, b, 2 * BLOCKS, 0) == 0);
	CHECK(row.b.n_blocks == BLOCKS && row.b.block_at[3] == 6);
	CHECK(!memcmp(row.shifts, plain.shifts, sizeof(row.shifts)));
	finish_blocks(a, BLOCKS);
	finish_blocks(b, 2 * BLOCKS);
	shift_row_finish(&row);
	shift_row_finish(&plain);
}

static void phases_of_few_blocks_get_no_verdict(void)
{
	struct hist a[BLOCKS] = {0}, b[BLOCKS] = {0};

	make_blocks(a, before_ns);
	make_blocks(b, after_ns);
	for (size_t n = 0; n <= SHIFT_BLOCKS_MIN; n++) {
		struct shift_row row;

		CHECK(shift_row_init(&row, a, BLOCKS, b, n, 0) == 0);
		CHECK(row.verdict == (n < SHIFT_BLOCKS_MIN ? SHIFT_TOO_FEW : SHIFT_WORSE), "%zu blocks: %s",
			n, shift_verdict_words[row.verdict].name);
		shift_row_finish(&row);
	}
	finish_blocks(a, BLOCKS);
	finish_blocks(b, BLOCKS);
}

static void the_length_for_a_verdict_is_told_by_the_interval(void)
{
	static const struct {
		struct shift shift;
		double threshold, longer;
	} rows[] = {
		{{0.1, -0.1, 0.3}, 0.05, 4},         /* for half of the way to the low end */
		{{-0.1, -0.2, 0.2}, 0.05, 9},        /* the same above */
		{{0, -0.1, 0.1}, 0.05, 4},           /* to be within the threshold */
		{{0.02, -0.08, 0.05}, 0.05, 2.0408}, /* 0.1 / 0.07 below; without "same" it were 25 */
		{{0.1, -INFINITY, 0.3}, 0.05, INFINITY},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		double longer = shift_longer(&rows[i].shift, rows[i].threshold);

		CHECK(longer == rows[i].longer || is_near(longer, rows[i].longer, 1e-3), "row %zu: %g", i,
			longer);
	}
}

static void rows_without_a_verdict_say_what_they_lack(void)
{
	struct hist a[BLOCKS] = {0}, b[BLOCKS] = {0};
	struct shift_row rows[3];
	const struct shift_row *pointers[] = {&rows[0], &rows[1], &rows[2]};
	struct shift_summary summary;

	make_blocks(a, before_ns);
	make_blocks(b, before_ns);
	CHECK(shift_row_init(&rows[0], a, BLOCKS, b, 0, 0) == 0);
	CHECK(shift_row_init(&rows[1], a, BLOCKS, b, 2, 0) == 0);
	CHECK(shift_row_init(&rows[2], a, 1, b, BLOCKS, 0) == 0);
	CHECK(isinf(rows[0].longer) && rows[1].longer == 4 && rows[2].longer == 8);
	CHECK(shift_rows_summarize(pointers, 3, 0, NULL, &summary) == 0 && summary.longer == 8, "%g",
		summary.longer);
	for (size_t i = 0; i < 3; i++)
		shift_row_finish(&rows[i]);
	finish_blocks(a, BLOCKS);
	finish_blocks(b, BLOCKS);
}

static void the_headline_counts_rows_that_moved(void)
{
	enum { ROWS = 12 };
	static const struct {
		size_t n_slower, worse;
		bool all;
	} cases[] = {{0, 0, false}, {1, 1, false}, {ROWS, ROWS, true}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct shift_row rows[ROWS];
		const struct shift_row *list[ROWS];
		struct shift_summary summary;
		const atomic_bool stop = true;

		for (size_t row = 0; row < ROWS; row++)
			make_row(&rows[row], before_ns, row < cases[i].n_slower ? after_ns : before_ns);
		for (size_t row = 0; row < ROWS; row++) {
			shift_row_drop_blocks(&rows[row]);
			list[row] = &rows[row];
		}
		CHECK(shift_rows_summarize(list, ROWS, 0, NULL, &summary) == 0);
		CHECK(summary.n_tests == 2 * ROWS && summary.better == 0);
		CHECK(summary.worse == cases[i].worse, "case %zu: %zu", i, summary.worse);
		CHECK(summary.verdicts[SHIFT_WORSE] == cases[i].n_slower);
		CHECK(summary.verdicts[SHIFT_SAME] == ROWS - cases[i].n_slower);
		CHECK(summary.overall[SHIFT_P50].has_shifted == cases[i].all);
		CHECK(is_near(summary.overall[SHIFT_P50].median, cases[i].all ? 0.09437 : 0, 1e-5));
		CHECK(shift_rows_summarize(list, ROWS, 0, &stop, &summary) == -ECANCELED);
		for (size_t row = 0; row < ROWS; row++)
			shift_row_finish(&rows[row]);
	}
}

static void a_row_that_is_worse_at_p999_alone_is_in_the_headline(void)
{
	enum { MANY = 40 };
	struct hist a[MANY] = {0}, b[MANY] = {0};
	struct shift_row row;
	const struct shift_row *rows[] = {&row};
	struct shift_summary summary;

	for (unsigned i = 0; i < MANY; i++) {
		struct hist_cell cells[] = {{hist_bucket(10300), 6000}, {hist_bucket(12300), 3850 + i % 2},
			{hist_bucket(14300), 100}, {hist_bucket(20600), 50 + i % 3}};

		CHECK(hist_add_cells(&a[i], cells, 4) == 0);
		cells[3].count = 30;
		CHECK(hist_add_cells(&b[i], cells, 4) == 0);
		CHECK(hist_add_cells(&b[i], &(struct hist_cell){hist_bucket(41200), 20 + i % 3}, 1) == 0);
	}
	CHECK(shift_row_init(&row, a, MANY, b, MANY, 0) == 0);
	CHECK(row.verdicts[SHIFT_P50] == SHIFT_SAME && row.verdicts[SHIFT_P99] == SHIFT_SAME);
	CHECK(row.verdicts[SHIFT_P999] == SHIFT_WORSE && row.verdict == SHIFT_WORSE);
	CHECK(shift_rows_summarize(rows, 1, 0, NULL, &summary) == 0);
	CHECK(summary.n_tests == 3 && summary.worse == 1, "%zu tests, %zu worse", summary.n_tests,
		summary.worse);
	shift_row_finish(&row);
	finish_blocks(a, MANY);
	finish_blocks(b, MANY);
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
		struct shift_row row;

		make_row(&row, rows[i].a, rows[i].b);
		struct rate_shift rate = shift_rate(&row.a, &row.b, log(rows[i].limit_ns));

		CHECK(rate.low >= rows[i].low && rate.high <= rows[i].high && rate.low < rate.high,
			"row %zu: %g to %g", i, rate.low, rate.high);
		CHECK((rate.low > 1) == (rows[i].a != rows[i].b), "row %zu: %g", i, rate.low);
		shift_row_finish(&row);
	}
}

static void a_maximum_is_higher_only_if_many_ticks_say_so(void)
{
	static const struct {
		size_t n_runs;
		uint64_t ticks_before;
		bool higher;
	} rows[] = {
		{0, 60, false},
		{1, 60, false},
		{5, 60, false},
		{6, 60, true},   /* equal lengths need 6 */
		{1, 3000, true}, /* one tick in 60, after none in 3,000 */
		{1, 1000, false},
	};
	const uint64_t before_max_ns[] = {100, 500, 300};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		uint64_t after_max_ns[60] = {0};

		for (size_t run = 0; run < rows[i].n_runs; run++)
			after_max_ns[5 * run] = after_max_ns[5 * run + 1] = 501;
		after_max_ns[59] = 500;
		struct block_maxima before = {before_max_ns, 3, rows[i].ticks_before},
				    after = {after_max_ns, 60, 60};

		CHECK(shift_max_is_higher(&before, &after) == rows[i].higher, "row %zu", i);
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
	TEST(the_length_for_a_verdict_is_told_by_the_interval);
	TEST(rows_without_a_verdict_say_what_they_lack);
	TEST(the_headline_counts_rows_that_moved);
	TEST(a_row_that_is_worse_at_p999_alone_is_in_the_headline);
	TEST(a_rate_above_a_limit_has_an_interval);
	TEST(a_maximum_is_higher_only_if_many_ticks_say_so);
	return tap_done();
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_rates.c - missed slots, spikes and maxima of two phases. */
#include <math.h>

#include "src/figures/rates.h"
#include "tests/unit/tap.h"

/* Of each letter's block so many are counted: '.' 0, '1' to '9' so many tens, of 500. */
static struct block_counts counts_of(const char *blocks)
{
	struct block_counts counts = {0};

	for (size_t i = 0; blocks[i]; i++)
		block_counts_add(&counts, i, blocks[i] == '.' ? 0 : 10 * (blocks[i] - '0'), 500);
	return counts;
}

static bool is_near(double x, double y)
{
	return fabs(x - y) <= 1e-6 * fmax(fabs(y), 1e-300);
}

/* The ranks are known from all choices: 1 of 12,870 is the outermost of 8 in 16. */
static void shares_are_told_apart_by_their_ranks(void)
{
	static const struct {
		const char *a, *b;
		double higher, lower; /* bounds; below 0: exactly, with the sign turned */
	} rows[] = {
		/* 2 tails, 2 tests, 5 times for few blocks */
		{"........", "12345678", -(2. / 12870 * 2 * 5), 1},
		{"12345678", "........", 1, -(2. / 12870 * 2 * 5)},
		{"........", "123456789", -(2. / 24310 * 2 * 5), 1},
		{".........", "12345678", -(2. / 24310 * 2 * 5), 1},
		{"123456789", "........", 1, -(2. / 24310 * 2 * 5)},
		{"................", "1928374651928374", -(2. / 601080390 * 2 * 2.5), 1},
		{"........", "........", -1, -1},
		{"55555555", "55555555", -1, -1},
		{".......", "9999999", -1, -1}, /* too few blocks */
		{"1.2.1..2", "2..1.2.1", 1, 1},
		{"..........1.........", "45635463547654634576", 1e-6, 1},
		{"................................", "1.1.2.1.1..1.2.11..1.1.1.1.11..1", 1e-4, 1},
		/* neighbours depend on each other, so blocks are merged */
		{"................", "9999............", 1, 1},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct block_counts a = counts_of(rows[i].a), b = counts_of(rows[i].b);
		struct rate_test test = rate_test_shares(&a, &b);

		CHECK(rows[i].higher < 0 ? test.higher <= -rows[i].higher * 1.000001
					 : test.higher <= rows[i].higher,
			"row %zu: %g", i, test.higher);
		CHECK(rows[i].lower < 0 ? test.lower <= -rows[i].lower * 1.000001
					: test.lower <= rows[i].lower,
			"row %zu: %g", i, test.lower);
	}
	struct block_counts none = counts_of("........"), same = counts_of("55555555");

	CHECK(rate_test_shares(&none, &none).higher == 1 && rate_test_shares(&same, &same).lower == 1);
	struct block_counts few = counts_of("......."), many = counts_of("9999999");

	CHECK(rate_test_shares(&few, &many).higher == 1);
	struct block_counts quiet = counts_of("................"), once = counts_of("9999............");

	CHECK(rate_test_shares(&quiet, &once).higher > 0.05, "one cluster is no change: %g",
		rate_test_shares(&quiet, &once).higher);
}

/* A rate's interval and its probability say the same. */
static void the_interval_excludes_what_the_test_rejects(void)
{
	static const char *const blocks[] = {"1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.",
		"21212.2121.2212.2121221.21212121", "22222.2222.2222.2222222.22222222",
		"4.4.4.4.4.4.4.4.4.4.4.4.4.4.4.4."};

	for (size_t i = 0; i < 4; i++)
		for (size_t k = 0; k < 4; k++) {
			struct block_counts a = counts_of(blocks[i]), b = counts_of(blocks[k]);
			struct rate_shift interval = rate_interval(&a, &b);
			struct rate_test test = rate_test_counts(&a, &b);

			CHECK((interval.low > 1) == (test.higher < 0.05), "%zu, %zu: %g, %g", i, k,
				interval.low, test.higher);
			CHECK((interval.high < 1) == (test.lower < 0.05), "%zu, %zu: %g, %g", i, k,
				interval.high, test.lower);
			struct rate_test turned = rate_test_counts(&b, &a);

			CHECK(is_near(turned.lower, test.higher) && is_near(turned.higher, test.lower));
		}
}

static void blocks_of_nothing_do_not_count(void)
{
	struct block_counts a = counts_of("................"), b = counts_of("3434343434343434"),
			    with_gaps = {0};

	for (size_t i = 0; i < b.n_blocks; i++)
		block_counts_add(&with_gaps, 2 * i, b.n[i], b.of[i]);
	struct rate_test plain = rate_test_shares(&a, &b), gaps = rate_test_shares(&a, &with_gaps);

	CHECK(plain.higher == gaps.higher && plain.higher < 0.01, "%g, %g", plain.higher, gaps.higher);
}

static void a_maximum_is_higher_only_if_many_seconds_say_so(void)
{
	static const struct {
		size_t n_runs;
		uint64_t seconds_before;
		bool higher;
	} rows[] = {
		{0, 60, false},
		{1, 60, false},
		{5, 60, false},
		{6, 60, true},   /* equal lengths need 6 */
		{1, 3000, true}, /* one in 60 s, after none in 3,000 s */
		{1, 1000, false},
	};
	const uint64_t before_max_ns[] = {100, 500, 300};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		uint64_t after_max_ns[60] = {0};

		for (size_t run = 0; run < rows[i].n_runs; run++)
			after_max_ns[5 * run] = after_max_ns[5 * run + 1] = 501;
		after_max_ns[59] = 500;
		struct block_maxima before = {before_max_ns, 3, rows[i].seconds_before},
				    after = {after_max_ns, 60, 60};

		CHECK(max_is_higher(&before, &after) == rows[i].higher, "row %zu", i);
	}
}

/* They are one run, and yet no chance. */
static void a_maximum_that_all_blocks_exceed_is_higher(void)
{
	uint64_t before_max_ns[15], after_max_ns[15];

	for (size_t i = 0; i < 15; i++) {
		before_max_ns[i] = 100;
		after_max_ns[i] = 50000;
	}
	CHECK(max_is_higher(
		&(struct block_maxima){before_max_ns, 15, 15}, &(struct block_maxima){after_max_ns, 15, 15}));
	CHECK(!max_is_higher(
		&(struct block_maxima){after_max_ns, 15, 15}, &(struct block_maxima){before_max_ns, 15, 15}));
	CHECK(!max_is_higher(&(struct block_maxima){before_max_ns, 15, 15}, &(struct block_maxima){0}));
}

/* In 300 s, by blocks of 8 s, most of what is above 20 s was to be expected. */
static void blocks_of_a_longer_phase_count_by_their_time(void)
{
	uint64_t long_max_ns[38], short_max_ns[20];

	for (size_t i = 0; i < 38; i++)
		long_max_ns[i] = i % 4 ? 100 : 600;
	for (size_t i = 0; i < 20; i++)
		short_max_ns[i] = 500;
	struct block_maxima before = {short_max_ns, 20, 20000000000}, after = {long_max_ns, 38, 300000000000};

	CHECK(!max_is_higher(&before, &after));
	after.active_ns = 38000000000;
	CHECK(max_is_higher(&before, &after), "in blocks of 1 s it is higher");
	before.active_ns = 0;
	CHECK(!max_is_higher(&before, &after), "the time is not known");
}

int main(void)
{
	TEST(shares_are_told_apart_by_their_ranks);
	TEST(the_interval_excludes_what_the_test_rejects);
	TEST(blocks_of_nothing_do_not_count);
	TEST(a_maximum_is_higher_only_if_many_seconds_say_so);
	TEST(a_maximum_that_all_blocks_exceed_is_higher);
	TEST(blocks_of_a_longer_phase_count_by_their_time);
	return tap_done();
}

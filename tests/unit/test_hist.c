/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Histograms: buckets, percentiles against exact ones, and what a reader gets of a live one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/figures/hist.h"
#include "src/figures/histogram_reader.h"
#include "tests/unit/tap.h"

static uint64_t seed = 1;

static uint64_t random_u64(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

/* From 1 ns to 4 s, each octave as likely as any other. */
static uint64_t random_time(void)
{
	return 1 + random_u64() % ((uint64_t)1 << (1 + random_u64() % 32));
}

static void bucket_edges_are_exact_up_to_128_ns(void)
{
	for (unsigned ns = 0; ns < 128; ns++) {
		CHECK(hist_bucket(ns) == ns, "%u", ns);
		CHECK(hist_lower(ns) == ns && hist_width(ns) == 1 && hist_middle(ns) == ns, "%u", ns);
	}
}

static void every_time_lies_in_its_bucket(void)
{
	for (int i = 0; i < 200000; i++) {
		uint64_t ns = random_time();
		unsigned bucket = hist_bucket(ns);

		CHECK(hist_lower(bucket) <= ns && ns < hist_lower(bucket) + hist_width(bucket), "%llu",
			(unsigned long long)ns);
	}
}

static void buckets_follow_each_other_without_a_gap(void)
{
	for (unsigned b = 0; b + 1 < HIST_BUCKETS; b++)
		CHECK(hist_lower(b) + hist_width(b) == hist_lower(b + 1), "%u", b);
}

static void times_of_a_minute_have_a_bucket_and_longer_ones_the_last(void)
{
	CHECK(hist_bucket(60000000000u) < HIST_BUCKETS - 1);
	CHECK(hist_bucket(UINT64_MAX) == HIST_BUCKETS - 1);
	CHECK(hist_bucket((uint64_t)1 << 36) == HIST_BUCKETS - 1);
}

static void the_middle_is_off_by_less_than_a_hundredth(void)
{
	for (unsigned b = 1; b < HIST_BUCKETS; b++) {
		double error = (double)(hist_width(b) / 2) / (double)hist_lower(b);

		CHECK(error <= 1.0 / 128, "bucket %u: %g", b, error);
	}
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void record_all(struct hist *hist, const uint64_t *times, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		hist_add_cells(hist, &(struct hist_cell){hist_bucket(times[i]), 1}, 1);
		hist_extend(hist, times[i], times[i], i + 1);
		hist->sum_ns += times[i];
	}
}

static void quantiles_are_within_1_percent_of_exact_ones(void)
{
	static const double asked[] = {0.1, 1, 10, 25, 50, 75, 90, 95, 99, 99.9, 99.99, 100};
	enum { N = 100000 };
	uint64_t *times = calloc(N, sizeof(*times));
	struct hist hist = {0};

	for (size_t i = 0; i < N; i++)
		times[i] = random_time();
	record_all(&hist, times, N);
	qsort(times, N, sizeof(*times), compare);
	for (size_t i = 0; i < sizeof(asked) / sizeof(*asked); i++) {
		uint64_t exact = times[(size_t)ceil(asked[i] / 100 * N - 1e-6) - 1];
		uint64_t got = hist_percentile(&hist, asked[i]);

		CHECK(fabs((double)got - (double)exact) <= 0.01 * (double)exact, "p%g: %llu, exact %llu",
			asked[i], (unsigned long long)got, (unsigned long long)exact);
	}
	CHECK(hist.min_ns == times[0] && hist.max_ns == times[N - 1]);
	hist_finish(&hist);
	free(times);
}

/* The last bucket begins at 67.6 s, and these waits are up to 600 s. */
static void percentiles_and_deviation_of_a_stall_of_minutes_are_within_1_percent_too(void)
{
	static const double asked[] = {5, 20, 50, 90, 99, 99.99, 100};
	static struct hist_live live;
	struct histogram_reader reader = {0};
	struct cells cells = {0};
	struct hist hist = {0};

	hist_record_series(&live, 1, UINT64_C(600000000000), 1000000, 600000, 1);
	CHECK(histogram_reader_update(&reader, &live, &cells) == 0);
	CHECK(tick_figure_add(&reader.change, cells.cells, &hist) == 0);
	CHECK(hist.n == 600000);
	for (size_t i = 0; i < sizeof(asked) / sizeof(*asked); i++) {
		double exact = asked[i] / 100 * 600e9, got = (double)hist_percentile(&hist, asked[i]);

		CHECK(fabs(got - exact) <= exact / 100, "p%g is %.0f, not %.0f", asked[i], got, exact);
	}
	CHECK(fabs(hist_stddev(&hist) * sqrt(12) - 600e9) <= 6e9, "%.0f", hist_stddev(&hist));
	histogram_reader_finish(&reader);
	hist_finish(&hist);
	free(cells.cells);
}

static void percentiles_of_long_stalls_alone_are_no_shorter_than_min(void)
{
	const uint64_t ns = UINT64_C(300000000000);
	struct hist hist = {0};

	hist_add_cells(&hist, &(struct hist_cell){hist_bucket(ns), 3}, 1);
	hist_extend(&hist, ns, ns, 1);
	CHECK(hist_percentile(&hist, 1) == ns && hist_percentile(&hist, 50) == ns);
	hist_finish(&hist);
}

static void ranks_are_nearest_ranks(void)
{
	struct hist hist = {0};

	for (unsigned ns = 1; ns <= 100; ns++) {
		hist_add_cells(&hist, &(struct hist_cell){hist_bucket(ns), 1}, 1);
		hist_extend(&hist, ns, ns, 1);
	}
	CHECK(hist_percentile(&hist, 50) == 50);
	CHECK(hist_percentile(&hist, 99) == 99);
	CHECK(hist_percentile(&hist, 99.1) == 100);
	CHECK(hist_percentile(&hist, 100) == 100);
	CHECK(hist_percentile(&hist, 0.5) == 1);
	CHECK(hist_beyond(hist.n, 90) == 10);
	CHECK(hist_beyond(hist.n, 99.9) == 0);
	CHECK(hist_above(&hist, 99) == 1);
	CHECK(hist_above(&hist, 0) == 100);
	hist_finish(&hist);
}

static void what_lies_above_a_time_is_what_is_read_above_it(void)
{
	struct hist hist = {0};
	uint64_t above = 0;

	for (size_t i = 0; i < 1000; i++)
		hist_add_cells(&hist, &(struct hist_cell){hist_bucket(random_time()), 1 + i}, 1);
	for (unsigned b = HIST_BUCKETS; b-- > 0;) {
		CHECK(hist_above(&hist, hist_middle(b)) == above, "bucket %u", b);
		above += hist_count(&hist, b);
		if (b)
			CHECK(hist_above(&hist, hist_middle(b) - 1) == above, "bucket %u", b);
	}
	hist_finish(&hist);
}

static void of_equal_maxima_the_first_one_counts(void)
{
	static const uint64_t ats[][3] = {{1, 2, 3}, {3, 2, 1}, {2, 3, 1}};

	for (size_t i = 0; i < sizeof(ats) / sizeof(*ats); i++) {
		struct hist hist = {0};

		for (size_t k = 0; k < 3; k++)
			hist_extend(&hist, 50 + k, 700, ats[i][k]);
		hist_extend(&hist, 60, 699, 9);
		CHECK(hist.min_ns == 50 && hist.max_ns == 700 && hist.max_at_ns == 1, "case %zu", i);
	}
}

static void an_empty_histogram_says_0(void)
{
	struct hist hist = {0};

	CHECK(hist_percentile(&hist, 99) == 0 && hist_mean(&hist) == 0.0 && hist_stddev(&hist) == 0.0);
	CHECK(hist_beyond(hist.n, 50) == 0 && hist_above(&hist, 0) == 0 && hist_count(&hist, 70) == 0);
	hist_finish(&hist);
}

static void merging_adds_counts_sums_and_extremes(void)
{
	const uint64_t left[] = {100, 5000, 70000}, right[] = {3, 90000000, 5000};
	struct hist a = {0}, b = {0};

	record_all(&a, left, 3);
	record_all(&b, right, 3);
	CHECK(hist_merge(&a, &b) == 0);
	CHECK(a.n == 6 && a.sum_ns == 75100 + 90005003);
	CHECK(a.min_ns == 3 && a.max_ns == 90000000 && a.max_at_ns == 2);
	CHECK(hist_count(&a, hist_bucket(5000)) == 2);
	hist_finish(&a);
	hist_finish(&b);
}

/* A tick may end between a sample's extremes and its count: then either comes alone. */
static void extremes_without_counts_and_counts_without_extremes_merge_too(void)
{
	struct hist sum = {0}, counts = {0}, extremes = {0};

	hist_extend(&extremes, 700, 700, 9);
	hist_add_cells(&counts, &(struct hist_cell){hist_bucket(700), 1}, 1);
	CHECK(hist_merge(&sum, &extremes) == 0 && hist_merge(&sum, &counts) == 0);
	CHECK(sum.n == 1 && sum.min_ns == 700 && sum.max_ns == 700 && sum.max_at_ns == 9);
	hist_finish(&sum);
	hist_finish(&counts);
	hist_finish(&extremes);
}

static void mean_and_deviation_are_those_of_the_samples(void)
{
	const uint64_t times[] = {1000, 2000, 3000, 4000};
	struct hist hist = {0};

	record_all(&hist, times, 4);
	CHECK(hist_mean(&hist) == 2500.0);
	CHECK(fabs(hist_stddev(&hist) - 1118.03) < 12.0, "%g", hist_stddev(&hist));
	hist_finish(&hist);
}

static struct hist_live *new_live(void)
{
	struct hist_live *live = aligned_alloc(64, sizeof(*live));

	memset(live, 0, sizeof(*live));
	return live;
}

static uint64_t count_cells(const struct cells *cells, const struct histogram_reader *seen)
{
	uint64_t n = 0;

	for (size_t i = 0; i < seen->change.n_cells; i++)
		n += cells->cells[seen->change.first_cell + i].count;
	return n;
}

static void a_reader_gets_each_sample_once(void)
{
	struct hist_live *live = new_live();
	struct cells cells = {0};
	struct histogram_reader seen = {0};
	uint64_t n = 0, sum = 0, all = 0;

	for (uint32_t epoch = 1; epoch <= 50; epoch++) {
		for (int i = 0; i < 1000; i++) {
			uint64_t ns = random_time();

			hist_record(live, epoch, ns, epoch * 1000u + (unsigned)i);
			all += ns;
		}
		cells.n = 0;
		CHECK(histogram_reader_update(&seen, live, &cells) == 0);
		n += count_cells(&cells, &seen);
		sum += seen.change.sum_ns;
	}
	CHECK(n == 50000 && sum == all);
	histogram_reader_finish(&seen);
	free(cells.cells);
	free(live);
}

/* Of the laps of a batch. */
static void samples_without_times_have_a_mean_alone(void)
{
	struct hist_live *live = new_live();
	struct cells cells = {0};
	struct histogram_reader seen = {0};
	struct hist hist = {0}, sum = {0};

	hist_record_untimed(live, 3, 3600);
	hist_record_untimed(live, 5, 400);
	CHECK(histogram_reader_update(&seen, live, &cells) == 0);
	CHECK(seen.change.n_cells == 1 && seen.change.sum_ns == 4000 && !seen.change.has_extremes);
	CHECK(tick_figure_add(&seen.change, cells.cells, &hist) == 0 && hist_merge(&sum, &hist) == 0);
	CHECK(sum.n == 0 && hist_samples(&sum) == 8 && hist_mean(&sum) == 500.0 && !hist_is_empty(&sum));
	CHECK(sum.max_at_ns == 0 && hist_percentile(&sum, 50) == 0 && hist_above(&sum, 0) == 0 &&
		hist_stddev(&sum) == 0.0);
	CHECK(histogram_reader_update(&seen, live, &cells) == 0 && seen.change.n_cells == 0);
	cells.n = 0;
	for (int i = 0; i < 3; i++)
		hist_record_untimed(live, UINT32_MAX, UINT32_MAX);
	CHECK(histogram_reader_update(&seen, live, &cells) == 0);
	CHECK(count_cells(&cells, &seen) == UINT64_C(3) * UINT32_MAX);
	hist_reset(&sum);
	CHECK(hist_samples(&sum) == 0 && hist_is_empty(&sum));
	hist_finish(&hist);
	hist_finish(&sum);
	histogram_reader_finish(&seen);
	free(cells.cells);
	free(live);
}

static void counters_may_wrap(void)
{
	struct hist_live *live = new_live();
	struct cells cells = {0};
	struct histogram_reader seen = {0};

	hist_record_series(live, 1, 50, 1, 1, 1);
	live->bucket[50] = UINT32_MAX;
	live->octave[0] = UINT32_MAX;
	CHECK(histogram_reader_update(&seen, live, &cells) == 0);
	for (int i = 0; i < 3; i++)
		hist_record(live, 1, 50, 1);
	cells.n = 0;
	CHECK(histogram_reader_update(&seen, live, &cells) == 0);
	CHECK(count_cells(&cells, &seen) == 3);
	histogram_reader_finish(&seen);
	free(cells.cells);
	free(live);
}

static uint64_t count_of(const struct cells *cells, unsigned bucket)
{
	uint64_t n = 0;

	for (size_t i = 0; i < cells->n; i++)
		if (cells->cells[i].bucket == bucket)
			n += cells->cells[i].count;
	return n;
}

/* The count of @n samples of 50 ns, as a member would have made it. */
static void add_many(struct hist_live *live, uint64_t n)
{
	hist_record_series(live, 1, 50, 1, 1, 1);
	live->bucket[50] += (uint32_t)(n - 1);
	live->octave[0] += (uint32_t)(n - 1);
	live->n += n - 1;
}

/* A front that is stopped for an hour reads a flood's samples all at once. */
static void samples_of_a_bucket_that_has_wrapped_are_all_there(void)
{
	static const uint64_t grown[] = {
		1000, UINT64_C(5000000000), 7, UINT64_C(1) << 32, UINT32_MAX, UINT64_C(20000000003), 0, 12};
	struct hist_live *live = new_live();
	struct cells cells = {0};
	struct histogram_reader seen = {0};

	for (size_t i = 0; i < sizeof(grown) / sizeof(*grown); i++) {
		hist_record(live, 1, 20, 1);
		hist_record(live, 1, 1000, 1);
		if (grown[i])
			add_many(live, grown[i]);
		cells.n = 0;
		CHECK(histogram_reader_update(&seen, live, &cells) == 0);
		CHECK(count_cells(&cells, &seen) == grown[i] + 2 && count_of(&cells, 50) == grown[i],
			"%zu: %llu of %llu", i, (unsigned long long)count_of(&cells, 50),
			(unsigned long long)grown[i]);
	}
	/* No count differs from before but that of all. */
	add_many(live, UINT64_C(1) << 32);
	cells.n = 0;
	CHECK(histogram_reader_update(&seen, live, &cells) == 0);
	CHECK(cells.n == 1 && count_of(&cells, 50) == UINT64_C(1) << 32);
	cells.n = 0;
	CHECK(histogram_reader_update(&seen, live, &cells) == 0 && cells.n == 0);
	histogram_reader_finish(&seen);
	free(cells.cells);
	free(live);
}

static void a_series_of_more_than_32_bits_is_counted_whole(void)
{
	const uint64_t n = (UINT64_C(1) << 33) + 7;
	struct hist_live *live = new_live();
	struct cells cells = {0};
	struct histogram_reader seen = {0};

	hist_record_series(live, 1, UINT64_C(1) << 40, 1, n, 1);
	CHECK(histogram_reader_update(&seen, live, &cells) == 0);
	CHECK(cells.n == 1 && count_of(&cells, HIST_BUCKETS - 1) == n);
	histogram_reader_finish(&seen);
	free(cells.cells);
	free(live);
}

static void extremes_are_those_of_the_epoch(void)
{
	struct hist_live *live = new_live();
	struct cells cells = {0};
	struct histogram_reader seen = {0};

	hist_record(live, 1, 500, 11);
	hist_record(live, 1, 9000, 12);
	histogram_reader_update(&seen, live, &cells);
	CHECK(seen.change.min_ns == 500 && seen.change.max_ns == 9000 && seen.change.max_at_ns == 12);
	hist_record(live, 2, 700, 13);
	histogram_reader_update(&seen, live, &cells);
	CHECK(seen.change.has_extremes && seen.change.min_ns == 700 && seen.change.max_ns == 700);
	histogram_reader_update(&seen, live, &cells);
	CHECK(!seen.change.has_extremes);
	histogram_reader_finish(&seen);
	free(cells.cells);
	free(live);
}

/* A member that was preempted between taking its epoch and writing. */
static void a_maximum_that_comes_late_is_not_lost(void)
{
	struct hist_live *live = new_live();
	struct cells cells = {0};
	struct histogram_reader seen = {0};

	hist_record(live, 1, 500, 11);
	histogram_reader_update(&seen, live, &cells);
	hist_record(live, 1, 80000, 14);
	histogram_reader_update(&seen, live, &cells);
	CHECK(seen.change.has_extremes && seen.change.max_ns == 80000 && seen.change.max_at_ns == 14);
	histogram_reader_finish(&seen);
	free(cells.cells);
	free(live);
}

static void a_series_counts_as_its_samples_would(void)
{
	static const struct {
		uint64_t from, step, count;
	} rows[] = {{1500000000, 1000000, 1500}, {100, 1, 101}, {999, 1000, 1}, {70, 3, 20},
		{5000000, 7, 700000}};

	for (size_t r = 0; r < sizeof(rows) / sizeof(*rows); r++) {
		struct hist_live *series = new_live(), *single = new_live();

		hist_record_series(series, 1, rows[r].from, rows[r].step, rows[r].count, 5);
		for (uint64_t i = 0; i < rows[r].count; i++)
			hist_record(single, 1, rows[r].from - i * rows[r].step, 5);
		CHECK(!memcmp(series->bucket, single->bucket, sizeof(series->bucket)), "row %zu", r);
		CHECK(!memcmp(series->octave, single->octave, sizeof(series->octave)), "row %zu", r);
		CHECK(series->sum_ns == single->sum_ns && series->last_ns == single->last_ns, "row %zu", r);
		CHECK(series->extremes[1].min_ns == single->extremes[1].min_ns &&
				series->extremes[1].max_ns == rows[r].from,
			"row %zu", r);
		free(series);
		free(single);
	}
}

/* Stops of a ring whose slots are 100 us apart. @is_known: whether the waits of all slots have a sum. */
static void the_mean_of_too_long_stops_is_not_known(void)
{
	static const struct {
		uint64_t seconds[2];
		bool is_known;
	} cases[] = {
		{{600, 0}, true},
		{{1200, 600}, true},
		{{1350, 0}, true},
		{{1350, 600}, false},
		{{1350, 1350}, false},
		{{1400, 0}, false},
		{{1921, 0}, false}, /* its sum is 2^64 ns and a little more */
		{{1921, 1}, false},
		{{1, 86400}, false},
		{{7200, 7200}, false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct hist_live *live = new_live();
		struct histogram_reader reader = {0};
		struct cells cells = {0};
		struct hist all = {0}, tick = {0};
		double sum = 0;

		for (size_t stop = 0; stop < 2; stop++) {
			uint64_t n = cases[i].seconds[stop] * 10000;

			hist_record_series(live, 1, n * 100000, 100000, n, 1);
			sum += (double)n * ((double)n + 1) / 2 * 100000;
			cells.n = 0;
			CHECK(histogram_reader_update(&reader, live, &cells) == 0);
			hist_reset(&tick);
			CHECK(tick_figure_add(&reader.change, cells.cells, &tick) == 0);
			CHECK(hist_merge(&all, &tick) == 0);
		}
		CHECK(hist_has_mean(&all) == cases[i].is_known, "case %zu", i);
		if (cases[i].is_known)
			CHECK(fabs(hist_mean(&all) * (double)all.n / sum - 1) < 1e-12, "case %zu", i);
		else
			CHECK(hist_stddev(&all) == 0 && hist_percentile(&all, 50) > 0, "case %zu", i);
		/* Later ticks have a mean again. */
		cells.n = 0;
		hist_record(live, 1, 1000, 2);
		CHECK(histogram_reader_update(&reader, live, &cells) == 0 && reader.change.sum_ns == 1000);
		histogram_reader_finish(&reader);
		hist_finish(&all);
		hist_finish(&tick);
		free(cells.cells);
		free(live);
	}
}

int main(void)
{
	TEST(bucket_edges_are_exact_up_to_128_ns);
	TEST(every_time_lies_in_its_bucket);
	TEST(buckets_follow_each_other_without_a_gap);
	TEST(times_of_a_minute_have_a_bucket_and_longer_ones_the_last);
	TEST(the_middle_is_off_by_less_than_a_hundredth);
	TEST(quantiles_are_within_1_percent_of_exact_ones);
	TEST(percentiles_and_deviation_of_a_stall_of_minutes_are_within_1_percent_too);
	TEST(percentiles_of_long_stalls_alone_are_no_shorter_than_min);
	TEST(ranks_are_nearest_ranks);
	TEST(what_lies_above_a_time_is_what_is_read_above_it);
	TEST(of_equal_maxima_the_first_one_counts);
	TEST(an_empty_histogram_says_0);
	TEST(merging_adds_counts_sums_and_extremes);
	TEST(extremes_without_counts_and_counts_without_extremes_merge_too);
	TEST(mean_and_deviation_are_those_of_the_samples);
	TEST(a_reader_gets_each_sample_once);
	TEST(samples_without_times_have_a_mean_alone);
	TEST(counters_may_wrap);
	TEST(samples_of_a_bucket_that_has_wrapped_are_all_there);
	TEST(a_series_of_more_than_32_bits_is_counted_whole);
	TEST(extremes_are_those_of_the_epoch);
	TEST(a_maximum_that_comes_late_is_not_lost);
	TEST(a_series_counts_as_its_samples_would);
	TEST(the_mean_of_too_long_stops_is_not_known);
	return tap_done();
}

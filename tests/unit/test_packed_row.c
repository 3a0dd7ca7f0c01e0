/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_packed_row.c - what is packed comes out again, whatever it is, and no bytes do harm. */
#include "src/model/packed_row.h"

#include <errno.h>
#include <string.h>

#include "src/model/block.h"
#include "tests/unit/session_fixture.h"
#include "tests/unit/tap.h"

static bool same_hist(const struct hist *a, const struct hist *b)
{
	if (a->n != b->n || a->n_untimed != b->n_untimed || a->sum_ns != b->sum_ns ||
		a->max_at_ns != b->max_at_ns)
		return false;
	if (a->max_at_ns && (a->min_ns != b->min_ns || a->max_ns != b->max_ns))
		return false;
	for (unsigned i = 0; i < HIST_BUCKETS; i++)
		if (hist_count(a, i) != hist_count(b, i))
			return false;
	return true;
}

static void check_same(const struct row_sums *a, const struct row_sums *b, const char *what)
{
	for (int f = 0; f < N_FIGURES; f++)
		CHECK(same_hist(&a->hists[f], &b->hists[f]) && a->hists[f].last_ns == b->hists[f].last_ns,
			"%s, %s", what, figure_name((enum figure)f));
	CHECK(memcmp(&a->counts, &b->counts, sizeof(a->counts)) == 0, "%s", what);
}

static void fill_figure(struct row_sums *sums, enum figure figure, uint64_t from_ns, unsigned step_percent,
	unsigned samples, uint64_t count)
{
	struct hist *hist = &sums->hists[figure];
	uint64_t ns = from_ns;

	for (unsigned i = 0; i < samples; i++, ns += 1 + ns * step_percent / 100) {
		hist_add_cells(hist, &(struct hist_cell){hist_bucket(ns), count}, 1);
		hist->sum_ns += ns * count;
		hist_extend(hist, ns, ns, 1000 + i);
		hist->last_ns = ns;
	}
}

static struct scan row_of(const struct bytes *bytes)
{
	return bytes->n ? (struct scan){.at = bytes->data, .end = bytes->data + bytes->n} : (struct scan){0};
}

static const struct {
	const char *what;
	uint64_t from_ns;
	unsigned step_percent, samples;
	uint64_t count;
	size_t most; /* bytes */
} cases[] = {
	{"nothing", 0, 0, 0, 0, 0},
	{"a single zero", 0, 0, 1, 1, 40},
	{"each bucket of the first octave", 0, 0, 64, 3, 110},
	{"a dense middle", 1400, 0, 3000, 1, 300},
	{"far between", 10, 50, 50, 1, 300},
	{"large counts", 1400, 5, 100, UINT64_C(1) << 60, 1400},
	{"the last bucket", UINT64_C(1) << 40, 0, 1, 1, 60},
	{"all buckets", 0, 1, 2500, 100, 5000},
};

enum { N_CASES = sizeof(cases) / sizeof(*cases) };

static void fill_case(struct row_sums *sums, size_t i)
{
	fill_figure(
		sums, FIGURE_LAP, cases[i].from_ns, cases[i].step_percent, cases[i].samples, cases[i].count);
	sums->counts = (struct tick_counts){.active_ns = cases[i].samples * UINT64_C(500000000),
		.laps = cases[i].samples,
		.missed = cases[i].samples / 2,
		.away = cases[i].samples / 3};
}

static void what_is_packed_comes_out_again(void)
{
	for (size_t i = 0; i < N_CASES; i++) {
		struct row_sums in = {0}, out = {0};
		struct tick_counts counts = {0};
		struct hist lap = {0}, response = {0};
		struct bytes bytes = {0};

		fill_case(&in, i);
		packed_row_encode(&bytes, &in);
		CHECK(bytes.n <= cases[i].most && (bytes.n == 0) == (cases[i].samples == 0), "%s: %zu bytes",
			cases[i].what, bytes.n);
		CHECK(row_sums_add(&out, row_of(&bytes)) == 0);
		check_same(&in, &out, cases[i].what);
		packed_row_add_counts(row_of(&bytes), &counts);
		CHECK(packed_row_add_figure(row_of(&bytes), FIGURE_LAP, &lap) == 0 &&
			packed_row_add_figure(row_of(&bytes), FIGURE_RESPONSE, &response) == 0);
		CHECK(memcmp(&counts, &in.counts, sizeof(counts)) == 0 && response.n == 0);
		CHECK(same_hist(&lap, &in.hists[FIGURE_LAP]), "%s", cases[i].what);
		hist_finish(&lap);
		bytes_finish(&bytes);
		row_sums_finish(&in);
		row_sums_finish(&out);
	}
}

/* Its writer adds to the sum before it counts the sample, so that the sum may come a tick earlier. */
static void a_sum_without_a_sample_is_kept(void)
{
	struct row_sums in = {.hists[FIGURE_ANSWER].sum_ns = 1234}, out = {0};
	struct bytes bytes = {0};

	packed_row_encode(&bytes, &in);
	CHECK(row_sums_add(&out, row_of(&bytes)) == 0);
	check_same(&in, &out, "a sum alone");
	bytes_finish(&bytes);
	row_sums_finish(&out);
}

static void a_sum_that_is_not_known_stays_so(void)
{
	struct row_sums in = {0}, out = {0};
	struct bytes bytes = {0};

	fill_figure(&in, FIGURE_RESPONSE, 1000, 0, 3, 1);
	in.hists[FIGURE_RESPONSE].sum_ns = HIST_SUM_UNKNOWN_NS;
	packed_row_encode(&bytes, &in);
	for (unsigned rows = 1; rows <= 3; rows++) {
		CHECK(row_sums_add(&out, row_of(&bytes)) == 0);
		CHECK(out.hists[FIGURE_RESPONSE].n == 3 * rows &&
			!hist_has_mean(&out.hists[FIGURE_RESPONSE]));
	}
	bytes_finish(&bytes);
	row_sums_finish(&in);
	row_sums_finish(&out);
}

static void samples_without_times_are_packed(void)
{
	for (unsigned samples = 0; samples < 3; samples++) {
		struct row_sums in = {0}, out = {0};
		struct bytes bytes = {0};
		const struct hist_cell untimed = {HIST_UNTIMED, UINT64_C(1) << 40};

		fill_figure(&in, FIGURE_LAP, hist_lower(HIST_BUCKETS - 1), 0, samples, 3);
		CHECK(hist_add_cells(&in.hists[FIGURE_LAP], &untimed, 1) == 0);
		in.hists[FIGURE_LAP].sum_ns += 12345;
		packed_row_encode(&bytes, &in);
		CHECK(row_sums_add(&out, row_of(&bytes)) == 0 &&
			hist_samples(&out.hists[FIGURE_LAP]) == (UINT64_C(1) << 40) + 3 * samples);
		check_same(&in, &out, "untimed");
		bytes_finish(&bytes);
		row_sums_finish(&in);
		row_sums_finish(&out);
	}
}

/* As of a tick whose cells are in no order, and stand there twice. */
static void cells_in_any_order_are_packed(void)
{
	struct fixture *f = fixture_create(1, 1000000);
	struct row_sums in = {0}, out = {0};
	struct bytes bytes = {0};

	fixture_sample(f, 0, FIGURE_FIRST, 9000, 3);
	fixture_sample(f, 0, FIGURE_FIRST, 10, 4);
	fixture_sample(f, 0, FIGURE_FIRST, 9000, 5);
	CHECK(row_sums_add_tick(&in, &f->rings[0], f->cells) == 0);
	packed_row_encode(&bytes, &in);
	CHECK(row_sums_add(&out, row_of(&bytes)) == 0);
	CHECK(out.hists[FIGURE_FIRST].n == 12 &&
		hist_count(&out.hists[FIGURE_FIRST], hist_bucket(9000)) == 8);
	CHECK(out.hists[FIGURE_FIRST].min_ns == 10 && out.hists[FIGURE_FIRST].max_ns == 9000);
	bytes_finish(&bytes);
	row_sums_finish(&in);
	row_sums_finish(&out);
	fixture_destroy(f);
}

static void merged_blocks_are_the_sum_of_all(void)
{
	struct block blocks[3] = {{0}}, first = {0}, sum = {0};
	struct row_sums wanted[2] = {0}, sums = {0};

	for (uint64_t b = 0; b < 3; b++) {
		CHECK(block_init(&blocks[b], 2, 100 * b, 100 * b + 100) == 0);
		for (size_t row = 0; row < 2; row++) {
			row_sums_reset(&sums);
			if (row || b)
				fill_figure(&sums, FIGURE_LAP, 1000 + 700 * b, 3, 70, b + 1);
			fill_figure(&wanted[row], FIGURE_LAP, 1000 + 700 * b, 3, row || b ? 70 : 0, b + 1);
			sums.counts.laps = b;
			wanted[row].counts.laps += b;
			CHECK(block_add_row(&blocks[b], row, &sums) == 0);
		}
	}
	CHECK(block_list_sum(&(struct block_list){.rest = blocks, .n_rest = 1}, &first, &sums) == 0 &&
		first.n_ticks == 1);
	CHECK(block_list_sum(&(struct block_list){.first = first, .rest = blocks + 1, .n_rest = 2}, &sum,
		      &sums) == 0);
	CHECK(sum.n_ticks == 3 && sum.start_ns == 0 && sum.end_ns == 300 && sum.n_rows == 2);
	for (size_t row = 0; row < 2; row++) {
		row_sums_reset(&sums);
		CHECK(row_sums_add(&sums, block_row(&sum, row)) == 0);
		check_same(&wanted[row], &sums, row ? "second row" : "first row");
		row_sums_finish(&wanted[row]);
	}
	CHECK(block_row(&sum, 2).at == block_row(&sum, 2).end);
	for (size_t b = 0; b < 3; b++)
		block_finish(&blocks[b]);
	block_finish(&first);
	block_finish(&sum);
	row_sums_finish(&sums);
}

/* Sums the first @n_before blocks, and then their sum and the others, as a seek and a phase do. */
static uint64_t sum_min(const struct block *blocks, size_t n, size_t n_before, enum figure figure)
{
	struct block first = {0};
	struct row_sums sums = {0};
	struct hist hist = {0};

	if (n_before)
		CHECK(block_list_sum(
			      &(struct block_list){.rest = blocks, .n_rest = n_before}, &first, &sums) == 0);
	const struct block_list list = {.first = first, .rest = blocks + n_before, .n_rest = n - n_before};

	CHECK(block_list_add_figure(&list, 0, figure, &hist) == 0);
	CHECK(block_list_sum_row(&list, 0, &sums) == 0);
	CHECK(sums.hists[figure].min_ns == hist.min_ns && hist.max_ns >= hist.min_ns);
	uint64_t min_ns = hist.min_ns;

	hist_finish(&hist);
	row_sums_finish(&sums);
	block_finish(&first);
	return min_ns;
}

/* Four ticks of the response, or of the lateness, have laps that were served and waits of missed slots. Where
 * a lap was served, no wait is the Min of their sum. */
static void check_min_of_sums(enum figure figure)
{
	static const struct {
		uint64_t served_ns[4], waits_ns[4], min_ns; /* 0: none */
	} runs[] = {
		{{0, 5000, 0, 9000}, {3876, 4500, 4000, 0}, 5000},
		{{0, 0, 0, 7000}, {3876, 30000, 4000, 0}, 7000},
		{{6000, 0, 0, 0}, {0, 4000, 0, 3876}, 6000},
		{{0, 0, 0, 0}, {5000, 4000, 0, 30000}, 4000},
		{{6000, 5000, 0, 9000}, {0, 0, 0, 0}, 5000},
	};

	for (size_t i = 0; i < sizeof(runs) / sizeof(*runs); i++) {
		struct block blocks[4] = {{0}};

		for (size_t t = 0; t < 4; t++) {
			struct fixture *f = fixture_create(1, 1000000);
			struct row_sums sums = {0};
			uint64_t served_ns = runs[i].served_ns[t], wait_ns = runs[i].waits_ns[t],
				 least_ns = 3876;
			struct tick_figure served = {.min_ns = served_ns, .has_extremes = served_ns};

			if (wait_ns)
				fixture_sample(f, 0, figure, wait_ns, 1);
			if (served_ns)
				fixture_sample(f, 0, figure, served_ns, 1);
			if (served_ns && figure == FIGURE_RESPONSE)
				fixture_sample(f, 0, FIGURE_SERVED, served_ns, 1);
			tick_figure_bound_waits(&f->rings[0].figures[figure], f->cells, &served, &least_ns);
			CHECK(row_sums_add_tick(&sums, &f->rings[0], f->cells) == 0);
			CHECK(block_init(&blocks[t], 1, 100 * t, 100 * t + 100) == 0 &&
				block_add_row(&blocks[t], 0, &sums) == 0);
			row_sums_finish(&sums);
			fixture_destroy(f);
		}
		for (size_t n_before = 0; n_before < 4; n_before++) {
			uint64_t min_ns = sum_min(blocks, 4, n_before, figure);

			CHECK(min_ns == runs[i].min_ns, "%s of run %zu, %zu summed before: %llu",
				figure_name(figure), i, n_before, (unsigned long long)min_ns);
		}
		for (size_t t = 0; t < 4; t++)
			block_finish(&blocks[t]);
	}
}

static void no_wait_is_the_shortest_sample_however_ticks_are_summed(void)
{
	check_min_of_sums(FIGURE_RESPONSE);
	check_min_of_sums(FIGURE_LATENESS);
}

/* Cut anywhere, or with any byte changed. What remains may be a row, or is refused. */
static void any_bytes_are_read_or_refused(void)
{
	unsigned seed = 1;

	for (size_t i = 1; i < N_CASES; i++) {
		struct row_sums in = {0}, out = {0};
		struct bytes bytes = {0};
		unsigned refused = 0;

		fill_case(&in, i);
		packed_row_encode(&bytes, &in);
		for (size_t n = 1; n < bytes.n; n++) {
			uint8_t *cut = malloc(n);

			memcpy(cut, bytes.data, n);
			refused += row_sums_add(&out, (struct scan){.at = cut, .end = cut + n}) == -EINVAL;
			seed = seed * 1103515245 + 12345;
			cut[n / 2] = (uint8_t)(seed >> 16);
			refused += row_sums_add(&out, (struct scan){.at = cut, .end = cut + n}) == -EINVAL;
			free(cut);
			row_sums_reset(&out);
		}
		CHECK(refused > 0, "%s", cases[i].what);
		bytes_finish(&bytes);
		row_sums_finish(&in);
		row_sums_finish(&out);
	}
}

/* At the end of the bytes a number is read one by one, before others as a word. */
static void numbers_of_each_length_are_read_with_and_without_others_behind(void)
{
	for (unsigned bits = 0; bits <= 64; bits++) {
		uint64_t largest = bits ? UINT64_MAX >> (64 - bits) : 0;
		uint64_t numbers[] = {
			largest, largest & UINT64_C(0xa5c396f00f69c35a), largest - (largest >> 1)};

		for (size_t i = 0; i < 3; i++)
			for (unsigned behind = 0; behind < 10; behind++) {
				struct bytes bytes = {0};

				bytes_uint(&bytes, numbers[i]);
				size_t length = bytes.n;

				for (unsigned k = 0; k < behind; k++)
					bytes_uint(&bytes, k % 2 ? 0x7f : UINT64_MAX);
				struct scan scan = row_of(&bytes);
				uint64_t number = scan_uint(&scan);

				CHECK(number == numbers[i] && scan.at == bytes.data + length && !scan.bad,
					"%u bits, %u behind", bits, behind);
				bytes_finish(&bytes);
			}
	}
}

int main(void)
{
	TEST(numbers_of_each_length_are_read_with_and_without_others_behind);
	TEST(what_is_packed_comes_out_again);
	TEST(a_sum_without_a_sample_is_kept);
	TEST(a_sum_that_is_not_known_stays_so);
	TEST(samples_without_times_are_packed);
	TEST(cells_in_any_order_are_packed);
	TEST(merged_blocks_are_the_sum_of_all);
	TEST(no_wait_is_the_shortest_sample_however_ticks_are_summed);
	TEST(any_bytes_are_read_or_refused);
	return tap_done();
}

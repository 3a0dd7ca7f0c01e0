/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_verdict.c - the verdicts on rows, and on all rows together. */
#include "src/figures/verdict_summary.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/tap.h"

enum { BLOCKS = 20, SLOTS = 500 };

/* A phase of a row: the times of most samples, of 2 % of them, and stalls. */
struct made {
	uint64_t shown_ns, response_ns, tail_ns; /* tail: 2 % of the responses */
	unsigned missed;                         /* of the slots of each second block */
	unsigned spikes;                         /* of 5 ms, in each second block */
};

static void add(struct hist *hist, uint64_t ns, uint64_t count)
{
	CHECK(!count || hist_add_cells(hist, &(struct hist_cell){hist_bucket(ns), count}, 1) == 0);
	if (count)
		hist_extend(hist, ns, ns, 1);
}

static void make_blocks(struct judged_block blocks[BLOCKS], const struct made *made)
{
	for (unsigned i = 0; i < BLOCKS; i++) {
		unsigned missed = i % 2 ? made->missed : 0, spikes = i % 2 ? made->spikes : 0,
			 tail = 10 + i % 3;
		struct hist *hists = blocks[i].hists;

		blocks[i].active_ns = 500000000;
		blocks[i].slots = SLOTS;
		blocks[i].missed = missed;
		add(&hists[JUDGED_SHOWN], made->shown_ns, SLOTS - missed - 10);
		add(&hists[JUDGED_SHOWN], made->shown_ns * 2, 10 + i % 2);
		for (size_t f = JUDGED_RESPONSE; f <= JUDGED_SERVED; f++) {
			add(&hists[f], made->response_ns, SLOTS - missed - tail - spikes);
			add(&hists[f], made->tail_ns, tail);
			add(&hists[f], 5000000, spikes);
		}
		add(&hists[JUDGED_RESPONSE], 2000000, missed);
	}
}

static void finish_blocks(struct judged_block blocks[BLOCKS])
{
	for (size_t i = 0; i < BLOCKS; i++)
		for (size_t f = 0; f < N_JUDGED_BLOCK_FIGURES; f++)
			hist_finish(&blocks[i].hists[f]);
}

static void judge(struct row_verdict *verdict, const struct made *a, const struct made *b,
	struct verdict_counts *counts)
{
	struct judged_block in_a[BLOCKS] = {0}, in_b[BLOCKS] = {0};

	make_blocks(in_a, a);
	make_blocks(in_b, b);
	CHECK(row_verdict_init(verdict, &(struct judged_row){in_a, in_b, BLOCKS, BLOCKS}, counts) == 0);
	row_verdict_drop_blocks(verdict);
	finish_blocks(in_a);
	finish_blocks(in_b);
}

static const struct made quiet = {.shown_ns = 5000, .response_ns = 60000, .tail_ns = 90000};

static void a_row_is_judged_by_four_families(void)
{
	static const struct {
		const char *what;
		struct made a, b;
		enum shift_verdict verdict;
		enum mark_id first;
	} rows[] = {
		{"nothing changed", {5000, 60000, 90000, 3, 1}, {5000, 60000, 90000, 3, 1}, SHIFT_SAME},
		{"slots are missed", {5000, 60000, 90000}, {5000, 60000, 90000, 40}, SHIFT_WORSE,
			MARK_MISSED},
		{"none are any more", {5000, 60000, 90000, 40}, {5000, 60000, 90000}, SHIFT_BETTER,
			MARK_MISSED},
		{"fewer than one in a thousand", {5000, 60000, 90000}, {5000, 60000, 90000, 0, 0},
			SHIFT_SAME},
		{"the timer is later", {5000, 60000, 90000}, {5000, 90000, 140000}, SHIFT_WORSE,
			MARK_RESPONSE},
		{"hops are slower", {5000, 60000, 90000}, {7000, 60000, 90000}, SHIFT_WORSE, MARK_SHOWN},
		{"it spikes", {5000, 60000, 90000}, {5000, 60000, 90000, 0, 2}, SHIFT_WORSE, MARK_SPIKES},
		{"hops that are quicker don't hide missed slots", {5000, 60000, 90000},
			{3000, 60000, 90000, 40}, SHIFT_MIXED, MARK_MISSED},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct verdict_counts counts = {0};
		struct row_verdict row;
		enum mark_id sorted[N_MARKS];

		judge(&row, &rows[i].a, &rows[i].b, &counts);
		CHECK(row.verdict == rows[i].verdict, "%s: %s", rows[i].what,
			shift_verdict_words[row.verdict].name);
		if (row.verdict >= SHIFT_BETTER) {
			enum shift_verdict of = row.verdict == SHIFT_BETTER ? SHIFT_BETTER : SHIFT_WORSE;
			size_t n = marks_sorted(row.marks, of, sorted), at = 0;

			for (; at < n &&
				sorted[at] / N_SHIFT_PERCENTILES != rows[i].first / N_SHIFT_PERCENTILES;
				at++)
				;
			CHECK(at < n, "%s: of %zu marks none is the expected one", rows[i].what, n);
		}
		row_verdict_finish(&row);
	}
}

static void a_percentile_without_a_verdict_keeps_a_row_from_being_the_same(void)
{
	/* So few samples that p99 has fewer than five beyond. */
	struct judged_block blocks[BLOCKS] = {0};
	struct verdict_counts counts = {0};
	struct row_verdict row;

	for (size_t i = 0; i < BLOCKS; i++) {
		blocks[i].active_ns = 500000000;
		blocks[i].slots = 20;
		for (size_t f = 0; f < N_JUDGED_BLOCK_FIGURES; f++)
			add(&blocks[i].hists[f], 5000, 20);
	}
	CHECK(row_verdict_init(&row, &(struct judged_row){blocks, blocks, BLOCKS, BLOCKS}, &counts) == 0);
	CHECK(row.marks[MARK_SHOWN + SHIFT_P50].verdict == SHIFT_SAME);
	CHECK(row.marks[MARK_SHOWN + SHIFT_P99].verdict == SHIFT_TOO_FEW);
	CHECK(row.verdict == SHIFT_UNDECIDED, "%s", shift_verdict_words[row.verdict].name);
	row_verdict_finish(&row);
	finish_blocks(blocks);
}

/* None of 3,000 says that less than 0.1 % are missed, which is the least change that gets a verdict. */
static void few_slots_do_not_say_that_as_many_are_missed(void)
{
	static const struct {
		unsigned slots_a, slots_b,
			missed; /* of each block; missed: in every other block of both phases */
		enum shift_verdict verdict;
	} rows[] = {
		{2, 2, 0, SHIFT_TOO_FEW},
		{150, 150, 0, SHIFT_SAME},
		{150, 149, 0, SHIFT_TOO_FEW},
		{149, 500, 0, SHIFT_TOO_FEW},
		{150, 150, 1, SHIFT_UNDECIDED},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct judged_block a[BLOCKS] = {0}, b[BLOCKS] = {0};
		struct verdict_counts counts = {0};
		struct row_verdict row;

		for (size_t k = 0; k < BLOCKS; k++) {
			a[k].slots = rows[i].slots_a;
			b[k].slots = rows[i].slots_b;
			a[k].missed = b[k].missed = k % 2 ? rows[i].missed : 0;
		}
		CHECK(row_verdict_init(&row, &(struct judged_row){a, b, BLOCKS, BLOCKS}, &counts) == 0);
		CHECK(row.marks[MARK_MISSED].verdict == rows[i].verdict, "row %zu: %s", i,
			shift_verdict_words[row.marks[MARK_MISSED].verdict].name);
		row_verdict_finish(&row);
	}
}

static void a_flood_is_judged_without_slots(void)
{
	struct judged_block a[BLOCKS] = {0}, b[BLOCKS] = {0};
	struct verdict_counts counts = {0};
	struct row_verdict row;

	for (size_t i = 0; i < BLOCKS; i++) {
		a[i].active_ns = b[i].active_ns = 500000000;
		for (size_t f = 0; f < N_JUDGED_BLOCK_FIGURES; f++) {
			add(&a[i].hists[f], 5000, 20000);
			add(&b[i].hists[f], 5000, 20000);
			add(&b[i].hists[f], 3000000, i % 2 ? 4 : 3);
		}
	}
	CHECK(row_verdict_init(&row, &(struct judged_row){a, b, BLOCKS, BLOCKS, .shows_response = true},
		      &counts) == 0);
	CHECK(row.marks[MARK_MISSED].verdict == SHIFT_TOO_FEW);
	CHECK(row.marks[MARK_SPIKES].verdict == SHIFT_WORSE && row.spikes.a == 0 && row.spikes.b > 30, "%g",
		row.spikes.b);
	CHECK(row.verdict == SHIFT_WORSE);
	row_verdict_finish(&row);
	finish_blocks(a);
	finish_blocks(b);
}

/* A quota leaves few laps. So there are fewer spikes a second, but they are more of the laps. */
static void a_flood_with_fewer_spikes_of_far_fewer_laps_is_worse(void)
{
	for (unsigned back = 0; back < 2; back++) {
		struct judged_block blocks[2][BLOCKS] = {0};
		struct verdict_counts counts = {0};
		struct verdict_summary summary;
		struct row_verdict row, paced, *list[] = {&row, &paced};
		enum shift_verdict expected = back ? SHIFT_BETTER : SHIFT_WORSE;

		for (size_t i = 0; i < BLOCKS; i++)
			for (unsigned is_b = 0; is_b < 2; is_b++) {
				blocks[is_b][i].active_ns = 500000000;
				for (size_t f = 0; f < N_JUDGED_BLOCK_FIGURES; f++) {
					struct hist *hist = &blocks[is_b][i].hists[f];

					add(hist, 5000, is_b ? 900 + i % 3 : 20000 + 10 * (i % 3));
					add(hist, is_b ? 90000000 : 1500000, is_b ? 5 : 20 + i % 3);
				}
			}
		const struct judged_row judged = {
			blocks[back], blocks[!back], BLOCKS, BLOCKS, .shows_response = true};

		CHECK(row_verdict_init(&row, &judged, &counts) == 0);
		CHECK(row.verdict == expected, "%s", shift_verdict_words[row.verdict].name);
		CHECK(verdicts_summarize(list, 1, &counts, 0, NULL, &summary) == 0 &&
				summary.verdict == expected,
			"%s", shift_verdict_words[summary.verdict].name);
		judge(&paced, &quiet, &quiet, &counts); /* beside it */
		CHECK(verdicts_summarize(list, 2, &counts, 0, NULL, &summary) == 0 &&
				summary.verdict == expected &&
				summary.marks[MARK_SPIKES].verdict == SHIFT_UNDECIDED,
			"%s, spikes %s", shift_verdict_words[summary.verdict].name,
			shift_verdict_words[summary.marks[MARK_SPIKES].verdict].name);
		row_verdict_finish(&row);
		row_verdict_finish(&paced);
		finish_blocks(blocks[0]);
		finish_blocks(blocks[1]);
	}
}

/* As many laps as the machine gave time for, with the same percentiles. */
static void a_flood_that_is_stopped_now_and_then_has_fewer_laps(void)
{
	static const struct {
		unsigned laps_a, laps_b;
		enum shift_verdict verdict;
	} rows[] = {
		{20000, 8000, SHIFT_WORSE}, {8000, 20000, SHIFT_BETTER}, {20000, 20000, SHIFT_SAME},
		{20000, 19500, SHIFT_SAME}, /* below the threshold */
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct judged_block a[BLOCKS] = {0}, b[BLOCKS] = {0};
		struct verdict_counts counts = {0};
		struct verdict_summary summary;
		struct row_verdict row, *list[] = {&row};

		for (size_t k = 0; k < BLOCKS; k++) {
			a[k].active_ns = b[k].active_ns = 500000000;
			for (size_t f = 0; f < N_JUDGED_BLOCK_FIGURES; f++) {
				add(&a[k].hists[f], 5000, rows[i].laps_a + 50 * (k % 3));
				add(&b[k].hists[f], 5000, rows[i].laps_b + 50 * (k % 3));
			}
		}
		/* With replicates, whose spread enters the verdict, and without. */
		const struct judged_row judged = {a, b, BLOCKS, BLOCKS, .shows_response = true,
						.like_a = {a, 3}, .like_b = {b, 3}},
					without = {a, b, BLOCKS, BLOCKS, .shows_response = true};

		CHECK(row_verdict_init(&row, &without, &counts) == 0 && row.verdict == rows[i].verdict,
			"row %zu: %s", i, shift_verdict_words[row.verdict].name);
		row_verdict_finish(&row);
		counts = (struct verdict_counts){0};
		CHECK(row_verdict_init(&row, &judged, &counts) == 0);
		CHECK(row.verdict == rows[i].verdict, "row %zu: %s", i,
			shift_verdict_words[row.verdict].name);
		CHECK(fabs(row.laps_a - 2 * rows[i].laps_a) < 200, "%g", row.laps_a);
		CHECK(verdicts_summarize(list, 1, &counts, 0, NULL, &summary) == 0 &&
				summary.verdict == rows[i].verdict &&
				fabs(summary.laps_b - 2 * rows[i].laps_b) < 200,
			"row %zu: %s, %g", i, shift_verdict_words[summary.verdict].name, summary.laps_b);
		row_verdict_finish(&row);
		finish_blocks(a);
		finish_blocks(b);
	}
}

static void the_headline_is_of_all_rows_together(void)
{
	enum { ROWS = 12 };
	static const struct {
		const char *what;
		struct made b;
		size_t n_moved, worse;
		enum shift_verdict verdict;
		enum mark_id mark;
		bool all;
	} cases[] = {
		{"none moved", {5000, 60000, 90000}, 0, 0, SHIFT_SAME, MARK_SHOWN, false},
		{"one is slower", {7000, 60000, 90000}, 1, 1, SHIFT_WORSE, MARK_SHOWN, false},
		{"all are slower", {7000, 60000, 90000}, ROWS, ROWS, SHIFT_WORSE, MARK_SHOWN, true},
		{"all miss slots", {5000, 60000, 90000, 40}, ROWS, ROWS, SHIFT_WORSE, MARK_MISSED, true},
		{"one misses slots", {5000, 60000, 90000, 40}, 1, 1, SHIFT_WORSE, MARK_RESPONSE, false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct row_verdict rows[ROWS], *list[ROWS];
		struct verdict_counts counts = {0};
		struct verdict_summary summary;
		const atomic_bool stop = true;

		for (size_t row = 0; row < ROWS; row++) {
			judge(&rows[row], &quiet, row < cases[i].n_moved ? &cases[i].b : &quiet, &counts);
			list[row] = &rows[row];
		}
		CHECK(verdicts_summarize(list, ROWS, &counts, 0, NULL, &summary) == 0);
		CHECK(summary.worse == cases[i].worse && summary.better == 0, "%s: %zu worse, %zu better",
			cases[i].what, summary.worse, summary.better);
		CHECK(summary.verdict == cases[i].verdict, "%s: %s", cases[i].what,
			shift_verdict_words[summary.verdict].name);
		CHECK((summary.marks[cases[i].mark].verdict == SHIFT_WORSE) == cases[i].all, "%s",
			cases[i].what);
		CHECK(summary.verdicts[SHIFT_SAME] == ROWS - cases[i].n_moved);
		CHECK(cases[i].mark != MARK_MISSED ||
				(summary.missed_a == 0 && fabs(summary.missed_b - 0.04) < 1e-9),
			"%g", summary.missed_b);
		CHECK(summary.row_missed_a == 0 &&
				fabs(summary.row_missed_b - (cases[i].b.missed ? 0.04 : 0)) < 1e-9,
			"%s: %g", cases[i].what, summary.row_missed_b);
		CHECK(verdicts_summarize(list, ROWS, &counts, 0, &stop, &summary) == -ECANCELED);
		for (size_t row = 0; row < ROWS; row++)
			row_verdict_finish(&rows[row]);
	}
}

/* One row of many that moved by a little more than chance: its mark stays, and does not survive. */
static void a_mark_survives_only_if_many_rows_allow_it(void)
{
	enum { ROWS = 64 };
	struct row_verdict rows[ROWS] = {0}, *list[ROWS];
	struct verdict_counts counts = {0};
	struct verdict_summary summary;

	for (size_t i = 0; i < ROWS; i++) {
		for (size_t mark = 0; mark < N_MARKS; mark++)
			rows[i].marks[mark] = (struct mark){SHIFT_SAME, 0.5};
		rows[i].verdict = SHIFT_SAME;
		list[i] = &rows[i];
	}
	rows[3].marks[MARK_MISSED] = (struct mark){SHIFT_WORSE, 0.01};
	rows[5].marks[MARK_SPIKES] = (struct mark){SHIFT_BETTER, 1e-6};
	rows[3].verdict = SHIFT_WORSE;
	rows[5].verdict = SHIFT_BETTER;
	CHECK(verdicts_summarize(list, ROWS, &counts, 0, NULL, &summary) == 0);
	CHECK(!rows[3].marks[MARK_MISSED].survives && rows[5].marks[MARK_SPIKES].survives);
	CHECK(summary.worse == 0 && summary.better == 1 && summary.verdict == SHIFT_BETTER);
	CHECK(summary.n_tests == ROWS * N_MARKS);
	CHECK(verdicts_summarize(list + 3, 1, &counts, 0, NULL, &summary) == 0);
	CHECK(!rows[3].marks[MARK_MISSED].survives && summary.verdict == SHIFT_UNDECIDED,
		"0.01 is no more than chance for eight marks");
	CHECK(verdicts_summarize(list, 0, &counts, 0, NULL, &summary) == 0);
	CHECK(summary.verdict == SHIFT_TOO_FEW, "without rows nothing is the same");
}

/* All rows have too few blocks: together they have no more. */
static void rows_of_too_few_blocks_say_nothing_together(void)
{
	enum { ROWS = 4 };
	static const struct made slower = {9000, 90000, 120000};

	for (size_t n = SHIFT_BLOCKS_MIN - 1; n <= SHIFT_BLOCKS_MIN; n++) {
		struct judged_block a[BLOCKS] = {0}, b[BLOCKS] = {0};
		struct row_verdict rows[ROWS], *list[ROWS];
		struct verdict_counts counts = {0};
		struct verdict_summary summary;

		make_blocks(a, &quiet);
		make_blocks(b, &slower);
		for (size_t i = 0; i < ROWS; i++) {
			CHECK(row_verdict_init(&rows[i], &(struct judged_row){a, b, n, n}, &counts) == 0);
			list[i] = &rows[i];
		}
		CHECK(verdicts_summarize(list, ROWS, &counts, 0, NULL, &summary) == 0);
		CHECK(summary.verdict == (n < SHIFT_BLOCKS_MIN ? SHIFT_TOO_FEW : SHIFT_WORSE), "%zu: %s", n,
			shift_verdict_words[summary.verdict].name);
		for (size_t i = 0; i < ROWS; i++)
			row_verdict_finish(&rows[i]);
		finish_blocks(a);
		finish_blocks(b);
	}
}

/* The sum of a phase. */
static void make_sum(struct judged_block *sum, const struct made *made)
{
	struct judged_block blocks[BLOCKS] = {0};

	*sum = (struct judged_block){0};
	make_blocks(blocks, made);
	for (size_t i = 0; i < BLOCKS; i++) {
		for (size_t f = 0; f < N_JUDGED_BLOCK_FIGURES; f++)
			CHECK(hist_merge(&sum->hists[f], &blocks[i].hists[f]) == 0);
		sum->active_ns += blocks[i].active_ns;
		sum->slots += blocks[i].slots;
		sum->missed += blocks[i].missed;
	}
	finish_blocks(blocks);
}

/* The phases that are compared say "worse"; the others of their kind say whether that is the machine's own
 * doing. */
static void the_spread_between_replicates_enters_the_verdict(void)
{
	static const struct made slower = {7000, 60000, 90000}, missing = {5000, 60000, 90000, 40};
	const struct {
		const char *what;
		struct made b, other_a, other_b;
		enum shift_verdict verdict;
		enum mark_id mark;
	} rows[] = {
		{"the others say the same", slower, quiet, {7100, 60000, 90000}, SHIFT_WORSE, MARK_SHOWN},
		{"the others say the contrary", slower, slower, quiet, SHIFT_UNDECIDED, MARK_SHOWN},
		{"missed again", missing, quiet, missing, SHIFT_WORSE, MARK_MISSED},
		{"missed before, too", missing, {5000, 60000, 90000, 38}, quiet, SHIFT_UNDECIDED,
			MARK_MISSED},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct judged_block a[BLOCKS] = {0}, b[BLOCKS] = {0}, like_a[2], like_b[2];
		struct verdict_counts counts = {0};
		struct row_verdict row;

		make_blocks(a, &quiet);
		make_blocks(b, &rows[i].b);
		make_sum(&like_a[0], &quiet);
		make_sum(&like_a[1], &rows[i].other_a);
		make_sum(&like_b[0], &rows[i].b);
		make_sum(&like_b[1], &rows[i].other_b);
		double missed = 0;

		for (size_t n = 1; n <= 2; n++) {
			const struct judged_row judged = {
				a, b, BLOCKS, BLOCKS, .like_a = {like_a, n}, .like_b = {like_b, n}};

			CHECK(row_verdict_init(&row, &judged, &counts) == 0);
			CHECK(row.marks[rows[i].mark].verdict == (n == 1 ? SHIFT_WORSE : rows[i].verdict),
				"%s, %zu each: %s", rows[i].what, n,
				shift_verdict_words[row.marks[rows[i].mark].verdict].name);
			if (n == 1)
				missed = row.missed_b;
			else
				CHECK(fabs(row.missed_b - missed * (rows[i].other_b.missed ? 1 : 0.5)) < 1e-9,
					"%s: %g", rows[i].what, row.missed_b);
			row_verdict_finish(&row);
		}
		finish_blocks(a);
		finish_blocks(b);
		for (size_t k = 0; k < 2; k++)
			for (size_t f = 0; f < N_JUDGED_BLOCK_FIGURES; f++) {
				hist_finish(&like_a[k].hists[f]);
				hist_finish(&like_b[k].hists[f]);
			}
	}
}

/* The more slots a phase misses, the more that varies: so it is the spread of the roots that counts. Of
 * the shares themselves, t is 2.35 with 4 degrees of freedom, and of their roots 3.7. */
static void shares_of_missed_slots_that_vary_by_their_size_are_told_apart(void)
{
	enum { N = 3 };
	static const unsigned missed[2][N] = {{90, 190, 40}, {2, 3, 4}};
	struct judged_block blocks[2][BLOCKS] = {0}, sums[2][N];
	struct verdict_counts counts = {0};
	struct row_verdict row;

	for (size_t side = 0; side < 2; side++) {
		for (size_t i = 0; i < N; i++) {
			struct made made = quiet;

			made.missed = missed[side][i];
			make_sum(&sums[side][i], &made);
			if (i == 0)
				make_blocks(blocks[side], &made);
			for (size_t k = 0; i == 0 && k < BLOCKS; k++) /* the blocks alone leave no doubt */
				blocks[side][k].missed = made.missed;
		}
	}
	const struct judged_row judged = {
		blocks[0], blocks[1], BLOCKS, BLOCKS, .like_a = {sums[0], N}, .like_b = {sums[1], N}};

	CHECK(row_verdict_init(&row, &judged, &counts) == 0);
	CHECK(row.marks[MARK_MISSED].verdict == SHIFT_BETTER, "%s, p %g",
		shift_verdict_words[row.marks[MARK_MISSED].verdict].name, row.marks[MARK_MISSED].probability);
	row_verdict_finish(&row);
	for (size_t side = 0; side < 2; side++) {
		finish_blocks(blocks[side]);
		for (size_t i = 0; i < N; i++)
			for (size_t f = 0; f < N_JUDGED_BLOCK_FIGURES; f++)
				hist_finish(&sums[side][i].hists[f]);
	}
}

/* The samples beyond p99 come in one burst, at @tail_ns: the blocks of a phase exclude no change. */
static void make_burst(struct judged_block blocks[BLOCKS], struct judged_block *sum, uint64_t tail_ns)
{
	*sum = (struct judged_block){0};
	for (unsigned i = 0; i < BLOCKS; i++) {
		struct hist *shown = &blocks[i].hists[JUDGED_SHOWN];

		blocks[i] = (struct judged_block){.active_ns = 500000000, .slots = SLOTS};
		add(shown, 5000, i == 3 ? SLOTS - 150 : SLOTS);
		add(shown, tail_ns, i == 3 ? 150 : 0);
		CHECK(hist_merge(&sum->hists[JUDGED_SHOWN], shown) == 0);
		sum->active_ns += blocks[i].active_ns;
		sum->slots += blocks[i].slots;
	}
}

static void replicates_that_are_apart_need_no_blocks(void)
{
	enum { MANY = 6 };
	static const struct {
		const char *what;
		size_t n;
		uint64_t first_a_ns, first_b_ns;
		enum shift_verdict verdict;
	} rows[] = {
		{"all are slower", MANY, 10000, 25000, SHIFT_WORSE},
		{"all but one", MANY, 10000, 10000, SHIFT_UNDECIDED},
		{"all but another one", MANY, 25000, 25000, SHIFT_UNDECIDED},
		{"they are few", MANY - 1, 10000, 25000, SHIFT_UNDECIDED},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct judged_block a[BLOCKS] = {0}, b[BLOCKS] = {0}, like_a[MANY], like_b[MANY];
		struct verdict_counts counts = {0};
		struct row_verdict row;
		size_t n = rows[i].n;

		for (size_t k = 0; k < n; k++) {
			finish_blocks(a);
			finish_blocks(b);
			make_burst(a, &like_a[k], (k ? 10000 : rows[i].first_a_ns) + 500 * (k % 3));
			make_burst(b, &like_b[k], (k ? 25000 : rows[i].first_b_ns) + 500 * (k % 2));
		}
		const struct judged_row judged = {a, b, BLOCKS, BLOCKS, .shows_response = true,
			.like_a = {like_a, n, n - 1}, .like_b = {like_b, n, n - 1}};

		CHECK(row_verdict_init(&row, &judged, &counts) == 0);
		const struct shift *p99 = &row.figures[JUDGED_SHOWN].shifts[SHIFT_P99];

		CHECK(row.marks[MARK_SHOWN + SHIFT_P99].verdict == rows[i].verdict, "%s: %s", rows[i].what,
			shift_verdict_words[row.marks[MARK_SHOWN + SHIFT_P99].verdict].name);
		CHECK((rows[i].verdict == SHIFT_WORSE) == (p99->low > log(2) && p99->high < log(3)),
			"%s: %g, %g", rows[i].what, p99->low, p99->high);
		row_verdict_finish(&row);
		finish_blocks(a);
		finish_blocks(b);
		for (size_t k = 0; k < n; k++) {
			hist_finish(&like_a[k].hists[JUDGED_SHOWN]);
			hist_finish(&like_b[k].hists[JUDGED_SHOWN]);
		}
	}
}

/* Phases of a trial, A B B A A B B A. */
static const uint32_t numbers_a[] = {1, 4, 5, 8, 9, 12, 13, 16, 17, 20, 21, 24, 25},
		      numbers_b[] = {2, 3, 6, 7, 10, 11, 14, 15, 18, 19, 22, 23, 26};

/* The machine is 8 times as slow for four pairs, and something stops one side of a fifth: B's tail is longer,
 * and more of its slots are missed, than those of the A beside it. */
static void pairs_are_judged_by_their_differences(void)
{
	enum { PAIRS = 12 };
	static const struct {
		const char *what;
		double slower;
		unsigned more_missed;
		enum shift_verdict p99, missed;
		size_t n_a, n_b;
	} rows[] = {
		{"both are worse", 1.5, 20, SHIFT_WORSE, SHIFT_WORSE, PAIRS, PAIRS},
		{"the tail is shorter", 0.6, 0, SHIFT_BETTER, SHIFT_UNDECIDED, PAIRS, PAIRS},
		{"nothing changed", 1, 0, SHIFT_SAME, SHIFT_UNDECIDED, PAIRS, PAIRS},
		{"the last A has no B", 1.5, 20, SHIFT_WORSE, SHIFT_WORSE, PAIRS + 1, PAIRS},
		{"the last B has no A", 1.5, 20, SHIFT_WORSE, SHIFT_WORSE, PAIRS, PAIRS + 1},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct judged_block a[BLOCKS] = {0}, b[BLOCKS] = {0}, like_a[PAIRS + 1], like_b[PAIRS + 1];
		struct verdict_counts counts = {0};
		struct row_verdict row;

		for (size_t k = 0; k < PAIRS; k++) {
			uint64_t tail_ns = (k >= 4 && k < 8 ? 80000 : 10000) + 300 * (k % 3);
			double other = k % 2 ? 1.02 : 0.98;

			finish_blocks(a);
			finish_blocks(b);
			make_burst(a, &like_a[k], k == 2 ? 300000 : tail_ns);
			make_burst(b, &like_b[k], (uint64_t)((double)tail_ns * rows[i].slower * other));
			like_a[k].missed = k == 2 ? 60 : k >= 4 && k < 8 ? 200 : 10;
			like_b[k].missed = (k >= 4 && k < 8 ? 200 : 10) + rows[i].more_missed + 2 * (k % 2);
		}
		like_a[PAIRS] = like_a[0];
		like_b[PAIRS] = like_b[0];
		a[1].missed = 10;
		b[1].missed = 10 + rows[i].more_missed;
		const struct judged_row judged = {a, b, BLOCKS, BLOCKS, .shows_response = true,
			.like_a = {like_a, rows[i].n_a, PAIRS - 1, numbers_a},
			.like_b = {like_b, rows[i].n_b, PAIRS - 1, numbers_b}};

		CHECK(row_verdict_init(&row, &judged, &counts) == 0);
		verdict_counts_add(&counts, &(struct verdict_counts){0}); /* of a row without values */
		CHECK(counts.replicates[MARK_MISSED].n_pairs == PAIRS);
		CHECK(row.marks[MARK_SHOWN + SHIFT_P99].verdict == rows[i].p99, "%s: p99 %s", rows[i].what,
			shift_verdict_words[row.marks[MARK_SHOWN + SHIFT_P99].verdict].name);
		CHECK(row.marks[MARK_MISSED].verdict == rows[i].missed, "%s: missed %s", rows[i].what,
			shift_verdict_words[row.marks[MARK_MISSED].verdict].name);
		row_verdict_finish(&row);
		finish_blocks(a);
		finish_blocks(b);
		for (size_t k = 0; k < PAIRS; k++) {
			hist_finish(&like_a[k].hists[JUDGED_SHOWN]);
			hist_finish(&like_b[k].hists[JUDGED_SHOWN]);
		}
	}
}

/* A flood with so many laps in each block, or slots of which so many are missed in all. */
static void make_counted(
	struct judged_block blocks[BLOCKS], struct judged_block *sum, bool is_flood, unsigned n)
{
	*sum = (struct judged_block){.missed = is_flood ? 0 : n};
	for (unsigned i = 0; i < BLOCKS; i++) {
		blocks[i] = (struct judged_block){.active_ns = 500000000,
			.slots = is_flood ? 0 : SLOTS,
			.missed = is_flood ? 0 : n / BLOCKS + (i < n % BLOCKS)};
		for (size_t f = 0; f < N_JUDGED_BLOCK_FIGURES; f++) {
			add(&blocks[i].hists[f], 5000, is_flood ? n + i % 3 : SLOTS - blocks[i].missed);
			CHECK(hist_merge(&sum->hists[f], &blocks[i].hists[f]) == 0);
		}
		sum->active_ns += blocks[i].active_ns;
		sum->slots += blocks[i].slots;
	}
}

/* B differs a little from the A beside it, always in one direction, and by far in one pair. */
static void one_disturbed_pair_is_no_change(void)
{
	enum { PAIRS = 12 };
	static const struct {
		const char *what;
		bool is_flood;
		unsigned a, b, a_once, b_once;
		enum shift_verdict verdict;
	} rows[] = {
		{"more are missed in one", false, 10, 14, 10, 3000, SHIFT_UNDECIDED},
		{"many in both phases of one", false, 10, 14, 3000, 6000, SHIFT_UNDECIDED},
		{"a little more in all", false, 40, 48, 3000, 6000, SHIFT_UNDECIDED},
		{"in all", false, 10, 60, 10, 60, SHIFT_WORSE},
		{"fewer are in all", false, 60, 10, 60, 10, SHIFT_BETTER},
		{"fewer laps in one", true, 5000, 4990, 5000, 500, SHIFT_UNDECIDED},
		{"in all", true, 5000, 4500, 5000, 4500, SHIFT_WORSE},
		{"more laps in all", true, 4500, 5000, 4500, 5000, SHIFT_BETTER},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		enum mark_id mark = rows[i].is_flood ? MARK_LAPS : MARK_MISSED;
		struct judged_block a[BLOCKS] = {0}, b[BLOCKS] = {0}, like_a[PAIRS], like_b[PAIRS];
		struct verdict_counts counts = {0};
		struct verdict_summary summary;
		struct row_verdict row, *list[] = {&row};

		for (size_t k = 0; k < PAIRS; k++) {
			finish_blocks(a);
			finish_blocks(b);
			make_counted(a, &like_a[k], rows[i].is_flood,
				(k == 4 ? rows[i].a_once : rows[i].a) + (unsigned)k % 3);
			make_counted(b, &like_b[k], rows[i].is_flood,
				(k == 4 ? rows[i].b_once : rows[i].b) + (unsigned)k % 2);
		}
		const struct judged_row judged = {a, b, BLOCKS, BLOCKS, .shows_response = true,
			.like_a = {like_a, PAIRS, PAIRS - 1, numbers_a},
			.like_b = {like_b, PAIRS, PAIRS - 1, numbers_b}};

		CHECK(row_verdict_init(&row, &judged, &counts) == 0);
		CHECK(row.marks[mark].verdict == rows[i].verdict, "%s: %s", rows[i].what,
			shift_verdict_words[row.marks[mark].verdict].name);
		CHECK(verdicts_summarize(list, 1, &counts, 0, NULL, &summary) == 0 &&
				summary.marks[mark].verdict == rows[i].verdict,
			"%s: %s", rows[i].what, shift_verdict_words[summary.marks[mark].verdict].name);
		CHECK(rows[i].is_flood ? mark_has_laps_change(row.laps_a, row.laps_b)
				       : mark_has_missed_change(row.missed_a, row.missed_b),
			"%s: of all samples the change is large: %g, %g", rows[i].what, row.missed_a,
			row.missed_b);
		row_verdict_finish(&row);
		finish_blocks(a);
		finish_blocks(b);
		for (size_t k = 0; k < PAIRS; k++)
			for (size_t f = 0; f < N_JUDGED_BLOCK_FIGURES; f++) {
				hist_finish(&like_a[k].hists[f]);
				hist_finish(&like_b[k].hists[f]);
			}
	}
}

/* Two of each: the share of missed slots differs with a probability of 1.1 %, which is beyond chance for two
 * groups of marks, though not for each mark by itself. Several rows that move alike are as one. */
static void marks_of_replicates_are_corrected_as_groups(void)
{
	static const struct {
		const char *what;
		unsigned a[2], b[2]; /* missed slots */
		enum shift_verdict verdict;
	} rows[] = {
		{"more are missed", {40, 44}, {80, 88}, SHIFT_WORSE},
		{"fewer are", {80, 88}, {40, 44}, SHIFT_BETTER},
		{"the machine moves more", {40, 60}, {80, 100}, SHIFT_SAME},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (size_t n_rows = 1; n_rows <= 3; n_rows += 2) {
			struct judged_block a[BLOCKS] = {0}, b[BLOCKS] = {0}, like_a[2], like_b[2];
			struct made made_a = quiet, made_b = quiet;
			struct row_verdict verdicts[3], *all[3] = {&verdicts[0], &verdicts[1], &verdicts[2]};
			struct verdict_counts counts = {0};
			struct verdict_summary summary;

			for (size_t k = 0; k < 2; k++) {
				finish_blocks(a);
				finish_blocks(b);
				memset(a, 0, sizeof(a));
				memset(b, 0, sizeof(b));
				made_a.missed = rows[i].a[k];
				made_b.missed = rows[i].b[k];
				made_a.shown_ns = 5000 + 40 * k;
				made_b.shown_ns = 5040 - 40 * k;
				make_blocks(a, &made_a);
				make_blocks(b, &made_b);
				make_sum(&like_a[k], &made_a);
				make_sum(&like_b[k], &made_b);
			}
			const struct judged_row judged = {
				a, b, BLOCKS, BLOCKS, .like_a = {like_a, 2, 1}, .like_b = {like_b, 2, 1}};

			for (size_t row = 0; row < n_rows; row++) {
				struct verdict_counts of_row = {0};

				CHECK(row_verdict_init(&verdicts[row], &judged, &of_row) == 0);
				verdict_counts_add(&counts, &of_row);
			}
			CHECK(verdicts_summarize(all, n_rows, &counts, 0, NULL, &summary) == 0);
			CHECK(summary.verdict == rows[i].verdict, "%s, %zu rows: %s, missed by chance in %g",
				rows[i].what, n_rows, shift_verdict_words[summary.verdict].name,
				summary.chances[MARK_MISSED]);
			CHECK(isnan(summary.chances[MARK_LAPS]));
			for (size_t row = 0; row < n_rows; row++)
				row_verdict_finish(&verdicts[row]);
			finish_blocks(a);
			finish_blocks(b);
			for (size_t k = 0; k < 2; k++)
				for (size_t f = 0; f < N_JUDGED_BLOCK_FIGURES; f++) {
					hist_finish(&like_a[k].hists[f]);
					hist_finish(&like_b[k].hists[f]);
				}
		}
}

int main(void)
{
	TEST(a_row_is_judged_by_four_families);
	TEST(a_percentile_without_a_verdict_keeps_a_row_from_being_the_same);
	TEST(few_slots_do_not_say_that_as_many_are_missed);
	TEST(a_flood_is_judged_without_slots);
	TEST(a_flood_with_fewer_spikes_of_far_fewer_laps_is_worse);
	TEST(a_flood_that_is_stopped_now_and_then_has_fewer_laps);
	TEST(the_headline_is_of_all_rows_together);
	TEST(a_mark_survives_only_if_many_rows_allow_it);
	TEST(rows_of_too_few_blocks_say_nothing_together);
	TEST(the_spread_between_replicates_enters_the_verdict);
	TEST(shares_of_missed_slots_that_vary_by_their_size_are_told_apart);
	TEST(replicates_that_are_apart_need_no_blocks);
	TEST(pairs_are_judged_by_their_differences);
	TEST(one_disturbed_pair_is_no_change);
	TEST(marks_of_replicates_are_corrected_as_groups);
	return tap_done();
}

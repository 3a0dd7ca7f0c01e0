/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_matrix.c - the matrix of a sweep: its cells, classes and groups, and how they change. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/json.h"
#include "src/machine/fact_rows.h"
#include "src/model/matrix.h"
#include "src/model/matrix_change.h"
#include "src/model/matrix_grid.h"
#include "src/model/session.h"
#include "src/plan/plan.h"
#include "src/recording/sweep_codec.h"
#include "src/report/matrix_text.h"
#include "tests/unit/tap.h"

static struct matrix *matrix_of(const char *description)
{
	struct plan plan = {.sweep = {.mechanism = "mq",
				    .title = "POSIX message queue",
				    .at_once = 1,
				    .policy = {.policy = SCHED_RR, .priority = 3}}};
	struct topology topology;
	struct error_text reason;
	struct matrix *matrix = NULL;

	setenv("HWLOC_SYNTHETIC", description, 1);
	CHECK(topology_init(&topology, &reason) == 0, "%s", description);
	plan.measured = topology.online;
	CHECK(matrix_create(&matrix, &topology, &plan) == 0);
	topology_finish(&topology);
	return matrix;
}

static struct sweep_figure figure(float p50_ns)
{
	return (struct sweep_figure){100, p50_ns - 10, p50_ns, p50_ns + 50, p50_ns + 90};
}

/* First hops take 1000 ns more. Only a matrix that has them reads them. */
static void feed(struct matrix *matrix, uint32_t a, uint32_t b, float there, float back, uint64_t at_ns)
{
	const struct sweep_result result = {a, b, at_ns,
		{figure(there), figure(back), figure(there + back), figure(there + 1000),
			figure(back + 1000)}};

	CHECK(matrix_feed(matrix, &result, 1, 0) == 0);
}

static void percentiles_are_samples(void)
{
	float samples[1000];

	for (int i = 0; i < 1000; i++)
		samples[i] = (float)(1000 - i);
	struct sweep_figure all = sweep_figure_of(samples, 1000), one = sweep_figure_of(samples, 1),
			    none = sweep_figure_of(samples, 0);

	CHECK(all.n == 1000 && all.min_ns == 1 && all.p50_ns == 500 && all.p99_ns == 990 &&
		all.max_ns == 1000);
	CHECK(one.n == 1 && one.min_ns == 1 && one.p50_ns == 1 && one.p99_ns == 1 && one.max_ns == 1);
	CHECK(none.n == 0 && sweep_figure_spread(&none) == 0);
	CHECK(sweep_figure_spread(&all) == 989.0f / 500);
}

/* Logs that are normally distributed, by the sum of 12 numbers of a linear congruential generator. */
static double noise(uint64_t *seed)
{
	double sum = -6;

	for (int i = 0; i < 12; i++) {
		*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		sum += (double)(*seed >> 33) / (double)(UINT64_C(1) << 31);
	}
	return sum;
}

/* Few of them differ, all are alike, or they are in order. */
static void any_place_of_any_times_is_found(void)
{
	enum { N = 64 };
	uint64_t seed = 5;

	for (unsigned kind = 0; kind < 5; kind++)
		for (size_t k = 0; k < N; k++) {
			static const float steps[] = {0, 1, 100};
			float times[N], found;
			size_t less = 0, more = 0;

			for (int i = 0; i < N; i++)
				times[i] = kind == 3   ? (float)i
					   : kind == 4 ? (float)(N - i)
						       : floorf((float)noise(&seed) * steps[kind]);
			found = sweep_times_select(times, N, k);
			for (size_t i = 0; i < N; i++) {
				less += times[i] < found;
				more += times[i] > found;
				CHECK(i < k ? times[i] <= found : times[i] >= found, "%zu of kind %u", k,
					kind);
			}
			CHECK(times[k] == found && less <= k && more < N - k, "%zu of kind %u", k, kind);
		}
}

static void the_last_round_is_the_last(void)
{
	static const struct {
		uint64_t loops, n_rounds, round;
	} cases[] = {{0, 0, 1}, {0, 7, 8}, {1, 0, 1}, {1, 1, 1}, {3, 2, 3}, {3, 3, 3}};
	struct matrix *matrix, *copy;

	if (matrix_create_empty(&matrix, 4, "mq", "POSIX message queue") < 0)
		abort();
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		matrix->loops = cases[i].loops;
		CHECK(matrix_feed(matrix, NULL, 0, cases[i].n_rounds) == 0);
		CHECK(matrix_round(matrix) == cases[i].round, "case %zu: %llu", i,
			(unsigned long long)matrix_round(matrix));
	}
	CHECK(matrix_copy_phase(&copy, matrix, 1) == 0 && copy->loops == 3);
	matrix_destroy(copy);
	matrix_destroy(matrix);
}

static void a_percentile_is_trusted_with_10_samples_beyond_it(void)
{
	static const struct {
		uint32_t n;
		enum matrix_value value;
		bool is_trusted;
	} rows[] = {{1000, MATRIX_P99, true}, {999, MATRIX_P99, false}, {126, MATRIX_P99, false},
		{20, MATRIX_P50, true}, {19, MATRIX_P50, false}, {6, MATRIX_MAX, true},
		{6, MATRIX_MIN, true}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		CHECK(matrix_value_is_trusted(&(struct sweep_figure){rows[i].n}, rows[i].value) ==
				rows[i].is_trusted,
			"row %zu", i);
}

static void a_pair_is_two_hops_and_one_lap(void)
{
	struct matrix *matrix = matrix_of("core:4 pu:1");

	CHECK(matrix->n_cpus == 4 && matrix->n_pairs == 6);
	feed(matrix, 1, 3, 200, 300, 7);
	CHECK(matrix_figure_of(matrix, MATRIX_HOP, 1, 3)->p50_ns == 200);
	CHECK(matrix_figure_of(matrix, MATRIX_HOP, 3, 1)->p50_ns == 300);
	CHECK(matrix_figure_of(matrix, MATRIX_LAP, 3, 1) == matrix_figure_of(matrix, MATRIX_LAP, 1, 3));
	CHECK(matrix_measured_ns(matrix, 3, 1) == 7 && matrix_measured_ns(matrix, 0, 1) == 0);
	CHECK(matrix_value_of(matrix_figure_of(matrix, MATRIX_HOP, 1, 3), MATRIX_MAX) == 290);
	CHECK(matrix_value_of(matrix_figure_of(matrix, MATRIX_HOP, 0, 1), MATRIX_P50) < 0);
	CHECK(matrix_value_of(matrix_figure_of(matrix, MATRIX_HOP, 2, 2), MATRIX_P50) < 0);
	feed(matrix, 1, 3, 250, 350, 9); /* replaces it */
	CHECK(matrix->n_measured == 1 && matrix->n_results == 2 && matrix_measured_ns(matrix, 1, 3) == 9);
	matrix_destroy(matrix);
}

/* Two packages of two cores with two threads: classes smt, l3 and cross. */
static void fill(struct matrix *matrix)
{
	for (uint32_t b = 1; b < matrix->n_cpus; b++)
		for (uint32_t a = 0; a < b; a++) {
			enum locality locality = matrix_locality(matrix, a, b);
			float there = locality == LOCALITY_SMT ? 100 : locality == LOCALITY_L3 ? 200 : 400;
			float slow = b == 5 ? 300 : 0; /* where CPU 5 receives */

			feed(matrix, a, b, there + slow, there + (a == 5 ? 300 : 0), 1000 + a + 8 * b);
		}
}

static void a_matrix_may_have_first_hops(void)
{
	struct matrix *matrix = matrix_of("pack:2 l3:1 core:2 pu:2");
	struct matrix_summary summary;

	CHECK(!matrix_has(matrix, MATRIX_FIRST) && matrix_has(matrix, MATRIX_HOP) &&
		matrix_n_kinds(matrix) == SWEEP_FIRST_THERE);
	matrix->has_first = true;
	CHECK(matrix_has(matrix, MATRIX_FIRST) && matrix_n_kinds(matrix) == N_SWEEP_FIGURES);
	fill(matrix);
	CHECK(matrix_figure_of(matrix, MATRIX_FIRST, 0, 5)->p50_ns == 1700 &&
		matrix_figure_of(matrix, MATRIX_FIRST, 5, 0)->p50_ns == 1400 &&
		matrix_figure_of(matrix, MATRIX_HOP, 0, 5)->p50_ns == 700);
	CHECK(matrix_summarize(matrix, MATRIX_FIRST, MATRIX_P50, &summary) == 0);
	CHECK(summary.classes[LOCALITY_CROSS].n == 32 && summary.classes[LOCALITY_CROSS].median == 1400);
	CHECK(summary.outliers.receiver.index == 5 && summary.outliers.asymmetry.is_known);
	matrix_destroy(matrix);
}

static void cpus_that_there_are_not_are_refused(void)
{
	static const struct sweep_result wrong[] = {{.a = 0, .b = 4}, {.a = 2, .b = 2}, {.a = 3, .b = 1}};
	struct matrix *matrix = matrix_of("core:4 pu:1");

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		CHECK(matrix_feed(matrix, &wrong[i], 1, 0) == -EINVAL);
	CHECK(matrix_feed(NULL, wrong, 1, 0) == -EINVAL && matrix_feed(NULL, wrong, 0, 0) == 0);
	CHECK(matrix->n_measured == 0);
	matrix_destroy(matrix);
}

/* Returns the text of a matrix; the caller frees it. No line has more than 80 columns. */
static char *text_of(struct matrix *matrix, struct fact_rows *clock_skew)
{
	static struct session session;
	char *text = NULL;
	size_t size, longest = 0;
	FILE *out = open_memstream(&text, &size);

	session.matrix = matrix;
	session.is_sweep = true;
	session.machine.clock_skew = clock_skew;
	matrix_text_summary(out, &session);
	fclose(out);
	for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
		longest = strcspn(line, "\n") > longest ? strcspn(line, "\n") : longest;
	CHECK(longest <= 80, "%zu columns: %s", longest, text);
	return text;
}

/* As four emulated CPUs had them, in one class; and where columns are wide in several. */
static void its_text_has_at_most_80_columns(void)
{
	static const float ns[4][4] = {{0, 416080, 17726, 2943500}, {1071000, 0, 19840, 20511},
		{32108, 146300, 0, 462080}, {2740000, 17275, 37566, 0}};
	struct matrix *matrix = matrix_of("pack:1 l3:1 core:4 pu:1"),
		      *wide = matrix_of(
			      "pack:2 l3:2 core:2 pu:1(indexes=1000,1001,1002,1003,1004,1005,1006,1007)");
	struct fact_rows *skew = fact_rows_parse("1000:0..0ns 1001:-99999999..99999999ns "
						 "1002:-99999999..99999999ns 1003:-99999999..99999999ns "
						 "1004:-99999999..99999999ns 1005:-99999999..99999999ns "
						 "1006:-99999999..99999999ns 1007:-99999999..99999999ns");

	for (uint32_t b = 1; b < 4; b++)
		for (uint32_t a = 0; a < b; a++)
			feed(matrix, a, b, ns[a][b], ns[b][a], 1000);
	char *text = text_of(matrix, NULL);

	CHECK(strstr(text, "slowest receiver: CPU 0, median 1071.0, ") && !strstr(text, "slowest sender  "),
		"%s", text);
	free(text);
	for (uint32_t b = 1; b < wide->n_cpus; b++)
		for (uint32_t a = 0; a < b; a++)
			feed(wide, a, b, b == 7 ? 19999000 : 15555, a == 6 ? 17777000 : 16666, 1000);
	text = text_of(wide, skew);
	CHECK(strstr(text, "\nnode ") && strstr(text, " skew\n") && strstr(text, "  slowest sender  "), "%s",
		text);
	free(text);
	fact_rows_release(skew);
	matrix_destroy(matrix);
	matrix_destroy(wide);
}

static void classes_have_spread_and_outliers(void)
{
	struct matrix *matrix = matrix_of("pack:2 l3:1 core:2 pu:2");
	struct matrix_summary summary;

	CHECK(matrix_summarize(matrix, MATRIX_HOP, MATRIX_P50, &summary) == 0);
	CHECK(summary.classes[LOCALITY_L3].n == 0 && !summary.outliers.receiver.is_known &&
		!summary.outliers.asymmetry.is_known);
	fill(matrix);
	CHECK(matrix_summarize(matrix, MATRIX_HOP, MATRIX_P50, &summary) == 0);
	const struct matrix_class *smt = &summary.classes[LOCALITY_SMT], *l3 = &summary.classes[LOCALITY_L3],
				  *cross = &summary.classes[LOCALITY_CROSS];

	CHECK(smt->n == 8 && smt->n_cells == 8 && smt->least == 100 && smt->median == 100 &&
		smt->largest == 400);
	CHECK(l3->n == 16 && l3->median == 200 && l3->largest == 500 && l3->column == 5 &&
		l3->n_samples == 1600);
	CHECK(cross->n == 32 && cross->least == 400 && cross->median == 400 && cross->largest == 700);
	const struct matrix_outliers *all = &summary.outliers, *of_l3 = &l3->outliers,
				     *of_smt = &smt->outliers;

	CHECK(all->receiver.is_known && all->receiver.index == 5 && all->receiver.median == 700);
	CHECK(all->receiver.others == 400);
	CHECK(all->sender.median == 400);
	/* A factor of 4 between siblings, of 2.5 between cores, and of 1.75 between packages. */
	CHECK(all->asymmetry.is_known && all->asymmetry.row == 4 && all->asymmetry.column == 5 &&
		all->asymmetry.there == 400 && all->asymmetry.back == 100);
	CHECK(of_smt->asymmetry.row == 4 && of_smt->asymmetry.there == 400);
	CHECK(of_l3->asymmetry.is_known && of_l3->asymmetry.column == 5 && of_l3->asymmetry.there == 500 &&
		of_l3->asymmetry.back == 200);
	CHECK(cross->outliers.asymmetry.column == 5 && cross->outliers.asymmetry.there == 700 &&
		cross->outliers.asymmetry.back == 400);
	CHECK(of_smt->receiver.is_known && of_smt->receiver.index == 5 && of_smt->receiver.median == 400 &&
		of_smt->receiver.others == 100);
	CHECK(of_l3->receiver.index == 5 && of_l3->receiver.median == 500 && of_l3->receiver.others == 200);
	CHECK(of_smt->sender.index == 4 && of_smt->sender.median == 400 && of_smt->sender.others == 100);
	CHECK(of_l3->sender.index == 6 && of_l3->sender.median == 350 && of_l3->sender.others == 200);
	CHECK(!summary.classes[LOCALITY_NODE].outliers.receiver.is_known);
	CHECK(summary.oldest_ns == 1008 && summary.newest_ns == 1000 + 6 + 56);
	CHECK(matrix_summarize(matrix, MATRIX_LAP, MATRIX_P50, &summary) == 0);
	CHECK(summary.classes[LOCALITY_CROSS].n == 16 && summary.classes[LOCALITY_CROSS].median == 800);
	CHECK(!summary.outliers.asymmetry.is_known);
	CHECK(summary.classes[LOCALITY_SMT].outliers.receiver.median == 500 &&
		!summary.classes[LOCALITY_SMT].outliers.asymmetry.is_known);
	matrix_destroy(matrix);
}

static void groups_have_the_medians_of_their_cells(void)
{
	struct matrix *matrix = matrix_of("pack:2 l3:1 core:2 pu:2");
	struct matrix_grid grid;
	char name[MATRIX_ROW_SIZE];

	fill(matrix);
	CHECK(matrix_grid_rows(matrix, MATRIX_BY_CPU) == 8 && matrix_grid_rows(matrix, MATRIX_BY_CORE) == 4);
	CHECK(matrix_grid_rows(matrix, MATRIX_BY_L3) == 2);
	CHECK(matrix_grid_fit(matrix, 8) == MATRIX_BY_CPU && matrix_grid_fit(matrix, 7) == MATRIX_BY_CORE &&
		matrix_grid_fit(matrix, 3) == MATRIX_BY_L3 && matrix_grid_fit(matrix, 1) == MATRIX_BY_NODE);
	CHECK(matrix_grid_make(&grid, matrix, MATRIX_HOP, MATRIX_P50, MATRIX_BY_CORE) == 0);
	CHECK(matrix_grid_value(&grid, 0, 0) == 100 && matrix_grid_value(&grid, 0, 1) == 200);
	CHECK(matrix_grid_value(&grid, 0, 2) == 550); /* two cells of 400, and two of 700 */
	CHECK(!strcmp(matrix_grid_row_name(&grid, 3, name), "6"));
	matrix_grid_finish(&grid);
	CHECK(matrix_grid_make(&grid, matrix, MATRIX_HOP, MATRIX_P50, MATRIX_BY_CPU) == 0);
	CHECK(matrix_grid_value(&grid, 3, 3) < 0 && matrix_grid_value(&grid, 0, 5) == 700);
	matrix_grid_finish(&grid);
	matrix_destroy(matrix);
}

/* --- changes --- */

#define SECOND_NS UINT64_C(1000000000)

/* Feeds @n repeats, one a second, to all pairs: hops take 1 us on average, those of CPU 0 @factor as long. */
static void feed_repeats(struct matrix *matrix, unsigned n, double deviation, double factor, uint64_t *seed)
{
	static uint64_t now_ns;

	for (unsigned round = 0; round < n; round++) {
		now_ns += SECOND_NS;
		for (uint32_t b = 1; b < matrix->n_cpus; b++)
			for (uint32_t a = 0; a < b; a++) {
				double ns = 1000 * (a == 0 ? factor : 1);

				feed(matrix, a, b, (float)(ns * exp(deviation * noise(seed))),
					(float)(ns * exp(deviation * noise(seed))), now_ns);
			}
	}
}

static void a_cell_that_changed_is_found(void)
{
	struct matrix *matrix = matrix_of("pack:2 l3:1 core:2 pu:2");
	struct matrix_change change;
	uint64_t seed = 1;
	uint32_t row, column;

	feed_repeats(matrix, 5, 0.03, 1, &seed);
	CHECK(matrix->before.number == 0 && matrix->before.n_repeats == 0);
	matrix_begin_phase(matrix, 2, 0);
	feed_repeats(matrix, 2, 0.03, 1.5, &seed);
	CHECK(matrix_change_make(&change, matrix, MATRIX_HOP, MATRIX_P50) == 0);
	CHECK(change.n_cells == 56 && change.n_too_few == 56 && !change.worst && !change.best);
	CHECK(matrix_change_of(&change, 0, 5)->n_a == 5 && matrix_change_of(&change, 0, 5)->n_b == 2);
	CHECK(fabsf(matrix_change_of(&change, 0, 5)->a - 1000) < 100);
	matrix_change_finish(&change);
	feed_repeats(matrix, 5, 0.03, 1.5, &seed);
	CHECK(matrix_change_make(&change, matrix, MATRIX_HOP, MATRIX_P50) == 0);
	CHECK(change.n_worse == 14 && change.n_better == 0 && change.n_too_few == 0, "%zu, %zu",
		change.n_worse, change.n_better);
	CHECK(change.classes[LOCALITY_CROSS].n_worse == 8 && change.classes[LOCALITY_CROSS].n_cells == 32);
	CHECK(fabsf(change.classes[LOCALITY_CROSS].median) < 0.05f);
	for (uint32_t i = 1; i < 8; i++) {
		const struct matrix_cell_change *cell = matrix_change_of(&change, 0, i);

		CHECK(cell->verdict == SHIFT_WORSE);
		CHECK(fabs((double)cell->estimate - log(1.5)) < 3 * (double)cell->half / 2);
	}
	matrix_change_indices(&change, change.worst, &row, &column);
	CHECK(row == 0 || column == 0, "%u>%u", row, column);
	matrix_change_finish(&change);
	CHECK(matrix_change_make(&change, matrix, MATRIX_LAP, MATRIX_P99) == 0);
	CHECK(change.n_cells == 28 && change.n_worse == 7);
	CHECK(matrix_change_of(&change, 5, 0)->verdict == SHIFT_WORSE &&
		matrix_change_of(&change, 0, 5)->verdict == SHIFT_WORSE);
	matrix_change_finish(&change);
	matrix_begin_phase(matrix, 3, 0);
	matrix_begin_phase(matrix, 4, 0); /* nothing was measured in phase 3 */
	CHECK(matrix->before.number == 2 && matrix->now.number == 4 && matrix->now.n_repeats == 0);
	feed_repeats(matrix, 5, 0.03, 1, &seed);
	CHECK(matrix_change_make(&change, matrix, MATRIX_HOP, MATRIX_P50) == 0);
	CHECK(change.n_better == 14 && change.n_worse == 0 && change.best);
	matrix_change_finish(&change);
	matrix_destroy(matrix);
}

/* As the man page says: among 56 cells, with 20 repeats in each phase. */
static void a_change_of_10_percent_is_found(void)
{
	size_t found = 0;
	uint64_t seed = 3;

	for (unsigned i = 0; i < 50; i++) {
		struct matrix *matrix = matrix_of("pack:2 l3:1 core:2 pu:2");
		struct matrix_change change;

		feed_repeats(matrix, 20, 0.03, 1, &seed);
		matrix_begin_phase(matrix, 2, 0);
		feed_repeats(matrix, 20, 0.03, 1.1, &seed);
		CHECK(matrix_change_make(&change, matrix, MATRIX_HOP, MATRIX_P50) == 0);
		found += change.n_worse;
		matrix_change_finish(&change);
		matrix_destroy(matrix);
	}
	printf("# %zu of 700 found\n", found);
	CHECK(found > 650, "%zu", found);
}

/* This is one of four tables, which share the 5 %, so about one comparison in eighty finds a change where
 * there is none. That also holds where one phase is longer than the other, and calmer. */
static void equal_phases_are_not_told_apart(void)
{
	static const struct {
		unsigned n_a, n_b;
		double deviation_a, deviation_b;
	} sides[] = {{3, 3, 0.03, 0.03}, {5, 5, 0.03, 0.03}, {10, 10, 0.03, 0.03}, {50, 5, 0.01, 0.05},
		{5, 50, 0.01, 0.05}, {3, 30, 0.05, 0.01}};
	uint64_t seed = 2;

	for (size_t s = 0; s < sizeof(sides) / sizeof(*sides); s++) {
		unsigned wrong = 0, n_same = 0;

		for (unsigned i = 0; i < 200; i++) {
			struct matrix *matrix = matrix_of("pack:2 l3:1 core:2 pu:2");
			struct matrix_change change;

			feed_repeats(matrix, sides[s].n_a, sides[s].deviation_a, 1, &seed);
			matrix_begin_phase(matrix, 2, 0);
			feed_repeats(matrix, sides[s].n_b, sides[s].deviation_b, 1, &seed);
			CHECK(matrix_change_make(&change, matrix, MATRIX_HOP, MATRIX_P50) == 0);
			wrong += change.n_better + change.n_worse > 0;
			n_same += (unsigned)change.n_same;
			matrix_change_finish(&change);
			matrix_destroy(matrix);
		}
		printf("# %u and %u repeats: of 200 comparisons %u find a change; %.0f %% of the cells are the same\n",
			sides[s].n_a, sides[s].n_b, wrong, n_same / 112.0);
		CHECK(wrong <= 10, "%u and %u: %u", sides[s].n_a, sides[s].n_b, wrong);
		CHECK(sides[s].n_a != sides[s].n_b || sides[s].n_a < 10 || n_same > 9000, "%u", n_same);
	}
}

static void first_hops_change_apart(void)
{
	struct matrix *matrix = matrix_of("core:4 pu:1");
	struct matrix_changes changes;

	matrix->has_first = true;
	for (uint64_t round = 1; round <= 6; round++) {
		struct sweep_result result = {0, 1, round * SECOND_NS,
			{figure(2000), figure(2000), figure(4000), figure(9000), figure(9000)}};

		if (round == 4)
			matrix_begin_phase(matrix, 2, 0);
		if (round >= 4)
			result.figures[SWEEP_FIRST_BACK] = figure(18000);
		CHECK(matrix_feed(matrix, &result, 1, 0) == 0);
	}
	CHECK(matrix_changes_make(&changes, matrix) == 0);
	CHECK(changes.of[MATRIX_FIRST][MATRIX_P50].n_worse == 1 &&
		!changes.of[MATRIX_HOP][MATRIX_P50].n_worse);
	CHECK(matrix_change_of(&changes.of[MATRIX_FIRST][MATRIX_P50], 1, 0)->verdict == SHIFT_WORSE);
	CHECK(matrix_changes_verdict(&changes).verdict == SHIFT_WORSE);
	matrix_changes_finish(&changes);
	matrix->has_first = false;
	CHECK(matrix_changes_make(&changes, matrix) == 0 && !changes.of[MATRIX_FIRST][MATRIX_P50].matrix &&
		matrix_changes_verdict(&changes).n_worse == 0);
	matrix_changes_finish(&changes);
	matrix_destroy(matrix);
}

/* CPUs of the other file may be in another order, and others. */
static void matrices_of_two_files_compare(void)
{
	struct matrix *a = matrix_of("core:10 pu:1"), *copy;
	struct matrix *b = matrix_of("pack:2 l3:1 core:2 pu:2(indexes=0,4,1,5,2,6,3,7)"); /* 0, 4, 1, ... */
	struct matrix_change change;
	size_t n;

	a->has_first = b->has_first = true;
	for (uint64_t round = 1; round <= 3; round++) {
		feed(a, 1, 4, 1000, 2000, round * SECOND_NS);
		feed(a, 8, 9, 1000, 2000, round * SECOND_NS); /* which b does not have */
		feed(b, 1, 2, 2000, 1500, round * SECOND_NS); /* CPUs 4 and 1 */
	}
	matrix_begin_phase(a, 2, 0);
	feed(a, 1, 4, 9000, 9000, 9 * SECOND_NS);
	CHECK(matrix_copy_phase(&copy, a, 1) == 0 && copy->now.number == 1 && copy->now.n_repeats == 6);
	CHECK(matrix_put_before(b, copy, &n) == 0 && n == 1);
	CHECK(matrix_change_make(&change, b, MATRIX_HOP, MATRIX_P50) == 0);
	const struct matrix_cell_change *from_1 = matrix_change_of(&change, 2, 1),
					*from_4 = matrix_change_of(&change, 1, 2);

	CHECK(fabsf(from_1->a - 1000) < 2 && fabsf(from_1->b - 1500) < 2 && from_1->n_a == 3);
	CHECK(fabsf(from_4->a - 2000) < 2 && fabsf(from_4->b - 2000) < 2);
	CHECK(from_1->verdict == SHIFT_WORSE && from_4->verdict == SHIFT_SAME);
	matrix_change_finish(&change);
	CHECK(matrix_change_make(&change, b, MATRIX_FIRST, MATRIX_P50) == 0);
	CHECK(fabsf(matrix_change_of(&change, 2, 1)->a - 2000) < 2 &&
		fabsf(matrix_change_of(&change, 1, 2)->a - 3000) < 3);
	matrix_change_finish(&change);
	matrix_destroy(copy);
	CHECK(matrix_copy_phase(&copy, a, 7) == 0 && copy->now.n_repeats == 0);
	CHECK(matrix_put_before(b, copy, &n) == 0 && n == 0);
	matrix_destroy(copy);
	matrix_destroy(a);
	matrix_destroy(b);
}

/* Of 14 cells that become 5 % slower, among 56, in 30 matrices. @last: without its cells. */
static unsigned count_found(unsigned n_repeats, uint64_t *seed, struct matrix_change *last)
{
	unsigned found = 0;

	for (unsigned i = 0; i < 30; i++) {
		struct matrix *matrix = matrix_of("pack:2 l3:1 core:2 pu:2");
		struct matrix_change change;

		feed_repeats(matrix, n_repeats, 0.03, 1, seed);
		matrix_begin_phase(matrix, 2, 0);
		feed_repeats(matrix, n_repeats, 0.03, 1.05, seed);
		CHECK(matrix_change_make(&change, matrix, MATRIX_HOP, MATRIX_P50) == 0);
		found += (unsigned)change.n_worse;
		*last = change;
		matrix_change_finish(&change);
		matrix_destroy(matrix);
	}
	return found;
}

static void as_many_repeats_as_are_needed_show_a_change_of_5_percent(void)
{
	struct matrix_change change;
	uint64_t seed = 5;
	char need[MATRIX_NEED_SIZE];

	count_found(8, &seed, &change);
	uint32_t n = change.n_needed;

	CHECK(n > 15 && n < 40 && change.n_a == 8 && change.n_b == 8, "%u, %u, %u", n, change.n_a,
		change.n_b);
	matrix_change_need(need, &change);
	CHECK(strstr(need, " repeats would show 5 %, A has 8, B 8"), "%s", need);
	unsigned found = count_found(n, &seed, &change), with_half = count_found(n / 2, &seed, &change);

	printf("# %u repeats find %u of 420, half as many %u\n", n, found, with_half);
	CHECK(found >= 420 * 7 / 10 && with_half < 420 / 2);
	change.n_needed = 0;
	change.n_a = 1;
	matrix_change_need(need, &change);
	CHECK(strncmp(need, "a cell needs 3 repeats, A has 1, B ", 35) == 0, "%s", need);
	change.n_needed = 30;
	change.n_a = change.n_b = 30;
	CHECK(!*matrix_change_need(need, &change));
	CHECK(repeats_needed(0, 0.05) == REPEATS_MIN && repeats_needed(100, 0.05) == 0);
}

/* A factor is no percentage. */
static void a_change_has_its_unit(void)
{
	static const struct {
		double factor;
		const char *text, *with_unit;
	} rows[] = {
		{1, "+0.0", "+0.0%"}, {1.34, "+34", "+34%"}, {0.949, "-5.1", "-5.1%"}, {28, "x28", "x28"}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char text[MATRIX_CHANGE_SIZE], with_unit[MATRIX_CHANGE_SIZE];

		matrix_change_text(text, logf((float)rows[i].factor));
		matrix_change_with_unit(with_unit, logf((float)rows[i].factor));
		CHECK(strcmp(text, rows[i].text) == 0 && strcmp(with_unit, rows[i].with_unit) == 0, "%s, %s",
			text, with_unit);
	}
}

/* A summary has mean and deviation, from which the same sums are made again. */
static void repeats_come_back_from_mean_and_deviation(void)
{
	struct repeats repeats = {0};
	uint64_t seed = 4;

	for (unsigned n = 1; n < 40; n++) {
		repeats_add(&repeats, repeats_log((float)(3000 * exp(0.1 * noise(&seed)))));
		struct json_object *json = json_object_new_object();

		json_put_exact(json, "ns", repeats_ns(&repeats));
		json_put_exact(json, "deviation", repeats_deviation(&repeats));
		struct json_object *again = json_tokener_parse(json_object_to_json_string(json));
		struct repeats read =
			repeats_like(n, json_object_get_double(json_object_object_get(again, "ns")),
				json_object_get_double(json_object_object_get(again, "deviation")));

		CHECK(read.n == n && read.sum == repeats.sum && read.squares == repeats.squares, "%u", n);
		json_object_put(again);
		json_object_put(json);
	}
}

/* Measurements of one second are one repeat, whose value is their mean; many repeats have room. */
static void a_repeat_takes_a_second(void)
{
	struct matrix *matrix = matrix_of("core:2 pu:1");
	struct repeats repeats = {0};

	for (uint64_t i = 0; i < 3000; i++)
		feed(matrix, 0, 1, i % 2 ? 1100 : 1000, 1000, SECOND_NS + i * SECOND_NS / 300);
	struct repeats all = matrix_repeats_of(&matrix->now.repeats[0], SWEEP_THERE, MATRIX_P50);

	CHECK(matrix->now.n_repeats == 10 && all.n == 10, "%zu, %u", matrix->now.n_repeats, all.n);
	CHECK(fabs(repeats_ns(&all) - sqrt(1000.0 * 1100)) < 2, "%g", repeats_ns(&all));
	matrix_begin_phase(matrix, 2, 0);
	CHECK(matrix_repeats_of(&matrix->before.repeats[0], SWEEP_BACK, MATRIX_P99).n == 10);
	CHECK(matrix_repeats_of(&matrix->now.repeats[0], SWEEP_BACK, MATRIX_P99).n == 0);
	matrix_destroy(matrix);
	for (unsigned i = 0; i < 1000000; i++)
		repeats_add(&repeats, repeats_log(i % 2 ? 1e18f : 1e17f));
	CHECK(repeats.n <= REPEATS_MAX && fabs(repeats_ns(&repeats) / 3.1623e17 - 1) < 0.01, "%g",
		repeats_ns(&repeats));
	repeats = (struct repeats){0};
	for (unsigned i = 0; i < 3 * REPEATS_MAX + 5; i++) /* of which many fade */
		repeats_add(&repeats, repeats_log(i % 2 ? 5000 : 5100));
	CHECK(fabs(repeats_deviation(&repeats) - 0.0099) < 0.0005, "%g", repeats_deviation(&repeats));
}

/* Field by field: what is between them may differ. */
static bool phases_are_alike(const struct matrix_phase *a, const struct matrix_phase *b, size_t n_pairs)
{
	bool are = a->number == b->number && a->n_repeats == b->n_repeats;

	for (size_t i = 0; i < n_pairs && are; i++)
		are = a->repeats[i].since_ns == b->repeats[i].since_ns &&
		      a->repeats[i].n == b->repeats[i].n &&
		      memcmp(a->repeats[i].logs, b->repeats[i].logs, sizeof(a->repeats[i].logs)) == 0 &&
		      memcmp(a->repeats[i].past, b->repeats[i].past, sizeof(a->repeats[i].past)) == 0;
	return are;
}

static bool are_alike(const struct matrix *a, const struct matrix *b)
{
	bool are = a->n_cpus == b->n_cpus && a->n_measured == b->n_measured && a->n_results == b->n_results &&
		   memcmp(a->cpus, b->cpus, a->n_cpus * sizeof(*a->cpus)) == 0 &&
		   memcmp(a->localities, b->localities, a->n_pairs) == 0 &&
		   task_policy_equal(a->policy, b->policy);

	for (size_t i = 0; i < a->n_pairs && are; i++)
		are = a->results[i].a == b->results[i].a && a->results[i].b == b->results[i].b &&
		      a->results[i].at_ns == b->results[i].at_ns &&
		      memcmp(a->results[i].figures, b->results[i].figures, sizeof(a->results[i].figures)) ==
			      0;
	return are && phases_are_alike(&a->now, &b->now, a->n_pairs) &&
	       phases_are_alike(&a->before, &b->before, a->n_pairs);
}

/* @n: bytes that are read. Returns the matrix of a recording with this header and checkpoint. */
static struct matrix *decoded(struct json_object *header, const struct bytes *bytes, size_t n)
{
	struct scan scan = {.at = bytes->data, .end = bytes->data + n};
	struct matrix *read = NULL;

	CHECK(sweep_json_read(header, &read) == 0);
	CHECK(sweep_decode_all(&scan, read, 1) == 0 && scan.at == scan.end);
	return read;
}

static void a_recording_has_the_matrix(void)
{
	static const char *const machines[] = {"pack:1 core:2 pu:1",
		"pack:2 l3:1 core:2 pu:2(indexes=0,4,1,5,2,6,3,7)", "pack:2 numa:2 l3:2 core:2 pu:2"};

	for (size_t i = 0; i < 2 * sizeof(machines) / sizeof(*machines); i++) {
		struct matrix *matrix = matrix_of(machines[i / 2]);
		struct bytes bytes = {0};

		matrix->has_first = i % 2;
		struct json_object *header = sweep_json(matrix);

		feed(matrix, 0, 1, 2000.5f, 2100.25f, 5000);
		matrix_begin_phase(matrix, 2, 0);
		feed(matrix, 0, matrix->n_cpus - 1, 66.125f, 3100, 6000);
		if (!matrix->has_first) /* as no sweep measures them */
			for (size_t pair = 0; pair < matrix->n_pairs; pair++)
				memset(&matrix->results[pair].figures[SWEEP_FIRST_THERE], 0,
					2 * sizeof(struct sweep_figure));
		sweep_encode_all(&bytes, matrix);
		struct matrix *read = decoded(header, &bytes, bytes.n);

		CHECK(are_alike(matrix, read) && read->has_first == matrix->has_first, "%s, %zu",
			machines[i / 2], i % 2);
		json_object_put(header);
		bytes_finish(&bytes);
		matrix_destroy(matrix);
		matrix_destroy(read);
	}
}

/* So an older program reads each entry as one of a sweep without first hops. */
static void first_hops_are_behind_all_else(void)
{
	struct matrix *with = matrix_of("core:4 pu:1"), *without = matrix_of("core:4 pu:1");
	struct bytes all = {0}, part = {0}, fed = {0}, fed_part = {0};
	const struct sweep_result result = {
		0, 1, 5000, {figure(100), figure(200), figure(300), figure(4000), figure(5000)}};
	const struct feed_sweep sweep = {&result, 1, 1};
	struct sweep_result results[SWEEP_RESULTS_MAX];
	struct feed_sweep read;

	with->has_first = true;
	feed(with, 0, 1, 2000, 2100, 5000);
	feed(without, 0, 1, 2000, 2100, 5000);
	sweep_encode_all(&all, with);
	sweep_encode_all(&part, without);
	CHECK(all.n > part.n && memcmp(all.data, part.data, part.n) == 0);
	sweep_encode(&fed, &sweep, N_SWEEP_FIGURES);
	sweep_encode(&fed_part, &sweep, N_SWEEP_FIGURES_OF_ALL);
	CHECK(fed.n > fed_part.n && memcmp(fed.data, fed_part.data, fed_part.n) == 0);
	struct scan scan = {.at = fed.data, .end = fed.data + fed.n};

	sweep_decode(&scan, 4, N_SWEEP_FIGURES, &read, results);
	CHECK(!scan.bad && scan.at == scan.end && read.n == 1 &&
		results[0].figures[SWEEP_FIRST_BACK].p50_ns == 5000);
	bytes_finish(&all);
	bytes_finish(&part);
	bytes_finish(&fed);
	bytes_finish(&fed_part);
	matrix_destroy(with);
	matrix_destroy(without);
}

static void what_no_matrix_has_is_refused(void)
{
	static const struct sweep_result bad[] = {
		{1, 0, 5000, {{1, 1, 1, 1, 1}}},      /* the CPUs are not in order */
		{0, 9, 5000, {{1, 1, 1, 1, 1}}},      /* there is no such CPU */
		{0, 1, 0, {{1, 1, 1, 1, 1}}},         /* without a time */
		{0, 1, 5000, {{1, -1, 1, 1, 1}}},     /* before it was sent */
		{0, 1, 5000, {{1, 1, 1, 1, 1e30f}}}}; /* too long */

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct sweep_result results[SWEEP_RESULTS_MAX];
		struct feed_sweep sweep;
		struct bytes bytes = {0};

		sweep_encode(&bytes, &(struct feed_sweep){&bad[i], 1, 1}, N_SWEEP_FIGURES_OF_ALL);
		struct scan scan = {.at = bytes.data, .end = bytes.data + bytes.n};

		sweep_decode(&scan, 8, N_SWEEP_FIGURES_OF_ALL, &sweep, results);
		CHECK(scan.bad, "%zu", i);
		bytes_finish(&bytes);
	}
}

int main(void)
{
	TEST(percentiles_are_samples);
	TEST(any_place_of_any_times_is_found);
	TEST(the_last_round_is_the_last);
	TEST(a_percentile_is_trusted_with_10_samples_beyond_it);
	TEST(a_pair_is_two_hops_and_one_lap);
	TEST(a_matrix_may_have_first_hops);
	TEST(cpus_that_there_are_not_are_refused);
	TEST(its_text_has_at_most_80_columns);
	TEST(classes_have_spread_and_outliers);
	TEST(groups_have_the_medians_of_their_cells);
	TEST(a_cell_that_changed_is_found);
	TEST(a_change_of_10_percent_is_found);
	TEST(equal_phases_are_not_told_apart);
	TEST(first_hops_change_apart);
	TEST(matrices_of_two_files_compare);
	TEST(as_many_repeats_as_are_needed_show_a_change_of_5_percent);
	TEST(a_change_has_its_unit);
	TEST(repeats_come_back_from_mean_and_deviation);
	TEST(a_repeat_takes_a_second);
	TEST(a_recording_has_the_matrix);
	TEST(first_hops_are_behind_all_else);
	TEST(what_no_matrix_has_is_refused);
	return tap_done();
}

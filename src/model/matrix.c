/* SPDX-License-Identifier: GPL-2.0-or-later */
/* matrix.c - what a sweep has measured so far. */
#include "src/model/matrix.h"
#include "src/figures/hist.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/plan/plan.h"

#define REPEAT_NS UINT64_C(1000000000)

static const struct sweep_figure no_samples;

const char *matrix_figure_name(enum matrix_figure figure)
{
	static const char *const names[] = {"first", "hop", "lap"};

	return names[figure];
}

const char *matrix_figure_title(enum matrix_figure figure)
{
	static const char *const titles[] = {"first hop", "hop", "lap"};

	return titles[figure];
}

const char *matrix_value_name(enum matrix_value value)
{
	static const char *const names[] = {"p50", "p99", "Max", "Min"};

	return names[value];
}

/* --- a matrix --- */

static void fill_localities(struct matrix *matrix, const struct topology *topology)
{
	for (uint32_t b = 0; b < matrix->n_cpus; b++) {
		const struct topology_cpu *to = topology_find(topology, matrix->cpus[b].cpu);

		matrix->isolated[b] = cpus_has(&topology->isolated, matrix->cpus[b].cpu);
		for (uint32_t a = 0; a < b; a++)
			matrix->localities[sweep_pair_index(a, b)] = (uint8_t)topology_cpu_locality(
				topology_find(topology, matrix->cpus[a].cpu), to);
	}
}

int matrix_create_empty(struct matrix **created, uint32_t n_cpus, const char *mechanism, const char *title)
{
	struct matrix *matrix = calloc(1, sizeof(*matrix));

	*created = NULL;
	if (!matrix)
		return -ENOMEM;
	matrix->mechanism = strdup(mechanism);
	matrix->title = strdup(title);
	matrix->policy.policy = -1;
	matrix->n_cpus = n_cpus;
	matrix->n_pairs = (size_t)n_cpus * (n_cpus - 1) / 2;
	matrix->cpus = calloc(n_cpus, sizeof(*matrix->cpus));
	matrix->isolated = calloc(n_cpus, sizeof(*matrix->isolated));
	matrix->localities = calloc(matrix->n_pairs, sizeof(*matrix->localities));
	matrix->results = calloc(matrix->n_pairs, sizeof(*matrix->results));
	matrix->now.number = 1; /* of the phase "start" */
	matrix->now.repeats = calloc(matrix->n_pairs, sizeof(*matrix->now.repeats));
	matrix->before.repeats = calloc(matrix->n_pairs, sizeof(*matrix->before.repeats));
	if (!matrix->mechanism || !matrix->title || !matrix->cpus || !matrix->isolated ||
		!matrix->localities || !matrix->results || !matrix->now.repeats || !matrix->before.repeats) {
		matrix_destroy(matrix);
		return -ENOMEM;
	}
	*created = matrix;
	return 0;
}

int matrix_create(struct matrix **created, const struct topology *topology, const struct plan *plan)
{
	struct sweep_cpu *cpus;
	uint32_t n_cpus = sweep_cpus_sort(&cpus, topology, &plan->measured);

	*created = NULL;
	if (!n_cpus)
		return -ENOMEM;
	int r = matrix_create_empty(created, n_cpus, plan->sweep.mechanism, plan->sweep.title);

	if (r == 0) {
		memcpy((*created)->cpus, cpus, n_cpus * sizeof(*cpus));
		(*created)->batches = plan->sweep.spins;
		(*created)->has_first = plan->sweep.first;
		(*created)->at_once = plan->sweep.at_once;
		(*created)->loops = plan->sweep.loops;
		(*created)->policy = plan->sweep.policy;
		(*created)->size = plan->sweep.size;
		fill_localities(*created, topology);
	}
	free(cpus);
	return r;
}

void matrix_destroy(struct matrix *matrix)
{
	if (!matrix)
		return;
	free(matrix->mechanism);
	free(matrix->title);
	free(matrix->cpus);
	free(matrix->isolated);
	free(matrix->localities);
	free(matrix->results);
	free(matrix->failure);
	free(matrix->now.repeats);
	free(matrix->before.repeats);
	free(matrix);
}

struct repeats matrix_repeats_of(
	const struct matrix_repeats *repeats, enum sweep_figure_kind kind, enum matrix_value value)
{
	struct repeats all = repeats->past[kind][value];

	if (repeats->n)
		repeats_add(&all, (repeats->logs[kind][value] + repeats->n / 2) / repeats->n);
	return all;
}

static void begin_repeat(struct matrix_repeats *repeats, uint64_t at_ns)
{
	for (int kind = 0; kind < N_SWEEP_FIGURES; kind++)
		for (int value = 0; value < N_COMPARED_VALUES; value++) {
			repeats->past[kind][value] = matrix_repeats_of(
				repeats, (enum sweep_figure_kind)kind, (enum matrix_value)value);
			repeats->logs[kind][value] = 0;
		}
	repeats->since_ns = at_ns;
	repeats->n = 0;
}

/* A measurement without samples is none. @n_kinds: of its figures, as in matrix_n_kinds(). */
static void add_to_repeat(
	struct matrix_phase *phase, size_t pair, const struct sweep_result *result, int n_kinds)
{
	struct matrix_repeats *repeats = &phase->repeats[pair];

	if (result->at_ns < phase->start_ns)
		return;
	for (int kind = 0; kind < n_kinds; kind++)
		if (!result->figures[kind].n)
			return;
	if (!repeats->n || result->at_ns >= repeats->since_ns + REPEAT_NS) {
		begin_repeat(repeats, result->at_ns);
		phase->n_repeats++;
	}
	repeats->n++;
	for (int kind = 0; kind < n_kinds; kind++)
		for (int value = 0; value < N_COMPARED_VALUES; value++)
			repeats->logs[kind][value] += repeats_log(
				matrix_value_of(&result->figures[kind], (enum matrix_value)value));
}

void matrix_put(struct matrix *matrix, const struct sweep_result *result)
{
	size_t pair = sweep_pair_index(result->a, result->b);

	matrix->n_measured += !matrix->results[pair].at_ns;
	matrix->results[pair] = *result;
}

int matrix_feed(struct matrix *matrix, const struct sweep_result *results, size_t n, uint64_t n_rounds)
{
	for (size_t i = 0; i < n; i++) {
		if (!matrix || results[i].a >= results[i].b || results[i].b >= matrix->n_cpus)
			return -EINVAL;
		matrix_put(matrix, &results[i]);
		add_to_repeat(&matrix->now, sweep_pair_index(results[i].a, results[i].b), &results[i],
			matrix_n_kinds(matrix));
		matrix->n_results++;
	}
	if (matrix)
		matrix->n_rounds = n_rounds;
	return 0;
}

uint64_t matrix_round(const struct matrix *matrix)
{
	return matrix->loops && matrix->n_rounds >= matrix->loops ? matrix->n_rounds : matrix->n_rounds + 1;
}

void matrix_begin_phase(struct matrix *matrix, uint32_t number, uint64_t start_ns)
{
	if (matrix->now.n_repeats) {
		struct matrix_phase before = matrix->before;

		matrix->before = matrix->now;
		matrix->now = (struct matrix_phase){.repeats = before.repeats};
		memset(matrix->now.repeats, 0, matrix->n_pairs * sizeof(*matrix->now.repeats));
	}
	matrix->now.number = number;
	matrix->now.start_ns = start_ns;
}

int matrix_copy_phase(struct matrix **copy, const struct matrix *matrix, uint32_t number)
{
	const struct matrix_phase *phase = matrix->now.number == number      ? &matrix->now
					   : matrix->before.number == number ? &matrix->before
									     : NULL;
	int r = matrix_create_empty(copy, matrix->n_cpus, matrix->mechanism, matrix->title);

	if (r < 0)
		return r;
	(*copy)->batches = matrix->batches;
	(*copy)->has_first = matrix->has_first;
	(*copy)->at_once = matrix->at_once;
	(*copy)->loops = matrix->loops;
	(*copy)->policy = matrix->policy;
	(*copy)->size = matrix->size;
	memcpy((*copy)->cpus, matrix->cpus, matrix->n_cpus * sizeof(*matrix->cpus));
	memcpy((*copy)->isolated, matrix->isolated, matrix->n_cpus);
	memcpy((*copy)->localities, matrix->localities, matrix->n_pairs);
	(*copy)->now.number = number;
	if (phase) {
		(*copy)->now.n_repeats = phase->n_repeats;
		memcpy((*copy)->now.repeats, phase->repeats, matrix->n_pairs * sizeof(*phase->repeats));
	}
	return 0;
}

/* Swaps the directions, for CPUs in the other order. */
static struct matrix_repeats turned(const struct matrix_repeats *repeats)
{
	static const int back_of[N_SWEEP_FIGURES] = {[SWEEP_THERE] = SWEEP_BACK,
		[SWEEP_BACK] = SWEEP_THERE,
		[SWEEP_LAP] = SWEEP_LAP,
		[SWEEP_FIRST_THERE] = SWEEP_FIRST_BACK,
		[SWEEP_FIRST_BACK] = SWEEP_FIRST_THERE};
	struct matrix_repeats turned = *repeats;

	for (int kind = 0; kind < N_SWEEP_FIGURES; kind++) {
		int other = back_of[kind];

		memcpy(turned.past[kind], repeats->past[other], sizeof(repeats->past[other]));
		memcpy(turned.logs[kind], repeats->logs[other], sizeof(repeats->logs[other]));
	}
	return turned;
}

static bool has_repeats(const struct matrix_repeats *repeats)
{
	return repeats->n || repeats->past[SWEEP_LAP][MATRIX_P50].n;
}

int matrix_put_before(struct matrix *matrix, const struct matrix *before, size_t *n)
{
	uint32_t *indices = malloc(CPUS_MAX * sizeof(*indices)); /* in @before, by CPU; n_cpus: it has none */

	*n = 0;
	if (!indices)
		return -ENOMEM;
	for (unsigned cpu = 0; cpu < CPUS_MAX; cpu++)
		indices[cpu] = before->n_cpus;
	for (uint32_t index = 0; index < before->n_cpus; index++)
		indices[before->cpus[index].cpu] = index;
	memset(matrix->before.repeats, 0, matrix->n_pairs * sizeof(*matrix->before.repeats));
	matrix->before.number = before->now.number;
	matrix->before.n_repeats = before->now.n_repeats;
	for (uint32_t b = 1; b < matrix->n_cpus; b++)
		for (uint32_t a = 0; a < b; a++) {
			uint32_t from = indices[matrix->cpus[a].cpu], to = indices[matrix->cpus[b].cpu];
			size_t pair = sweep_pair_index(a, b);

			if (from == before->n_cpus || to == before->n_cpus || from == to)
				continue;
			const struct matrix_repeats *repeats =
				&before->now.repeats[sweep_pair_index(from, to)];

			matrix->before.repeats[pair] = from < to ? *repeats : turned(repeats);
			*n += has_repeats(repeats) && has_repeats(&matrix->now.repeats[pair]);
		}
	free(indices);
	return 0;
}

void matrix_fail(struct matrix *matrix, const char *reason)
{
	free(matrix->failure);
	matrix->failure = strdup(reason);
}

/* --- cells --- */

enum sweep_figure_kind matrix_kind_of(enum matrix_figure figure, uint32_t row, uint32_t column)
{
	bool is_there = row < column;

	return figure == MATRIX_LAP   ? SWEEP_LAP
	       : figure == MATRIX_HOP ? (is_there ? SWEEP_THERE : SWEEP_BACK)
				      : (is_there ? SWEEP_FIRST_THERE : SWEEP_FIRST_BACK);
}

const struct sweep_figure *matrix_figure_of(
	const struct matrix *matrix, enum matrix_figure figure, uint32_t row, uint32_t column)
{
	if (row == column)
		return &no_samples;
	const struct sweep_result *result = &matrix->results[sweep_pair_index(row, column)];

	return &result->figures[matrix_kind_of(figure, row, column)];
}

float matrix_value_of(const struct sweep_figure *figure, enum matrix_value value)
{
	const float values[] = {
		[MATRIX_P50] = figure->p50_ns,
		[MATRIX_P99] = figure->p99_ns,
		[MATRIX_MAX] = figure->max_ns,
		[MATRIX_MIN] = figure->min_ns,
	};

	return figure->n ? values[value] : -1;
}

bool matrix_value_is_trusted(const struct sweep_figure *figure, enum matrix_value value)
{
	static const double percentiles[N_MATRIX_VALUES] = {[MATRIX_P50] = 50, [MATRIX_P99] = 99};

	return !percentiles[value] || hist_beyond(figure->n, percentiles[value]) >= HIST_BEYOND_TRUSTED;
}

uint64_t matrix_measured_ns(const struct matrix *matrix, uint32_t row, uint32_t column)
{
	return row == column ? 0 : matrix->results[sweep_pair_index(row, column)].at_ns;
}

enum locality matrix_locality(const struct matrix *matrix, uint32_t row, uint32_t column)
{
	return row == column ? LOCALITY_OWN
			     : (enum locality)matrix->localities[sweep_pair_index(row, column)];
}

/* --- the summary --- */

float matrix_median(float *values, size_t n)
{
	if (!n)
		return -1;
	float middle = sweep_times_select(values, n, n / 2), before = values[0];

	for (size_t i = 1; n % 2 == 0 && i < n / 2; i++) /* none of these is larger than the middle now */
		before = values[i] > before ? values[i] : before;
	return n % 2 ? middle : (middle + before) / 2;
}

/* The values of all cells, row by row, and room for as many. The results have 13 MB with 576 CPUs, so they
 * are read once, in their order. */
struct summing {
	const struct matrix *matrix;
	enum matrix_figure figure;
	float *cells, *values;
};

static float value_at(const struct summing *s, uint32_t row, uint32_t column)
{
	return s->cells[(size_t)row * s->matrix->n_cpus + column];
}

static void read_cell(struct summing *s, enum matrix_value value, uint32_t row, uint32_t column,
	struct matrix_summary *summary)
{
	const struct sweep_figure *figure = matrix_figure_of(s->matrix, s->figure, row, column);

	s->cells[(size_t)row * s->matrix->n_cpus + column] = matrix_value_of(figure, value);
	if (figure->n && (!summary->n_least || figure->n < summary->n_least))
		summary->n_least = figure->n;
	if (figure->n > summary->n_most)
		summary->n_most = figure->n;
	if (row < column || s->figure != MATRIX_LAP)
		summary->classes[matrix_locality(s->matrix, row, column)].n_samples += figure->n;
}

static void read_cells(struct summing *s, enum matrix_value value, struct matrix_summary *summary)
{
	for (uint32_t b = 0; b < s->matrix->n_cpus; b++) {
		for (uint32_t a = 0; a < b; a++) {
			read_cell(s, value, a, b, summary);
			read_cell(s, value, b, a, summary);
		}
		s->cells[(size_t)b * s->matrix->n_cpus + b] = -1;
	}
}

static void add_to_class(
	struct matrix_class *class, float *values, float value, uint32_t row, uint32_t column)
{
	if (value < 0)
		return;
	if (!class->n || value < class->least)
		class->least = value;
	if (!class->n || value > class->largest) {
		class->largest = value;
		class->row = row;
		class->column = column;
	}
	values[class->n++] = value;
}

static void sum_classes(struct summing *s, struct matrix_summary *summary)
{
	const struct matrix *matrix = s->matrix;
	float *values[N_LOCALITIES], *next = s->values; /* of each class */

	for (size_t i = 0; i < matrix->n_pairs; i++)
		summary->classes[matrix->localities[i]].n_cells += s->figure == MATRIX_LAP ? 1 : 2;
	for (int i = 0; i < N_LOCALITIES; i++) {
		values[i] = next;
		next += summary->classes[i].n_cells;
	}
	for (uint32_t b = 1; b < matrix->n_cpus; b++)
		for (uint32_t a = 0; a < b; a++) {
			enum locality locality = matrix_locality(matrix, a, b);
			struct matrix_class *class = &summary->classes[locality];

			add_to_class(class, values[locality], value_at(s, a, b), a, b);
			if (s->figure != MATRIX_LAP)
				add_to_class(class, values[locality], value_at(s, b, a), b, a);
		}
	for (int i = 0; i < N_LOCALITIES; i++)
		if (summary->classes[i].n)
			summary->classes[i].median = matrix_median(values[i], summary->classes[i].n);
}

/* All cells are in the place of LOCALITY_OWN, which has none of its own. */
static struct matrix_outliers *outliers_of(struct matrix_summary *summary, int locality)
{
	return locality ? &summary->classes[locality].outliers : &summary->outliers;
}

/* The medians of CPUs, as receivers or as senders. */
struct cpu_medians {
	float *medians; /* of those that are known */
	uint32_t n_known, slowest, index_of_slowest;
};

static void add_median(struct cpu_medians *of, uint32_t index, float median)
{
	if (median < 0)
		return;
	if (!of->n_known || median > of->medians[of->slowest]) {
		of->slowest = of->n_known;
		of->index_of_slowest = index;
	}
	of->medians[of->n_known++] = median;
}

static struct matrix_slow_cpu slowest_of(const struct cpu_medians *of)
{
	if (of->n_known < 3)
		return (struct matrix_slow_cpu){0};
	float largest = of->medians[of->slowest];

	of->medians[of->slowest] = of->medians[of->n_known - 1];
	return (struct matrix_slow_cpu){.is_known = true,
		.index = of->index_of_slowest,
		.median = largest,
		.others = matrix_median(of->medians, of->n_known - 1)};
}

/* CPUs as receivers, or as senders. */
struct slow_search {
	float *values[N_LOCALITIES]; /* room for the cells of one CPU */
	size_t n[N_LOCALITIES];      /* of these */
	struct cpu_medians medians[N_LOCALITIES];
};

static void add_cell(struct slow_search *search, int locality, float value)
{
	if (value < 0)
		return;
	search->values[0][search->n[0]++] = value;
	search->values[locality][search->n[locality]++] = value;
}

static void add_medians(struct slow_search *search, uint32_t index)
{
	for (int i = 0; i < N_LOCALITIES; i++) {
		add_median(&search->medians[i], index, matrix_median(search->values[i], search->n[i]));
		search->n[i] = 0;
	}
}

static void make_room(struct slow_search *search, float *room, uint32_t n_cpus)
{
	*search = (struct slow_search){0};
	for (int i = 0; i < N_LOCALITIES; i++) {
		search->values[i] = room + (size_t)(2 * i) * n_cpus;
		search->medians[i].medians = room + (size_t)(2 * i + 1) * n_cpus;
	}
}

/* Finds the slowest CPUs among all cells and among those of each class. */
static void find_slow_cpus(struct summing *s, struct matrix_summary *summary)
{
	uint32_t n_cpus = s->matrix->n_cpus;
	struct slow_search receivers, senders;

	make_room(&receivers, s->values, n_cpus);
	make_room(&senders, s->values + 2 * N_LOCALITIES * (size_t)n_cpus, n_cpus);
	for (uint32_t index = 0; index < n_cpus; index++) {
		for (uint32_t other = 0; other < n_cpus; other++) {
			int locality = matrix_locality(s->matrix, index, other);

			add_cell(&receivers, locality, value_at(s, other, index));
			add_cell(&senders, locality, value_at(s, index, other));
		}
		add_medians(&receivers, index);
		add_medians(&senders, index);
	}
	for (int i = 0; i < N_LOCALITIES; i++) {
		struct matrix_outliers *outliers = outliers_of(summary, i);

		outliers->receiver = slowest_of(&receivers.medians[i]);
		outliers->sender = slowest_of(&senders.medians[i]);
	}
}

static void find_asymmetries(const struct summing *s, struct matrix_summary *summary)
{
	float most[N_LOCALITIES] = {0};

	for (uint32_t b = 1; s->figure != MATRIX_LAP && b < s->matrix->n_cpus; b++)
		for (uint32_t a = 0; a < b; a++) {
			float there = value_at(s, a, b), back = value_at(s, b, a);
			int locality = matrix_locality(s->matrix, a, b);
			bool larger = there >= back;
			float ratio = there <= 0 || back <= 0 ? 0 : larger ? there / back : back / there;

			if (ratio <= most[locality])
				continue;
			most[locality] = ratio;
			summary->classes[locality].outliers.asymmetry = (struct matrix_asymmetry){true,
				larger ? a : b, larger ? b : a, larger ? there : back, larger ? back : there};
		}
	for (int i = LOCALITY_SMT; i < N_LOCALITIES; i++)
		if (most[i] > most[0]) {
			most[0] = most[i];
			summary->outliers.asymmetry = summary->classes[i].outliers.asymmetry;
		}
}

static void find_ages(const struct matrix *matrix, struct matrix_summary *summary)
{
	for (size_t i = 0; i < matrix->n_pairs; i++) {
		uint64_t at_ns = matrix->results[i].at_ns;

		if (at_ns && (!summary->oldest_ns || at_ns < summary->oldest_ns))
			summary->oldest_ns = at_ns;
		if (at_ns > summary->newest_ns)
			summary->newest_ns = at_ns;
	}
}

int matrix_summarize(const struct matrix *matrix, enum matrix_figure figure, enum matrix_value value,
	struct matrix_summary *summary)
{
	size_t n_cells = (size_t)matrix->n_cpus * matrix->n_cpus;
	size_t room = n_cells + 4 * N_LOCALITIES * (size_t)matrix->n_cpus;
	struct summing s = {matrix, figure, malloc(n_cells * sizeof(float)), malloc(room * sizeof(float))};

	*summary = (struct matrix_summary){0};
	if (!s.cells || !s.values) {
		free(s.cells);
		free(s.values);
		return -ENOMEM;
	}
	read_cells(&s, value, summary);
	sum_classes(&s, summary);
	find_slow_cpus(&s, summary);
	find_asymmetries(&s, summary);
	find_ages(matrix, summary);
	free(s.cells);
	free(s.values);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* matrix_json.c - the matrix of a sweep as JSON, written and read. */
#include "src/report/matrix_json.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "src/base/json.h"
#include "src/base/text.h"
#include "src/model/matrix_change.h"
#include "src/model/matrix_words.h"
#include "src/model/session.h"

static struct json_object *json_figure(const struct sweep_figure *figure)
{
	struct json_object *object = json_object_new_object();

	json_put_uint(object, "count", figure->n);
	if (!figure->n)
		return object;
	json_put_number(object, "min_ns", (double)figure->min_ns);
	json_put_number(object, "p50_ns", (double)figure->p50_ns);
	json_put_number(object, "p99_ns", (double)figure->p99_ns);
	json_put_number(object, "max_ns", (double)figure->max_ns);
	return object;
}

/* --- changes --- */

static struct json_object *json_counts(const struct matrix_change *change)
{
	struct json_object *object = json_object_new_object();

	json_put_uint(object, "cells", change->n_cells);
	json_put_uint(object, "too_few", change->n_too_few);
	json_put_uint(object, "same", change->n_same);
	json_put_uint(object, "undecided", change->n_undecided);
	json_put_uint(object, "better", change->n_better);
	json_put_uint(object, "worse", change->n_worse);
	return object;
}

static struct json_object *json_changes(const struct matrix *matrix, const struct matrix_change *changes)
{
	struct json_object *object = json_object_new_object();

	json_put_uint(object, "from_phase", matrix->before.number);
	json_put_uint(object, "to_phase", matrix->now.number);
	for (int value = 0; value < N_COMPARED_VALUES; value++)
		json_put(object, matrix_value_name((enum matrix_value)value), json_counts(&changes[value]));
	return object;
}

static struct json_object *json_cell_change(const struct matrix_cell_change *cell)
{
	struct json_object *object = json_object_new_object();

	json_put_text(object, "verdict", shift_verdict_words[cell->verdict].name);
	json_put_uint(object, "repeats_a", cell->n_a);
	json_put_uint(object, "repeats_b", cell->n_b);
	if (cell->n_a)
		json_put_number(object, "a_ns", (double)cell->a);
	if (cell->n_b)
		json_put_number(object, "b_ns", (double)cell->b);
	if (cell->verdict == SHIFT_TOO_FEW)
		return object;
	json_put_number(object, "ratio", exp((double)cell->estimate));
	json_put_number(object, "ratio_low", exp((double)(cell->estimate - cell->half)));
	json_put_number(object, "ratio_high", exp((double)(cell->estimate + cell->half)));
	return object;
}

static struct json_object *json_cell_changes(
	const struct matrix_change *changes, uint32_t row, uint32_t column)
{
	struct json_object *object = json_object_new_object();

	for (int value = 0; value < N_COMPARED_VALUES; value++)
		json_put(object, matrix_value_name((enum matrix_value)value),
			json_cell_change(matrix_change_of(&changes[value], row, column)));
	return object;
}

static struct json_object *json_changed_cell(
	const struct matrix *matrix, const struct matrix_changes *changes, uint32_t row, uint32_t column)
{
	struct json_object *object = json_object_new_object();

	json_put_uint(object, "from", matrix->cpus[row].cpu);
	json_put_uint(object, "to", matrix->cpus[column].cpu);
	json_put_text(object, "class", locality_name(matrix_locality(matrix, row, column)));
	for (int i = 0; i < N_MATRIX_FIGURES; i++)
		if (matrix_has(matrix, (enum matrix_figure)i))
			json_put(object, matrix_figure_name((enum matrix_figure)i),
				json_cell_changes(changes->of[i], row, column));
	return object;
}

struct json_object *matrix_json_changes(const struct matrix *matrix, const struct matrix_changes *changes)
{
	struct json_object *object = json_object_new_object(), *cells = json_object_new_array();

	json_put_text(object, "mechanism", matrix->mechanism);
	for (int i = 0; i < N_MATRIX_FIGURES; i++)
		if (matrix_has(matrix, (enum matrix_figure)i))
			json_put(object, matrix_figure_name((enum matrix_figure)i),
				json_changes(matrix, changes->of[i]));
	for (uint32_t row = 0; cells && row < matrix->n_cpus; row++)
		for (uint32_t column = 0; column < matrix->n_cpus; column++) {
			const struct matrix_cell_change *cell =
				matrix_change_of(&changes->of[MATRIX_LAP][MATRIX_P50], row, column);

			if (row != column && cell->n_a && cell->n_b)
				json_object_array_add(cells, json_changed_cell(matrix, changes, row, column));
		}
	json_put(object, "cells", cells);
	return object;
}

/* --- the matrix --- */

static struct json_object *json_pair(const struct matrix *matrix, uint32_t row, uint32_t column)
{
	struct json_object *array = json_object_new_array_ext(2);

	if (array) {
		json_object_array_add(array, json_object_new_uint64(matrix->cpus[row].cpu));
		json_object_array_add(array, json_object_new_uint64(matrix->cpus[column].cpu));
	}
	return array;
}

static struct json_object *json_cpus(const struct matrix *matrix)
{
	struct json_object *array = json_object_new_array_ext((int)matrix->n_cpus);

	for (uint32_t i = 0; array && i < matrix->n_cpus; i++)
		json_object_array_add(array, json_object_new_uint64(matrix->cpus[i].cpu));
	return array;
}

static void put_slow_cpu(struct json_object *object, const char *key, const struct matrix *matrix,
	const struct matrix_slow_cpu *slow)
{
	struct json_object *value = slow->is_known ? json_object_new_object() : NULL;

	if (!value)
		return;
	json_put_uint(value, "cpu", matrix->cpus[slow->index].cpu);
	json_put_number(value, "median_ns", (double)slow->median);
	json_put_number(value, "others_ns", (double)slow->others);
	json_put(object, key, value);
}

static void put_outliers(struct json_object *object, const struct session *session, enum matrix_figure figure,
	const struct matrix_outliers *outliers)
{
	const struct matrix *matrix = session->matrix;
	const struct matrix_asymmetry *asymmetry = &outliers->asymmetry;

	put_slow_cpu(object, figure == MATRIX_LAP ? "slowest_cpu" : "slowest_receiver", matrix,
		&outliers->receiver);
	if (figure != MATRIX_LAP)
		put_slow_cpu(object, "slowest_sender", matrix, &outliers->sender);
	struct json_object *value = asymmetry->is_known ? json_object_new_object() : NULL;

	if (!value)
		return;
	json_put(value, "cpus", json_pair(matrix, asymmetry->row, asymmetry->column));
	json_put_number(value, "there_ns", (double)asymmetry->there);
	json_put_number(value, "back_ns", (double)asymmetry->back);
	json_put_bool(value, "within_clock_skew", matrix_is_skew(session, asymmetry));
	json_put(object, "largest_asymmetry", value);
}

static struct json_object *json_classes(
	const struct session *session, enum matrix_figure figure, const struct matrix_summary *summary)
{
	struct json_object *array = json_object_new_array();

	for (int i = 0; array && i < N_LOCALITIES; i++) {
		const struct matrix_class *class = &summary->classes[i];
		struct json_object *object = class->n_cells ? json_object_new_object() : NULL;

		if (!object)
			continue;
		json_put_text(object, "class", locality_name((enum locality)i));
		json_put_uint(object, "cells", class->n_cells);
		json_put_uint(object, "measured", class->n);
		json_put_uint(object, "count", class->n_samples);
		if (class->n) {
			json_put_number(object, "least_ns", (double)class->least);
			json_put_number(object, "median_ns", (double)class->median);
			json_put_number(object, "largest_ns", (double)class->largest);
			json_put(object, "largest_at", json_pair(session->matrix, class->row, class->column));
		}
		put_outliers(object, session, figure, &class->outliers);
		json_object_array_add(array, object);
	}
	return array;
}

static struct json_object *json_summary(
	const struct session *session, enum matrix_figure figure, const struct matrix_summary *summary)
{
	struct json_object *object = json_object_new_object();

	json_put(object, "classes", json_classes(session, figure, summary));
	put_outliers(object, session, figure, &summary->outliers);
	return object;
}

/* Returns NULL where the pair has no repeat in the phase. */
static struct json_object *json_repeats(
	const struct matrix_phase *phase, enum matrix_figure figure, uint32_t row, uint32_t column)
{
	const struct matrix_repeats *pair = &phase->repeats[sweep_pair_index(row, column)];
	enum sweep_figure_kind kind = matrix_kind_of(figure, row, column);
	uint32_t n = matrix_repeats_of(pair, kind, MATRIX_P50).n;
	struct json_object *object = n ? json_object_new_object() : NULL;

	json_put_uint(object, "count", n);
	for (int i = 0; object && i < N_COMPARED_VALUES; i++) {
		struct repeats repeats = matrix_repeats_of(pair, kind, (enum matrix_value)i);
		struct json_object *value = json_object_new_object();

		/* So that a comparison of summaries has the figures of one of recordings. */
		json_put_exact(value, "mean_ns", repeats_ns(&repeats));
		json_put_exact(value, "deviation_percent", 100 * repeats_deviation(&repeats));
		json_put(object, matrix_value_name((enum matrix_value)i), value);
	}
	return object;
}

static struct json_object *json_cell(
	const struct session *session, const struct matrix_changes *changes, uint32_t row, uint32_t column)
{
	const struct matrix *matrix = session->matrix;
	uint64_t at_ns = matrix_measured_ns(matrix, row, column);
	struct json_object *object = json_object_new_object();

	json_put_uint(object, "from", matrix->cpus[row].cpu);
	json_put_uint(object, "to", matrix->cpus[column].cpu);
	json_put_text(object, "class", locality_name(matrix_locality(matrix, row, column)));
	json_put_int(object, "at_ns", (int64_t)(at_ns - session->start_ns));
	json_put_uint(object, "age_ns", session_age_ns(session, at_ns));
	for (int i = 0; i < N_MATRIX_FIGURES; i++) {
		if (!matrix_has(matrix, (enum matrix_figure)i))
			continue;
		struct json_object *figure =
			json_figure(matrix_figure_of(matrix, (enum matrix_figure)i, row, column));

		json_put(figure, "repeats", json_repeats(&matrix->now, (enum matrix_figure)i, row, column));
		if (matrix->before.number) {
			json_put(figure, "repeats_before",
				json_repeats(&matrix->before, (enum matrix_figure)i, row, column));
			json_put(figure, "change", json_cell_changes(changes->of[i], row, column));
		}
		json_put(object, matrix_figure_name((enum matrix_figure)i), figure);
	}
	return object;
}

static struct json_object *json_head(const struct session *session, const struct matrix_changes *changes)
{
	const struct matrix *matrix = session->matrix;
	struct json_object *object = json_object_new_object();

	json_put_text(object, "mechanism", matrix->mechanism);
	json_put_text(object, "title", matrix->title);
	json_put_bool(object, "lap_batches", matrix->batches);
	json_put_uint(object, "at_once", matrix->at_once);
	if (matrix->policy.policy >= 0) {
		json_put_text(object, "policy", task_policy_name(matrix->policy.policy));
		json_put_int(object, "priority", matrix->policy.priority);
		json_put_int(object, "nice", matrix->policy.nice);
	}
	json_put_uint(object, "rounds", matrix->n_rounds);
	json_put_uint(object, "measurements", matrix->n_results);
	json_put(object, "cpus", json_cpus(matrix));
	for (int i = 0; i < N_MATRIX_FIGURES; i++) {
		struct matrix_summary summary;

		if (!matrix_has(matrix, (enum matrix_figure)i))
			continue;
		if (matrix_summarize(matrix, (enum matrix_figure)i, MATRIX_P50, &summary) < 0) {
			json_object_put(object);
			return NULL;
		}
		struct json_object *figure = json_summary(session, (enum matrix_figure)i, &summary);

		if (matrix->before.number)
			json_put(figure, "changes", json_changes(matrix, changes->of[i]));
		json_put(object, matrix_figure_name((enum matrix_figure)i), figure);
	}
	return object;
}

int matrix_json_print(FILE *out, const struct session *session)
{
	const struct matrix *matrix = session->matrix;
	const char *before = "\n";
	struct matrix_changes changes = {0};
	int r = matrix->before.number ? matrix_changes_make(&changes, matrix) : 0;

	fprintf(out, "{\"summary\": ");
	if (r == 0)
		r = json_print_value(out, json_head(session, &changes), "");
	fprintf(out, ",\n\"cells\": [");
	for (uint32_t row = 0; row < matrix->n_cpus; row++)
		for (uint32_t column = 0; column < matrix->n_cpus && r == 0; column++) {
			if (!matrix_measured_ns(matrix, row, column))
				continue;
			r = json_print_value(out, json_cell(session, &changes, row, column), before);
			before = ",\n";
		}
	fprintf(out, "]}");
	matrix_changes_finish(&changes);
	return r;
}

/* --- of a summary, which may be anyone's --- */

enum { PAIRS_A_CELL = 64, PAIRS_MIN = 4096 };

static const double NS_MAX = 1e18, DEVIATION_MAX = 4000; /* percent */

/* Returns NAN where there is none. */
static double number(struct json_object *object, const char *key)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(object, key, &value);
	return json_object_is_type(value, json_type_int) || json_object_is_type(value, json_type_double)
		       ? json_object_get_double(value)
		       : NAN;
}

/* Marks the CPUs of all cells: a sweep may not have come to the others. Returns how many they are. */
static uint32_t mark_cpus(struct json_object *cells, bool is_used[CPUS_MAX])
{
	size_t n_cells = json_object_array_length(cells);
	uint32_t n = 0;

	for (size_t i = 0; i < n_cells; i++)
		for (int end = 0; end < 2; end++) {
			double cpu = number(json_object_array_get_idx(cells, i), end ? "to" : "from");

			if (!(cpu >= 0 && cpu < CPUS_MAX))
				continue;
			n += !is_used[(unsigned)cpu];
			is_used[(unsigned)cpu] = true;
		}
	return n;
}

/* Takes the CPUs that are used, in the order of the summary. Returns 0, or -EINVAL if it does not have each
 * of them once. */
static int read_cpus(struct json_object *cpus, bool is_used[CPUS_MAX], struct matrix *matrix)
{
	size_t n = json_object_array_length(cpus);
	uint32_t index = 0;

	for (size_t i = 0; i < n; i++) {
		struct json_object *cpu = json_object_array_get_idx(cpus, i);
		int64_t value = json_object_is_type(cpu, json_type_int) ? json_object_get_int64(cpu) : -1;

		if (value < 0 || value >= CPUS_MAX)
			return -EINVAL;
		if (!is_used[value])
			continue;
		is_used[value] = false;
		matrix->cpus[index++].cpu = (unsigned)value;
	}
	return index == matrix->n_cpus ? 0 : -EINVAL;
}

/* Returns n_cpus where the matrix does not have the CPU. */
static uint32_t index_of(const struct matrix *matrix, double cpu)
{
	uint32_t index = 0;

	while (index < matrix->n_cpus && matrix->cpus[index].cpu != cpu)
		index++;
	return index;
}

/* Leaves it unknown where the summary has none. */
static void read_policy(struct json_object *head, struct task_policy *policy)
{
	struct json_object *name = json_child(head, "policy", json_type_string);
	int parsed = name ? task_policy_parse(json_object_get_string(name)) : -1;
	double priority = number(head, "priority"), nice = number(head, "nice");

	if (parsed < 0 || !(priority >= 0 && priority < 100 && nice >= -20 && nice < 20))
		return;
	*policy = (struct task_policy){parsed, (int32_t)priority, (int32_t)nice};
}

static int read_repeats(struct matrix_repeats *pair, enum sweep_figure_kind kind, struct json_object *repeats)
{
	double n = number(repeats, "count");

	if (!(n >= 1 && n <= REPEATS_MAX))
		return -EINVAL;
	for (int i = 0; i < N_COMPARED_VALUES; i++) {
		struct json_object *value =
			json_child(repeats, matrix_value_name((enum matrix_value)i), json_type_object);
		double ns = number(value, "mean_ns"), deviation = number(value, "deviation_percent");

		if (!(ns >= 1 && ns < NS_MAX && deviation >= 0 && deviation <= DEVIATION_MAX))
			return -EINVAL;
		pair->past[kind][i] = repeats_like((uint32_t)n, ns, deviation / 100);
	}
	return 0;
}

static enum locality locality_of(const char *name)
{
	int locality = LOCALITY_SMT;

	while (locality < N_LOCALITIES && strcmp(locality_name((enum locality)locality), name) != 0)
		locality++;
	return (enum locality)locality;
}

/* @key: of the repeats. */
static int read_cell(struct matrix *matrix, struct json_object *cell, const char *key)
{
	uint32_t from = index_of(matrix, number(cell, "from")), to = index_of(matrix, number(cell, "to"));
	struct json_object *class = json_child(cell, "class", json_type_string);
	enum locality locality = class ? locality_of(json_object_get_string(class)) : N_LOCALITIES;
	int r = 0;

	if (from == matrix->n_cpus || to == matrix->n_cpus || from == to || locality == N_LOCALITIES)
		return -EINVAL;
	size_t pair = sweep_pair_index(from, to);

	matrix->localities[pair] = (uint8_t)locality;
	for (int figure = 0; figure < N_MATRIX_FIGURES && r == 0; figure++) {
		if (!matrix_has(matrix, (enum matrix_figure)figure))
			continue;
		struct json_object *repeats = json_child(
			json_child(cell, matrix_figure_name((enum matrix_figure)figure), json_type_object),
			key, json_type_object);

		if (!repeats)
			continue;
		r = read_repeats(&matrix->now.repeats[pair],
			matrix_kind_of((enum matrix_figure)figure, from, to), repeats);
		matrix->now.n_repeats++;
	}
	return r;
}

static int read_cells(struct matrix *matrix, struct json_object *cells, const char *key)
{
	size_t n = json_object_array_length(cells);
	int r = 0;

	for (size_t pair = 0; pair < matrix->n_pairs; pair++)
		matrix->localities[pair] = LOCALITY_SMT; /* of a pair that was not measured */
	for (size_t i = 0; i < n && r == 0; i++)
		r = read_cell(matrix, json_object_array_get_idx(cells, i), key);
	return r;
}

/* Returns the number of the phase that the changes are from; NAN: there are none. */
static double number_before(struct json_object *head)
{
	struct json_object *hops = json_child(head, matrix_figure_name(MATRIX_HOP), json_type_object);

	return number(json_child(hops, "changes", json_type_object), "from_phase");
}

int matrix_json_read(struct matrix **matrix, struct json_object *object, uint32_t phase, bool is_last)
{
	struct json_object *head = json_child(object, "summary", json_type_object),
			   *cpus = json_child(head, "cpus", json_type_array),
			   *mechanism = json_child(head, "mechanism", json_type_string),
			   *title = json_child(head, "title", json_type_string),
			   *cells = json_child(object, "cells", json_type_array);
	bool is_used[CPUS_MAX] = {false};
	uint32_t n = cells ? mark_cpus(cells, is_used) : 0;

	*matrix = NULL;
	/* A few cells of very many CPUs would take gigabytes: no sweep has so few. */
	if (n < 2 || !cpus || !mechanism || !title ||
		(size_t)n * (n - 1) / 2 > PAIRS_A_CELL * json_object_array_length(cells) + PAIRS_MIN)
		return -EINVAL;
	int r = matrix_create_empty(
		matrix, n, json_object_get_string(mechanism), json_object_get_string(title));

	if (r < 0)
		return r;
	text_clean((*matrix)->mechanism);
	text_clean((*matrix)->title);
	read_policy(head, &(*matrix)->policy);
	(*matrix)->has_first = json_child(head, matrix_figure_name(MATRIX_FIRST), json_type_object);
	(*matrix)->batches = json_object_get_boolean(json_child(head, "lap_batches", json_type_boolean));
	r = read_cpus(cpus, is_used, *matrix);
	if (r == 0)
		r = read_cells(*matrix, cells, is_last ? "repeats" : "repeats_before");
	if (r == 0 && !is_last && (!(*matrix)->now.n_repeats || number_before(head) != phase))
		r = -ENODATA;
	(*matrix)->now.number = phase;
	if (r < 0) {
		matrix_destroy(*matrix);
		*matrix = NULL;
	}
	return r;
}

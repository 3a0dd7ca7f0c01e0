/* SPDX-License-Identifier: GPL-2.0-or-later */
/* matrix_json.c - the matrix of a sweep as JSON. */
#include "src/report/matrix_json.h"

#include <errno.h>
#include <math.h>

#include "src/base/json.h"
#include "src/model/asymmetry.h"
#include "src/model/matrix_change.h"
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
		json_put(object, matrix_figure_name((enum matrix_figure)i),
			json_cell_changes(changes->of[i], row, column));
	return object;
}

struct json_object *matrix_json_changes(const struct matrix *matrix, const struct matrix_changes *changes)
{
	struct json_object *object = json_object_new_object(), *cells = json_object_new_array();

	json_put_text(object, "mechanism", matrix->mechanism);
	for (int i = 0; i < N_MATRIX_FIGURES; i++)
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

static struct json_object *json_classes(const struct matrix *matrix, const struct matrix_summary *summary)
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
			json_put(object, "largest_at", json_pair(matrix, class->row, class->column));
		}
		json_object_array_add(array, object);
	}
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

static struct json_object *json_summary(
	const struct session *session, enum matrix_figure figure, const struct matrix_summary *summary)
{
	const struct matrix *matrix = session->matrix;
	struct json_object *object = json_object_new_object();

	json_put(object, "classes", json_classes(matrix, summary));
	put_slow_cpu(object, figure == MATRIX_LAP ? "slowest_cpu" : "slowest_receiver", matrix,
		&summary->receiver);
	if (figure == MATRIX_HOP)
		put_slow_cpu(object, "slowest_sender", matrix, &summary->sender);
	if (summary->has_asymmetry) {
		struct json_object *value = json_object_new_object();

		json_put(value, "cpus", json_pair(matrix, summary->row, summary->column));
		json_put_number(value, "there_ns", (double)summary->there);
		json_put_number(value, "back_ns", (double)summary->back);
		json_put_bool(value, "within_clock_skew",
			asymmetry_is_skew(&session->machine, matrix->cpus[summary->row].cpu,
				matrix->cpus[summary->column].cpu, (double)summary->there,
				(double)summary->back));
		json_put(object, "largest_asymmetry", value);
	}
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

		json_put_number(value, "mean_ns", repeats_ns(&repeats));
		json_put_number(value, "deviation_percent", 100 * repeats_deviation(&repeats));
		json_put(object, matrix_value_name((enum matrix_value)i), value);
	}
	return object;
}

static struct json_object *json_cell(const struct matrix *matrix, const struct matrix_changes *changes,
	uint32_t row, uint32_t column, uint64_t start_ns)
{
	struct json_object *object = json_object_new_object();

	json_put_uint(object, "from", matrix->cpus[row].cpu);
	json_put_uint(object, "to", matrix->cpus[column].cpu);
	json_put_text(object, "class", locality_name(matrix_locality(matrix, row, column)));
	json_put_int(object, "at_ns", (int64_t)(matrix_measured_ns(matrix, row, column) - start_ns));
	for (int i = 0; i < N_MATRIX_FIGURES; i++) {
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
			r = json_print_value(
				out, json_cell(matrix, &changes, row, column, session->start_ns), before);
			before = ",\n";
		}
	fprintf(out, "]}");
	matrix_changes_finish(&changes);
	return r;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* matrix_json.c - the matrix of a sweep as JSON. */
#include "src/report/matrix_json.h"

#include <errno.h>

#include "src/base/json.h"
#include "src/model/matrix.h"
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
	json_put_uint(value, "cpu", matrix->cpus[slow->place].cpu);
	json_put_number(value, "median_ns", (double)slow->median);
	json_put_number(value, "others_ns", (double)slow->others);
	json_put(object, key, value);
}

static struct json_object *json_summary(
	const struct matrix *matrix, enum matrix_figure figure, const struct matrix_summary *summary)
{
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
		json_put(object, "largest_asymmetry", value);
	}
	return object;
}

static struct json_object *json_cell(
	const struct matrix *matrix, uint32_t row, uint32_t column, uint64_t start_ns)
{
	struct json_object *object = json_object_new_object();

	json_put_uint(object, "from", matrix->cpus[row].cpu);
	json_put_uint(object, "to", matrix->cpus[column].cpu);
	json_put_text(object, "class", locality_name(matrix_locality(matrix, row, column)));
	json_put_int(object, "at_ns", (int64_t)(matrix_measured_ns(matrix, row, column) - start_ns));
	for (int i = 0; i < N_MATRIX_FIGURES; i++)
		json_put(object, matrix_figure_name((enum matrix_figure)i),
			json_figure(matrix_figure_of(matrix, (enum matrix_figure)i, row, column)));
	return object;
}

static struct json_object *json_head(const struct matrix *matrix)
{
	struct json_object *object = json_object_new_object();

	json_put_text(object, "mechanism", matrix->mechanism);
	json_put_text(object, "title", matrix->title);
	json_put_bool(object, "lap_batches", matrix->batches);
	json_put_uint(object, "at_once", matrix->at_once);
	json_put_uint(object, "rounds", matrix->n_rounds);
	json_put_uint(object, "measurements", matrix->n_results);
	json_put(object, "cpus", json_cpus(matrix));
	for (int i = 0; i < N_MATRIX_FIGURES; i++) {
		struct matrix_summary summary;

		if (matrix_summarize(matrix, (enum matrix_figure)i, MATRIX_P50, &summary) < 0) {
			json_object_put(object);
			return NULL;
		}
		json_put(object, matrix_figure_name((enum matrix_figure)i),
			json_summary(matrix, (enum matrix_figure)i, &summary));
	}
	return object;
}

int matrix_json_print(FILE *out, const struct session *session)
{
	const struct matrix *matrix = session->matrix;
	const char *before = "\n";
	int r;

	fprintf(out, "{\"summary\": ");
	r = json_print_value(out, json_head(matrix), "");
	fprintf(out, ",\n\"cells\": [");
	for (uint32_t row = 0; row < matrix->n_cpus; row++)
		for (uint32_t column = 0; column < matrix->n_cpus && r == 0; column++) {
			if (!matrix_measured_ns(matrix, row, column))
				continue;
			r = json_print_value(out, json_cell(matrix, row, column, session->start_ns), before);
			before = ",\n";
		}
	fprintf(out, "]}");
	return r;
}

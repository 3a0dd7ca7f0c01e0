/* SPDX-License-Identifier: GPL-2.0-or-later */
/* matrix_from_json.c - the matrix of a JSON summary, which may be anyone's. */
#include "src/report/matrix_from_json.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "src/base/json.h"
#include "src/base/text.h"
#include "src/model/matrix.h"

static const double NS_MAX = 1e18, DEVIATION_MAX = 4000; /* percent */

static struct json_object *member(struct json_object *object, const char *key, enum json_type type)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(object, key, &value);
	return json_object_is_type(value, type) ? value : NULL;
}

/* Returns NAN where there is none. */
static double number(struct json_object *object, const char *key)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(object, key, &value);
	return json_object_is_type(value, json_type_int) || json_object_is_type(value, json_type_double)
		       ? json_object_get_double(value)
		       : NAN;
}

static int read_cpus(struct json_object *cpus, struct matrix *matrix)
{
	for (uint32_t i = 0; i < matrix->n_cpus; i++) {
		struct json_object *cpu = json_object_array_get_idx(cpus, i);
		int64_t value = json_object_is_type(cpu, json_type_int) ? json_object_get_int64(cpu) : -1;

		if (value < 0 || value >= CPUS_MAX)
			return -EINVAL;
		matrix->cpus[i].cpu = (unsigned)value;
	}
	return 0;
}

/* Returns n_cpus where the matrix does not have the CPU. */
static uint32_t place_of(const struct matrix *matrix, double cpu)
{
	uint32_t place = 0;

	while (place < matrix->n_cpus && matrix->cpus[place].cpu != cpu)
		place++;
	return place;
}

static int read_rounds(struct matrix_rounds *pair, enum sweep_figure_kind kind, struct json_object *rounds)
{
	double n = number(rounds, "count");

	if (!(n >= 1 && n <= ROUNDS_MAX))
		return -EINVAL;
	for (int i = 0; i < N_COMPARED_VALUES; i++) {
		struct json_object *value =
			member(rounds, matrix_value_name((enum matrix_value)i), json_type_object);
		double ns = number(value, "mean_ns"), deviation = number(value, "deviation_percent");

		if (!(ns >= 1 && ns < NS_MAX && deviation >= 0 && deviation <= DEVIATION_MAX))
			return -EINVAL;
		pair->past[kind][i] = rounds_like((uint32_t)n, ns, deviation / 100);
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

static int read_cell(struct matrix *matrix, struct json_object *cell)
{
	uint32_t from = place_of(matrix, number(cell, "from")), to = place_of(matrix, number(cell, "to"));
	struct json_object *class = member(cell, "class", json_type_string);
	enum locality locality = class ? locality_of(json_object_get_string(class)) : N_LOCALITIES;
	int r = 0;

	if (from == matrix->n_cpus || to == matrix->n_cpus || from == to || locality == N_LOCALITIES)
		return -EINVAL;
	size_t pair = sweep_pair_index(from, to);

	matrix->localities[pair] = (uint8_t)locality;
	for (int figure = 0; figure < N_MATRIX_FIGURES && r == 0; figure++) {
		struct json_object *rounds =
			member(member(cell, matrix_figure_name((enum matrix_figure)figure), json_type_object),
				"rounds", json_type_object);

		if (rounds)
			r = read_rounds(&matrix->now.rounds[pair],
				matrix_kind_of((enum matrix_figure)figure, from, to), rounds);
	}
	return r;
}

static int read_cells(struct matrix *matrix, struct json_object *cells)
{
	size_t n = json_object_array_length(cells);
	int r = 0;

	for (size_t pair = 0; pair < matrix->n_pairs; pair++)
		matrix->localities[pair] = LOCALITY_SMT; /* of a pair that was not measured */
	for (size_t i = 0; i < n && r == 0; i++)
		r = read_cell(matrix, json_object_array_get_idx(cells, i));
	return r;
}

int matrix_from_json(struct matrix **matrix, struct json_object *object)
{
	struct json_object *head = member(object, "summary", json_type_object),
			   *cpus = member(head, "cpus", json_type_array),
			   *mechanism = member(head, "mechanism", json_type_string),
			   *title = member(head, "title", json_type_string),
			   *cells = member(object, "cells", json_type_array);
	size_t n = cpus ? json_object_array_length(cpus) : 0;

	*matrix = NULL;
	if (n < 2 || n > CPUS_MAX || !mechanism || !title || !cells)
		return -EINVAL;
	int r = matrix_create_empty(
		matrix, (uint32_t)n, json_object_get_string(mechanism), json_object_get_string(title));

	if (r < 0)
		return r;
	text_clean((*matrix)->mechanism);
	text_clean((*matrix)->title);
	(*matrix)->batches = json_object_get_boolean(member(head, "lap_batches", json_type_boolean));
	r = read_cpus(cpus, *matrix);
	if (r == 0)
		r = read_cells(*matrix, cells);
	if (r < 0) {
		matrix_destroy(*matrix);
		*matrix = NULL;
	}
	return r;
}

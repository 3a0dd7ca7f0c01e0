/* SPDX-License-Identifier: GPL-2.0-or-later */
/* matrix_from_json.c - the matrix of a JSON summary, which may be anyone's. */
#include "src/report/matrix_from_json.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "src/base/json.h"
#include "src/base/text.h"
#include "src/model/matrix.h"

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

int matrix_from_json(struct matrix **matrix, struct json_object *object, uint32_t phase, bool is_last)
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

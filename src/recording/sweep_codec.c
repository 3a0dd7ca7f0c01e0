/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sweep_codec.c - the matrix of a sweep in a recording. */
#include "src/recording/sweep_codec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/json.h"
#include "src/base/text.h"

/* --- the header --- */

static const struct field matrix_fields[] = {
	FIELD_OF(struct matrix, batches), FIELD_OF(struct matrix, at_once),
	FIELD_AS(struct matrix, policy.policy, "policy"), /* recordings before 5.9 have no policy */
	FIELD_AS(struct matrix, policy.priority, "priority"), FIELD_AS(struct matrix, policy.nice, "nice"),
	FIELD_AS(struct matrix, has_first, "first"), /* before 5.18 none has first hops */
};

static const struct field cpu_fields[] = {
	FIELD_OF(struct sweep_cpu, cpu, .below = CPUS_MAX),
	FIELD_OF(struct sweep_cpu, core, .below = CPUS_MAX),
	FIELD_OF(struct sweep_cpu, l3, .below = CPUS_MAX),
	FIELD_OF(struct sweep_cpu, node, .below = CPUS_MAX),
	FIELD_OF(struct sweep_cpu, package, .below = CPUS_MAX),
};

enum {
	NAME_MAX_BYTES = 79,
	N_MATRIX_FIELDS = sizeof(matrix_fields) / sizeof(*matrix_fields),
	N_CPU_FIELDS = sizeof(cpu_fields) / sizeof(*cpu_fields),
};

static struct json_object *cpu_json(const struct matrix *matrix, uint32_t index)
{
	struct json_object *object = json_object_new_object();

	for (size_t i = 0; i < N_CPU_FIELDS; i++)
		json_put_field(object, &cpu_fields[i], &matrix->cpus[index]);
	json_put_bool(object, "isolated", matrix->isolated[index]);
	return object;
}

/* The classes of all pairs are digits of one text. */
struct json_object *sweep_json(const struct matrix *matrix)
{
	struct json_object *object = json_object_new_object(), *cpus = json_object_new_array();
	char *classes = malloc(matrix->n_pairs + 1);

	json_put_text(object, "mechanism", matrix->mechanism);
	json_put_text(object, "title", matrix->title);
	for (size_t i = 0; i < N_MATRIX_FIELDS; i++)
		json_put_field(object, &matrix_fields[i], matrix);
	for (uint32_t index = 0; cpus && index < matrix->n_cpus; index++)
		json_object_array_add(cpus, cpu_json(matrix, index));
	json_put(object, "cpus", cpus);
	for (size_t i = 0; classes && i < matrix->n_pairs; i++)
		classes[i] = (char)('0' + matrix->localities[i]);
	if (classes) {
		classes[matrix->n_pairs] = '\0';
		json_put_text(object, "classes", classes);
		free(classes);
		return object;
	}
	json_object_put(object);
	return NULL;
}

/* Numbers of parts begin with 0 and grow by at most 1, in the order of the CPUs. */
static bool is_numbered(const struct matrix *matrix, uint32_t index)
{
	static const struct sweep_cpu none;
	const struct sweep_cpu *cpu = &matrix->cpus[index], *before = index ? cpu - 1 : &none;
	unsigned step = index > 0;

	return cpu->core - before->core <= step && cpu->l3 - before->l3 <= step &&
	       cpu->node - before->node <= step && cpu->package - before->package <= step;
}

static int read_cpus(struct json_object *cpus, struct matrix *matrix)
{
	for (uint32_t index = 0; index < matrix->n_cpus; index++) {
		struct json_object *object = json_object_array_get_idx(cpus, index);

		if (!json_object_is_type(object, json_type_object))
			return -EINVAL;
		for (size_t i = 0; i < N_CPU_FIELDS; i++)
			json_read_field(object, &cpu_fields[i], &matrix->cpus[index]);
		matrix->isolated[index] =
			(uint8_t)json_object_get_boolean(json_object_object_get(object, "isolated"));
		if (!is_numbered(matrix, index))
			return -EINVAL;
	}
	return 0;
}

static int read_classes(struct json_object *text, struct matrix *matrix)
{
	const char *classes = json_object_is_type(text, json_type_string) ? json_object_get_string(text) : "";

	if (strlen(classes) != matrix->n_pairs)
		return -EINVAL;
	for (size_t i = 0; i < matrix->n_pairs; i++) {
		if (classes[i] <= '0' + LOCALITY_OWN || classes[i] >= '0' + N_LOCALITIES)
			return -EINVAL;
		matrix->localities[i] = (uint8_t)(classes[i] - '0');
	}
	return 0;
}

int sweep_json_read(struct json_object *object, struct matrix **matrix)
{
	struct json_object *cpus = json_object_object_get(object, "cpus");
	const char *mechanism = json_object_get_string(json_object_object_get(object, "mechanism"));
	const char *title = json_object_get_string(json_object_object_get(object, "title"));
	size_t n = json_object_is_type(cpus, json_type_array) ? json_object_array_length(cpus) : 0;

	*matrix = NULL;
	if (n < 2 || n > CPUS_MAX || !mechanism || strlen(mechanism) > NAME_MAX_BYTES || !title ||
		strlen(title) > NAME_MAX_BYTES)
		return -EINVAL;
	int r = matrix_create_empty(matrix, (uint32_t)n, mechanism, title);

	if (r < 0)
		return r;
	text_clean((*matrix)->mechanism);
	text_clean((*matrix)->title);
	for (size_t i = 0; i < N_MATRIX_FIELDS; i++)
		json_read_field(object, &matrix_fields[i], *matrix);
	r = read_cpus(cpus, *matrix);
	if (r == 0)
		r = read_classes(json_object_object_get(object, "classes"), *matrix);
	if (r < 0) {
		matrix_destroy(*matrix);
		*matrix = NULL;
	}
	return r;
}

/* --- results --- */

#define NS_MAX 1e18f /* 30 years */

static void time_encode(struct bytes *bytes, float ns)
{
	uint32_t bits;

	memcpy(&bits, &ns, sizeof(bits));
	bytes_uint(bytes, bits);
}

static float time_decode(struct scan *scan)
{
	uint32_t bits = (uint32_t)scan_below(scan, (uint64_t)UINT32_MAX + 1);
	float ns;

	memcpy(&ns, &bits, sizeof(ns));
	scan->bad |= !(ns >= 0 && ns < NS_MAX);
	return ns;
}

/* First hops are behind all else of their entry, where older programs do not read them. */
static void figures_encode(struct bytes *bytes, const struct sweep_result *result, int from, int to)
{
	for (int i = from; i < to; i++) {
		const struct sweep_figure *figure = &result->figures[i];

		bytes_uint(bytes, figure->n);
		if (!figure->n)
			continue;
		time_encode(bytes, figure->min_ns);
		time_encode(bytes, figure->p50_ns);
		time_encode(bytes, figure->p99_ns);
		time_encode(bytes, figure->max_ns);
	}
}

static void figures_decode(struct scan *scan, struct sweep_result *result, int from, int to)
{
	for (int i = from; i < to && !scan->bad; i++) {
		struct sweep_figure *figure = &result->figures[i];

		figure->n = (uint32_t)scan_below(scan, (uint64_t)UINT32_MAX + 1);
		if (!figure->n)
			continue;
		figure->min_ns = time_decode(scan);
		figure->p50_ns = time_decode(scan);
		figure->p99_ns = time_decode(scan);
		figure->max_ns = time_decode(scan);
	}
}

static void result_encode(struct bytes *bytes, const struct sweep_result *result)
{
	bytes_uint(bytes, result->a);
	bytes_uint(bytes, result->b);
	bytes_uint(bytes, result->at_ns);
	figures_encode(bytes, result, 0, N_SWEEP_FIGURES_OF_ALL);
}

static void result_decode(struct scan *scan, uint32_t n_cpus, struct sweep_result *result)
{
	*result = (struct sweep_result){0};
	result->a = (uint32_t)scan_below(scan, n_cpus);
	result->b = (uint32_t)scan_below(scan, n_cpus);
	result->at_ns = scan_uint(scan);
	scan->bad |= result->a >= result->b || !result->at_ns;
	figures_decode(scan, result, 0, N_SWEEP_FIGURES_OF_ALL);
}

void sweep_encode(struct bytes *bytes, const struct feed_sweep *sweep, int n_kinds)
{
	bytes_uint(bytes, sweep->n_rounds);
	bytes_uint(bytes, sweep->n);
	for (size_t i = 0; i < sweep->n; i++)
		result_encode(bytes, &sweep->results[i]);
	for (size_t i = 0; i < sweep->n; i++)
		figures_encode(bytes, &sweep->results[i], N_SWEEP_FIGURES_OF_ALL, n_kinds);
}

void sweep_decode(struct scan *scan, uint32_t n_cpus, int n_kinds, struct feed_sweep *sweep,
	struct sweep_result results[SWEEP_RESULTS_MAX])
{
	*sweep = (struct feed_sweep){.results = results, .n_rounds = scan_uint(scan)};
	sweep->n = scan_below(scan, SWEEP_RESULTS_MAX + 1);
	for (size_t i = 0; i < sweep->n && !scan->bad; i++)
		result_decode(scan, n_cpus, &results[i]);
	for (size_t i = 0; i < sweep->n && !scan->bad; i++)
		figures_decode(scan, &results[i], N_SWEEP_FIGURES_OF_ALL, n_kinds);
}

static void repeats_encode(struct bytes *bytes, const struct matrix_repeats *repeats, int from, int to)
{
	for (int kind = from; kind < to; kind++)
		for (size_t value = 0; value < N_COMPARED_VALUES; value++) {
			const struct repeats *past = &repeats->past[kind][value];

			bytes_uint(bytes, repeats->logs[kind][value]);
			bytes_uint(bytes, past->n);
			bytes_uint(bytes, past->sum);
			bytes_uint(bytes, past->squares);
		}
}

static uint32_t scan_uint32(struct scan *scan)
{
	return (uint32_t)scan_below(scan, (uint64_t)UINT32_MAX + 1);
}

static void repeats_decode(struct scan *scan, struct matrix_repeats *repeats, int from, int to)
{
	for (int kind = from; kind < to; kind++)
		for (size_t value = 0; value < N_COMPARED_VALUES; value++) {
			struct repeats *past = &repeats->past[kind][value];

			repeats->logs[kind][value] = scan_uint32(scan);
			past->n = (uint32_t)scan_below(scan, REPEATS_MAX + 1);
			past->sum = scan_uint32(scan);
			past->squares = scan_uint(scan);
			scan->bad |= repeats->logs[kind][value] > (uint64_t)repeats->n * REPEATS_LOG_MAX ||
				     !repeats_are_possible(past);
		}
}

static void phase_encode(struct bytes *bytes, const struct matrix *matrix, const struct matrix_phase *phase)
{
	uint64_t n = 0;

	for (size_t i = 0; i < matrix->n_pairs; i++)
		n += phase->repeats[i].n > 0;
	bytes_uint(bytes, phase->number);
	bytes_uint(bytes, phase->start_ns);
	bytes_uint(bytes, phase->n_repeats);
	bytes_uint(bytes, n);
	for (size_t i = 0; i < matrix->n_pairs; i++) {
		if (!phase->repeats[i].n)
			continue;
		bytes_uint(bytes, i);
		bytes_uint(bytes, phase->repeats[i].since_ns);
		bytes_uint(bytes, phase->repeats[i].n);
		repeats_encode(bytes, &phase->repeats[i], 0, N_SWEEP_FIGURES_OF_ALL);
	}
}

static void phase_decode(struct scan *scan, const struct matrix *matrix, struct matrix_phase *phase)
{
	memset(phase->repeats, 0, matrix->n_pairs * sizeof(*phase->repeats));
	phase->number = scan_uint32(scan);
	phase->start_ns = scan_uint(scan);
	phase->n_repeats = scan_uint(scan);
	uint64_t n = scan_below(scan, matrix->n_pairs + 1);

	for (uint64_t i = 0; i < n && !scan->bad; i++) {
		struct matrix_repeats *repeats = &phase->repeats[scan_below(scan, matrix->n_pairs)];

		repeats->since_ns = scan_uint(scan);
		repeats->n = scan_uint32(scan);
		repeats_decode(scan, repeats, 0, N_SWEEP_FIGURES_OF_ALL);
	}
}

/* In the order of the pairs, as all else. */
static void first_hops_encode(struct bytes *bytes, const struct matrix *matrix)
{
	const struct matrix_phase *phases[] = {&matrix->now, &matrix->before};

	for (size_t i = 0; i < matrix->n_pairs; i++)
		if (matrix->results[i].at_ns)
			figures_encode(bytes, &matrix->results[i], N_SWEEP_FIGURES_OF_ALL, N_SWEEP_FIGURES);
	for (size_t k = 0; k < 2; k++)
		for (size_t i = 0; i < matrix->n_pairs; i++)
			if (phases[k]->repeats[i].n)
				repeats_encode(bytes, &phases[k]->repeats[i], N_SWEEP_FIGURES_OF_ALL,
					N_SWEEP_FIGURES);
}

static void first_hops_decode(struct scan *scan, struct matrix *matrix)
{
	struct matrix_phase *phases[] = {&matrix->now, &matrix->before};

	for (size_t i = 0; i < matrix->n_pairs; i++)
		if (matrix->results[i].at_ns)
			figures_decode(scan, &matrix->results[i], N_SWEEP_FIGURES_OF_ALL, N_SWEEP_FIGURES);
	for (size_t k = 0; k < 2; k++)
		for (size_t i = 0; i < matrix->n_pairs; i++)
			if (phases[k]->repeats[i].n)
				repeats_decode(scan, &phases[k]->repeats[i], N_SWEEP_FIGURES_OF_ALL,
					N_SWEEP_FIGURES);
}

void sweep_encode_all(struct bytes *bytes, const struct matrix *matrix)
{
	bytes_uint(bytes, matrix->n_results);
	bytes_uint(bytes, matrix->n_rounds);
	bytes_uint(bytes, matrix->n_measured);
	for (size_t i = 0; i < matrix->n_pairs; i++)
		if (matrix->results[i].at_ns)
			result_encode(bytes, &matrix->results[i]);
	phase_encode(bytes, matrix, &matrix->now);
	phase_encode(bytes, matrix, &matrix->before);
	if (matrix->has_first)
		first_hops_encode(bytes, matrix);
}

int sweep_decode_all(struct scan *scan, struct matrix *matrix, uint32_t phase)
{
	uint64_t n_results = scan_uint(scan), n_rounds = scan_uint(scan),
		 n = scan_below(scan, matrix->n_pairs + 1);

	for (uint64_t i = 0; i < n && !scan->bad; i++) {
		struct sweep_result result;

		result_decode(scan, matrix->n_cpus, &result);
		if (!scan->bad)
			matrix_put(matrix, &result);
	}
	matrix->n_results = n_results;
	matrix->n_rounds = n_rounds;
	matrix->now.number = phase;
	if (!scan->bad && scan->at < scan->end) { /* recordings before 5.6 have no sums of phases */
		phase_decode(scan, matrix, &matrix->now);
		phase_decode(scan, matrix, &matrix->before);
		if (matrix->has_first)
			first_hops_decode(scan, matrix);
	}
	return scan->bad ? -EINVAL : 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* comparison_json.c - a comparison as JSON. Shifts are ratios B / A; an open end of an interval is null. */
#include "src/report/comparison_json.h"

#include <math.h>

#include "src/base/json.h"
#include "src/model/comparison_words.h"
#include "src/report/matrix_json.h"

enum { SCHEMA_VERSION = 1 };

/* With 5 digits. */
static struct json_object *json_ratio(double shift)
{
	char text[32];

	if (isinf(shift) || isinf(exp(shift)))
		return NULL;
	snprintf(text, sizeof(text), "%.5g", exp(shift));
	return json_object_new_double_s(exp(shift), text);
}

static struct json_object *json_phase(const struct comparison *comparison, const struct compared_phase *phase)
{
	struct json_object *object = json_object_new_object();

	json_put_text(object, "source", phase->source);
	json_put_uint(object, "number", phase->number);
	json_put_text(object, "name", phase->name);
	json_put_uint(object, "duration_ns", phase->length_ns);
	if (phase->n_like)
		json_put_uint(object, "replicates", phase->n_like);
	if (comparison->has_replicates) {
		struct json_object *numbers = json_object_new_array();

		for (size_t i = 0; numbers && i < phase->n_like; i++)
			json_object_array_add(numbers, json_object_new_uint64(phase->like[i]));
		json_put(object, "judged_phases", numbers);
		json_put_uint(object, "judged_ns", phase->like_ns);
	}
	return object;
}

static struct json_object *json_differences(const struct comparison *comparison)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; array && i < comparison->n_differences; i++) {
		const struct difference *difference = &comparison->differences[i];
		struct json_object *object = json_object_new_object();

		json_put_text(object, "name", difference->name);
		json_put_text(object, "a", difference->a);
		json_put_text(object, "b", difference->b);
		if (difference->counted) {
			json_put_text(object, "counted", difference->counted);
			json_put_uint(object, "changed", difference->n);
			json_put_uint(object, "of", difference->of);
		}
		json_object_array_add(array, object);
	}
	return array;
}

/* The numbers of the phases in between that should be compared. */
static struct json_object *json_between(const struct comparison *comparison)
{
	struct json_object *array = json_object_new_array();
	unsigned first, last;

	comparison_between(comparison, &first, &last);
	for (unsigned number = first; array && number <= last; number++)
		json_object_array_add(array, json_object_new_int64(number));
	return array;
}

static void put_verdict(struct json_object *object, const struct mark *mark)
{
	json_put_text(object, "verdict", shift_verdict_words[mark->verdict].name);
	if (mark->verdict >= SHIFT_BETTER)
		json_put_bool(object, "survives_correction", mark->survives);
}

static struct json_object *json_percentile(const struct comparison_line *line, enum mark_id mark)
{
	size_t figure = mark / N_SHIFT_PERCENTILES;
	enum shift_percentile percentile = mark_percentile(mark);
	const struct shift *shift = &line->shifts[figure][percentile];
	struct json_object *object = json_object_new_object();

	json_put_uint(object, "a_ns", line->a.percentile_ns[figure][percentile]);
	json_put_uint(object, "b_ns", line->b.percentile_ns[figure][percentile]);
	put_verdict(object, &line->marks[mark]);
	if (line->marks[mark].verdict == SHIFT_TOO_FEW) {
		json_put_text(object, "reason", line->few[mark]);
		return object;
	}
	json_put(object, "ratio", json_ratio(shift->estimate));
	json_object_object_add(object, "low", json_ratio(shift->low));
	json_object_object_add(object, "high", json_ratio(shift->high));
	return object;
}

static struct json_object *json_percentiles(const struct comparison_line *line, enum mark_id first)
{
	struct json_object *object = json_object_new_object();

	for (enum shift_percentile q = 0; q < N_SHIFT_PERCENTILES; q++)
		json_put(object, shift_percentile_name(q), json_percentile(line, (enum mark_id)(first + q)));
	return object;
}

static struct json_object *json_missed(const struct comparison_line *line)
{
	struct json_object *object = json_object_new_object();

	json_put_uint(object, "slots_a", line->a.slots);
	json_put_uint(object, "slots_b", line->b.slots);
	json_put_uint(object, "missed_a", line->a.missed);
	json_put_uint(object, "missed_b", line->b.missed);
	put_verdict(object, &line->marks[MARK_MISSED]);
	return object;
}

static struct json_object *json_spikes(const struct comparison_line *line)
{
	struct json_object *object = json_object_new_object();
	const struct spikes *spikes = &line->spikes;

	json_put_uint(object, "limit_ns", spikes->limit_ns);
	json_put_number(object, "a", spikes->a);
	json_put_number(object, "b", spikes->b);
	json_put_number(object, "seconds_a", spikes->seconds_a);
	json_put_number(object, "seconds_b", spikes->seconds_b);
	put_verdict(object, &line->marks[MARK_SPIKES]);
	return object;
}

/* Returns the laps a second of a flood. */
static struct json_object *json_laps(const struct comparison_line *line)
{
	struct json_object *object = json_object_new_object();

	json_put_number(object, "a_per_s", line->laps_a);
	json_put_number(object, "b_per_s", line->laps_b);
	put_verdict(object, &line->marks[MARK_LAPS]);
	return object;
}

/* The samples above the limit, and the ratio of their rates. */
static struct json_object *json_above(const struct comparison_line *line)
{
	struct json_object *object = json_object_new_object();

	json_put_uint(object, "a", line->a.above);
	json_put_uint(object, "b", line->b.above);
	json_object_object_add(object, "low", json_ratio(log(line->rate.low)));
	json_object_object_add(object, "high", json_ratio(log(line->rate.high)));
	return object;
}

/* Null where there is none. */
static void put_lateness(struct json_object *object, const char *key, const struct comparison_side *side)
{
	if (side->late99_ns)
		json_put_uint(object, key, side->late99_ns);
	else
		json_object_object_add(object, key, NULL);
}

static struct json_object *json_row(const struct comparison_row *row, uint64_t limit_ns)
{
	struct json_object *object = json_object_new_object();
	const struct comparison_line *line = &row->line;
	char words[COMPARISON_WORDS_SIZE];

	json_put_text(object, "mechanism", row->b->mechanism);
	json_put_text(object, "label", row->b->label);
	json_put_text(object, "verdict", shift_verdict_words[line->verdict].name);
	json_put_text(object, "reasons", comparison_reasons(line, N_MARKS, words));
	json_put(object, "percentiles", json_percentiles(line, MARK_SHOWN));
	if (line->figures[JUDGED_SHOWN] != line->figures[JUDGED_RESPONSE])
		json_put(object, "response", json_percentiles(line, MARK_RESPONSE));
	if (line->a.slots || line->b.slots)
		json_put(object, "missed", json_missed(line));
	if (line->laps_a > 0 || line->laps_b > 0)
		json_put(object, "laps", json_laps(line));
	if (line->spikes.limit_ns)
		json_put(object, "spikes", json_spikes(line));
	json_put_uint(object, "max_a_ns", line->a.max_ns);
	json_put_uint(object, "max_b_ns", line->b.max_ns);
	json_put_uint(object, "max_over_ns", line->over_ns);
	if (limit_ns)
		json_put(object, "above", json_above(line));
	put_lateness(object, "lateness_p99_a_ns", &line->a);
	put_lateness(object, "lateness_p99_b_ns", &line->b);
	json_put_uint(object, "count_a", line->a.n);
	json_put_uint(object, "count_b", line->b.n);
	return object;
}

static struct json_object *json_rows(const struct comparison *comparison)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; array && i < comparison->n_rows; i++)
		json_object_array_add(array, json_row(&comparison->rows[i], comparison->limit_ns));
	return array;
}

static struct json_object *json_summary(const struct comparison *comparison)
{
	const struct verdict_summary *summary = &comparison->summary;
	char words[COMPARISON_WORDS_SIZE];
	struct json_object *object = json_object_new_object(), *rows = json_object_new_object();

	json_put_text(object, "verdict", shift_verdict_words[summary->verdict].name);
	json_put_text(object, "headline",
		comparison->matrix ? comparison_matrix_headline(comparison, words)
				   : comparison_headline(summary, comparison_quoted_row(comparison),
					     comparison->figure, words));
	for (enum shift_verdict verdict = 0; verdict < N_SHIFT_VERDICTS; verdict++)
		json_put_uint(rows, shift_verdict_words[verdict].name, summary->verdicts[verdict]);
	json_put(object, "rows", rows);
	json_put_uint(object, "tests", summary->n_tests);
	json_put_uint(object, "worse", summary->worse);
	json_put_uint(object, "better", summary->better);
	return object;
}

int comparison_json_print(FILE *out, const struct comparison *comparison)
{
	struct json_object *object = json_object_new_object();
	char blame[COMPARISON_WORDS_SIZE];

	json_put_int(object, "schema_version", SCHEMA_VERSION);
	json_put(object, "a", json_phase(comparison, comparison->a));
	json_put(object, "b", json_phase(comparison, comparison->b));
	json_put_text(object, "figure", figure_name(comparison->figure));
	if (comparison->limit_ns)
		json_put_uint(object, "limit_ns", comparison->limit_ns);
	json_put(object, "differences", json_differences(comparison));
	json_put_text(object, "blame", comparison_blame(comparison, blame));
	json_put(object, "phases_between", json_between(comparison));
	if (comparison->are_replicates)
		json_put_bool(object, "are_replicates", true);
	json_put(object, "summary", json_summary(comparison));
	json_put_uint(object, "rows_only_a", comparison->n_only_a);
	json_put_uint(object, "rows_only_b", comparison->n_only_b);
	json_put(object, "rows", json_rows(comparison));
	if (comparison->matrix)
		json_put(object, "matrix", matrix_json_changes(comparison->matrix, &comparison->changes));
	return json_print_value(out, object, "\n");
}

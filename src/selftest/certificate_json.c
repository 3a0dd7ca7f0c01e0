/* SPDX-License-Identifier: GPL-2.0-or-later */
/* certificate_json.c - the certificate of a self-test as JSON. */

#include "src/base/json.h"
#include "src/selftest/certificate.h"

enum { SCHEMA_VERSION = 1 };

/* Returns whether it was measured; else the object has the reason. */
static bool put_outcome(struct json_object *object, enum outcome outcome, const struct error_text *reason)
{
	json_put_text(object, "outcome", outcome_names[outcome]);
	if (outcome == OUTCOME_LEFT_OUT)
		json_put_text(object, "reason", reason->text);
	return outcome != OUTCOME_LEFT_OUT;
}

static struct json_object *json_host(const struct machine *machine)
{
	struct json_object *object = json_object_new_object();

	json_put_text(object, "name", machine->host);
	json_put_text(object, "kernel", machine->kernel);
	json_put_text(object, "preemption", machine->preemption);
	json_put_text(object, "clock_source", machine->clock_source);
	json_put_uint(object, "cpus", machine->n_cpus);
	return object;
}

static struct json_object *json_clock(const struct clock_result *clock)
{
	struct json_object *object = json_object_new_object();

	put_outcome(object, clock->outcome, NULL);
	json_put_number(object, "cost_ns", clock->cost_ns);
	json_put_uint(object, "step_ns", clock->step_ns);
	json_put_uint(object, "reads", clock->n_reads);
	json_put_uint(object, "backward", clock->n_backward);
	return object;
}

static struct json_object *json_skew(const struct skew_result *skew)
{
	struct json_object *object = json_object_new_object(), *pairs = json_object_new_array();

	if (put_outcome(object, skew->outcome, &skew->reason))
		for (size_t i = 0; i < skew->n_pairs; i++) {
			const struct clock_pair *pair = &skew->pairs[i];
			struct json_object *row = json_object_new_object();

			json_put_uint(row, "a", pair->a);
			json_put_uint(row, "b", pair->b);
			json_put_uint(row, "n", pair->n);
			json_put_int(row, "there_ns", pair->there_ns);
			json_put_int(row, "back_ns", pair->back_ns);
			json_object_array_add(pairs, row);
		}
	json_put(object, "pairs", pairs);
	return object;
}

static struct json_object *json_stamps(const struct stamps_result *stamps)
{
	struct json_object *object = json_object_new_object();

	if (!put_outcome(object, stamps->outcome, &stamps->reason))
		return object;
	json_put_uint(object, "hops", stamps->n_hops);
	json_put_uint(object, "switches", stamps->n_woken);
	json_put_uint(object, "wrong", stamps->n_wrong);
	json_put_uint(object, "median_ns", stamps->median_ns);
	json_put_uint(object, "max_ns", stamps->max_ns);
	return object;
}

static struct json_object *json_trouble(const void *row)
{
	const struct trouble_result *trouble = row;
	struct json_object *object = json_object_new_object();

	json_put_text(object, "name", trouble->name);
	json_put_text(object, "title", trouble->title);
	if (!put_outcome(object, trouble->outcome, &trouble->reason))
		return object;
	json_put_text(object, "recorder", trouble->tier);
	json_put_uint(object, "injected", trouble->n);
	json_put_uint(object, "drowned", trouble->n_drowned);
	json_put_uint(object, "found", trouble->n_found);
	json_put_uint(object, "named", trouble->n_named);
	json_put_uint(object, "measured", trouble->n_measured);
	json_put_uint(object, "right_length", trouble->n_long);
	json_put_uint(object, "injected_ns", trouble->injected_ns);
	json_put_uint(object, "found_ns", trouble->found_ns);
	json_put_text(object, "explanation", trouble->explanation);
	return object;
}

static struct json_object *json_tier(const void *row)
{
	const struct tier_result *tier = row;
	struct json_object *object = json_object_new_object();

	json_put_text(object, "name", tier->name);
	if (!put_outcome(object, tier->outcome, &tier->reason))
		return object;
	json_put_uint(object, "blocks", tier->n);
	json_put_number(object, "ratio", tier->ratio);
	json_put_number(object, "low", tier->low);
	json_put_number(object, "high", tier->high);
	json_put_number(object, "answer_ns", tier->median_ns);
	return object;
}

static struct json_object *json_right(const void *row)
{
	const struct right_result *right = row;
	struct json_object *object = json_object_new_object();

	json_put_text(object, "name", right->name);
	json_put_text(object, "serves", right->serves);
	json_put_bool(object, "there", right->is_there);
	if (!right->is_there)
		json_put_text(object, "reason", right->reason.text);
	return object;
}

/* @rows: an array of @n structs of @size bytes. */
static void put_rows(struct json_object *object, const char *key, const void *rows, size_t n, size_t size,
	struct json_object *(*json_row)(const void *row))
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < n; i++)
		json_object_array_add(array, json_row((const char *)rows + i * size));
	json_put(object, key, array);
}

int certificate_print_json(FILE *out, const struct certificate *certificate)
{
	struct outcome_counts counts = certificate_count(certificate);
	struct json_object *object = json_object_new_object();

	json_put_uint(object, "schema_version", SCHEMA_VERSION);
	json_put_text(object, "program", "ipctop");
	json_put_text(object, "version", IPCTOP_VERSION);
	json_put_bool(object, "quick", certificate->is_quick);
	json_put_uint(object, "began_s", certificate->began_s);
	json_put_uint(object, "took_ns", certificate->took_ns);
	json_put(object, "host", json_host(&certificate->machine));
	json_put_uint(object, "held", counts.n[OUTCOME_HELD]);
	json_put_uint(object, "failed", counts.n[OUTCOME_FAILED]);
	json_put_uint(object, "left_out", counts.n[OUTCOME_LEFT_OUT]);
	json_put(object, "clock", json_clock(&certificate->clock));
	json_put(object, "skew", json_skew(&certificate->skew));
	json_put(object, "stamps", json_stamps(&certificate->stamps));
	put_rows(object, "troubles", certificate->troubles, certificate->n_troubles,
		sizeof(certificate->troubles[0]), json_trouble);
	put_rows(object, "recorders", certificate->tiers, certificate->n_tiers, sizeof(certificate->tiers[0]),
		json_tier);
	put_rows(object, "rights", certificate->rights, certificate->n_rights, sizeof(certificate->rights[0]),
		json_right);
	return json_print_value(out, object, "");
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* load_effects_json.c - what each load did to each ring, as JSON. */
#include "src/report/load_effects_json.h"

#include <math.h>

#include "src/base/json.h"
#include "src/model/load_effects.h"

static struct json_object *json_effect(const struct load_effect *effect)
{
	struct json_object *object = json_object_new_object();

	json_put_text(object, "loads", effect->loads);
	if (effect->locality < N_LOCALITIES)
		json_put_text(object, "class", locality_name(effect->locality));
	json_put_uint(object, "count", effect->n);
	if (effect->n) {
		json_put_uint(object, "p50_ns", effect->p50_ns);
		json_put_uint(object, "p99_ns", effect->p99_ns);
		json_put_uint(object, "max_ns", effect->max_ns);
		json_put_bool(object, "trusted", effect->is_trusted);
	}
	if (effect->slots) {
		json_put_uint(object, "slots", effect->slots);
		json_put_uint(object, "missed", effect->missed);
	}
	if (effect->factor > 0)
		json_put_number(object, "p99_factor", effect->factor);
	if (effect->factor_high > 0) {
		json_put_number(object, "p99_factor_low", effect->factor_low);
		if (isinf(effect->factor_high))
			json_object_object_add(object, "p99_factor_high", NULL);
		else
			json_put_number(object, "p99_factor_high", effect->factor_high);
	}
	if (effect->culprit) {
		json_put_text(object, "culprit", effect->culprit->text);
		json_put_text(object, "cause", cause_names[effect->culprit->kind]);
		json_put_number(object, "culprit_share", effect->culprit_share);
	}
	return object;
}

static struct json_object *json_ring(const struct ring_effects *ring)
{
	struct json_object *object = json_object_new_object(), *array = json_object_new_array();

	json_put_uint(object, "ring", ring->ring->id);
	json_put(object, "without", json_effect(&ring->without));
	for (size_t i = 0; array && i < ring->n; i++)
		json_object_array_add(array, json_effect(&ring->list[i]));
	json_put(object, "effects", array);
	return object;
}

int load_effects_json_print(FILE *out, const struct session *session)
{
	struct load_effects effects;
	int r = load_effects_make(&effects, session);

	if (effects.n && r == 0)
		fprintf(out, ",\n\"load_effects\": [");
	for (size_t i = 0; i < effects.n && r == 0; i++)
		r = json_print_value(out, json_ring(&effects.rings[i]), i ? ",\n" : "\n");
	if (effects.n && r == 0)
		fprintf(out, "]");
	load_effects_finish(&effects);
	return r;
}

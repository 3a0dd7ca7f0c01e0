/* SPDX-License-Identifier: GPL-2.0-or-later */
/* audit_json.c - the knobs of a machine as one JSON object. */
#include "src/report/audit_json.h"

#include "src/base/json.h"
#include "src/machine/machine_json.h"
#include "src/model/advice.h"

enum { SCHEMA_VERSION = 1 };

static const char *const rank_names[N_ADVICE_RANKS] = {
	[ADVICE_SEEN] = "seen",
	[ADVICE_COSTS] = "costs",
	[ADVICE_MAY_COST] = "may_cost",
	[ADVICE_NO_EFFECT] = "no_effect",
	[ADVICE_INFORMS] = "informs",
	[ADVICE_GOOD] = "good",
	[ADVICE_DENIED] = "denied",
	[ADVICE_UNMOUNTED] = "not_mounted",
	[ADVICE_RUN_ONLY] = "run_only",
	[ADVICE_ABSENT] = "absent",
};

static const char *group_word(enum knob_group group)
{
	return group == KNOB_CPUS ? "cpus" : knob_group_name(group);
}

static void put_command(struct json_object *object, const char *key, const struct advice *advice,
	const struct advice_site *site, const char *command)
{
	char text[ADVICE_TEXT_SIZE];

	if (command)
		json_put_text(object, key, advice_command(advice, site, command, text));
}

static struct json_object *json_knob(const struct advice *advice, const struct advice_site *site)
{
	struct json_object *object = json_object_new_object();
	const struct knob *knob = advice->knob;

	json_put_text(object, "name", knob->name);
	json_put_text(object, "group", group_word(knob->group));
	json_put_text(object, "about", knob->about);
	json_put_text(object, "verdict", rank_names[advice->rank]);
	if (advice->rank < ADVICE_DENIED)
		json_put_text(object, "value", advice->found.value);
	json_put_text(object, "good", knob->good);
	if (knob->cost)
		json_put_text(object, "cost", knob->cost);
	if (knob->cost_ns)
		json_put_uint(object, "cost_ns", knob->cost_ns);
	put_command(object, "now", advice, site, advice_now(advice, site));
	put_command(object, "keep", advice, site, knob->keep);
	return object;
}

int audit_json_print(FILE *out, const struct advice_list *advice, const struct advice_site *site)
{
	struct json_object *object = json_object_new_object(), *array = json_object_new_array();

	json_put_uint(object, "schema_version", SCHEMA_VERSION);
	json_put_text(object, "ipctop_version", IPCTOP_VERSION);
	json_put_text(object, "host", site->machine->host);
	json_put_text(object, "kernel", site->machine->kernel);
	machine_json_put_cpus(object, "cpus", &site->cpus);
	json_put_bool(object, "costs", advice_has_cost(advice));
	for (size_t i = 0; array && i < advice->n; i++)
		json_object_array_add(array, json_knob(&advice->list[i], site));
	json_put(object, "knobs", array);
	return json_print_value(out, object, "");
}

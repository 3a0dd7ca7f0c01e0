/* SPDX-License-Identifier: GPL-2.0-or-later */
/* machine_json.c - the machine in JSON: for recordings, and for reports. */
#include "src/machine/machine_json.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/json.h"
#include "src/machine/machine.h"
#include "src/machine/topology.h"

struct json_object *machine_json(const struct machine *machine)
{
	struct json_object *object = json_object_new_object();

	for (size_t i = 0; i < machine_n_facts; i++) {
		const struct machine_fact *fact = &machine_facts[i];
		const char *text = machine_recorded_text(machine, fact);

		if (text)
			json_put_text(object, fact->field.key, text);
		else
			json_put_field(object, &fact->field, machine);
	}
	return object;
}

/* Returns a text, which the caller frees; NULL: there is none. @key may be NULL. */
static char *read_text(struct json_object *object, const char *key)
{
	const struct field field = {.key = key, .type = FIELD_STRING};
	char *text = NULL;

	if (key)
		json_read_field(object, &field, &text);
	return text;
}

void machine_json_read(struct json_object *object, struct machine *machine)
{
	machine_finish(machine);
	*machine = machine_unknown();
	for (size_t i = 0; i < machine_n_facts; i++) {
		const struct machine_fact *fact = &machine_facts[i];

		if (!fact->rows) {
			json_read_field(object, &fact->field, machine);
			continue;
		}
		char *text = read_text(object, fact->field.key);

		if (!text)
			text = read_text(object, fact->old_key);
		machine_set_text(machine, fact, text ? text : "");
		free(text);
	}
}

/* For "object.name", returns that object, made if it is missing, and sets *name to "name". */
static struct json_object *object_of(struct json_object *object, const char **name)
{
	const char *dot = strchr(*name, '.');
	struct json_object *inner;
	char key[32];

	if (!dot)
		return object;
	snprintf(key, sizeof(key), "%.*s", (int)(dot - *name), *name);
	*name = dot + 1;
	if (json_object_object_get_ex(object, key, &inner))
		return inner;
	inner = json_object_new_object();
	json_put(object, key, inner);
	return inner;
}

struct json_object *machine_json_report(const struct machine *machine)
{
	struct json_object *object = json_object_new_object();

	for (size_t i = 0; i < machine_n_facts; i++) {
		const struct machine_fact *fact = &machine_facts[i];
		const char *name = fact->report, *text = machine_text(machine, fact);
		int64_t number = text ? 0 : field_number(&fact->field, machine);

		if (!name || (fact->unknown && number == fact->unknown))
			continue;
		struct json_object *in = object_of(object, &name);

		if (text)
			json_put_text(in, name, text);
		else if (fact->value_names)
			json_put_text(in, name, fact->value_names[number]);
		else if (fact->is_switch)
			json_put_bool(in, name, number);
		else
			json_put_int(in, name, number);
	}
	return object;
}

void machine_json_put_cpus(struct json_object *object, const char *key, const struct cpus *cpus)
{
	size_t size = 6 * cpus_count(cpus) + 8;
	char *text = malloc(size);

	if (text)
		json_put_text(object, key, cpus_format(cpus, text, size));
	free(text);
}

struct json_object *machine_json_topology(const struct topology *topology)
{
	struct json_object *object = json_object_new_object();

	json_put_uint(object, "cpus", topology->n_cpus);
	json_put_uint(object, "cores", topology->n_cores);
	json_put_uint(object, "packages", topology->n_packages);
	json_put_uint(object, "nodes", topology->n_nodes);
	json_put_uint(object, "l3", topology->n_l3);
	json_put_uint(object, "kinds", topology->n_kinds);
	machine_json_put_cpus(object, "online", &topology->online);
	machine_json_put_cpus(object, "allowed", &topology->allowed);
	machine_json_put_cpus(object, "usable", &topology->usable);
	machine_json_put_cpus(object, "isolated", &topology->isolated);
	return object;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record_json.c - what a recording holds as JSON: its header, and what is known of the machine. */
#include "src/recording/record_json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/text.h"
#include "src/machine/machine_json.h"
#include "src/model/session.h"
#include "src/model/session_group.h"
#include "src/model/session_hops.h"
#include "src/plan/plan.h"
#include "src/report/report_json_parts.h"

/* Frees the object. */
static char *print_object(struct json_object *object)
{
	const char *text = object ? json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN) : NULL;
	char *copy = text ? strdup(text) : NULL;

	json_object_put(object);
	return copy;
}

static struct json_object *ring_object(const struct session_ring *ring)
{
	struct json_object *object = json_object_new_object(), *cpus = json_object_new_array();

	for (unsigned i = 0; cpus && i < ring->n_members; i++)
		json_object_array_add(cpus, json_object_new_int64(ring->cpus[i]));
	json_put_text(object, "mechanism", ring->mechanism);
	json_put_text(object, "title", ring->title);
	json_put_text(object, "label", ring->label);
	json_put(object, "cpus", cpus);
	json_put_text(object, "class", locality_name(ring->locality));
	json_put_int(object, "turn", ring->turn);
	json_put_uint(object, "interval_ns", ring->interval_ns);
	json_put_uint(object, "token_bytes", ring->token_bytes);
	json_put_bool(object, "isolated", ring->isolated);
	json_put_int(object, "policy", ring->asked.policy);
	json_put_int(object, "priority", ring->asked.priority);
	json_put_int(object, "nice", ring->asked.nice);
	return object;
}

char *record_json_machine(const struct machine *machine)
{
	return print_object(machine_json(machine));
}

char *record_json_header(
	const struct session *session, const struct config *config, const struct topology *topology)
{
	struct json_object *object = json_object_new_object(), *rings = json_object_new_array();

	json_put_text(object, "program", "ipctop");
	json_put_text(object, "version", IPCTOP_VERSION);
	json_put_uint(object, "start_ns", session->start_ns);
	json_put_uint(object, "wall_start_ns", session->wall_start_ns);
	json_put_int(object, "turns", session->n_turns);
	json_put_uint(object, "turn_ns", session->turn_ns);
	json_put(object, "machine", machine_json(&session->machine));
	json_put(object, "topology", machine_json_topology(topology));
	json_put(object, "options", json_options(config));
	for (size_t i = 0; rings && i < session->n_rings; i++)
		json_object_array_add(rings, ring_object(&session->rings[i]));
	json_put(object, "rings", rings);
	return print_object(object);
}

/* A text of the object, or "?"; NULL without memory. Cleaned here once more, for JSON has escapes. */
static char *text_of(struct json_object *object, const char *key)
{
	struct json_object *value = json_object_object_get(object, key);
	char *text =
		strdup(json_object_is_type(value, json_type_string) ? json_object_get_string(value) : "?");

	return text ? text_clean(text) : NULL;
}

static uint64_t uint_of(struct json_object *object, const char *key)
{
	return json_object_get_uint64(json_object_object_get(object, key));
}

static int int_of(struct json_object *object, const char *key)
{
	return json_object_get_int(json_object_object_get(object, key));
}

static enum locality locality_of(const char *name)
{
	for (int i = 0; i < N_LOCALITIES; i++)
		if (strcmp(name, locality_name((enum locality)i)) == 0)
			return (enum locality)i;
	return LOCALITY_CROSS;
}

static int read_members(struct json_object *cpus, struct session_ring *ring)
{
	size_t n = json_object_is_type(cpus, json_type_array) ? json_object_array_length(cpus) : 0;

	if (n == 0 || n > PLAN_RING_MEMBERS_MAX)
		return -EINVAL;
	ring->cpus = calloc(n, sizeof(*ring->cpus));
	ring->members = calloc(n, sizeof(*ring->members));
	if (!ring->cpus || !ring->members)
		return -ENOMEM;
	ring->n_members = (unsigned)n;
	for (size_t i = 0; i < n; i++) {
		int64_t cpu = json_object_get_int64(json_object_array_get_idx(cpus, i));

		if (cpu < 0 || cpu > INT32_MAX)
			return -EINVAL;
		ring->cpus[i] = (unsigned)cpu;
		ring->members[i] = (struct tick_member){.policy = {.policy = -1}, .cpu = -1};
	}
	return session_hops_init(ring);
}

static int read_ring(struct json_object *object, struct session_ring *ring, size_t id)
{
	if (!json_object_is_type(object, json_type_object))
		return -EINVAL;
	char *locality = text_of(object, "class");

	*ring = (struct session_ring){.id = (uint32_t)id,
		.mechanism = text_of(object, "mechanism"),
		.title = text_of(object, "title"),
		.label = text_of(object, "label"),
		.locality = locality_of(locality ? locality : ""),
		.turn = (unsigned)uint_of(object, "turn"),
		.interval_ns = uint_of(object, "interval_ns"),
		.token_bytes = uint_of(object, "token_bytes"),
		.isolated = json_object_get_boolean(json_object_object_get(object, "isolated")),
		.asked = {.policy = int_of(object, "policy"),
			.priority = int_of(object, "priority"),
			.nice = int_of(object, "nice")}};
	bool good = locality && ring->mechanism && ring->title && ring->label;

	free(locality);
	return good ? read_members(json_object_object_get(object, "cpus"), ring) : -ENOMEM;
}

static int read_session(struct json_object *header, struct session *session)
{
	struct json_object *rings = json_object_object_get(header, "rings");
	size_t n = json_object_is_type(rings, json_type_array) ? json_object_array_length(rings) : 0;
	int r = 0;

	if (n > PLAN_RINGS_MAX)
		return -EINVAL;
	machine_json_read(json_object_object_get(header, "machine"), &session->machine);
	session->start_ns = uint_of(header, "start_ns");
	session->wall_start_ns = uint_of(header, "wall_start_ns");
	if (uint_of(header, "turns") > PLAN_RINGS_MAX)
		return -EINVAL;
	session->n_turns = (unsigned)uint_of(header, "turns");
	session->turn_ns = uint_of(header, "turn_ns");
	session->work_size = uint_of(json_object_object_get(header, "options"), "work_bytes");
	session->auto_phase = json_object_get_boolean(
		json_object_object_get(json_object_object_get(header, "options"), "auto_phase"));
	session->rings = calloc(n ? n : 1, sizeof(*session->rings));
	if (!session->rings)
		return -ENOMEM;
	for (size_t i = 0; i < n && r == 0; i++) {
		r = read_ring(json_object_array_get_idx(rings, i), &session->rings[i], i);
		session->n_rings++;
	}
	return r == 0 ? session_groups_init(session) : r;
}

static void read_facts(struct json_object *header, struct record_facts *facts)
{
	struct json_object *options = json_object_object_get(header, "options");
	const char *show = json_object_get_string(json_object_object_get(options, "show"));

	*facts = (struct record_facts){
		.tick_ns = uint_of(options, "tick_ns"), .fail_above_ns = uint_of(options, "fail_above_ns")};
	for (int i = 0; show && i < N_FIGURES_SHOWN; i++)
		if (strcmp(show, figure_name((enum figure)i)) == 0)
			facts->figure = (enum figure)i;
}

int record_json_read(
	const char *header, struct session *session, struct record_facts *facts, struct error_text *reason)
{
	struct json_object *object = json_tokener_parse(header);
	int r = -EINVAL;

	*session = (struct session){0};
	if (json_object_is_type(object, json_type_object))
		r = read_session(object, session);
	if (r == 0 && facts)
		read_facts(object, facts);
	json_object_put(object);
	if (r == -ENOMEM)
		return error_text_set(reason, r, "no memory for its rings");
	return r < 0 ? error_text_set(reason, r, "its header is not one of ipctop's") : 0;
}

int record_json_read_machine(const char *text, struct machine *machine)
{
	struct json_object *object = json_tokener_parse(text);
	bool good = json_object_is_type(object, json_type_object);

	if (good)
		machine_json_read(object, machine);
	json_object_put(object);
	return good ? 0 : -EINVAL;
}

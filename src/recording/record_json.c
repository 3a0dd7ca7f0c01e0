/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record_json.c - the parts of a recording that are JSON: its header, and the facts of the machine. */
#include "src/recording/record_json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/bytes.h"
#include "src/base/json.h"
#include "src/machine/machine_json.h"
#include "src/model/session.h"
#include "src/model/session_rows.h"
#include "src/plan/config_json.h"
#include "src/plan/plan.h"
#include "src/recording/sweep_codec.h"

/* Writes the text of an object, and frees it. */
static void write_object(struct bytes *bytes, struct json_object *object)
{
	const char *text = object ? json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN) : NULL;

	bytes->failed |= !text;
	bytes_text(bytes, text);
	json_object_put(object);
}

static const struct field ring_fields[] = {
	FIELD_OF(struct session_ring, mechanism),
	FIELD_OF(struct session_ring, title),
	FIELD_OF(struct session_ring, label),
	FIELD_OF(struct session_ring, turn),
	FIELD_OF(struct session_ring, interval_ns),
	FIELD_OF(struct session_ring, stamps, .below = N_STAMPS),
	FIELD_OF(struct session_ring, batch_laps),
	FIELD_OF(struct session_ring, token_bytes),
	FIELD_OF(struct session_ring, isolated),
	FIELD_AS(struct session_ring, asked.policy, "policy"),
	FIELD_AS(struct session_ring, asked.priority, "priority"),
	FIELD_AS(struct session_ring, asked.nice, "nice"),
};

static const struct field session_fields[] = {
	FIELD_OF(struct session, start_ns),
	FIELD_OF(struct session, wall_start_ns),
	FIELD_AS(struct session, n_turns, "turns", .below = PLAN_RINGS_MAX + 1),
	FIELD_OF(struct session, turn_ns),
	FIELD_OF(struct session, facts_begin_phases),
};

enum {
	N_RING_FIELDS = sizeof(ring_fields) / sizeof(*ring_fields),
	N_SESSION_FIELDS = sizeof(session_fields) / sizeof(*session_fields),
};

static struct json_object *ring_object(const struct session_ring *ring)
{
	struct json_object *object = json_object_new_object(), *cpus = json_object_new_array();

	for (unsigned i = 0; cpus && i < ring->n_members; i++)
		json_object_array_add(cpus, json_object_new_int64(ring->cpus[i]));
	json_put(object, "cpus", cpus);
	json_put_text(object, "class", locality_name(ring->moved ? ring->planned_locality : ring->locality));
	for (size_t i = 0; i < N_RING_FIELDS; i++)
		json_put_field(object, &ring_fields[i], ring);
	return object;
}

void record_json_machine(struct bytes *bytes, const struct machine *machine)
{
	write_object(bytes, machine_json(machine));
}

/* A recording that begins later than the run may lack rings that ended before. */
static struct json_object *first_ring_object(const struct session_ring *ring, size_t index)
{
	struct json_object *object = ring_object(ring);

	if (ring->id != index)
		json_put(object, "id", json_object_new_int64(ring->id));
	return object;
}

void record_json_header(struct bytes *bytes, const struct session *session, const struct config *config,
	const struct topology *topology, bool has_matrix)
{
	struct json_object *object = json_object_new_object(), *rings = json_object_new_array();

	json_put_text(object, "program", "ipctop");
	json_put_text(object, "version", IPCTOP_VERSION);
	for (size_t i = 0; i < N_SESSION_FIELDS; i++)
		json_put_field(object, &session_fields[i], session);
	json_put(object, "machine", machine_json(&session->machine));
	json_put(object, "topology", machine_json_topology(topology));
	json_put(object, "options", config_json(config));
	for (size_t i = 0; rings && i < session->n_rings && !session->rings[i].added_ns; i++)
		json_object_array_add(rings, first_ring_object(&session->rings[i], i));
	json_put(object, "rings", rings);
	if (session->matrix && has_matrix)
		json_put(object, "sweep", sweep_json(session->matrix));
	write_object(bytes, object);
}

static enum locality locality_of(const char *name)
{
	for (int i = 0; name && i < N_LOCALITIES; i++)
		if (strcmp(name, locality_name((enum locality)i)) == 0)
			return (enum locality)i;
	return LOCALITY_CROSS;
}

static int read_members(struct json_object *cpus, struct session_ring *ring)
{
	size_t n = json_object_is_type(cpus, json_type_array) ? json_object_array_length(cpus) : 0;

	if (n == 0 || n > PLAN_RING_MEMBERS_MAX)
		return -EINVAL;
	unsigned planned[PLAN_RING_MEMBERS_MAX];

	for (size_t i = 0; i < n; i++) {
		int64_t cpu = json_object_get_int64(json_object_array_get_idx(cpus, i));

		if (cpu < 0 || cpu > INT32_MAX)
			return -EINVAL;
		planned[i] = (unsigned)cpu;
	}
	return session_ring_init_members(ring, planned, (unsigned)n);
}

/* An entry has the id and the time, too. */
static const struct field added_fields[] = {
	FIELD_OF(struct session_ring, id),
	FIELD_OF(struct session_ring, added_ns),
};

static int read_ring(struct json_object *object, struct session_ring *ring, size_t id)
{
	struct json_object *locality = json_object_object_get(object, "class");

	*ring = (struct session_ring){
		.id = (uint32_t)id, .locality = locality_of(json_object_get_string(locality))};
	for (size_t i = 0; i < N_RING_FIELDS; i++)
		json_read_field(object, &ring_fields[i], ring);
	if (!ring->mechanism || !ring->title || !ring->label)
		return -EINVAL;
	return read_members(json_object_object_get(object, "cpus"), ring);
}

/* Ids grow, and leave those of added rings room. */
static int read_first_ring(struct json_object *object, struct session *session, size_t index)
{
	struct json_object *id = json_object_object_get(object, "id");
	int64_t number = id ? json_object_get_int64(id) : (int64_t)index;
	int64_t after = index ? (int64_t)session->rings[index - 1].id : -1;
	int r = read_ring(object, &session->rings[index], (size_t)number);

	return r == 0 && (number <= after || number >= (int64_t)GROUP_ROW) ? -EINVAL : r;
}

static int read_session(struct json_object *header, const struct config *config, struct session *session)
{
	struct json_object *rings = json_object_object_get(header, "rings");
	size_t n = json_object_is_type(rings, json_type_array) ? json_object_array_length(rings) : 0;
	int r = 0;

	if (n > PLAN_RINGS_MAX)
		return -EINVAL;
	machine_json_read(json_object_object_get(header, "machine"), &session->machine);
	for (size_t i = 0; i < N_SESSION_FIELDS; i++)
		json_read_field(header, &session_fields[i], session);
	session->rings_room = n ? n : 1;
	session->rings = calloc(session->rings_room, sizeof(*session->rings));
	if (!session->rings)
		return -ENOMEM;
	for (size_t i = 0; i < n && r == 0; i++) {
		r = read_first_ring(json_object_array_get_idx(rings, i), session, i);
		session->n_rings++;
	}
	struct json_object *sweep = json_object_object_get(header, "sweep");

	if (r == 0 && sweep)
		r = sweep_json_read(sweep, &session->matrix);
	if (r == 0 && sweep) {
		session->matrix->size = config->size;
		session->matrix->loops = config->loops;
	}
	return r == 0 ? session_rows_init(session) : r;
}

int record_json_read(
	const char *header, struct session *session, struct config *config, struct error_text *reason)
{
	struct json_object *object = json_tokener_parse(header);
	int r = -EINVAL;

	*session = (struct session){0};
	*config = (struct config){0};
	if (json_object_is_type(object, json_type_object)) {
		config_json_read(json_object_object_get(object, "options"), config);
		session->work_size = config->work_size;
		session->auto_phase = config->auto_phase;
		session->is_sweep = config->sweep;
		r = read_session(object, config, session);
	}
	json_object_put(object);
	if (r == -ENOMEM)
		return error_text_set(reason, r, "no memory for its rings");
	return r < 0 ? error_text_set(reason, r, "its header is not one of ipctop's") : 0;
}

int record_json_read_machine(struct scan *scan, struct machine *machine)
{
	char *text = scan_text(scan);
	struct json_object *object = text ? json_tokener_parse(text) : NULL;
	bool good = json_object_is_type(object, json_type_object);

	if (good)
		machine_json_read(object, machine);
	json_object_put(object);
	free(text);
	return good ? 0 : -EINVAL;
}

void record_json_ring(struct bytes *bytes, const struct session_ring *ring)
{
	struct json_object *object = ring_object(ring);

	for (size_t i = 0; i < sizeof(added_fields) / sizeof(*added_fields); i++)
		json_put_field(object, &added_fields[i], ring);
	write_object(bytes, object);
}

int record_json_read_ring(struct scan *scan, struct session_ring *ring)
{
	char *text = scan_text(scan);
	struct json_object *object = text ? json_tokener_parse(text) : NULL;
	int r = -EINVAL;

	*ring = (struct session_ring){0};
	if (json_object_is_type(object, json_type_object)) {
		r = read_ring(object, ring, 0);
		for (size_t i = 0; i < sizeof(added_fields) / sizeof(*added_fields); i++)
			json_read_field(object, &added_fields[i], ring);
	}
	if (r == 0 && (!ring->added_ns || ring->turn >= PLAN_RINGS_MAX))
		r = -EINVAL;
	json_object_put(object);
	free(text);
	return r;
}

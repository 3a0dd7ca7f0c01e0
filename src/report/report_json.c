/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_json.c - a session as JSON: one member of the document a line, one ring a line. */
#include "src/report/report_json.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "src/base/json.h"
#include "src/base/whole_file.h"
#include "src/figures/tick_fields.h"
#include "src/machine/machine_json.h"
#include "src/model/session.h"
#include "src/model/session_events.h"
#include "src/model/session_phases.h"
#include "src/plan/config_json.h"
#include "src/report/report_json_ring.h"

enum { SCHEMA_VERSION = 1 };

/* Prints and frees an object whose members are those of the document. */
static int print_members(FILE *out, struct json_object *object)
{
	int r = object ? 0 : -ENOMEM;
	struct json_object_iter member;

	if (object)
		json_object_object_foreachC(object, member)
		{
			fprintf(out, "\"%s\": ", member.key);
			if (r == 0)
				r = json_print_value(out, json_object_get(member.val), "");
			fprintf(out, ",\n");
		}
	json_object_put(object);
	return r;
}

/* Puts a time in UTC, as in RFC 3339. */
static void put_time(struct json_object *object, const char *key, uint64_t wall_ns)
{
	time_t seconds = (time_t)(wall_ns / 1000000000u);
	char day[32], text[64];
	struct tm utc;

	gmtime_r(&seconds, &utc);
	strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", &utc);
	snprintf(text, sizeof(text), "%s.%09uZ", day, (unsigned)(wall_ns % 1000000000u));
	json_put_text(object, key, text);
}

/* What the session does not know of its run. */
struct origin {
	const char *version, *ended_by;
	struct json_object *options, *topology; /* owned */
};

static struct json_object *json_breach(const struct session *session, const struct event *breach)
{
	const struct session_ring *ring = &session->rings[breach->ring];
	struct json_object *object = json_object_new_object();

	json_put_int(object, "at_ns", (int64_t)(breach->at_ns - session->start_ns));
	json_put_int(object, "ring", breach->ring);
	json_put_text(object, "mechanism", ring->mechanism);
	json_put_text(object, "label", ring->label);
	json_put_int(object, "member", breach->member);
	json_put_int(object, "tid", breach->tid);
	json_put_text(object, "figure", figure_name(breach->figure));
	json_put_uint(object, "latency_ns", breach->ns);
	json_put_uint(object, "limit_ns", breach->limit_ns);
	json_put_bool(object, "tracing_stopped", !breach->error);
	return object;
}

static struct json_object *json_head(const struct session *session, const struct origin *origin)
{
	uint64_t duration_ns = session_position_ns(session) - session->start_ns;
	const struct event *breach = session_breach(session);
	struct json_object *object = json_object_new_object();

	json_put_int(object, "schema_version", SCHEMA_VERSION);
	json_put_text(object, "program", "ipctop");
	json_put_text(object, "version", origin->version);
	put_time(object, "start_time", session->wall_start_ns);
	put_time(object, "end_time", session->wall_start_ns + duration_ns);
	json_put_uint(object, "duration_ns", duration_ns);
	json_put_text(object, "ended_by", origin->ended_by);
	if (breach)
		json_put(object, "breach", json_breach(session, breach));
	json_put(object, "host", machine_json_report(&session->machine));
	json_put(object, "topology", origin->topology);
	json_put(object, "options", origin->options);
	json_put_uint(object, "clock_read_cost_ns", session->machine.clock_cost_ns);
	json_put_text(object, "loadavg", session->loadavg);
	json_put_number(object, "own_cpu", session->own_cpu_ppm / 1e6);
	json_put_uint(object, "ticks", session->n_ticks);
	json_put_uint(object, "turns", session->n_turns);
	json_put_uint(object, "turn_ns", session->turn_ns);
	json_put_uint(object, "events_dropped", session->events_dropped);
	json_put_uint(object, "phases_dropped", session->phases.dropped);
	return object;
}

static struct json_object *json_event(const struct session *session, const struct event *event)
{
	struct json_object *object = json_object_new_object();
	char *text = event_text(event);

	json_put_int(object, "at_ns", (int64_t)(event->at_ns - session->start_ns));
	json_put_text(object, "kind", event_class_name(event));
	if (event->ring >= 0)
		json_put_int(object, "ring", event->ring);
	json_put_text(object, "text", text ? text : "");
	free(text);
	return object;
}

static struct json_object *json_phase_ring(
	const struct session *session, const struct session_ring *ring, const struct row_sums *sums)
{
	struct json_object *object = json_object_new_object(), *figures = json_object_new_object();

	json_put_uint(object, "id", ring->id);
	for (size_t i = 0; i < N_TICK_COUNTS; i++)
		json_put_field(object, &tick_count_fields[i], &sums->counts);
	for (int i = 0; i < N_FIGURES; i++)
		json_put(figures, figure_name((enum figure)i), report_json_figure(session, &sums->hists[i]));
	json_put(object, "figures", figures);
	return object;
}

static int print_phase_ring(FILE *out, const struct session *session, const struct phase *phase, size_t ring,
	struct row_sums *sums)
{
	struct block_list blocks = session_phase_blocks(session, phase);
	int r = block_list_sum_row(&blocks, ring, sums);

	if (r < 0)
		return r;
	return json_print_value(
		out, json_phase_ring(session, &session->rings[ring], sums), ring ? ",\n" : "\n");
}

static int print_phase(
	FILE *out, const struct session *session, const struct phase *phase, const char *before)
{
	struct row_sums sums = {0};
	int r;

	fprintf(out, "%s{\"number\": %u, \"name\": ", before, (unsigned)phase->number);
	r = json_print_value(out, json_text(phase->name), "");
	fprintf(out, ", \"cause\": \"%s\", \"start_ns\": %lld, \"end_ns\": %lld, \"rings\": [",
		phase_cause_name(phase->cause), (long long)(phase->start_ns - session->start_ns),
		(long long)(phase->end_ns - session->start_ns));
	for (size_t i = 0; i < session->n_rings && r == 0; i++)
		r = print_phase_ring(out, session, phase, i, &sums);
	fprintf(out, "]}");
	row_sums_finish(&sums);
	return r;
}

static int print_report(FILE *out, const struct session *session, const struct origin *origin)
{
	int r;

	fprintf(out, "{\n");
	r = print_members(out, json_head(session, origin));
	fprintf(out, "\"events\": [");
	for (size_t i = 0; i < session->n_events && r == 0; i++)
		r = json_print_value(out, json_event(session, &session->events[i]), i ? ",\n" : "\n");
	fprintf(out, "],\n\"phases\": [");
	for (size_t i = 0; i < session->phases.n && r == 0; i++)
		r = print_phase(out, session, &session->phases.list[i], i ? ",\n" : "\n");
	fprintf(out, "],\n\"rings\": [");
	for (size_t i = 0; i < session->n_rings && r == 0; i++)
		r = json_print_value(out, report_json_ring(session, &session->rings[i]), i ? ",\n" : "\n");
	fprintf(out, "]\n}\n");
	return r;
}

static struct origin origin_of_run(
	const struct config *config, const struct topology *topology, const char *ended_by)
{
	return (struct origin){.version = IPCTOP_VERSION,
		.ended_by = ended_by,
		.options = config_json(config),
		.topology = machine_json_topology(topology)};
}

int report_json_print(FILE *out, const struct session *session, const struct config *config,
	const struct topology *topology, const char *ended_by)
{
	struct origin origin = origin_of_run(config, topology, ended_by);

	return print_report(out, session, &origin);
}

static int write_report(const char *path, const struct session *session, const struct origin *origin,
	struct error_text *reason)
{
	struct whole_file file;
	int r = whole_file_open(&file, path, reason);

	if (r < 0) {
		json_object_put(origin->options);
		json_object_put(origin->topology);
		return r;
	}
	r = print_report(file.out, session, origin);
	if (r < 0) {
		whole_file_abandon(&file);
		return error_text_set(reason, r, "can't write %s: no memory", path);
	}
	return whole_file_close(&file, reason);
}

int report_json_write(const char *path, const struct session *session, const struct config *config,
	const struct topology *topology, const char *ended_by, struct error_text *reason)
{
	struct origin origin = origin_of_run(config, topology, ended_by);

	return write_report(path, session, &origin, reason);
}

int report_json_write_recorded(const char *path, const struct session *session, const char *header,
	const char *ended_by, struct error_text *reason)
{
	struct json_object *object = json_tokener_parse(header);
	const char *version = json_object_get_string(json_object_object_get(object, "version"));
	struct origin origin = {.version = version ? version : "?",
		.ended_by = ended_by,
		.options = json_object_get(json_object_object_get(object, "options")),
		.topology = json_object_get(json_object_object_get(object, "topology"))};
	int r = write_report(path, session, &origin, reason);

	json_object_put(object);
	return r;
}

int report_json_check(const char *path, struct error_text *reason)
{
	return whole_file_check(path, reason);
}

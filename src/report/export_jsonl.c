/* SPDX-License-Identifier: GPL-2.0-or-later */
/* export_jsonl.c - the ticks and events of a session as JSON objects, one a line. */
#include <stdlib.h>

#include "src/base/json.h"
#include "src/figures/tick_fields.h"
#include "src/model/feed.h"
#include "src/report/export.h"

/* json-c quotes texts. Numbers are printed without it, which is faster. */
static void print_text(FILE *out, const char *key, const char *text)
{
	fprintf(out, ",\"%s\":", key);
	if (json_print_value(out, json_text(text), "") < 0)
		fputs("null", out);
}

static void print_uint(FILE *out, const char *key, uint64_t number)
{
	fprintf(out, ",\"%s\":%llu", key, (unsigned long long)number);
}

static void print_member(FILE *out, const struct tick_member *member, const char *comma)
{
	fprintf(out, "%s{\"pid\":%d,\"tid\":%d,\"cpu\":%d,\"n_cpus\":%u", comma, (int)member->pid,
		(int)member->tid, (int)member->cpu, (unsigned)member->n_cpus);
	if (member->policy.policy >= 0) {
		print_text(out, "policy", task_policy_name(member->policy.policy));
		fprintf(out, ",\"priority\":%d,\"nice\":%d", (int)member->policy.priority,
			(int)member->policy.nice);
	}
	fputc('}', out);
}

/* The buckets are not sorted, and one may occur twice. The count has untimed samples, too. */
static void print_figure(FILE *out, const struct tick_figure *figure, const struct hist_cell *cells)
{
	const char *comma = "";
	uint64_t n = 0;

	for (size_t i = 0; i < figure->n_cells; i++)
		n += cells[i].count;
	fprintf(out, "{\"count\":%llu", (unsigned long long)n);
	print_uint(out, "sum_ns", figure->sum_ns);
	print_uint(out, "last_ns", figure->last_ns);
	if (figure->has_extremes) {
		print_uint(out, "min_ns", figure->min_ns);
		print_uint(out, "max_ns", figure->max_ns);
		print_uint(out, "max_at_ns", figure->max_at_ns);
	}
	fputs(",\"histogram\":[", out);
	for (size_t i = 0; i < figure->n_cells; i++) {
		if (cells[i].bucket == HIST_UNTIMED)
			continue;
		fprintf(out, "%s[%llu,%llu,%u]", comma, (unsigned long long)hist_lower(cells[i].bucket),
			(unsigned long long)hist_width(cells[i].bucket), (unsigned)cells[i].count);
		comma = ",";
	}
	fputs("]}", out);
}

static void print_ring(
	FILE *out, const struct session_ring *known, const struct tick_ring *ring, const struct tick *tick)
{
	const char *condition = ring_condition_name(ring->condition);

	fprintf(out, "{\"type\":\"ring\",\"at_ns\":%llu,\"ring\":%u", (unsigned long long)tick->end_ns,
		(unsigned)ring->id);
	print_text(out, "mechanism", known->mechanism);
	print_text(out, "label", known->label);
	print_text(out, "state", ring_state_name(ring->state));
	print_text(out, "condition", condition[0] ? condition : "fine");
	if (ring->reason)
		print_text(out, "reason", ring->reason);
	print_uint(out, "age_ns", ring->age_ns);
	for (size_t i = 0; i < N_TICK_COUNTS; i++)
		print_uint(out, tick_count_fields[i].key,
			(uint64_t)field_number(&tick_count_fields[i], &ring->counts));
	for (int f = 0; f < N_TOKEN_FAULTS; f++)
		print_uint(out, token_fault_name((enum token_fault)f), ring->faults[f]);
	fputs(",\"members\":[", out);
	for (uint32_t i = 0; i < ring->n_members; i++)
		print_member(out, &tick->members[ring->first_member + i], i ? "," : "");
	fputs("],\"figures\":{", out);
	for (int i = 0; i < N_FIGURES; i++) {
		fprintf(out, "%s\"%s\":", i ? "," : "", figure_name((enum figure)i));
		print_figure(out, &ring->figures[i], tick->cells + ring->figures[i].first_cell);
	}
	fputs("}}\n", out);
}

static void print_tick(FILE *out, const struct session *session, const struct tick *tick)
{
	fprintf(out, "{\"type\":\"tick\",\"at_ns\":%llu,\"start_ns\":%llu", (unsigned long long)tick->end_ns,
		(unsigned long long)tick->start_ns);
	print_uint(out, "turn", tick->turn);
	print_uint(out, "turn_since_ns", tick->turn_since_ns);
	if (tick->turn_held)
		fputs(",\"turn_held\":true", out);
	fprintf(out, ",\"own_cpu\":%.6f", tick->own_cpu_ppm / 1e6);
	print_text(out, "loadavg", tick->loadavg);
	fputs("}\n", out);
	for (size_t i = 0; i < tick->n_rings; i++)
		print_ring(out, &session->rings[tick->rings[i].id], &tick->rings[i], tick);
}

static void print_event(FILE *out, const struct event *event)
{
	char *text = event_text(event);

	fprintf(out, "{\"type\":\"event\",\"at_ns\":%llu", (unsigned long long)event->at_ns);
	print_text(out, "kind", event_class_name(event));
	if (event->ring >= 0)
		print_uint(out, "ring", (uint64_t)event->ring);
	print_text(out, "text", text ? text : "");
	free(text);
	fputs("}\n", out);
}

/* Prints the events that the session has made of the last item. A seek of a playback replaces the session. */
static void print_new_events(FILE *out, const struct session *session, uint64_t *n_events)
{
	uint64_t first = session->events_dropped, after = first + session->n_events;

	for (uint64_t i = *n_events > first ? *n_events : first; i < after; i++)
		print_event(out, &session->events[i - first]);
	*n_events = after;
}

/* The type comes first, as in all lines. */
static void print_header(FILE *out, const char *header)
{
	struct json_object *read = json_tokener_parse(header), *object = json_object_new_object();
	struct json_object_iter member;

	json_put_text(object, "type", "header");
	json_object_object_foreachC(read, member)
		json_object_object_add(object, member.key, json_object_get(member.val));
	json_object_put(read);
	if (json_print_value(out, object, "") < 0)
		fputs("null", out);
	fputc('\n', out);
}

/* Items that are no ticks become events of the session. */
static void print_item(FILE *out, const struct export_item *item, uint64_t *n_events)
{
	const struct session *session = item->session;

	if (item->damaged) {
		fprintf(out, "{\"type\":\"damage\",\"offset\":%llu", (unsigned long long)item->offset);
		print_text(out, "text", item->feed->event->text);
		fputs("}\n", out);
		*n_events = session->events_dropped + session->n_events; /* the last one says the same */
		return;
	}
	if (item->feed->kind == FEED_TICK)
		print_tick(out, session, item->feed->tick);
	print_new_events(out, session, n_events);
}

const struct export_format export_jsonl = {"jsonl", .print_header = print_header, .print_item = print_item};

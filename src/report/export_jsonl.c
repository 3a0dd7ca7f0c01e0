/* SPDX-License-Identifier: GPL-2.0-or-later */
/* export_jsonl.c - the ticks and events of a session as JSON objects, one a line. The "type" of a line is
 * "header", "tick", "ring" (one for each ring in each tick), "event" or "damage". Names are those of the JSON
 * schema, with a few of its own that ipctop(1) has; times are since the start of the run. */
#include <stdlib.h>

#include "src/base/json.h"
#include "src/figures/tick.h"
#include "src/model/feed.h"
#include "src/model/session.h"
#include "src/model/session_events.h"
#include "src/report/export.h"
#include "src/report/report_json.h"
#include "src/report/spike_json.h"

/* Without json-c, which is faster. */
static void print_uint(FILE *out, const char *key, uint64_t number)
{
	fprintf(out, ",\"%s\":%llu", key, (unsigned long long)number);
}

/* Since the start of the run, as in report_json.c. */
static void print_time(FILE *out, const char *key, const struct session *session, uint64_t at_ns)
{
	fprintf(out, ",\"%s\":%lld", key, (long long)(at_ns - session->start_ns));
}

static void print_type(FILE *out, const char *type, const struct session *session, uint64_t at_ns)
{
	fprintf(out, "{\"type\":\"%s\"", type);
	print_time(out, "at_ns", session, at_ns);
}

static void print_member(FILE *out, const struct tick_member *member, const char *comma)
{
	fprintf(out, "%s{", comma);
	if (!member->tid) { /* it has not run */
		fputc('}', out);
		return;
	}
	fprintf(out, "\"pid\":%d,\"tid\":%d", (int)member->pid, (int)member->tid);
	if (member->cpu >= 0)
		fprintf(out, ",\"cpu\":%d", (int)member->cpu);
	print_uint(out, "n_cpus", member->n_cpus);
	if (member->policy.policy >= 0) {
		json_print_text(out, "policy", task_policy_name(member->policy.policy));
		fprintf(out, ",\"priority\":%d,\"nice\":%d", (int)member->policy.priority,
			(int)member->policy.nice);
	}
	fputc('}', out);
}

/* The buckets are not sorted, and one may occur twice. The count has untimed samples, too. */
static void print_figure(FILE *out, const struct session *session, const struct tick_figure *figure,
	const struct hist_cell *cells)
{
	const char *comma = "";
	uint64_t n = 0;

	for (size_t i = 0; i < figure->n_cells; i++)
		n += cells[i].count;
	fprintf(out, "{\"count\":%llu", (unsigned long long)n);
	if (figure->sum_ns < HIST_SUM_UNKNOWN_NS)
		print_uint(out, "sum_ns", figure->sum_ns);
	if (n)
		print_uint(out, "last_ns", figure->last_ns);
	if (figure->has_extremes) {
		print_uint(out, "min_ns", figure->min_ns);
		print_uint(out, "max_ns", figure->max_ns);
		print_time(out, "max_at_ns", session, figure->max_at_ns);
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

static void print_token(FILE *out, const struct tick_ring *ring)
{
	fputs(",\"token\":{", out);
	for (int f = 0; f < N_TOKEN_FAULTS; f++)
		fprintf(out, "%s\"%s\":%llu", f ? "," : "", token_fault_name((enum token_fault)f),
			(unsigned long long)ring->faults[f]);
	fputc('}', out);
}

static void print_ring(
	FILE *out, const struct session *session, const struct tick_ring *ring, const struct tick *tick)
{
	const struct session_ring *known = session_find_ring(session, ring->id);
	const char *condition = ring_condition_name(ring->condition);

	print_type(out, "ring", session, tick->end_ns);
	print_uint(out, "ring", ring->id);
	json_print_text(out, "mechanism", known->mechanism);
	json_print_text(out, "label", known->label);
	json_print_text(out, "state", ring_state_name(ring->state));
	json_print_text(out, "condition", condition[0] ? condition : "fine");
	if (ring->reason)
		json_print_text(out, "reason", ring->reason);
	print_uint(out, "age_ns", ring->age_ns);
	for (size_t i = 0; i < N_TICK_COUNTS; i++)
		print_uint(out, tick_count_fields[i].key,
			(uint64_t)field_number(&tick_count_fields[i], &ring->counts));
	print_token(out, ring);
	fputs(",\"members\":[", out);
	for (uint32_t i = 0; i < ring->n_members; i++)
		print_member(out, &tick->members[ring->first_member + i], i ? "," : "");
	fputs("],\"figures\":{", out);
	for (int i = 0; i < N_FIGURES; i++) {
		fprintf(out, "%s\"%s\":", i ? "," : "", figure_name((enum figure)i));
		print_figure(out, session, &ring->figures[i], tick->cells + ring->figures[i].first_cell);
	}
	fputs("}}\n", out);
}

static void print_tick(FILE *out, const struct session *session, const struct tick *tick)
{
	print_type(out, "tick", session, tick->end_ns);
	print_time(out, "start_ns", session, tick->start_ns);
	print_uint(out, "turn", tick->turn);
	print_time(out, "turn_since_ns", session, tick->turn_since_ns);
	if (tick->turn_held)
		fputs(",\"turn_held\":true", out);
	fprintf(out, ",\"own_cpu\":%.6f", tick->own_cpu_ppm / 1e6);
	print_uint(out, "late_ns", tick->late_ns);
	print_uint(out, "own_wait_ns", tick->own_wait_ns);
	print_uint(out, "interrupts", tick->interrupts);
	print_uint(out, "recorder_cpu_ns", tick->recorder_ns);
	print_uint(out, "recorded", tick->n_recorded);
	json_print_text(out, "loadavg", tick->loadavg);
	fputs("}\n", out);
	for (size_t i = 0; i < tick->n_rings; i++)
		print_ring(out, session, &tick->rings[i], tick);
}

static void print_event(FILE *out, const struct session *session, const struct event *event)
{
	char *text = event_text(event);

	print_type(out, "event", session, event->at_ns);
	json_print_text(out, "kind", event_class_name(event));
	if (event->ring >= 0)
		print_uint(out, "ring", (uint64_t)event->ring);
	json_print_text(out, "text", text ? text : "");
	free(text);
	fputs("}\n", out);
}

/* After a seek back the session has fewer events than before, and none is new. */
void export_jsonl_events(FILE *out, const struct session *session, uint64_t *n_events)
{
	const struct event *event = NULL;

	while ((event = session_event_after(session, event ? event->serial : *n_events)))
		print_event(out, session, event);
	*n_events = session_last_serial(session);
}

static void print_added(FILE *out, const struct session *session, const struct feed_item *item)
{
	const struct session_ring *ring = session_find_ring(session, item->ring->id);

	if (!ring)
		return;
	print_type(out, "add", session, item->at_ns);
	fputs(",\"ring\":", out);
	if (json_print_value(out, report_json_ring(ring), "") < 0)
		fputs("null", out);
	fputs("}\n", out);
}

static void print_spike(FILE *out, const struct session *session, const struct kept_spike *kept)
{
	print_type(out, "spike", session, kept->spike.seen_ns);
	fputs(",\"spike\":", out);
	if (json_print_value(out, spike_json(session, kept), "") < 0)
		fputs("null", out);
	fputs("}\n", out);
}

void export_jsonl_spikes(FILE *out, const struct session *session, uint64_t *n_reports)
{
	const struct session_spikes *spikes = &session->spikes;

	for (size_t i = 0; i < spikes->n_last; i++)
		if (spikes->last[i].number > *n_reports)
			print_spike(out, session, &spikes->last[i]);
	*n_reports = spikes->n_reports;
}

static void print_removed(FILE *out, const struct session *session, const struct feed_item *item)
{
	print_type(out, "remove", session, item->at_ns);
	print_uint(out, "ring", item->ring->id);
	fputs("}\n", out);
}

static void print_header(FILE *out, const struct session *session, const struct report_origin *origin)
{
	if (json_print_value(out, report_json_start(session, origin), "") < 0)
		fputs("null", out);
	fputc('\n', out);
}

/* The session makes events of all other items, which are printed as such. */
static void print_item(FILE *out, const struct export_item *item, uint64_t *n_events)
{
	const struct session *session = item->session;
	const struct kept_spike *kept;

	if (item->damaged) {
		fprintf(out, "{\"type\":\"damage\",\"offset\":%llu", (unsigned long long)item->offset);
		json_print_text(out, "text", item->feed->event->text);
		fputs("}\n", out);
		*n_events = session_last_serial(session); /* the last one says the same */
		return;
	}
	if (item->feed->kind == FEED_TICK)
		print_tick(out, session, item->feed->tick);
	else if (item->feed->kind == FEED_RING)
		print_added(out, session, item->feed);
	else if (item->feed->kind == FEED_SPIKE && (kept = spikes_reported(&session->spikes)))
		print_spike(out, session, kept);
	else if (item->feed->kind == FEED_RING_END)
		print_removed(out, session, item->feed);
	export_jsonl_events(out, session, n_events);
}

const struct export_format export_jsonl = {"jsonl", .print_header = print_header, .print_item = print_item};

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_json.c - a session as JSON: one member of the document a line, one ring a line. */
#include "src/report/report_json.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "src/base/json.h"
#include "src/base/whole_file.h"
#include "src/machine/machine_json.h"
#include "src/model/asymmetry.h"
#include "src/model/compared_phase.h"
#include "src/model/load_effects.h"
#include "src/model/session.h"
#include "src/model/session_events.h"
#include "src/plan/config_json.h"
#include "src/report/figure_values.h"
#include "src/report/matrix_json.h"
#include "src/report/spike_json.h"

_Static_assert(N_FIGURES % N_JUDGED_BLOCK_FIGURES == 0, "the blocks of all figures are read in threes");

enum { SCHEMA_VERSION = 1 };

/* --- a ring --- */

/* Histograms are the largest part of a report, so they are not built as objects first. */
static int print_histogram(struct json_object *object, struct printbuf *out, int level, int flags)
{
	const struct hist *hist = json_object_get_userdata(object);
	const char *comma = "";

	(void)level, (void)flags;
	printbuf_strappend(out, "[");
	for (unsigned o = 0; o < HIST_OCTAVES; o++)
		for (unsigned b = o * HIST_OCTAVE; hist->octave_n[o] && b < (o + 1) * HIST_OCTAVE; b++) {
			char bucket[80];
			uint64_t count = hist_count(hist, b);

			if (!count)
				continue;
			int length = snprintf(bucket, sizeof(bucket), "%s[%llu,%llu,%llu]", comma,
				(unsigned long long)hist_lower(b), (unsigned long long)hist_width(b),
				(unsigned long long)count);

			if (printbuf_memappend(out, bucket, length) < 0)
				return -1;
			comma = ",";
		}
	return printbuf_strappend(out, "]");
}

static void put_values(struct json_object *object, const struct figure_value *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (values[i].kind == VALUE_INTEGER)
			json_put_int(object, values[i].name, values[i].integer);
		else if (values[i].kind == VALUE_REAL)
			json_put_number(object, values[i].name, values[i].real);
}

static struct json_object *json_figure(const struct session *session, const struct hist *hist)
{
	struct json_object *object = json_object_new_object(), *percentiles = json_object_new_object(),
			   *histogram = json_object_new_array();
	struct figure_values values = figure_values(session, hist);

	put_values(object, values.list, N_FIGURE_VALUES);
	put_values(percentiles, values.percentiles, N_FIGURE_PERCENTILES);
	json_put(object, "percentiles", percentiles);
	if (histogram)
		json_object_set_serializer(histogram, print_histogram, (void *)hist, NULL);
	json_put(object, "histogram", histogram);
	return object;
}

static void put_policy(struct json_object *object, struct task_policy policy)
{
	if (policy.policy < 0)
		return;
	json_put_text(object, "policy", task_policy_name(policy.policy));
	json_put_int(object, "priority", policy.priority);
	json_put_int(object, "nice", policy.nice);
}

static struct json_object *json_member(const struct session_ring *ring, unsigned index)
{
	const struct tick_member *member = &ring->members[index];
	struct json_object *object = json_object_new_object();

	json_put_uint(object, "planned_cpu", ring->cpus[index]);
	if (member->tid) {
		json_put_int(object, "pid", member->pid);
		json_put_int(object, "tid", member->tid);
		if (member->cpu >= 0)
			json_put_int(object, "cpu", member->cpu);
		json_put_uint(object, "n_cpus", member->n_cpus);
		put_policy(object, member->policy);
	}
	json_put_bool(object, "differs", session_member_differs(ring, index));
	return object;
}

static struct json_object *json_members(const struct session_ring *ring)
{
	struct json_object *array = json_object_new_array_ext((int)ring->n_members);

	for (unsigned i = 0; array && i < ring->n_members; i++)
		json_object_array_add(array, json_member(ring, i));
	return array;
}

static struct json_object *json_cpus(const struct session_ring *ring)
{
	struct json_object *array = json_object_new_array_ext((int)ring->n_members);

	for (unsigned i = 0; array && i < ring->n_members; i++)
		json_object_array_add(array, json_object_new_uint64(ring->cpus[i]));
	return array;
}

static struct json_object *json_figures(const struct session *session, const struct session_ring *ring)
{
	struct json_object *object = json_object_new_object();

	for (int i = 0; i < N_FIGURES; i++)
		json_put(object, figure_name((enum figure)i), json_figure(session, &ring->figures[i].hist));
	return object;
}

/* The latencies of a pair's hops are in its figures; pair_hops adds them here. */
static struct json_object *json_hops(const struct session *session, const struct session_ring *ring)
{
	struct json_object *array = json_object_new_array_ext((int)ring->n_members);

	for (unsigned h = 0; array && h < ring->n_members; h++) {
		const struct session_hop *hop = &ring->hops[h];
		struct json_object *object = json_object_new_object();

		json_put_uint(object, "from", h);
		json_put_uint(object, "to", (h + 1) % ring->n_members);
		if (hop->node >= 0)
			json_put_int(object, "node", hop->node);
		if ((ring->n_members > 2 && ring->stamps == STAMPS_ALL) || hop->hist.n)
			json_put(object, "latency", json_figure(session, &hop->hist));
		if (asymmetry_of_hop_is_skew(session, ring, h))
			json_put_bool(object, "within_clock_skew", true);
		json_object_array_add(array, object);
	}
	return array;
}

static void put_state(struct json_object *object, const struct session_ring *ring)
{
	const char *condition = ring_condition_name(ring->condition);

	json_put_text(object, "state", ring_state_name(ring->state));
	json_put_text(object, "condition", condition[0] ? condition : "fine");
	if (ring->reason)
		json_put_text(object, "reason", ring->reason);
	json_put_uint(object, "age_ns", ring->age_ns);
	for (size_t i = 0; i < N_TICK_COUNTS; i++)
		json_put_field(object, &tick_count_fields[i], &ring->counts);
}

/* Puts the plan of a ring, which does not change during a run. */
static void put_plan(struct json_object *object, const struct session_ring *ring)
{
	struct json_object *token = json_object_new_object(), *asked = json_object_new_object();

	json_put_uint(object, "id", ring->id);
	json_put_text(object, "mechanism", ring->mechanism);
	json_put_text(object, "title", ring->title);
	json_put_text(object, "label", ring->label);
	json_put_text(object, "class", locality_name(ring->locality));
	json_put(object, "cpus", json_cpus(ring));
	json_put_uint(object, "turn", ring->turn);
	json_put_uint(object, "interval_ns", ring->interval_ns);
	if (ring->stamps != STAMPS_ALL)
		json_put_text(object, "stamps", stamps_name(ring->stamps));
	if (ring->batch_laps)
		json_put_uint(object, "batch_laps", ring->batch_laps);
	json_put_bool(object, "isolated", ring->isolated);
	put_policy(asked, ring->asked);
	json_put(object, "asked", asked);
	json_put_uint(token, "bytes", ring->token_bytes);
	json_put_bool(token, "checked", ring->token_bytes > 0);
	json_put(object, "token", token);
}

static void put_faults(struct json_object *object, const struct session_ring *ring)
{
	struct json_object *token = json_object_object_get(object, "token");

	for (int i = 0; i < N_TOKEN_FAULTS; i++)
		json_put_uint(token, token_fault_name((enum token_fault)i), ring->faults[i]);
}

static struct json_object *json_ring(const struct session *session, const struct session_ring *ring)
{
	struct json_object *object = json_object_new_object();

	put_plan(object, ring);
	if (ring->added_ns)
		json_put_int(object, "added_ns", (int64_t)(ring->added_ns - session->start_ns));
	if (ring->ended_ns)
		json_put_int(object, "removed_ns", (int64_t)(ring->ended_ns - session->start_ns));
	if (ring->n_cpus)
		json_put_bool(object, "unpinned", true);
	if (ring->timeouts)
		json_put_uint(object, "timeouts", ring->timeouts);
	put_state(object, ring);
	put_faults(object, ring);
	json_put(object, "members", json_members(ring));
	json_put(object, "figures", json_figures(session, ring));
	json_put(object, "hops", json_hops(session, ring));
	return object;
}

/* --- what each load did to each ring --- */

static struct json_object *json_load_effect(const struct load_effect *effect)
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

static struct json_object *json_ring_effects(const struct ring_effects *ring)
{
	struct json_object *object = json_object_new_object(), *array = json_object_new_array();

	json_put_uint(object, "ring", ring->ring->id);
	json_put(object, "without", json_load_effect(&ring->without));
	for (size_t i = 0; array && i < ring->n; i++)
		json_object_array_add(array, json_load_effect(&ring->list[i]));
	json_put(object, "effects", array);
	return object;
}

/* Prints an array of rings, after a comma; nothing if there was no load. Returns 0 or -ENOMEM. */
static int print_load_effects(FILE *out, const struct session *session)
{
	struct load_effects effects;
	int r = load_effects_make(&effects, session);

	if (effects.n && r == 0)
		fprintf(out, ",\n\"load_effects\": [");
	for (size_t i = 0; i < effects.n && r == 0; i++)
		r = json_print_value(out, json_ring_effects(&effects.rings[i]), i ? ",\n" : "\n");
	if (effects.n && r == 0)
		fprintf(out, "]");
	load_effects_finish(&effects);
	return r;
}

/* --- the document --- */

/* Prints each member of @object as a member of the document, and frees @object. */
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

static struct json_object *json_breach(const struct session *session, const struct event *breach)
{
	const struct session_ring *ring = session_find_ring(session, (size_t)breach->ring);
	struct json_object *object = json_object_new_object();

	json_put_int(object, "at_ns", (int64_t)(breach->at_ns - session->start_ns));
	json_put_int(object, "ring", breach->ring);
	if (ring)
		json_put_text(object, "mechanism", ring->mechanism);
	if (ring)
		json_put_text(object, "label", ring->label);
	json_put_int(object, "member", breach->member);
	json_put_int(object, "tid", breach->tid);
	json_put_text(object, "figure", figure_name(breach->figure));
	json_put_uint(object, "latency_ns", breach->ns);
	json_put_uint(object, "limit_ns", breach->limit_ns);
	json_put_bool(object, "tracing_stopped", !breach->error);
	return object;
}

/* Anyone may have written a recording. */
static const char *verdict_name(uint32_t verdict)
{
	return shift_verdict_words[verdict < N_SHIFT_VERDICTS ? verdict : SHIFT_TOO_FEW].name;
}

/* What `ipctop try` found; NULL: nothing was tried. */
static struct json_object *json_trials(const struct session *session)
{
	struct json_object *array = NULL;

	for (size_t i = 0; i < session->n_events; i++) {
		const struct event *event = &session->events[i];
		struct json_object *object = event->kind == EVENT_TRIAL ? json_object_new_object() : NULL;

		if (!object)
			continue;
		json_put_int(object, "at_ns", (int64_t)(event->at_ns - session->start_ns));
		json_put_text(object, "phase_a", event->was ? event->was : "");
		json_put_text(object, "phase_b", event->is ? event->is : "");
		json_put_text(object, "verdict", verdict_name(event->number));
		json_put_text(object, "text", event->text ? event->text : "");
		array = array ? array : json_object_new_array();
		json_object_array_add(array, object);
	}
	return array;
}

/* Puts all that is known when a run starts. */
static void put_run(
	struct json_object *object, const struct session *session, const struct report_origin *origin)
{
	struct json_object *header = origin->header ? json_tokener_parse(origin->header) : NULL;
	const char *version = json_object_get_string(json_object_object_get(header, "version"));

	json_put_int(object, "schema_version", SCHEMA_VERSION);
	json_put_text(object, "program", "ipctop");
	json_put_text(object, "version", version ? version : origin->header ? "?" : IPCTOP_VERSION);
	put_time(object, "start_time", session->wall_start_ns);
	json_put_uint(object, "start_monotonic_ns", session->start_ns);
	json_put(object, "host", machine_json_report(&session->machine));
	json_put(object, "topology",
		origin->header ? json_object_get(json_object_object_get(header, "topology"))
			       : machine_json_topology(origin->topology));
	json_put(object, "options",
		origin->header ? json_object_get(json_object_object_get(header, "options"))
			       : config_json(origin->config));
	json_object_put(header);
	json_put_uint(object, "clock_read_cost_ns", session->machine.clock_cost_ns);
	json_put_uint(object, "turns", session->n_turns);
	json_put_uint(object, "turn_ns", session->turn_ns);
}

static struct json_object *json_head(const struct session *session, const struct report_origin *origin)
{
	uint64_t duration_ns = session_position_ns(session) - session->start_ns;
	const struct event *breach = session_breach(session);
	struct json_object *object = json_object_new_object(), *trials = json_trials(session);

	put_run(object, session, origin);
	put_time(object, "end_time", session->wall_start_ns + duration_ns);
	json_put_uint(object, "duration_ns", duration_ns);
	json_put_text(object, "ended_by", origin->ended_by);
	if (breach)
		json_put(object, "breach", json_breach(session, breach));
	if (trials)
		json_put(object, "trials", trials);
	json_put_text(object, "loadavg", session->loadavg);
	json_put_number(object, "own_cpu", session->own_cpu_ppm / 1e6);
	json_put_uint(object, "recorder_cpu_ns", session->recorder_ns);
	json_put_uint(object, "recorded", session->n_recorded);
	if (*session->machine.recorder_lacks)
		json_put_text(object, "recorder_lacks", session->machine.recorder_lacks);
	json_put_uint(object, "ticks", session->n_ticks);
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

static void delete_hist(struct json_object *object, void *hist)
{
	(void)object;
	hist_finish(hist);
	free(hist);
}

/* A block of ticks: what a comparison reads. Takes over what @hist has, and leaves it empty. */
static struct json_object *json_block(const struct session *session, struct hist *hist)
{
	struct json_object *object = json_object_new_object(), *histogram = json_object_new_array();
	struct hist *own = malloc(sizeof(*own));

	json_put_uint(object, "count", hist->n);
	if (hist->n && hist->max_at_ns) {
		json_put_uint(object, "max_ns", hist->max_ns);
		json_put_int(object, "max_at_ns", (int64_t)(hist->max_at_ns - session->start_ns));
	}
	if (own && histogram) {
		*own = *hist;
		*hist = (struct hist){0};
		json_object_set_serializer(histogram, print_histogram, own, delete_hist);
	} else {
		free(own);
	}
	json_put(object, "histogram", histogram);
	return object;
}

static struct json_object *json_figure_blocks(
	const struct session *session, struct judged_block *blocks, size_t n, size_t judged)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; array && i < n; i++) {
		struct json_object *object = json_block(session, &blocks[i].hists[judged]);

		json_put_uint(object, "active_ns", blocks[i].active_ns);
		json_object_array_add(array, object);
	}
	return array;
}

/* The slots of each block, and of these the missed ones. */
static void put_slots(struct json_object *object, const struct judged_block *blocks, size_t n)
{
	struct json_object *slots = json_object_new_array(), *missed = json_object_new_array();

	for (size_t i = 0; slots && missed && i < n; i++) {
		json_object_array_add(slots, json_object_new_uint64(blocks[i].slots));
		json_object_array_add(missed, json_object_new_uint64(blocks[i].missed));
	}
	json_put(object, "slots", slots);
	json_put(object, "missed", missed);
}

/* Puts the blocks of the figures that @object does not have. Returns 0 or -ENOMEM. */
static int put_blocks(struct json_object *object, const struct session *session, const struct phase *phase,
	size_t row, const struct judged_figures *figures)
{
	struct judged_block *blocks;
	size_t n;
	int r = compared_blocks_read(phase, row, figures, &blocks, &n);

	for (size_t i = 0; i < N_JUDGED_BLOCK_FIGURES && r == 0; i++) {
		const char *name = figure_name(figures->at[i]);

		if (!json_object_object_get_ex(object, name, NULL))
			json_put(object, name, json_figure_blocks(session, blocks, n, i));
	}
	if (r == 0 && !json_object_object_get_ex(object, "slots", NULL))
		put_slots(object, blocks, n);
	compared_blocks_free(blocks, n);
	return r;
}

/* @first: of the ring, among the members of all rings. */
static struct json_object *json_conditions(
	const struct phase_conditions *conditions, size_t first, unsigned n_members)
{
	struct json_object *array = json_object_new_array_ext((int)n_members);

	for (unsigned m = 0; array && m < n_members; m++) {
		const struct member_condition *member = &conditions->members[first + m];
		struct json_object *object = json_object_new_object();

		if (member->place >= 0)
			json_put_int(object, "cpu", member->place);
		put_policy(object, member->policy);
		json_object_array_add(array, object);
	}
	return array;
}

/* The document has those of the last phase. */
static bool has_conditions(
	const struct session *session, const struct phase *phase, const struct report_origin *origin)
{
	return origin->blocks_of < N_FIGURES && (phase->conditions.n_members || session->is_sweep) &&
	       !session->phases.dropped && /* rings that only dropped phases had are forgotten */
	       phase != phases_current(&session->phases);
}

static void put_conditions(struct json_object *object, const struct session *session,
	const struct phase *phase, const struct session_ring *ring, const struct report_origin *origin)
{
	size_t first = 0;

	for (const struct session_ring *before = session->rings; before < ring; before++)
		first += before->n_members;
	if (has_conditions(session, phase, origin) && first + ring->n_members <= phase->conditions.n_members)
		json_put(object, "members", json_conditions(&phase->conditions, first, ring->n_members));
}

static struct json_object *json_phase_ring(
	const struct session *session, const struct session_ring *ring, const struct row_sums *sums)
{
	struct json_object *object = json_object_new_object(), *figures = json_object_new_object();

	json_put_uint(object, "id", ring->id);
	for (size_t i = 0; i < N_TICK_COUNTS; i++)
		json_put_field(object, &tick_count_fields[i], &sums->counts);
	for (int i = 0; i < N_FIGURES; i++)
		json_put(figures, figure_name((enum figure)i), json_figure(session, &sums->hists[i]));
	json_put(object, "figures", figures);
	return object;
}

/* Returns the blocks that a comparison needs, or those of all figures; NULL without memory. */
static struct json_object *json_ring_blocks(const struct session *session, const struct phase *phase,
	const struct session_ring *ring, const struct report_origin *origin)
{
	struct judged_figures figures = judged_figures_of(origin->blocks_of, ring->interval_ns, ring->stamps);
	struct json_object *object = json_object_new_object();
	int r = put_blocks(object, session, phase, ring->id, &figures);

	for (int i = 0; i < N_FIGURES && origin->all_blocks && r == 0; i += N_JUDGED_BLOCK_FIGURES) {
		struct judged_figures all = {
			{(enum figure)i, (enum figure)(i + 1), (enum figure)(i + 2)}, figures.has_slots};

		r = put_blocks(object, session, phase, ring->id, &all);
	}
	if (r == 0)
		return object;
	json_object_put(object);
	return NULL;
}

static int print_phase_ring(FILE *out, const struct session *session, const struct phase *phase, size_t ring,
	const struct report_origin *origin, struct row_sums *sums)
{
	struct block_list blocks = session_phase_blocks(session, phase);
	int r = block_list_sum_row(&blocks, session->rings[ring].id, sums);

	if (r < 0)
		return r;
	struct json_object *object = json_phase_ring(session, &session->rings[ring], sums);

	put_conditions(object, session, phase, &session->rings[ring], origin);
	if (phase->n_blocks && !phase->lacks_blocks && origin->blocks_of < N_FIGURES)
		json_put(object, "blocks", json_ring_blocks(session, phase, &session->rings[ring], origin));
	return json_print_value(out, object, ring ? ",\n" : "\n");
}

static struct json_object *json_replicates(const struct phases *phases, const struct phase *phase)
{
	uint32_t numbers[REPLICATES_MAX];
	size_t n = phases_like(phases, phase, numbers, REPLICATES_MAX);
	struct json_object *array = json_object_new_array_ext((int)n);

	for (size_t i = 0; array && i < n; i++)
		json_object_array_add(array, json_object_new_uint64(numbers[i]));
	return array;
}

static int print_phase(FILE *out, const struct session *session, const struct phase *phase,
	const char *before, const struct report_origin *origin)
{
	struct row_sums sums = {0};
	int r;

	fprintf(out, "%s{\"number\": %u, \"name\": ", before, (unsigned)phase->number);
	r = json_print_value(out, json_text(phase->name), "");
	fprintf(out, ", \"cause\": \"%s\", \"start_ns\": %lld, \"end_ns\": %lld",
		phase_cause_name(phase->cause), (long long)(phase->start_ns - session->start_ns),
		(long long)(phase->end_ns - session->start_ns));
	if (phase->n_loads)
		fprintf(out, ", \"load\": %.2f", phase_load(phase));
	if (!isnan(phase_interrupts(phase)))
		fprintf(out, ", \"interrupts_per_second\": %.1f", phase_interrupts(phase));
	fprintf(out, ", \"own_late_ticks\": %llu, \"blame\": ", (unsigned long long)phase->n_late);
	if (r == 0)
		r = json_print_value(out, spike_json_blame(&phase->blames), "");
	if (origin->blocks_of < N_FIGURES && r == 0) {
		fprintf(out, ", \"replicates\": ");
		r = json_print_value(out, json_replicates(&session->phases, phase), "");
	}
	if (r == 0 && has_conditions(session, phase, origin)) {
		fprintf(out, ", \"host\": ");
		r = json_print_value(out, machine_json_report(&phase->conditions.machine), "");
	}
	fprintf(out, ", \"rings\": [");
	for (size_t i = 0; i < session->n_rings && r == 0; i++)
		r = print_phase_ring(out, session, phase, i, origin, &sums);
	fprintf(out, "]}");
	row_sums_finish(&sums);
	return r;
}

struct json_object *report_json_ring(const struct session_ring *ring)
{
	struct json_object *object = json_object_new_object();

	put_plan(object, ring);
	return object;
}

struct json_object *report_json_start(const struct session *session, const struct report_origin *origin)
{
	struct json_object *object = json_object_new_object(), *rings = json_object_new_array();

	json_put_text(object, "type", "header");
	put_run(object, session, origin);
	for (size_t i = 0; rings && i < session->n_rings; i++) {
		json_object_array_add(rings, report_json_ring(&session->rings[i]));
	}
	json_put(object, "rings", rings);
	return object;
}

int report_json_print(FILE *out, const struct session *session, const struct report_origin *origin)
{
	int r;

	fprintf(out, "{\n");
	r = print_members(out, json_head(session, origin));
	fprintf(out, "\"events\": [");
	for (size_t i = 0; i < session->n_events && r == 0; i++)
		r = json_print_value(out, json_event(session, &session->events[i]), i ? ",\n" : "\n");
	fprintf(out, "],\n");
	if (session->matrix && r == 0) {
		fprintf(out, "\"matrix\": ");
		r = matrix_json_print(out, session);
		fprintf(out, ",\n");
	}
	fprintf(out, "\"spikes\": ");
	if (r == 0)
		r = json_print_value(out, spike_json_all(session), "");
	if (r == 0)
		r = print_load_effects(out, session);
	fprintf(out, ",\n\"phases\": [");
	for (size_t i = 0; i < session->phases.n && r == 0; i++)
		r = print_phase(out, session, &session->phases.list[i], i ? ",\n" : "\n", origin);
	fprintf(out, "],\n\"rings\": [");
	for (size_t i = 0; i < session->n_rings && r == 0; i++)
		r = json_print_value(out, json_ring(session, &session->rings[i]), i ? ",\n" : "\n");
	fprintf(out, "]\n}\n");
	return r;
}

int report_json_write(const char *path, const struct session *session, const struct report_origin *origin,
	struct error_text *reason)
{
	struct whole_file file;
	int r = whole_file_open(&file, path, reason);

	if (r < 0)
		return r;
	r = report_json_print(file.out, session, origin);
	if (r == 0)
		return whole_file_close(&file, reason);
	whole_file_abandon(&file);
	return error_text_set(reason, r, "can't write %s: no memory", path);
}

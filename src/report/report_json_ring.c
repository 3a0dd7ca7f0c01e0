/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_json_ring.c - a ring in the JSON report. */
#include "src/report/report_json_ring.h"

#include <stdio.h>
#include <string.h>

#include "src/base/json.h"
#include "src/figures/tick_fields.h"
#include "src/model/session.h"

enum { TRUSTED_BEYOND = 10 }; /* samples that a percentile must leave beyond it */

static const struct {
	const char *key;
	double p;
} percentiles[] = {
	{"50", 50},
	{"90", 90},
	{"99", 99},
	{"99.9", 99.9},
	{"99.99", 99.99},
	{"99.999", 99.999},
	{"99.9999", 99.9999},
};

/* Histograms are by far the most of a report: printed from where they are, not built as objects. */
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

static struct json_object *json_histogram(const struct hist *hist)
{
	struct json_object *object = json_object_new_array();

	if (object)
		json_object_set_serializer(object, print_histogram, (void *)hist, NULL);
	return object;
}

static struct json_object *json_percentiles(const struct hist *hist)
{
	struct json_object *object = json_object_new_object();

	for (size_t i = 0; i < sizeof(percentiles) / sizeof(*percentiles); i++)
		if (hist_beyond(hist->n, percentiles[i].p) >= TRUSTED_BEYOND)
			json_put_uint(object, percentiles[i].key, hist_percentile(hist, percentiles[i].p));
	return object;
}

struct json_object *report_json_figure(const struct session *session, const struct hist *hist)
{
	struct json_object *object = json_object_new_object();

	json_put_uint(object, "count", hist->n);
	if (hist->n && hist->max_at_ns) {
		json_put_uint(object, "min_ns", hist->min_ns);
		json_put_uint(object, "max_ns", hist->max_ns);
		json_put_int(object, "max_at_ns", (int64_t)(hist->max_at_ns - session->start_ns));
	}
	if (hist->n) {
		json_put_number(object, "mean_ns", hist_mean(hist));
		json_put_number(object, "stddev_ns", hist_stddev(hist));
	}
	json_put(object, "percentiles", json_percentiles(hist));
	json_put(object, "histogram", json_histogram(hist));
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
		json_put(object, figure_name((enum figure)i),
			report_json_figure(session, &ring->figures[i].hist));
	return object;
}

/* In a pair the latencies of its two hops are figures already, unless they were asked for apart. */
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
		if (ring->n_members > 2 || hop->hist.n)
			json_put(object, "latency", report_json_figure(session, &hop->hist));
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

/* What came back of what was sent. */
static struct json_object *json_token(const struct session_ring *ring)
{
	struct json_object *object = json_object_new_object();

	json_put_uint(object, "bytes", ring->token_bytes);
	json_put_bool(object, "checked", ring->token_bytes > 0);
	for (int i = 0; i < N_TOKEN_FAULTS; i++)
		json_put_uint(object, token_fault_name((enum token_fault)i), ring->faults[i]);
	return object;
}

struct json_object *report_json_ring(const struct session *session, const struct session_ring *ring)
{
	struct json_object *object = json_object_new_object(), *asked = json_object_new_object();

	put_policy(asked, ring->asked);
	json_put_uint(object, "id", ring->id);
	json_put_text(object, "mechanism", ring->mechanism);
	json_put_text(object, "title", ring->title);
	json_put_text(object, "label", ring->label);
	json_put_text(object, "class", locality_name(ring->locality));
	json_put(object, "cpus", json_cpus(ring));
	json_put_uint(object, "turn", ring->turn);
	json_put_uint(object, "interval_ns", ring->interval_ns);
	json_put_bool(object, "isolated", ring->isolated);
	if (ring->n_cpus)
		json_put_bool(object, "unpinned", true);
	if (ring->timeouts)
		json_put_uint(object, "timeouts", ring->timeouts);
	put_state(object, ring);
	json_put(object, "token", json_token(ring));
	json_put(object, "asked", asked);
	json_put(object, "members", json_members(ring));
	json_put(object, "figures", json_figures(session, ring));
	json_put(object, "hops", json_hops(session, ring));
	return object;
}

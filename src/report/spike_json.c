/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spike_json.c - spikes, their explanations, and whom they blame, as JSON. */
#include "src/report/spike_json.h"

#include "src/base/json.h"
#include "src/model/session.h"

static void put_time(
	struct json_object *object, const char *key, const struct session *session, uint64_t at_ns)
{
	if (at_ns)
		json_put_int(object, key, (int64_t)(at_ns - session->start_ns));
}

static struct json_object *json_end(
	const struct session *session, const struct spike_end *end, uint64_t ran_ns)
{
	struct json_object *object = json_object_new_object();

	if (end->tid)
		json_put_int(object, "tid", end->tid);
	if (end->cpu >= 0)
		json_put_int(object, "cpu", end->cpu);
	put_time(object, "moved_ns", session, end->cpu >= 0 ? end->moved_ns : 0);
	if (end->policy.policy >= 0) {
		json_put_text(object, "policy", task_policy_name(end->policy.policy));
		json_put_int(object, "priority", end->policy.priority);
	}
	put_time(object, "running_ns", session, ran_ns);
	return object;
}

static void put_cause(struct json_object *object, const struct cause *cause)
{
	char text[CAUSE_TEXT_SIZE];

	json_put_text(object, "kind", cause_names[cause->kind]);
	json_put_text(object, "cause", cause_text(cause, text));
	json_put_uint(object, "cpu", cause->cpu);
	if (cause->tid)
		json_put_int(object, "tid", cause->tid);
	if (cause->tid && cause->partner_tid)
		json_put_int(object, "partner_tid", cause->partner_tid);
}

static struct json_object *json_segments(const struct session *session, const struct explanation *explanation)
{
	struct json_object *segments = json_object_new_array();

	for (size_t i = 0; i < explanation->n_segments; i++) {
		const struct segment *segment = &explanation->segments[i];
		struct json_object *object = json_object_new_object();

		put_time(object, "from_ns", session, segment->from_ns);
		put_time(object, "to_ns", session, segment->to_ns);
		put_cause(object, &segment->cause);
		json_object_array_add(segments, object);
	}
	return segments;
}

static struct json_object *json_hints(const struct explanation *explanation)
{
	struct json_object *hints = json_object_new_array();

	for (size_t i = 0; i < explanation->n_hints; i++) {
		struct json_object *object = json_object_new_object();

		json_put_text(object, "kind", explanation->hints[i].kind);
		json_put_text(object, "text", explanation->hints[i].text);
		json_object_array_add(hints, object);
	}
	return hints;
}

struct json_object *spike_json(const struct session *session, const struct kept_spike *kept)
{
	const struct spike *spike = &kept->spike;
	const struct session_ring *ring = session_find_ring(session, spike->ring);
	struct json_object *object = json_object_new_object();
	char text[EXPLANATION_TEXT_SIZE], label[SPIKE_LABEL_SIZE];

	json_put_uint(object, "ring", spike->ring);
	if (ring) {
		json_put_text(object, "mechanism", ring->mechanism);
		json_put_text(object, "label", session_spike_label(ring, spike, label));
	}
	json_put_text(object, "figure", figure_name(spike->figure));
	json_put_uint(object, "length_ns", spike_length_ns(spike));
	json_put_uint(object, "limit_ns", spike->limit_ns);
	put_time(object, "due_ns", session, spike->due_ns);
	put_time(object, "sent_ns", session, spike->sent_ns);
	put_time(object, "received_ns", session, spike->received_ns);
	put_time(object, "seen_ns", session, spike->seen_ns);
	json_put_uint(object, "token", spike->token);
	if (spike->hop || spike->hop_from_ns)
		json_put_uint(object, "hop", spike->hop);
	put_time(object, "hop_from_ns", session, spike->hop_from_ns);
	put_time(object, "hop_to_ns", session, spike->hop_to_ns);
	json_put(object, "sender", json_end(session, &spike->sender, kept->explanation->sender_ran_ns));
	json_put(object, "receiver", json_end(session, &spike->receiver, kept->explanation->receiver_ran_ns));
	json_put_text(object, "explanation", explanation_text(kept->explanation, text));
	json_put_uint(object, "explained_ns", kept->explanation->explained_ns);
	json_put_bool(object, "complete", kept->explanation->is_complete);
	if (kept->explanation->steal_ns)
		json_put_uint(object, "steal_ns", kept->explanation->steal_ns);
	if (kept->explanation->n_smis)
		json_put_uint(object, "smis", kept->explanation->n_smis);
	json_put(object, "segments", json_segments(session, kept->explanation));
	json_put(object, "hints", json_hints(kept->explanation));
	return object;
}

struct json_object *spike_json_blame(const struct blame_sums *sums)
{
	struct json_object *object = json_object_new_object(), *causes = json_object_new_array();

	json_put_uint(object, "spikes", sums->n_spikes);
	json_put_uint(object, "passed_over", sums->n_passed_over);
	json_put_uint(object, "total_ns", sums->ns);
	for (size_t i = 0; i < sums->n; i++) {
		struct json_object *cause = json_object_new_object();

		json_put_text(cause, "kind", cause_names[sums->list[i].kind]);
		json_put_text(cause, "cause", sums->list[i].text);
		json_put_uint(cause, "spikes", sums->list[i].n);
		json_put_uint(cause, "total_ns", sums->list[i].ns);
		json_object_array_add(causes, cause);
	}
	json_put(object, "causes", causes);
	return object;
}

static struct json_object *json_list(const struct session *session, const struct kept_spike *list, size_t n)
{
	struct json_object *spikes = json_object_new_array();

	for (size_t i = 0; i < n; i++)
		json_object_array_add(spikes, spike_json(session, &list[i]));
	return spikes;
}

struct json_object *spike_json_all(const struct session *session)
{
	const struct session_spikes *spikes = &session->spikes;
	struct json_object *object = json_object_new_object();

	json_put(object, "blame", spike_json_blame(&spikes->blames));
	json_put(object, "worst", json_list(session, spikes->worst, spikes->n_worst));
	json_put(object, "last", json_list(session, spikes->last, spikes->n_last));
	return object;
}

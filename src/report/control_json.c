/* SPDX-License-Identifier: GPL-2.0-or-later */
/* control_json.c - the lines of a control socket: requests, replies and events. */
#include "src/report/control_json.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/json.h"
#include "src/base/text.h"
#include "src/figures/hist.h"
#include "src/model/session.h"
#include "src/model/session_events.h"
#include "src/model/session_rows.h"
#include "src/model/session_turns.h"
#include "src/plan/config.h"
#include "src/report/export.h"

/* --- requests --- */

/* Returns 0, or a negative errno with a sentence. */
static int add_word(
	struct control_request *request, size_t n, struct json_object *value, struct error_text *refusal)
{
	const char *word = json_object_get_string(value);

	if (strlen(word) != (size_t)json_object_get_string_len(value))
		return error_text_set(refusal, -EINVAL, "a word must not have a NUL byte");
	request->words[n] = strdup(word);
	return request->words[n] ? 0 : error_text_set(refusal, -ENOMEM, "no memory");
}

static int read_arguments(
	struct control_request *request, struct json_object *arguments, struct error_text *refusal)
{
	size_t n = json_object_array_length(arguments);

	if (n > CONTROL_WORDS_MAX)
		return error_text_set(
			refusal, -E2BIG, "arguments: there are more than %d", CONTROL_WORDS_MAX);
	for (size_t i = 0; i < n; i++) {
		struct json_object *word = json_object_array_get_idx(arguments, i);

		if (!json_object_is_type(word, json_type_string))
			return error_text_set(refusal, -EINVAL, "arguments: each must be a string");
		int r = add_word(request, 1 + i, word, refusal);

		if (r < 0)
			return r;
	}
	return 0;
}

static int read_member(struct control_request *request, const char *key, struct json_object *value,
	struct error_text *refusal)
{
	char name[32];

	if (strcmp(key, "command") == 0 && json_object_is_type(value, json_type_string))
		return add_word(request, 0, value, refusal);
	if (strcmp(key, "arguments") == 0 && json_object_is_type(value, json_type_array))
		return read_arguments(request, value, refusal);
	snprintf(name, sizeof(name), "%s", key);
	return error_text_set(refusal, -EINVAL,
		"%s: a request has a string \"command\" and an array \"arguments\"", text_clean(name));
}

static int read_request(
	struct control_request *request, struct json_object *object, struct error_text *refusal)
{
	int r = 0;

	if (!json_object_is_type(object, json_type_object))
		return error_text_set(refusal, -EINVAL, "a request is one JSON object a line");
	struct json_object_iterator end = json_object_iter_end(object);

	for (struct json_object_iterator at = json_object_iter_begin(object);
		r == 0 && !json_object_iter_equal(&at, &end); json_object_iter_next(&at))
		r = read_member(
			request, json_object_iter_peek_name(&at), json_object_iter_peek_value(&at), refusal);
	if (r == 0 && !request->words[0])
		return error_text_set(refusal, -EINVAL, "a request needs a \"command\"");
	return r;
}

/* json-c keeps the last of two members with one name. In a request that was read without an error each
 * colon outside of strings is a member's. */
static bool has_name_twice(const char *line, const struct json_object *object)
{
	bool in_string = false;
	int n = 0;

	for (; *line; line++) {
		if (in_string && *line == '\\')
			line++;
		else if (*line == '"')
			in_string = !in_string;
		else
			n += !in_string && *line == ':';
	}
	return n != json_object_object_length(object);
}

/* Strict: a line that is cut or goes on after its object is an error. */
int control_request_read(
	struct control_request *request, const char *line, size_t length, struct error_text *refusal)
{
	struct json_tokener *tokener = json_tokener_new_ex(4);
	struct json_object *object = NULL;
	int r;

	*request = (struct control_request){0};
	if (!tokener)
		return error_text_set(refusal, -ENOMEM, "no memory");
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT);
	object = json_tokener_parse_ex(tokener, line, (int)strlen(line) + 1);
	if (json_tokener_get_error(tokener) == json_tokener_success && strlen(line) == length)
		r = read_request(request, object, refusal);
	else
		r = error_text_set(refusal, -EINVAL, "a request is one JSON object a line");
	if (r == 0 && has_name_twice(line, object))
		r = error_text_set(refusal, -EINVAL, "a request must not have a member twice");
	json_object_put(object);
	json_tokener_free(tokener);
	return r;
}

void control_request_finish(struct control_request *request)
{
	for (size_t i = 0; i < CONTROL_WORDS_MAX + 1; i++)
		free(request->words[i]);
	*request = (struct control_request){0};
}

int control_request_print(FILE *out, char *const *words)
{
	struct json_object *object = json_object_new_object(), *arguments = json_object_new_array();

	json_put_text(object, "command", words[0]);
	for (size_t i = 1; arguments && words[i]; i++)
		json_object_array_add(arguments, json_text(words[i]));
	json_put(object, "arguments", arguments);
	int r = json_print_value(out, object, "");

	fputc('\n', out);
	return r;
}

/* --- replies --- */

void control_json_begin(FILE *out, const char *command)
{
	fprintf(out, "{\"control\":%d,\"ok\":true", CONTROL_VERSION);
	json_print_text(out, "command", command);
}

void control_json_refuse(FILE *out, const char *command, const char *sentence)
{
	fprintf(out, "{\"control\":%d,\"ok\":false", CONTROL_VERSION);
	if (command)
		json_print_text(out, "command", command);
	json_print_text(out, "error", sentence);
	fputs("}\n", out);
}

int control_reply_read(const char *line, struct error_text *refusal)
{
	struct json_object *object = json_tokener_parse(line), *ok = NULL, *error = NULL;
	int r = -EPROTO;

	if (json_object_object_get_ex(object, "ok", &ok) && json_object_is_type(ok, json_type_boolean))
		r = json_object_get_boolean(ok);
	if (r == 0 && json_object_object_get_ex(object, "error", &error) &&
		json_object_is_type(error, json_type_string))
		error_text_set(refusal, r, "%s", json_object_get_string(error));
	else if (r == 0)
		r = -EPROTO;
	json_object_put(object);
	return r;
}

/* --- members of replies --- */

static uint64_t since_start(const struct session *session, uint64_t at_ns)
{
	return at_ns > session->start_ns ? at_ns - session->start_ns : 0;
}

static struct json_object *make_phase(const struct session *session, const struct phase *phase)
{
	struct json_object *object = json_object_new_object();

	json_put_uint(object, "number", phase->number);
	json_put_text(object, "name", phase->name);
	json_put_uint(object, "begins_ns", since_start(session, phase->start_ns));
	return object;
}

/* Prints the members of @object, and frees it. */
static int print_members(FILE *out, struct json_object *object)
{
	const char *text = object ? json_object_to_json_string_ext(
					    object, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE)
				  : NULL;
	size_t length = text ? strlen(text) : 0;

	if (length > 2) /* without its braces */
		fprintf(out, ",%.*s", (int)(length - 2), text + 1);
	json_object_put(object);
	return text ? 0 : -ENOMEM;
}

int control_json_files(FILE *out, const char *path, const char *const *suffixes)
{
	struct json_object *object = json_object_new_object(), *files = json_object_new_array();
	char name[PATH_MAX + 8];

	for (size_t i = 0; files && suffixes[i]; i++) {
		snprintf(name, sizeof(name), "%s%s", path, suffixes[i]);
		json_object_array_add(files, json_text(name));
	}
	if (files)
		json_put(object, "files", files);
	int r = print_members(out, object);

	return files ? r : -ENOMEM;
}

int control_json_status(FILE *out, const struct session *session, const struct config *config, bool is_replay)
{
	struct json_object *object = json_object_new_object();
	const struct phase *phase = phases_current(&session->phases);
	unsigned n_turns;

	session_turn_number(session, session->turn, &n_turns);
	json_put_text(object, "program", "ipctop");
	json_put_text(object, "version", IPCTOP_VERSION);
	json_put_int(object, "pid", getpid());
	json_put_bool(object, "replay", is_replay);
	json_put_bool(object, "read_only", config->read_only);
	json_put_text(object, "figure", figure_name(config->figure));
	json_put_uint(object, "now_ns", since_start(session, session_position_ns(session)));
	json_put_uint(object, "rings", session_group_size(session, 0));
	json_put_uint(object, "turn", session->turn);
	json_put_uint(object, "turns", n_turns);
	json_put_bool(object, "turn_held", session->turn_held);
	if (phase)
		json_put(object, "phase", make_phase(session, phase));
	if (session->phases.baseline)
		json_put_uint(object, "baseline", session->phases.baseline);
	json_put_uint(object, "events", session->events_dropped + session->n_events);
	return print_members(out, object);
}

static struct json_object *make_member(const struct tick_member *member)
{
	struct json_object *object = json_object_new_object();

	json_put_int(object, "pid", member->pid);
	json_put_int(object, "tid", member->tid);
	if (member->cpu >= 0)
		json_put_int(object, "cpu", member->cpu);
	if (member->policy.policy >= 0) {
		json_put_text(object, "policy", task_policy_name(member->policy.policy));
		json_put_int(object, "priority", member->policy.priority);
		json_put_int(object, "nice", member->policy.nice);
	}
	return object;
}

/* Describes the samples of the shown figure since the start. */
static struct json_object *make_figure(const struct session_ring *ring, enum figure asked)
{
	enum figure figure = session_figure_of(ring, asked);
	const struct hist *hist = &ring->figures[figure].hist;
	struct json_object *object = json_object_new_object();

	json_put_text(object, "name", figure_name(figure));
	json_put_uint(object, "n", hist->n);
	if (hist->n) {
		json_put_uint(object, "p50_ns", hist_percentile(hist, 50));
		json_put_uint(object, "p99_ns", hist_percentile(hist, 99));
		json_put_uint(object, "max_ns", hist->max_ns);
	}
	return object;
}

static struct json_object *make_ring(const struct session_ring *ring, enum figure figure)
{
	struct json_object *object = json_object_new_object(), *members = json_object_new_array();
	char name[SESSION_NAME_SIZE], suffix[SESSION_SUFFIX_SIZE];

	snprintf(name, sizeof(name), "%s:%s%s", ring->mechanism, ring->label,
		session_ring_suffix(ring, suffix));
	json_put_uint(object, "ring", ring->id);
	json_put_text(object, "name", name);
	json_put_text(object, "state",
		ring->condition == CONDITION_WAITING ? ring_condition_name(ring->condition)
						     : ring_state_name(ring->state));
	json_put_text(object, "condition", ring->condition ? ring_condition_name(ring->condition) : "fine");
	if (ring->reason)
		json_put_text(object, "reason", ring->reason);
	json_put_uint(object, "turn", ring->turn);
	json_put_uint(object, "interval_ns", ring->interval_ns);
	json_put_uint(object, "size_bytes", ring->token_bytes);
	json_put_uint(object, "laps", ring->laps);
	json_put_uint(object, "missed", ring->missed);
	for (unsigned m = 0; members && m < ring->n_members; m++)
		if (ring->members[m].tid)
			json_object_array_add(members, make_member(&ring->members[m]));
	json_put(object, "members", members);
	json_put(object, "figure", make_figure(ring, figure));
	return object;
}

int control_json_rings(FILE *out, const struct session *session, enum figure figure)
{
	int r = 0;

	fputs(",\"rings\":[", out);
	for (size_t i = 0; i < session->n_rings && r == 0; i++)
		r = json_print_value(out, make_ring(&session->rings[i], figure), i ? "," : "");
	fputc(']', out);
	return r;
}

/* Returns how many reports after the first @n_reports are not kept any more. */
static uint64_t lost_reports(const struct session_spikes *spikes, uint64_t n_reports)
{
	uint64_t first = spikes->n_reports;

	if (spikes->n_last < SPIKES_KEPT)
		return 0;
	for (size_t i = 0; i < spikes->n_last; i++)
		first = spikes->last[i].number < first ? spikes->last[i].number : first;
	return first > n_reports + 1 ? first - n_reports - 1 : 0;
}

void control_json_events(FILE *out, const struct session *session, uint64_t *n_events, uint64_t *n_reports)
{
	uint64_t events = session_events_lost(session, *n_events),
		 spikes = lost_reports(&session->spikes, *n_reports);

	if (events)
		fprintf(out, "{\"type\":\"lost\",\"events\":%llu}\n", (unsigned long long)events);
	if (spikes)
		fprintf(out, "{\"type\":\"lost\",\"spikes\":%llu}\n", (unsigned long long)spikes);
	export_jsonl_events(out, session, n_events);
	export_jsonl_spikes(out, session, n_reports);
}

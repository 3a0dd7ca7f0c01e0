/* SPDX-License-Identifier: GPL-2.0-or-later */
/* phase_operand.c - reads a phase of a JSON summary or of a recording. */
#include "src/app/phase_operand.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/regular_file.h"
#include "src/base/text.h"
#include "src/model/session.h"
#include "src/model/session_phases.h"
#include "src/recording/replay.h"
#include "src/report/compared_json.h"

/* --- a recording --- */

/* Will the session begin another phase with this item? */
static bool ends_phase(const struct session *session, const struct feed_item *item)
{
	if (item->kind == FEED_EVENT)
		return item->event->kind == EVENT_PHASE;
	return item->kind == FEED_TICK && session->phases.n &&
	       session_phases_will_change(session, item->tick, item->tick->end_ns);
}

/* @wanted: a phase's number or name; NULL: the last one. */
static bool is_wanted(const struct phase *phase, const char *wanted)
{
	char number[16];

	snprintf(number, sizeof(number), "%u", (unsigned)phase->number);
	return wanted && *wanted && (strcmp(wanted, number) == 0 || strcmp(wanted, phase->name) == 0);
}

/* Plays until the wanted phase ends: members and machine are then as they were in it. Returns 1 if the item
 * that ends it is still to be fed, 0 at the end of the recording, or a negative errno. */
static int play_phase(struct replay *replay, struct session *session, const char *wanted)
{
	int r = replay_start(replay, session);

	while (r == 0 && (r = replay_next(replay)) > 0) {
		const struct phase *current = phases_current(&session->phases);

		if (current && is_wanted(current, wanted) && ends_phase(session, &replay->item.feed))
			return 1;
		r = feed_session(session, &replay->item.feed, NULL);
	}
	return r;
}

/* Adds to the phase the ticks that wait, and the one with the change that ends it. */
static int end_phase(const struct replay *replay, struct session *session, bool is_ended_by_item)
{
	int r = is_ended_by_item ? feed_session(session, &replay->item.feed, NULL) : 0;

	return r == 0 ? session_phases_settle(session) : r;
}

static int read_rows(struct compared_phase *compared, const struct session *session)
{
	const struct phase *phase = phases_find(&session->phases, compared->number);
	int r = 0;

	compared->length_ns = phase->end_ns - phase->start_ns;
	for (size_t i = 0; i < compared->n_rows && r == 0; i++)
		r = compared_row_read(&compared->rows[i], phase, i);
	return r;
}

/* Names all phases that there are, as far as the sentence has room. */
static int refuse_phase(
	const struct phases *phases, const char *path, const char *wanted, struct error_text *reason)
{
	char list[sizeof(reason->text) / 2] = "", word[PHASE_NAME_SIZE + 32];
	size_t i = 0;

	for (; i < phases->n && strlen(list) + sizeof(word) + 32 < sizeof(list); i++) {
		const struct phase *phase = &phases->list[i];

		snprintf(word, sizeof(word), *phase->name ? "%u '%s'" : "%u", (unsigned)phase->number,
			phase->name);
		text_append(list, sizeof(list), ", ", word);
	}
	if (i < phases->n) {
		snprintf(word, sizeof(word), "... to %u", (unsigned)phases->list[phases->n - 1].number);
		text_append(list, sizeof(list), ", ", word);
	}
	if (!*wanted)
		return error_text_set(
			reason, -ENOENT, "%s: no phase is named after the colon; choose from %s", path, list);
	return error_text_set(reason, -ENOENT, "%s: has no phase %s, only %s", path, wanted, list);
}

static int add_members_of_now(struct compared_phase *compared, const struct session *session)
{
	struct phase_conditions now = {0};
	int r = phase_conditions_take(&now, session);

	if (r == 0)
		r = compared_phase_add_members(compared, &now);
	phase_conditions_finish(&now);
	return r;
}

static int read_phase(struct compared_phase *compared, struct replay *replay, struct session *session,
	const char *path, const char *wanted, enum figure figure, struct error_text *reason)
{
	int r = play_phase(replay, session, wanted);

	if (r < 0)
		return error_text_set(reason, r, "%s: can't be played: %s", path, error_text_of_errno(r));
	bool is_ended_by_item = r > 0;
	const struct phase *phase = phases_current(&session->phases);

	if (!phase)
		return error_text_set(reason, -ENOENT, "%s: has no phase yet", path);
	if (wanted && !is_wanted(phase, wanted))
		return refuse_phase(&session->phases, path, wanted, reason);
	r = compared_phase_describe(
		compared, session, phase, figure < N_FIGURES ? figure : replay->config.figure, path);
	if (r == 0)
		r = add_members_of_now(compared, session);
	if (r == 0)
		r = compared_json_add_facts(compared, replay->header, &session->machine);
	if (r == 0)
		r = end_phase(replay, session, is_ended_by_item);
	if (r == 0)
		r = read_rows(compared, session);
	return r == 0 ? 0 : error_text_set(reason, r, "%s: no memory for it", path);
}

static int load_recording(struct compared_phase *compared, const char *path, const char *wanted,
	enum figure figure, struct error_text *reason)
{
	struct replay replay;
	struct session session = {0};
	int r = replay_open(&replay, path, reason);

	if (r == 0)
		r = read_phase(compared, &replay, &session, path, wanted, figure, reason);
	if (r == 0)
		replay_complain(&replay, path, stderr);
	session_finish(&session);
	replay_close(&replay);
	return r;
}

/* --- operands --- */

/* Returns 1 for JSON, 0 for another file that can be read, or a negative errno with its reason. */
static int is_json(const char *path, struct error_text *reason)
{
	int fd = regular_file_open(path, reason);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	int first = file ? fgetc(file) : EOF;

	while (first != EOF && isspace(first))
		first = fgetc(file);
	if (file)
		fclose(file);
	else if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : first == '{';
}

/* Splits FILE or FILE:PHASE where FILE is the longest that exists, or else at the first colon: both may have
 * colons. @wanted: the phase, or NULL. Returns FILE, which the caller frees, or NULL if there is no memory.
 */
static char *split_operand(const char *operand, const char **wanted)
{
	char *path = strdup(operand), *colon;

	*wanted = NULL;
	while (path && access(path, F_OK) < 0 && (colon = strrchr(path, ':'))) {
		*colon = '\0';
		*wanted = operand + (colon - path) + 1;
	}
	return path;
}

int main_phase_load(
	struct compared_phase *compared, const char *operand, enum figure figure, struct error_text *reason)
{
	const char *wanted;
	char *path = split_operand(operand, &wanted);
	int r = path ? is_json(path, reason)
		     : error_text_set(reason, -ENOMEM, "%s: no memory for it", operand);

	if (r == 0)
		r = load_recording(compared, path, wanted, figure, reason);
	else if (r > 0 && wanted)
		r = error_text_set(reason, -EINVAL,
			"%s: a phase can be chosen only in a recording; of a JSON summary the last one is taken",
			operand);
	else if (r > 0)
		r = compared_json_read(compared, path, figure, reason);
	free(path);
	return r;
}

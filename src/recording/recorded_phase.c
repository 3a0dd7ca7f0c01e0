/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recorded_phase.c - reads one phase of a recording, to be compared. */
#include "src/recording/recorded_phase.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/text.h"
#include "src/model/matrix.h"
#include "src/model/session.h"
#include "src/recording/replay.h"

/* Will the session begin another phase with this item? */
static bool ends_phase(const struct session *session, const struct feed_item *item)
{
	if (item->kind == FEED_EVENT)
		return item->event->kind == EVENT_PHASE;
	return item->kind == FEED_TICK && session->phases.n &&
	       session_phases_will_change(session, item->tick, item->tick->end_ns);
}

/* Plays until the phase ends: members and machine are then as they were in it. @number: 0: the last one.
 * Returns 1 if the item that ends it is still to be fed, 0 at the end of the recording, or a negative errno.
 */
static int play_phase(struct replay *replay, struct session *session, uint32_t number)
{
	int r = replay_start(replay, session);

	while (r == 0 && (r = replay_next(replay)) > 0) {
		const struct phase *current = phases_current(&session->phases);

		if (current && current->number == number && ends_phase(session, &replay->item.feed))
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
	compared_phase_find_active(compared, &phase->sum);
	for (size_t i = 0; i < compared->n_rows && r == 0; i++)
		r = compared_row_read(&compared->rows[i], phase, i);
	return r;
}

/* Names all phases that there are, as far as the sentence has room. */
static int refuse_phase(
	const struct phases *phases, const char *path, const char *wanted, struct error_text *reason)
{
	char list[sizeof(reason->text) / 2] = "", last[32];
	bool has_room = true;
	size_t i = 0;

	for (; i < phases->n && has_room; i++)
		has_room =
			phase_list_append(list, sizeof(list), phases->list[i].number, phases->list[i].name);
	if (i < phases->n) {
		snprintf(last, sizeof(last), "... to %u", (unsigned)phases->list[phases->n - 1].number);
		text_append(list, sizeof(list), ", ", last);
	}
	return phase_list_refuse(list, path, wanted, reason);
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

/* Plays to the end, because replicates may come later. */
static int play_on(struct replay *replay, struct session *session)
{
	int r = 1;

	while (r > 0 && (r = replay_next(replay)) > 0) {
		int fed = feed_session(session, &replay->item.feed, NULL);

		r = fed < 0 ? fed : 1;
	}
	return r == 0 ? session_phases_settle(session) : r;
}

/* @rings: describes all rings of the recording. */
static int read_replicate(struct compared_phase *compared, const struct compared_phase *rings,
	const struct phase *replicate, size_t *numbers)
{
	int r = replicate_find_rows(
		compared, rings, replicate->start_ns, replicate->end_ns, &replicate->sum, numbers);

	if (r == 0)
		compared_phase_add_replicate(compared, replicate->number,
			replicate->end_ns - replicate->start_ns, &replicate->blames);
	for (size_t i = 0; i < compared->n_rows && r == 0; i++)
		r = compared_row_add_like(&compared->rows[i], &replicate->sum, numbers[i]);
	return r;
}

static int read_replicates(
	struct compared_phase *compared, const struct session *session, const struct phase *phase)
{
	struct compared_phase rings;
	uint32_t like[REPLICATES_MAX];
	size_t n = phases_like(&session->phases, phase, like, REPLICATES_MAX),
	       *numbers = calloc(compared->n_rows + 1, sizeof(*numbers));
	int r = compared_phase_describe(&rings, session, phase, compared->figure, "");

	if (!numbers)
		r = -ENOMEM;
	for (size_t i = 0; i < n && r == 0; i++)
		r = read_replicate(compared, &rings, phases_find(&session->phases, like[i]), numbers);
	compared_phase_finish(&rings);
	free(numbers);
	return r;
}

/* Reads what comes after the phase: spikes of it that were seen later, and its replicates. What is damaged at
 * the end of a recording has none. */
static int read_later(struct compared_phase *compared, const struct session *session)
{
	const struct phase *phase = phases_find(&session->phases, compared->number);

	if (!phase)
		return 0;
	compared->blames = phase->blames;
	/* Phases of a sweep have no replicates. */
	return session->matrix ? 0 : read_replicates(compared, session, phase);
}

static int describe_figures(struct compared_phase *phases, const struct phase_in_file *file,
	const struct replay *replay, const struct session *session)
{
	int r = 0;

	for (size_t i = 0; i < file->n_figures && r == 0; i++) {
		enum figure figure = file->figures[i] < N_FIGURES ? file->figures[i] : replay->config.figure;

		r = compared_phase_describe(
			&phases[i], session, phases_current(&session->phases), figure, file->path);
		if (r == 0)
			r = add_members_of_now(&phases[i], session);
	}
	return r;
}

static int read_all_rows(struct compared_phase *phases, size_t n, const struct session *session)
{
	int r = 0;

	for (size_t i = 0; i < n && r == 0; i++) {
		r = read_rows(&phases[i], session);
		if (r == 0 && i > 0)
			compared_phase_share(&phases[i], &phases[0]);
	}
	return r;
}

/* @number: 0: the last one. */
static int read_until_end(struct compared_phase *phases, const struct phase_in_file *file, uint32_t number,
	struct replay *replay, struct session *session, struct machine *machine, struct error_text *reason)
{
	const char *path = file->path;
	int r = play_phase(replay, session, number);

	if (r < 0)
		return error_text_set(reason, r, "%s: can't be played: %s", path, error_text_of_errno(r));
	bool is_ended_by_item = r > 0;
	const struct phase *phase = phases_current(&session->phases);

	if (!phase || (number && phase->number != number))
		return error_text_set(
			reason, -ENOENT, "%s: has no %s", path, phase ? "such phase" : "phase yet");
	*machine = machine_copy(session->machine_changed_ns ? &phase->conditions.machine : &session->machine);
	r = describe_figures(phases, file, replay, session);
	if (r == 0)
		r = end_phase(replay, session, is_ended_by_item);
	if (r == 0)
		r = read_all_rows(phases, file->n_figures, session);
	return r == 0 ? 0 : error_text_set(reason, r, "%s: no memory for it", path);
}

/* Takes over the blocks of the replicate that judges, for each figure those of the same ring: they are
 * shared. */
static int take_judging(struct compared_phase *phases, struct compared_phase *judging, size_t n)
{
	size_t *partners = calloc(phases[0].n_rows + 1, sizeof(*partners));
	int r = partners ? replicate_pair(&phases[0], &judging[0], partners) : -ENOMEM;

	for (size_t i = 0; i < n && r == 0; i++)
		for (size_t k = 0; k < phases[0].n_rows; k++) {
			if (partners[k] >= judging[i].n_rows)
				continue;
			phases[i].rows[k].judging = judging[i].rows[partners[k]].blocks;
			judging[i].rows[partners[k]].blocks = (struct judged_blocks){0};
		}
	free(partners);
	return r;
}

/* Of the replicates another phase may judge: then plays again to the end of that. */
static int read_judging(struct compared_phase *phases, const struct phase_in_file *file,
	struct replay *replay, struct error_text *reason)
{
	struct compared_phase judging[N_FIGURES_SHOWN] = {{0}};
	struct session session = {0};
	struct machine machine = {0};
	uint32_t number =
		phases[0].n_like ? phases[0].like[compared_phase_judging(&phases[0])] : phases[0].number;

	if (number == phases[0].number)
		return 0;
	int r = read_until_end(judging, file, number, replay, &session, &machine, reason);

	if (r == 0 && take_judging(phases, judging, file->n_figures) < 0)
		r = error_text_set(reason, -ENOMEM, "%s: no memory for it", file->path);
	for (size_t i = file->n_figures; i-- > 0;) /* the first one last: the others share its blocks */
		compared_phase_finish(&judging[i]);
	machine_finish(&machine);
	session_finish(&session);
	return r;
}

/* @number: 0: the last one. */
static int read_phase(struct compared_phase *phases, const struct phase_in_file *file, uint32_t number,
	struct replay *replay, struct session *session, struct machine *machine, struct error_text *reason)
{
	int r = read_until_end(phases, file, number, replay, session, machine, reason);

	if (r < 0)
		return r;
	for (size_t i = 0; i < file->n_figures && r == 0; i++)
		phases[i].is_last_of_several = !number && phases[i].number > 1;
	if (r == 0 && session->matrix)
		r = matrix_copy_phase(&phases[0].matrix, session->matrix, phases[0].number);
	if (r == 0 && play_on(replay, session) == -ENOMEM)
		r = -ENOMEM;
	for (size_t i = 0; i < file->n_figures && r == 0; i++)
		r = read_later(&phases[i], session);
	return r == 0 ? read_judging(phases, file, replay, reason)
		      : error_text_set(reason, r, "%s: no memory for it", file->path);
}

/* Plays to the end, because of several phases with one name the last one is meant. */
static int find_named(struct replay *replay, const char *path, const char *wanted, uint32_t *number,
	struct error_text *reason)
{
	struct session session = {0};
	int r = replay_start(replay, &session);

	*number = 0;
	while (r == 0 && (r = replay_next(replay)) > 0) {
		r = feed_session(&session, &replay->item.feed, NULL);
		const struct phase *current = phases_current(&session.phases);

		if (current && phase_is_called(current->number, current->name, wanted, PHASE_BY_NAME))
			*number = current->number;
	}
	if (*number && r != -ENOMEM) /* what is damaged at its end has the phases before */
		r = 0;
	else if (r < 0)
		r = error_text_set(reason, r, "%s: can't be played: %s", path, error_text_of_errno(r));
	else if (!session.phases.n)
		r = error_text_set(reason, -ENOENT, "%s: has no phase yet", path);
	else
		r = refuse_phase(&session.phases, path, wanted, reason);
	session_finish(&session);
	return r;
}

int recorded_phase_read(struct compared_phase *phases, const struct phase_in_file *file,
	struct replay *replay, struct machine *machine, struct error_text *reason)
{
	const char *wanted = file->wanted;
	bool is_number = wanted && *wanted && strspn(wanted, "0123456789") == strlen(wanted);
	uint32_t number = is_number ? (uint32_t)strtoul(wanted, NULL, 10) : 0;
	struct session session = {0};
	int r = -ENOENT;

	if (!wanted || (number && phase_is_called(number, "", wanted, PHASE_BY_NUMBER)))
		r = read_phase(phases, file, number, replay, &session, machine, reason);
	if (r == -ENOENT && wanted) {
		session_finish(&session);
		session = (struct session){0};
		r = find_named(replay, file->path, wanted, &number, reason);
		if (r == 0)
			r = read_phase(phases, file, number, replay, &session, machine, reason);
	}
	session_finish(&session);
	return r;
}

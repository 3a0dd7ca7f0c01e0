/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shown_session.c - the session on the screen: the live one, or a moment of its past. */
#include "ui/views/shown_session.h"

#include "src/model/commands.h"
#include "src/model/playback_state.h"
#include "src/recording/history.h"
#include "ui/table/view_state.h"

/* Ticks end a little late: with this slack, a second back is the tick that was shown a second ago. */
enum { SLACK_NS = 20000000 };

void shown_session_finish(struct shown_session *moment)
{
	session_finish(&moment->past);
	moment->taken = moment->is_wanted = false;
}

static void want(struct shown_session *moment, struct view_state *view, uint64_t at_ns, uint64_t slack_ns)
{
	view->frozen = true;
	view->at_first = false;
	moment->is_wanted = true;
	moment->wanted_ns = at_ns;
	moment->slack_ns = slack_ns;
}

static void scrub(struct shown_session *moment, struct view_state *view, int64_t by_ns)
{
	uint64_t now_ns = moment->live->now_ns, from_ns = view->frozen ? moment->wanted_ns : now_ns;

	if (by_ns < 0)
		from_ns = from_ns > -(uint64_t)by_ns ? from_ns + (uint64_t)by_ns : 0;
	else
		from_ns = now_ns - from_ns > (uint64_t)by_ns ? from_ns + (uint64_t)by_ns : now_ns;
	want(moment, view, from_ns, SLACK_NS);
}

bool shown_session_obey(struct shown_session *moment, struct view_state *view, const struct command *command)
{
	if (command->kind != COMMAND_FREEZE && command->kind != COMMAND_STEP && command->kind != COMMAND_SEEK)
		return false;
	view->no_history = false;
	if (moment->playing)
		return false;
	if (command->kind == COMMAND_SEEK) {
		scrub(moment, view, command->by_ns);
	} else if (command->kind == COMMAND_FREEZE && view->frozen) {
		view->frozen = false;
		shown_session_finish(moment);
	} else if (command->kind == COMMAND_FREEZE) {
		want(moment, view, moment->live->now_ns, 0);
	}
	return true;
}

const struct session *shown_session_now(struct shown_session *moment, struct view_state *view)
{
	const struct session *shown = moment->taken ? &moment->past : moment->live;
	uint64_t then_ns = moment->is_wanted ? moment->wanted_ns : shown->now_ns;

	view->is_replay = moment->playing;
	if (moment->playing)
		view->playing = *moment->playing;
	else
		view->frozen_age_ns = moment->live->now_ns > then_ns ? moment->live->now_ns - then_ns : 0;
	return shown;
}

bool shown_session_seek(struct shown_session *moment, struct view_state *view)
{
	uint64_t asked_ns = moment->wanted_ns + moment->slack_ns, at_ns = asked_ns;

	if (!moment->is_wanted)
		return false;
	moment->is_wanted = false;
	moment->taken = history_seek(moment->history, &moment->past, &at_ns) == 0;
	if (!moment->taken) {
		shown_session_finish(moment);
		view->frozen = false;
		view->no_history = true;
	} else if (at_ns > asked_ns) {
		moment->wanted_ns = at_ns;
		view->at_first = true;
	}
	return true;
}

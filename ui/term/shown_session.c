/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shown_session.c - the session on the screen: the live one, or a moment of its past. */
#include "ui/term/shown_session.h"

#include "src/recording/history.h"
#include "ui/views/view.h"

/* Ticks end a little late: with this slack, a second back is the tick that was shown a second ago. */
enum { SLACK_NS = 20000000 };

void shown_session_finish(struct shown_session *shown)
{
	session_finish(&shown->past);
	shown->taken = shown->is_wanted = false;
}

static void set_wanted(struct shown_session *shown, struct frame *frame, uint64_t at_ns, uint64_t slack_ns)
{
	frame->frozen = true;
	frame->at_first = false;
	shown->is_wanted = true;
	shown->wanted_ns = at_ns;
	shown->slack_ns = slack_ns;
}

static void scrub(struct shown_session *shown, struct frame *frame, int64_t by_ns)
{
	uint64_t now_ns = shown->live->now_ns, from_ns = frame->frozen ? shown->wanted_ns : now_ns;
	uint64_t first_ns = history_first_ns(shown->history);

	if (from_ns < first_ns) /* the seek before is still wanted, which would find the first tick */
		from_ns = first_ns;
	if (by_ns < 0)
		from_ns = from_ns > -(uint64_t)by_ns ? from_ns + (uint64_t)by_ns : 0;
	else
		from_ns = now_ns - from_ns > (uint64_t)by_ns ? from_ns + (uint64_t)by_ns : now_ns;
	set_wanted(shown, frame, from_ns, SLACK_NS);
}

bool shown_session_obey(struct shown_session *shown, struct frame *frame, const struct command *command)
{
	if (command->kind != COMMAND_FREEZE && command->kind != COMMAND_STEP && command->kind != COMMAND_SEEK)
		return false;
	frame->no_history = false;
	if (shown->playing)
		return false;
	if (command->kind == COMMAND_SEEK) {
		scrub(shown, frame, command->by_ns);
	} else if (command->kind == COMMAND_FREEZE && frame->frozen) {
		frame->frozen = false;
		shown_session_finish(shown);
	} else if (command->kind == COMMAND_FREEZE) {
		set_wanted(shown, frame, shown->live->now_ns, 0);
	}
	return true;
}

const struct session *shown_session_now(struct shown_session *shown, struct frame *frame)
{
	const struct session *session = shown->taken ? &shown->past : shown->live;
	uint64_t then_ns = shown->is_wanted ? shown->wanted_ns : session->now_ns;

	frame->is_replay = shown->playing;
	if (shown->playing)
		frame->playing = *shown->playing;
	else
		frame->frozen_age_ns = shown->live->now_ns > then_ns ? shown->live->now_ns - then_ns : 0;
	return session;
}

bool shown_session_seek(struct shown_session *shown, struct frame *frame)
{
	uint64_t asked_ns = shown->wanted_ns + shown->slack_ns, at_ns = asked_ns;

	if (!shown->is_wanted)
		return false;
	shown->is_wanted = false;
	shown->taken = history_seek(shown->history, &shown->past, &at_ns) == 0 &&
		       session_phases_settle(&shown->past) == 0; /* for comparisons */
	if (!shown->taken) {
		shown_session_finish(shown);
		frame->frozen = false;
		frame->no_history = true;
	} else if (at_ns > asked_ns) {
		shown->wanted_ns = at_ns;
		frame->at_first = true;
	}
	return true;
}

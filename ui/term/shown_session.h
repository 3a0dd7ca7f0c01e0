/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shown_session.h - the session on the screen: the live one, or a moment of its past. */
#pragma once

#include <stdbool.h>

#include "src/model/commands.h"
#include "src/model/session.h"

struct frame;
struct history;
struct playback_state;

/* The pointers are the caller's; all but @live may be NULL. */
struct shown_session {
	const struct session *live;
	const struct playback_state *playing; /* not NULL: a recording is played */
	struct history *history;

	struct session past;
	bool taken;         /* the past is shown */
	bool is_wanted;     /* a seek to another moment is pending */
	uint64_t wanted_ns; /* its time */
	uint64_t slack_ns;
};

void shown_session_finish(struct shown_session *shown);

/* Obeys a command for the run's past; the caller holds the lock of the live session. Returns false for all
 * others, and for a recording, whose player obeys them. */
bool shown_session_obey(struct shown_session *shown, struct frame *frame, const struct command *command);
/* Returns the session to show, which may be older than the one wanted, and sets its age in the frame.
 * The caller holds the lock while it reads the session. Never slow. */
const struct session *shown_session_now(struct shown_session *shown, struct frame *frame);
/* Seeks the past that is wanted, without the lock. Returns whether another session is to be drawn. */
bool shown_session_seek(struct shown_session *shown, struct frame *frame);

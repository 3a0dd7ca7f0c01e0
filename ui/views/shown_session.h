/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shown_session.h - the session on the screen: the live one, or a moment of its past. */
#pragma once

#include <stdbool.h>

#include "src/model/commands.h"
#include "src/model/session.h"

struct history;
struct playing;
struct view_state;

/* The pointers are the caller's; all but @live may be NULL. */
struct shown_session {
	const struct session *live;
	const struct playing *playing; /* not NULL: a recording is played */
	struct history *history;

	struct session past;
	bool taken;         /* the past is shown */
	bool is_wanted;     /* another past is to be sought */
	uint64_t wanted_ns; /* its time */
	uint64_t slack_ns;
};

void shown_session_finish(struct shown_session *moment);

/* Obeys a command that is about the run's past, with the lock of the live session. Returns false for all
 * others: a recording's player obeys those. */
bool shown_session_obey(struct shown_session *moment, struct view_state *view, const struct command *command);
/* Returns the session to show, and sets the view's signs of it. The lock is kept while it is read. Never
 * slow: the picture may follow. */
const struct session *shown_session_now(struct shown_session *moment, struct view_state *view);
/* Without that lock: looks for the past that is wanted. Returns whether there is now something else to be
 * shown. */
bool shown_session_seek(struct shown_session *moment, struct view_state *view);

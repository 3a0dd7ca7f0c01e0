/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shown_session.h - which session is on the screen: the one that goes on, or one of its past. */
#pragma once

#include <stdbool.h>

#include "src/model/session.h"

struct history;
struct playing;
struct requests;
struct view;

/* All but @live may be NULL; all are the caller's. */
struct moment {
	const struct session *live;
	const struct playing *playing; /* the live session is a recording that is played */
	struct requests *requests;     /* to who plays it */
	struct history *history;

	struct session past;
	bool taken;         /* the past is shown */
	bool is_wanted;     /* another one is to be looked for */
	uint64_t wanted_ns; /* when it was */
	uint64_t slack_ns;
};

void moment_finish(struct moment *moment);

/* Obeys what a key asked of the view, with the lock of the live session: after each key, for what they mean
 * hangs on their order. */
void moment_obey(struct moment *moment, struct view *view);
/* The same, then tells the view what it shows, and returns that, which is looked at with that lock kept.
 * Never slow: the picture may follow. */
const struct session *moment_session(struct moment *moment, struct view *view);
/* Without that lock: looks for the past that is wanted. Returns whether there is now something else to be
 * shown. */
bool moment_seek(struct moment *moment, struct view *view);

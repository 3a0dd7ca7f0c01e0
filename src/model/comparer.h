/* SPDX-License-Identifier: GPL-2.0-or-later */
/* comparer.h - a thread that compares two phases of a session, and publishes line after line. */
#pragma once

#include "src/model/comparison_lines.h"

struct comparer;

/* Starts the thread, which blocks all signals and waits. @news: called by it, without any lock, when the
 * rows that come first are ready, and again when all are. Returns 0 or a negative errno. */
int comparer_create(struct comparer **comparer, void (*news)(void *data), void *data);
/* Sets where blocks are read that the session does not have, before the first comparison. */
void comparer_set_source(struct comparer *comparer, const struct phase_source *source);
/* Ends the thread: at once if it waits, else after the row that it compares, or the tick that it reads. */
void comparer_destroy(struct comparer *comparer); /* may be NULL */

/* Compares the phases of the choice if that has changed, or if one of them has another tick: at once if the
 * session shows a moment (@is_still), and otherwise so that it takes 5 % of a CPU, but after four seconds at
 * the latest. Only copies them; the caller holds the lock of the session. @first: rows of the session that
 * come first. @passes: the rings that pass the filter, by index; NULL: all. Returns 0, -ENOENT if the session
 * does not have both phases, or -ENOMEM. */
int comparer_ask(struct comparer *comparer, const struct session *session, bool is_still,
	const struct comparison_choice *choice, const size_t *first, size_t n_first, const bool *passes);
/* Copies the lines that are ready by now, if they are new. Returns 0 or -ENOMEM. */
int comparer_read(struct comparer *comparer, struct comparison_lines *lines);

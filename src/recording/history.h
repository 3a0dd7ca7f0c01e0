/* SPDX-License-Identifier: GPL-2.0-or-later */
/* history.h - the past of the session that is running. It is recorded, to the file of --record or to a
 * bounded one in memory, and a seek reads it there. */
#pragma once

#include <stdint.h>

struct config;
struct feed_item;
struct history;
struct recorder;
struct session;
struct topology;

/* About as much is kept in memory. Nothing is dropped from a file. */
enum { HISTORY_BYTES = 16 << 20 };

/* --- for the thread that writes the session --- */

/* @file: writes the recording that the user wants, or NULL. A file that can't be read again is not used.
 * @session, @config and @topology stay the caller's, and @file until the last history_feed(). Returns 0 or a
 * negative errno. */
int history_create(struct history **history, const struct recorder *file, const struct session *session,
	const struct config *config, const struct topology *topology);
void history_destroy(struct history *history); /* may be NULL, as below */

/* An item that the session, and then @file, was fed with before. */
void history_feed(struct history *history, const struct feed_item *item);

/* --- for one other thread --- */

/* Finishes the session, and makes the one of @at_ns; if that is not kept, of the first time that is, which it
 * stores. Returns 0 or a negative errno; session_finish() accepts what is left. */
int history_seek(struct history *history, struct session *session, uint64_t *at_ns);

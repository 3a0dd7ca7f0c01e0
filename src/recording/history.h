/* SPDX-License-Identifier: GPL-2.0-or-later */
/* history.h - the past of the session that is running. It is recorded, to the file of --record or to a
 * bounded one in memory, and a seek reads it there. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/base/error_text.h"
#include "src/model/phase_source.h"

struct config;
struct feed_item;
struct history;
struct session;
struct topology;

/* About as much is kept in memory. Nothing is dropped from a file. */
enum { HISTORY_BYTES = 16 << 20 };

/* --- for the thread that writes the session --- */

/* @path: the recording of --record; if it is NULL or can't be read again, memory is used. @session, @config
 * and @topology stay the caller's. Returns 0 or a negative errno. */
int history_create(struct history **history, const char *path, const struct session *session,
	const struct config *config, const struct topology *topology);
void history_destroy(struct history *history); /* may be NULL, as below */

/* Takes an item after the session, and after the recording at @path. @is_recorded: whether that has it. */
void history_feed(struct history *history, const struct feed_item *item, bool is_recorded);

/* Writes what is kept as a recording of its own: from the oldest checkpoint on, with the header. Returns 0 or
 * a negative errno, with a reason that names the file. */
int history_save(struct history *history, const char *path, struct error_text *reason);

/* --- for one other thread --- */

/* Returns the time of the first tick that is kept; 0: none is. */
uint64_t history_first_ns(struct history *history);

/* Finishes the session, and makes the one of @at_ns; if that is not kept, of the first time that is, which it
 * stores. Returns 0 or a negative errno; session_finish() accepts what is left. */
int history_seek(struct history *history, struct session *session, uint64_t *at_ns);

/* --- for a third thread --- */

struct phase_source history_phases(struct history *history); /* which may be NULL */

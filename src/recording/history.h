/* SPDX-License-Identifier: GPL-2.0-or-later */
/* history.h - any moment of the session that is running: it is recorded, into the file that the user wants or
 * into a bounded one in memory, and sought in. */
#pragma once

#include <stdint.h>

struct config;
struct feed_item;
struct history;
struct recorder;
struct session;
struct topology;

/* What is kept in memory, about; a file is kept whole. */
enum { HISTORY_BYTES = 16 << 20 };

/* --- the thread that writes the session --- */

/* @file: writes the recording that the user wants, or NULL. A file that can't be read again is not used.
 * @session, @config and @topology stay the caller's, and @file until the last history_feed(). Returns 0 or a
 * negative errno. */
int history_create(struct history **history, const struct recorder *file, const struct session *session,
	const struct config *config, const struct topology *topology);
void history_destroy(struct history *history); /* NULL is allowed, here and below */

/* An item that the session, and then @file, was fed with before. */
void history_feed(struct history *history, const struct feed_item *item);

/* --- one other thread --- */

/* @session, finished and begun anew, as it was at @at_ns, or at the first moment that is kept: that is put
 * there then. Returns 0 or a negative errno: then nothing but session_finish() is to be asked of it. */
int history_seek(struct history *history, struct session *session, uint64_t *at_ns);

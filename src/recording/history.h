/* SPDX-License-Identifier: GPL-2.0-or-later */
/* history.h - any moment of the session that is running: it is recorded, into the file that the user wants or
 * into a bounded one in memory, and sought in. */
#pragma once

#include <stdint.h>

struct config;
struct history;
struct recorder;
struct session;
struct tick;
struct topology;

/* What is kept in memory, about; a file is kept whole. */
enum { HISTORY_BYTES = 16 << 20 };

/* --- the thread that writes the session --- */

/* @path: the file that the session is recorded to, or NULL. One that can't be read again is not used. @config
 * and @topology stay the caller's. Returns 0 or a negative errno. */
int history_create(struct history **history, const char *path, const struct session *session,
	const struct config *config, const struct topology *topology);
void history_destroy(struct history *history); /* NULL is allowed, here and below */

/* To be told what the file's recorder is told, but for ticks; NULL where the file is enough. */
struct recorder *history_recorder(const struct history *history);
/* A tick that the session, and then the file's recorder, has taken. @recorder: NULL where there is none, or
 * no longer. */
void history_tick(struct history *history, const struct tick *tick, const struct session *session,
	const struct recorder *recorder);
/* Something else was recorded that is to be seen at once. */
void history_mark(struct history *history, const struct recorder *recorder);

/* --- one other thread --- */

/* @session, finished and begun anew, as it was at @at_ns, or at the first moment that is kept: that is put
 * there then. Returns 0 or a negative errno: then nothing but session_finish() is to be asked of it. */
int history_seek(struct history *history, struct session *session, uint64_t *at_ns);

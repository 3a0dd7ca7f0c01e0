/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record.h - writes a recording: a line, then entries (entry.h), with one write(2) for each tick.
 *
 * The first entry is the header, the second a checkpoint: a seek always begins at a checkpoint. */
#pragma once

#include "src/base/error_text.h"

struct bytes;
struct config;
struct feed_item;
struct recording;
struct session;
struct topology;

/* The format. A reader refuses another major version, and reads any minor one: a minor version adds kinds of
 * entries, keys, and fields at the end of entries. It may also add a kind of cause, or of the flight
 * recorder's records or tasks: where a recording has one, older programs can't read it. Programs before 5.14
 * show no topology of newer recordings, as they know its key by another name. */
enum { RECORD_MAJOR = 5, RECORD_MINOR = 20 };
#define RECORD_LINE "ipctop recording %u.%u" /* and a newline */
#define RECORD_LINE_MAX 48

/* Checks before a run starts that @path can be written. Returns 0 or a negative errno, with a reason. */
int record_check(const char *path, struct error_text *reason);

/* Starts a recording with a checkpoint of the session, which stays the caller's until record_finish().
 * Returns 0 or a negative errno, with a reason that names the file. */
int record_start(struct recording **recording, const char *path, const struct session *session,
	const struct config *config, const struct topology *topology, struct error_text *reason);
/* The same in an open file, of which only the last part will be kept: with more checkpoints, which are
 * smaller. Closes @fd in the end, also after an error. */
int record_start_memory(struct recording **recording, int fd, const struct session *session,
	const struct config *config, const struct topology *topology, struct error_text *reason);

/* Records an item that the session was fed with before. Ticks and events are written at once, changes of the
 * machine with the next of these. @recording may be NULL. Returns 0 or a negative errno: after an error
 * nothing is written any more. */
int record_feed(struct recording *recording, const struct feed_item *item);

/* The entry that ends a recording. @ended_by: for report and screen. */
void record_encode_end(struct bytes *bytes, const struct session *session, const char *ended_by);

/* @recording may be NULL. Returns 0, or a negative errno with a reason if anything could not be written. */
int record_finish(struct recording *recording, const char *ended_by, struct error_text *reason);

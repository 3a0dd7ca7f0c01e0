/* SPDX-License-Identifier: GPL-2.0-or-later */
/* replay.h - reads a recording, which may be hostile: its items in order, and the session at any time. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "src/base/error_text.h"
#include "src/model/feed.h"
#include "src/recording/record_json.h"

struct replay;
struct replay_place;

/* What is read, valid until the next is. */
struct replay_item {
	struct feed_item feed; /* valid until the next item is read */
	uint64_t offset;       /* in the file */
	bool damaged;          /* the entry could not be read: the feed has an event that says so */
};

/* Returns 0 or a negative errno, with a reason that names the file. */
int replay_open(struct replay **replay, const char *path, struct error_text *reason);
/* One that is still written, read up to whole ticks: replay_seek_from() alone finds a place in it. @fd
 * becomes the replay's, whatever happens. */
int replay_open_fd(struct replay **replay, int fd, const char *name, struct error_text *reason);
void replay_close(struct replay *replay);

const char *replay_header(const struct replay *replay); /* JSON */
/* The options of the recorded run, as far as config_json_read() has them. */
const struct config *replay_config(const struct replay *replay);
/* Why the recorded run ended; NULL where the recording has no end, or none was found yet. */
const char *replay_ended_by(const struct replay *replay);
/* When its last tick ended, as far as it can be known without reading it all. */
uint64_t replay_end_ns(const struct replay *replay);
/* Frames that were damaged among those read so far, and the place of the first. */
uint64_t replay_damages(const struct replay *replay, uint64_t *first_offset);

/* Makes the session of the start, and goes there. Returns 0 or -ENOMEM; session_finish() accepts what is
 * left.
 */
int replay_start(struct replay *replay, struct session *session);
/* Returns 1 with an item, 0 at the end, -ENOMEM or another negative errno where the file can't be read. */
int replay_next(struct replay *replay, struct replay_item *item);
/* The session, finished and begun anew, as it was when all up to @at_ns had been told to it; the next item
 * is the one after. Returns 0, -ENOMEM, or an error of reading. */
int replay_seek(struct replay *replay, struct session *session, uint64_t at_ns);
/* The same from this checkpoint, or from the start where @from is NULL; nothing is read from @end_offset on.
 */
int replay_seek_from(struct replay *replay, struct session *session, const struct replay_place *from,
	uint64_t end_offset, uint64_t at_ns);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* replay.h - reads a recording, whoever wrote it: what it holds in order, and any place in it. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "src/base/error_text.h"
#include "src/machine/machine.h"
#include "src/model/session.h"
#include "src/recording/record_json.h"

struct replay;
struct replay_place;

enum replay_kind { REPLAY_TICK, REPLAY_EVENT, REPLAY_MACHINE, REPLAY_MARK, REPLAY_BREACH, REPLAY_DAMAGE };

/* What is read, valid until the next is; @at_ns is when it was told to the session that was recorded. */
struct replay_item {
	enum replay_kind kind;
	uint64_t at_ns;
	uint64_t offset; /* in the file */
	struct tick tick;
	struct event event; /* of damage too: a sentence that names the place; of a mark the name, or NULL */
	struct machine machine;
	struct breach breach;
};

/* Returns 0 or a negative errno, with a reason that names the file. */
int replay_open(struct replay **replay, const char *path, struct error_text *reason);
/* One that is still written, read up to whole ticks: replay_seek_from() alone finds a place in it. @fd
 * becomes the replay's, whatever happens. */
int replay_open_growing(struct replay **replay, int fd, const char *name, struct error_text *reason);
void replay_close(struct replay *replay);

const char *replay_header(const struct replay *replay); /* JSON */
const struct record_facts *replay_facts(const struct replay *replay);
/* Why the recorded run ended; NULL where the recording has no end, or none was found yet. */
const char *replay_ended_by(const struct replay *replay);
/* When its last tick ended, as far as it can be known without reading it all. */
uint64_t replay_end_ns(const struct replay *replay);
/* Frames that were damaged among those read so far, and the place of the first. */
uint64_t replay_damages(const struct replay *replay, uint64_t *first_offset);

/* A session as at the start, and the place there. Returns 0 or -ENOMEM; session_finish() is for whatever is
 * left. */
int replay_start(struct replay *replay, struct session *session);
/* Returns 1 with an item, 0 at the end, -ENOMEM or another negative errno where the file can't be read. */
int replay_next(struct replay *replay, struct replay_item *item);
/* Tells it to the session. Returns 0 or -ENOMEM; a tick that does not fit is left out. */
int replay_feed(const struct replay_item *item, struct session *session);
/* The session, finished and begun anew, as it was when all up to @at_ns had been told to it; the next item
 * is the one after. Returns 0, -ENOMEM, or an error of reading. */
int replay_seek(struct replay *replay, struct session *session, uint64_t at_ns);
/* The same from this checkpoint, or from the start where @from is NULL; nothing is read from @end_offset on.
 */
int replay_seek_from(struct replay *replay, struct session *session, const struct replay_place *from,
	uint64_t end_offset, uint64_t at_ns);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tick_codec.h - a tick as bytes: its fields, and for each ring its state, if it differs from the tick
 * before, its packed row, and the figures of its hops. Pure. */
#pragma once

#include "src/base/bytes.h"
#include "src/figures/histogram_reader.h"
#include "src/figures/tick.h"

struct block;
struct session;

/* The state of a ring in the last tick that was written or read. */
struct codec_ring {
	struct tick_ring ring; /* the reader's; owns its reason */
	uint32_t members_max;
};

/* Serves one writer or one reader. All pointers are owned. */
struct tick_codec {
	size_t n_rings, n_members;
	/* The writer's. */
	bool whole;         /* the next tick leaves nothing out */
	uint64_t *checks;   /* owned, by ring: of the state that was written last */
	struct bytes state; /* working memory, as below */
	struct hist hop;
	/* The reader's; owned. */
	struct codec_ring *known; /* by ring */
	struct tick_ring *rings;
	struct tick_member *members;
	struct tick_hop *hops;
	struct cells cells;
};

/* For ticks of this session's rings. Returns 0 or -ENOMEM; tick_codec_finish() accepts what is left. */
int tick_codec_init(struct tick_codec *codec, const struct session *session);
void tick_codec_finish(struct tick_codec *codec);

/* Forgets the state of all rings: the next tick is written with the states of its rings, so that it can be
 * read without those before it. A reader calls it before it goes to another place. */
void tick_codec_restart(struct tick_codec *codec);

/* The tick's rings are sorted by id; @rows has their packed rows. Sets bytes->failed if memory runs out. */
void tick_encode(
	struct tick_codec *codec, const struct tick *tick, const struct block *rows, struct bytes *bytes);

/* @tick points into the codec, up to the next call. Returns 0, -ENOMEM, or -EINVAL if the bytes are no tick
 * of these rings. */
int tick_decode(struct tick_codec *codec, struct scan *scan, struct tick *tick);

/* When a tick ended, from its first bytes. */
uint64_t tick_peek_end(struct scan scan);

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
	uint64_t check; /* the writer's: of the bytes; 0: none were written */
};

/* Serves one writer or one reader. All pointers are owned. */
struct tick_codec {
	size_t n_rings, n_members;
	struct codec_ring *known; /* by ring, sorted by id */
	struct bytes state;       /* the writer's working memory */
	struct hist hop;
	struct tick_ring *rings; /* the tick that was read last */
	struct tick_member *members;
	struct tick_hop *hops;
	struct cells cells;
};

/* For ticks of this session's rings, as they are now. Returns 0 or -ENOMEM; tick_codec_finish() accepts what
 * is left. */
int tick_codec_init(struct tick_codec *codec, const struct session *session);
void tick_codec_finish(struct tick_codec *codec);

/* Add a ring, whose id is larger than all before, or remove one. Return 0, -ENOMEM or -EINVAL. */
int tick_codec_add(struct tick_codec *codec, uint32_t id, uint32_t n_members);
int tick_codec_remove(struct tick_codec *codec, uint32_t id);

/* Forgets the state of all rings: the next tick is written with the states of its rings, so that it can be
 * read without those before it. */
void tick_codec_restart(struct tick_codec *codec);

/* The tick's rings are sorted by id; @rows has their packed rows. Sets bytes->failed if memory runs out. */
void tick_encode(
	struct tick_codec *codec, const struct tick *tick, const struct block *rows, struct bytes *bytes);

/* @tick points into the codec, up to the next call. Returns 0, -ENOMEM, or -EINVAL if the bytes are no tick
 * of these rings. */
int tick_decode(struct tick_codec *codec, struct scan *scan, struct tick *tick);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tick_codec.h - a tick as bytes: its fields, and of each ring its state, where that is not as in the tick
 * before, its packed row, and the figures of its hops. Pure. */
#pragma once

#include "src/base/bytes.h"
#include "src/figures/histogram_reader.h"
#include "src/figures/tick.h"

struct block;
struct session;

/* A ring as it was read last: it owns the reason. */
struct codec_ring {
	struct tick_ring ring;
	uint32_t members_max;
};

/* What stays from one tick to the next. */
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

/* The next tick that is encoded can be read without those before it. */
void tick_codec_restart(struct tick_codec *codec);

/* The tick's rings are in the order of their ids; @rows are those that it has. Without memory @bytes fails.
 */
void tick_encode(
	struct tick_codec *codec, const struct tick *tick, const struct block *rows, struct bytes *bytes);

/* @tick points into the codec, up to the next call. Returns 0, -ENOMEM, or -EINVAL for what is no tick of
 * such rings. */
int tick_decode(struct tick_codec *codec, struct scan *scan, struct tick *tick);

/* When a tick ended, from its first bytes. */
uint64_t tick_peek_end(struct scan scan);

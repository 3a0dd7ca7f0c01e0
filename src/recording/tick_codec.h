/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tick_codec.h - ticks as bytes: what is as it was in the tick before is left out. Pure. */
#pragma once

#include "src/base/bytes.h"
#include "src/figures/tick.h"

struct session;

/* What stays from one tick to the next, at both ends. */
struct codec_ring {
	size_t first_member; /* in the codec's members */
	uint32_t n_members, n_seen;
	enum ring_state state;
	enum ring_condition condition;
	enum locality locality;
	char *reason; /* owned, or NULL */
	uint64_t last_ns[N_FIGURES];
};

struct codec_hop {
	int32_t node;
	uint64_t last_ns;
};

struct tick_codec {
	struct codec_ring *rings; /* owned */
	size_t n_rings;
	struct tick_member *members; /* owned */
	size_t n_members;
	struct codec_hop *hops;     /* owned; n_members, as tick_hops */
	struct tick_hop *tick_hops; /* owned; decoded */
	struct tick_ring *decoded;  /* owned; n_rings */
	struct hist_cell *cells;    /* owned; decoded */
	size_t n_cells, cells_room;
	char loadavg[64];
	bool whole; /* the next tick leaves nothing out */
};

/* For ticks of this session's rings. Returns 0 or -ENOMEM; tick_codec_finish() accepts what is left. */
int tick_codec_init(struct tick_codec *codec, const struct session *session);
void tick_codec_finish(struct tick_codec *codec);

/* The next tick that is encoded can be read without those before it. */
void tick_codec_restart(struct tick_codec *codec);

/* The tick's rings stand in the order of their ids. Without memory @bytes has failed. */
void tick_encode(struct tick_codec *codec, const struct tick *tick, struct bytes *bytes);

/* @tick points into the codec, up to the next call. Returns 0, -ENOMEM, or -EINVAL for what is no tick of
 * such rings. What follows the tick in @scan is left, for newer formats may have more. */
int tick_decode(struct tick_codec *codec, struct scan *scan, struct tick *tick);

/* When a tick ended, from its first bytes. */
uint64_t tick_peek_end(struct scan scan);

void member_encode(struct bytes *bytes, const struct tick_member *member);
void member_decode(struct scan *scan, struct tick_member *member);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lap.h - one lap after the other: what a member does once it has started. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/arena.h"
#include "src/pace.h"
#include "src/probe.h"

/* All that the loop needs, in this process's own memory. */
struct loop {
	struct ring_slot *ring;
	struct member_slot *slot;
	struct arena_head *head;
	const struct probe *probe;
	struct hop in, out;
	struct hop_stamp *in_stamp, *out_stamp;
	struct hist_live *live[N_LIVE_FIGURES];
	const struct arena *arena;
	char token[8];

	/* The origin's. */
	struct pace pace;
	uint32_t warmup_left, changes;
	uint64_t warmup_until_ns;
	uint64_t rest_ns; /* in flood: when it is to rest */
	uint64_t laps;    /* counted ones */
	bool has_run;
};

/* Has the run, or this ring, been told to end? */
bool lap_must_stop(const struct loop *loop);

/* The origin sleeps until it is its ring's turn, which it first shows as @state (paused, or done for good).
 * Returns 0, or -ECANCELED to end. */
int lap_wait_for_turn(struct loop *loop, enum ring_state state);

/* The origin waits until a lap is due, makes it, and counts it. Every other member takes the token, counts
 * its hop, and passes it on; @after_origin: it is member 1. Return 0, -ECANCELED to end, or what the
 * mechanism said. */
int lap_start(struct loop *loop);
int lap_pass_on(struct loop *loop, bool after_origin);

/* The origin has ended: what was overdue when that was commanded is missed. */
void lap_end(struct loop *loop);

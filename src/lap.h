/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lap.h - one lap after the other: what a member does once it has started. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/arena.h"
#include "src/pace.h"
#include "src/probe.h"

/* Laps that are not counted. @until_ns ends it, though not before its first lap. */
struct warmup {
	uint32_t left, done;
	uint64_t until_ns;
	uint32_t changes; /* of the ring's scheduling, as last seen */
};

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
	struct warmup warmup;
	uint64_t laps;         /* counted ones */
	uint64_t run_ns;       /* the command that it obeys */
	uint64_t stretch_ns;   /* in flood: when this stretch ends */
	uint32_t stretch_laps; /* and how many it has had */
	uint64_t now_ns;       /* the clock as last read before a lap; 0 in flood */
	bool has_run;
};

/* Has the run, or this ring, been told to end? */
bool lap_must_stop(const struct loop *loop);

/* The origin waits until a lap is due, makes it, and counts it. Every other member takes the token, counts
 * its hop, and passes it on; @after_origin: it is member 1. Return 0, -ECANCELED to end, or what the
 * mechanism said. */
int lap_start(struct loop *loop);
int lap_pass_on(struct loop *loop, bool after_origin);

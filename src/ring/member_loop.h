/* SPDX-License-Identifier: GPL-2.0-or-later */
/* member_loop.h - one lap after the other: what a member does once it has started. */
#pragma once

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/probe/probe.h"
#include "src/ring/arena.h"
#include "src/ring/duty_cycle.h"
#include "src/ring/lap_schedule.h"
#include "src/ring/token.h"

/* Laps that are not counted. @until_ns ends it, though not before its first lap. */
struct warmup {
	uint32_t left, done;
	uint64_t until_ns;
	uint32_t changes; /* of the ring's scheduling, as last seen */
};

/* All that the loop needs, in this process's own memory. */
struct member_loop {
	struct ring_slot *ring;
	struct member_slot *slot;
	struct arena_head *head;
	const struct probe *probe;
	struct hop in, out;
	struct hop_stamp *in_stamp, *out_stamp;
	struct hist_live *live[N_LIVE_FIGURES];
	uint64_t limit_ns[N_LIVE_FIGURES]; /* of -b; UINT64_MAX: none */
	const struct arena *arena;
	const volatile uint32_t *here; /* as here_cpu() */
	const _Atomic int32_t
		*place; /* where it is meant to be: the member slot's, or the origin's who plays it */
	struct token token;
	const uint64_t *work; /* to be summed before the token is passed on */
	size_t work_words;
	uint64_t hold_ns;                    /* to be waited before the token is passed on */
	const struct hop_stamp *first_stamp; /* the origin's; NULL: laps are not seen by this member */
	struct member_loop *others; /* the origin's, where it plays them too: members 1 to n_others */
	unsigned n_others;

	/* Of members that spin at real-time priority; see duty_cycle.h. */
	enum duty_cycle rest;
	uint64_t rested_ns; /* when its last rest ended */

	/* The origin's. */
	struct token_history history;
	bool rest_next;                  /* the next lap tells the members to rest */
	uint64_t timeout_ns;             /* of each receive; 0: none */
	struct timespec deadline_at;     /* CLOCK_REALTIME */
	const struct timespec *deadline; /* the same, or NULL */
	struct lap_log *lap_log;         /* NULL: no lap is kept by itself */
	uint64_t patience_ns;            /* a token that is away for so long is lost; 0: it is waited for */
	struct lap_schedule schedule;
	struct warmup warmup;
	uint64_t laps;   /* counted ones */
	uint64_t run_ns; /* the command that it obeys */
	uint64_t stretch_start_ns,
		stretch_ns;                /* when this stretch began, and when it ends: see duty_cycle.h */
	uint64_t rest_due_ns, rest_end_ns; /* of a rest: its first slot, and its end; 0: no rest */
	uint64_t slept_ns;                 /* in this stretch, until laps were due */
	uint32_t stretch_laps;             /* that this stretch has had */
	uint64_t now_ns;                   /* the clock as last read before a lap; 0 in flood */
	bool has_run;

	alignas(CACHE_LINE) uint64_t small_token[CACHE_LINE / 8];
};

/* Has the run, or this ring, been told to end? */
static inline bool member_loop_must_stop(const struct member_loop *l)
{
	return atomic_load_explicit(&l->head->stop, memory_order_relaxed) ||
	       atomic_load_explicit(&l->ring->command, memory_order_relaxed) == COMMAND_STOP;
}

/* The origin waits until a lap is due, makes it, and counts it. Every other member takes the token, counts
 * its hop, and passes it on; @after_origin: it is member 1. Return 0, -ECANCELED to end, or what the
 * mechanism said. */
int member_loop_start_lap(struct member_loop *loop);
int member_loop_pass_on(struct member_loop *loop, bool after_origin);

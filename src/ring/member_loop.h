/* SPDX-License-Identifier: GPL-2.0-or-later */
/* member_loop.h - a member's loop once it has started: passes the token, lap after lap, and counts. */
#pragma once

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/probe/probe.h"
#include "src/ring/arena.h"
#include "src/ring/duty_cycle.h"
#include "src/ring/lap_schedule.h"
#include "src/ring/token.h"

/* Laps that are not counted. Ends at @until_ns, but has at least one lap. */
struct warmup {
	uint32_t left, done;
	uint64_t until_ns;
	uint32_t changes; /* of the ring's scheduling, as last read */
};

/* The length of a batch: half of the longest, because the next laps may take longer. */
enum { BATCH_NS = 500000 };

/* The state of the loop, in memory of this process. */
struct member_loop {
	struct arena_ring *ring;
	struct arena_member *shared;
	struct arena *arena;
	const struct probe *probe;
	struct hop in, out;
	struct hop_stamp *in_stamp, *out_stamp;
	struct hist_live *live[N_LIVE_FIGURES];
	_Atomic uint64_t breach_ns[N_LIVE_FIGURES]; /* the limit of -b; UINT64_MAX: none */
	/* What is compared with each sample: the ring's slow_ns, or of other figures breach_ns. */
	const _Atomic uint64_t *limit_ns[N_LIVE_FIGURES];
	const volatile uint32_t *here; /* as here_cpu() */
	const _Atomic int32_t *place;  /* the member's in the arena, or that of the origin that plays it */
	struct token token;
	const uint64_t *work; /* summed before the token is passed on */
	size_t work_words;
	void *buffers; /* owned: memory of a large token and of the work; NULL: none is needed */
	size_t buffers_size;
	uint64_t hold_ns;                    /* waited before the token is passed on */
	const struct hop_stamp *first_stamp; /* the origin's; NULL: this member does not time laps */
	struct member_loop *others; /* the origin's; owned: members 1 to n_others, where it plays them too */
	unsigned n_others;

	enum stamps stamps;
	uint32_t passed_flags; /* with STAMPS_LAP: those of the stamp as last written */

	/* See duty_cycle.h. */
	enum duty_cycle rest;
	uint64_t rest_from_ns; /* of a member that rests alone; 0: not known yet */
	uint64_t park_from_ns; /* a token that comes later may have to be parked; UINT64_MAX: none has */

	/* The origin's. */
	struct token_history history;
	bool rest_next;                      /* the next lap has STAMP_REST */
	uint64_t timeout_ns;                 /* of each receive; 0: none */
	struct timespec deadline_at;         /* CLOCK_REALTIME */
	const struct timespec *deadline;     /* the same, or NULL */
	struct lap_log *lap_log;             /* NULL: single laps are not kept */
	uint32_t batch_laps, batch_laps_max; /* of the next batch, and of all; 0: each lap has its stamps */
	uint64_t patience_ns;                /* a token that is away for so long is lost; 0: never */
	struct lap_schedule schedule;
	struct warmup warmup;
	uint64_t laps, loops; /* counted ones; and how many end the ring, 0: endless */
	uint64_t run_ns;      /* the ring's run_ns of the turn that it is in */
	uint64_t stretch_start_ns,
		stretch_ns;                /* when this stretch began, and when it ends: see duty_cycle.h */
	uint64_t rest_due_ns, rest_end_ns; /* first slot and end of a rest; 0: no rest */
	uint64_t slept_ns;                 /* asleep in this stretch, before dues */
	uint32_t stretch_laps;             /* laps of this stretch */
	uint64_t parked_ns;                /* the ring's, when the last lap was back */
	uint64_t now_ns;                   /* the clock as last read before a lap; 0 in flood */
	bool has_run;

	alignas(CACHE_LINE) uint64_t small_token[CACHE_LINE / 8];
};

/* Returns whether the run, or this ring, must end. */
static inline bool member_loop_must_stop(const struct member_loop *l)
{
	return atomic_load_explicit(&l->arena->stop, memory_order_relaxed) ||
	       atomic_load_explicit(&l->ring->command, memory_order_relaxed) == RING_COMMAND_STOP;
}

/* The origin waits until a lap is due, makes it, and counts it. Returns 0, -ECANCELED to end, or the
 * mechanism's error. */
int member_loop_start_lap(struct member_loop *loop);
/* Every other member receives the token, counts its hop, and sends it on. @after_origin: it is member 1.
 * Returns the same. */
int member_loop_pass_on(struct member_loop *loop, bool after_origin);

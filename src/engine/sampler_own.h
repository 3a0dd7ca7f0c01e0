/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sampler_own.h - what the sampler keeps between two ticks; known by its own files alone. */
#pragma once

#include <stdbool.h>

#include "src/engine/pinning.h"
#include "src/engine/sampler.h"
#include "src/figures/histogram_reader.h"
#include "src/ring/arena.h"

/* What was seen of one ring, up to the tick before. */
struct ring_memory {
	struct histogram_reader (*readers)[N_LIVE_FIGURES]; /* owned, by member */
	uint64_t *runtime_ns;                               /* owned, by member */
	uint64_t active_ns;
	uint64_t n_missed, missed_seen; /* counted by origin and front; and those that ticks have had */
	uint32_t laps, warmup_laps, missed, abandoned, rested, away, abandoned_away, timeouts,
		faults[N_TOKEN_FAULTS];
	uint64_t *lap_log; /* owned, LAP_LOG_SIZE; what the log had in this tick; NULL: not logged */
	uint64_t logged;
	bool ran;
	struct pinned_ring pinned;
	bool took_all; /* of a CPU, in the last tick */
	uint32_t shortcomings;
	struct error_text reason; /* of the shortcomings, as a sentence */
};

struct sampler {
	const struct arena *arena;
	struct ring_memory *memory;  /* owned, by ring */
	struct tick_ring *rings;     /* owned */
	struct tick_member *members; /* owned; of all rings, in order */
	struct tick_hop *hops;       /* owned; of all rings, in order */
	size_t n_members;
	bool has_looked;          /* since the last tick */
	struct cells read, cells; /* as read, by member; and put together, by figure */
	uint64_t last_ns, own_ns, keeper_ns;
	pid_t keeper;
	struct throttling throttling;
	struct pinning pinning;
};

/* Add to the tick what was counted since the one before: the ring's figures, its hops', and what was asked
 * for beyond them. Returns 0 or -ENOMEM. */
int sampler_read_figures(struct sampler *sampler, const struct ring_slot *ring, struct ring_memory *memory,
	struct tick_ring *out);

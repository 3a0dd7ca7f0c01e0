/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sampler.h - makes ticks: reads the members' counters, and subtracts those of the tick before.
 *
 * It writes no word of a member's. It advances the epoch, so that members start new extremes. It costs the
 * members the cache lines that have changed since the tick before. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/figures/tick.h"
#include "src/ring/arena.h"

struct sampler;

/* The kernel's throttling of real-time tasks. Zeroed: there is none. */
struct throttling {
	double share;    /* of a CPU, above which the kernel takes it from them */
	uint64_t gap_ns; /* the shortest wait that it can cause */
};

/* The CPU time of @keeper counts as ipctop's own. @arena stays the caller's. Returns 0 or -ENOMEM;
 * sampler_destroy() accepts what is left. */
int sampler_create(struct sampler **sampler, struct arena *arena, pid_t keeper, struct throttling throttling,
	uint64_t now_ns);
void sampler_destroy(struct sampler *sampler);

/* Reads the members' scheduling and places for the next tick, and pins members that the kernel moved, so that
 * the caller can act on a change before that tick ends. Only the rings' states and conditions, and the
 * members, are new in @tick. */
void sampler_read_members(struct sampler *sampler, struct tick *tick);

/* Forgets a ring that was removed, and is gone, once the last tick has the rest of it: sets @id, and gives
 * its entry and memory back. Returns false if there is none. */
bool sampler_forget(struct sampler *sampler, uint32_t *id);

/* Makes the tick that ends at @now_ns, CLOCK_MONOTONIC. Its arrays are the sampler's, until the next tick.
 * Returns 0 or -ENOMEM. */
int sampler_tick(struct sampler *sampler, uint64_t now_ns, struct tick *tick);

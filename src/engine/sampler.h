/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sampler.h - makes ticks: copies what members count, and subtracts what it saw before.
 *
 * It writes no word of a member's; the epoch that it advances makes members start fresh
 * extremes. It costs the members the cache lines that have changed since its last visit. */
#pragma once

#include <stdint.h>

#include "src/figures/tick.h"
#include "src/ring/arena.h"

struct sampler;

/* What the kernel does to real-time tasks that take too much of a CPU; zeroed: nothing. */
struct throttling {
	double share;    /* of a CPU, from which on it takes it from them */
	uint64_t gap_ns; /* the shortest wait that is put down to that */
};

/* @keeper's CPU time counts as ipctop's own. The arena stays the caller's. Returns 0 or -ENOMEM. */
int sampler_create(struct sampler **sampler, const struct arena *arena, const struct topology *topology,
	pid_t keeper, struct throttling throttling, uint64_t now_ns);
void sampler_destroy(struct sampler *sampler);

/* Reads the members' scheduling and places, as the next tick will have them: for who wants to act on a change
 * before that tick ends. Fills the rings and members of @tick, and nothing else. */
void sampler_look(struct sampler *sampler, struct tick *tick);

/* The tick that ends now. What it points to is the sampler's, until its next tick.
 * Returns 0 or -ENOMEM. */
int sampler_tick(struct sampler *sampler, uint64_t now_ns, struct tick *tick);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sampler.h - makes ticks: copies what members count, and subtracts what it saw before.
 *
 * It writes no word of a member's; the epoch that it advances makes members start fresh
 * extremes. It costs the members the cache lines that have changed since its last visit. */
#pragma once

#include <stdint.h>

#include "src/arena.h"
#include "src/tick.h"

struct sampler;

/* @throttles: the kernel takes the CPU from real-time tasks that never sleep. @keeper's CPU time counts
 * as ipctop's own. The arena stays the caller's. Returns 0 or -ENOMEM. */
int sampler_create(
	struct sampler **sampler, const struct arena *arena, pid_t keeper, bool throttles, uint64_t now_ns);
void sampler_destroy(struct sampler *sampler);

/* The tick that ends now. What it points to is the sampler's, until its next tick.
 * Returns 0 or -ENOMEM. */
int sampler_tick(struct sampler *sampler, uint64_t now_ns, struct tick *tick);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* keeper_rings.h - the keeper's part of each ring: its hops, its host, and its removal. */
#pragma once

#include <stdint.h>

#include "src/probe/probe.h"
#include "src/ring/arena.h"

struct keeper_rings {
	struct arena *arena;
	pid_t front;
	int socket;  /* to the front */
	int signals; /* a signalfd: readable once a child has ended, or passes on a signal */
	int made;    /* an eventfd, which a host counts up when it has all its members */
	uint32_t n_hosts;
	uint32_t n; /* rings opened so far */
};

/* Opens no ring yet. All signals must be blocked. @front: its pid. Descriptors end with the process. Returns
 * 0 or a negative errno. */
int keeper_rings_init(struct keeper_rings *rings, struct arena *arena, pid_t front, int socket);

/* Opens the hops of ring @i, the next one, forks its host, releases the hops, and waits up to 100 ms for its
 * members. A ring that fails has its reason in the arena. */
void keeper_rings_open(struct keeper_rings *rings, uint32_t i);

/* Waits for at most @timeout_ms, and reaps hosts that have ended. Returns 1 to go on, 0 if the front commands
 * the end, -1 if the front is gone. */
int keeper_rings_attend(struct keeper_rings *rings, int timeout_ms);

/* Ends all remaining rings, and removes their objects. */
void keeper_rings_end(struct keeper_rings *rings);

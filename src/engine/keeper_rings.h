/* SPDX-License-Identifier: GPL-2.0-or-later */
/* keeper_rings.h - the rings' rings, as their parent has them; the keeper's own. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "src/probe/probe.h"
#include "src/ring/arena.h"

struct keeper_rings {
	const struct arena *arena;
	const struct probe *const *registry;
	int socket;  /* to the front */
	int signals; /* a signalfd: readable once a child has ended */
	int made;    /* an eventfd, which a host counts up when it has all its members */
	pid_t *pids; /* the host of each ring, 0 where there is none */
	uint32_t n;  /* rings that have been opened */
};

/* None is opened yet. SIGCHLD is blocked. What is made goes with the process. Returns 0 or a negative errno.
 */
int keeper_rings_init(struct keeper_rings *rings, const struct arena *arena,
	const struct probe *const *registry, int socket);

/* Opens the channels of ring @i, the next one, forks its host, leaves the channels to it, and waits for
 * a while until it has its members. A ring that
 * fails says so in the arena. */
void keeper_rings_open(struct keeper_rings *rings, uint32_t i);

/* Waits for at most @timeout_ms, buries rings that have ended.
 * Returns 1: go on, 0: the front asks to end, -1: the front is gone. */
int keeper_rings_attend(struct keeper_rings *rings, int timeout_ms);

/* Ends all rings that are left, and removes what was made for them. */
void keeper_rings_end(struct keeper_rings *rings);

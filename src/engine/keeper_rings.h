/* SPDX-License-Identifier: GPL-2.0-or-later */
/* keeper_rings.h - the keeper's part of each ring: its hops, its host, and its removal. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/probe/probe.h"
#include "src/ring/arena.h"

struct keeper_rings {
	struct arena *arena;
	pid_t front;
	int socket;  /* to the front */
	int signals; /* a signalfd: readable once a child has ended, or passes on a signal */
	int made;    /* an eventfd, which a host counts up when it has all its members */
	int bell;    /* an eventfd, which the front counts up when it wants a ring opened or closed */
	bool rung;   /* the front did so since rings were last opened */
	uint32_t n_hosts;
	pid_t sweeper;      /* 0: none, or reaped; it is one of the hosts */
	uint32_t n_closing; /* of these rings; their members are woken again at wake_ns */
	uint64_t wake_ns;
	int go_on; /* see keeper_rings_attend() */
};

/* Opens no ring yet. All signals must be blocked. @front: its pid. Descriptors end with the process. Returns
 * 0 or a negative errno. */
int keeper_rings_init(struct keeper_rings *rings, struct arena *arena, pid_t front, int socket, int bell);

/* Does what the front wants: opens rings one after the other, begins to close others, then opens and ends
 * loads. Stops early at the end of the run. Returns as keeper_rings_attend(). */
int keeper_rings_obey(struct keeper_rings *rings);

/* Waits until @until_ns (UINT64_MAX: without limit) or until something happens; reaps hosts that have ended,
 * and goes on with rings that are closing. Returns 1 to go on, 0 if the front commands the end, -1 if the
 * front is gone. */
int keeper_rings_attend(struct keeper_rings *rings, uint64_t until_ns);

/* Ends all loads and remaining rings, and removes the rings' objects. */
void keeper_rings_end(struct keeper_rings *rings);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* keeper_rings.h - the rings' hosts, as their parent has them; the keeper's own. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "src/probe/probe.h"
#include "src/ring/arena.h"

struct hosts {
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
int hosts_init(
	struct hosts *hosts, const struct arena *arena, const struct probe *const *registry, int socket);

/* Opens the channels of ring @i, the next one, forks its host, leaves the channels to it, and waits for
 * a while until it has its members. A ring that
 * fails says so in the arena. */
void hosts_open(struct hosts *hosts, uint32_t i);

/* Waits for at most @timeout_ms, buries hosts that have ended.
 * Returns 1: go on, 0: the front asks to end, -1: the front is gone. */
int hosts_attend(struct hosts *hosts, int timeout_ms);

/* Ends all rings that are left, and removes what was made for them. */
void hosts_end(struct hosts *hosts);

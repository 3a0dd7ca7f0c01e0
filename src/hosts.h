/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hosts.h - the rings' hosts, as their parent has them; the keeper's own. */
#pragma once

#include <poll.h>
#include <stdint.h>

#include "src/arena.h"
#include "src/probe.h"

struct hosts {
	const struct arena *arena;
	const struct probe *const *registry;
	int socket;            /* to the front */
	struct pollfd *fds;    /* the socket, then a pidfd for each ring, -1 where its host is gone */
	struct pollfd *polled; /* working memory */
	uint32_t n;            /* rings that have been opened */
};

/* None is opened yet. What is allocated goes with the process. Returns 0 or -ENOMEM. */
int hosts_init(
	struct hosts *hosts, const struct arena *arena, const struct probe *const *registry, int socket);

/* Opens the channels of ring @i, the next one, and forks its host. A ring that fails says so in the arena. */
void hosts_open(struct hosts *hosts, uint32_t i);

/* Waits for at most @timeout_ms, buries hosts that have ended.
 * Returns 1: go on, 0: the front asks to end, -1: the front is gone. */
int hosts_attend(struct hosts *hosts, int timeout_ms);

/* Ends all rings that are left, and closes what was opened for them. */
void hosts_end(struct hosts *hosts);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* keeper.h - the process that makes the rings' objects, and removes them however the others end. */
#pragma once

#include "src/probe/probe.h"
#include "src/ring/arena.h"

struct keeper {
	pid_t pid;  /* 0: not started */
	int socket; /* closed by either side's end */
	int bell;   /* an eventfd, counted up when a ring or load is to be opened or closed */
	int pidfd;  /* readable when it has ended */
	const struct probe *const *registry;
	struct arena *arena;
};

/* Forks the keeper. To be called before any thread exists. Returns 0 or a negative errno with its reason. */
int keeper_start(struct keeper *keeper, struct arena *arena, const struct probe *const *registry,
	struct error_text *reason);

/* Tells it the next word of a ring or load: to open it, after that to end it, in turn. Others go on. A ring
 * is not opened before all threads of this process exist: rings may take all tasks that are allowed. Rings
 * are opened one after the other, in their order in the arena. */
void keeper_tell(const struct keeper *keeper, _Atomic uint32_t *wanted);
/* Returns whether it has closed a ring: no member, object or descriptor of it is left. */
bool keeper_has_closed(const struct arena_ring *ring);

/* Makes it start the sweep of the arena's board. */
void keeper_sweep(const struct keeper *keeper);

/* Ends all rings and loads, and the keeper, and removes objects that it left. Takes 200 ms at most, as a
 * rule. */
void keeper_stop(struct keeper *keeper);

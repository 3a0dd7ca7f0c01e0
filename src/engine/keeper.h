/* SPDX-License-Identifier: GPL-2.0-or-later */
/* keeper.h - the process that makes the rings' objects, and removes them however the others end. */
#pragma once

#include "src/probe/probe.h"
#include "src/ring/arena.h"

struct keeper {
	pid_t pid;  /* 0: not started */
	int socket; /* closed by either side's end */
	int pidfd;  /* readable when it has ended */
	const struct probe *const *registry;
	struct arena *arena;
};

/* Forks the keeper. To be called before any thread exists. Returns 0 or a negative errno with its reason. */
int keeper_start(struct keeper *keeper, struct arena *arena, const struct probe *const *registry,
	struct error_text *reason);

/* Makes it open all rings of the arena, one after the other. To be called once all threads of this process
 * exist: rings may take all tasks that are allowed. */
void keeper_open(struct keeper *keeper);

/* Ends all rings and the keeper, and removes objects that it left. Takes 200 ms at most, as a rule. */
void keeper_stop(struct keeper *keeper);

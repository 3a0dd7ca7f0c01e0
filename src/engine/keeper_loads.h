/* SPDX-License-Identifier: GPL-2.0-or-later */
/* keeper_loads.h - the keeper's part of each load: its processes, and their end. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "src/ring/arena.h"

/* Opens and closes the loads that are not as the front wants them. @close_inherited is called in each first
 * process, which must not keep the keeper's descriptors. */
void keeper_loads_obey(struct arena *arena, void (*close_inherited)(void *data), void *data);
/* After children have ended: @pid was reaped. */
void keeper_loads_bury(struct arena *arena, pid_t pid);
/* Kills the processes of all loads. */
void keeper_loads_kill(struct arena *arena);
/* Returns whether a process of a load is left. */
bool keeper_loads_are_left(const struct arena *arena);

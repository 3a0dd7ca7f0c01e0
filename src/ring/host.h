/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host.h - the process of one ring: its threads are the members, or with --fork its children are. */
#pragma once

#include "src/ring/arena.h"

/* Runs the ring in the calling process, a new child of @keeper, until its end, and exits. Increments @made,
 * an eventfd, once it has all its members. */
_Noreturn void host_run(struct arena_ring *ring, pid_t keeper, int made);

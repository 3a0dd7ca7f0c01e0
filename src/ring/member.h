/* SPDX-License-Identifier: GPL-2.0-or-later */
/* member.h - runs one member of a ring. */
#pragma once

#include "src/probe/probe.h"
#include "src/ring/arena.h"

/* The signal that makes a waiting member read its commands. Its handler does nothing, and has no SA_RESTART.
 */
enum { MEMBER_WAKE = 23 /* SIGURG */ };

struct member {
	const struct arena *arena;
	struct ring_slot *ring;
	const struct probe *probe;
	unsigned index; /* 0: the origin */
};

/* Runs the member in the calling thread, from pinning to the end, which its slot's stage then shows. */
void member_run(const struct member *member);

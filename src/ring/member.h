/* SPDX-License-Identifier: GPL-2.0-or-later */
/* member.h - one member of a ring: the code that is measured, and that measures. */
#pragma once

#include "src/probe/probe.h"
#include "src/ring/arena.h"

/* The signal that makes a waiting member look at its commands. Its handler does nothing, and
 * restarts nothing. */
enum { MEMBER_WAKE = 23 /* SIGURG */ };

struct member {
	const struct arena *arena;
	struct ring_slot *ring;
	const struct probe *probe;
	unsigned index; /* 0: the origin */
};

/* Runs the member in the calling thread, from pinning to the end. Its end stands in its slot's stage. */
void member_run(const struct member *member);

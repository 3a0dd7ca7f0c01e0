/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dues.h - the slots of a ring that were not served: counted by its origin, or when that is dead, for it. */
#pragma once

#include <stdint.h>

#include "src/arena.h"
#include "src/pace.h"

/* Says what is served next, and which slot follows; 0: nothing is due. */
static inline void dues_publish(struct member_slot *origin, uint64_t due_ns, uint64_t next_ns)
{
	atomic_store_explicit(&origin->due_ns, due_ns, memory_order_relaxed);
	atomic_store_explicit(&origin->next_ns, next_ns, memory_order_relaxed);
}

/* Slots that a stall swallowed, as of @now_ns. */
void dues_count_missed(const struct arena *arena, const struct ring_slot *ring,
	const struct pace_missed *missed, uint64_t now_ns);

/* The ring serves no more as of @until_ns: what was overdue is missed, and not served later. Returns the
 * waiting time of the oldest, 0 where none was. */
uint64_t dues_abandon(const struct arena *arena, const struct ring_slot *ring, uint64_t until_ns);

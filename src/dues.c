/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dues.c - the slots of a ring that were not served: counted by its origin, or when that is dead, for it. */
#include "src/dues.h"

void dues_count_missed(const struct arena *arena, const struct ring_slot *ring,
	const struct pace_missed *missed, uint64_t now_ns)
{
	struct member_slot *origin = arena_member(arena, ring, 0);

	if (!missed->count)
		return;
	atomic_store_explicit(&origin->missed,
		atomic_load_explicit(&origin->missed, memory_order_relaxed) + (uint32_t)missed->count,
		memory_order_relaxed);
	hist_record_series(arena_live(arena, origin, LIVE_WAITED),
		atomic_load_explicit(&arena->head->epoch, memory_order_relaxed), missed->longest_ns,
		ring->interval_ns, missed->count, now_ns);
}

uint64_t dues_abandon(const struct arena *arena, const struct ring_slot *ring, uint64_t until_ns)
{
	struct member_slot *origin = arena_member(arena, ring, 0);
	struct pace_abandoned abandoned = pace_abandon(
		atomic_load_explicit(&origin->due_ns, memory_order_relaxed),
		atomic_load_explicit(&origin->next_ns, memory_order_relaxed), ring->interval_ns, until_ns);
	struct pace_missed oldest = {.count = abandoned.oldest_ns != 0, .longest_ns = abandoned.oldest_ns};

	dues_count_missed(arena, ring, &oldest, until_ns);
	dues_count_missed(arena, ring, &abandoned.others, until_ns);
	dues_publish(origin, 0, 0);
	return abandoned.oldest_ns;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lost_token.c - tokens on channels that may lose them. */
#include "src/ring/lost_token.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "src/ring/member.h"

void lost_token_wake(const struct arena *arena, const struct ring_slot *ring, uint64_t now_ns)
{
	const struct member_slot *origin = arena_member(arena, ring, 0);
	const struct hop_stamp *stamp = &arena_hop(arena, ring, 0)->stamp;
	uint64_t sent_ns = atomic_load_explicit(&stamp->sent_ns, memory_order_relaxed);

	if (!atomic_load_explicit(&origin->turn_ns, memory_order_relaxed) ||
		atomic_load_explicit(&origin->turn_end_ns, memory_order_relaxed))
		return;
	/* It sleeps until its next due: no token is under way. */
	if (atomic_load_explicit(&origin->due_ns, memory_order_relaxed) > now_ns)
		return;
	if (sent_ns && sent_ns + LOST_TOKEN_NS <= now_ns)
		syscall(SYS_tgkill, origin->pid, origin->tid, MEMBER_WAKE);
}

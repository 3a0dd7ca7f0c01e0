/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stop.c - ending members, also those that a hog keeps from running. */
#include "src/stop.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "src/clock.h"
#include "src/futex.h"
#include "src/member.h"

void stop_command_ring(struct ring_slot *ring)
{
	if (atomic_load_explicit(&ring->command, memory_order_relaxed) == COMMAND_STOP)
		return;
	atomic_store_explicit(&ring->pause_ns, clock_now_ns(), memory_order_relaxed);
	/* Release: pairs with command_of() in origin.c. */
	atomic_store_explicit(&ring->command, COMMAND_STOP, memory_order_release);
	futex_wake_all(&ring->command);
	futex_wake_all(&ring->go);
}

void stop_command(const struct arena *arena)
{
	for (uint32_t i = 0; i < arena->head->n_rings; i++)
		stop_command_ring(&arena->head->rings[i]);
	/* For rings that are not opened yet. */
	atomic_store_explicit(&arena->head->stop, 1, memory_order_release);
}

static void wake(const struct arena *arena, struct ring_slot *ring, const struct probe *probe, unsigned m,
	struct member_slot *member)
{
	int32_t pid = atomic_load_explicit(&member->pid, memory_order_relaxed);
	int32_t tid = atomic_load_explicit(&member->tid, memory_order_acquire);
	struct hop in;

	if (!tid)
		return;
	if (probe->wake) {
		arena_open_handle(arena, ring, probe, (m + ring->n_members - 1) % ring->n_members, &in);
		probe->wake(&in);
	}
	/* A member may also sleep in a futex or until its due. */
	syscall(SYS_tgkill, pid, tid, MEMBER_WAKE);
}

void stop_move(const struct arena *arena, const struct member_slot *member, pid_t tid)
{
	struct cpus elsewhere = arena->head->allowed;

	/* As long as it may stay where it is starved, the kernel leaves it there. */
	cpus_remove(&elsewhere, member->cpu);
	if (cpus_count(&elsewhere))
		task_set_affinity(tid, &elsewhere);
}

unsigned stop_wake(
	const struct arena *arena, struct ring_slot *ring, const struct probe *probe, uint64_t waited_ns)
{
	unsigned left = 0;

	for (unsigned m = 0; m < ring->n_members; m++) {
		struct member_slot *member = arena_member(arena, ring, m);

		if (atomic_load_explicit(&member->stage, memory_order_acquire) >= MEMBER_ENDED)
			continue;
		left++;
		wake(arena, ring, probe, m, member);
		if (waited_ns >= STOP_MOVE_NS && member->tid)
			stop_move(arena, member, member->tid);
	}
	return left;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stop.c - commands rings, and ends members, also those that get no CPU. */
#include "src/ring/stop.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/base/futex.h"
#include "src/ring/member.h"

void stop_command_ring(struct ring_slot *ring)
{
	if (atomic_load_explicit(&ring->command, memory_order_relaxed) == RING_COMMAND_STOP)
		return;
	atomic_store_explicit(&ring->pause_ns, clock_now_ns(), memory_order_relaxed);
	/* Release: pairs with command_of() in origin.c. */
	atomic_store_explicit(&ring->command, RING_COMMAND_STOP, memory_order_release);
	futex_wake_all(&ring->command);
	futex_wake_all(&ring->go);
}

void stop_command(const struct arena *arena)
{
	for (uint32_t i = 0; i < arena->head->n_rings; i++)
		stop_command_ring(&arena->head->rings[i]);
	/* For rings that are not opened yet. */
	atomic_store_explicit(&arena->head->stop, 1, memory_order_release);
	futex_wake_all(&arena->head->news); /* the front may wait for them to open */
}

static void wake(const struct arena *arena, struct ring_slot *ring, const struct probe *probe, unsigned m,
	struct member_slot *member)
{
	int32_t pid = atomic_load_explicit(&member->pid, memory_order_relaxed);
	int32_t tid = atomic_load_explicit(&member->tid, memory_order_acquire);
	struct hop in;

	if (!tid)
		return;
	/* Acquire: pairs with gather() in host.c; before that no member receives. */
	if (probe->wake && atomic_load_explicit(&ring->go, memory_order_acquire) >= MEMBER_SENDS) {
		arena_open_handle(arena, ring, probe, arena_hop_before(ring, m), &in);
		probe->wake(&in);
	}
	/* A member may also sleep in a futex or until its due. */
	syscall(SYS_tgkill, pid, tid, MEMBER_WAKE);
}

/* The kernel moves a starved task only where its affinity excludes its CPU. */
static void move(const struct arena *arena, pid_t tid, unsigned cpu)
{
	struct cpus elsewhere = arena->head->allowed;

	cpus_remove(&elsewhere, cpu);
	if (cpus_count(&elsewhere))
		task_set_affinity(tid, &elsewhere);
}

/* Returns whether the task's only CPU is that of a member. */
static bool stands(const struct arena *arena, const struct ring_slot *ring, pid_t tid, unsigned *cpu)
{
	struct cpus affinity;

	if (task_get_affinity(tid, &affinity) < 0 || cpus_count(&affinity) != 1)
		return false;
	*cpu = (unsigned)cpus_next(&affinity, -1);
	for (unsigned m = 0; m < ring->n_members; m++)
		if (arena_member(arena, ring, m)->cpu == *cpu)
			return true;
	return false;
}

void stop_move_process(const struct arena *arena, const struct ring_slot *ring, pid_t pid)
{
	char path[32];
	struct dirent *entry;
	unsigned cpu;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	DIR *tasks = opendir(path);

	while (tasks && (entry = readdir(tasks))) {
		pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (tid > 0 && stands(arena, ring, tid, &cpu))
			move(arena, tid, cpu);
	}
	if (tasks)
		closedir(tasks);
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
			move(arena, member->tid, member->cpu);
	}
	return left;
}

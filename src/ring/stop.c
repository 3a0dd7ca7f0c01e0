/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stop.c - commands rings, and ends members, also those that get no CPU. */
#include "src/ring/stop.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/base/futex.h"
#include "src/ring/member.h"
#include "src/ring/missed_slots.h"

const int stop_signals[N_STOP_SIGNALS] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

void stop_command_ring(struct arena_ring *ring, enum ring_command command)
{
	uint32_t before = atomic_load_explicit(&ring->command, memory_order_relaxed);

	if (before == RING_COMMAND_STOP || before == (uint32_t)command)
		return;
	if (command == RING_COMMAND_RUN)
		missed_slots_open_turn(ring, clock_now_ns());
	else
		atomic_store_explicit(&ring->pause_ns, clock_now_ns(), memory_order_relaxed);
	/* Release: pairs with command_of() in origin.c, which then finds the time of the command. Fails where
	 * another process has commanded the end meanwhile. */
	while (!atomic_compare_exchange_weak_explicit(
		       &ring->command, &before, command, memory_order_release, memory_order_relaxed) &&
		before != RING_COMMAND_STOP)
		continue;
	futex_wake_all(&ring->command);
	if (command == RING_COMMAND_STOP)
		futex_wake_all(&ring->go);
}

void stop_command(struct arena *arena)
{
	for (uint32_t i = 0; i < arena_n_rings(arena); i++)
		stop_command_ring(&arena->rings[i], RING_COMMAND_STOP);
	/* For rings that are not opened yet. */
	atomic_store_explicit(&arena->stop, 1, memory_order_release);
	futex_wake_all(&arena->news); /* the front may wait for them to open */
}

void stop_signal_member(const struct arena_member *member)
{
	int32_t tid = atomic_load_explicit(&member->tid, memory_order_acquire);

	if (tid)
		syscall(SYS_tgkill, atomic_load_explicit(&member->pid, memory_order_relaxed), tid,
			MEMBER_WAKE);
}

static void wake_member(const struct arena_ring *ring, unsigned m)
{
	/* Acquire: pairs with wait_for_members() in host.c; before that no member receives. */
	if (ring->probe->wake && atomic_load_explicit(&ring->go, memory_order_acquire) >= MEMBER_SENDS) {
		struct hop in = arena_hop_handle(ring, arena_hop_before(ring, m));

		ring->probe->wake(&in);
	}
	/* A member may also sleep in a futex or until its due. */
	stop_signal_member(&ring->members[m]);
}

/* The kernel moves a starved task only where its affinity excludes its CPU. */
static void move_task(const struct arena_ring *ring, pid_t tid, unsigned cpu)
{
	struct cpus elsewhere = ring->arena->topology->allowed;

	cpus_remove(&elsewhere, cpu);
	if (cpus_count(&elsewhere))
		task_set_affinity(tid, &elsewhere);
}

/* Returns whether the task's only CPU is that of a member. */
static bool is_on_a_members_cpu(const struct arena_ring *ring, pid_t tid, unsigned *cpu)
{
	struct cpus affinity;

	if (task_get_affinity(tid, &affinity) < 0 || cpus_count(&affinity) != 1)
		return false;
	*cpu = (unsigned)cpus_next(&affinity, -1);
	for (unsigned m = 0; m < ring->n_members; m++)
		if (ring->members[m].cpu == *cpu)
			return true;
	return false;
}

void stop_move_process(const struct arena_ring *ring, pid_t pid)
{
	char path[32];
	struct dirent *entry;
	unsigned cpu;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	DIR *tasks = opendir(path);

	while (tasks && (entry = readdir(tasks))) {
		pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (tid > 0 && is_on_a_members_cpu(ring, tid, &cpu))
			move_task(ring, tid, cpu);
	}
	if (tasks)
		closedir(tasks);
}

unsigned stop_wake(const struct arena_ring *ring, uint64_t waited_ns)
{
	unsigned left = 0;

	for (unsigned m = 0; m < ring->n_members; m++) {
		const struct arena_member *member = &ring->members[m];

		if (atomic_load_explicit(&member->stage, memory_order_acquire) >= MEMBER_ENDED)
			continue;
		left++;
		wake_member(ring, m);
		if (waited_ns >= STOP_MOVE_NS && member->tid)
			move_task(ring, member->tid, member->cpu);
	}
	return left;
}

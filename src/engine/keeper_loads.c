/* SPDX-License-Identifier: GPL-2.0-or-later */
/* keeper_loads.c - the keeper's part of each load: its processes, and their end. */
#include "src/engine/keeper_loads.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "src/machine/task.h"

static pid_t pid_of(const struct load_slot *slot)
{
	return atomic_load_explicit(&slot->pid, memory_order_relaxed);
}

static void open_load(
	struct arena *arena, struct load_slot *slot, void (*close_inherited)(void *data), void *data)
{
	int self = (int)syscall(SYS_pidfd_open, getpid(), 0);
	pid_t pid = self < 0 ? -ESRCH : load_process_fork();

	if (pid == 0) {
		close_inherited(data);
		load_process_run(slot, &arena->topology->allowed, self);
	}
	if (self >= 0)
		close(self);
	if (pid > 0) {
		atomic_store_explicit(&slot->pid, pid, memory_order_relaxed);
		return;
	}
	load_fail(slot, "can't start its process: %s", task_no_more(pid));
	atomic_store_explicit(&slot->has_ended, 1, memory_order_release);
}

void keeper_loads_obey(struct arena *arena, void (*close_inherited)(void *data), void *data)
{
	for (size_t i = 0; i < LOADS_MAX; i++) {
		struct load_slot *slot = &arena->loads[i];
		/* Acquire: pairs with the release in keeper.c, before which the slot was filled in. */
		uint32_t wanted = atomic_load_explicit(&slot->wanted, memory_order_acquire);

		if (wanted == atomic_load_explicit(&slot->obeyed, memory_order_relaxed))
			continue;
		if (wanted % 2 == 0 && pid_of(slot)) {
			load_process_kill(pid_of(slot)); /* keeper_loads_bury() goes on */
			continue;
		}
		/* Release: pairs with the load in engine_loads.c, which then uses the slot again. */
		atomic_store_explicit(&slot->obeyed, wanted, memory_order_release);
		if (wanted % 2)
			open_load(arena, slot, close_inherited, data);
	}
}

/* Without a pid namespace, workers outlive their first process by a moment, as children of the keeper. */
void keeper_loads_bury(struct arena *arena, pid_t pid)
{
	for (size_t i = 0; i < LOADS_MAX; i++) {
		struct load_slot *slot = &arena->loads[i];
		uint32_t wanted = atomic_load_explicit(&slot->wanted, memory_order_acquire);

		if (pid_of(slot) == 0)
			continue;
		if (pid_of(slot) == pid)
			load_process_kill(pid);
		if (!load_process_is_gone(pid_of(slot)))
			continue;
		atomic_store_explicit(&slot->pid, 0, memory_order_relaxed);
		if (wanted % 2)
			atomic_store_explicit(&slot->has_ended, 1, memory_order_release);
		else
			atomic_store_explicit(&slot->obeyed, wanted, memory_order_release);
	}
}

void keeper_loads_kill(struct arena *arena)
{
	for (size_t i = 0; i < LOADS_MAX; i++)
		if (pid_of(&arena->loads[i]))
			load_process_kill(pid_of(&arena->loads[i]));
}

bool keeper_loads_are_left(const struct arena *arena)
{
	for (size_t i = 0; i < LOADS_MAX; i++)
		if (pid_of(&arena->loads[i]))
			return true;
	return false;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* steal_watch.h - follows the time that the hypervisor took from each CPU while a task of it wanted to run.
 *
 * It is the main thread's, and takes at most a hundredth of its time, as hint_watch.h does. The kernel counts
 * in clock ticks, of mostly 10 ms. */
#pragma once

#include <stdint.h>

struct steal_watch;

/* Returns 0 or -ENOMEM; steal_watch_destroy() accepts NULL. */
int steal_watch_create(struct steal_watch **watch);
void steal_watch_destroy(struct steal_watch *watch);

/* Reads the counts once a second; called more often. */
void steal_watch_look(struct steal_watch *watch);
/* Returns by how much the count of a CPU has grown since it was last read before @since_ns, or since the time
 * before that; 0: by nothing, or it is not known. */
uint64_t steal_watch_since(struct steal_watch *watch, int32_t cpu, uint64_t since_ns);

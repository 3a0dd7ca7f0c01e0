/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spike_watch.h - finds spikes: reads the members' logs, and asks the flight recorder what ran meanwhile.
 *
 * It is the main thread's. It sets each ring's limit by its ticks, and tells the flight recorder which
 * members run on which CPUs. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/figures/spike.h"
#include "src/ring/arena.h"

struct flight;
struct spike_watch;

/* How often it is to be read: no log is overwritten meanwhile, and a spike is explained within 100 ms. */
enum { SPIKE_WATCH_NS = 50000000 };

/* @arena and @flight stay the caller's. @is_guest: the machine is a virtual one. Returns 0 or -ENOMEM;
 * spike_watch_destroy() accepts NULL. */
int spike_watch_create(struct spike_watch **watch, struct arena *arena, struct flight *flight, bool is_guest);
void spike_watch_destroy(struct spike_watch *watch);

/* Takes the limits from a tick, and the members that the recorder follows. Rings that are overdue are spikes
 * of the next read. */
void spike_watch_tick(struct spike_watch *watch, const struct tick *tick);

/* Takes the tasks of rings that began to run since the last tick, and have more of them than a spike has
 * ends: otherwise they would be tasks of others until the next tick. */
void spike_watch_meet(struct spike_watch *watch);

/* Tells the flight recorder who the members are: others than before, or it was switched. It may take tens of
 * milliseconds, as BPF is loaded. */
void spike_watch_restart(struct spike_watch *watch);
/* Whether a tick had other members than the recorder knows. */
bool spike_watch_is_behind(const struct spike_watch *watch);

/* Returns the next spike since the last round, the longest first; NULL if there is none, which ends the
 * round. It is valid until the next call. At most 20 a second are reported; the others are counted in
 * n_passed_over. */
const struct spike_report *spike_watch_next(struct spike_watch *watch, uint64_t now_ns);
/* Begins the last round: all that waited are in it, and are reported or counted. */
void spike_watch_finish(struct spike_watch *watch, uint64_t now_ns);

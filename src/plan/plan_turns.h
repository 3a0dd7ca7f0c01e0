/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan_turns.h - the turns of rings: rings of one turn run at once. Pure. */
#pragma once

#include "src/plan/config.h"
#include "src/plan/plan.h"

/* Sets n_sharers of each ring that is not refused. */
void plan_turns_count_sharers(struct plan *plan, bool side_by_side);

/* Returns how long a turn must be for rings of this interval. */
uint64_t plan_turns_shortest_ns(uint64_t interval_ns);
/* Returns how long each turn is in a run of this plan while @longest_ns is the longest interval of its rings:
 * those of the plan, and others that have come since. */
uint64_t plan_turns_slice_ns(const struct plan *plan, const struct config *config, uint64_t longest_ns);

/* Returns the first turn in which the ring's CPUs are free, and takes them there. @taken: by turn; the last
 * one is empty. */
unsigned plan_turns_take(const struct plan_ring *ring, struct cpus *taken, bool side_by_side);

/* Gives each ring its turn, and spreads the first laps of each turn's rings. Returns 0, or a negative errno
 * with its reason: --turns may be too short. */
int plan_turns_assign(struct plan *plan, const struct config *config, struct error_text *reason);

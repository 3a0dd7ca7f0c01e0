/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run_hunt.h - --hunt: a run that opens one load after the other, so that load_effects.h can tell what each
 * of them does to each ring.
 *
 * A step has one load: first and last none, between them each kind on the members' CPUs, then on those that
 * are an SMT sibling of one, share its level 2 cache, and so on. */
#pragma once

#include "src/run/run.h"

struct run_hunt;

/* Makes the steps, where the options want a hunt, and sets how long the run lasts. Returns 0, or a negative
 * errno with a sentence: -D is too short. The run owns the hunt; run_hunt_destroy() accepts NULL. */
int run_hunt_prepare(struct run *run, struct error_text *reason);
void run_hunt_destroy(struct run_hunt *hunt);

/* Refuse in a hunt what would be in some of its phases only: new rings, which may also make turns longer than
 * a step; and other policies and CPUs of members, a turn that is held, another dma latency or flight
 * recorder. A phase that somebody begins is none of these: those with the same load count together. Return 0
 * or -EBUSY with a sentence. */
int run_hunt_check_new_rings(const struct run *run, struct error_text *reason);
int run_hunt_check_change(const struct run *run, struct error_text *reason);

/* Tells how many steps there are, and when the last one ends. Returns 0 or -ENOMEM. */
int run_hunt_tell(struct run *run);
/* Takes the step that is due. Returns when the next one is, CLOCK_MONOTONIC in ns; UINT64_MAX: none is. */
uint64_t run_hunt_advance(struct run *run, uint64_t now_ns);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run_try.h - a run that turns a knob of the machine, back and forth, and reports what it did.
 *
 * First it measures a while as it is, and chooses by that how long the phases are. Then come pairs of phases,
 * with the value that was found (A) and with the new one (B), every second pair turned around: A B B A.
 * Whatever ends the run, the value that was found comes back: see src/restore. */
#pragma once

#include "src/run/run.h"

struct run_try;

/* Begins a trial where the options want one, after the keeper was forked. Returns 0, or a negative errno with
 * a sentence. The run owns it. */
int run_try_prepare(struct run *run, struct error_text *reason);
/* Writes what is due. Returns when the next phase begins, CLOCK_MONOTONIC in ns; UINT64_MAX: none does. */
uint64_t run_try_advance(struct run *run, uint64_t now_ns);
/* Before the members end: the phase with the new value, if that is where a run ends early, ends like the
 * others. Takes a millisecond. */
void run_try_turn_back(struct run *run);
/* After the last tick: puts the knob back, if a trial goes on, and tells what it did. */
void run_try_end(struct run *run);
/* Does a trial hold the dma latency, and let it go? */
bool run_try_holds_dma_latency(const struct run *run);
void run_try_destroy(struct run *run);

/* How the trial ended that the options want. */
enum run_try_end { RUN_TRY_NONE, RUN_TRY_FAILED, RUN_TRY_WORSE, RUN_TRY_NOT_WORSE };
enum run_try_end run_try_how(const struct run *run);

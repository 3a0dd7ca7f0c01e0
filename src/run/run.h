/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run.h - one run: engine, sampler and session, from the start to the last tick. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/base/loop.h"
#include "src/engine/engine.h"
#include "src/engine/sampler.h"
#include "src/engine/spike_watch.h"
#include "src/engine/sweeper.h"
#include "src/figures/sweep_result.h"
#include "src/flight/flight.h"
#include "src/machine/machine.h"
#include "src/run/source.h"

struct run {
	struct source source;
	const struct topology *topology; /* the caller's, as the plan */
	const struct plan *plan;
	struct machine machine;
	struct machine_rows machine_rows;
	unsigned *member_tids; /* owned */
	struct engine engine;
	struct sampler *sampler;
	struct flight *flight;
	struct spike_watch *spikes;
	struct flight_cost recorder_cost; /* until the last tick */
	uint64_t for_ns; /* how long it lasts; 0: no limit. The caller may change it before the loop */
	uint64_t next_tick_ns, next_look_ns, next_machine_ns, next_loss_ns;
	unsigned machine_part; /* is read next */
	unsigned n_unread;     /* parts to read until no part is stale */
	struct loop loop;      /* of the main thread */
	struct notes *notes;   /* the caller's; those before n_planned are the plan's */
	size_t n_planned;
	struct run_hunt *hunt; /* owned; NULL without --hunt */
	struct run_try *trial; /* owned; of the last knob that was tried; NULL: none was */
	struct undo *undo;     /* owned; of the last action, see run_undo.h; NULL: none */
	struct sweep_result swept[SWEEP_RESULTS_MAX]; /* results of a sweep, as they are fed */
	struct sweep_lane waiting; /* the pair that was said to take long; since_ns 0: none */
	bool keeper_lost;
	bool started;
};

/* Makes everything but the rings. The caller has no threads yet. @notes become events, and stay the caller's.
 * Returns 0, or a negative errno with its reason; run_finish() accepts what is left.
 *
 * source_start() starts the rings, which may use up the limit on tasks. */
int run_prepare(
	struct run *run, const struct engine_job *job, struct notes *notes, struct error_text *reason);

/* Ends the rings, feeds the last ticks, and ends the input thread. The modules are still to be ended. */
void run_stop(struct run *run);
void run_finish(struct run *run);

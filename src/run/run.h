/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run.h - one run: engine, sampler and session, from the start to the last tick. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/engine/engine.h"
#include "src/engine/input_thread.h"
#include "src/engine/sampler.h"
#include "src/machine/machine.h"
#include "src/model/commands.h"
#include "src/model/playback_state.h"
#include "src/model/session.h"

struct history;
struct recorder;
struct replay;

struct run {
	const struct config *config; /* the caller's, all three */
	const struct topology *topology;
	const struct plan *plan;
	struct machine machine;
	struct engine engine;
	struct sampler *sampler;
	struct guard guard;
	struct commands commands;
	struct session session;
	struct recorder *recorder; /* NULL: not recorded, or no longer */
	struct history *history;   /* NULL: nobody looks back */
	struct replay *replay;     /* the session's source, in place of the engine; see playback.h */
	struct playing playing;
	struct error_text record_reason;
	bool record_failed;
	pthread_mutex_t lock; /* of the session */
	uint64_t next_tick_ns, next_machine_ns;
	struct notes *notes; /* the caller's; those before n_planned are the plan's */
	size_t n_planned;
	bool keeper_lost;
	bool started;
	char ended_by[32]; /* "quit", "duration", "loops", "signal SIGINT", ... */
};

/* Makes all but the rings. To be called before any thread exists. @notes become events, and stay the
 * caller's. Returns 0, or a negative errno with its reason; run_finish() accepts what is left. */
int run_prepare(struct run *run, const struct config *config, const struct topology *topology,
	const struct plan *plan, struct notes *notes, const struct probe *const *registry,
	struct error_text *reason);

/* Starts the rings, which may take all tasks that are allowed: all threads of this process exist by now.
 * Returns 0, or a negative errno with its reason. */
int run_start(struct run *run, struct error_text *reason);

/* Feeds the session until the run ends; @updated is called after each tick, in this thread, with no
 * lock held, and returns false to end the run. @for_ns: not longer than this, 0 for no limit.
 * @stays: rings that have all failed do not end it, for a person is looking at them. */
void run_loop(struct run *run, uint64_t for_ns, bool stays, bool (*updated)(void *data), void *data);

/* Takes keys and signals from now on. @screen may be NULL. Returns 0, or a negative errno with its
 * reason. */
int run_guard(struct run *run, const struct guard_screen *screen, struct error_text *reason);

/* From now on any moment can be shown again. Where that can't be, it is not. */
void run_remember(struct run *run);
void run_forget(struct run *run);

/* Ends the rings, takes the last tick, and ends the recording. */
void run_stop(struct run *run);
void run_finish(struct run *run);

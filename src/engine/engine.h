/* SPDX-License-Identifier: GPL-2.0-or-later */
/* engine.h - the front's side of a run: starts the keeper and its rings, gives them their turns, ends them.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/base/error_text.h"
#include "src/engine/keeper.h"
#include "src/engine/turns.h"
#include "src/ring/arena.h"
#include "src/ring/breaktrace.h"

struct config;
struct machine;
struct plan;
struct topology;

struct engine {
	struct arena arena;
	struct keeper keeper;
	const struct plan *plan; /* the caller's */
	struct tracing tracing;
	struct turns turns;
	bool *has_work;     /* owned, by turn */
	int dma_latency_fd; /* -1: not held */
	uint64_t start_ns;  /* when the first turn was told to run */
};

/* Forks the keeper. To be called before any thread exists; @plan, @config and @registry stay the caller's.
 * What is missing but ends nothing becomes a note. Returns 0, or a negative errno with its reason and nothing
 * left running. */
int engine_prepare(struct engine *engine, const struct plan *plan, const struct config *config,
	const struct topology *topology, const struct machine *machine, const struct probe *const *registry,
	struct notes *notes, struct error_text *reason);

/* Has the rings opened, waits up to 300 ms for that, and lets the first turn run. All threads of this process
 * exist by now: the rings may take all tasks that are allowed. */
void engine_start(struct engine *engine);

/* Gives the next turn when it is time. Returns when it wants to be called again, CLOCK_MONOTONIC in ns. */
uint64_t engine_advance(struct engine *engine, uint64_t now_ns);

/* No ring runs or will: all have their loops, have failed or are gone. */
bool engine_is_done(const struct engine *engine);
/* Has any ring done its loops? */
bool engine_has_done(const struct engine *engine);
/* What rings go on without, of enum shortcoming. */
uint32_t engine_shortcomings(const struct engine *engine);
/* Does a ring lack anything that was asked for? Then the reason says what: for --strict. */
bool engine_falls_short(const struct engine *engine, struct error_text *reason);

/* A phase ends: what is overdue enters it with its age, see missed_slots.h. */
void engine_end_phase(struct engine *engine, uint64_t now_ns);

/* All rings end by themselves at this time, CLOCK_MONOTONIC, should the front not come to tell them. */
void engine_end_at(struct engine *engine, uint64_t end_ns);

/* The keeper was killed, and its hosts with it: their rings have failed. */
void engine_lose_keeper(struct engine *engine);

/* Ends all members and the keeper; what they counted stays to be read. */
void engine_stop(struct engine *engine);
void engine_finish(struct engine *engine);

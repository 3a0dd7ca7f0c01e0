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
	struct arena *arena; /* owned; NULL: not prepared */
	struct keeper keeper;
	struct tracing tracing;
	struct turns turns;
	bool *has_work;     /* owned, by turn */
	struct cpus *taken; /* owned, by turn: the CPUs of its rings; NULL: not known */
	bool rings_change;  /* some came or went: their sharers and the length of turns are to be found */
	bool lacks_keeper;  /* it was killed */
	int dma_latency_fd; /* -1: not held */
	uint64_t start_ns;  /* of the first turn's command */
	uint64_t end_ns;    /* of the last ring, once all were told to stop; 0: not yet */
};

/* What is run, and what it was planned from. All of it stays the caller's, until engine_finish(). */
struct engine_job {
	const struct plan *plan;
	const struct config *config;
	const struct topology *topology;
	const struct probe *const *registry; /* ended by NULL */
};

/* Forks the keeper. To be called before any thread exists. A missing right that is no error becomes a note.
 * Returns 0, or a negative errno with its reason and no process left. */
int engine_prepare(struct engine *engine, const struct engine_job *job, const struct machine *machine,
	struct notes *notes, struct error_text *reason);

/* Makes the keeper open the rings, waits for that up to 300 ms, makes it open loads, and starts the first
 * turn. All threads of this process must exist: the rings may take all tasks that are allowed. */
void engine_start(struct engine *engine);

/* Switches to the next turn when it is time. Returns when to call it again, CLOCK_MONOTONIC in ns. */
uint64_t engine_advance(struct engine *engine, uint64_t now_ns);

/* Holds a turn, or below 0 lets turns go on: see turns_hold(). Returns 0, or -EAGAIN with the reason if none
 * of its rings can run. */
int engine_hold_turn(struct engine *engine, int turn, struct error_text *reason);

/* Holds the dma latency at @us microseconds; below 0 no longer. The end of the process ends it, too. Returns
 * 0, or a negative errno with its reason. */
int engine_hold_dma_latency(struct engine *engine, int32_t us, struct error_text *reason);

/* Returns whether all rings have done their loops or failed. With the config's first_ends, whether any has
 * done its loops. Rings that are gone were told to end, by engine_end_at() or a command that the caller has
 * yet to read. */
bool engine_is_done(const struct engine *engine);
/* Returns the shortcomings of all rings together, as bits of enum shortcoming. */
uint32_t engine_shortcomings(const struct engine *engine);
/* Returns whether a ring lacks anything that was asked for, with a reason: for --strict. */
bool engine_falls_short(const struct engine *engine, struct error_text *reason);

/* Ends a phase: overdue slots enter it with their age, see missed_slots.h. */
void engine_end_phase(struct engine *engine, uint64_t now_ns);

/* Sets when all rings end by themselves, CLOCK_MONOTONIC: the front may get no CPU to end them. */
void engine_end_at(struct engine *engine, uint64_t end_ns);

/* Returns @now_ns, or when all rings have ended if that was before, and the front noticed it late: by
 * engine_end_at(); or if @ends_with_rings by a command to stop, with their loops, or by a failure. */
uint64_t engine_measured_until(const struct engine *engine, uint64_t now_ns, bool ends_with_rings);

/* Fails all rings: the keeper was killed, and its hosts with it. */
void engine_lose_keeper(struct engine *engine);

/* Ends all members and the keeper. Their counters can still be read. */
void engine_stop(struct engine *engine);
void engine_finish(struct engine *engine);

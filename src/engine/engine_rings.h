/* SPDX-License-Identifier: GPL-2.0-or-later */
/* engine_rings.h - rings that are added, removed, paused and resumed during a run.
 *
 * Decides for rings that come and go what the plan decides for the first rings. A ring that is added gets
 * the first turn in which its CPUs are free, or a new one, and an offset of its own; turns and offsets of
 * the others stay. After rings came or went, the next step of the engine counts the sharers of all. */
#pragma once

#include "src/engine/engine.h"

/* Adds a ring as @plan says, except for its id, turn, sharers and offset, and makes the keeper open it. Sets
 * @added to its descriptor, which is valid until the ring is forgotten (sampler_forget()). Returns 0, or a
 * negative errno with its reason. */
int engine_add_ring(struct engine *engine, const struct plan_ring *plan, const struct plan_ring **added,
	struct error_text *reason);
/* Ends a ring, while others go on. The next ticks have the rest of its figures. Returns as above. */
int engine_remove_ring(struct engine *engine, uint32_t id, struct error_text *reason);

/* Adds a ring in place of another one, which ends, as these two do; its CPUs count as free. If the ring can't
 * be added, the other one stays. Returns as above. */
int engine_replace_ring(struct engine *engine, uint32_t id, const struct plan_ring *plan,
	const struct plan_ring **added, struct error_text *reason);

/* Lets a ring's turns pass it by, or no longer. Its members stay, and so does what a user has set for them.
 * Return as above. */
int engine_pause_ring(struct engine *engine, uint32_t id, struct error_text *reason);
int engine_resume_ring(struct engine *engine, uint32_t id, struct error_text *reason);
bool engine_is_paused(const struct engine *engine, uint32_t id);

/* Waits, at most until @until_ns (CLOCK_MONOTONIC), until rings that were removed are gone, and those that
 * were paused or resumed have obeyed. Returns 0, or -EAGAIN with the name of a ring that is not gone by then.
 */
int engine_await_rings(struct engine *engine, uint64_t until_ns, struct error_text *reason);

/* Returns whether rings were removed, are closed, and are in the sampler still, and none is being closed. */
bool engine_has_closed_rings(const struct engine *engine);

/* A step of engine_advance(): ends the turn of rings that were paused, and counts sharers anew. Returns when
 * to call it again. */
uint64_t engine_rings_advance(struct engine *engine, uint64_t now_ns);

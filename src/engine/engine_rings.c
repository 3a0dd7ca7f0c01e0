/* SPDX-License-Identifier: GPL-2.0-or-later */
/* engine_rings.c - rings that are added, removed, paused and resumed during a run. */
#include "src/engine/engine_rings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/clock.h"
#include "src/machine/memory.h"
#include "src/plan/config.h"
#include "src/plan/plan.h"
#include "src/plan/plan_turns.h"
#include "src/ring/missed_slots.h"
#include "src/ring/stop.h"

static bool is_there(const struct arena_ring *ring)
{
	return !ring->is_removed && !ring_state_has_ended(arena_state(ring));
}

static bool is_ending(const struct engine *engine, struct error_text *reason)
{
	if (!engine->lacks_keeper && engine->keeper.pid && !atomic_load(&engine->arena->stop))
		return false;
	error_text_set(reason, -ESHUTDOWN, "the run is about to end");
	return true;
}

/* Returns the ring of this id that has not ended, or NULL with the reason. */
static struct arena_ring *find_ring(const struct engine *engine, uint32_t id, struct error_text *reason)
{
	if (is_ending(engine, reason))
		return NULL;
	for (struct arena_ring *ring = NULL; (ring = arena_next(engine->arena, ring));)
		if (ring->plan.id == id && !ring->is_removed)
			return ring;
	error_text_set(reason, -ENOENT, "there is no ring %u", id);
	return NULL;
}

static bool has_turn(const struct engine *engine, const struct arena_ring *ring)
{
	return ring->plan.turn == engine->turns.current && !engine->turns.leaving_since_ns;
}

/* --- turns, sharers and offsets --- */

/* Finds the first turn in which the CPUs are free. The rings of one command share the search for those that
 * are taken. Returns 0 or -ENOMEM. */
static int find_turn(struct engine *engine, const struct plan_ring *plan, unsigned *turn)
{
	unsigned n = engine->turns.n;
	bool is_known = engine->taken, *has_work = realloc(engine->has_work, (n + 1) * sizeof(*has_work));

	engine->has_work = has_work ? has_work : engine->has_work;
	struct cpus *taken = has_work ? realloc(engine->taken, (n + 1) * sizeof(*taken)) : NULL;

	if (!taken)
		return -ENOMEM;
	engine->taken = taken;
	memset(is_known ? &taken[n] : taken, 0, (is_known ? 1 : n + 1) * sizeof(*taken));
	for (struct arena_ring *ring = NULL; !is_known && (ring = arena_next(engine->arena, ring));)
		for (unsigned m = 0; is_there(ring) && m < ring->n_members; m++)
			cpus_add(&taken[ring->plan.turn], ring->plan.cpus[m]);
	*turn = plan_turns_take(plan, taken, engine->arena->config->side_by_side);
	return 0;
}

/* Rings may have ended. */
static void forget_taken(struct engine *engine)
{
	free(engine->taken);
	engine->taken = NULL;
}

static void count_sharers(struct arena *arena)
{
	bool side_by_side = arena->config->side_by_side;
	unsigned n_rings[CPUS_MAX] = {0};

	for (struct arena_ring *ring = NULL; side_by_side && (ring = arena_next(arena, ring));) {
		const struct cpus cpus = plan_ring_cpus(&ring->plan, NULL);

		for (int cpu = cpus_next(&cpus, -1); is_there(ring) && cpu >= 0; cpu = cpus_next(&cpus, cpu))
			n_rings[cpu]++;
	}
	for (struct arena_ring *ring = NULL; (ring = arena_next(arena, ring));) {
		uint32_t n = 1;

		for (unsigned m = 0; side_by_side && m < ring->n_members; m++)
			if (n_rings[ring->plan.cpus[m]] > n)
				n = n_rings[ring->plan.cpus[m]];
		/* Relaxed: members read it when a stretch ends. */
		atomic_store_explicit(&ring->n_sharers, n, memory_order_relaxed);
	}
}

static void set_slice(struct engine *engine, uint64_t slice_ns)
{
	engine->turns.slice_ns = slice_ns;
	arena_limit_warmup(engine->arena, engine->turns.n, slice_ns);
}

static uint64_t longest_interval_ns(struct arena *arena)
{
	uint64_t longest_ns = 0;

	for (struct arena_ring *ring = NULL; (ring = arena_next(arena, ring));)
		if (is_there(ring) && ring->plan.interval_ns > longest_ns)
			longest_ns = ring->plan.interval_ns;
	return longest_ns;
}

static void follow_rings(struct engine *engine)
{
	const struct arena *arena = engine->arena;

	count_sharers(engine->arena);
	set_slice(
		engine, plan_turns_slice_ns(arena->plan, arena->config, longest_interval_ns(engine->arena)));
}

/* Multiples of the golden ratio are spread evenly, however many there are. None is 0: see plan_turns.c. */
static uint64_t offset_of(const struct plan_ring *plan)
{
	uint32_t part = plan->id * UINT32_C(2654435769);

	return (uint64_t)((double)plan->interval_ns * (1 + (double)part) / 4294967296.0);
}

/* --- the words --- */

static int check_room(const struct engine *engine, const struct plan_ring *plan, struct error_text *reason)
{
	const struct config *config = engine->arena->config;

	if (plan->refusal)
		return error_text_set(reason, -EINVAL, "%s: %s", plan->mechanism, plan->refusal);
	if (is_ending(engine, reason))
		return -ESHUTDOWN;
	return memory_check_members(
		(uint64_t)plan->n_members * (plan->token_bytes + config->work_size), reason);
}

int engine_add_ring(struct engine *engine, const struct plan_ring *plan, const struct plan_ring **added,
	struct error_text *reason)
{
	struct arena_ring *ring;
	unsigned turn;
	int r = check_room(engine, plan, reason);

	if (r < 0)
		return r;
	if (find_turn(engine, plan, &turn) < 0)
		return error_text_set(reason, -ENOMEM, "no memory for %u turns", engine->turns.n + 1);
	r = arena_add(engine->arena, plan, &ring, reason);
	if (r < 0)
		return r;
	ring->plan.turn = turn;
	ring->plan.offset_ns = offset_of(&ring->plan);
	if (turn == engine->turns.n)
		engine->turns.n++;
	uint64_t slice_ns = plan_turns_shortest_ns(plan->interval_ns);

	set_slice(engine, slice_ns > engine->turns.slice_ns ? slice_ns : engine->turns.slice_ns);
	engine->rings_change = true;
	if (has_turn(engine, ring))
		stop_command_ring(ring, RING_COMMAND_RUN);
	keeper_tell(&engine->keeper, &ring->wanted);
	*added = &ring->plan;
	return 0;
}

static void close_turn(struct arena_ring *ring, uint64_t now_ns)
{
	breaktrace_check_wait(ring, missed_slots_close_turn(ring, now_ns), now_ns);
	ring->pausing_ns = 0;
}

int engine_remove_ring(struct engine *engine, uint32_t id, struct error_text *reason)
{
	struct arena_ring *ring = find_ring(engine, id, reason);

	if (!ring)
		return -ENOENT;
	ring->is_removed = true;
	stop_command_ring(ring, RING_COMMAND_STOP);
	close_turn(ring, clock_now_ns());
	keeper_tell(&engine->keeper, &ring->wanted);
	forget_taken(engine);
	engine->rings_change = true;
	return 0;
}

int engine_replace_ring(struct engine *engine, uint32_t id, const struct plan_ring *plan,
	const struct plan_ring **added, struct error_text *reason)
{
	struct arena_ring *ring = find_ring(engine, id, reason);

	if (!ring)
		return -ENOENT;
	ring->is_removed = true;
	forget_taken(engine);
	int r = engine_add_ring(engine, plan, added, reason);

	ring->is_removed = false;
	forget_taken(engine);
	return r < 0 ? r : engine_remove_ring(engine, id, reason);
}

int engine_pause_ring(struct engine *engine, uint32_t id, struct error_text *reason)
{
	struct arena_ring *ring = find_ring(engine, id, reason);

	if (!ring)
		return -ENOENT;
	if (ring->is_paused || !is_there(ring))
		return error_text_set(reason, -EALREADY, "ring %u is %s already", id,
			ring->is_paused ? "paused" : ring_state_name(arena_state(ring)));
	ring->is_paused = true;
	if (has_turn(engine, ring)) {
		stop_command_ring(ring, RING_COMMAND_PAUSE);
		ring->pausing_ns = clock_now_ns();
	}
	return 0;
}

int engine_resume_ring(struct engine *engine, uint32_t id, struct error_text *reason)
{
	struct arena_ring *ring = find_ring(engine, id, reason);

	if (!ring)
		return -ENOENT;
	if (!ring->is_paused)
		return error_text_set(reason, -EALREADY, "ring %u is not paused", id);
	ring->is_paused = false;
	if (ring->pausing_ns)
		close_turn(ring, clock_now_ns());
	if (has_turn(engine, ring) && is_there(ring))
		stop_command_ring(ring, RING_COMMAND_RUN);
	return 0;
}

bool engine_is_paused(const struct engine *engine, uint32_t id)
{
	struct error_text reason;
	const struct arena_ring *ring = find_ring(engine, id, &reason);

	return ring && ring->is_paused;
}

/* An origin that sleeps until a distant due would notice its command only then. */
static bool is_pausing(const struct arena_ring *ring, uint64_t now_ns)
{
	const struct arena_member *origin = &ring->members[0];

	if (arena_state(ring) != RING_RUNNING || now_ns >= ring->pausing_ns + TURNS_PATIENCE_NS)
		return false;
	if (atomic_load_explicit(&origin->due_ns, memory_order_relaxed) > now_ns)
		stop_signal_member(origin);
	return true;
}

static bool has_obeyed(const struct engine *engine, const struct arena_ring *ring)
{
	if (ring->is_removed)
		return keeper_has_closed(ring);
	return !ring->pausing_ns &&
	       (ring->is_paused || !has_turn(engine, ring) || arena_state(ring) != RING_PAUSED);
}

bool engine_has_closed_rings(const struct engine *engine)
{
	bool any = false;

	for (struct arena_ring *ring = NULL; (ring = arena_next(engine->arena, ring));) {
		if (ring->is_removed && !keeper_has_closed(ring))
			return false;
		any |= ring->is_removed;
	}
	return any;
}

/* Returns one that has not obeyed yet, if possible one that was removed; or NULL. */
static const struct arena_ring *find_disobedient(const struct engine *engine)
{
	const struct arena_ring *found = NULL;

	for (struct arena_ring *ring = NULL; (ring = arena_next(engine->arena, ring));)
		if (!has_obeyed(engine, ring) && (!found || ring->is_removed))
			found = ring;
	return found;
}

int engine_await_rings(struct engine *engine, uint64_t until_ns, struct error_text *reason)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	const struct arena_ring *ring;

	while ((ring = find_disobedient(engine)) && clock_now_ns() < until_ns) {
		nanosleep(&pause, NULL);
		engine_rings_advance(engine, clock_now_ns());
	}
	return ring && ring->is_removed
		       ? error_text_set(reason, -EAGAIN, "ring %u was removed, and has not ended yet",
				 (unsigned)ring->plan.id)
		       : 0;
}

uint64_t engine_rings_advance(struct engine *engine, uint64_t now_ns)
{
	uint64_t next_ns = UINT64_MAX;

	if (engine->rings_change)
		follow_rings(engine);
	engine->rings_change = false;
	forget_taken(engine);
	for (struct arena_ring *ring = NULL; (ring = arena_next(engine->arena, ring));)
		if (ring->pausing_ns && is_pausing(ring, now_ns))
			next_ns = now_ns + 1000000;
		else if (ring->pausing_ns)
			close_turn(ring, now_ns);
	return next_ns;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* engine.c - the front's side of a run: starts the keeper and its rings, gives them their turns, ends them.
 */
#include "src/engine/engine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/base/futex.h"
#include "src/engine/engine_loads.h"
#include "src/engine/engine_rings.h"
#include "src/engine/sweeper.h"
#include "src/machine/machine.h"
#include "src/machine/memory.h"
#include "src/machine/topology.h"
#include "src/plan/config.h"
#include "src/plan/plan.h"
#include "src/ring/missed_slots.h"
#include "src/ring/stop.h"

enum { OPENING_NS = 300000000 };

static void command_turn(struct engine *engine, enum ring_command command)
{
	for (struct arena_ring *ring = NULL; (ring = arena_next(engine->arena, ring));)
		if (ring->plan.turn == engine->turns.current && !ring->is_paused &&
			!ring_state_has_ended(arena_state(ring)))
			stop_command_ring(ring, command);
}

/* An origin that sleeps until a distant due would notice its command only then. */
static void wake_sleepers(const struct engine *engine, uint64_t now_ns)
{
	for (struct arena_ring *ring = NULL; (ring = arena_next(engine->arena, ring));)
		if (ring->plan.turn == engine->turns.current && arena_state(ring) == RING_RUNNING &&
			atomic_load_explicit(&ring->members[0].due_ns, memory_order_relaxed) > now_ns)
			stop_signal_member(&ring->members[0]);
}

/* Slots of the turn that were not served are missed, also where the origin is stuck or dead. */
static void close_turn(const struct engine *engine, unsigned turn, uint64_t now_ns)
{
	for (struct arena_ring *ring = NULL; (ring = arena_next(engine->arena, ring));)
		if (ring->plan.turn == turn)
			breaktrace_check_wait(ring, missed_slots_close_turn(ring, now_ns), now_ns);
}

/* Sets has_work. Returns whether no ring of the current turn runs. */
static bool read_states(struct engine *engine)
{
	bool all_paused = true;

	memset(engine->has_work, 0, engine->turns.n * sizeof(*engine->has_work));
	for (struct arena_ring *ring = NULL; (ring = arena_next(engine->arena, ring));) {
		unsigned turn = ring->plan.turn;
		enum ring_state state = arena_state(ring);

		engine->has_work[turn] |=
			!ring->is_paused && !ring->is_removed && !ring_state_has_ended(state);
		all_paused &= turn != engine->turns.current || state != RING_RUNNING;
	}
	return all_paused;
}

/* A ring that gets no CPU to open must not delay the others for long. */
static void wait_for_opening(struct arena *arena)
{
	uint64_t deadline_ns = clock_now_ns() + OPENING_NS;
	struct arena_ring *ring = arena_next(arena, NULL);

	for (;;) {
		uint32_t news = atomic_load_explicit(&arena->news, memory_order_acquire);
		uint64_t now_ns = clock_now_ns();

		while (ring && arena_state(ring) >= RING_PAUSED)
			ring = arena_next(arena, ring);
		if (!ring || now_ns >= deadline_ns || atomic_load(&arena->stop))
			return;
		struct timespec left = clock_timespec(deadline_ns - now_ns);

		futex_wait(&arena->news, news, &left);
	}
}

static void note_tracing_off(const struct tracing *tracing, struct notes *notes)
{
	if (strcmp(tracing->on, "0") == 0)
		notes_add(notes,
			"-b: tracing is off already: a latency above the limit ends the run, and there will be no "
			"trace of it (echo 1 > %s/tracing_on)",
			tracing->folder);
}

/* Compat tools only: ipctop's users ask for the trace, and those of rt-tests for the end of the run. */
static int open_tracing(struct engine *engine, struct notes *notes, struct error_text *reason)
{
	int r = breaktrace_open(engine->arena, &engine->tracing, reason);

	if (r == -ENOENT && engine->arena->config->tool.break_untraced) {
		notes_add(notes, "%s; without it, a latency above the limit only ends the run", reason->text);
		return 0;
	}
	if (r == 0)
		note_tracing_off(&engine->tracing, notes);
	return r;
}

int engine_hold_dma_latency(struct engine *engine, int32_t us, struct error_text *reason)
{
	int fd = engine->dma_latency_fd;

	if (us >= 0 && fd < 0)
		fd = open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC);
	if (us >= 0 && (fd < 0 || write(fd, &us, sizeof(us)) != (ssize_t)sizeof(us))) {
		int error = errno;

		if (fd >= 0 && fd != engine->dma_latency_fd)
			close(fd);
		return error_text_set(reason, -error, "/dev/cpu_dma_latency: %s%s", strerror(error),
			error == EACCES ? " (run as root, or give this user write access to it)" : "");
	}
	if (us < 0 && fd >= 0) {
		close(fd);
		fd = -1;
	}
	engine->dma_latency_fd = fd;
	return 0;
}

static void hold_dma_latency(struct engine *engine, int32_t latency_us, struct notes *notes)
{
	struct error_text reason;

	if (engine_hold_dma_latency(engine, latency_us, &reason) < 0)
		notes_add(notes, "--dma-latency %d is not held: %s", latency_us, reason.text);
}

/* Before keeper_tell(), which then skips these. */
static void refuse_rings(struct arena *arena)
{
	for (struct arena_ring *ring = NULL; (ring = arena_next(arena, ring));)
		if (ring->plan.refusal)
			arena_fail(ring, "%s", ring->plan.refusal);
}

/* The memory of all members is locked at once, whatever their turns: too much would make the kernel kill
 * processes. */
static int check_memory(const struct plan *plan, const struct config *config, struct error_text *reason)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < plan->n_rings; i++) {
		const struct plan_ring *ring = &plan->rings[i];
		uint64_t carried = ring->probe->traits & PROBE_PAYLOAD ? config->size : 0;

		if (!ring->refusal)
			bytes += (config->tool.alone ? 1 : ring->n_members) * (carried + config->work_size);
	}
	return memory_check_members(bytes, reason);
}

int engine_prepare(struct engine *engine, const struct engine_job *job, const struct machine *machine,
	struct notes *notes, struct error_text *reason)
{
	const struct plan *plan = job->plan;
	const struct config *config = job->config;

	*engine = (struct engine){.dma_latency_fd = -1};
	engine->has_work = calloc(plan->n_turns, sizeof(*engine->has_work));
	if (!engine->has_work)
		return error_text_set(reason, -ENOMEM, "no memory for %u turns", plan->n_turns);
	int r = check_memory(plan, config, reason);

	if (r < 0)
		return r;
	r = arena_create(&engine->arena, plan, config, job->topology, memory_page_size(), reason);
	if (r < 0)
		return r;
	engine->arena->rt_runtime_zero = machine->rt_runtime_zero_cgroup;
	if (config->sweep && (r = sweep_board_create(&engine->arena->sweep)) < 0)
		return error_text_set(reason, r, "no memory for the results of --sweep");
	refuse_rings(engine->arena);
	r = engine_prepare_loads(engine, reason);
	if (r < 0)
		return r;
	r = open_tracing(engine, notes, reason);
	if (r < 0)
		return r;
	/* All threads of the front inherit it, so that they run on no measured CPU if there is another. */
	task_set_affinity(0, &plan->housekeeping);
	r = keeper_start(&engine->keeper, engine->arena, job->registry, reason);
	if (r < 0)
		return r;
	if (config->has_dma_latency)
		hold_dma_latency(engine, config->dma_latency_us, notes);
	return 0;
}

void engine_start(struct engine *engine)
{
	for (struct arena_ring *ring = NULL; (ring = arena_next(engine->arena, ring));)
		keeper_tell(&engine->keeper, &ring->wanted);
	if (engine->arena->sweep)
		keeper_sweep(&engine->keeper);
	wait_for_opening(engine->arena);
	for (size_t i = 0; i < engine->arena->config->n_loads; i++)
		keeper_tell(&engine->keeper, &engine->arena->loads[i].wanted);
	engine->start_ns = clock_now_ns();
	const struct plan *plan = engine->arena->plan;

	turns_init(&engine->turns, plan->n_turns, plan->slice_ns, engine->start_ns);
	command_turn(engine, RING_COMMAND_RUN);
}

uint64_t engine_advance(struct engine *engine, uint64_t now_ns)
{
	uint64_t pausing_ns = engine_rings_advance(engine, now_ns);

	if (engine->turns.n < 2)
		return pausing_ns;
	bool all_paused = read_states(engine);
	unsigned turn = engine->turns.current;
	enum turns_step step = turns_advance(&engine->turns, now_ns, all_paused, engine->has_work);

	if (step == TURNS_PAUSE)
		command_turn(engine, RING_COMMAND_PAUSE);
	if (engine->turns.leaving_since_ns)
		wake_sleepers(engine, now_ns);
	if (step == TURNS_RUN) {
		close_turn(engine, turn, now_ns);
		command_turn(engine, RING_COMMAND_RUN);
	}
	uint64_t next_ns = turns_next(&engine->turns, now_ns);

	return pausing_ns < next_ns ? pausing_ns : next_ns;
}

int engine_hold_turn(struct engine *engine, int turn, struct error_text *reason)
{
	read_states(engine);
	if (turn >= 0 && !engine->has_work[turn])
		return error_text_set(
			reason, -EAGAIN, "the turn can't be held: all of its rings are paused or have ended");
	turns_hold(&engine->turns, turn);
	return 0;
}

bool engine_is_done(const struct engine *engine)
{
	bool all_done = true, any_done = false, any = false;

	for (struct arena_ring *ring = NULL; (ring = arena_next(engine->arena, ring));) {
		enum ring_state state = arena_state(ring);

		if (ring->is_removed)
			continue;
		any = true;
		all_done &= state == RING_DONE || state == RING_FAILED;
		any_done |= state == RING_DONE;
	}
	return (any && all_done) || (any_done && engine->arena->config->tool.first_ends);
}

uint32_t engine_shortcomings(const struct engine *engine)
{
	uint32_t all = 0;

	for (struct arena_ring *ring = NULL; (ring = arena_next(engine->arena, ring));)
		all |= atomic_load_explicit(&ring->shortcomings, memory_order_relaxed);
	return all;
}

bool engine_falls_short(const struct engine *engine, struct error_text *reason)
{
	for (struct arena_ring *ring = NULL; (ring = arena_next(engine->arena, ring));)
		if (arena_reason(ring, reason))
			return true;
	return false;
}

void engine_lose_keeper(struct engine *engine)
{
	engine->lacks_keeper = true;
	for (struct arena_ring *ring = NULL; (ring = arena_next(engine->arena, ring));)
		if (!ring_state_has_ended(arena_state(ring)))
			arena_fail(ring, "the keeper (pid %d) was killed", engine->keeper.pid);
}

void engine_end_phase(struct engine *engine, uint64_t now_ns)
{
	for (struct arena_ring *ring = NULL; (ring = arena_next(engine->arena, ring));)
		breaktrace_check_wait(ring, missed_slots_end_phase(ring, now_ns), now_ns);
}

void engine_end_at(struct engine *engine, uint64_t end_ns)
{
	atomic_store_explicit(&engine->arena->end_ns, end_ns, memory_order_relaxed);
}

/* UINT64_MAX: it goes on; 0: it never ran. */
static uint64_t ring_end_ns(const struct arena_ring *ring)
{
	unsigned state = arena_state(ring);

	if (state == RING_DONE)
		return atomic_load_explicit(&ring->members[0].turn_end_ns, memory_order_relaxed);
	if (state == RING_FAILED || state == RING_GONE)
		return atomic_load_explicit(&ring->ended_ns, memory_order_relaxed);
	/* Acquire: pairs with the release of the command, before which its time was written. */
	if (atomic_load_explicit(&ring->command, memory_order_acquire) == RING_COMMAND_STOP)
		return atomic_load_explicit(&ring->pause_ns, memory_order_relaxed);
	return UINT64_MAX;
}

uint64_t engine_measured_until(const struct engine *engine, uint64_t now_ns, bool ends_with_rings)
{
	uint64_t end_ns = atomic_load_explicit(&engine->arena->end_ns, memory_order_relaxed), last_ns = 0;

	if (engine->end_ns)
		return engine->end_ns < now_ns ? engine->end_ns : now_ns;
	now_ns = end_ns && end_ns < now_ns ? end_ns : now_ns;
	if (!ends_with_rings)
		return now_ns;
	for (struct arena_ring *ring = NULL; (ring = arena_next(engine->arena, ring));)
		if (!ring->is_removed && ring_end_ns(ring) > last_ns)
			last_ns = ring_end_ns(ring);
	return last_ns && last_ns < now_ns ? last_ns : now_ns; /* 0: a sweep, or no ring is left */
}

void engine_stop(struct engine *engine)
{
	if (engine->keeper.pid) {
		/* Before the states of rings that are done change. */
		engine->end_ns = engine_measured_until(engine, clock_now_ns(), true);
		stop_command(engine->arena);
	}
	/* Slots that are overdue at the run's end are counted, but no longer compared with -b. */
	for (struct arena_ring *ring = NULL; engine->keeper.pid && (ring = arena_next(engine->arena, ring));)
		missed_slots_close_turn(ring, clock_now_ns());
	keeper_stop(&engine->keeper);
	if (engine->dma_latency_fd >= 0)
		close(engine->dma_latency_fd);
	engine->dma_latency_fd = -1;
}

void engine_finish(struct engine *engine)
{
	engine_stop(engine);
	if (engine->arena) {
		breaktrace_close(engine->arena);
		sweep_board_destroy(engine->arena->sweep);
	}
	arena_destroy(engine->arena);
	engine->arena = NULL;
	free(engine->has_work);
	free(engine->taken);
	engine->has_work = NULL;
	engine->taken = NULL;
}

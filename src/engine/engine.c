/* SPDX-License-Identifier: GPL-2.0-or-later */
/* engine.c - the front's side of a run: starts the keeper and its rings, gives them their turns, ends them.
 */
#include "src/engine/engine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/base/futex.h"
#include "src/machine/machine.h"
#include "src/machine/memory.h"
#include "src/machine/topology.h"
#include "src/plan/config.h"
#include "src/plan/plan.h"
#include "src/ring/member.h"
#include "src/ring/missed_slots.h"
#include "src/ring/stop.h"

enum { OPENING_NS = 300000000 };

static enum ring_state state_of(const struct engine *engine, size_t ring)
{
	return (enum ring_state)atomic_load_explicit(
		&engine->arena.head->rings[ring].state, memory_order_acquire);
}

/* A command to stop is final, from any process. */
static void command(struct ring_slot *ring, enum ring_command command)
{
	uint32_t before = command == RING_COMMAND_RUN ? RING_COMMAND_PAUSE : RING_COMMAND_RUN;

	if (atomic_load_explicit(&ring->command, memory_order_relaxed) != before)
		return;
	if (command == RING_COMMAND_RUN)
		missed_slots_open_turn(ring, clock_now_ns());
	else
		atomic_store_explicit(&ring->pause_ns, clock_now_ns(), memory_order_relaxed);
	/* Release: pairs with command_of() in origin.c, which then finds the time of the command. */
	atomic_compare_exchange_strong_explicit(
		&ring->command, &before, command, memory_order_release, memory_order_relaxed);
	futex_wake_all(&ring->command);
}

/* An origin that sleeps until a distant due would notice its command only then. */
static void wake_sleepers(const struct engine *engine, uint64_t now_ns)
{
	for (size_t i = 0; i < engine->plan->n_rings; i++) {
		const struct ring_slot *ring = &engine->arena.head->rings[i];
		const struct member_slot *origin = arena_member(&engine->arena, ring, 0);

		if (engine->plan->rings[i].turn == engine->turns.current &&
			state_of(engine, i) == RING_RUNNING &&
			atomic_load_explicit(&origin->due_ns, memory_order_relaxed) > now_ns)
			syscall(SYS_tgkill, origin->pid, origin->tid, MEMBER_WAKE);
	}
}

static void command_turn(struct engine *engine, enum ring_command what)
{
	for (size_t i = 0; i < engine->plan->n_rings; i++)
		if (engine->plan->rings[i].turn == engine->turns.current &&
			!ring_state_has_ended(state_of(engine, i)))
			command(&engine->arena.head->rings[i], what);
}

/* Slots of the turn that were not served are missed, also where the origin is stuck or dead. */
static void close_turn(struct engine *engine, unsigned turn, uint64_t now_ns)
{
	for (size_t i = 0; i < engine->plan->n_rings; i++) {
		struct ring_slot *ring = &engine->arena.head->rings[i];

		if (engine->plan->rings[i].turn == turn)
			breaktrace_check_wait(&engine->arena, ring, engine->plan->rings[i].probe->name,
				missed_slots_close_turn(&engine->arena, ring, now_ns), now_ns);
	}
}

static bool current_turn_paused(const struct engine *engine)
{
	for (size_t i = 0; i < engine->plan->n_rings; i++)
		if (engine->plan->rings[i].turn == engine->turns.current &&
			state_of(engine, i) == RING_RUNNING)
			return false;
	return true;
}

static void find_work(struct engine *engine)
{
	memset(engine->has_work, 0, engine->turns.n * sizeof(*engine->has_work));
	for (size_t i = 0; i < engine->plan->n_rings; i++)
		engine->has_work[engine->plan->rings[i].turn] |= !ring_state_has_ended(state_of(engine, i));
}

/* A ring that gets no CPU to open must not delay the others for long. */
static void wait_for_opening(const struct engine *engine)
{
	struct arena_head *head = engine->arena.head;
	uint64_t deadline_ns = clock_now_ns() + OPENING_NS;
	size_t open = 0;

	for (;;) {
		uint32_t news = atomic_load_explicit(&head->news, memory_order_acquire);
		uint64_t now_ns = clock_now_ns();

		while (open < head->n_rings && state_of(engine, open) >= RING_PAUSED)
			open++;
		if (open == head->n_rings || now_ns >= deadline_ns || atomic_load(&head->stop))
			return;
		struct timespec left = clock_timespec(deadline_ns - now_ns);

		futex_wait(&head->news, news, &left);
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

static void hold_dma_latency(struct engine *engine, const struct config *config, struct notes *notes)
{
	int fd = config->has_dma_latency ? open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC) : -1;

	if (!config->has_dma_latency)
		return;
	if (fd >= 0 && write(fd, &config->dma_latency_us, sizeof(config->dma_latency_us)) ==
			       (ssize_t)sizeof(config->dma_latency_us)) {
		engine->dma_latency_fd = fd;
		return;
	}
	notes_add(notes, "--dma-latency %d is not held: /dev/cpu_dma_latency: %s%s", config->dma_latency_us,
		strerror(errno),
		errno == EACCES ? " (run as root, or give this user write access to it)" : "");
	if (fd >= 0)
		close(fd);
}

/* Before keeper_open(), which then skips these. */
static void refuse_rings(const struct engine *engine)
{
	for (size_t i = 0; i < engine->plan->n_rings; i++)
		if (engine->plan->rings[i].refusal)
			arena_fail(&engine->arena, &engine->arena.head->rings[i], "%s",
				engine->plan->rings[i].refusal);
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
	return memory_check_room(bytes, reason);
}

int engine_prepare(struct engine *engine, const struct plan *plan, const struct config *config,
	const struct topology *topology, const struct machine *machine, const struct probe *const *registry,
	struct notes *notes, struct error_text *reason)
{
	*engine = (struct engine){.plan = plan, .dma_latency_fd = -1};
	engine->has_work = calloc(plan->n_turns, sizeof(*engine->has_work));
	if (!engine->has_work)
		return error_text_set(reason, -ENOMEM, "no memory for %u turns", plan->n_turns);
	int r = check_memory(plan, config, reason);

	if (r < 0)
		return r;
	r = arena_init(&engine->arena, plan, config, registry, reason);
	if (r < 0)
		return r;
	refuse_rings(engine);
	r = breaktrace_open(&engine->arena.head->breaktrace, config, &engine->tracing, reason);
	if (r < 0)
		return r;
	note_tracing_off(&engine->tracing, notes);
	engine->arena.head->allowed = topology->allowed;
	engine->arena.head->nodes = topology->nodes;
	engine->arena.head->rt_runtime_zero = machine->rt_runtime_zero_cgroup;
	/* All threads of the front inherit it, so that they run on no measured CPU if there is another. */
	task_set_affinity(0, &plan->housekeeping);
	r = keeper_start(&engine->keeper, &engine->arena, registry, reason);
	if (r < 0)
		return r;
	hold_dma_latency(engine, config, notes);
	return 0;
}

void engine_start(struct engine *engine)
{
	keeper_open(&engine->keeper);
	wait_for_opening(engine);
	engine->start_ns = clock_now_ns();
	turns_init(&engine->turns, engine->plan->n_turns, engine->plan->slice_ns, engine->start_ns);
	command_turn(engine, RING_COMMAND_RUN);
}

uint64_t engine_advance(struct engine *engine, uint64_t now_ns)
{
	if (engine->turns.n < 2)
		return UINT64_MAX;
	find_work(engine);
	unsigned turn = engine->turns.current;
	enum turns_step step =
		turns_advance(&engine->turns, now_ns, current_turn_paused(engine), engine->has_work);

	if (step == TURNS_PAUSE)
		command_turn(engine, RING_COMMAND_PAUSE);
	if (engine->turns.leaving_since_ns)
		wake_sleepers(engine, now_ns);
	if (step == TURNS_RUN) {
		close_turn(engine, turn, now_ns);
		command_turn(engine, RING_COMMAND_RUN);
	}
	return turns_next(&engine->turns, now_ns);
}

bool engine_is_done(const struct engine *engine)
{
	for (size_t i = 0; i < engine->plan->n_rings; i++)
		if (!ring_state_has_ended(state_of(engine, i)))
			return false;
	return true;
}

bool engine_has_done(const struct engine *engine)
{
	for (size_t i = 0; i < engine->plan->n_rings; i++)
		if (state_of(engine, i) == RING_DONE)
			return true;
	return false;
}

uint32_t engine_shortcomings(const struct engine *engine)
{
	uint32_t all = 0;

	for (size_t i = 0; i < engine->plan->n_rings; i++)
		all |= atomic_load_explicit(&engine->arena.head->rings[i].shortcomings, memory_order_relaxed);
	return all;
}

bool engine_falls_short(const struct engine *engine, struct error_text *reason)
{
	for (size_t i = 0; i < engine->plan->n_rings; i++) {
		const struct ring_slot *ring = &engine->arena.head->rings[i];
		uint32_t shortcomings = atomic_load_explicit(&ring->shortcomings, memory_order_relaxed);

		if (atomic_load_explicit(&ring->has_reason, memory_order_acquire) == 2) {
			*reason = ring->reason;
			return true;
		}
		if (shortcomings) {
			arena_describe(shortcomings, reason);
			return true;
		}
	}
	return false;
}

void engine_lose_keeper(struct engine *engine)
{
	for (size_t i = 0; i < engine->plan->n_rings; i++)
		if (!ring_state_has_ended(state_of(engine, i)))
			arena_fail(&engine->arena, &engine->arena.head->rings[i],
				"the keeper (pid %d) was killed", engine->keeper.pid);
}

void engine_end_phase(struct engine *engine, uint64_t now_ns)
{
	for (size_t i = 0; i < engine->plan->n_rings; i++) {
		struct ring_slot *ring = &engine->arena.head->rings[i];

		breaktrace_check_wait(&engine->arena, ring, engine->plan->rings[i].probe->name,
			missed_slots_end_phase(&engine->arena, ring, now_ns), now_ns);
	}
}

void engine_end_at(struct engine *engine, uint64_t end_ns)
{
	atomic_store_explicit(&engine->arena.head->end_ns, end_ns, memory_order_relaxed);
}

void engine_stop(struct engine *engine)
{
	if (engine->keeper.pid)
		stop_command(&engine->arena);
	/* Slots that are overdue at the run's end are counted, but no longer compared with -b. */
	for (size_t i = 0; engine->keeper.pid && i < engine->plan->n_rings; i++)
		missed_slots_close_turn(&engine->arena, &engine->arena.head->rings[i], clock_now_ns());
	keeper_stop(&engine->keeper);
	if (engine->dma_latency_fd >= 0)
		close(engine->dma_latency_fd);
	engine->dma_latency_fd = -1;
}

void engine_finish(struct engine *engine)
{
	engine_stop(engine);
	if (engine->arena.head)
		breaktrace_close(&engine->arena.head->breaktrace);
	arena_finish(&engine->arena);
	free(engine->has_work);
	engine->has_work = NULL;
}

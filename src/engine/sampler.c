/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sampler.c - makes ticks: reads the members' counters, and subtracts those of the tick before. */
#include "src/engine/sampler.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "src/engine/condition.h"
#include "src/engine/pinning.h"
#include "src/figures/histogram_reader.h"
#include "src/machine/machine.h"
#include "src/ring/missed_slots.h"

/* One ring in the tick before. */
struct ring_memory {
	struct histogram_reader (*readers)[N_LIVE_FIGURES]; /* owned, by member */
	uint64_t *runtime_ns;                               /* owned, by member */
	uint64_t active_ns;
	uint64_t n_missed;        /* counted by origin and front */
	uint64_t n_missed_ticked; /* of these and of overdue slots, those that ticks have had */
	uint32_t laps, warmup_laps, missed, abandoned, rested, away, abandoned_away, timeouts,
		faults[N_TOKEN_FAULTS];
	uint64_t *lap_log; /* owned, LAP_LOG_SIZE; this tick's laps; NULL without a log */
	uint64_t logged;
	bool ran;
	struct pinned_ring pinned;
	bool took_all; /* of a CPU, in the last tick */
	uint32_t shortcomings;
	struct error_text reason; /* of the shortcomings, as a sentence */
};

struct sampler {
	const struct arena *arena;
	struct ring_memory *memory;  /* owned, by ring */
	struct tick_ring *rings;     /* owned */
	struct tick_member *members; /* owned; of all rings, in order */
	struct tick_hop *hops;       /* owned; of all rings, in order */
	size_t n_members;
	bool members_read;        /* since the last tick */
	struct cells read, cells; /* as read, by member; and put together, by figure */
	uint64_t last_ns, own_ns, keeper_ns;
	pid_t keeper;
	struct throttling throttling;
	struct pinning pinning;
};

static int remember_ring(struct ring_memory *memory, const struct ring_slot *ring)
{
	memory->readers = calloc(ring->n_members, sizeof(*memory->readers));
	memory->runtime_ns = calloc(ring->n_members, sizeof(*memory->runtime_ns));
	if (ring->lap_log)
		memory->lap_log = calloc(LAP_LOG_SIZE, sizeof(*memory->lap_log));
	if (pinning_init_ring(&memory->pinned, ring) < 0)
		return -ENOMEM;
	return memory->readers && memory->runtime_ns && (memory->lap_log || !ring->lap_log) ? 0 : -ENOMEM;
}

/* The time of a keeper that has ended stays in the sum. */
static uint64_t own_runtime(struct sampler *sampler)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	task_read_runtime(sampler->keeper, sampler->keeper, &sampler->keeper_ns);
	return sampler->keeper_ns + (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000u +
	       (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000u;
}

int sampler_create(struct sampler **created, const struct arena *arena, const struct topology *topology,
	pid_t keeper, struct throttling throttling, uint64_t now_ns)
{
	struct sampler *sampler = calloc(1, sizeof(*sampler));
	uint32_t n = arena->head->n_rings;

	*created = sampler;
	if (!sampler)
		return -ENOMEM;
	*sampler = (struct sampler){.arena = arena,
		.keeper = keeper,
		.throttling = throttling,
		.last_ns = now_ns,
		.pinning = {.topology = topology}};
	sampler->own_ns = own_runtime(sampler);
	sampler->memory = calloc(n, sizeof(*sampler->memory));
	sampler->rings = calloc(n, sizeof(*sampler->rings));
	if (!sampler->memory || !sampler->rings)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		if (remember_ring(&sampler->memory[i], &arena->head->rings[i]) < 0)
			return -ENOMEM;
		sampler->n_members += arena->head->rings[i].n_members;
	}
	sampler->members = calloc(sampler->n_members, sizeof(*sampler->members));
	sampler->hops = calloc(sampler->n_members, sizeof(*sampler->hops));
	if (!sampler->members || !sampler->hops)
		return -ENOMEM;
	for (size_t i = 0; i < sampler->n_members; i++) /* not known yet, or ended before it was read */
		sampler->members[i] = (struct tick_member){.policy = {.policy = -1}, .cpu = -1};
	return 0;
}

void sampler_destroy(struct sampler *sampler)
{
	if (!sampler)
		return;
	for (uint32_t i = 0; sampler->memory && i < sampler->arena->head->n_rings; i++) {
		for (unsigned m = 0;
			sampler->memory[i].readers && m < sampler->arena->head->rings[i].n_members; m++)
			for (unsigned f = 0; f < N_LIVE_FIGURES; f++)
				histogram_reader_finish(&sampler->memory[i].readers[m][f]);
		free(sampler->memory[i].readers);
		free(sampler->memory[i].runtime_ns);
		free(sampler->memory[i].lap_log);
		pinning_finish_ring(&sampler->memory[i].pinned);
	}
	free(sampler->memory);
	free(sampler->rings);
	free(sampler->members);
	free(sampler->hops);
	free(sampler->read.cells);
	free(sampler->cells.cells);
	free(sampler);
}

static uint32_t advance(uint32_t *before, const _Atomic uint32_t *counter)
{
	/* Acquire: pairs with the release in missed_slots_count(); relaxed would do for all others. */
	uint32_t now = atomic_load_explicit(counter, memory_order_acquire), grown = now - *before;

	*before = now;
	return grown;
}

static uint64_t grow(uint64_t *before, uint64_t now)
{
	uint64_t grown = now > *before ? now - *before : 0;

	*before += grown;
	return grown;
}

/* While a ring is overdue, its slots are missed tick by tick. Later counts of the same slots are subtracted.
 */
static uint64_t missed_since(
	struct sampler *sampler, const struct ring_slot *ring, struct ring_memory *memory, uint64_t now_ns)
{
	const struct member_slot *origin = arena_member(sampler->arena, ring, 0);

	memory->n_missed += advance(&memory->missed, &origin->missed);
	memory->n_missed += ring->abandoned - memory->abandoned;
	memory->abandoned = ring->abandoned;
	return grow(&memory->n_missed_ticked,
		memory->n_missed + missed_slots_overdue(sampler->arena, ring, now_ns));
}

static bool same_scheduling(const struct tick_member *a, const struct tick_member *b)
{
	return task_policy_equal(a->policy, b->policy) && a->cpu == b->cpu && a->n_cpus == b->n_cpus;
}

/* -1: not known. */
static int last_cpu(const struct tick_member *member)
{
	struct task_stat stat;

	return task_read_stat(member->pid, member->tid, &stat) < 0 ? -1 : stat.cpu;
}

/* A change of a member's scheduling makes its ring warm up again. */
static void read_members(
	struct sampler *sampler, struct ring_slot *ring, struct pinned_ring *pinned, struct tick_ring *out)
{
	for (unsigned m = 0; m < ring->n_members; m++) {
		const struct member_slot *slot = arena_member(sampler->arena, ring, m);
		struct tick_member *member = &sampler->members[out->first_member + m], before = *member;
		struct cpus affinity;

		member->pid = atomic_load_explicit(&slot->pid, memory_order_relaxed);
		/* The host of a forked member may not have recorded its pid yet. */
		member->tid = member->pid ? atomic_load_explicit(&slot->tid, memory_order_acquire) : 0;
		/* Stopping it may have moved it. */
		if (atomic_load_explicit(&ring->command, memory_order_relaxed) == RING_COMMAND_STOP)
			continue;
		/* Of an ended member the last reading stays; its tid may name another task by now. */
		if (!member->tid || out->state == RING_FAILED || out->state == RING_GONE ||
			atomic_load_explicit(&slot->stage, memory_order_relaxed) >= MEMBER_ENDED)
			continue;
		if (task_get_policy(member->tid, &member->policy) < 0 ||
			task_get_affinity(member->tid, &affinity) < 0) {
			*member = before;
			continue;
		}
		member->n_cpus = (uint32_t)cpus_count(&affinity);
		member->cpu = member->n_cpus == 1 ? cpus_next(&affinity, -1) : -1;
		member->ran_on = ring->unpinned ? last_cpu(member) + 1 : 0;
		/* It pins itself before its first stage. */
		bool again =
			!ring->unpinned &&
			atomic_load_explicit(&slot->stage, memory_order_acquire) != MEMBER_NEW &&
			pinning_judge(&sampler->pinning, sampler->arena, ring, pinned, m, member, &affinity);

		if (again || (before.tid == member->tid && !same_scheduling(&before, member)))
			atomic_fetch_add_explicit(&ring->changes, 1, memory_order_relaxed);
	}
}

static const char *reason_of(const struct ring_slot *ring, struct ring_memory *memory)
{
	uint32_t shortcomings = atomic_load_explicit(&ring->shortcomings, memory_order_relaxed);

	if (atomic_load_explicit(&ring->has_reason, memory_order_acquire) == 2)
		return ring->reason.text;
	if (shortcomings != memory->shortcomings)
		arena_describe(shortcomings, &memory->reason);
	memory->shortcomings = shortcomings;
	return shortcomings ? memory->reason.text : NULL;
}

/* Returns the longest wait that ended in this tick, or lasts. */
static uint64_t longest_wait(const struct tick_ring *out)
{
	static const enum figure waits[] = {FIGURE_LAP, FIGURE_RESPONSE};
	uint64_t longest_ns = out->age_ns;

	for (size_t i = 0; i < sizeof(waits) / sizeof(*waits); i++) {
		const struct tick_figure *figure = &out->figures[waits[i]];

		if (figure->has_extremes && figure->max_ns > longest_ns)
			longest_ns = figure->max_ns;
	}
	return longest_ns;
}

/* Throttled: real-time members used all of a CPU that the kernel allows them, and a gap followed in this tick
 * or the next one. The share alone is no proof, because no other task may have wanted the CPU. */
static bool is_throttled(const struct sampler *sampler, const struct ring_slot *ring,
	struct ring_memory *memory, const struct tick_ring *out, uint64_t window_ns)
{
	const struct throttling *throttling = &sampler->throttling;
	bool realtime = false, took_all = memory->took_all;

	for (unsigned m = 0; m < ring->n_members; m++)
		realtime |= task_policy_is_realtime(sampler->members[out->first_member + m].policy.policy);
	memory->took_all = false;
	if (!throttling->share || !realtime || (ring->interval_ns && !ring->spins && !out->age_ns)) {
		/* Its use until here does not count for the next window. */
		memset(memory->runtime_ns, 0, ring->n_members * sizeof(*memory->runtime_ns));
		return false;
	}
	memory->took_all =
		condition_cpu_share(sampler->arena, ring, memory->runtime_ns, window_ns) >= throttling->share;
	return (took_all || memory->took_all) && longest_wait(out) >= throttling->gap_ns;
}

static int append_change(
	struct sampler *sampler, struct tick_figure *figure, const struct histogram_change *change)
{
	for (size_t i = 0; i < change->n_cells; i++)
		if (cells_append(&sampler->cells, sampler->read.cells[change->first_cell + i]) < 0)
			return -ENOMEM;
	figure->n_cells += change->n_cells;
	figure->sum_ns += change->sum_ns;
	figure->last_ns = change->last_ns ? change->last_ns : figure->last_ns;
	if (!change->has_extremes)
		return 0;
	if (!figure->has_extremes || change->min_ns < figure->min_ns)
		figure->min_ns = change->min_ns;
	if (!figure->has_extremes || change->max_ns > figure->max_ns) {
		figure->max_ns = change->max_ns;
		figure->max_at_ns = change->max_at_ns;
	}
	figure->has_extremes = true;
	return 0;
}

static int read_ring_figures(struct sampler *sampler, const struct ring_slot *ring,
	struct ring_memory *memory, struct tick_ring *out)
{
	const struct arena *arena = sampler->arena;

	sampler->read.n = 0;
	for (unsigned m = 0; m < ring->n_members; m++)
		for (unsigned f = 0; f < N_LIVE_FIGURES; f++) {
			const struct hist_live *live = arena_live(arena, arena_member(arena, ring, m), f);

			if (live && histogram_reader_update(&memory->readers[m][f], live, &sampler->read) < 0)
				return -ENOMEM;
		}
	for (unsigned f = 0; f < N_FIGURES; f++) {
		struct tick_figure *figure = &out->figures[f];

		figure->first_cell = sampler->cells.n;
		for (unsigned s = 0; s < N_FIGURE_SOURCES; s++)
			for (unsigned m = ring->n_members; figure_sources[s].figure == f && m-- > 0;)
				if (append_change(sampler, figure,
					    &memory->readers[m][figure_sources[s].live].change) < 0)
					return -ENOMEM;
	}
	return 0;
}

/* The receiver of a hop counts its latency. The two hops of a pair are its first hop and its answer. */
static int read_hops(struct sampler *sampler, const struct ring_slot *ring, struct ring_memory *memory,
	struct tick_ring *out)
{
	static const enum live_figure latencies[] = {LIVE_FIRST, LIVE_ANSWER};

	out->first_hop = out->first_member;
	out->n_hops = out->n_members;
	for (unsigned h = 0; h < ring->n_members; h++) {
		struct tick_hop *hop = &sampler->hops[out->first_hop + h];
		unsigned receiver = (h + 1) % ring->n_members;

		hop->node = atomic_load_explicit(
				    &arena_hop(sampler->arena, ring, h)->node, memory_order_relaxed) -
			    1;
		hop->figure =
			(struct tick_figure){.last_ns = hop->figure.last_ns, .first_cell = sampler->cells.n};
		for (size_t i = 0; ring->has_hops && i < 2; i++)
			if (append_change(sampler, &hop->figure,
				    &memory->readers[receiver][latencies[i]].change) < 0)
				return -ENOMEM;
	}
	return 0;
}

/* The origin's lap is the ring's figure. */
static int read_member_laps(struct sampler *sampler, const struct ring_slot *ring, struct ring_memory *memory,
	const struct tick_ring *out)
{
	for (unsigned m = 0; ring->has_member_laps && m < ring->n_members; m++) {
		struct tick_figure *lap = &sampler->members[out->first_member + m].lap;
		const struct histogram_reader *reader = &memory->readers[m][m ? LIVE_OWN_LAP : LIVE_LAP];

		*lap = (struct tick_figure){.last_ns = lap->last_ns, .first_cell = sampler->cells.n};
		if (append_change(sampler, lap, &reader->change) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* Laps that the origin has overwritten since the tick before are lost. */
static void read_lap_log(const struct arena *arena, const struct ring_slot *ring, struct ring_memory *memory,
	struct tick_ring *out)
{
	const struct lap_log *log = ring->lap_log ? arena_at(arena, ring->lap_log) : NULL;

	if (!log)
		return;
	/* Acquire: pairs with the release in member_loop.c. */
	uint64_t count = atomic_load_explicit(&log->count, memory_order_acquire);

	if (count - memory->logged > LAP_LOG_SIZE)
		memory->logged = count - LAP_LOG_SIZE;
	for (; memory->logged < count; memory->logged++)
		memory->lap_log[out->n_laps_ns++] = atomic_load_explicit(
			&log->lap_ns[memory->logged % LAP_LOG_SIZE], memory_order_relaxed);
	out->laps_ns = memory->lap_log;
}

static int read_ring(struct sampler *sampler, uint32_t i, uint64_t now_ns)
{
	struct ring_slot *ring = &sampler->arena->head->rings[i];
	struct ring_memory *memory = &sampler->memory[i];
	struct tick_ring *out = &sampler->rings[i];
	const struct member_slot *origin = arena_member(sampler->arena, ring, 0);

	*out = (struct tick_ring){
		.id = ring->id,
		.n_members = ring->n_members,
		.first_member = out->first_member,
		.state = out->state,
		.reason = reason_of(ring, memory),
		.laps = advance(&memory->laps, &origin->laps),
		.warmup_laps = advance(&memory->warmup_laps, &origin->warmup_laps),
		.missed = missed_since(sampler, ring, memory, now_ns),
		.rested = advance(&memory->rested, &origin->rested),
		.away = advance(&memory->away, &origin->away) + ring->abandoned_away - memory->abandoned_away,
		.timeouts = advance(&memory->timeouts, &origin->timeouts),
		.active_ns = grow(&memory->active_ns, missed_slots_active_ns(sampler->arena, ring, now_ns)),
		.age_ns = condition_age(sampler->arena, ring, now_ns),
	};
	memory->abandoned_away = ring->abandoned_away;
	for (int f = 0; f < N_TOKEN_FAULTS; f++)
		out->faults[f] = advance(&memory->faults[f], &origin->faults[f]);
	memory->ran |= out->laps || out->warmup_laps || out->away;
	pinning_tell_tick(&memory->pinned, out);
	int r = read_ring_figures(sampler, ring, memory, out);

	if (r == 0)
		r = read_hops(sampler, ring, memory, out);
	if (r == 0)
		r = read_member_laps(sampler, ring, memory, out);
	read_lap_log(sampler->arena, ring, memory, out);
	bool throttled = is_throttled(sampler, ring, memory, out, now_ns - sampler->last_ns);

	out->condition = condition_of(
		sampler->arena, ring, out->age_ns, memory->ran, memory->pinned.condition, throttled);
	if (!ring->unpinned)
		pinning_tell_members(sampler->arena, ring, &memory->pinned, now_ns);
	return r;
}

void sampler_read_members(struct sampler *sampler, struct tick *tick)
{
	size_t first_member = 0;

	pinning_tick(&sampler->pinning);
	for (uint32_t i = 0; i < sampler->arena->head->n_rings; i++) {
		struct ring_slot *ring = &sampler->arena->head->rings[i];
		struct pinned_ring *pinned = &sampler->memory[i].pinned;
		struct tick_ring *out = &sampler->rings[i];

		*out = (struct tick_ring){.id = ring->id,
			.n_members = ring->n_members,
			.first_member = first_member,
			.state = (enum ring_state)atomic_load_explicit(&ring->state, memory_order_acquire)};
		first_member += ring->n_members;
		read_members(sampler, ring, pinned, out);
		if (!ring->unpinned)
			pinning_sum_up(&sampler->pinning, sampler->arena, ring, pinned,
				&sampler->members[out->first_member]);
		/* Losing or getting back a CPU ends no phase. */
		out->condition = pinned->condition;
	}
	*tick = (struct tick){.rings = sampler->rings,
		.n_rings = sampler->arena->head->n_rings,
		.members = sampler->members,
		.n_members = sampler->n_members};
	sampler->members_read = true;
}

int sampler_tick(struct sampler *sampler, uint64_t now_ns, struct tick *tick)
{
	struct arena_head *head = sampler->arena->head;
	uint32_t epoch = atomic_load_explicit(&head->epoch, memory_order_relaxed) + 1;
	uint64_t own_ns = own_runtime(sampler);

	if (!sampler->members_read)
		sampler_read_members(sampler, tick);
	sampler->members_read = false;
	/* Relaxed: a member that sees it late writes into the old slot, which is read again. */
	atomic_store_explicit(&head->epoch, epoch ? epoch : 1, memory_order_relaxed);
	sampler->cells.n = 0;
	for (uint32_t i = 0; i < head->n_rings; i++)
		if (read_ring(sampler, i, now_ns) < 0)
			return -ENOMEM;
	*tick = (struct tick){
		.start_ns = sampler->last_ns,
		.end_ns = now_ns,
		.rings = sampler->rings,
		.n_rings = head->n_rings,
		.members = sampler->members,
		.n_members = sampler->n_members,
		.hops = sampler->hops,
		.n_hops = sampler->n_members,
		.cells = sampler->cells.cells,
		.n_cells = sampler->cells.n,
		.own_cpu_ppm = now_ns > sampler->last_ns ? (uint32_t)((own_ns - sampler->own_ns) * 1000000 /
								      (now_ns - sampler->last_ns))
							 : 0,
	};
	machine_loadavg(tick->loadavg, sizeof(tick->loadavg));
	sampler->last_ns = now_ns;
	sampler->own_ns = own_ns;
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sampler.c - makes ticks: reads the members' counters, and subtracts those of the tick before. */
#include "src/engine/sampler.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/base/small_file.h"
#include "src/engine/keeper.h"
#include "src/engine/pinning.h"
#include "src/figures/histogram_reader.h"
#include "src/machine/interrupt_table.h"
#include "src/ring/missed_slots.h"

enum { CONDITION_AGE_NS = 100000000 }; /* a shorter age has no word */

/* One ring in the tick before. */
struct ring_memory {
	struct arena_ring *ring;
	unsigned n_members;
	size_t first_member;                                /* in the tick */
	bool is_over;                                       /* the last tick has its rest */
	struct histogram_reader (*readers)[N_LIVE_FIGURES]; /* owned, by member */
	uint64_t *runtime_ns;                               /* owned, by member */
	uint64_t active_ns;
	uint64_t n_missed;        /* counted by origin and front */
	uint64_t n_missed_ticked; /* of these and of overdue slots, those that ticks have had */
	uint64_t laps, warmup_laps, missed, abandoned, rested, away, abandoned_away, timeouts,
		faults[N_TOKEN_FAULTS];
	uint64_t *lap_log; /* owned, LAP_LOG_SIZE; this tick's laps; NULL without a log */
	uint64_t logged;
	uint64_t least_served_ns, least_late_ns; /* of all ticks: response and lateness of served laps */
	bool ran;
	bool was_stopped;          /* by a signal, in the last tick */
	bool took_all;             /* of a CPU, in the last tick */
	struct pinned_ring pinned; /* its members: owned */
	struct error_text reason;  /* the tick's */
};

struct sampler {
	struct arena *arena;        /* the caller's */
	struct ring_memory *memory; /* owned; by ring, in the order of their ids */
	uint32_t next_id;           /* rings with lower ids are known */
	struct tick tick;           /* its rings, members and hops: owned; of all rings, in order */
	bool members_read;          /* since the last tick */
	struct cells cells;         /* of the tick */
	bool lacks_memory;          /* for cells, in this tick */
	uint64_t own_ns, keeper_ns;
	uint64_t own_wait_ns; /* of the thread that made the last tick, since it began */
	uint64_t interrupts;  /* since boot; 0: not known */
	pid_t keeper;
	struct throttling throttling;
	struct pinning pinning;
};

/* Returns how long the ring has been overdue at @now_ns; 0 if it is on time, or not meant to run. */
static uint64_t age_of(const struct arena_ring *ring, uint64_t now_ns)
{
	uint64_t since_ns = missed_slots_oldest_due(ring);

	if (ring_state_has_ended(arena_state(ring)) || !since_ns)
		return 0;
	if (!ring->interval_ns) { /* without dues, the token's age */
		uint64_t sent_ns =
			atomic_load_explicit(&arena_hop(ring, 0)->stamp.sent_ns, memory_order_relaxed);

		since_ns = sent_ns > since_ns ? sent_ns : since_ns;
	}
	int64_t age_ns = (int64_t)(now_ns - since_ns);

	return age_ns > CONDITION_AGE_NS ? (uint64_t)age_ns : 0;
}

/* A stopped member has priority over one that gets no CPU. */
static enum ring_condition condition_from_states(const struct arena_ring *ring, bool throttled)
{
	enum ring_condition condition = CONDITION_LATE;

	for (unsigned m = 0; m < ring->n_members; m++) {
		const struct arena_member *member = &ring->members[m];
		struct task_stat stat;

		if (!member->tid || task_read_stat(member->pid, member->tid, &stat) < 0)
			continue;
		if (stat.state == 'T' || stat.state == 't')
			return CONDITION_STOPPED;
		if (stat.state == 'R')
			condition = throttled ? CONDITION_THROTTLED : CONDITION_STARVED;
	}
	return condition;
}

/* It will run, and has no host yet. */
static bool is_planned(const struct arena_ring *ring)
{
	return atomic_load_explicit(&ring->command, memory_order_relaxed) == RING_COMMAND_RUN &&
	       !atomic_load_explicit(&ring->forked_ns, memory_order_relaxed);
}

/* Returns why a ring makes no laps. @ran: it has done a lap; @away: the word for a member that is not on its
 * CPU, or CONDITION_FINE; @throttled: the kernel throttles its real-time members. Reads the members' states
 * in /proc if the ring is overdue. */
static enum ring_condition condition_of(
	const struct arena_ring *ring, uint64_t age_ns, bool ran, enum ring_condition away, bool throttled)
{
	if (away != CONDITION_FINE)
		return away;
	if (ring->is_paused || ring->is_removed)
		return CONDITION_FINE;
	if (ring_state_has_ended(arena_state(ring)))
		return CONDITION_FINE;
	if (!missed_slots_has_turn(ring))
		return is_planned(ring) ? CONDITION_NEVER_RAN : CONDITION_WAITING;
	if (age_ns)
		return condition_from_states(ring, throttled);
	if (throttled)
		return CONDITION_THROTTLED;
	return ran ? CONDITION_FINE : CONDITION_NEVER_RAN;
}

/* A stop outlasts the end of the turn, and the first tick of the next one, in which it has no age yet. */
static bool is_still_stopped(
	const struct arena_ring *ring, const struct ring_memory *memory, const struct tick_ring *out)
{
	if (!memory->was_stopped || out->laps || out->warmup_laps || ring->is_paused || ring->is_removed)
		return false;
	return !ring_state_has_ended(arena_state(ring)) &&
	       condition_from_states(ring, false) == CONDITION_STOPPED;
}

static uint64_t used_since(const struct arena_member *member, uint64_t *before_ns)
{
	uint64_t runtime_ns, used_ns;

	if (!member->tid || task_read_runtime(member->pid, member->tid, &runtime_ns) < 0)
		return 0;
	used_ns = *before_ns && runtime_ns > *before_ns ? runtime_ns - *before_ns : 0;
	*before_ns = runtime_ns;
	return used_ns;
}

/* Returns the share of a CPU, 0..1, that the members used in @window_ns: together if they share it, else the
 * busiest. @before_ns: CPU time of each member until then; updated. */
static double cpu_share_of(const struct arena_ring *ring, uint64_t *before_ns, uint64_t window_ns)
{
	uint64_t all_ns = 0, largest_ns = 0;
	bool one_cpu = !ring->plan.unpinned;

	for (unsigned m = 0; m < ring->n_members; m++) {
		const struct arena_member *member = &ring->members[m];
		uint64_t used_ns = used_since(member, &before_ns[m]);

		all_ns += used_ns;
		largest_ns = used_ns > largest_ns ? used_ns : largest_ns;
		one_cpu &= member->cpu == ring->members[0].cpu;
	}
	return window_ns ? (double)(one_cpu ? all_ns : largest_ns) / (double)window_ns : 0.0;
}

static int allocate_ring(struct ring_memory *memory, struct arena_ring *ring, size_t first_member)
{
	unsigned n = ring->n_members;

	*memory = (struct ring_memory){.ring = ring, .n_members = n, .first_member = first_member};
	memory->readers = calloc(n, sizeof(*memory->readers));
	memory->runtime_ns = calloc(n, sizeof(*memory->runtime_ns));
	memory->pinned.members = calloc(n, sizeof(*memory->pinned.members));
	if (!memory->readers || !memory->runtime_ns || !memory->pinned.members)
		return -ENOMEM;
	memory->lap_log = ring->lap_log ? calloc(LAP_LOG_SIZE, sizeof(*memory->lap_log)) : NULL;
	return ring->lap_log && !memory->lap_log ? -ENOMEM : 0;
}

static void free_ring(struct ring_memory *memory)
{
	for (unsigned m = 0; memory->readers && m < memory->n_members; m++)
		for (unsigned f = 0; f < N_LIVE_FIGURES; f++)
			histogram_reader_finish(&memory->readers[m][f]);
	free(memory->readers);
	free(memory->runtime_ns);
	free(memory->lap_log);
	free(memory->pinned.members);
}

static int compare_ids(const void *left, const void *right)
{
	const struct arena_ring *const *a = left, *const *b = right;

	return ((*a)->plan.id > (*b)->plan.id) - ((*a)->plan.id < (*b)->plan.id);
}

/* Makes room in the tick for rings with so many members more. */
static int reserve_tick(struct sampler *sampler, size_t n_rings, size_t n_members)
{
	struct tick *tick = &sampler->tick;
	struct ring_memory *memory = realloc(sampler->memory, n_rings * sizeof(*memory));

	sampler->memory = memory ? memory : sampler->memory;
	struct tick_ring *rings = realloc(tick->rings, n_rings * sizeof(*rings));

	tick->rings = rings ? rings : tick->rings;
	struct tick_member *members = realloc(tick->members, n_members * sizeof(*members));

	tick->members = members ? members : tick->members;
	struct tick_hop *hops = realloc(tick->hops, n_members * sizeof(*hops));

	tick->hops = hops ? hops : tick->hops;
	return memory && rings && members && hops ? 0 : -ENOMEM;
}

static int adopt_ring(struct sampler *sampler, struct arena_ring *ring)
{
	struct tick *tick = &sampler->tick;
	size_t first = tick->n_members;

	tick->rings[tick->n_rings] = (struct tick_ring){0};
	for (size_t i = first; i < first + ring->n_members; i++) {
		/* Not known yet, or ended before it was read. */
		tick->members[i] = (struct tick_member){.policy = {.policy = -1}, .cpu = -1};
		tick->hops[i] = (struct tick_hop){0};
	}
	int r = allocate_ring(&sampler->memory[tick->n_rings], ring, first);

	if (r < 0) {
		free_ring(&sampler->memory[tick->n_rings]);
		return r;
	}
	tick->n_rings++;
	tick->n_hops = tick->n_members += ring->n_members;
	sampler->next_id = ring->plan.id + 1;
	return 0;
}

/* Takes in the rings that were added; without memory, at the next tick. */
static int adopt_rings(struct sampler *sampler)
{
	struct arena *arena = sampler->arena;
	struct arena_ring **new;
	size_t n = 0, n_members = sampler->tick.n_members;

	if (arena->next_id == sampler->next_id)
		return 0;
	new = calloc(arena->n_used, sizeof(*new));
	if (!new)
		return -ENOMEM;
	for (struct arena_ring *ring = NULL; (ring = arena_next(arena, ring));)
		if (ring->plan.id >= sampler->next_id) {
			new[n++] = ring;
			n_members += ring->n_members;
		}
	qsort(new, n, sizeof(*new), compare_ids);
	int r = n ? reserve_tick(sampler, sampler->tick.n_rings + n, n_members) : 0;

	for (size_t i = 0; i < n && r == 0; i++)
		r = adopt_ring(sampler, new[i]);
	free(new);
	if (r == 0)
		sampler->next_id = arena->next_id;
	return r;
}

/* The time of a keeper that has ended stays in the sum. */
static uint64_t own_runtime(struct sampler *sampler)
{
	struct timespec front;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &front);
	task_read_runtime(sampler->keeper, sampler->keeper, &sampler->keeper_ns);
	return sampler->keeper_ns + clock_ns(&front);
}

/* The sum stays where the kernel has no schedstat. */
static uint64_t own_wait(const struct sampler *sampler)
{
	uint64_t wait_ns = sampler->own_wait_ns;

	task_read_wait(getpid(), gettid(), &wait_ns);
	return wait_ns;
}

int sampler_create(struct sampler **created, struct arena *arena, pid_t keeper, struct throttling throttling,
	uint64_t now_ns)
{
	struct sampler *sampler = calloc(1, sizeof(*sampler));

	*created = sampler;
	if (!sampler)
		return -ENOMEM;
	*sampler = (struct sampler){
		.arena = arena, .keeper = keeper, .throttling = throttling, .tick.end_ns = now_ns};
	sampler->own_ns = own_runtime(sampler);
	sampler->own_wait_ns = own_wait(sampler);
	sampler->interrupts = interrupts_count();
	return adopt_rings(sampler);
}

void sampler_destroy(struct sampler *sampler)
{
	if (!sampler)
		return;
	for (size_t i = 0; i < sampler->tick.n_rings; i++)
		free_ring(&sampler->memory[i]);
	free(sampler->memory);
	free(sampler->tick.rings);
	free(sampler->tick.members);
	free(sampler->tick.hops);
	free(sampler->cells.cells);
	free(sampler);
}

static uint64_t counter_growth(uint64_t *before, const _Atomic uint64_t *counter)
{
	/* Acquire: pairs with the release in missed_slots_count(); relaxed would do for all others. */
	uint64_t now = atomic_load_explicit(counter, memory_order_acquire), grown = now - *before;

	*before = now;
	return grown;
}

static uint64_t sum_growth(uint64_t *before, uint64_t now)
{
	uint64_t grown = now > *before ? now - *before : 0;

	*before += grown;
	return grown;
}

/* While a ring is overdue, its slots are missed tick by tick. Later counts of the same slots are subtracted.
 */
static uint64_t missed_since(const struct arena_ring *ring, struct ring_memory *memory, uint64_t now_ns)
{
	memory->n_missed += counter_growth(&memory->missed, &ring->members[0].missed);
	memory->n_missed += ring->abandoned - memory->abandoned;
	memory->abandoned = ring->abandoned;
	return sum_growth(&memory->n_missed_ticked, memory->n_missed + missed_slots_overdue(ring, now_ns));
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

/* Stopping a member may have moved it; and of an ended one the last reading stays, because its tid may name
 * another task by now. */
static bool is_readable(
	const struct arena_member *shared, const struct tick_member *member, enum ring_state state)
{
	return member->tid && state != RING_FAILED && state != RING_GONE &&
	       atomic_load_explicit(&shared->ring->command, memory_order_relaxed) != RING_COMMAND_STOP &&
	       atomic_load_explicit(&shared->stage, memory_order_relaxed) < MEMBER_ENDED;
}

/* A change of a member's scheduling makes its ring warm up again. */
static void read_member(struct sampler *sampler, struct pinned_ring *pinned,
	const struct arena_member *shared, struct tick_member *member, enum ring_state state)
{
	const struct tick_member before = *member;
	bool is_pinned = !shared->ring->plan.unpinned, was_reset;
	struct cpus affinity;

	member->pid = atomic_load_explicit(&shared->pid, memory_order_relaxed);
	/* The host of a forked member may not have recorded its pid yet. */
	member->tid = member->pid ? atomic_load_explicit(&shared->tid, memory_order_acquire) : 0;
	if (!is_readable(shared, member, state))
		return;
	if (task_get_policy(member->tid, &member->policy) < 0 ||
		task_get_affinity(member->tid, &affinity) < 0) {
		*member = before;
		return;
	}
	member->n_cpus = (uint32_t)cpus_count(&affinity);
	member->cpu = member->n_cpus == 1 ? cpus_next(&affinity, -1) : -1;
	member->ran_on = is_pinned ? 0 : last_cpu(member) + 1;
	/* It pins itself before its first stage. */
	was_reset = is_pinned && atomic_load_explicit(&shared->stage, memory_order_acquire) != MEMBER_NEW &&
		    pinning_judge(&sampler->pinning, pinned, shared, member, &affinity);
	if (was_reset || (before.tid == member->tid && !same_scheduling(&before, member)))
		atomic_fetch_add_explicit(&shared->ring->changes, 1, memory_order_relaxed);
}

/* Throttled: real-time members used all of a CPU that the kernel allows them, and a gap followed in this tick
 * or the next one. The share alone is no proof, because no other task may have wanted the CPU. */
static bool is_throttled(const struct sampler *sampler, const struct arena_ring *ring,
	struct ring_memory *memory, const struct tick_ring *out, uint64_t window_ns)
{
	const struct throttling *throttling = &sampler->throttling;
	bool keeps_up = ring->interval_ns && !(ring->probe->traits & PROBE_SPINS) && !out->age_ns;
	bool realtime = false, took_all = memory->took_all;

	for (unsigned m = 0; m < ring->n_members; m++)
		realtime |=
			task_policy_is_realtime(sampler->tick.members[out->first_member + m].policy.policy);
	memory->took_all = false;
	if (!throttling->share || !realtime || keeps_up) {
		/* Its use until here does not count for the next window. */
		memset(memory->runtime_ns, 0, ring->n_members * sizeof(*memory->runtime_ns));
		return false;
	}
	memory->took_all = cpu_share_of(ring, memory->runtime_ns, window_ns) >= throttling->share;
	return (took_all || memory->took_all) && tick_ring_longest_wait(out) >= throttling->gap_ns;
}

/* Adds the samples of the reader's last update, whose cells are next to those that the figure has. */
static void add_change(struct tick_figure *figure, const struct histogram_reader *reader)
{
	const struct tick_figure *change = &reader->change;

	if (change->n_cells && (!figure->n_cells || change->first_cell < figure->first_cell))
		figure->first_cell = change->first_cell;
	figure->n_cells += change->n_cells;
	figure->sum_ns = hist_add_sums(figure->sum_ns, change->sum_ns);
	figure->last_ns = change->last_ns ? change->last_ns : figure->last_ns;
	if (change->has_extremes)
		tick_figure_extend(figure, change->min_ns, change->max_ns, change->max_at_ns);
}

/* Figures share cells: the response, for one, has those of waits and of served laps, which are a figure too.
 * In this order, with the origin last, the cells of each figure, and of each hop, follow one another. */
static void read_cells(struct sampler *sampler, const struct arena_ring *ring, struct ring_memory *memory)
{
	for (unsigned f = 0; f < N_LIVE_FIGURES; f++)
		for (unsigned i = 1; i <= ring->n_members; i++) {
			unsigned m = i % ring->n_members;
			const struct hist_live *live = ring->members[m].live[f];

			if (live)
				sampler->lacks_memory |= histogram_reader_update(&memory->readers[m][f], live,
								 &sampler->cells) < 0;
		}
}

static void read_ring_figures(struct sampler *sampler, const struct arena_ring *ring,
	struct ring_memory *memory, struct tick_ring *out)
{
	read_cells(sampler, ring, memory);
	for (unsigned f = 0; f < N_FIGURES; f++) {
		bool is_measured = figure_at(f, ring->interval_ns, sampler->arena->config->stamps) == f;

		for (unsigned s = 0; is_measured && s < N_FIGURE_SOURCES; s++)
			for (unsigned m = ring->n_members; figure_sources[s].figure == f && m-- > 0;)
				add_change(&out->figures[f], &memory->readers[m][figure_sources[s].live]);
	}
	tick_figure_bound_waits(&out->figures[FIGURE_RESPONSE], sampler->cells.cells,
		&out->figures[FIGURE_SERVED], &memory->least_served_ns);
	tick_figure_bound_waits(&out->figures[FIGURE_LATENESS], sampler->cells.cells,
		&memory->readers[0][LIVE_LATENESS].change, &memory->least_late_ns);
}

/* Begins a figure of a member or hop, whose latest sample stays. */
static void begin_figure(struct tick_figure *figure)
{
	*figure = (struct tick_figure){.last_ns = figure->last_ns};
}

/* The receiver of a hop counts its latency. The two hops of a pair are its first hop and its answer. */
static void read_hops(struct sampler *sampler, const struct arena_ring *ring, struct ring_memory *memory,
	struct tick_ring *out)
{
	bool counts = ring->n_members > 2 || sampler->arena->config->tool.pair_hops;

	out->first_hop = out->first_member;
	out->n_hops = out->n_members;
	for (unsigned h = 0; h < ring->n_members; h++) {
		struct tick_hop *hop = &sampler->tick.hops[out->first_hop + h];
		const struct histogram_reader *receiver = memory->readers[(h + 1) % ring->n_members];

		hop->node = atomic_load_explicit(&arena_hop(ring, h)->node, memory_order_relaxed) - 1;
		begin_figure(&hop->figure);
		if (counts) {
			add_change(&hop->figure, &receiver[LIVE_FIRST]);
			add_change(&hop->figure, &receiver[LIVE_ANSWER]);
		}
	}
}

/* The origin's lap is the ring's figure. */
static void read_member_laps(struct sampler *sampler, const struct arena_ring *ring,
	struct ring_memory *memory, const struct tick_ring *out)
{
	for (unsigned m = 0; sampler->arena->config->tool.member_laps && m < ring->n_members; m++) {
		struct tick_figure *lap = &sampler->tick.members[out->first_member + m].lap;

		begin_figure(lap);
		add_change(lap, &memory->readers[m][m ? LIVE_OWN_LAP : LIVE_LAP]);
	}
}

/* Laps that the origin has overwritten since the tick before are lost. */
static void read_lap_log(const struct arena_ring *ring, struct ring_memory *memory, struct tick_ring *out)
{
	const struct lap_log *log = ring->lap_log;

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

static void read_counts(
	const struct arena_ring *ring, struct ring_memory *memory, struct tick_ring *out, uint64_t now_ns)
{
	const struct arena_member *origin = &ring->members[0];

	out->laps = counter_growth(&memory->laps, &origin->laps);
	out->warmup_laps = counter_growth(&memory->warmup_laps, &origin->warmup_laps);
	out->missed = missed_since(ring, memory, now_ns);
	out->rested = counter_growth(&memory->rested, &origin->rested);
	out->away =
		counter_growth(&memory->away, &origin->away) + ring->abandoned_away - memory->abandoned_away;
	memory->abandoned_away = ring->abandoned_away;
	out->timeouts = counter_growth(&memory->timeouts, &origin->timeouts);
	out->active_ns = sum_growth(&memory->active_ns, missed_slots_active_ns(ring, now_ns));
	out->age_ns = age_of(ring, now_ns);
	for (int f = 0; f < N_TOKEN_FAULTS; f++)
		out->faults[f] = counter_growth(&memory->faults[f], &origin->faults[f]);
	memory->ran |= out->laps || out->warmup_laps || out->away;
}

static void read_ring(struct sampler *sampler, uint32_t i, uint64_t now_ns)
{
	struct ring_memory *memory = &sampler->memory[i];
	struct arena_ring *ring = memory->ring;
	struct tick_ring *out = &sampler->tick.rings[i];

	memory->is_over = ring->is_removed && keeper_has_closed(ring);
	if (memory->pinned.is_away && out->state != RING_FAILED) {
		pinning_describe(
			&memory->pinned, ring, &sampler->tick.members[out->first_member], &memory->reason);
		out->reason = memory->reason.text;
	} else if (arena_reason(ring, &memory->reason)) {
		out->reason = memory->reason.text;
	}
	out->locality = memory->pinned.locality;
	read_counts(ring, memory, out, now_ns);
	read_ring_figures(sampler, ring, memory, out);
	read_hops(sampler, ring, memory, out);
	read_member_laps(sampler, ring, memory, out);
	read_lap_log(ring, memory, out);
	bool throttled = is_throttled(sampler, ring, memory, out, now_ns - sampler->tick.end_ns);

	out->condition = condition_of(ring, out->age_ns, memory->ran, memory->pinned.condition, throttled);
	memory->was_stopped = out->condition == CONDITION_STOPPED || is_still_stopped(ring, memory, out);
	if (memory->was_stopped && out->condition == CONDITION_FINE)
		out->condition = CONDITION_STOPPED;
	/* Nobody has paused the ring: its turn began, or went by, before the origin had read the command. */
	if (out->state == RING_PAUSED && !ring->is_paused &&
		(missed_slots_has_turn(ring) || memory->was_stopped))
		out->state = RING_RUNNING;
	if (!ring->plan.unpinned)
		pinning_publish(&memory->pinned, ring, now_ns);
}

void sampler_read_members(struct sampler *sampler, struct tick *tick)
{
	adopt_rings(sampler);
	pinning_tick(&sampler->pinning);
	for (uint32_t i = 0; i < sampler->tick.n_rings; i++) {
		struct ring_memory *memory = &sampler->memory[i];
		const struct arena_ring *ring = memory->ring;
		struct pinned_ring *pinned = &memory->pinned;
		struct tick_ring *out = &sampler->tick.rings[i];

		*out = (struct tick_ring){.id = ring->plan.id,
			.n_members = ring->n_members,
			.first_member = memory->first_member,
			.state = arena_state(ring)};
		for (unsigned m = 0; m < ring->n_members; m++)
			read_member(sampler, pinned, &ring->members[m],
				&sampler->tick.members[memory->first_member + m], out->state);
		if (!ring->plan.unpinned)
			pinning_sum_up(&sampler->pinning, pinned, ring);
		/* Losing or getting back a CPU ends no phase. */
		out->condition = pinned->condition;
	}
	*tick = sampler->tick;
	sampler->members_read = true;
}

bool sampler_forget(struct sampler *sampler, uint32_t *id)
{
	struct tick *tick = &sampler->tick;
	size_t i = 0;

	while (i < tick->n_rings && !sampler->memory[i].is_over)
		i++;
	if (i == tick->n_rings)
		return false;
	struct ring_memory *memory = &sampler->memory[i];
	size_t first = memory->first_member, n = memory->n_members, after = tick->n_members - first - n;

	*id = memory->ring->plan.id;
	arena_remove(memory->ring);
	free_ring(memory);
	memmove(memory, memory + 1, (--tick->n_rings - i) * sizeof(*memory));
	memmove(&tick->members[first], &tick->members[first + n], after * sizeof(*tick->members));
	memmove(&tick->hops[first], &tick->hops[first + n], after * sizeof(*tick->hops));
	tick->n_hops = tick->n_members -= n;
	for (; i < tick->n_rings; i++)
		sampler->memory[i].first_member -= n;
	return true;
}

int sampler_tick(struct sampler *sampler, uint64_t now_ns, struct tick *tick)
{
	struct arena *arena = sampler->arena;
	uint32_t epoch = atomic_load_explicit(&arena->epoch, memory_order_relaxed) + 1;
	uint64_t own_ns = own_runtime(sampler), wait_ns = own_wait(sampler);
	uint64_t window_ns = now_ns - sampler->tick.end_ns;

	if (!sampler->members_read)
		sampler_read_members(sampler, tick);
	sampler->members_read = sampler->lacks_memory = false;
	/* Relaxed: a member that sees it late writes into the old extremes, which are read again. */
	atomic_store_explicit(&arena->epoch, epoch ? epoch : 1, memory_order_relaxed);
	sampler->cells.n = 0;
	for (uint32_t i = 0; i < sampler->tick.n_rings; i++) {
		read_ring(sampler, i, now_ns);
		if (sampler->lacks_memory)
			return -ENOMEM;
	}
	sampler->tick.start_ns = sampler->tick.end_ns;
	sampler->tick.end_ns = now_ns;
	sampler->tick.cells = sampler->cells.cells;
	sampler->tick.n_cells = sampler->cells.n;
	sampler->tick.own_cpu_ppm =
		window_ns ? (uint32_t)((own_ns - sampler->own_ns) * 1000000 / window_ns) : 0;
	small_file_read_line("/proc/loadavg", sampler->tick.loadavg, sizeof(sampler->tick.loadavg));
	uint64_t interrupts = interrupts_count(); /* 0: unknown; the next tick has those of this one, too */
	bool is_known = sampler->interrupts && interrupts >= sampler->interrupts;

	sampler->tick.interrupts = is_known ? interrupts - sampler->interrupts : 0;
	if (interrupts)
		sampler->interrupts = interrupts;
	sampler->own_ns = own_ns;
	sampler->tick.own_wait_ns = wait_ns - sampler->own_wait_ns;
	sampler->own_wait_ns = wait_ns;
	*tick = sampler->tick;
	return 0;
}

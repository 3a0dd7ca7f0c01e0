/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sampler_figures.c - what members have counted since the tick before, put together as figures of rings, hops
 * and members. */
#include <errno.h>

#include "src/engine/sampler_own.h"

static int add_change(
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

static int read_figures(struct sampler *sampler, const struct ring_slot *ring, struct ring_memory *memory,
	struct tick_ring *out)
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
				if (add_change(sampler, figure,
					    &memory->readers[m][figure_sources[s].live].change) < 0)
					return -ENOMEM;
	}
	return 0;
}

/* A hop's latency is counted by who receives. In a pair the first hop and the answer are its two hops. */
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
			if (add_change(sampler, &hop->figure,
				    &memory->readers[receiver][latencies[i]].change) < 0)
				return -ENOMEM;
	}
	return 0;
}

/* The origin's own is the ring's figure. */
static int read_member_laps(struct sampler *sampler, const struct ring_slot *ring, struct ring_memory *memory,
	const struct tick_ring *out)
{
	for (unsigned m = 0; ring->has_member_laps && m < ring->n_members; m++) {
		struct tick_figure *lap = &sampler->members[out->first_member + m].lap;
		const struct histogram_reader *reader = &memory->readers[m][m ? LIVE_OWN_LAP : LIVE_LAP];

		*lap = (struct tick_figure){.last_ns = lap->last_ns, .first_cell = sampler->cells.n};
		if (add_change(sampler, lap, &reader->change) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* What the origin has overwritten since the tick before is lost. */
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

int sampler_read_figures(struct sampler *sampler, const struct ring_slot *ring, struct ring_memory *memory,
	struct tick_ring *out)
{
	int r = read_figures(sampler, ring, memory, out);

	read_lap_log(sampler->arena, ring, memory, out);
	if (r == 0)
		r = read_hops(sampler, ring, memory, out);
	return r < 0 ? r : read_member_laps(sampler, ring, memory, out);
}

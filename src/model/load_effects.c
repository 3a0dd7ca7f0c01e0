/* SPDX-License-Identifier: GPL-2.0-or-later */
/* load_effects.c - what each load did to each ring. */
#include "src/model/load_effects.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/figures/shift.h"
#include "src/machine/cpu_parts.h"

static const char none[] = "none";

/* Phases with the same loads. */
struct load_phases {
	const char *loads;
	const struct phase *blaming; /* the one with the most time in spikes */
};

/* "": not known. */
static const char *loads_of(const struct phase *phase)
{
	return phase->conditions.machine.loads;
}

/* Returns their number, the one without load first; 0 if there is none with, or none without load. */
static size_t find_load_phases(const struct phases *phases, struct load_phases *groups)
{
	size_t n = 1;
	bool has_none = false;

	groups[0] = (struct load_phases){none, NULL};
	for (size_t i = 0; i < phases->n; i++) {
		const struct phase *phase = &phases->list[i];
		size_t at = 0;

		if (!*loads_of(phase))
			continue;
		while (at < n && strcmp(groups[at].loads, loads_of(phase)) != 0)
			at++;
		has_none |= at == 0;
		if (at == n)
			groups[n++] = (struct load_phases){loads_of(phase), NULL};
		if (!groups[at].blaming || phase->blames.ns > groups[at].blaming->blames.ns)
			groups[at].blaming = phase;
	}
	return has_none && n > 1 ? n : 0;
}

/* --- how near CPUs are --- */

/* The CPUs of the machine, with the parts that contain them; without memory none is known. */
struct machine_cpus {
	struct topology_cpu *cpus;             /* owned */
	const struct topology_cpu **by_number; /* owned; CPUS_MAX, NULL where there is none; or NULL */
};

static struct machine_cpus read_machine_cpus(const struct machine *machine)
{
	struct machine_cpus machine_cpus = {0};
	ptrdiff_t n = cpu_parts_read(machine->cpu_parts, &machine_cpus.cpus);

	machine_cpus.by_number = calloc(CPUS_MAX, sizeof(*machine_cpus.by_number));
	for (ptrdiff_t i = 0; machine_cpus.by_number && i < n; i++)
		if (machine_cpus.cpus[i].cpu < CPUS_MAX)
			machine_cpus.by_number[machine_cpus.cpus[i].cpu] = &machine_cpus.cpus[i];
	return machine_cpus;
}

static const struct topology_cpu *find_cpu(const struct machine_cpus *machine_cpus, unsigned cpu)
{
	return machine_cpus->by_number && cpu < CPUS_MAX ? machine_cpus->by_number[cpu] : NULL;
}

/* Returns the CPUs of "KIND:CPUS:INTENSITY ..."; none of a list that is cut. */
static struct cpus cpus_of(const char *loads)
{
	struct cpus all = {0};

	for (const char *at = loads; (at = strchr(at, ':')) != NULL; at += strcspn(at, " ")) {
		char list[LOADS_TEXT_SIZE];
		struct cpus cpus;

		snprintf(list, sizeof(list), "%.*s", (int)strcspn(at + 1, ": "), at + 1);
		if (cpus_parse(&cpus, list) < 0)
			continue;
		for (int cpu = cpus_next(&cpus, -1); cpu >= 0; cpu = cpus_next(&cpus, cpu))
			cpus_add(&all, (unsigned)cpu);
	}
	return all;
}

static enum locality nearest_locality(
	const struct machine_cpus *machine_cpus, const struct session_ring *ring, const char *loads)
{
	struct cpus cpus = cpus_of(loads);
	enum locality nearest = N_LOCALITIES;

	for (int cpu = cpus_next(&cpus, -1); cpu >= 0; cpu = cpus_next(&cpus, cpu))
		for (unsigned m = 0; m < ring->n_members; m++) {
			const struct topology_cpu *a = find_cpu(machine_cpus, (unsigned)cpu);
			const struct topology_cpu *b = find_cpu(machine_cpus, ring->cpus[m]);
			enum locality locality = a && b ? topology_cpu_locality(a, b) : N_LOCALITIES;

			nearest = locality < nearest ? locality : nearest;
		}
	return nearest;
}

/* --- effects --- */

static int sum_phases(const struct session *session, const struct session_ring *ring, const char *loads,
	enum figure figure, struct hist *hist, struct tick_counts *counts)
{
	int r = 0;

	for (size_t i = 0; i < session->phases.n && r == 0; i++) {
		const struct phase *phase = &session->phases.list[i];

		if (strcmp(loads_of(phase), loads) != 0)
			continue;
		struct block_list blocks = session_phase_blocks(session, phase);

		r = block_list_add_figure(&blocks, ring->id, figure, hist);
		block_list_add_counts(&blocks, ring->id, counts);
	}
	return r;
}

/* The figure of a ring in phases with the same loads, by block. */
struct load_blocks {
	struct hist *hists; /* owned, with their counts */
	size_t n;
	bool are_gone; /* those of a phase */
};

static void finish_blocks(struct load_blocks *blocks)
{
	for (size_t i = 0; i < blocks->n; i++)
		hist_finish(&blocks->hists[i]);
	free(blocks->hists);
	*blocks = (struct load_blocks){0};
}

/* Blocks of one phase have equally many ticks, but for the last one; those of another phase may have others.
 */
static uint32_t most_ticks(const struct phase *phase)
{
	uint32_t most = 0;

	for (unsigned i = 0; i < phase->n_blocks; i++)
		most = phase->blocks[i].n_ticks > most ? phase->blocks[i].n_ticks : most;
	return most;
}

/* Joins neighbours until they have about @ticks each: more than half as many, and at most one and a half
 * times as many. @n_ticks: of the last block, to which the phase before may have left room. */
static int add_phase(struct load_blocks *blocks, const struct phase *phase, const struct session_ring *ring,
	enum figure figure, uint32_t ticks, uint32_t *n_ticks)
{
	struct hist *hists = realloc(blocks->hists, (blocks->n + phase->n_blocks + 1) * sizeof(*hists));
	int r = 0;

	if (!hists)
		return -ENOMEM;
	blocks->hists = hists;
	for (unsigned i = 0; i < phase->n_blocks && r == 0; i++) {
		const struct block *block = &phase->blocks[i];
		bool has_room = *n_ticks + block->n_ticks <= ticks || *n_ticks <= ticks / 2;

		if (!blocks->n || !has_room) {
			hists[blocks->n++] = (struct hist){0};
			*n_ticks = 0;
		}
		*n_ticks += block->n_ticks;
		r = packed_row_add_figure(block_row(block, ring->id), figure, &hists[blocks->n - 1]);
	}
	return r;
}

/* A shift takes no more than SHIFT_BLOCKS_MAX. */
static int halve_blocks(struct load_blocks *blocks)
{
	size_t n = 0;
	int r = 0;

	for (size_t i = 0; i < blocks->n; i += 2) {
		if (i + 1 < blocks->n && r == 0)
			r = hist_merge(&blocks->hists[i], &blocks->hists[i + 1]);
		if (i + 1 < blocks->n)
			hist_finish(&blocks->hists[i + 1]);
		blocks->hists[n++] = blocks->hists[i];
	}
	blocks->n = n;
	return r;
}

/* Adds the blocks of all phases with these loads; adds none if those of one phase were dropped. Returns 0 or
 * -ENOMEM; finish_blocks() accepts what is left. */
static int read_blocks(struct load_blocks *blocks, const struct session *session,
	const struct session_ring *ring, const char *loads)
{
	enum figure figure = session_figure_of(ring, FIGURE_RESPONSE);
	uint32_t ticks = 0, n_ticks = 0;
	int r = 0;

	*blocks = (struct load_blocks){0};
	for (size_t i = 0; i < session->phases.n; i++) {
		const struct phase *phase = &session->phases.list[i];
		bool is_of_loads = strcmp(loads_of(phase), loads) == 0;

		blocks->are_gone |= is_of_loads && phase->lacks_blocks;
		if (is_of_loads && most_ticks(phase) > ticks)
			ticks = most_ticks(phase);
	}
	for (size_t i = 0; i < session->phases.n && !blocks->are_gone && r == 0; i++)
		if (strcmp(loads_of(&session->phases.list[i]), loads) == 0)
			r = add_phase(blocks, &session->phases.list[i], ring, figure, ticks, &n_ticks);
	while (blocks->n > SHIFT_BLOCKS_MAX && r == 0)
		r = halve_blocks(blocks);
	return r;
}

static int find_interval(struct load_effect *effect, const struct session *session,
	const struct session_ring *ring, const struct load_blocks *without)
{
	struct load_blocks with;
	struct figure_shift shift = {0};
	int r = read_blocks(&with, session, ring, effect->loads);

	effect->lacks_blocks = without->are_gone || with.are_gone;
	if (r == 0)
		r = figure_shift_init(&shift, without->hists, without->n, with.hists, with.n,
			fmax(session->machine.clock_step_ns, 0));
	double low = exp(shift.shifts[SHIFT_P99].low), high = exp(shift.shifts[SHIFT_P99].high);

	if (r == 0 && shift.verdicts[SHIFT_P99] != SHIFT_TOO_FEW && (low > 0 || !isinf(high))) {
		effect->factor_low = low;
		effect->factor_high = high;
	}
	figure_shift_finish(&shift);
	finish_blocks(&with);
	return r;
}

static void find_culprit(struct load_effect *effect, const struct load_phases *group)
{
	const struct blame_sums *blames = group->blaming ? &group->blaming->blames : NULL;

	if (!blames || !blames->n || !blames->ns)
		return;
	effect->culprit = &blames->list[0];
	effect->culprit_share = (double)blames->list[0].ns / (double)blames->ns;
}

static int fill_effect(struct load_effect *effect, const struct session *session,
	const struct session_ring *ring, const struct load_phases *group)
{
	enum figure figure = session_figure_of(ring, FIGURE_RESPONSE);
	struct tick_counts counts = {0};
	struct hist hist = {0};
	int r = sum_phases(session, ring, group->loads, figure, &hist, &counts);

	*effect = (struct load_effect){
		.loads = group->loads, .locality = N_LOCALITIES, .n = hist.n, .missed = counts.missed};
	if (hist.n) {
		effect->p50_ns = hist_percentile(&hist, 50);
		effect->p99_ns = hist_percentile(&hist, 99);
		effect->max_ns = hist.max_ns;
		effect->is_trusted = hist_beyond(hist.n, 99) >= HIST_BEYOND_TRUSTED;
	}
	if (ring->interval_ns)
		effect->slots = counts.laps + counts.missed;
	find_culprit(effect, group);
	hist_finish(&hist);
	return r;
}

static int compare_factors(const void *a, const void *b)
{
	double x = ((const struct load_effect *)a)->factor, y = ((const struct load_effect *)b)->factor;

	return (x < y) - (x > y);
}

static int fill_ring(struct ring_effects *ring, const struct session *session,
	const struct machine_cpus *machine_cpus, const struct load_phases *groups, size_t n_groups)
{
	struct load_blocks without;
	int r = fill_effect(&ring->without, session, ring->ring, &groups[0]);

	ring->list = calloc(n_groups, sizeof(*ring->list));
	if (!ring->list)
		return -ENOMEM;
	if (r == 0)
		r = read_blocks(&without, session, ring->ring, none);
	else
		without = (struct load_blocks){0};
	for (size_t i = 1; i < n_groups && r == 0; i++) {
		struct load_effect *effect = &ring->list[ring->n];

		r = fill_effect(effect, session, ring->ring, &groups[i]);
		if (!effect->n)
			continue;
		if (ring->without.p99_ns)
			effect->factor = (double)effect->p99_ns / (double)ring->without.p99_ns;
		effect->is_trusted &= ring->without.is_trusted;
		effect->locality = nearest_locality(machine_cpus, ring->ring, effect->loads);
		if (r == 0 && effect->factor > 0)
			r = find_interval(effect, session, ring->ring, &without);
		ring->n++;
	}
	finish_blocks(&without);
	qsort(ring->list, ring->n, sizeof(*ring->list), compare_factors);
	return r;
}

int load_effects_make(struct load_effects *effects, const struct session *session)
{
	struct load_phases *groups = calloc(session->phases.n + 1, sizeof(*groups));
	int r = 0;

	*effects = (struct load_effects){0};
	if (!groups)
		return -ENOMEM;
	struct machine_cpus machine_cpus = read_machine_cpus(&session->machine);
	size_t n_groups = find_load_phases(&session->phases, groups);

	if (n_groups)
		effects->rings = calloc(session->n_rings + 1, sizeof(*effects->rings));
	if (n_groups && !effects->rings)
		r = -ENOMEM;
	for (size_t i = 0; i < session->n_rings && effects->rings && r == 0; i++) {
		struct ring_effects *ring = &effects->rings[effects->n];

		*ring = (struct ring_effects){.ring = &session->rings[i]};
		r = fill_ring(ring, session, &machine_cpus, groups, n_groups);
		if (ring->n && ring->without.n)
			effects->n++;
		else
			free(ring->list);
	}
	free(machine_cpus.by_number);
	free(machine_cpus.cpus);
	free(groups);
	return r;
}

void load_effects_finish(struct load_effects *effects)
{
	for (size_t i = 0; i < effects->n; i++)
		free(effects->rings[i].list);
	free(effects->rings);
	*effects = (struct load_effects){0};
}

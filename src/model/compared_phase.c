/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compared_phase.c - copies a phase of a session, so that it can be compared. */
#include "src/model/compared_phase.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/text.h"
#include "src/model/matrix.h"
#include "src/model/row_pairs.h"
#include "src/model/session.h"
#include "src/plan/plan.h"

int compared_phase_add_fact(struct compared_phase *compared, const char *name, const char *value)
{
	struct compared_fact *facts =
		realloc(compared->facts, (compared->n_facts + 1) * sizeof(*compared->facts));

	if (!facts)
		return -ENOMEM;
	compared->facts = facts;
	struct compared_fact *added = &facts[compared->n_facts++];

	*added = (struct compared_fact){strdup(name), strdup(value)};
	if (!added->name || !added->value)
		return -ENOMEM;
	text_clean(added->name);
	text_clean(added->value);
	return 0;
}

/* Is it at least half, and at most twice, as long as most? Of two the longer one is. */
static bool is_of_usual_length(const struct compared_phase *compared, size_t replicate)
{
	uint64_t length_ns = compared->like_lengths_ns[replicate];
	size_t n_half = 0, n_twice = 0;

	for (size_t i = 0; i < compared->n_like; i++) {
		n_half += compared->like_lengths_ns[i] / 2 <= length_ns;
		n_twice += length_ns / 2 <= compared->like_lengths_ns[i];
	}
	return 2 * n_half > compared->n_like && 2 * n_twice >= compared->n_like;
}

size_t compared_phase_judging(const struct compared_phase *compared)
{
	size_t judging = compared->n_like;

	while (judging > 1 && !is_of_usual_length(compared, judging - 1))
		judging--;
	return judging ? judging - 1 : 0;
}

const char *compared_phase_fact(const struct compared_phase *compared, const char *name)
{
	for (size_t i = 0; i < compared->n_facts; i++)
		if (strcmp(compared->facts[i].name, name) == 0)
			return compared->facts[i].value;
	return "";
}

int compared_row_add_member(struct compared_row *row, struct member_condition member)
{
	struct member_condition *members = realloc(row->members, (row->n_members + 1) * sizeof(*members));

	if (!members)
		return -ENOMEM;
	row->members = members;
	members[row->n_members++] = member;
	return 0;
}

static int add_cpus(struct compared_row *row, const struct session_ring *ring)
{
	size_t size = 11 * (size_t)ring->n_members + 1, at = 0;

	row->n_planned = ring->n_members;
	row->cpus = calloc(size, 1);
	for (unsigned m = 0; row->cpus && m < ring->n_members; m++)
		at += (size_t)snprintf(row->cpus + at, size - at, "%s%u", m ? " " : "", ring->cpus[m]);
	return row->cpus ? 0 : -ENOMEM;
}

struct judged_figures judged_figures_of(enum figure shown, uint64_t interval_ns, enum stamps stamps)
{
	return (struct judged_figures){
		{figure_at(shown, interval_ns, stamps), figure_at(FIGURE_RESPONSE, interval_ns, stamps),
			figure_at(FIGURE_SERVED, interval_ns, stamps)},
		interval_ns > 0};
}

static void add_packed_counts(
	struct judged_block *block, struct scan packed, const struct judged_figures *figures)
{
	struct tick_counts counts = {0};

	packed_row_add_counts(packed, &counts);
	block->active_ns += tick_counts_in_place_ns(&counts);
	block->slots += figures->has_slots ? counts.laps + counts.missed : 0;
	block->missed += counts.missed;
}

static int add_packed(struct judged_block *block, struct scan packed, const struct judged_figures *figures)
{
	int r = 0;

	add_packed_counts(block, packed, figures);
	for (size_t i = 0; i < N_JUDGED_BLOCK_FIGURES && r == 0; i++)
		r = packed_row_add_figure(packed, figures->at[i], &block->hists[i]);
	return r;
}

/* While the phase is halving its blocks, the later ones are joined here, so that all have equally many ticks.
 */
int compared_blocks_read(const struct phase *phase, size_t row, const struct judged_figures *figures,
	struct judged_block **blocks, size_t *n_blocks)
{
	int r = 0;

	*n_blocks = 0;
	*blocks = calloc(phase->n_blocks + 1, sizeof(**blocks));
	if (!*blocks)
		return -ENOMEM;
	for (unsigned i = 0; i < phase->n_blocks && r == 0; i++) {
		bool joins = phase->n_halved && i > phase->n_halved && (i - phase->n_halved) % 2;

		*n_blocks += !joins;
		r = add_packed(&(*blocks)[*n_blocks - 1], block_row(&phase->blocks[i], row), figures);
	}
	return r;
}

static void finish_block(struct judged_block *block)
{
	for (size_t i = 0; i < N_JUDGED_BLOCK_FIGURES; i++)
		hist_finish(&block->hists[i]);
}

void compared_blocks_free(struct judged_block *blocks, size_t n_blocks)
{
	for (size_t i = 0; i < n_blocks; i++)
		finish_block(&blocks[i]);
	free(blocks);
}

const struct row_totals *compared_row_totals(const struct compared_row *row)
{
	static const struct row_totals none;

	return row->totals ? row->totals : &none;
}

struct row_totals *compared_row_add_totals(struct compared_row *row)
{
	if (!row->totals)
		row->totals = calloc(1, sizeof(*row->totals));
	return row->totals;
}

static int add_sums(struct compared_row *row, const struct phase *phase, size_t index)
{
	struct scan packed = block_row(&phase->sum, index);
	struct row_totals *totals = compared_row_add_totals(row);

	if (!totals)
		return -ENOMEM;
	int r = packed_row_add_figure(packed, FIGURE_LATENESS, &totals->late);

	add_packed_counts(&totals->sum, packed, &row->figures);
	for (size_t i = 0; i < N_JUDGED_FIGURES && r == 0; i++)
		r = packed_row_add_figure(packed, row->figures.at[i], &totals->sum.hists[i]);
	return r;
}

int compared_row_read(struct compared_row *row, const struct phase *phase, size_t index)
{
	int r = compared_blocks_read(phase, index, &row->figures, &row->blocks.list, &row->blocks.n);

	return r == 0 ? add_sums(row, phase, index) : r;
}

const struct judged_blocks *compared_row_blocks(const struct compared_row *row, bool of_replicates)
{
	return of_replicates && row->judging.n ? &row->judging : &row->blocks;
}

size_t compared_row_own(const struct compared_row *row, const struct compared_phase *compared)
{
	size_t own = 0;

	while (own < compared->n_like && compared->like[own] != compared->number)
		own++;
	return row->judging.n ? compared_phase_judging(compared) : own;
}

struct judged_block *compared_row_new_like(struct compared_row *row)
{
	struct judged_block *like = realloc(row->like, (row->n_like + 1) * sizeof(*like));

	if (!like)
		return NULL;
	row->like = like;
	like[row->n_like] = (struct judged_block){0};
	return &like[row->n_like++];
}

int compared_row_add_like(struct compared_row *row, const struct block *sum, size_t index)
{
	struct judged_block *like = compared_row_new_like(row);
	struct row_totals *totals = compared_row_add_totals(row);

	if (!like || !totals)
		return -ENOMEM;
	if (index == SIZE_MAX)
		return 0;
	int r = add_packed(like, block_row(sum, index), &row->figures);

	return r == 0 ? packed_row_add_figure(block_row(sum, index), FIGURE_LATENESS, &totals->like_late) : r;
}

static void drop_like(struct compared_row *row)
{
	compared_blocks_free(row->like, row->n_like);
	row->like = NULL;
	row->n_like = 0;
}

static bool was_there_at(uint64_t time_ns, uint64_t added_ns, uint64_t ended_ns)
{
	return added_ns <= time_ns && !(ended_ns && ended_ns <= time_ns);
}

static bool has_slots(const struct block *sum, size_t row)
{
	struct tick_counts counts = {0};

	packed_row_add_counts(block_row(sum, row), &counts);
	return counts.laps || counts.missed;
}

bool compared_phase_lacks(const struct phase *phase, const struct session_ring *ring)
{
	return !was_there_at(phase->end_ns, ring->added_ns, ring->ended_ns) &&
	       !has_slots(&phase->sum, ring->id);
}

void compared_row_find_life(struct compared_row *row, uint64_t start_ns, uint64_t end_ns)
{
	row->was_added = row->added_ns && row->added_ns >= start_ns;
	row->has_ended = row->ended_ns > start_ns && row->ended_ns <= end_ns;
	row->is_absent = !was_there_at(end_ns, row->added_ns, row->ended_ns);
}

static int describe_row(struct compared_phase *compared, const struct session *session,
	const struct phase *phase, size_t index)
{
	const struct session_ring *ring = &session->rings[index];
	struct compared_row *row = &compared->rows[compared->n_rows++];

	row->row = ring->id;
	row->mechanism = strdup(ring->mechanism);
	row->label = strdup(ring->label);
	session_ring_suffix(ring, row->suffix);
	row->size_bytes = ring->token_bytes;
	row->interval_ns = ring->interval_ns;
	row->turn = ring->turn;
	row->has_failed = ring->state == RING_FAILED;
	row->added_ns = ring->added_ns;
	row->ended_ns = ring->ended_ns;
	compared_row_find_life(row, phase->start_ns, phase->end_ns);
	row->figures = judged_figures_of(compared->figure, ring->interval_ns, ring->stamps);
	if (!row->mechanism || !row->label)
		return -ENOMEM;
	return add_cpus(row, ring);
}

int compared_phase_describe(struct compared_phase *compared, const struct session *session,
	const struct phase *phase, enum figure figure, const char *source)
{
	int r = 0;

	*compared = (struct compared_phase){.source = strdup(source),
		.number = phase->number,
		.length_ns = phase->end_ns - phase->start_ns,
		.turn_ns = session->turn_ns,
		.load = phase_load(phase),
		.blames = phase->blames,
		.interrupts = phase_interrupts(phase),
		.n_late = phase->n_late,
		.figure = figure,
		.rows = calloc(session->n_rings + 1, sizeof(*compared->rows))};
	if (!compared->source || !compared->rows)
		return -ENOMEM;
	phase_copy_name(compared->name, phase->name);
	for (size_t i = 0; i < session->n_rings && r == 0; i++)
		r = describe_row(compared, session, phase, i);
	return r;
}

void compared_phase_find_active(struct compared_phase *compared, const struct block *sum)
{
	for (size_t i = 0; i < compared->n_rows; i++) {
		struct compared_row *row = &compared->rows[i];
		struct tick_counts counts = {0};

		packed_row_add_counts(block_row(sum, row->row), &counts);
		row->active_ns = tick_counts_in_place_ns(&counts);
		row->is_absent &= !has_slots(sum, row->row);
	}
	compared_phase_find_round(compared);
}

/* A turn whose rings are not in the phase, or could not be opened, is skipped. */
void compared_phase_find_round(struct compared_phase *compared)
{
	bool has_ring[PLAN_RINGS_MAX] = {0};
	unsigned n = 0;

	for (size_t i = 0; i < compared->n_rows; i++) {
		const struct compared_row *row = &compared->rows[i];

		if (row->is_absent || (row->has_failed && !row->active_ns) || row->turn >= PLAN_RINGS_MAX)
			continue;
		n += !has_ring[row->turn];
		has_ring[row->turn] = true;
	}
	compared->round_ns = n > 1 ? n * compared->turn_ns : 0;
}

int compared_phase_add_members(struct compared_phase *compared, const struct phase_conditions *conditions)
{
	size_t at = 0;
	int r = 0;

	for (size_t i = 0; i < compared->n_rows; i++)
		for (unsigned m = 0; m < compared->rows[i].n_planned && at < conditions->n_members && r == 0;
			m++)
			r = compared_row_add_member(&compared->rows[i], conditions->members[at++]);
	return r;
}

static const char *machine_value(
	const struct machine *machine, const struct machine_fact *fact, char text[32])
{
	const char *value = machine_text(machine, fact);
	int64_t number = value ? 0 : field_number(&fact->field, machine);

	if (value)
		return value;
	if (fact->value_names)
		return fact->value_names[number];
	if (fact->is_switch)
		return number ? "true" : "false";
	snprintf(text, 32, "%lld", (long long)number);
	return text;
}

int compared_phase_add_machine(struct compared_phase *compared, const struct machine *machine)
{
	int r = 0;

	for (size_t i = 0; i < machine_n_facts && r == 0; i++) {
		const struct machine_fact *fact = &machine_facts[i];
		char name[64], text[32];

		if (!fact->report || (fact->unknown && field_number(&fact->field, machine) == fact->unknown))
			continue;
		snprintf(name, sizeof(name), "host.%s", fact->report);
		r = compared_phase_add_fact(compared, name, machine_value(machine, fact, text));
	}
	return r;
}

static void share_blocks(struct judged_blocks *blocks, const struct judged_blocks *first)
{
	for (size_t i = 0; i < blocks->n; i++)
		for (size_t f = JUDGED_RESPONSE; f < N_JUDGED_BLOCK_FIGURES; f++) {
			hist_finish(&blocks->list[i].hists[f]);
			blocks->list[i].hists[f] = first->list[i].hists[f];
		}
	blocks->shares = true;
}

void compared_phase_share(struct compared_phase *compared, const struct compared_phase *first)
{
	for (size_t i = 0; i < compared->n_rows; i++)
		if (compared->rows[i].blocks.n == first->rows[i].blocks.n)
			share_blocks(&compared->rows[i].blocks, &first->rows[i].blocks);
}

static void drop_blocks(struct judged_blocks *blocks)
{
	for (size_t i = 0; i < blocks->n && blocks->shares; i++)
		for (size_t f = JUDGED_RESPONSE; f < N_JUDGED_BLOCK_FIGURES; f++)
			blocks->list[i].hists[f] = (struct hist){0};
	compared_blocks_free(blocks->list, blocks->n);
	*blocks = (struct judged_blocks){0};
}

void compared_row_drop_samples(struct compared_row *row)
{
	drop_blocks(&row->blocks);
	drop_blocks(&row->judging);
	drop_like(row);
	if (!row->totals)
		return;
	finish_block(&row->totals->sum);
	hist_finish(&row->totals->late);
	hist_finish(&row->totals->like_late);
	free(row->totals);
	row->totals = NULL;
}

static void add_block_maximum(struct judged_block *sum, const struct judged_block *block)
{
	const struct hist *shown = &block->hists[JUDGED_SHOWN];

	sum->active_ns += block->active_ns;
	if (shown->max_at_ns)
		hist_extend(&sum->hists[JUDGED_SHOWN], shown->min_ns, shown->max_ns, shown->max_at_ns);
}

static int add_judged(struct judged_block *sum, const struct judged_block *block)
{
	int r = 0;

	for (size_t i = 0; i < N_JUDGED_FIGURES && r == 0; i++)
		r = hist_merge(&sum->hists[i], &block->hists[i]);
	sum->active_ns += block->active_ns;
	sum->slots += block->slots;
	sum->missed += block->missed;
	return r;
}

static int add_like(struct compared_row *sum, const struct compared_row *row)
{
	int r = hist_merge(&sum->totals->like_late, &compared_row_totals(row)->like_late);

	while (sum->n_like < row->n_like && r == 0)
		r = compared_row_new_like(sum) ? 0 : -ENOMEM;
	for (size_t i = 0; i < row->n_like && r == 0; i++)
		r = add_judged(&sum->like[i], &row->like[i]);
	return r;
}

static int add_maxima(struct judged_blocks *sum, const struct judged_blocks *blocks)
{
	if (!sum->list)
		sum->list = calloc(PHASE_BLOCKS_MAX, sizeof(*sum->list));
	if (!sum->list)
		return -ENOMEM;
	for (size_t i = 0; i < blocks->n; i++)
		add_block_maximum(&sum->list[i], &blocks->list[i]);
	sum->n = blocks->n > sum->n ? blocks->n : sum->n;
	return 0;
}

int compared_row_add(struct compared_row *sum, const struct compared_row *row)
{
	const struct row_totals *totals = compared_row_totals(row);

	if (!compared_row_add_totals(sum))
		return -ENOMEM;
	int r = hist_merge(&sum->totals->late, &totals->late);

	if (r == 0)
		r = add_maxima(&sum->blocks, &row->blocks);
	if (r == 0)
		r = add_maxima(&sum->judging, &row->judging);
	if (r == 0)
		r = add_judged(&sum->totals->sum, &totals->sum);
	return r == 0 ? add_like(sum, row) : r;
}

void compared_row_finish(struct compared_row *row)
{
	compared_row_drop_samples(row);
	free(row->mechanism);
	free(row->label);
	free(row->cpus);
	free(row->members);
}

void compared_phase_finish(struct compared_phase *compared)
{
	for (size_t i = 0; i < compared->n_rows; i++)
		compared_row_finish(&compared->rows[i]);
	for (size_t i = 0; i < compared->n_facts; i++) {
		free(compared->facts[i].name);
		free(compared->facts[i].value);
	}
	matrix_destroy(compared->matrix);
	free(compared->rows);
	free(compared->facts);
	free(compared->source);
	*compared = (struct compared_phase){0};
}

/* --- replicates --- */

void compared_phase_add_replicate(
	struct compared_phase *compared, uint32_t number, uint64_t length_ns, const struct blame_sums *blames)
{
	compared->like_lengths_ns[compared->n_like] = length_ns;
	compared->like[compared->n_like++] = number;
	compared->like_ns += length_ns;
	blame_sums_merge(&compared->like_blames, blames);
}

int replicate_describe(struct compared_phase *replicate, const struct compared_phase *rows, uint64_t start_ns,
	uint64_t end_ns)
{
	*replicate = (struct compared_phase){.rows = calloc(rows->n_rows + 1, sizeof(*replicate->rows))};
	if (!replicate->rows)
		return -ENOMEM;
	for (; replicate->n_rows < rows->n_rows; replicate->n_rows++) {
		const struct compared_row *row = &rows->rows[replicate->n_rows];
		struct compared_row *copy = &replicate->rows[replicate->n_rows];

		*copy = (struct compared_row){.row = row->row,
			.mechanism = row->mechanism,
			.label = row->label,
			.cpus = row->cpus,
			.size_bytes = row->size_bytes,
			.added_ns = row->added_ns,
			.ended_ns = row->ended_ns,
			.figures = row->figures};
		compared_row_find_life(copy, start_ns, end_ns);
	}
	return 0;
}

void replicate_finish(struct compared_phase *replicate)
{
	free(replicate->rows);
	*replicate = (struct compared_phase){0};
}

int replicate_pair(
	const struct compared_phase *compared, const struct compared_phase *replicate, size_t *partners)
{
	enum row_kind *kinds = calloc(compared->n_rows + replicate->n_rows + 1, sizeof(*kinds));

	if (!kinds)
		return -ENOMEM;
	row_pairs_find(replicate, compared, kinds + compared->n_rows, kinds, partners);
	free(kinds);
	return 0;
}

int replicate_find_rows(const struct compared_phase *compared, const struct compared_phase *rows,
	uint64_t start_ns, uint64_t end_ns, const struct block *sum, size_t *numbers)
{
	struct compared_phase replicate;
	int r = replicate_describe(&replicate, rows, start_ns, end_ns);

	if (r == 0) {
		compared_phase_find_active(&replicate, sum);
		r = replicate_pair(compared, &replicate, numbers);
	}
	for (size_t i = 0; i < compared->n_rows && r == 0; i++)
		if (numbers[i] < replicate.n_rows)
			numbers[i] = replicate.rows[numbers[i]].row;
	replicate_finish(&replicate);
	return r;
}

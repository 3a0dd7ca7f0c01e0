/* SPDX-License-Identifier: GPL-2.0-or-later */
/* phase.c - the phases of a session. */
#include "src/model/phase.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/text.h"

static const char *const causes[] = {
	[PHASE_START] = "start",
	[PHASE_KEY] = "key",
	[PHASE_MARK] = "mark",
	[PHASE_CHANGE] = "change",
};

const char *phase_cause_name(enum phase_cause cause)
{
	return causes[cause];
}

static void phase_finish(struct phase *phase)
{
	gather_finish(&phase->sum);
	gather_finish(&phase->open);
	for (unsigned i = 0; i < phase->n_blocks; i++)
		span_unref(phase->blocks[i]);
	merge_finish(&phase->merge);
	phase->n_blocks = 0;
}

static bool is_doubling(const struct phase *phase)
{
	return phase->n_single > 0;
}

/* Each two blocks become one. A last one that is left over, as may be where the phase has ended, stays. */
static void begin_doubling(struct phase *phase)
{
	phase->n_doubled = 0;
	phase->n_single = phase->n_blocks & ~1u;
	phase->block_ticks *= 2;
}

static int work_doubling(struct phase *phase, struct pack_sums *sums)
{
	struct span **pair = &phase->blocks[phase->n_doubled], *merged;
	int r = merge_step(&phase->merge, pair, 2, sums, &merged);

	if (r <= 0)
		return r;
	span_unref(pair[0]);
	span_unref(pair[1]);
	pair[0] = merged;
	phase->n_doubled++;
	phase->n_single -= 2;
	phase->n_blocks--;
	memmove(&pair[1], &pair[2], (phase->n_blocks - phase->n_doubled) * sizeof(*pair));
	return 0;
}

/* One that is the phase's sum takes no room of its own. */
static size_t blocks_bytes(const struct phase *phase)
{
	size_t bytes = 0;

	if (phase->n_blocks == 1 && phase->blocks[0] == phase->sum.sum)
		return 0;
	for (unsigned i = 0; i < phase->n_blocks; i++)
		bytes += phase->blocks[i]->bytes;
	return bytes;
}

static bool take_too_much(const struct phases *phases, size_t n_rows)
{
	size_t bytes = 0;

	for (size_t i = 0; i < phases->n; i++)
		bytes += blocks_bytes(&phases->list[i]);
	return bytes > n_rows * PHASES_RING_BYTES;
}

/* The one that takes the most gives. One that still gets blocks waits until they make pairs. */
static struct phase *find_largest(const struct phases *phases)
{
	struct phase *largest = NULL;

	for (size_t i = 0; i < phases->n; i++) {
		struct phase *phase = &phases->list[i];

		if (phase->n_blocks >= 2 * PHASE_BLOCKS_MIN && (phase->settled || phase->n_blocks % 2 == 0) &&
			(!largest || blocks_bytes(phase) > blocks_bytes(largest)))
			largest = phase;
	}
	return largest;
}

/* Those of the oldest phase that still has some; its sum is one block. Returns whether there was one. */
static bool forget_blocks(struct phases *phases)
{
	for (size_t i = 0; i + 1 + PHASES_WITH_BLOCKS < phases->n; i++) {
		struct phase *phase = &phases->list[i];

		if (!phase->settled || phase->n_blocks < 2)
			continue;
		for (unsigned b = 0; b < phase->n_blocks; b++)
			span_unref(phase->blocks[b]);
		merge_finish(&phase->merge);
		phase->blocks[0] = span_ref(phase->sum.sum);
		phase->block_ticks = phase->sum.sum->n_ticks;
		phase->n_blocks = 1;
		phase->n_single = phase->n_doubled = 0;
		return true;
	}
	return false;
}

/* One at a time, the current one first. */
static int work_blocks(struct phases *phases, size_t n_rows, struct pack_sums *sums)
{
	struct phase *doubling = NULL, *current = &phases->list[phases->n - 1];

	if (current->n_blocks == PHASE_BLOCKS_MAX && !is_doubling(current))
		begin_doubling(current);
	for (size_t i = 0; i < phases->n; i++)
		if (is_doubling(&phases->list[i]))
			doubling = &phases->list[i];
	if (take_too_much(phases, n_rows) && forget_blocks(phases))
		return 0;
	if (!doubling && take_too_much(phases, n_rows) && (doubling = find_largest(phases)))
		begin_doubling(doubling);
	return doubling ? work_doubling(doubling, sums) : 0;
}

/* What is open becomes blocks, each as soon as it has its ticks; where the phase has @ended, also the last
 * one, that has less. */
static int work_open(struct phase *phase, bool ended, struct pack_sums *sums)
{
	struct gather *open = &phase->open;
	uint32_t has = open->sum ? open->sum->n_ticks : 0, lacks = phase->block_ticks - has;
	int r = gather_work(open,
		ended                    ? 1
		: lacks < GATHER_WAITING ? lacks
					 : GATHER_WAITING,
		phase->block_ticks, sums);

	if (r < 0 || !open->sum || open->n_merging || phase->n_blocks == PHASE_BLOCKS_MAX)
		return r;
	if (open->sum->n_ticks < phase->block_ticks && (!ended || open->n_waiting))
		return 0;
	r = gather_add(&phase->sum, open->sum, sums);
	if (r == 0) {
		phase->blocks[phase->n_blocks++] = open->sum;
		open->sum = NULL;
	}
	return r;
}

/* A phase that has ended. One block that is the whole of it is its sum; after a seek its blocks are those
 * from there on. */
static int settle(struct phase *phase, struct pack_sums *sums)
{
	int r = work_open(phase, true, sums);

	if (r < 0 || phase->open.sum || phase->open.n_waiting)
		return r;
	if (phase->n_blocks == 1 && phase->blocks[0]->n_ticks == gather_ticks(&phase->sum)) {
		gather_finish(&phase->sum);
		phase->sum.sum = span_ref(phase->blocks[0]);
	} else {
		r = gather_work(&phase->sum, 1, UINT32_MAX, sums);
	}
	phase->settled = r == 0 && !phase->sum.n_waiting;
	return r;
}

static int settle_oldest(struct phases *phases, struct pack_sums *sums)
{
	for (size_t i = 0; i + 1 < phases->n; i++)
		if (!phases->list[i].settled)
			return settle(&phases->list[i], sums);
	return 0;
}

int phases_feed(struct phases *phases, struct span *span, struct pack_sums *sums)
{
	struct phase *phase = &phases->list[phases->n - 1];
	int r = gather_add(&phase->open, span, sums);

	phase->end_ns = span->end_ns;
	if (r == 0)
		r = work_open(phase, false, sums);
	if (r == 0)
		r = gather_work(&phase->sum, phase->block_ticks < GATHER_WAITING ? GATHER_WAITING : 1,
			UINT32_MAX, sums);
	if (r == 0)
		r = settle_oldest(phases, sums);
	return r < 0 ? r : work_blocks(phases, span->n_rows, sums);
}

/* What is not yet whole at the end, a letter in UTF-8, is left out. */
void phase_copy_name(char copy[PHASE_NAME_SIZE], const char *name)
{
	size_t length = strlen(name);

	if (length >= PHASE_NAME_SIZE)
		for (length = PHASE_NAME_SIZE - 1; length && ((unsigned char)name[length] & 0xc0) == 0x80;)
			length--;
	snprintf(copy, PHASE_NAME_SIZE, "%.*s", (int)length, name);
	text_clean(copy);
}

int phases_begin(struct phases *phases, enum phase_cause cause, const char *name, uint64_t start_ns)
{
	bool forgets = phases->n == PHASES_MAX;
	struct phase *list;

	if (forgets) {
		phase_finish(&phases->list[0]);
		memmove(phases->list, phases->list + 1, --phases->n * sizeof(*phases->list));
		phases->dropped++;
	}
	list = realloc(phases->list, (phases->n + 1) * sizeof(*list));
	if (!list)
		return -ENOMEM;
	phases->list = list;
	list[phases->n] = (struct phase){.number = (uint32_t)(phases->dropped + phases->n + 1),
		.cause = cause,
		.start_ns = start_ns,
		.end_ns = start_ns,
		.block_ticks = 1};
	phase_copy_name(list[phases->n++].name, name ? name : "");
	return forgets;
}

static int gather_spans(const struct gather *gather, struct span_list *list)
{
	int r = gather->sum ? span_list_add(list, gather->sum) : 0;

	for (unsigned i = 0; i < gather->n_waiting && r == 0; i++)
		r = span_list_add(list, gather->waiting[i]);
	return r;
}

int phase_spans(const struct phase *phase, struct span_list *list)
{
	int r = gather_spans(&phase->sum, list);

	return r < 0 ? r : gather_spans(&phase->open, list);
}

int phase_add_figure(const struct phase *phase, size_t row, enum figure figure, struct hist *hist)
{
	int r = gather_add_figure(&phase->sum, row, figure, hist);

	return r < 0 ? r : gather_add_figure(&phase->open, row, figure, hist);
}

void phase_add_counts(const struct phase *phase, size_t row, struct pack_counts *counts)
{
	gather_add_counts(&phase->sum, row, counts);
	gather_add_counts(&phase->open, row, counts);
}

int phase_sum_row(const struct phase *phase, size_t row, struct pack_sums *sums)
{
	int r = 0;

	pack_sums_reset(sums);
	for (int i = 0; i < N_FIGURES && r == 0; i++)
		r = phase_add_figure(phase, row, (enum figure)i, &sums->hists[i]);
	phase_add_counts(phase, row, &sums->counts);
	return r;
}

void phases_finish(struct phases *phases)
{
	for (size_t i = 0; i < phases->n; i++)
		phase_finish(&phases->list[i]);
	free(phases->list);
	*phases = (struct phases){0};
}

const struct phase *phases_current(const struct phases *phases)
{
	return phases->n ? &phases->list[phases->n - 1] : NULL;
}

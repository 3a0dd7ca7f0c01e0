/* SPDX-License-Identifier: GPL-2.0-or-later */
/* span.c - ticks of all rows, packed, and their sums. */
#include "src/model/span.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct span *span_create(size_t n_rows, uint64_t start_ns, uint64_t end_ns)
{
	size_t size = sizeof(struct span) + n_rows * sizeof(struct pack *);
	struct span *span = calloc(1, size);

	if (span) {
		span->refs = span->n_ticks = 1;
		span->start_ns = start_ns;
		span->end_ns = end_ns;
		span->bytes = size;
		span->n_rows = n_rows;
	}
	return span;
}

struct span *span_ref(struct span *span)
{
	span->refs++;
	return span;
}

void span_unref(struct span *span)
{
	if (!span || --span->refs)
		return;
	for (size_t i = 0; i < span->n_rows; i++)
		free(span->packs[i]);
	free(span);
}

static void count_bytes(struct span *span, size_t row)
{
	if (span->packs[row])
		span->bytes += sizeof(struct pack) + span->packs[row]->size;
}

int span_pack(struct span *span, size_t row, const struct tick_ring *seen, const struct hist_cell *cells,
	struct pack_sums *sums)
{
	int r = pack_make(&span->packs[row], seen, cells, sums);

	count_bytes(span, row);
	return r;
}

int span_pack_sums(struct span *span, size_t row, const struct pack_sums *from, struct pack_sums *sums)
{
	int r = pack_make_sums(&span->packs[row], from, sums);

	count_bytes(span, row);
	return r;
}

static struct span *create_sum(struct span *const *spans, size_t n)
{
	struct span *span = span_create(spans[0]->n_rows, spans[0]->start_ns, spans[n - 1]->end_ns);

	if (!span)
		return NULL;
	span->n_ticks = 0;
	for (size_t i = 0; i < n; i++)
		span->n_ticks += spans[i]->n_ticks;
	return span;
}

/* How many rows one step does: as many buckets as about one tick and a half has. A sum has more of them than
 * a tick, but not for each of its ticks. */
static size_t pace(struct span *const *spans, size_t n)
{
	size_t weight = 0;

	for (size_t i = 0; i < n; i++)
		weight += spans[i]->n_ticks < 3 ? spans[i]->n_ticks : 3;
	return 1 + spans[0]->n_rows * 3 / (2 * (weight ? weight : 1));
}

int merge_step(
	struct merge *merge, struct span *const *spans, size_t n, struct pack_sums *sums, struct span **span)
{
	const struct pack *packs[PACK_MERGE_MAX];
	int r = 0;

	if (n == 1) {
		*span = span_ref(spans[0]);
		return 1;
	}
	if (!merge->out && !(merge->out = create_sum(spans, n)))
		return -ENOMEM;
	size_t end = merge->row + pace(spans, n);

	for (; merge->row < end && merge->row < merge->out->n_rows && r == 0; merge->row++) {
		for (size_t i = 0; i < n; i++)
			packs[i] = spans[i]->packs[merge->row];
		r = pack_merge(&merge->out->packs[merge->row], packs, n, sums);
		count_bytes(merge->out, merge->row);
	}
	if (r < 0) {
		merge_finish(merge);
		return r;
	}
	if (merge->row < merge->out->n_rows)
		return 0;
	*span = merge->out;
	*merge = (struct merge){0};
	return 1;
}

void merge_finish(struct merge *merge)
{
	span_unref(merge->out);
	*merge = (struct merge){0};
}

static int step(struct gather *gather, struct pack_sums *sums)
{
	struct span *spans[GATHER_WAITING_MAX + 1], *merged;
	size_t n = 0;
	int r;

	if (gather->sum)
		spans[n++] = gather->sum;
	for (unsigned i = 0; i < gather->n_merging; i++)
		spans[n++] = gather->waiting[i];
	r = merge_step(&gather->merge, spans, n, sums, &merged);
	if (r <= 0)
		return r;
	for (size_t i = 0; i < n; i++)
		span_unref(spans[i]);
	gather->sum = merged;
	gather->n_waiting -= gather->n_merging;
	memmove(gather->waiting, gather->waiting + gather->n_merging,
		gather->n_waiting * sizeof(*gather->waiting));
	gather->n_merging = 0;
	return 0;
}

/* How many of those that wait make no more than @most ticks with the sum. */
static unsigned count_merging(const struct gather *gather, uint32_t most)
{
	uint32_t ticks = gather->sum ? gather->sum->n_ticks : 0;
	unsigned n = 0;

	while (n < gather->n_waiting && ticks <= most && gather->waiting[n]->n_ticks <= most - ticks)
		ticks += gather->waiting[n++]->n_ticks;
	return n;
}

int gather_work(struct gather *gather, unsigned least, uint32_t most, struct pack_sums *sums)
{
	if (!gather->n_merging && gather->n_waiting >= least)
		gather->n_merging = count_merging(gather, most);
	return gather->n_merging ? step(gather, sums) : 0;
}

int gather_flush(struct gather *gather, struct pack_sums *sums)
{
	int r = 0;

	while (gather->n_waiting && r == 0)
		r = gather_work(gather, 1, UINT32_MAX, sums);
	return r;
}

int gather_add(struct gather *gather, struct span *span, struct pack_sums *sums)
{
	int r = gather->n_waiting == GATHER_WAITING_MAX ? gather_flush(gather, sums) : 0;

	if (r == 0)
		gather->waiting[gather->n_waiting++] = span_ref(span);
	return r;
}

uint32_t gather_ticks(const struct gather *gather)
{
	uint32_t n = gather->sum ? gather->sum->n_ticks : 0;

	for (unsigned i = 0; i < gather->n_waiting; i++)
		n += gather->waiting[i]->n_ticks;
	return n;
}

void gather_finish(struct gather *gather)
{
	span_unref(gather->sum);
	for (unsigned i = 0; i < gather->n_waiting; i++)
		span_unref(gather->waiting[i]);
	merge_finish(&gather->merge);
	*gather = (struct gather){0};
}

int gather_add_figure(const struct gather *gather, size_t row, enum figure figure, struct hist *hist)
{
	int r = gather->sum ? pack_add_figure(gather->sum->packs[row], figure, hist) : 0;

	for (unsigned i = 0; i < gather->n_waiting && r == 0; i++)
		r = pack_add_figure(gather->waiting[i]->packs[row], figure, hist);
	return r;
}

void gather_add_counts(const struct gather *gather, size_t row, struct pack_counts *counts)
{
	if (gather->sum)
		pack_add_counts(gather->sum->packs[row], counts);
	for (unsigned i = 0; i < gather->n_waiting; i++)
		pack_add_counts(gather->waiting[i]->packs[row], counts);
}

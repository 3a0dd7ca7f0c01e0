/* SPDX-License-Identifier: GPL-2.0-or-later */
/* packed_row.c - histograms as bytes, and what is read of them. */
#include "src/model/packed_row.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/model/packed_row_bytes.h"

/* Cells of the same bucket are one count, and of nothing none: a recording may be anyone's. */
static uint8_t *put_cells(uint8_t *at, const struct hist_cell *cells, size_t n_cells)
{
	unsigned next = 0;

	for (size_t i = 0; i < n_cells;) {
		unsigned bucket = cells[i].bucket;
		uint64_t count = cells[i++].count;

		while (i < n_cells && cells[i].bucket == bucket)
			count += cells[i++].count;
		if (count)
			at = put_bucket(at, &next, bucket, count);
	}
	return at;
}

static bool same_seen(const struct tick_figure *a, const struct tick_figure *b, const struct hist_cell *cells)
{
	if (a->n_cells != b->n_cells || a->sum_ns != b->sum_ns || a->has_extremes != b->has_extremes ||
		(a->has_extremes &&
			(a->min_ns != b->min_ns || a->max_ns != b->max_ns || a->max_at_ns != b->max_at_ns)))
		return false;
	return memcmp(cells + a->first_cell, cells + b->first_cell, a->n_cells * sizeof(*cells)) == 0;
}

static uint8_t *put_seen(
	uint8_t *at, const struct tick_figure *figures, enum figure figure, const struct hist_cell *cells)
{
	const struct tick_figure *seen = &figures[figure];

	if (!seen->n_cells && !seen->has_extremes)
		return at;
	if (figure == FIGURE_SERVED && same_seen(seen, &figures[FIGURE_RESPONSE], cells))
		return put(at, SAME_AS_RESPONSE);
	at = put_head(at, seen->sum_ns, seen->has_extremes, seen->min_ns, seen->max_ns, seen->max_at_ns);
	return put_cells(at, cells + seen->first_cell, seen->n_cells);
}

int pack_provide_buffer(struct pack_sums *sums)
{
	if (!sums->buffer)
		sums->buffer = malloc(PACK_MAX);
	return sums->buffer ? 0 : -ENOMEM;
}

int pack_copy_buffer(struct pack **pack, const struct pack_sums *sums, const uint8_t *end)
{
	size_t size = (size_t)(end - sums->buffer);

	*pack = malloc(sizeof(**pack) + size);
	if (!*pack)
		return -ENOMEM;
	(*pack)->size = (uint32_t)size;
	memcpy((*pack)->bytes, sums->buffer, size);
	return 0;
}

static bool any_counts(const struct pack_counts *counts)
{
	return counts->active_ns || counts->laps || counts->warmup_laps || counts->missed || counts->rested ||
	       counts->away;
}

static struct pack_counts counts_of(const struct tick_ring *row)
{
	return (struct pack_counts){
		row->active_ns, row->laps, row->warmup_laps, row->missed, row->rested, row->away};
}

int pack_make(struct pack **pack, const struct tick_ring *row, const struct hist_cell *cells,
	struct pack_sums *sums)
{
	struct pack_counts counts = counts_of(row);
	bool any = any_counts(&counts);
	uint8_t *at;

	for (int i = 0; i < N_FIGURES; i++)
		any = any || row->figures[i].n_cells || row->figures[i].has_extremes;
	*pack = NULL;
	if (!any)
		return 0;
	if (pack_provide_buffer(sums) < 0)
		return -ENOMEM;
	at = put_counts(sums->buffer, &counts);
	for (int i = 0; i < N_FIGURES; i++)
		at = put_length(at, put_seen(at + 2, row->figures, (enum figure)i, cells));
	return pack_copy_buffer(pack, sums, at);
}

static bool same_hist(const struct hist *a, const struct hist *b)
{
	if (a->n != b->n || a->sum_ns != b->sum_ns || a->max_at_ns != b->max_at_ns ||
		(a->max_at_ns && (a->min_ns != b->min_ns || a->max_ns != b->max_ns)))
		return false;
	for (unsigned o = 0; o < HIST_OCTAVES; o++)
		if (a->octave_n[o] != b->octave_n[o] ||
			(a->octave_n[o] &&
				memcmp(a->octave[o], b->octave[o], HIST_OCTAVE * sizeof(*a->octave[o])) != 0))
			return false;
	return true;
}

static uint8_t *put_hist(uint8_t *at, const struct hist *hists, enum figure figure)
{
	const struct hist *hist = &hists[figure];
	unsigned next = 0;

	if (!hist->n && !hist->max_at_ns)
		return at;
	if (figure == FIGURE_SERVED && same_hist(hist, &hists[FIGURE_RESPONSE]))
		return put(at, SAME_AS_RESPONSE);
	at = put_head(at, hist->sum_ns, hist->max_at_ns, hist->min_ns, hist->max_ns, hist->max_at_ns);
	for (unsigned o = 0; o < HIST_OCTAVES; o++)
		for (unsigned i = 0; hist->octave_n[o] && i < HIST_OCTAVE; i++)
			if (hist->octave[o][i])
				at = put_bucket(at, &next, o * HIST_OCTAVE + i, hist->octave[o][i]);
	return at;
}

int pack_make_sums(struct pack **pack, const struct pack_sums *from, struct pack_sums *sums)
{
	uint8_t *at;

	*pack = NULL;
	if (!pack_sums_any(from))
		return 0;
	if (pack_provide_buffer(sums) < 0)
		return -ENOMEM;
	at = put_counts(sums->buffer, &from->counts);
	for (int i = 0; i < N_FIGURES; i++)
		at = put_length(at, put_hist(at + 2, from->hists, (enum figure)i));
	return pack_copy_buffer(pack, sums, at);
}

/* Adds up to 64 neighbours at once, each count @times; most are of one byte. */
static int take_buckets(const uint8_t *at, const uint8_t *end, struct hist *hist, uint64_t times)
{
	uint64_t *counts = NULL, count, sum = 0;
	unsigned bucket = 0, octave = 0;

	while (at < end) {
		count = *at;
		at = count < 128 ? at + 1 : take(at, &count);
		if (!count) {
			at = take(at, &count);
			bucket += (unsigned)count;
			continue;
		}
		if (!counts || bucket / HIST_OCTAVE != octave) {
			hist_counted(hist, octave, sum);
			sum = 0;
			octave = bucket / HIST_OCTAVE;
			counts = hist_counts(hist, octave);
			if (!counts)
				return -ENOMEM;
		}
		counts[bucket++ % HIST_OCTAVE] += count * times;
		sum += count * times;
	}
	hist_counted(hist, octave, sum);
	return 0;
}

/* Where a figure begins, and how long it is. */
static const uint8_t *find(const struct pack *pack, enum figure figure, size_t *length)
{
	struct pack_counts counts;
	const uint8_t *at = take_counts(pack->bytes, &counts);

	for (int i = 0;; i++, at += 2 + *length) {
		*length = at[0] | (size_t)at[1] << 8;
		if (i == (int)figure)
			return at + 2;
	}
}

/* The same, where it may stand for another; then its head is read. Returns NULL where there is none. */
static const uint8_t *find_head(
	const struct pack *pack, enum figure figure, struct head *head, const uint8_t **end)
{
	const uint8_t *at;
	size_t length;

	if (!pack)
		return NULL;
	at = find(pack, figure, &length);
	if (length && *at & SAME_AS_RESPONSE)
		at = find(pack, FIGURE_RESPONSE, &length);
	*end = at + length;
	return length ? take_head(at, head) : NULL;
}

int pack_add_figure(const struct pack *pack, enum figure figure, struct hist *hist)
{
	struct head head;
	const uint8_t *end, *at = find_head(pack, figure, &head, &end);

	if (!at)
		return 0;
	hist->sum_ns += head.sum_ns;
	if (head.has_extremes)
		hist_extend(hist, head.min_ns, head.max_ns, head.max_at_ns);
	return take_buckets(at, end, hist, 1);
}

bool pack_subtract_figure(const struct pack *pack, enum figure figure, struct hist *hist)
{
	struct head head;
	const uint8_t *end, *at = find_head(pack, figure, &head, &end);

	if (!at)
		return false;
	hist->sum_ns -= head.sum_ns;
	take_buckets(at, end, hist, UINT64_MAX); /* that is -1; it needs no memory */
	return head.has_extremes && (head.min_ns <= hist->min_ns || head.max_ns >= hist->max_ns);
}

void pack_add_extremes(const struct pack *pack, enum figure figure, struct hist *hist)
{
	struct head head;
	const uint8_t *end;

	if (find_head(pack, figure, &head, &end) && head.has_extremes)
		hist_extend(hist, head.min_ns, head.max_ns, head.max_at_ns);
}

void pack_counts_add(struct pack_counts *counts, const struct pack_counts *more)
{
	counts->active_ns += more->active_ns;
	counts->laps += more->laps;
	counts->warmup_laps += more->warmup_laps;
	counts->missed += more->missed;
	counts->rested += more->rested;
	counts->away += more->away;
}

void pack_add_counts(const struct pack *pack, struct pack_counts *counts)
{
	struct pack_counts more;

	if (!pack)
		return;
	take_counts(pack->bytes, &more);
	pack_counts_add(counts, &more);
}

void pack_subtract_counts(const struct pack *pack, struct pack_counts *counts)
{
	struct pack_counts less;

	if (!pack)
		return;
	take_counts(pack->bytes, &less);
	counts->active_ns -= less.active_ns;
	counts->laps -= less.laps;
	counts->warmup_laps -= less.warmup_laps;
	counts->missed -= less.missed;
	counts->rested -= less.rested;
	counts->away -= less.away;
}

int pack_sums_row(struct pack_sums *sums, const struct tick_ring *row, const struct hist_cell *cells)
{
	struct pack_counts counts = counts_of(row);

	for (int i = 0; i < N_FIGURES; i++)
		if (tick_figure_add(&row->figures[i], cells, &sums->hists[i]) < 0)
			return -ENOMEM;
	pack_counts_add(&sums->counts, &counts);
	return 0;
}

int pack_sums_merge(struct pack_sums *sums, const struct pack_sums *from)
{
	for (int i = 0; i < N_FIGURES; i++)
		if (hist_merge(&sums->hists[i], &from->hists[i]) < 0)
			return -ENOMEM;
	pack_counts_add(&sums->counts, &from->counts);
	return 0;
}

bool pack_sums_any(const struct pack_sums *sums)
{
	bool any = any_counts(&sums->counts);

	for (int i = 0; i < N_FIGURES; i++)
		any = any || sums->hists[i].n || sums->hists[i].max_at_ns;
	return any;
}

void pack_sums_reset(struct pack_sums *sums)
{
	sums->counts = (struct pack_counts){0};
	for (int i = 0; i < N_FIGURES; i++)
		hist_reset(&sums->hists[i]);
}

void pack_sums_finish(struct pack_sums *sums)
{
	for (int i = 0; i < N_FIGURES; i++)
		hist_finish(&sums->hists[i]);
	free(sums->buffer);
	free(sums->flat);
	*sums = (struct pack_sums){0};
}

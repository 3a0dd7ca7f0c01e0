/* SPDX-License-Identifier: GPL-2.0-or-later */
/* series.c - the last minute, tick by tick. */
#include "src/model/series.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t single_ns = 10000000000, chunk_ns = 5000000000, kept_ns = 60000000000;

static const char *const names[N_WINDOWS] = {
	[WINDOW_1S] = "1s",
	[WINDOW_10S] = "10s",
	[WINDOW_60S] = "60s",
	[WINDOW_PHASE] = "phase",
	[WINDOW_ALL] = "all",
};

const char *window_name(enum window window)
{
	return names[window];
}

void series_finish(struct series *series)
{
	for (size_t i = 0; i < series->n_ticks; i++)
		span_unref(series->ticks[i]);
	for (size_t i = 0; i < series->n_chunks; i++)
		span_unref(series->chunks[i]);
	merge_finish(&series->merge);
	free(series->ticks);
	*series = (struct series){0};
}

static bool within(const struct series *series, const struct span *span, uint64_t window_ns)
{
	uint64_t middle_ns = span->start_ns + (span->end_ns - span->start_ns) / 2;

	return middle_ns + window_ns >= series->now_ns;
}

static void forget(struct span **spans, size_t *n, size_t first)
{
	for (size_t i = 0; i < first; i++)
		span_unref(spans[i]);
	*n -= first;
	memmove(spans, spans + first, *n * sizeof(*spans));
}

/* The oldest ticks, once those that left the last 10 s are 5 s long. */
static size_t count_merging(const struct series *series)
{
	bool too_many = series->n_ticks > SERIES_TICKS_MAX;
	size_t n = 0;

	while (n + 1 < series->n_ticks && n < PACK_MERGE_MAX &&
		(too_many || !within(series, series->ticks[n], single_ns)))
		n++;
	if (n < PACK_MERGE_MAX && n && series->ticks[n - 1]->end_ns - series->ticks[0]->start_ns < chunk_ns)
		return 0;
	return n;
}

static int make_chunk(struct series *series, struct pack_sums *sums)
{
	struct span *chunk;
	int r;

	if (!series->n_merging)
		series->n_merging = count_merging(series);
	if (!series->n_merging)
		return 0;
	r = merge_step(&series->merge, series->ticks, series->n_merging, sums, &chunk);
	if (r <= 0)
		return r;
	forget(series->ticks, &series->n_ticks, series->n_merging);
	series->n_merging = 0;
	if (series->n_chunks == SERIES_SECONDS)
		forget(series->chunks, &series->n_chunks, 1);
	series->chunks[series->n_chunks++] = chunk;
	return 0;
}

static void forget_chunks(struct series *series)
{
	size_t n = 0;

	while (n < series->n_chunks && !within(series, series->chunks[n], kept_ns))
		n++;
	forget(series->chunks, &series->n_chunks, n);
}

int series_feed(struct series *series, struct span *span, struct pack_sums *sums)
{
	if (series->n_ticks == series->room) {
		size_t room = series->room ? series->room * 2 : 32;
		struct span **ticks = realloc(series->ticks, room * sizeof(*ticks));

		if (!ticks)
			return -ENOMEM;
		series->ticks = ticks;
		series->room = room;
	}
	series->ticks[series->n_ticks++] = span_ref(span);
	series->now_ns = span->end_ns;
	forget_chunks(series);
	return make_chunk(series, sums);
}

/* The spans of a window, from the newest: @at is the place of the next one. NULL after the last. */
static struct span *next_span(const struct series *series, uint64_t window_ns, size_t *at)
{
	size_t back = (*at)++;
	struct span *span;

	if (back < series->n_ticks)
		span = series->ticks[series->n_ticks - 1 - back];
	else if (back - series->n_ticks < series->n_chunks)
		span = series->chunks[series->n_chunks - 1 - (back - series->n_ticks)];
	else
		return NULL;
	return back == 0 || within(series, span, window_ns) ? span : NULL;
}

int series_spans(const struct series *series, uint64_t window_ns, struct span_list *list)
{
	size_t end = 0;
	int r = 0;

	while (next_span(series, window_ns, &end))
		;
	for (size_t back = end - 1; back-- > 0 && r == 0;) {
		size_t at = back;

		r = span_list_add(list, next_span(series, window_ns, &at));
	}
	return r;
}

int series_add_figure(
	const struct series *series, uint64_t window_ns, size_t row, enum figure figure, struct hist *hist)
{
	const struct span *span;
	size_t at = 0;
	int r = 0;

	while (r == 0 && (span = next_span(series, window_ns, &at)))
		r = pack_add_figure(span->packs[row], figure, hist);
	return r;
}

void series_add_counts(
	const struct series *series, uint64_t window_ns, size_t row, struct pack_counts *counts)
{
	const struct span *span;
	size_t at = 0;

	while ((span = next_span(series, window_ns, &at)))
		pack_add_counts(span->packs[row], counts);
}

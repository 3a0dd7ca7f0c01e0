/* SPDX-License-Identifier: GPL-2.0-or-later */
/* series.c - the last minute. */
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
		block_finish(&series->ticks[i]);
	for (size_t i = 0; i < series->n_chunks; i++)
		block_finish(&series->chunks[i]);
	free(series->ticks);
	*series = (struct series){0};
}

static bool within(const struct series *series, const struct block *block, uint64_t window_ns)
{
	uint64_t middle_ns = block->start_ns + (block->end_ns - block->start_ns) / 2;

	return middle_ns + window_ns >= series->now_ns;
}

static void drop_oldest(struct block *blocks, size_t *n, size_t dropped)
{
	for (size_t i = 0; i < dropped; i++)
		block_finish(&blocks[i]);
	*n -= dropped;
	memmove(blocks, blocks + dropped, *n * sizeof(*blocks));
}

int series_feed(struct series *series, struct block *tick)
{
	size_t gone = 0;

	if (series->n_ticks == series->room) {
		size_t room = series->room ? series->room * 2 : 32;
		struct block *ticks = realloc(series->ticks, room * sizeof(*ticks));

		if (!ticks) {
			block_finish(tick);
			return -ENOMEM;
		}
		series->ticks = ticks;
		series->room = room;
	}
	series->ticks[series->n_ticks++] = *tick;
	series->now_ns = tick->end_ns;
	while (gone < series->n_chunks && !within(series, &series->chunks[gone], kept_ns))
		gone++;
	drop_oldest(series->chunks, &series->n_chunks, gone);
	return 0;
}

size_t series_chunk_due(const struct series *series)
{
	size_t n = 0;

	if (series->n_ticks > SERIES_TICKS_MAX)
		return series->n_ticks / 2;
	while (n + 1 < series->n_ticks && !within(series, &series->ticks[n], single_ns))
		n++;
	return n && series->ticks[n - 1].end_ns - series->ticks[0].start_ns >= chunk_ns ? n : 0;
}

void series_add_chunk(struct series *series, size_t n, struct block *chunk)
{
	drop_oldest(series->ticks, &series->n_ticks, n);
	if (series->n_chunks == SERIES_SECONDS)
		drop_oldest(series->chunks, &series->n_chunks, 1);
	series->chunks[series->n_chunks++] = *chunk;
}

struct blocks series_window(const struct series *series, uint64_t window_ns)
{
	struct blocks blocks = {0};
	size_t n = series->n_ticks, old = series->n_chunks;

	while (n > 0 && (n == series->n_ticks || within(series, &series->ticks[n - 1], window_ns)))
		n--;
	while (n == 0 && old > 0 && within(series, &series->chunks[old - 1], window_ns))
		old--;
	blocks.ticks = series->ticks ? series->ticks + n : NULL;
	blocks.n_ticks = series->n_ticks - n;
	blocks.old = series->chunks + old;
	blocks.n_old = series->n_chunks - old;
	return blocks;
}

/* Rows are mostly read one after the other, from all blocks in turn: the next row is asked for early. */
static struct scan row_and_next(const struct block *block, size_t row)
{
	struct scan found = block_row(block, row);

	for (int line = 0; line < 4 && found.at; line++)
		__builtin_prefetch(found.end + 64 * line);
	return found;
}

int blocks_add_figure(const struct blocks *blocks, size_t row, enum figure figure, struct hist *hist)
{
	int r = 0;

	for (size_t i = 0; i < blocks->n_old && r == 0; i++)
		r = packed_row_add_figure(row_and_next(&blocks->old[i], row), figure, hist);
	for (size_t i = 0; i < blocks->n_ticks && r == 0; i++)
		r = packed_row_add_figure(row_and_next(&blocks->ticks[i], row), figure, hist);
	return r;
}

void blocks_add_counts(const struct blocks *blocks, size_t row, struct tick_counts *counts)
{
	for (size_t i = 0; i < blocks->n_old; i++)
		packed_row_add_counts(block_row(&blocks->old[i], row), counts);
	for (size_t i = 0; i < blocks->n_ticks; i++)
		packed_row_add_counts(block_row(&blocks->ticks[i], row), counts);
}

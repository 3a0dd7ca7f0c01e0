/* SPDX-License-Identifier: GPL-2.0-or-later */
/* series.c - the last minute. */
#include "src/model/series.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t single_ns = 10000000000, chunk_ns = 5000000000, kept_ns = 60000000000;

static const struct {
	const char *name;
	uint64_t ns;
} windows[N_WINDOWS] = {
	[WINDOW_1S] = {"1s", 1000000000},
	[WINDOW_10S] = {"10s", 10000000000},
	[WINDOW_60S] = {"60s", 60000000000},
	[WINDOW_PHASE] = {"phase", 0},
	[WINDOW_ALL] = {"all", 0},
};

const char *window_name(enum window window)
{
	return windows[window].name;
}

const char *windows_name(unsigned i)
{
	return i < N_WINDOWS ? window_name((enum window)i) : NULL;
}

uint64_t window_ns(enum window window)
{
	return windows[window].ns;
}

void series_finish(struct series *series)
{
	for (size_t i = 0; i < series->n_chunks + series->n_ticks; i++)
		block_finish(&series->blocks[i]);
	free(series->blocks);
	*series = (struct series){0};
}

static bool is_within(const struct series *series, const struct block *block, uint64_t ns)
{
	uint64_t middle_ns = block->start_ns + (block->end_ns - block->start_ns) / 2;

	return middle_ns + ns >= series->now_ns;
}

/* Finishes @n blocks from @first on; the younger ones move to their place. */
static void remove_blocks(struct series *series, size_t first, size_t n)
{
	struct block *blocks = series->blocks + first;

	for (size_t i = 0; i < n; i++)
		block_finish(&blocks[i]);
	memmove(blocks, blocks + n, (series->n_chunks + series->n_ticks - first - n) * sizeof(*blocks));
}

static void remove_chunks(struct series *series, size_t n)
{
	remove_blocks(series, 0, n);
	series->n_chunks -= n;
}

int series_feed(struct series *series, struct block *tick)
{
	size_t n = series->n_chunks + series->n_ticks, gone = 0;

	if (n == series->room) {
		size_t room = n ? n * 2 : 32;
		struct block *blocks = realloc(series->blocks, room * sizeof(*blocks));

		if (!blocks)
			return -ENOMEM;
		series->blocks = blocks;
		series->room = room;
	}
	series->now_ns = tick->end_ns;
	series->blocks[n] = *tick;
	series->n_ticks++;
	*tick = (struct block){0};
	while (gone < series->n_chunks && !is_within(series, &series->blocks[gone], kept_ns))
		gone++;
	remove_chunks(series, gone);
	return 0;
}

size_t series_chunk_due(const struct series *series)
{
	const struct block *ticks = series->blocks + series->n_chunks;
	size_t n = 0;

	if (series->n_ticks > SERIES_TICKS_MAX)
		return series->n_ticks / 2;
	while (n + 1 < series->n_ticks && !is_within(series, &ticks[n], single_ns))
		n++;
	return n && ticks[n - 1].end_ns - ticks[0].start_ns >= chunk_ns ? n : 0;
}

void series_add_chunk(struct series *series, size_t n_ticks, struct block *chunk)
{
	block_replace(&series->blocks[series->n_chunks], chunk);
	remove_blocks(series, series->n_chunks + 1, n_ticks - 1);
	series->n_ticks -= n_ticks;
	series->n_chunks++;
	if (series->n_chunks > SERIES_SECONDS)
		remove_chunks(series, 1);
}

struct block_list series_last_blocks(const struct series *series, size_t n)
{
	return (struct block_list){
		.rest = n ? series->blocks + series->n_chunks + series->n_ticks - n : NULL, .n_rest = n};
}

struct block_list series_window(const struct series *series, enum window window)
{
	size_t all = series->n_chunks + series->n_ticks, low = 0, high = all ? all - 1 : 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (is_within(series, &series->blocks[middle], window_ns(window)))
			high = middle;
		else
			low = middle + 1;
	}
	return series_last_blocks(series, all - low);
}

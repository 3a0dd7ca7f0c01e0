/* SPDX-License-Identifier: GPL-2.0-or-later */
/* series.h - the last minute, of which windows show the end. Pure. */
#pragma once

#include "src/model/block.h"

/* Which part of a session is shown. */
enum window { WINDOW_1S, WINDOW_10S, WINDOW_60S, WINDOW_PHASE, WINDOW_ALL, N_WINDOWS };

const char *window_name(enum window window); /* "10s", "phase", "all" */

enum {
	SERIES_SECONDS = 60,     /* and as many chunks at most */
	SERIES_TICKS_MAX = 1024, /* a recording that anyone may have written can have more in 10 s */
};

/* The ticks of the last 10 s one by one, and older ones summed up in chunks of 5 s: so 60 s are exact to 2.5
 * s. Zeroed is empty. */
struct series {
	struct block *ticks; /* owned, oldest first */
	size_t n_ticks, room;
	struct block chunks[SERIES_SECONDS]; /* owned, oldest first */
	size_t n_chunks;
	uint64_t now_ns; /* the end of the last tick */
};

void series_finish(struct series *series);

/* Takes over the block of a tick, which is empty then. Returns 0, or -ENOMEM with the block as it was. */
int series_feed(struct series *series, struct block *tick);
/* Returns how many of the oldest ticks should become a chunk; 0: none. */
size_t series_chunk_due(const struct series *series);
/* Takes their sum in place of these. */
void series_add_chunk(struct series *series, size_t n, struct block *chunk);

/* The blocks that a window or a phase is the sum of: some, oldest first, and then some ticks. */
struct blocks {
	const struct block *old, *ticks;
	size_t n_old, n_ticks;
};

/* What lies in the last @window_ns: a tick, or a chunk, counts where its middle does. The last one always
 * counts. */
struct blocks series_window(const struct series *series, uint64_t window_ns);

/* Add what a row did in them. The first returns 0 or -ENOMEM. */
int blocks_add_figure(const struct blocks *blocks, size_t row, enum figure figure, struct hist *hist);
void blocks_add_counts(const struct blocks *blocks, size_t row, struct tick_counts *counts);

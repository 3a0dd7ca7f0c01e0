/* SPDX-License-Identifier: GPL-2.0-or-later */
/* series.h - the last minute, of which windows show the end. Pure. */
#pragma once

#include "src/model/block.h"

/* Which part of a session is shown. */
enum window { WINDOW_1S, WINDOW_10S, WINDOW_60S, WINDOW_PHASE, WINDOW_ALL, N_WINDOWS };

const char *window_name(enum window window); /* "10s", "phase", "all" */
const char *windows_name(unsigned i);        /* the same; NULL past the last one */
uint64_t window_ns(enum window window);      /* its length; 0: as long as the phase or the run */

enum {
	SERIES_SECONDS = 60,     /* and as many chunks at most */
	SERIES_TICKS_MAX = 1024, /* a recording that anyone may have written can have more in 10 s */
};

/* The ticks of the last 10 s one by one, and older ones summed up in chunks of 5 s: so 60 s are exact to 2.5
 * s. Zeroed is empty. */
struct series {
	struct block *blocks; /* owned, oldest first: chunks, then ticks */
	size_t n_chunks, n_ticks, room;
	uint64_t now_ns; /* the end of the last tick */
};

void series_finish(struct series *series);

/* Takes over the block of a tick, which is empty then. Returns 0, or -ENOMEM with the block as it was. */
int series_feed(struct series *series, struct block *tick);
/* Returns how many of the oldest ticks should become a chunk; 0: none. */
size_t series_chunk_due(const struct series *series);
/* Replaces that many ticks by their sum, which it takes over. */
void series_add_chunk(struct series *series, size_t n_ticks, struct block *chunk);

/* Return the last @n blocks, or the last tick and all blocks whose middle is in the window: good until the
 * series is fed, or takes a chunk. */
struct block_list series_last_blocks(const struct series *series, size_t n);
struct block_list series_window(const struct series *series, enum window window);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* series.h - the last minute, tick by tick: what the windows are summed from. Pure. */
#pragma once

#include "src/model/span_list.h"

/* Which part of a session is shown. */
enum window { WINDOW_1S, WINDOW_10S, WINDOW_60S, WINDOW_PHASE, WINDOW_ALL, N_WINDOWS };

const char *window_name(enum window window); /* "10s", "phase", "all" */

enum { SERIES_SECONDS = 60 };
enum { SERIES_TICKS_MAX = 1024 }; /* about; 10 s have more only in a recording that is anyone's */

/* Ticks of the last 10 s are kept one by one, older ones in chunks of 5 s: so 60 s are exact to 2.5 s. Zeroed
 * is empty. */
struct series {
	struct span **ticks; /* owned, oldest first */
	size_t n_ticks, room;
	struct span *chunks[SERIES_SECONDS]; /* owned, oldest first */
	size_t n_chunks;
	size_t n_merging; /* of the ticks, the oldest, which become a chunk; 0: none do */
	struct merge merge;
	uint64_t now_ns; /* the end of the last tick */
};

void series_finish(struct series *series);

/* Takes a reference to a tick, packed. Returns 0 or -ENOMEM. */
int series_feed(struct series *series, struct span *span, struct pack_sums *sums);

/* What lies in the last @window_ns: a tick, or a chunk, counts where its middle does. The last one always
 * counts. All are added; the first two return 0 or -ENOMEM. */
int series_spans(const struct series *series, uint64_t window_ns, struct span_list *list);
int series_add_figure(
	const struct series *series, uint64_t window_ns, size_t row, enum figure figure, struct hist *hist);
void series_add_counts(
	const struct series *series, uint64_t window_ns, size_t row, struct pack_counts *counts);

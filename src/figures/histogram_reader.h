/* SPDX-License-Identifier: GPL-2.0-or-later */
/* histogram_reader.h - reads the samples of a live histogram since the last read. */
#pragma once

#include "src/figures/tick.h"

struct histogram_extremes {
	uint32_t epoch;
	uint64_t min_ns, max_ns, max_at_ns;
};

/* Zeroed before the first read. */
struct histogram_reader {
	struct tick_figure change; /* found by the last update */
	uint64_t sum_ns, untimed;
	uint64_t n;       /* samples of all cells so far */
	unsigned fullest; /* the bucket with the most samples in the last update that had any */
	struct histogram_extremes extremes[2];
	uint32_t octave[HIST_OCTAVES];
	uint32_t *bucket[HIST_OCTAVES]; /* owned; HIST_OCTAVE each, or NULL */
};

/* A growing list of cells. */
struct cells {
	struct hist_cell *cells; /* owned */
	size_t n, capacity;
};

int cells_reserve(struct cells *cells); /* makes room for those of a histogram; returns 0 or -ENOMEM */

/* Appends the cells of the samples since the last call. Returns 0 or -ENOMEM. */
int histogram_reader_update(
	struct histogram_reader *reader, const struct hist_live *live, struct cells *cells);
void histogram_reader_finish(struct histogram_reader *reader);

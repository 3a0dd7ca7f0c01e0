/* SPDX-License-Identifier: GPL-2.0-or-later */
/* second_strips.h - p99, max, lateness and rate of each second, a line each, under a heat map. Pure. */
#pragma once

#include "src/model/second_stats.h"
#include "ui/draw/canvas.h"

struct frame;

enum strip { STRIP_P99, STRIP_MAX, STRIP_LATE, STRIP_RATE, N_STRIPS };

enum { STRIP_COLUMNS_MAX = TRAIL_SECONDS };

/* Times on a log scale from the least to the largest of them, an octave at least; the rate from 0 on. */
struct strip_levels {
	unsigned columns;
	uint64_t lowest, highest;               /* ns, or samples a second; highest 0: nothing was seen */
	unsigned char level[STRIP_COLUMNS_MAX]; /* 1 to 8, the newest last; 0: no sample */
};

/* The newest second is not over: it has no rate yet. */
void strip_make(struct strip_levels *levels, const struct trails *trails, size_t row, enum figure figure,
	enum strip strip, unsigned columns);

/* As many as there are lines for, below each other; with the same columns as a heat map of this width. */
void strips_draw(const struct frame *frame, struct area area, size_t row, enum figure figure);

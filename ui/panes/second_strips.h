/* SPDX-License-Identifier: GPL-2.0-or-later */
/* second_strips.h - p99, max, lateness and rate of each second as lines of small bars. Pure. */
#pragma once

#include "src/model/second_stats.h"
#include "ui/table/view_state.h"

enum strip { STRIP_P99, STRIP_MAX, STRIP_LATE, STRIP_RATE, N_STRIPS };

enum { STRIP_COLUMNS_MAX = SECONDS_KEPT };

/* Times on a log scale from the least to the largest of them, an octave at least; the rate from 0 on. */
struct strip_levels {
	unsigned columns;
	uint64_t lowest, highest;               /* ns, or samples a second; highest 0: no sample */
	unsigned char level[STRIP_COLUMNS_MAX]; /* 1 to 8, the newest last; 0: no sample */
};

/* @seconds: of each column, which has the largest of their values. The newest second is not over: it has no
 * rate yet. */
void second_strips_levels(struct strip_levels *levels, const struct second_stats *stats, size_t row,
	enum figure figure, enum strip strip, unsigned columns, unsigned seconds);

/* As many as there are lines for, below each other; with the same columns as a heat map of this width. */
void second_strips_draw(const struct scene *scene, struct area area, size_t row, enum figure figure);
/* The maxima of the last minute alone: its width in columns of as many seconds. */
void second_strips_sparkline(const struct scene *scene, struct area line, size_t row, enum figure figure);

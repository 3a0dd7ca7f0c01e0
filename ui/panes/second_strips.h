/* SPDX-License-Identifier: GPL-2.0-or-later */
/* second_strips.h - p99, max, lateness and rate of each second as lines of small bars, and the trends of the
 * table. Pure. */
#pragma once

#include "src/model/second_stats.h"
#include "ui/table/view_state.h"

struct heat_seconds;

enum strip { STRIP_P99, STRIP_MAX, STRIP_LATE, STRIP_RATE, N_STRIPS };

enum { STRIP_COLUMNS_MAX = SECONDS_KEPT };

/* The scale of times is logarithmic, of at least an octave; that of the rate is linear, from 0. */
struct strip_levels {
	unsigned columns;
	uint64_t lowest, highest;               /* ns, or samples a second; highest 0: no sample */
	unsigned char level[STRIP_COLUMNS_MAX]; /* 1 to 8, the newest last; 0: no sample */
	uint64_t ns[STRIP_COLUMNS_MAX];         /* of times */
	bool gaps[STRIP_COLUMNS_MAX];           /* no sample, and seconds that are gaps */
};

/* The newest second, which is not over, has no rate. */
void second_strips_levels(struct strip_levels *levels, const struct second_stats *stats, size_t row,
	enum figure figure, enum strip strip, const struct heat_seconds *seconds);

/* A strip in each line of the area. Its columns are those of a heat map of this width. */
void second_strips_draw(const struct scene *scene, struct area area, size_t row, enum figure figure);
/* The longest response of each of the last seconds, or of the last seconds of the ring's turns: the step of
 * the scale as color and as height. The longest one with a spike whose cause is named has a mark, if it is in
 * the upper half. */
void trend_draw(const struct scene *scene, struct area line, const struct row *row);
/* The sign of one time on the same scale. */
void trend_draw_time(const struct scene *scene, struct area line, unsigned x, uint64_t ns);
/* The scale, of at least 12 columns: "<66▁▂▃▄▅▆█>2100". */
void trend_draw_scale(const struct scene *scene, struct area line);

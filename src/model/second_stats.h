/* SPDX-License-Identifier: GPL-2.0-or-later */
/* second_stats.h - each second of the last minutes, coarsely: what heat maps and strips are drawn from. Pure.
 */
#pragma once

#include "src/figures/tick.h"

/* Two rows an octave, 128 ns to 17 s; the first and the last hold what lies beyond. */
enum { SECONDS_KEPT = 240, SECOND_BANDS = 56 };
enum { N_SECOND_FIGURES = FIGURE_LATENESS + 1 }; /* all but the served laps' */

struct second {
	uint16_t max, p99; /* bucket + 1, 0: no sample; p99: the largest of its ticks' */
	uint32_t n;
	uint8_t heat[SECOND_BANDS / 2]; /* a nibble each row, see second_stats_heat() */
};

struct figure_seconds;

/* Of all rows of a session: rings, then groups. Zeroed is empty. */
struct second_stats {
	struct figure_seconds **figures; /* owned; by row and figure, NULL before the first sample */
	size_t n_rows;
	uint64_t start_ns;                 /* of second 0; 0: nothing was fed yet */
	uint64_t first, second;            /* those that the last tick covers; second: the newest */
	uint64_t covered_ns[SECONDS_KEPT]; /* the length of the ticks that counted for each */
};

int second_stats_init(struct second_stats *stats, size_t n_rows); /* 0 or -ENOMEM */
void second_stats_finish(struct second_stats *stats);

/* The time of the tick that rows are fed from next. One of up to a second counts for the second that it ends
 * in; a longer one for all that it covers, with an equal part of its samples in each. */
void second_stats_tick(struct second_stats *stats, uint64_t start_ns, uint64_t end_ns);
/* What a row has in it. Returns 0 or -ENOMEM. */
int second_stats_feed(struct second_stats *stats, size_t row, enum figure figure, const struct hist *hist);

uint64_t second_stats_lower_ns(unsigned row); /* the row's lower edge; 0 for row 0 */
/* 0: none, else 1..15, each 2.8 times the one before */
unsigned second_stats_heat(const struct second *second, unsigned row);

/* The second that lies @back before the newest; NULL where nothing was kept. */
const struct second *second_stats_at(
	const struct second_stats *stats, size_t row, enum figure figure, unsigned back);
uint64_t second_stats_start_ns(
	const struct second_stats *stats, unsigned back); /* when it began, CLOCK_MONOTONIC */
/* How long the ticks were that counted for it, which may be more or less than a second: what its samples are
 * to be divided by. 0 where there was none. */
uint64_t second_stats_covered_ns(const struct second_stats *stats, unsigned back);
/* Samples in a second, of that second; 0 where it has none. */
double second_stats_rate(const struct second_stats *stats, size_t row, enum figure figure, unsigned back);

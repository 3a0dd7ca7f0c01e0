/* SPDX-License-Identifier: GPL-2.0-or-later */
/* second_stats.h - coarse figures of each second of the last four minutes, for heat maps and strips. Pure. */
#pragma once

#include <stdbool.h>

#include "src/figures/tick.h"

enum {
	SECONDS_KEPT = 240,
	SECOND_BANDS = 56, /* two an octave, 128 ns to 17 s; the first and the last have no outer edge */
	N_SECOND_FIGURES = FIGURE_LATENESS + 1, /* all but FIGURE_SERVED */
};

/* One second of a row's figure. */
struct second {
	uint16_t max, p99; /* bucket + 1; 0: no sample. p99: the largest of its ticks */
	uint32_t n;
	uint8_t heat[SECOND_BANDS / 2]; /* a nibble each band, see second_stats_heat() */
};

struct figure_seconds;

/* The row of a ring or a group, see block.h. */
struct row_seconds {
	uint32_t row;
	uint64_t since_ns; /* CLOCK_MONOTONIC: when it began to be; 0: from the start */
	struct figure_seconds *figures[N_SECOND_FIGURES]; /* owned; NULL before the first sample */
	uint64_t newest_mark;                             /* the newest second that has one */
	uint32_t marks[SECONDS_KEPT / 32 + 1];            /* a bit for each second */
};

/* The seconds of all rows of a session. Zeroed has no rows. */
struct second_stats {
	struct row_seconds *rows; /* owned; sorted by the rows' numbers */
	size_t n_rows, room;
	uint64_t start_ns;                 /* of second 0; 0: before the first tick */
	uint64_t first, second;            /* the seconds that the last tick covers; second: the newest */
	uint64_t covered_ns[SECONDS_KEPT]; /* the length of the ticks that each second counts */
	bool gaps[SECONDS_KEPT];           /* see second_stats_is_gap() */
};

void second_stats_finish(struct second_stats *stats);

/* Adds a row, unless it is there: the sum of the seconds of the other @rows, as far as they can be added.
 * Returns 0 or -ENOMEM. */
int second_stats_add(struct second_stats *stats, size_t row, const size_t *rows, size_t n_rows);
/* Adds a row that there was not before @since_ns, unless it is there. Returns 0 or -ENOMEM. */
int second_stats_begin(struct second_stats *stats, size_t row, uint64_t since_ns);
void second_stats_remove(struct second_stats *stats, size_t row);

/* Sets the time of the tick whose samples follow. A tick of up to a second, or a late one, counts in the
 * second in which it ends; another one counts in all seconds that it covers, with an equal share of its
 * samples in each. Before a late tick, the seconds in which no tick ended become gaps. */
void second_stats_tick(struct second_stats *stats, uint64_t start_ns, uint64_t end_ns, bool is_late);
/* Adds the tick's samples of a row. FIGURE_SERVED is ignored. Returns 0 or -ENOMEM. */
int second_stats_feed(struct second_stats *stats, size_t row, enum figure figure, const struct hist *hist);

/* Marks the second of @at_ns for a row: a spike whose cause is named ended then, or was found under way.
 * Returns 0 or -ENOMEM. */
int second_stats_mark(struct second_stats *stats, size_t row, uint64_t at_ns);
/* Sets those of @seconds that are marked for a row, by seconds before the newest one. */
void second_stats_note_marks(const struct second_stats *stats, size_t row, bool seconds[SECONDS_KEPT]);

uint64_t second_stats_lower_ns(unsigned band); /* the band's lower edge; 0 for band 0 */
/* Returns how many samples a band has, as a logarithm: 0: none; 1 to 15: each 2.8 times the one before. */
unsigned second_stats_heat(const struct second *second, unsigned band);

/* Returns the second that is @back before the newest, or NULL if it is not kept. */
const struct second *second_stats_at(
	const struct second_stats *stats, size_t row, enum figure figure, unsigned back);
/* Returns when that second began, CLOCK_MONOTONIC. */
uint64_t second_stats_start_ns(const struct second_stats *stats, unsigned back);
/* Returns by how many seconds a time precedes the newest second; 0 for later times. */
uint64_t second_stats_back(const struct second_stats *stats, uint64_t at_ns);
/* Returns the length of the ticks that the second counts, by which its samples are divided for a rate: it may
 * be more or less than a second, and is 0 without a tick. */
uint64_t second_stats_covered_ns(const struct second_stats *stats, unsigned back);
/* Returns whether ipctop was too late to sample anything in that second. A row that began later has no gap.
 */
bool second_stats_is_gap(const struct second_stats *stats, size_t row, unsigned back);
/* Returns the samples in a second, or 0 without a sample. */
double second_stats_rate(const struct second_stats *stats, size_t row, enum figure figure, unsigned back);

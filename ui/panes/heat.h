/* SPDX-License-Identifier: GPL-2.0-or-later */
/* heat.h - a heat map over time: a column a second, the newest to the right; a row a range of times. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/model/second_stats.h"
#include "ui/draw/canvas.h"
#include "ui/draw/units.h"

struct scene;
struct session;

enum { HEAT_SHADES = 4, HEAT_COLUMNS_MAX = SECONDS_KEPT, HEAT_ROWS_MAX = SECOND_BANDS };

/* The seconds that the columns of a map or a strip show, by their distances from the newest one. */
struct heat_seconds {
	unsigned n;
	uint8_t back[HEAT_COLUMNS_MAX]; /* the newest first */
};

/* Finds the last @columns seconds, or with turns those in which the ring of the row was running. */
void heat_seconds_find(
	struct heat_seconds *seconds, const struct session *session, size_t row, unsigned columns);
/* The last @columns seconds, whatever ran. */
void heat_seconds_all(struct heat_seconds *seconds, unsigned columns);
/* Returns whether the row is a ring that takes turns with others. */
bool heat_is_of_turns(const struct session *session, size_t row);

/* Row 0 is the topmost. It has no upper edge, and the last row no lower one. */
struct heat {
	unsigned columns, rows;               /* no rows: no sample */
	uint64_t lower_ns[HEAT_ROWS_MAX + 1]; /* of each row; its upper edge is that of the row before */
	struct heat_cell {
		uint8_t step;  /* of the longest sample: see palette_step(); 0: no sample */
		uint8_t shade; /* 1 to HEAT_SHADES: the log of the count */
	} cells[HEAT_ROWS_MAX][HEAT_COLUMNS_MAX];
	bool gaps[HEAT_COLUMNS_MAX]; /* columns in which nothing was sampled, see second_stats_is_gap() */
};

enum { HEAT_GAP = '/' }; /* hatches a column that is a gap, in STYLE_WARNING */

/* A column for each of the seconds and at most @rows rows, but no rows beyond those with samples. If all
 * samples fit, rows are half an octave or an octave. Otherwise the outermost rows get the samples outside the
 * bulk, and the rows between are coarse enough for the bulk. @calm_ns: a power of two, see palette_step(). */
void heat_make(struct heat *heat, const struct second_stats *stats, size_t row, enum figure figure,
	const struct heat_seconds *seconds, unsigned rows, uint64_t calm_ns);

enum { HEAT_SPIKE = '*' }; /* marks a second in which a spike ended whose cause is named */
/* Sets @seconds[n] if such a spike of the row ended n seconds before the newest one. @passes: only these
 * rings of a group count; NULL: all. */
void heat_spike_seconds(
	const struct session *session, size_t row, const bool *passes, bool seconds[SECONDS_KEPT]);

/* Returns the words that explain gaps in the title of a row's map of that @width, or "" if it shows none. */
const char *heat_gap_words(const struct session *session, size_t row, unsigned width);

/* Writes the title of a row's map, with what its marks mean, in fewer words where @width has no room for all.
 * @of: what it shows, as "all pairs, first hop, "; @turns: also that it has only the seconds of its turns. */
void heat_write_title(const struct session *session, size_t row, unsigned width, const char *of, bool turns,
	char *title, size_t size);

/* Needs 10 columns and 5 lines. The first line is the title, the last one marks the beginnings of phases, and
 * spikes whose cause is named.
 * @row: of the session. */
void heat_draw(
	const struct scene *scene, struct area area, size_t row, enum figure figure, const char *title);

/* Returns the columns for labels, of the @width columns of a map or a strip. */
unsigned heat_margin(unsigned width);
/* Rounds to two digits: 98000, 130000. */
uint64_t heat_round(uint64_t ns);

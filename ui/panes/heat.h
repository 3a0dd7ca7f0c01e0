/* SPDX-License-Identifier: GPL-2.0-or-later */
/* heat.h - a heat map over time: a column a second, the newest to the right; a row a range of times. Pure. */
#pragma once

#include <stdint.h>

#include "src/model/second_stats.h"
#include "ui/draw/canvas.h"
#include "ui/draw/units.h"

struct scene;
struct session;

enum { HEAT_SHADES = 4, HEAT_COLUMNS_MAX = SECONDS_KEPT, HEAT_ROWS_MAX = SECOND_BANDS };

/* Row 0 is the topmost; it also holds all above it, and the last one all below. */
struct heat {
	unsigned columns, rows;               /* no rows: no sample */
	uint64_t lower_ns[HEAT_ROWS_MAX + 1]; /* each row's lower edge; the one before's is its upper one */
	uint8_t shade[HEAT_ROWS_MAX][HEAT_COLUMNS_MAX]; /* 0: nothing, else 1 to 4: the log of the count */
};

/* At most @columns by @rows. Rows are half an octave, or an octave, where all samples fit then; else those
 * outside the bulk go to the outermost rows, and the rows between get as coarse as they must. */
void heat_make(struct heat *heat, const struct second_stats *stats, size_t row, enum figure figure,
	unsigned columns, unsigned rows);

/* Returns by how many seconds a time precedes the newest second; 0 for later times. */
uint64_t heat_back(const struct second_stats *stats, uint64_t at_ns);

/* Needs 10 columns and 5 lines. The first line is the title, the last one marks the beginnings of phases.
 * @row: of the session. */
void heat_draw(
	const struct scene *scene, struct area area, size_t row, enum figure figure, const char *title);

/* The map of all rings, or of those on isolated CPUs if the session has both kinds. */
void heat_draw_main(const struct scene *scene, struct area area);

/* Returns the columns for labels, of the @width columns of a map or a strip. */
unsigned heat_margin(unsigned width);
/* Rounds to two digits: 98000, 130000. */
uint64_t heat_round(uint64_t ns);

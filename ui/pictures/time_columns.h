/* SPDX-License-Identifier: GPL-2.0-or-later */
/* time_columns.h - the columns of heat map and strips: each is a second, or in a session of more than four
 * minutes an equal part of all of it. Pure. */
#pragma once

#include "ui/panes/heat.h"
#include "ui/pictures/picture.h"

struct time_columns {
	const struct second_stats *stats; /* of the session, or @parts: there a second is a column */
	struct heat_seconds seconds;      /* that are columns */
	uint64_t length_ns;               /* of a column */
	uint64_t start_ns;                /* of the parts: of the first one */
	struct second_stats parts;        /* owned */
};

/* Makes the columns of a row with these figures: the parts are the blocks of its phases. Returns 0 or
 * -ENOMEM; time_columns_finish() accepts what is left. */
int time_columns_init(struct time_columns *columns, const struct session *session, size_t row,
	const enum figure *figures, size_t n_figures);
void time_columns_finish(struct time_columns *columns);

/* Writes the length of a column: "second", "57 s". Returns @text. */
char *time_columns_length(const struct time_columns *columns, char *text, size_t size);
/* Returns the box of column @i; 0: the newest one. */
struct svg_box time_columns_box(const struct time_columns *columns, unsigned i, struct svg_box box);
/* The time of day below the box, and lines where phases begin. */
void time_columns_draw_axis(
	const struct time_columns *columns, const struct session *session, FILE *out, struct svg_box box);

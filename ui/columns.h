/* SPDX-License-Identifier: GPL-2.0-or-later */
/* columns.h - the table's columns: what each shows, sorts by, and which gives way first. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "src/session.h"
#include "ui/canvas.h"
#include "ui/units.h"

enum column_id {
	COLUMN_MARK,
	COLUMN_PAIR,
	COLUMN_MECHANISM,
	COLUMN_CLASS,
	COLUMN_SCHED,
	COLUMN_STATE,
	COLUMN_CUR,
	COLUMN_MIN,
	COLUMN_P50,
	COLUMN_AVG,
	COLUMN_P99,
	COLUMN_P999,
	COLUMN_MAX,
	COLUMN_LATE,
	COLUMN_MISSED,
	COLUMN_N,
	N_COLUMNS,
};

/* A ring, seen under the figure asked for. */
struct row {
	const struct session *session;
	const struct session_ring *ring;
	const struct session_figure *shown;
	enum figure figure; /* the one shown */
	bool other;         /* it is not the one asked for */
	enum unit unit;
};

struct row columns_row(
	const struct session *session, const struct session_ring *ring, enum figure figure, enum unit unit);

struct cell_text {
	char text[64];
	enum style style;
};

struct column {
	const char *title;
	unsigned width;     /* without the gap before it */
	unsigned gives_way; /* the highest first; 0: never */
	bool left;          /* aligned */
	bool time;          /* takes a share of what room is left */
	bool largest_first;
	bool late; /* of the lateness, whichever figure is shown */
	double percentile;
	/* Optional: the width that this session needs, 0 where the column would tell nothing. */
	unsigned (*need)(const struct session *session);
	/* What it sorts by; NAN where there is nothing yet, which comes last. NULL: can't be sorted by. */
	double (*value)(const struct column *column, const struct row *row);
	/* @cell comes empty and plain. */
	void (*cell)(
		const struct column *column, const struct row *row, unsigned width, struct cell_text *cell);
};

extern const struct column columns_table[N_COLUMNS];

/* Where the columns stand in a table of a width. */
struct columns {
	unsigned x[N_COLUMNS], width[N_COLUMNS]; /* width 0: not shown */
	unsigned end;                            /* after the last one */
};

struct columns columns_fit(const struct session *session, unsigned columns);

/* The histogram that a column tells of. */
const struct hist *columns_hist(const struct column *column, const struct row *row);

/* A row's word where it is not simply running, or the name of a figure other than asked for; "" otherwise. */
const char *columns_state(const struct row *row);

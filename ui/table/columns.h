/* SPDX-License-Identifier: GPL-2.0-or-later */
/* columns.h - the table's columns: their cells, keys and widths, and which are omitted first. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "src/model/session.h"
#include "ui/draw/canvas.h"
#include "ui/draw/statistic.h"
#include "ui/table/row.h"

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
	COLUMN_ABOVE,
	COLUMN_LATE,
	COLUMN_MISSED,
	COLUMN_N,
	COLUMN_SPARK,
	N_COLUMNS,
};

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
	bool late;      /* of the lateness, whichever figure is shown */
	bool of_groups; /* groups have it too, */
	bool of_hops;   /* hops */
	enum style style;
	struct statistic statistic; /* of the row's histogram */
	/* Optional: the width that is needed, 0 where the column has nothing to show. */
	unsigned (*need)(const struct session *session, uint64_t limit_ns);
	/* The key for sorting, or NAN without samples, which comes last. NULL: rows can't be sorted by it. */
	double (*value)(const struct column *column, const struct row *row);
	/* Before the call @cell is empty, in the column's style. */
	void (*cell)(
		const struct column *column, const struct row *row, unsigned width, struct cell_text *cell);
};

extern const struct column columns_table[N_COLUMNS];

/* The places of the columns in a table of a width. */
struct columns {
	unsigned x[N_COLUMNS], width[N_COLUMNS]; /* width 0: not shown */
	unsigned end;                            /* after the last one */
};

struct columns columns_fit(const struct session *session, uint64_t limit_ns, unsigned columns);

/* As the table's head has it: that of the limit is ">50us". Returns @text. */
char *columns_title(size_t column, uint64_t limit_ns, char *text, size_t size);

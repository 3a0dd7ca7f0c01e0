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
	COLUMN_ID,
	COLUMN_CLASS,
	COLUMN_INTERVAL,
	COLUMN_SIZE,
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
	COLUMN_RESPONSE_P99,
	COLUMN_RESPONSE_MAX,
	COLUMN_LATE,
	COLUMN_MISSED,
	COLUMN_N,
	COLUMN_CHANGE,
	COLUMN_TREND,
	N_COLUMNS,
};

struct cell_text {
	char text[64];
	enum style style;
};

struct column {
	const char *title, *help; /* the head, and what the cells mean; of COLUMN_MARK both are empty */
	unsigned width;           /* without the gap before it */
	unsigned gives_way;       /* the highest first; 0: never */
	bool left;                /* aligned */
	bool time;                /* shares the spare room */
	bool largest_first;
	bool of_baseline;              /* empty without one */
	enum figure figure;            /* FIGURE_FIRST: the one that is shown */
	bool of_groups;                /* groups have it too */
	bool of_hops;                  /* hops have it too */
	const char *name;              /* for options, if it is not the title */
	enum style style, group_style; /* group_style: in lines of groups, if it is the stronger one */
	struct statistic statistic;    /* of the row's histogram */
	/* Optional: the width for this session, 0 if the column would be empty. */
	unsigned (*need)(const struct session *session, uint64_t limit_ns);
	/* The key for sorting, or NAN without samples, which comes last. NULL: rows can't be sorted by it. */
	double (*value)(const struct column *column, const struct row *row);
	/* Before the call @cell is empty, in the column's style. */
	void (*cell)(
		const struct column *column, const struct row *row, unsigned width, struct cell_text *cell);
};

extern const struct column columns_table[N_COLUMNS];

/* The columns that are wanted. */
struct column_choice {
	bool hidden[N_COLUMNS];
	unsigned char order[N_COLUMNS]; /* columns from left to right; those up to Cur keep their positions */
};

/* Shows columns by their numbers of columns_name(), from left to right; @n 0: all, in the usual order. */
void columns_choose(struct column_choice *choice, const unsigned char *numbers, size_t n);
bool columns_is_usual(const struct column_choice *choice);
bool columns_always_shown(size_t column); /* PAIR and Cur */
/* Moves the column at a position of the order to the left (@by -1) or right (1). Returns its new position. */
size_t columns_move(struct column_choice *choice, size_t position, int by);

/* The positions of the columns in a table of a width. */
struct columns {
	unsigned x[N_COLUMNS], width[N_COLUMNS]; /* width 0: not shown */
	unsigned figures;                        /* where those after Cur begin */
	unsigned end;                            /* after the last one */
	unsigned needed[N_COLUMNS];              /* 0: it would be empty in this session */
};

/* The column @sort has room for the sign before its title. */
struct columns columns_fit(const struct session *session, uint64_t limit_ns, bool has_baseline,
	const struct column_choice *choice, size_t sort, unsigned columns);

/* The names of the options --columns, and --sort; NULL past the last one. Column 1 is number 0. */
const char *columns_name(unsigned i);
const char *columns_sort_name(unsigned i);

/* Returns the column that is number @i of those that rows can be sorted by; N_COLUMNS past the last one. */
size_t columns_sortable(size_t i);

/* The title in the table's head; that of COLUMN_ABOVE is ">50us". Returns @text. */
char *columns_title(size_t column, uint64_t limit_ns, char *text, size_t size);

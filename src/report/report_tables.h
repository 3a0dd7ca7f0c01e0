/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_tables.h - the tables of the reports in plain text: of rings, of their hops, and of phases. If a
 * table is wider than 80 columns, its least important columns are omitted. Times are in us; a cell without a
 * sample is "-". */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "src/figures/tick.h"
#include "src/model/series.h"

struct session;

enum { REPORT_COLUMNS_MAX = 16 };

/* The widths of a table's columns, which never shrink. */
struct report_widths {
	int of[REPORT_COLUMNS_MAX];
};

/* Signs in a table that a note below it explains. */
struct report_signs {
	bool has_tilde;       /* "~": fewer than HIST_BEYOND_TRUSTED samples are beyond a percentile */
	bool has_exclamation; /* "!": the scheduling differs from the requested one */
};

/* Gets the figure that all rings have in place of @asked. Returns false, with @asked, if they differ. */
bool report_tables_figure(const struct session *session, enum figure asked, enum figure *figure);

/* Prints a line for each ring: of the window, or of the shortest one in which each ring has its turn. The
 * heads are also printed if a column has grown. */
void report_tables_live(FILE *out, const struct session *session, enum figure figure, enum window window,
	struct report_widths *widths, bool with_head);
/* Prints a line for each ring, of the whole run. */
struct report_signs report_tables_summary(FILE *out, const struct session *session, enum figure figure);

/* Prints a table for each ring of three members or more that has samples: all hops, or those of the 16
 * largest Max. Returns whether one has a "~". */
bool report_tables_hops(FILE *out, const struct session *session);

/* Prints a line for each of the last 50 phases, if there were several: the figure of all rings together, and
 * the longest time that a ring was running. Returns whether one has a "~". */
bool report_tables_phases(FILE *out, const struct session *session, enum figure asked);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_table.h - the tables of the reports in text. Lines have at most 80 columns: columns that do not fit
 * are omitted, the least important first. Times are in us; a cell without a sample is "-". */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "src/figures/tick.h"

struct session;

enum { REPORT_TIME_SIZE = 9 };
/* Writes HH:MM:SS in local time. @at_ns: monotonic. */
void report_time(char text[REPORT_TIME_SIZE], const struct session *session, uint64_t at_ns);

enum { REPORT_CELL_SIZE = 48 };
/* Writes a time in us in 6 columns, with as many decimals as fit: "1.880", "385.51", "123457", and from a
 * second on "1.235s"; with a sign ">=1.2s". Returns @cell. */
char *report_us(char cell[REPORT_CELL_SIZE], const char *sign, uint64_t ns);

/* Signs in a table that a note below it explains. */
struct report_signs {
	bool has_tilde;       /* "~": fewer than HIST_BEYOND_TRUSTED samples are beyond a percentile */
	bool has_exclamation; /* "!": the scheduling differs from the requested one */
};

enum {
	REPORT_WIDTH = 80,
	REPORT_COLUMNS_MAX = 16,
};

/* The widths of a table's columns, which never shrink: zeroed before the first block of lines. */
struct report_widths {
	int of[REPORT_COLUMNS_MAX];
};

/* Prints a text that begins in column @x, in lines of at most 80 columns, the further ones indented. */
void report_wrap(FILE *out, unsigned x, unsigned indent, const char *text);

/* Gets the figure that all rings have in place of @asked. Returns false, with @asked, if they differ. */
bool report_figure(const struct session *session, enum figure asked, enum figure *figure);

/* Print a line for each ring. The head of the first is also printed if a column has grown. */
void report_live_table(FILE *out, const struct session *session, enum figure figure,
	struct report_widths *widths, bool with_head);
struct report_signs report_summary_table(FILE *out, const struct session *session, enum figure figure);
/* Prints a table for each ring of three members or more that has samples: all hops, or those of the 16
 * largest Max. Returns whether one has a "~". */
bool report_hops_tables(FILE *out, const struct session *session);
/* Prints a line for each of the last 50 phases, if there were several: the figure of all rings together, and
 * the longest time that a ring was running. Returns whether one has a "~". */
bool report_phases_table(FILE *out, const struct session *session, enum figure figure);

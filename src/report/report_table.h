/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_table.h - the columns of the reports in text, and tables of them; for report_text.c and
 * report_hops.c alone. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "src/figures/tick.h"

struct session;
struct report_row;

enum {
	REPORT_CELL_SIZE = 48,
	REPORT_TRUSTED_BEYOND = 10, /* samples that a percentile must leave beyond it */
};

/* A table of columns ends with a head of NULL. */
struct report_column {
	const char *head;
	int sign; /* -1: flush left */
	void (*cell)(const struct report_row *row,
		char cell[REPORT_CELL_SIZE]); /* leaves "-" where there is nothing */
};

extern const struct report_column report_live_columns[], report_summary_columns[];

/* In us with 3 decimals. Returns @cell, as below. */
char *report_us(char cell[REPORT_CELL_SIZE], uint64_t ns);
/* The same, with a "~" where it is not to be trusted; without samples @cell stays as it is. */
char *report_percentile(char cell[REPORT_CELL_SIZE], const struct hist *hist, double p);
/* HH:MM:SS, in this place's time. */
void report_time(char cell[REPORT_CELL_SIZE], const struct session *session, uint64_t at_ns);

/* A line for each ring, in columns as wide as they need to be. */
void report_table(FILE *out, const struct report_column *columns, const struct session *session,
	enum figure figure, bool head);

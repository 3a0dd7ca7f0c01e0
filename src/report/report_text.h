/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_text.h - the reports in plain text, without escapes: lines during a run, and a summary. */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "src/report/report_table.h"

struct session;

/* The progress of report_line(); zeroed before the first call. */
struct report_progress {
	unsigned blocks; /* printed */
	uint64_t events; /* printed, or dropped by the session before that */
	struct report_widths widths;
};

/* Prints a line for each new event, then one for each ring, with the columns' heads above every 20th block,
 * and where a column has grown. */
void report_line(
	FILE *out, const struct session *session, enum figure figure, struct report_progress *progress);

/* Prints the machine's state, tables of all rings, of the hops of larger ones and of the phases, the samples
 * above @limit_ns (0: no limit), and the last events. */
void report_summary(FILE *out, const struct session *session, enum figure figure, uint64_t limit_ns);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_text.h - the reports in plain text, without escapes: lines during a run, and a summary. Lines have
 * at most 80 columns. */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "src/figures/tick.h"
#include "src/model/series.h"
#include "src/report/report_tables.h"

struct session;

/* The progress of report_line(); zeroed before the first call. */
struct report_progress {
	unsigned blocks;         /* printed */
	uint64_t events;         /* printed, or dropped by the session before that */
	uint64_t worst_spike_ns; /* the length of the last spike that was printed */
	struct report_widths widths;
};

/* Prints a line for each new event, one for the longest spike if it is new, then one for each ring with its
 * samples of the window, with the columns' heads above every 20th block, and where a column has grown. */
void report_line(FILE *out, const struct session *session, enum figure figure, enum window window,
	struct report_progress *progress);

/* Prints the machine's state, tables of all rings, of the hops of larger ones and of the phases, whom the
 * spikes blame, the worst spike, the samples above @limit_ns (0: no limit), and the last events. */
void report_summary(FILE *out, const struct session *session, enum figure figure, uint64_t limit_ns);

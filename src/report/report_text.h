/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_text.h - what has been seen, as lines of text: while it goes on, and at the end. No escapes. */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "src/figures/tick.h"

struct session;

/* How far report_line() has come; zeroed before the first. */
struct report_progress {
	unsigned blocks; /* printed */
	uint64_t events; /* printed or passed over, forgotten ones included */
};

/* A line for each event that is new, then one for each ring; a head above each 20th block.
 * Times are in us; columns that have no sample are "-". */
void report_line(
	FILE *out, const struct session *session, enum figure figure, struct report_progress *progress);

/* The whole: what the machine was, a table of all rings, and the events. */
void report_summary(FILE *out, const struct session *session, enum figure figure);

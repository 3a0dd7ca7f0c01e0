/* SPDX-License-Identifier: GPL-2.0-or-later */
/* output.h - standard output: the lines of a run without a screen, and what became of them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/base/error_text.h"
#include "src/report/report_text.h"

struct config;
struct run;

/* The JSON goes there, and nothing else does. */
bool output_is_json(const struct config *config);

/* From here on standard output and error, where they are terminals, keep what a terminal does not take at
 * once: it goes with what comes after it. Where a terminal takes nothing of more than a MiB, that is lost. */
void output_begin(void);
/* Sends what is kept. Returns whether nothing is left, or nobody there: only then should there be more. */
bool output_keeps_up(void);
/* Before the program ends: what a terminal does not take now is lost, for nothing waits for one that stalls.
 * Returns whether nothing was. */
bool output_end(void);

/* Writes what is printed so far. Returns 0, or a negative errno with a sentence. A reader that has seen
 * enough, or one that stalled until a signal came, is no error; nobody_reads tells of it. */
int output_flush(bool *nobody_reads, struct error_text *reason);

struct output_lines {
	struct run *run; /* the caller's */
	struct report_progress progress;
	uint64_t next_ns;
	int error; /* a negative errno, once a write failed */
	struct error_text reason;
};

/* To be called after each tick, with a struct output_lines. Returns false where nobody reads them. */
bool output_print_lines(void *lines);

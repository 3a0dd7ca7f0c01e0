/* SPDX-License-Identifier: GPL-2.0-or-later */
/* output.h - standard output and error on a terminal that may stall, and whether all of it was written. */
#pragma once

#include <stdbool.h>

#include "src/base/error_text.h"

struct config;

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

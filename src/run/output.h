/* SPDX-License-Identifier: GPL-2.0-or-later */
/* output.h - standard output and error on a terminal that may stall, and whether all of it was written. */
#pragma once

#include <stdbool.h>

#include "src/base/error_text.h"

struct config;

/* Returns whether only a report (--json -, --export FORMAT=-) goes to standard output. */
bool output_is_report(const struct config *config);

/* From here on standard output and error, if they are terminals, keep up to 1 MiB that the terminal does not
 * accept at once, and send it with later output. More is lost. */
void output_begin(void);
/* Sends kept output. Returns whether none is left, or the terminal is gone: only then should more be printed.
 */
bool output_keeps_up(void);
/* Called before the program ends: output that a stalled terminal does not accept now is lost. Returns whether
 * none was. */
bool output_end(void);

/* Writes the output so far. Returns 0, 1 if the reader has closed its end or its terminal, or stalled until a
 * signal came, or a negative errno with its reason. */
int output_flush(struct error_text *reason);

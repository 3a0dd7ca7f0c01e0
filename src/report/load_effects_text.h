/* SPDX-License-Identifier: GPL-2.0-or-later */
/* load_effects_text.h - what each load did to each ring, in plain text, in lines of at most 80 columns. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

struct session;

/* Prints a line for each of the worst loads of each ring, after an empty line; nothing if there was no load.
 * Returns whether one has a "~". */
bool load_effects_text_print(FILE *out, const struct session *session);

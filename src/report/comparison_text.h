/* SPDX-License-Identifier: GPL-2.0-or-later */
/* comparison_text.h - a comparison as text. */
#pragma once

#include <stdio.h>

struct comparison;
struct comparison_lines;
struct session;

/* @width: the columns of a line; names of files are not broken. */
void comparison_print(FILE *out, const struct comparison *comparison, unsigned width);
/* For the end of a run, in lines of at most 80 columns: which phases, what differs, the headline, and the
 * rows that are worse or better. */
void comparison_lines_print(FILE *out, const struct session *session, const struct comparison_lines *lines);

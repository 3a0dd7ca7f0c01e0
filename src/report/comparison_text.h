/* SPDX-License-Identifier: GPL-2.0-or-later */
/* comparison_text.h - a comparison as text, at most 80 columns wide. */
#pragma once

#include <stdio.h>

struct comparison;
struct comparison_lines;
struct session;

void comparison_print(FILE *out, const struct comparison *comparison);
/* For the end of a run: which phases, what differs, the headline, and the rows that are worse or better. */
void comparison_lines_print(FILE *out, const struct session *session, const struct comparison_lines *lines);

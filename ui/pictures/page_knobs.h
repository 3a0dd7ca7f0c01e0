/* SPDX-License-Identifier: GPL-2.0-or-later */
/* page_knobs.h - the knobs of the machine in a report. Pure. */
#pragma once

#include <stdio.h>

struct session;

/* Prints the knobs that are not good, the most costly first, with their remedies, and folded the others.
 * Returns 0 or -ENOMEM. */
int page_print_knobs(FILE *out, const struct session *session);

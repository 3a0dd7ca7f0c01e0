/* SPDX-License-Identifier: GPL-2.0-or-later */
/* page_sweep.h - the tables of a sweep in a report. Pure. */
#pragma once

#include <stdio.h>

struct session;

/* Prints the classes, what stands out, and what changed since the phase before. Returns 0 or -ENOMEM. */
int page_print_sweep(FILE *out, const struct session *session);

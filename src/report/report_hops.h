/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_hops.h - the hops of larger rings, as text. */
#pragma once

#include <stdio.h>

struct session;

/* A table for each ring of three members or more: all its hops, or the slowest of them. */
void report_hops(FILE *out, const struct session *session);

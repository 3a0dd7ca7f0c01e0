/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tools.h - the list of all compat tools, made by meson.build. */
#pragma once

#include <stdio.h>

struct compat_tool;

extern const struct compat_tool *const compat_tools[]; /* ended by NULL */

/* Returns the name of compat tool @i, and sets its purpose; NULL past the last one. */
const char *tools_name(unsigned i, const char **purpose);
/* Prints a line for each compat tool. */
void tools_list(FILE *out);
/* Returns the compat tool that argv[0] or the first word names; NULL: none. */
const struct compat_tool *tools_find(int argc, char *const *argv);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tools.h - the list of all front ends, made by meson.build. */
#pragma once

struct compat_tool;

extern const struct compat_tool *const compat_tools[]; /* ended by NULL */

/* The name and the purpose of front end @i; NULL past the last one. */
const char *tools_name(unsigned i, const char **purpose);
/* The front end whose name is argv[0]'s or the first word; NULL: none. */
const struct compat_tool *tools_find(int argc, char *const *argv);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* directory.h - for probes: a private directory for objects that need a path. */
#pragma once

#include "src/probe/hop.h"

/* Its mode is 0700, and its name can't be guessed. */
enum { PROBE_DIR_SIZE = 88, PROBE_PATH_SIZE = PROBE_DIR_SIZE + 8 };
int probe_dir_make(const struct owner *owner, char path[PROBE_DIR_SIZE]);
/* Removes the directory with its files; an empty path is none. */
void probe_dir_remove(const char *path);
/* Has @make open the hop's ends at a path in a new directory, and removes both at once. @kind is handed on.
 * Returns what @make returns, or a negative errno. */
int probe_dir_use(struct hop *hop, int (*make)(struct hop *hop, const char *path, int kind), int kind);
/* A probe's remedies and sweep. */
extern const struct probe_remedy probe_dir_remedies[];
void probe_dir_sweep(const struct owner *dead);

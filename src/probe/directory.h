/* SPDX-License-Identifier: GPL-2.0-or-later */
/* directory.h - for probes: a private directory for objects that need a path. */
#pragma once

#include "src/probe/owner.h"

/* Its mode is 0700, and its name can't be guessed. */
enum { PROBE_DIR_SIZE = 88, PROBE_PATH_SIZE = PROBE_DIR_SIZE + 8 };
int probe_dir_make(const struct owner *owner, char path[PROBE_DIR_SIZE]);
/* Removes the directory with its files; an empty path is none. */
void probe_dir_remove(const char *path);
/* A probe's explain and sweep. */
const char *probe_dir_explain(int error);
void probe_dir_sweep(const struct owner *dead);

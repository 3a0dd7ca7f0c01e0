/* SPDX-License-Identifier: GPL-2.0-or-later */
/* names.h - for probes: objects with a name of one part, as of mq_open(3) and shm_open(3). */
#pragma once

#include "src/probe/owner.h"

enum { PROBE_NAME_SIZE = 1 + OWNER_TEXT };
/* Returns @name: one for each owner. */
char *probe_name(const struct owner *owner, char name[PROBE_NAME_SIZE]);
/* A probe's sweep; @path is the directory that lists the names, where it is mounted. */
void probe_name_sweep(const char *path, const struct owner *dead, int (*unlink_name)(const char *name));

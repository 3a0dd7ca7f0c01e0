/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cpuset.h - the CPUs on which a cgroup lets its tasks run. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct cpus;

enum { CPUSET_PATH_MAX = 4096 };

/* Reads which cpuset a process is in: "/", "/a"; "" where it is not known. @pid 0: this process. */
void cpuset_of(pid_t pid, char cpuset[CPUSET_PATH_MAX]);
/* Reads its CPUs that are online; one that goes offline leaves them a little later. Returns false if they are
 * not known. */
bool cpuset_read(const char *cpuset, struct cpus *cpus);
/* Finds the file that chooses its CPUs. Returns 0 or a negative errno, such as -ENXIO: the root of version 2
 * has none; -ENODATA: it is empty, so the CPUs are those of the cpuset above it. The kernel does not let a
 * cpuset become empty while it has tasks. */
int cpuset_find_file(const char *cpuset, char *path, size_t size);
/* Finds the file that makes a partition of it. Returns 0 or a negative errno: the root, and version 1, have
 * none. */
int cpuset_find_partition(const char *cpuset, char *path, size_t size);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cpu_quota.h - the CPU time that cgroups of version 1 or 2 may use in a period. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct fact_rows;

/* Finds the tightest quota of the members' cgroups and of those above them: "50000 of 100000 us", "none", or
 * a state. @members: rows of their cgroups, by tid; without rows the cgroup of this process counts. Leaves
 * @word alone if all members have ended. */
void cpu_quota_read(const struct fact_rows *members, char *word, size_t size);
/* The same of one cgroup. @mount: where its version is mounted; @path: "/a/b". */
void cpu_quota_of_cgroup(const char *mount, const char *path, char *word, size_t size);
/* Finds the file with the quota of this process's own cgroup. Returns 0 or a negative errno, of which
 * cpu_quota_why_none() has the sentence; NULL: the usual one. */
int cpu_quota_find_file(char *path, size_t size);
const char *cpu_quota_why_none(int error);

/* Pure. Finds the directory of the v1 cpu cgroup by /proc/self/{cgroup,mounts}, and its mount point. Either
 * may have the files, because a container has its own cgroup as the root. Returns false if there is none. */
bool cpu_quota_old_cgroup(const char *cgroup, const char *mounts, char *directory, char *mount, size_t size);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cpuset.c - finds the files of a cpuset. */
#include "src/machine/cpuset.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "src/base/small_file.h"
#include "src/machine/cpus.h"

/* The mounts of version 2, of version 1, and of both together. */
static const struct {
	const char *mount, *effective, *asked;
} versions[] = {
	{"/sys/fs/cgroup", "cpuset.cpus.effective", "cpuset.cpus"},
	{"/sys/fs/cgroup/cpuset", "cpuset.effective_cpus", "cpuset.cpus"},
	{"/sys/fs/cgroup/unified", "cpuset.cpus.effective", "cpuset.cpus"},
};
enum { N_VERSIONS = sizeof(versions) / sizeof(*versions) };

void cpuset_of(pid_t pid, char cpuset[CPUSET_PATH_MAX])
{
	char path[64];

	snprintf(path, sizeof(path), pid ? "/proc/%d/cpuset" : "/proc/self/cpuset", (int)pid);
	small_file_read_line(path, cpuset, CPUSET_PATH_MAX);
}

/* The root adds nothing to the path of a mount. */
static const char *folder_of(const char *cpuset)
{
	return strcmp(cpuset, "/") ? cpuset : "";
}

bool cpuset_read(const char *cpuset, struct cpus *cpus)
{
	char path[CPUSET_PATH_MAX + 64];

	for (size_t i = 0; i < N_VERSIONS; i++) {
		snprintf(path, sizeof(path), "%s%s/%s", versions[i].mount, folder_of(cpuset),
			versions[i].effective);
		if (cpus_read(cpus, path))
			return true;
	}
	return false;
}

int cpuset_find_file(const char *cpuset, char *path, size_t size)
{
	const char *folder = folder_of(cpuset);
	char line[16];
	size_t i = 0;

	do
		snprintf(path, size, "%s%s/%s", versions[i].mount, folder, versions[i].effective);
	while (access(path, F_OK) < 0 && ++i < N_VERSIONS);
	if (i == N_VERSIONS)
		return -ENXIO;
	/* That of the root of version 1 is there, and can't be written. */
	snprintf(path, size, "%s%s/release_agent", versions[i].mount, folder);
	if (access(path, F_OK) == 0)
		return -ENXIO;
	snprintf(path, size, "%s%s/%s", versions[i].mount, folder, versions[i].asked);
	ssize_t length = small_file_read_line(path, line, sizeof(line));

	return length == -ENOENT ? -ENXIO : length < 0 ? (int)length : length == 0 ? -ENODATA : 0;
}

int cpuset_find_partition(const char *cpuset, char *path, size_t size)
{
	for (size_t i = 0; i < N_VERSIONS; i++) {
		snprintf(path, size, "%s%s/cpuset.cpus.partition", versions[i].mount, folder_of(cpuset));
		if (access(path, F_OK) == 0)
			return 0;
	}
	return -ENXIO;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cpu_quota.c - the CPU time that cgroups may use in a period. */
#include "src/machine/cpu_quota.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/small_file.h"
#include "src/base/text.h"
#include "src/machine/fact_rows.h"

enum { MOUNTS_SIZE = 16384, CGROUP_SIZE = 2048, ROWS_MAX = 64 };

static const char *const new_mounts[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}; /* of version 2 */
enum { N_NEW_MOUNTS = sizeof(new_mounts) / sizeof(*new_mounts) };

struct quota {
	long long us, period_us; /* 0: no limit */
	int error;               /* a negative errno: it is not known */
};

/* Returns the share of one CPU. No limit is more than any share, and a quota that is not known is more than
 * that. */
static double share_of(const struct quota *quota)
{
	if (quota->error)
		return quota->error == -EACCES || quota->error == -EPERM ? 3e18 : 4e18;
	return quota->us ? (double)quota->us / (double)quota->period_us : 2e18;
}

static void keep_tighter(struct quota *kept, struct quota other)
{
	if (share_of(&other) < share_of(kept))
		*kept = other;
}

static void write_word(const struct quota *quota, char *word, size_t size)
{
	if (quota->error)
		snprintf(word, size, "%s", small_file_state_word(quota->error));
	else if (quota->us)
		snprintf(word, size, "%lld of %lld us", quota->us, quota->period_us);
	else
		snprintf(word, size, "none");
}

/* Reads a file of a cgroup's folder, as small_file_read_line(). */
static ssize_t read_line(const char *folder, const char *file, char *line, size_t size)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	return small_file_read_line(path, line, size);
}

static struct quota read_folder(const char *folder)
{
	struct quota quota = {0};
	char line[64], period[32];
	ssize_t length = read_line(folder, "cpu.max", line, sizeof(line));

	if (length > 0) {
		if (sscanf(line, "%lld %lld", &quota.us, &quota.period_us) != 2 || quota.period_us <= 0)
			quota.us = 0; /* "max 100000" */
		return quota;
	}
	if (length == -ENOENT)
		length = read_line(folder, "cpu.cfs_quota_us", line, sizeof(line));
	if (length > 0 && read_line(folder, "cpu.cfs_period_us", period, sizeof(period)) > 0) {
		quota.us = strtoll(line, NULL, 10);
		quota.period_us = strtoll(period, NULL, 10);
		if (quota.us < 0 || quota.period_us <= 0)
			quota.us = 0;
		return quota;
	}
	return (struct quota){.error = length < 0 ? (int)length : -ENOENT};
}

/* The tightest one from @path up to the mount. */
static struct quota read_upwards(const char *mount, const char *path)
{
	struct quota quota = {.error = -ENOENT};
	char at[PATH_MAX / 4], folder[PATH_MAX / 2];

	snprintf(at, sizeof(at), "%s", path);
	for (char *slash = at + strlen(at); slash; slash = strrchr(at, '/')) {
		*slash = '\0';
		snprintf(folder, sizeof(folder), "%s%s", mount, at);
		keep_tighter(&quota, read_folder(folder));
	}
	return quota;
}

void cpu_quota_of_cgroup(const char *mount, const char *path, char *word, size_t size)
{
	struct quota quota = read_upwards(mount, path);

	write_word(&quota, word, size);
}

/* Moves the next line of @text into @line, cut to @size. */
static bool next_line(const char **text, char *line, size_t size)
{
	size_t n = strcspn(*text, "\n");

	if (!**text)
		return false;
	snprintf(line, size, "%.*s", (int)n, *text);
	*text += n + ((*text)[n] == '\n');
	return true;
}

bool cpu_quota_old_cgroup(const char *cgroup, const char *mounts, char *directory, char *mount, size_t size)
{
	char line[2048], path[1024] = "", where[1024], type[64], options[1024], controllers[256];

	while (!path[0] && next_line(&cgroup, line, sizeof(line)))
		if (sscanf(line, "%*u:%255[^:]:%1023[^\n]", controllers, path) != 2 ||
			!text_has_word(controllers, "cpu", ","))
			path[0] = '\0';
	while (path[0] && next_line(&mounts, line, sizeof(line)))
		if (sscanf(line, "%*s %1023s %63s %1023s", where, type, options) == 3 &&
			strcmp(type, "cgroup") == 0 && text_has_word(options, "cpu", ",")) {
			snprintf(directory, size, "%s%s", where, strcmp(path, "/") == 0 ? "" : path);
			snprintf(mount, size, "%s", where);
			return true;
		}
	return false;
}

/* Finds the cgroup of version 2 in /proc/PID/cgroup: "", the root, or "/a/b". Returns false without one. */
static bool find_new_cgroup(const char *cgroup, char path[CGROUP_SIZE])
{
	char line[CGROUP_SIZE];

	while (next_line(&cgroup, line, sizeof(line)))
		if (strncmp(line, "0::/", 4) == 0) {
			snprintf(path, CGROUP_SIZE, "%s", line[4] ? line + 3 : "");
			return true;
		}
	return false;
}

/* Does the hierarchy of version 2 that is mounted there have the cpu controller? */
static bool controls_groups(const char *mount)
{
	char line[256];

	return read_line(mount, "cgroup.controllers", line, sizeof(line)) > 0 &&
	       text_has_word(line, "cpu", " ");
}

static bool controls_new_groups(void)
{
	bool has_cpu = false;

	for (size_t i = 0; i < N_NEW_MOUNTS; i++)
		has_cpu |= controls_groups(new_mounts[i]);
	return has_cpu;
}

/* The quota of a task by the text of /proc/PID/cgroup. */
static struct quota read_task(const char *cgroup)
{
	struct quota quota = {.error = -ENOENT};
	char path[CGROUP_SIZE], mounts[MOUNTS_SIZE], mount[CGROUP_SIZE];
	bool is_new = find_new_cgroup(cgroup, path);

	for (size_t i = 0; is_new && i < N_NEW_MOUNTS && quota.error == -ENOENT; i++)
		quota = read_upwards(new_mounts[i], path);
	if (quota.error != -ENOENT)
		return quota;
	if (is_new && controls_new_groups())
		return (struct quota){0}; /* the root's, or where no cgroup above has the controller on */
	small_file_read("/proc/self/mounts", mounts, sizeof(mounts));
	if (cpu_quota_old_cgroup(cgroup, mounts, path, mount, sizeof(path)))
		quota = read_upwards(mount, path + strlen(mount));
	return quota;
}

void cpu_quota_read(const struct fact_rows *members, char *word, size_t size)
{
	struct quota quota = {.error = -ENOENT};
	const char *last = "";
	char path[64], cgroup[CGROUP_SIZE];
	size_t n = members ? members->n : 0, n_read = 0;

	if (!n && small_file_read("/proc/self/cgroup", cgroup, sizeof(cgroup)) >= 0) {
		quota = read_task(cgroup);
		n_read++;
	}
	for (size_t i = 0; i < n && n_read < ROWS_MAX; i++) {
		snprintf(path, sizeof(path), "/proc/%u/cgroup", members->rows[i].first);
		if (strcmp(members->rows[i].value, last) == 0 ||
			small_file_read(path, cgroup, sizeof(cgroup)) < 0)
			continue;
		last = members->rows[i].value;
		keep_tighter(&quota, read_task(cgroup));
		n_read++;
	}
	if (n_read || !n)
		write_word(&quota, word, size);
}

/* Returns whether a file of a cgroup's folder is there. */
static bool has_file(const char *folder, const char *file)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	return access(path, F_OK) == 0;
}

/* Why a folder has no quota. */
static int refuse_folder(const char *folder, const char *other_file)
{
	if (access(folder, X_OK) < 0)
		return errno == EACCES || errno == EPERM ? -EACCES : -ENODEV;
	return has_file(folder, other_file) ? -ENOTSUP : -ENXIO;
}

static int find_old_file(const char *cgroup, char *path, size_t size)
{
	char mounts[MOUNTS_SIZE], directory[CGROUP_SIZE], mount[CGROUP_SIZE];

	small_file_read("/proc/self/mounts", mounts, sizeof(mounts));
	if (!cpu_quota_old_cgroup(cgroup, mounts, directory, mount, sizeof(directory)))
		return -ENODEV;
	snprintf(path, size, "%s/cpu.cfs_quota_us", directory);
	if (access(path, F_OK) < 0)
		return refuse_folder(directory, "cpu.shares");
	return has_file(directory, "release_agent") ? -ENXIO : 0; /* the root refuses each quota */
}

int cpu_quota_find_file(char *path, size_t size)
{
	char cgroup[CGROUP_SIZE], own[CGROUP_SIZE], folder[CGROUP_SIZE + 32];

	small_file_read("/proc/self/cgroup", cgroup, sizeof(cgroup));
	bool is_new = find_new_cgroup(cgroup, own);

	for (size_t i = 0; is_new && i < N_NEW_MOUNTS; i++) {
		snprintf(folder, sizeof(folder), "%s%s", new_mounts[i], own);
		snprintf(path, size, "%s/cpu.max", folder);
		if (access(path, F_OK) == 0)
			return 0;
		if (controls_groups(new_mounts[i]))
			return refuse_folder(folder, "cpu.weight");
	}
	return find_old_file(cgroup, path, size);
}

const char *cpu_quota_why_none(int error)
{
	switch (error) {
	case -ENXIO:
		return "the cgroup in which ipctop runs does not have it: the root has none, another one only "
		       "if its parent's cgroup.subtree_control has cpu (systemd-run --scope -p CPUWeight=100 "
		       "ipctop try ...)";
	case -ENODEV:
		return "the cgroup in which ipctop runs is not mounted here, or not with the cpu controller";
	case -ENOTSUP:
		return "this kernel has no quotas of CPU time (CONFIG_CFS_BANDWIDTH)";
	default:
		return NULL;
	}
}

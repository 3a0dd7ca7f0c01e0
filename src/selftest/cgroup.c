/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cgroup.c - a cgroup with the controller cpu for the members of a trouble: of version 1 below this
 * process's, of version 2 below the root, as only there members may be beside groups. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/base/small_file.h"
#include "src/base/text.h"
#include "src/selftest/troubles.h"

static const char root[] = "/sys/fs/cgroup", prefix[] = "ipctop-selftest-";
enum { FOLDER_SIZE = PATH_MAX - 128, LINE_SIZE = 1024, REMOVE_TRIES = 400, RETRY_NS = 5000000 };

/* The folder in which the group is made, and the cgroup of this process. */
struct cgroup_parent {
	char folder[FOLDER_SIZE], home[FOLDER_SIZE];
	bool is_v2;
};

/* @line: of /proc/self/cgroup, as "1:cpu,cpuacct:/PATH" or "0::/PATH". */
static bool read_parent(char *line, struct cgroup_parent *parent)
{
	char *controllers = strchr(line, ':'), *path = controllers ? strchr(controllers + 1, ':') : NULL;
	char file[PATH_MAX], enabled[LINE_SIZE];

	if (!path)
		return false;
	*controllers++ = *path++ = '\0';
	path[strcspn(path, "\n")] = '\0';
	parent->is_v2 = !*controllers;
	if (parent->is_v2) {
		snprintf(parent->folder, sizeof(parent->folder), "%s", root);
		snprintf(parent->home, sizeof(parent->home), "%s%s", root, path);
		snprintf(file, sizeof(file), "%s/cgroup.subtree_control", parent->folder);
		return small_file_read_line(file, enabled, sizeof(enabled)) > 0 &&
		       text_has_word(enabled, "cpu", " ");
	}
	if (!text_has_word(controllers, "cpu", ","))
		return false;
	snprintf(parent->folder, sizeof(parent->folder), "%s/%s%s", root, controllers, path);
	snprintf(parent->home, sizeof(parent->home), "%s", parent->folder);
	return access(parent->folder, F_OK) == 0;
}

static bool find_parent(struct cgroup_parent *parent)
{
	FILE *file = fopen("/proc/self/cgroup", "re");
	char line[LINE_SIZE];
	bool found = false;

	while (file && !found && fgets(line, sizeof(line), file))
		found = read_parent(line, parent);
	if (file)
		fclose(file);
	return found;
}

/* Removes the groups of self-tests that have ended. */
static void remove_dead(const struct cgroup_parent *parent)
{
	DIR *folder = opendir(parent->folder);
	struct dirent *entry;
	char path[PATH_MAX];

	while (folder && (entry = readdir(folder))) {
		if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0)
			continue;
		pid_t pid = atoi(entry->d_name + strlen(prefix));

		if (pid <= 0 || kill(pid, 0) == 0 || errno != ESRCH)
			continue;
		snprintf(path, sizeof(path), "%.*s/%.64s", FOLDER_SIZE, parent->folder, entry->d_name);
		rmdir(path);
	}
	if (folder)
		closedir(folder);
}

bool cgroup_may_make(struct error_text *reason)
{
	struct cgroup_parent parent;

	if (!find_parent(&parent)) {
		error_text_set(reason, -ENOTSUP,
			"no controller cpu in %s: mount cgroups, and enable it there", root);
		return false;
	}
	remove_dead(&parent);
	if (access(parent.folder, W_OK) == 0)
		return true;
	error_text_set(reason, -errno, "no cgroup can be made in %s: %s: run as root, outside of a container",
		parent.folder, error_text_of_errno(-errno));
	return false;
}

static int write_file(const char *folder, const char *file, const char *text)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%.*s/%s", FOLDER_SIZE, folder, file);
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int r = fd < 0 || write(fd, text, strlen(text)) < 0 ? -errno : 0;

	if (fd >= 0)
		close(fd);
	return r;
}

int cgroup_write(struct stage *stage, const char *file, const char *text)
{
	int r = write_file(stage->cgroup.path, file, text);

	return r < 0 ? error_text_set(&stage->reason, r, "%s can't be set to %s: %s", file, text,
			       error_text_of_errno(r))
		     : 0;
}

int cgroup_make(struct stage *stage)
{
	struct own_cgroup *cgroup = &stage->cgroup;
	struct cgroup_parent parent;
	char path[PATH_MAX];

	if (!find_parent(&parent))
		return error_text_set(&stage->reason, -ENOENT, "the controller cpu of cgroups is gone");
	snprintf(path, sizeof(path), "%s/%s%d", parent.folder, prefix, (int)getpid());
	memcpy(cgroup->path, path, sizeof(path)); /* first: cgroup_remove_left() must find it after a kill */
	if (mkdir(path, 0755) < 0) {
		cgroup->path[0] = '\0';
		return error_text_set(&stage->reason, -errno, "no cgroup %s: %s: run as root", path,
			error_text_of_errno(-errno));
	}
	snprintf(cgroup->home, sizeof(cgroup->home), "%s", parent.home);
	cgroup->is_v2 = parent.is_v2;
	return 0;
}

static int move_members(const struct stage *stage, const char *folder)
{
	char pid[16];
	int first_error = 0;

	for (unsigned i = 0; i < TROUBLE_MEMBERS; i++) { /* one that has ended keeps no other from it */
		snprintf(pid, sizeof(pid), "%d", (int)stage->members[i]);
		int r = write_file(folder, "cgroup.procs", pid);

		first_error = first_error ? first_error : r;
	}
	return first_error;
}

int cgroup_take_members(struct stage *stage)
{
	int r = move_members(stage, stage->cgroup.path);

	return r < 0 ? error_text_set(&stage->reason, r, "the members can't be moved to a cgroup: %s",
			       error_text_of_errno(r))
		     : 0;
}

/* Members that are dying are in it until they are gone. */
void cgroup_remove_left(struct stage *stage)
{
	struct own_cgroup *cgroup = &stage->cgroup;

	if (!cgroup->path[0])
		return;
	for (unsigned i = 0; rmdir(cgroup->path) < 0 && errno == EBUSY && i < REMOVE_TRIES; i++) {
		const struct timespec rest = clock_timespec(RETRY_NS);

		nanosleep(&rest, NULL);
	}
	cgroup->path[0] = '\0';
}

void cgroup_remove(struct stage *stage)
{
	if (stage->cgroup.path[0])
		move_members(stage, stage->cgroup.home);
	cgroup_remove_left(stage);
}

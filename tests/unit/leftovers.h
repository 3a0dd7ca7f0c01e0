/* SPDX-License-Identifier: GPL-2.0-or-later */
/* leftovers.h - descriptors, names, SysV objects and processes that a run could leave behind.
 *
 * The test runs in namespaces of its own, without the objects of other programs, if that is allowed. */
#pragma once

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/tap.h"

struct leftovers {
	unsigned descriptors, names;         /* names of ours in file systems */
	size_t semaphores, queues, segments; /* bytes of the tables in /proc/sysvipc */
};

/* The private directories of this run are here. */
static char leftovers_folder[] = "/tmp/ipctop-test.XXXXXX";
static char leftovers_queues[] = "/tmp/ipctop-mqueue.XXXXXX"; /* where a mqueue file system is, if private */
static bool leftovers_private;                                /* /dev/shm and queues too */

static unsigned count_entries(const char *path, const char *prefix)
{
	DIR *directory = opendir(path);
	struct dirent *entry;
	unsigned n = 0;

	while (directory && (entry = readdir(directory)))
		n += !strncmp(entry->d_name, prefix, strlen(prefix));
	if (directory)
		closedir(directory);
	return n;
}

static size_t table_size(const char *path)
{
	FILE *file = fopen(path, "r");
	size_t n = 0;

	while (file && fgetc(file) != EOF)
		n++;
	if (file)
		fclose(file);
	return n;
}

static struct leftovers look_for_leftovers(void)
{
	char mine[32] = "";

	if (!leftovers_private)
		snprintf(mine, sizeof(mine), "ipctop.%d.", getpid());
	return (struct leftovers){
		.descriptors = count_entries("/proc/self/fd", ""),
		.names = count_entries(leftovers_folder, "ipctop.") + count_entries("/dev/shm", mine) +
			 count_entries(leftovers_private ? leftovers_queues : "/dev/mqueue", mine),
		.semaphores = table_size("/proc/sysvipc/sem"),
		.queues = table_size("/proc/sysvipc/msg"),
		.segments = table_size("/proc/sysvipc/shm"),
	};
}

/* Orphans of this process's children are its own children. */
static void check_nothing_left(struct leftovers before)
{
	struct leftovers after = look_for_leftovers();

	CHECK(after.descriptors == before.descriptors, "%u, before %u", after.descriptors,
		before.descriptors);
	CHECK(after.names == before.names, "%u, before %u", after.names, before.names);
	CHECK(after.semaphores == before.semaphores && after.queues == before.queues &&
		after.segments == before.segments);
	CHECK(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD, "a child is left");
}

/* Returns false where no folder can be made. */
static bool leftovers_init(void)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (unshare(CLONE_NEWIPC) < 0)
		printf("# the SysV tables are shared with other programs: %s\n", strerror(errno));
	else if (mkdtemp(leftovers_queues) && unshare(CLONE_NEWNS) == 0 &&
		 mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0)
		leftovers_private = mount("mqueue", leftovers_queues, "mqueue", 0, NULL) == 0 &&
				    mount("tmpfs", "/dev/shm", "tmpfs", 0, NULL) == 0;
	if (!leftovers_private)
		printf("# /dev/shm and queues are shared with other programs\n");
	return mkdtemp(leftovers_folder) && setenv("XDG_RUNTIME_DIR", leftovers_folder, 1) == 0;
}

static void leftovers_finish(void)
{
	if (leftovers_private)
		umount(leftovers_queues);
	rmdir(leftovers_queues); /* may not be there */
	rmdir(leftovers_folder);
}

/* How much memory this process has in use. */
__attribute__((unused)) static long resident_kib(void)
{
	long pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");

	if (!file || fscanf(file, "%*d %ld", &pages) != 1)
		pages = 0;
	if (file)
		fclose(file);
	return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

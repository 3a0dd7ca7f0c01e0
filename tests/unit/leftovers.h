/* SPDX-License-Identifier: GPL-2.0-or-later */
/* leftovers.h - descriptors, names, SysV objects and processes that a run could leave behind.
 *
 * The test runs in namespaces of its own, without the objects of other programs, where the kernel allows that
 * to this user. Elsewhere other programs make and remove objects meanwhile: only those that this process
 * made, or a process that has ended, can be leftovers, and those of a program that was killed are gone soon.
 */
#pragma once

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/probe/objects.h"
#include "src/probe/owner.h"
#include "tests/unit/tap.h"

enum { LEFTOVERS_MAX = 256 };

struct leftovers {
	unsigned descriptors;
	size_t n_objects;
	uint64_t objects[LEFTOVERS_MAX]; /* hashes of their kinds and names */
};

/* The private directories of this run are here. */
static char leftovers_folder[] = "/tmp/ipctop-test.XXXXXX";
static char leftovers_queues[] = "/tmp/ipctop-mqueue.XXXXXX"; /* where a mqueue file system is, if private */
static bool leftovers_private;                                /* /dev/shm, queues and SysV objects */

__attribute__((unused)) static unsigned count_entries(const char *path, const char *prefix)
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

/* New descriptors are the lowest, so none of a leak is missed. Needs no /proc. */
static unsigned count_descriptors(void)
{
	unsigned n = 0;

	for (int fd = 0; fd < 4096; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* FNV-1a */
static uint64_t hash_name(const char *kind, const char *name)
{
	uint64_t hash = UINT64_C(14695981039346656037);

	for (; *kind; kind++)
		hash = (hash ^ (unsigned char)*kind) * UINT64_C(1099511628211);
	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * UINT64_C(1099511628211);
	return hash;
}

/* @pid: the process that made or used the object last; 0: none that is known. */
static void note_object(struct leftovers *found, const char *kind, const char *name, pid_t pid)
{
	bool is_of_others = pid > 0 && pid != getpid() && (kill(pid, 0) == 0 || errno == EPERM);

	if (!leftovers_private && is_of_others)
		return;
	if (found->n_objects < LEFTOVERS_MAX)
		found->objects[found->n_objects++] = hash_name(kind, name);
	else
		CHECK(found->n_objects < LEFTOVERS_MAX, "too many objects of processes that have ended");
}

static void note_names(struct leftovers *found, const char *path)
{
	DIR *directory = opendir(path);
	struct dirent *entry;
	struct owner owner;

	while (directory && (entry = readdir(directory)))
		if (owner_parse(entry->d_name, &owner))
			note_object(found, path, entry->d_name, owner.pid);
	if (directory)
		closedir(directory);
}

static void note_sysv(
	struct leftovers *found, const char *kind, int id, const struct ipc_perm *perm, pid_t pid)
{
	char name[16];

	snprintf(name, sizeof(name), "%d", id);
	if (probe_sysv_may_be_ours(perm))
		note_object(found, kind, name, pid);
}

/* By system calls: /proc/sysvipc may not be there, and has no pid of a semaphore. */
static void note_sysv_objects(struct leftovers *found)
{
	union {
		int val;
		struct semid_ds *buf;
		struct seminfo *info;
	} semun;
	struct seminfo sem_info;
	struct msginfo msg_info;
	struct shm_info shm_info;
	struct semid_ds set;
	struct msqid_ds queue;
	struct shmid_ds segment;
	int id, highest;

	semun.info = &sem_info;
	highest = semctl(0, 0, SEM_INFO, semun);
	semun.buf = &set;
	for (int i = 0; i <= highest; i++)
		if ((id = semctl(i, 0, SEM_STAT, semun)) >= 0)
			note_sysv(
				found, "sem", id, &set.sem_perm, semctl(id, (int)set.sem_nsems - 1, GETPID));
	highest = msgctl(0, MSG_INFO, (struct msqid_ds *)(void *)&msg_info);
	for (int i = 0; i <= highest; i++)
		if ((id = msgctl(i, MSG_STAT, &queue)) >= 0)
			note_sysv(found, "msg", id, &queue.msg_perm, queue.msg_lspid);
	highest = shmctl(0, SHM_INFO, (struct shmid_ds *)(void *)&shm_info);
	for (int i = 0; i <= highest; i++)
		if ((id = shmctl(i, SHM_STAT, &segment)) >= 0)
			note_sysv(found, "shm", id, &segment.shm_perm, segment.shm_cpid);
}

static struct leftovers look_for_leftovers(void)
{
	struct leftovers found = {.descriptors = count_descriptors()};

	note_names(&found, leftovers_folder);
	note_names(&found, "/dev/shm");
	note_names(&found, leftovers_private ? leftovers_queues : "/dev/mqueue");
	note_sysv_objects(&found);
	return found;
}

static bool has_object(const struct leftovers *found, uint64_t object)
{
	size_t i = 0;

	while (i < found->n_objects && found->objects[i] != object)
		i++;
	return i < found->n_objects;
}

/* Keeps those objects that are in @others too, or those that are not. */
static void keep_objects(struct leftovers *found, bool in_others, const struct leftovers *others)
{
	size_t n = 0;

	for (size_t i = 0; i < found->n_objects; i++)
		if (has_object(others, found->objects[i]) == in_others)
			found->objects[n++] = found->objects[i];
	found->n_objects = n;
}

/* Waits for the objects of other programs that ended meanwhile. */
static void check_no_object_left(const struct leftovers *before)
{
	uint64_t deadline_ns = clock_now_ns() + 60000000000u;
	struct leftovers left = look_for_leftovers();

	keep_objects(&left, false, before);
	while (!leftovers_private && left.n_objects && clock_now_ns() < deadline_ns) {
		usleep(1000);
		struct leftovers now = look_for_leftovers();

		keep_objects(&left, true, &now);
	}
	CHECK(left.n_objects == 0, "%zu names or SysV objects", left.n_objects);
}

/* Orphans of this process's children are its own children. */
static void check_nothing_left(struct leftovers before)
{
	unsigned descriptors = count_descriptors();

	CHECK(descriptors == before.descriptors, "%u, before %u", descriptors, before.descriptors);
	check_no_object_left(&before);
	CHECK(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD, "a child is left");
}

static bool write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool written = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return written;
}

/* A plain user needs a user namespace for the others, and has his own ids there. */
static bool enter_user_namespace(void)
{
	char uids[32], gids[32];

	snprintf(uids, sizeof(uids), "%u %u 1", geteuid(), geteuid());
	snprintf(gids, sizeof(gids), "%u %u 1", getegid(), getegid());
	return unshare(CLONE_NEWUSER) == 0 && write_text("/proc/self/setgroups", "deny") &&
	       write_text("/proc/self/uid_map", uids) && write_text("/proc/self/gid_map", gids);
}

static bool enter_namespaces(void)
{
	return (geteuid() == 0 || enter_user_namespace()) && unshare(CLONE_NEWIPC | CLONE_NEWNS) == 0 &&
	       mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
	       mount("mqueue", leftovers_queues, "mqueue", 0, NULL) == 0 &&
	       mount("tmpfs", "/dev/shm", "tmpfs", 0, NULL) == 0;
}

/* Tried in a child: there is no way back from half of them. */
static bool may_enter_namespaces(void)
{
	int status = 1;
	pid_t child = fork();

	if (child == 0)
		_exit(enter_namespaces() ? 0 : errno);
	if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
		return false;
	if (status)
		printf("# /dev/shm, queues and SysV objects are shared with other programs: %s\n",
			strerror(WEXITSTATUS(status)));
	return status == 0;
}

/* Returns false where no folder can be made. */
static bool leftovers_init(void)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	leftovers_private = mkdtemp(leftovers_queues) && may_enter_namespaces() && enter_namespaces();
	return mkdtemp(leftovers_folder) && setenv("XDG_RUNTIME_DIR", leftovers_folder, 1) == 0;
}

static void leftovers_finish(void)
{
	if (leftovers_private)
		umount(leftovers_queues);
	rmdir(leftovers_queues); /* may not be there */
	rmdir(leftovers_folder);
}

/* The id of a process that has ended. */
__attribute__((unused)) static pid_t dead_pid(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	waitpid(pid, NULL, 0);
	return pid;
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

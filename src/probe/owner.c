/* SPDX-License-Identifier: GPL-2.0-or-later */
/* owner.c - the process that owns an object, and whether it provably has ended.
 *
 * An owner is a pid, its start time, and its space: a hash of the boot, the pid namespace and the time
 * namespace. Outside of these, pid and start time mean something else (/proc/PID/stat shifts start times by
 * the reader's time namespace), and containers may share /dev/shm, an IPC namespace or /tmp. So owners of
 * another space count as alive, and objects of a container that was killed as a whole may stay, where others
 * share its directories. A lock would prove as much, but SysV objects and /dev/shm are shared by processes
 * that have no file in common. */
#include "src/probe/owner.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/bytes.h"
#include "src/base/small_file.h"
#include "src/machine/task.h"

/* NSpid has a number for each namespace from the mount's to the process's; a kernel without pid namespaces
 * has no such line. */
bool owner_proc_is_own(void)
{
	FILE *file = fopen("/proc/self/status", "re");
	char line[256];
	bool is_own = file;
	int pid, deeper;

	while (file && fgets(line, sizeof(line), file))
		if (strncmp(line, "NSpid:", 6) == 0)
			is_own = sscanf(line + 6, "%d %d", &pid, &deeper) == 1 && pid == getpid();
	if (file)
		fclose(file);
	return is_own;
}

/* *number is 0 where the kernel has no namespaces of that kind. */
static bool read_namespace(const char *path, uint64_t *number)
{
	struct stat status = {0};
	bool is_known = stat(path, &status) == 0 || errno == ENOENT;

	*number = status.st_ino;
	return is_known;
}

/* Returns 0 where the space is not known. The kernel reuses a namespace's number once no process is left in
 * it: then an owner with an equal number has ended. */
static uint64_t read_space(void)
{
	struct {
		char boot[40];
		uint64_t pids, times;
	} space = {0};
	bool is_known =
		small_file_read("/proc/sys/kernel/random/boot_id", space.boot, sizeof(space.boot)) > 0;

	is_known = is_known && owner_proc_is_own() && read_namespace("/proc/self/ns/pid", &space.pids) &&
		   read_namespace("/proc/self/ns/time", &space.times);
	return is_known ? bytes_check(&space, sizeof(space)) : 0;
}

/* Where the space is not known, the start time is a random number, so that names still differ. */
struct owner owner_self(void)
{
	struct owner owner = {.pid = getpid(), .space = read_space()};
	struct task_stat stat;

	if (owner.space && task_read_stat(owner.pid, owner.pid, &stat) == 0) {
		owner.start_time = stat.start_time;
		return owner;
	}
	owner.space = 0;
	if (getrandom(&owner.start_time, sizeof(owner.start_time), 0) < 0)
		owner.start_time = 0;
	return owner;
}

bool owner_equal(const struct owner *a, const struct owner *b)
{
	return a->pid == b->pid && a->start_time == b->start_time && a->space == b->space;
}

bool owner_is_dead(const struct owner *owner)
{
	struct task_stat stat;
	int r = task_read_stat(owner->pid, owner->pid, &stat);
	bool is_gone;

	if (r == 0) /* what exits runs no code of its own, and makes no more objects */
		is_gone = stat.start_time != owner->start_time || stat.flags & TASK_EXITING ||
			  stat.state == 'Z' || stat.state == 'X';
	else /* /proc may hide a living process (hidepid) */
		is_gone = (r == -ENOENT || r == -ESRCH) && kill(owner->pid, 0) < 0 && errno == ESRCH;
	return is_gone && owner->space && owner->space == read_space();
}

bool owner_has_left(const struct owner *owner, const struct owner *dead)
{
	return (dead && owner_equal(dead, owner)) || owner_is_dead(owner);
}

unsigned owner_key(const struct owner *owner)
{
	const uint64_t words[] = {(uint64_t)owner->pid, owner->start_time, owner->space};

	return bytes_check(words, sizeof(words)) & ((1 << OWNER_KEY_BITS) - 1);
}

char *owner_format(const struct owner *owner, char text[OWNER_TEXT])
{
	snprintf(text, OWNER_TEXT, "ipctop.%d.%llu.%016llx", owner->pid,
		(unsigned long long)owner->start_time, (unsigned long long)owner->space);
	return text;
}

bool owner_parse(const char *name, struct owner *owner)
{
	unsigned long long start_time, space;

	if (sscanf(name, "ipctop.%d.%llu.%16llx", &owner->pid, &start_time, &space) != 3 || owner->pid <= 0)
		return false;
	owner->start_time = start_time;
	owner->space = space;
	return true;
}

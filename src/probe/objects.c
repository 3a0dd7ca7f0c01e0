/* SPDX-License-Identifier: GPL-2.0-or-later */
/* objects.c - for probes: objects that outlive their process, named after their owner. */
#include "src/probe/objects.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- private directories, for objects that need a path --- */

enum { ENDING = 8 }; /* ".XXXXXX" and its 0 */

/* Returns folder @i in which directories may be; new ones are made in the first one. NULL past the last one.
 */
static const char *parent_directory(unsigned i)
{
	const char *runtime = secure_getenv("XDG_RUNTIME_DIR");
	bool fits = runtime && runtime[0] == '/' && strlen(runtime) + OWNER_TEXT + ENDING < PROBE_DIR_SIZE;

	if (fits && access(runtime, W_OK | X_OK) == 0)
		return i == 0 ? runtime : i == 1 ? "/tmp" : NULL;
	return i == 0 ? "/tmp" : NULL;
}

int probe_dir_make(const struct owner *owner, char path[PROBE_DIR_SIZE])
{
	char name[OWNER_TEXT];

	snprintf(path, PROBE_DIR_SIZE, "%.*s/%s.XXXXXX", PROBE_DIR_SIZE - OWNER_TEXT - ENDING - 1,
		parent_directory(0), owner_format(owner, name));
	if (mkdtemp(path))
		return 0;
	path[0] = '\0';
	return -errno;
}

const struct probe_remedy probe_dir_remedies[] = {
	{{-EACCES, -ENOENT, -EROFS},
		"no directory can be made in /tmp: set XDG_RUNTIME_DIR to a directory of this user's"},
	{{-ENOSPC}, "no room for a file in XDG_RUNTIME_DIR or /tmp: free some space"},
	{.text = NULL},
};

/* Works with descriptors, so no link leads elsewhere. */
static void remove_in(int parent_fd, const char *name)
{
	int fd = openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	while (directory && (entry = readdir(directory)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			unlinkat(fd, entry->d_name, 0);
	if (directory)
		closedir(directory);
	else if (fd >= 0)
		close(fd);
	unlinkat(parent_fd, name, AT_REMOVEDIR);
}

void probe_dir_remove(const char *path)
{
	if (path[0])
		remove_in(AT_FDCWD, path);
}

int probe_dir_use(struct hop *hop, int (*make)(struct hop *hop, const char *path, int kind), int kind)
{
	char directory[PROBE_DIR_SIZE], path[PROBE_PATH_SIZE];
	int r = probe_dir_make(&hop->owner, directory);

	if (r < 0)
		return r;
	snprintf(path, sizeof(path), "%s/object", directory);
	r = make(hop, path, kind);
	probe_dir_remove(directory);
	return r;
}

static bool is_left_behind(int parent_fd, const char *name, const struct owner *dead)
{
	struct owner owner;
	struct stat status;

	if (!owner_parse(name, &owner))
		return false;
	if (fstatat(parent_fd, name, &status, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISDIR(status.st_mode) ||
		status.st_uid != geteuid())
		return false;
	return owner_has_left(&owner, dead);
}

void probe_dir_sweep(const struct owner *dead)
{
	const char *path;

	for (unsigned i = 0; (path = parent_directory(i)); i++) {
		DIR *directory = opendir(path);
		struct dirent *entry;

		while (directory && (entry = readdir(directory)))
			if (is_left_behind(dirfd(directory), entry->d_name, dead))
				remove_in(dirfd(directory), entry->d_name);
		if (directory)
			closedir(directory);
	}
}

/* --- names of one part, as of mq_open(3) and shm_open(3) --- */

char *probe_name(const struct owner *owner, char name[PROBE_NAME_SIZE])
{
	name[0] = '/';
	owner_format(owner, name + 1);
	return name;
}

void probe_name_sweep(const char *path, const struct owner *dead, int (*unlink_name)(const char *name))
{
	char name[PROBE_NAME_SIZE];
	DIR *directory = dead ? NULL : opendir(path);
	struct dirent *entry;
	struct owner owner;

	if (dead)
		unlink_name(probe_name(dead, name));
	while (directory && (entry = readdir(directory)))
		if (owner_parse(entry->d_name, &owner) && owner_is_dead(&owner))
			unlink_name(probe_name(&owner, name));
	if (directory)
		closedir(directory);
}

/* --- SysV objects, which have a key in place of a name --- */

enum {
	KEYS = 1 << (32 - OWNER_KEY_BITS),
	ABANDONED_S =
		60, /* from making an object to writing its owner: a system call, on the slowest machine */
};

int probe_sysv_make(struct hop *hop, int (*get)(key_t key))
{
	struct hop_sysv *sysv = hop->state;
	int id = -1;

	for (unsigned i = 0; id < 0 && i < KEYS; i++) {
		unsigned number = (hop->id + i) % KEYS;
		key_t key = (key_t)(number << OWNER_KEY_BITS | owner_key(&hop->owner));

		id = key == IPC_PRIVATE ? -1 : get(key);
		if (id < 0 && key != IPC_PRIVATE && errno != EEXIST)
			return -errno;
	}
	if (id < 0) /* more hops than keys: such an object is found by the owner in it alone */
		id = get(IPC_PRIVATE);
	if (id < 0)
		return -errno;
	*sysv = (struct hop_sysv){.id = id, .is_open = true};
	return 0;
}

bool probe_sysv_may_be_ours(const struct ipc_perm *perm)
{
	unsigned mode = perm->mode & 0777, earlier = 0600; /* of earlier versions */

	return (mode == PROBE_SYSV_MODE || mode == earlier) && perm->cuid == geteuid();
}

bool probe_sysv_is_abandoned(const struct ipc_perm *perm, time_t made_s, const struct owner *dead)
{
	unsigned key = (unsigned)perm->__key & ((1 << OWNER_KEY_BITS) - 1);

	if (dead && key == owner_key(dead))
		return true;
	return (perm->mode & 0777) == PROBE_SYSV_MODE && time(NULL) - made_s > ABANDONED_S;
}

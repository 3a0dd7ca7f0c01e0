/* SPDX-License-Identifier: GPL-2.0-or-later */
/* file_place.c - the directory and the name of a file to be written, found without foreign links. */
#include "src/base/file_place.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { LINKS_MAX = 40 }; /* as the kernel */

/* The way to the place, from its directory on. */
struct way {
	char rest[PATH_MAX];
	unsigned n_links;
};

/* Takes the descriptor. */
static void enter(struct file_place *place, int directory)
{
	file_place_finish(place);
	place->directory = directory;
}

static int enter_start(struct file_place *place, const char *path)
{
	enter(place, open(path[0] == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
	return place->directory < 0 ? -errno : 0;
}

/* Cuts the first component off the way, into the name. A path that ends with a slash has "." at its end. */
static int take_name(struct file_place *place, struct way *way)
{
	char *begin = way->rest + strspn(way->rest, "/");
	size_t length = strcspn(begin, "/");

	if (length > NAME_MAX)
		return -ENAMETOOLONG;
	memcpy(place->name, begin, length);
	place->name[length] = '\0';
	if (!length)
		strcpy(place->name, ".");
	memmove(way->rest, begin + length, strlen(begin + length) + 1);
	return 0;
}

static int check_link(
	const struct file_place *place, const struct stat *link, const char *path, struct error_text *reason)
{
	const mode_t anybodys = S_ISVTX | S_IWOTH;
	struct stat directory;

	if (fstat(place->directory, &directory) < 0)
		return -errno;
	if ((directory.st_mode & anybodys) != anybodys || link->st_uid == geteuid() ||
		link->st_uid == directory.st_uid)
		return 0;
	return error_text_set(reason, -EACCES,
		"can't write %s: another user (uid %u) made the symbolic link '%s', where anybody may make one: "
		"name another file",
		path, (unsigned)link->st_uid, place->name);
}

static bool is_in_proc(const struct file_place *place)
{
	struct statfs system;

	return fstatfs(place->directory, &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
}

/* Returns whether the text of a link of /proc names the file here. */
static bool is_named_here(const struct file_place *place, const struct stat *file)
{
	char path[PATH_MAX];
	ssize_t n = readlinkat(place->directory, place->name, path, sizeof(path) - 1);
	struct stat named;

	path[n > 0 ? n : 0] = '\0';
	return path[0] == '/' && stat(path, &named) == 0 && named.st_dev == file->st_dev &&
	       named.st_ino == file->st_ino;
}

/* A link of /proc/PID (root, cwd, fd/N) leads to what the process has open: maybe to another mount namespace,
 * or to a file without a name. Returns 1 at such a file, 0 in such a directory, -ENOLINK if the text is to be
 * followed, or another negative errno. */
static int follow_proc_link(struct file_place *place, bool is_last)
{
	int fd = openat(place->directory, place->name, O_PATH | O_CLOEXEC);
	int r = fd < 0 ? -errno : -ENOLINK;
	struct stat status;

	if (fd >= 0 && fstat(fd, &status) == 0) {
		bool is_directory = S_ISDIR(status.st_mode);

		if (is_directory && !is_last) {
			enter(place, fd);
			return 0;
		}
		place->is_open_file = is_last && !is_directory &&
				      (!S_ISREG(status.st_mode) || !is_named_here(place, &status));
		r = place->is_open_file ? 1 : -ENOLINK;
	}
	if (fd >= 0)
		close(fd);
	return r;
}

/* Puts the target of the link before the rest of the way. */
static int follow_link(struct file_place *place, struct way *way, int link)
{
	char target[PATH_MAX], rest[PATH_MAX];
	ssize_t n = readlinkat(link, "", target, sizeof(target));

	if (n < 0)
		return -errno;
	if (++way->n_links > LINKS_MAX)
		return -ELOOP;
	if (n == 0)
		return -ENOENT;
	strcpy(rest, way->rest);
	if (snprintf(way->rest, PATH_MAX, "%.*s%s", (int)n, target, rest) >= PATH_MAX)
		return -ENAMETOOLONG;
	return target[0] == '/' ? enter_start(place, target) : 0;
}

/* Goes on by the name. Returns 1 at the end of the way, 0 before it, or a negative errno. */
static int walk_name(struct file_place *place, struct way *way, const char *path, struct error_text *reason)
{
	bool is_last = !way->rest[0];
	int fd = openat(place->directory, place->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat status;
	int r = fd < 0 || fstat(fd, &status) < 0 ? -errno : 0;

	if (r == 0 && S_ISLNK(status.st_mode)) {
		r = check_link(place, &status, path, reason);
		if (r == 0)
			r = is_in_proc(place) ? follow_proc_link(place, is_last) : -ENOLINK;
		if (r == -ENOLINK)
			r = follow_link(place, way, fd);
	} else if (is_last) {
		r = r == -ENOENT ? 1 : r < 0 ? r : 1;
	} else if (r == 0 && !S_ISDIR(status.st_mode)) {
		r = -ENOTDIR;
	} else if (r == 0) {
		enter(place, fd);
		return 0;
	}
	if (fd >= 0)
		close(fd);
	return r;
}

int file_place_find(struct file_place *place, const char *path, struct error_text *reason)
{
	struct way way = {.n_links = 0};
	int r = strlen(path) < sizeof(way.rest) ? 0 : -ENAMETOOLONG;

	*place = (struct file_place){.directory = -1};
	reason->text[0] = '\0';
	if (r == 0) {
		strcpy(way.rest, path);
		r = path[0] ? enter_start(place, path) : -ENOENT;
	}
	while (r == 0) {
		r = take_name(place, &way);
		if (r == 0)
			r = walk_name(place, &way, path, reason);
	}
	if (r < 0 && !reason->text[0])
		error_text_set(reason, r, "can't write %s: %s", path, strerror(-r));
	return r < 0 ? r : 0;
}

void file_place_finish(struct file_place *place)
{
	if (place->directory >= 0)
		close(place->directory);
	place->directory = -1;
}

int file_place_stat(const struct file_place *place, struct stat *status)
{
	int flags = place->is_open_file ? 0 : AT_SYMLINK_NOFOLLOW;

	return fstatat(place->directory, place->name, status, flags) < 0 ? -errno : 0;
}

int file_place_open(const struct file_place *place, int flags, mode_t mode)
{
	int fd = openat(place->directory, place->name,
		flags | O_CLOEXEC | O_NOCTTY | (place->is_open_file ? 0 : O_NOFOLLOW), mode);

	return fd < 0 ? -errno : fd;
}

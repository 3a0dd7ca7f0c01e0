/* SPDX-License-Identifier: GPL-2.0-or-later */
/* whole_file.c - replaces a file as a whole, or not at all. */
#include "src/base/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

static int refuse_path(struct error_text *reason, const char *path, int error)
{
	return error_text_set(reason, -error, "can't write %s: %s", path, strerror(error));
}

bool whole_file_is_stdout(const char *path)
{
	return path && strcmp(path, "-") == 0;
}

/* Returns 1 if the path exists and is no regular file, 0 if it is a regular file or does not exist. */
static int is_special(const char *path)
{
	struct stat status;

	if (stat(path, &status) < 0)
		return errno == ENOENT ? 0 : -errno;
	if (S_ISDIR(status.st_mode))
		return -EISDIR;
	return S_ISREG(status.st_mode) ? 0 : 1;
}

/* Follows symbolic links, so that the file is replaced and not the link. Returns 0 or a negative errno. */
static int find_place(const char *path, char place[PATH_MAX])
{
	if (realpath(path, place))
		return 0;
	if (errno != ENOENT)
		return -errno;
	return snprintf(place, PATH_MAX, "%s", path) < PATH_MAX ? 0 : -ENAMETOOLONG;
}

static const char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* "/tmp/", "./". Returns @directory. */
static const char *directory_of(const char *path, char directory[PATH_MAX])
{
	int length = (int)(name_of(path) - path);

	snprintf(directory, PATH_MAX, "%.*s", length ? length : 2, length ? path : "./");
	return directory;
}

/* Opens a file without a name in the directory of @place, or, where the file system has no such files, one
 * named "DIRECTORY/.NAME.XXXXXX". The umask applies to @mode (mkstemp(3) would make 0600). Returns a
 * descriptor or a negative errno. */
static int make_temporary(struct whole_file *file, const char *place, mode_t mode)
{
	char directory[PATH_MAX];
	uint32_t number = 0;

	directory_of(place, directory);
	if (getrandom(&number, sizeof(number), 0) < 0)
		return -errno;
	if (snprintf(file->temporary, PATH_MAX, "%s.%.200s.%06x", directory, name_of(place), number >> 8) >=
		PATH_MAX)
		return -ENAMETOOLONG;
	int fd = open(directory, O_WRONLY | O_TMPFILE | O_CLOEXEC, mode);

	file->nameless = fd >= 0;
	if (!file->nameless)
		fd = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	return fd < 0 ? -errno : fd;
}

/* A file that is write-protected stays, even where its directory allows replacing it. The new file gets the
 * mode of the old one only if that was this user's: another user's mode may let anybody read and write. */
static int open_beside(struct whole_file *file)
{
	char place[PATH_MAX];
	struct stat old;
	int fd = find_place(file->path, place);

	if (fd < 0)
		return fd;
	bool exists = stat(place, &old) == 0, is_own = exists && old.st_uid == geteuid();

	if (exists && access(place, W_OK) < 0)
		return -errno;
	fd = make_temporary(file, place, is_own ? old.st_mode & 0777 : 0666);
	if (fd >= 0 && is_own)
		fchmod(fd, old.st_mode & 0777);
	return fd;
}

static void drop_temporary(struct whole_file *file)
{
	if (file->temporary[0] && !file->nameless)
		unlink(file->temporary);
}

static bool same_inode(const char *path, const char *other)
{
	struct stat ours, theirs;

	return stat(path, &ours) == 0 && stat(other, &theirs) == 0 && ours.st_dev == theirs.st_dev &&
	       ours.st_ino == theirs.st_ino;
}

/* For files that do not exist: compares directories and names. */
static bool same_name(const char *path, const char *other)
{
	char directory[PATH_MAX], other_directory[PATH_MAX];

	return strcmp(name_of(path), name_of(other)) == 0 &&
	       same_inode(directory_of(path, directory), directory_of(other, other_directory));
}

bool whole_file_is(const char *path, const char *other)
{
	if (whole_file_is_stdout(path) || whole_file_is_stdout(other))
		return whole_file_is_stdout(path) && whole_file_is_stdout(other);
	if (is_special(path) == 1)
		return false;
	return same_inode(path, other) || (access(path, F_OK) < 0 && same_name(path, other));
}

/* The kernel's rule of fs.protected_symlinks, which may be off, and which realpath(3) ignores. */
int whole_file_check_link(const char *path, struct error_text *reason)
{
	const mode_t anybodys = S_ISVTX | S_IWOTH;
	char name[PATH_MAX];
	struct stat link, directory;

	if (lstat(path, &link) < 0 || !S_ISLNK(link.st_mode) ||
		stat(directory_of(path, name), &directory) < 0)
		return 0;
	if ((directory.st_mode & anybodys) != anybodys || link.st_uid == geteuid() ||
		link.st_uid == directory.st_uid)
		return 0;
	return error_text_set(reason, -EACCES,
		"can't write %s: another user (uid %u) made this symbolic link, where anybody may make one: "
		"name another file",
		path, (unsigned)link.st_uid);
}

/* In a sticky directory only the owners of file and directory, and root, may remove a file's name. */
static int check_sticky(const char *path, struct error_text *reason)
{
	char place[PATH_MAX], name[PATH_MAX];
	struct stat old, directory;

	if (geteuid() == 0 || find_place(path, place) < 0 || stat(place, &old) < 0 || !S_ISREG(old.st_mode) ||
		stat(directory_of(place, name), &directory) < 0)
		return 0;
	if (!(directory.st_mode & S_ISVTX) || old.st_uid == geteuid() || directory.st_uid == geteuid())
		return 0;
	return error_text_set(reason, -EPERM,
		"can't write %s: the file is another user's (uid %u), and only they may replace it in this sticky "
		"directory: name another file",
		path, (unsigned)old.st_uid);
}

int whole_file_check(const char *path, struct error_text *reason)
{
	struct whole_file file = {.path = path};
	int r;

	if (whole_file_is_stdout(path))
		return 0;
	if (!path[0])
		return refuse_path(reason, "'' (no file name)", ENOENT);
	r = whole_file_check_link(path, reason);
	if (r == 0)
		r = check_sticky(path, reason);
	if (r < 0)
		return r;
	r = is_special(path);
	if (r == 1)
		r = access(path, W_OK) < 0 ? -errno : 0; /* opening a FIFO would wait for its reader */
	else if (r == 0)
		r = open_beside(&file);
	if (r < 0)
		return refuse_path(reason, path, -r);
	if (file.temporary[0]) {
		close(r);
		drop_temporary(&file);
	}
	return 0;
}

int whole_file_open(struct whole_file *file, const char *path, struct error_text *reason)
{
	int fd;

	*file = (struct whole_file){.path = path};
	if (whole_file_is_stdout(path)) {
		file->out = stdout;
		return 0;
	}
	fd = whole_file_check_link(path, reason);
	if (fd < 0)
		return fd;
	fd = is_special(path);
	if (fd == 0)
		fd = open_beside(file);
	else if (fd > 0 && (fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY)) < 0)
		fd = -errno;
	if (fd < 0)
		return refuse_path(reason, path, -fd);
	file->out = fdopen(fd, "w");
	if (!file->out) {
		close(fd);
		drop_temporary(file);
		return refuse_path(reason, path, ENOMEM);
	}
	return 0;
}

static int flush_to_disk(const struct whole_file *file)
{
	errno = 0;
	if (fflush(file->out) != 0 || ferror(file->out))
		return errno ? -errno : -EIO;
	if (file->temporary[0] && !file->is_transient && fsync(fileno(file->out)) < 0)
		return -errno;
	return 0;
}

/* Links the file to its place, or, if a file is there, to its temporary name, which the caller renames. */
static int give_name(struct whole_file *file, const char *place)
{
	char self[32];

	snprintf(self, sizeof(self), "/proc/self/fd/%d", fileno(file->out));
	if (linkat(AT_FDCWD, self, AT_FDCWD, place, AT_SYMLINK_FOLLOW) == 0)
		return 0;
	if (errno != EEXIST || linkat(AT_FDCWD, self, AT_FDCWD, file->temporary, AT_SYMLINK_FOLLOW) < 0)
		return -errno;
	file->nameless = false;
	return 0;
}

static int put_in_place(struct whole_file *file)
{
	char place[PATH_MAX];
	int r = find_place(file->path, place);

	if (r == 0 && file->nameless)
		r = give_name(file, place);
	if (r == 0 && !file->nameless && rename(file->temporary, place) < 0)
		r = -errno;
	return r;
}

int whole_file_close(struct whole_file *file, struct error_text *reason)
{
	int r = flush_to_disk(file);

	if (r == 0 && file->temporary[0])
		r = put_in_place(file);
	if (file->out != stdout && fclose(file->out) != 0 && r == 0)
		r = -errno;
	if (r < 0)
		drop_temporary(file);
	r = r < 0 ? refuse_path(reason, whole_file_is_stdout(file->path) ? "standard output" : file->path, -r)
		  : 0;
	*file = (struct whole_file){0};
	return r;
}

void whole_file_abandon(struct whole_file *file)
{
	if (file->out != stdout)
		fclose(file->out);
	drop_temporary(file);
	*file = (struct whole_file){0};
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* whole_file.c - replaces a file as a whole, or not at all. */
#include "src/base/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/vfs.h>
#include <unistd.h>

/* --- the target of a path --- */

enum { LINKS_MAX = 40 }; /* as the kernel */

/* The way to the target, from its directory on. */
struct way {
	char rest[PATH_MAX];
	unsigned n_links;
};

/* Takes the descriptor. */
static void enter(struct file_target *target, int directory)
{
	file_target_finish(target);
	target->directory = directory;
}

static int enter_start(struct file_target *target, const char *path)
{
	enter(target, open(path[0] == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
	return target->directory < 0 ? -errno : 0;
}

/* Cuts the first component off the way, into the name. A path that ends with a slash has "." at its end. */
static int take_name(struct file_target *target, struct way *way)
{
	char *begin = way->rest + strspn(way->rest, "/");
	size_t length = strcspn(begin, "/");

	if (length > NAME_MAX)
		return -ENAMETOOLONG;
	memcpy(target->name, begin, length);
	target->name[length] = '\0';
	if (!length)
		strcpy(target->name, ".");
	memmove(way->rest, begin + length, strlen(begin + length) + 1);
	return 0;
}

static int check_link(const struct file_target *target, const struct stat *link, const char *path,
	struct error_text *reason)
{
	const mode_t anybodys = S_ISVTX | S_IWOTH;
	struct stat directory;

	if (fstat(target->directory, &directory) < 0)
		return -errno;
	if ((directory.st_mode & anybodys) != anybodys || link->st_uid == geteuid() ||
		link->st_uid == directory.st_uid)
		return 0;
	return error_text_set(reason, -EACCES,
		"can't write %s: another user (uid %u) made the symbolic link '%s' in a directory that everyone may write to: choose another file",
		path, (unsigned)link->st_uid, target->name);
}

static bool is_in_proc(const struct file_target *target)
{
	struct statfs system;

	return fstatfs(target->directory, &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
}

/* Returns whether the text of a link of /proc names the file here. */
static bool is_named_here(const struct file_target *target, const struct stat *file)
{
	char path[PATH_MAX];
	ssize_t n = readlinkat(target->directory, target->name, path, sizeof(path) - 1);
	struct stat named;

	path[n > 0 ? n : 0] = '\0';
	return path[0] == '/' && stat(path, &named) == 0 && named.st_dev == file->st_dev &&
	       named.st_ino == file->st_ino;
}

/* A link of /proc/PID (root, cwd, fd/N) leads to what the process has open: maybe to another mount namespace,
 * or to a file without a name. Returns 1 at such a file, 0 in such a directory, -ENOLINK if the text is to be
 * followed, or another negative errno. */
static int follow_proc_link(struct file_target *target, bool is_last)
{
	int fd = openat(target->directory, target->name, O_PATH | O_CLOEXEC);
	int r = fd < 0 ? -errno : -ENOLINK;
	struct stat status;

	if (fd >= 0 && fstat(fd, &status) == 0) {
		bool is_directory = S_ISDIR(status.st_mode);

		if (is_directory && !is_last) {
			enter(target, fd);
			return 0;
		}
		target->is_open_file = is_last && !is_directory &&
				       (!S_ISREG(status.st_mode) || !is_named_here(target, &status));
		r = target->is_open_file ? 1 : -ENOLINK;
	}
	if (fd >= 0)
		close(fd);
	return r;
}

/* Puts the path of the link before the rest of the way. */
static int follow_link(struct file_target *target, struct way *way, int link)
{
	char path[PATH_MAX], rest[PATH_MAX];
	ssize_t n = readlinkat(link, "", path, sizeof(path));

	if (n < 0)
		return -errno;
	if (++way->n_links > LINKS_MAX)
		return -ELOOP;
	if (n == 0)
		return -ENOENT;
	strcpy(rest, way->rest);
	if (snprintf(way->rest, PATH_MAX, "%.*s%s", (int)n, path, rest) >= PATH_MAX)
		return -ENAMETOOLONG;
	return path[0] == '/' ? enter_start(target, path) : 0;
}

/* Goes on by the name. Returns 1 at the end of the way, 0 before it, or a negative errno. */
static int walk_name(struct file_target *target, struct way *way, const char *path, struct error_text *reason)
{
	bool is_last = !way->rest[0];
	int fd = openat(target->directory, target->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat status;
	int r = fd < 0 || fstat(fd, &status) < 0 ? -errno : 0;

	if (r == 0 && S_ISLNK(status.st_mode)) {
		r = check_link(target, &status, path, reason);
		if (r == 0)
			r = is_in_proc(target) ? follow_proc_link(target, is_last) : -ENOLINK;
		if (r == -ENOLINK)
			r = follow_link(target, way, fd);
	} else if (is_last) {
		r = r == -ENOENT ? 1 : r < 0 ? r : 1;
	} else if (r == 0 && !S_ISDIR(status.st_mode)) {
		r = -ENOTDIR;
	} else if (r == 0) {
		enter(target, fd);
		return 0;
	}
	if (fd >= 0)
		close(fd);
	return r;
}

int file_target_find(struct file_target *target, const char *path, struct error_text *reason)
{
	struct way way = {.n_links = 0};
	int r = strlen(path) < sizeof(way.rest) ? 0 : -ENAMETOOLONG;

	*target = (struct file_target){.directory = -1};
	reason->text[0] = '\0';
	if (r == 0) {
		strcpy(way.rest, path);
		r = path[0] ? enter_start(target, path) : -ENOENT;
	}
	while (r == 0) {
		r = take_name(target, &way);
		if (r == 0)
			r = walk_name(target, &way, path, reason);
	}
	if (r < 0 && !reason->text[0])
		error_text_set(reason, r, "can't write %s: %s", path, strerror(-r));
	return r < 0 ? r : 0;
}

void file_target_finish(struct file_target *target)
{
	if (target->directory >= 0)
		close(target->directory);
	target->directory = -1;
}

int file_target_stat(const struct file_target *target, struct stat *status)
{
	int flags = target->is_open_file ? 0 : AT_SYMLINK_NOFOLLOW;

	return fstatat(target->directory, target->name, status, flags) < 0 ? -errno : 0;
}

int file_target_open(const struct file_target *target, int flags, mode_t mode)
{
	int fd = openat(target->directory, target->name,
		flags | O_CLOEXEC | O_NOCTTY | (target->is_open_file ? 0 : O_NOFOLLOW), mode);

	return fd < 0 ? -errno : fd;
}

/* --- the file --- */

static int refuse_path(struct error_text *reason, const char *path, int error)
{
	return error_text_set(reason, -error, "can't write %s: %s", path,
		error == ETXTBSY ? "a run records there, or another program has locked it: name another file"
				 : strerror(error));
}

bool whole_file_is_stdout(const char *path)
{
	return path && strcmp(path, "-") == 0;
}

/* Returns 1 for a file that is written directly, 0 for a regular one and where there is none, or a negative
 * errno. */
static int is_special(const struct file_target *target)
{
	struct stat status;
	int r = file_target_stat(target, &status);

	if (r < 0)
		return r == -ENOENT ? 0 : r;
	if (S_ISDIR(status.st_mode))
		return -EISDIR;
	return target->is_open_file || !S_ISREG(status.st_mode);
}

enum { SELF_SIZE = 32 };

static const char *self_path(int fd, char self[SELF_SIZE])
{
	snprintf(self, SELF_SIZE, "/proc/self/fd/%d", fd);
	return self;
}

/* Opens a file without a name. It gets one by its entry in /proc, so without /proc this is -ENOENT. */
static int open_nameless(int directory, mode_t mode)
{
	int fd = openat(directory, ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, mode);
	char self[SELF_SIZE];

	if (fd < 0)
		return -errno;
	if (access(self_path(fd, self), F_OK) == 0)
		return fd;
	close(fd);
	return -ENOENT;
}

/* Opens a file without a name in the directory of the target, or, where there can be no such file, one
 * named ".NAME.XXXXXX". The umask applies to @mode (mkstemp(3) would make 0600). Returns a descriptor or a
 * negative errno. */
static int make_temporary(struct whole_file *file, mode_t mode)
{
	int directory = file->target.directory;
	uint32_t number = 0;

	if (getrandom(&number, sizeof(number), 0) < 0)
		return -errno;
	snprintf(file->temporary, sizeof(file->temporary), ".%.200s.%06x", file->target.name, number >> 8);
	int fd = open_nameless(directory, mode);

	file->nameless = fd >= 0;
	if (!file->nameless)
		fd = openat(directory, file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	if (fd < 0)
		file->temporary[0] = '\0';
	return fd < 0 ? -errno : fd;
}

/* Recordings are locked as long as they are written (src/recording/record.c). The lock that tells is shared,
 * so two that look at the same time don't find each other's. */
static bool is_locked(const struct file_target *target)
{
	int fd = file_target_open(target, O_RDONLY | O_NONBLOCK, 0);
	bool is = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;

	if (fd >= 0)
		close(fd);
	return is;
}

/* A file that is write-protected stays, even where its directory allows replacing it. The new file gets the
 * mode of the old one only if that was this user's: another user's mode may let anybody read and write. */
static int open_beside(struct whole_file *file)
{
	const struct file_target *target = &file->target;
	struct stat old;
	bool exists = file_target_stat(target, &old) == 0, is_own = exists && old.st_uid == geteuid();

	if (exists && faccessat(target->directory, target->name, W_OK, 0) < 0)
		return -errno;
	if (exists && is_locked(target))
		return -ETXTBSY;
	int fd = make_temporary(file, is_own ? old.st_mode & 0777 : 0666);

	if (fd >= 0 && is_own)
		fchmod(fd, old.st_mode & 0777);
	return fd;
}

static void drop_temporary(struct whole_file *file)
{
	if (file->temporary[0] && !file->nameless)
		unlinkat(file->target.directory, file->temporary, 0);
}

static bool same_inode(const char *path, const char *other)
{
	struct stat ours, theirs;

	return stat(path, &ours) == 0 && stat(other, &theirs) == 0 && ours.st_dev == theirs.st_dev &&
	       ours.st_ino == theirs.st_ino;
}

/* For files that do not exist, also behind links. */
static bool same_target(const char *path, const char *other)
{
	struct file_target ours, theirs = {.directory = -1};
	struct error_text reason;
	struct stat directory, other_directory;
	bool same = file_target_find(&ours, path, &reason) == 0 &&
		    file_target_find(&theirs, other, &reason) == 0 && strcmp(ours.name, theirs.name) == 0 &&
		    fstat(ours.directory, &directory) == 0 && fstat(theirs.directory, &other_directory) == 0;

	file_target_finish(&ours);
	file_target_finish(&theirs);
	return same && directory.st_dev == other_directory.st_dev &&
	       directory.st_ino == other_directory.st_ino;
}

/* Devices and FIFOs, which are written directly, are not replaced. */
static bool may_be_replaced(const char *path)
{
	struct stat status;

	return stat(path, &status) < 0 || S_ISREG(status.st_mode) || S_ISDIR(status.st_mode);
}

bool whole_file_is(const char *path, const char *other)
{
	if (whole_file_is_stdout(path) || whole_file_is_stdout(other))
		return whole_file_is_stdout(path) && whole_file_is_stdout(other);
	if (!may_be_replaced(path))
		return false;
	return same_inode(path, other) || (access(path, F_OK) < 0 && same_target(path, other));
}

/* In a sticky directory only the owners of file and directory, and root, may remove a file's name. */
static int check_sticky(const struct file_target *target, const char *path, struct error_text *reason)
{
	struct stat old, directory;

	if (geteuid() == 0 || file_target_stat(target, &old) < 0 || !S_ISREG(old.st_mode) ||
		fstat(target->directory, &directory) < 0)
		return 0;
	if (!(directory.st_mode & S_ISVTX) || old.st_uid == geteuid() || directory.st_uid == geteuid())
		return 0;
	return error_text_set(reason, -EPERM,
		"can't write %s: the file belongs to another user (uid %u), who alone may replace it in this sticky directory: choose another file",
		path, (unsigned)old.st_uid);
}

/* Returns a descriptor for @file, or, of one that is no regular file, 0. */
static int check_target(struct whole_file *file)
{
	const struct file_target *target = &file->target;
	int r = is_special(target);

	if (r == 1) /* opening a FIFO would wait for its reader */
		return faccessat(target->directory, target->name, W_OK, 0) < 0 ? -errno : 0;
	return r < 0 ? r : open_beside(file);
}

int whole_file_check(const char *path, struct error_text *reason)
{
	struct whole_file file = {.path = path};

	if (whole_file_is_stdout(path))
		return 0;
	if (!path[0])
		return refuse_path(reason, "'' (no file name)", ENOENT);
	int r = file_target_find(&file.target, path, reason);

	if (r == 0)
		r = check_sticky(&file.target, path, reason);
	if (r == 0) {
		r = check_target(&file);
		if (r < 0)
			refuse_path(reason, path, -r);
	}
	if (file.temporary[0]) {
		close(r);
		drop_temporary(&file);
	}
	file_target_finish(&file.target);
	return r < 0 ? r : 0;
}

static int open_target(struct whole_file *file)
{
	int r = is_special(&file->target);

	return r == 0  ? open_beside(file)
	       : r < 0 ? r
		       : file_target_open(&file->target, O_WRONLY | O_TRUNC, 0);
}

int whole_file_open(struct whole_file *file, const char *path, struct error_text *reason)
{
	*file = (struct whole_file){.path = path, .target.directory = -1};
	if (whole_file_is_stdout(path)) {
		file->out = stdout;
		return 0;
	}
	int r = file_target_find(&file->target, path, reason);

	if (r == 0) {
		r = open_target(file);
		file->out = r < 0 ? NULL : fdopen(r, "w");
		if (r >= 0 && !file->out) {
			close(r);
			drop_temporary(file);
			r = -ENOMEM;
		}
		if (r < 0)
			refuse_path(reason, path, -r);
	}
	if (r < 0)
		file_target_finish(&file->target);
	return r < 0 ? r : 0;
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

/* Links the file to its target, or, if a file is there, to its temporary name, which the caller renames. */
static int give_name(struct whole_file *file)
{
	const struct file_target *target = &file->target;
	char self[SELF_SIZE];

	self_path(fileno(file->out), self);
	if (linkat(AT_FDCWD, self, target->directory, target->name, AT_SYMLINK_FOLLOW) == 0)
		return 0;
	if (errno != EEXIST ||
		linkat(AT_FDCWD, self, target->directory, file->temporary, AT_SYMLINK_FOLLOW) < 0)
		return -errno;
	file->nameless = false;
	return 0;
}

static int put_in_place(struct whole_file *file)
{
	const struct file_target *target = &file->target;
	int r = file->nameless ? give_name(file) : 0;

	if (r == 0 && !file->nameless &&
		renameat(target->directory, file->temporary, target->directory, target->name) < 0)
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
	file_target_finish(&file->target);
	*file = (struct whole_file){.target.directory = -1};
	return r;
}

void whole_file_abandon(struct whole_file *file)
{
	if (file->out != stdout)
		fclose(file->out);
	drop_temporary(file);
	file_target_finish(&file->target);
	*file = (struct whole_file){.target.directory = -1};
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* files.c - writes a file of SIZE bytes again and again, and waits for the disk. The file has no name, so it
 * ends with the process. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "src/load/load_process.h"

enum { SIZE = 4 << 20, PIECE = 64 << 10, SYNC = 256 << 10 };

struct file {
	int fd;
	off_t at;
	char piece[PIECE];
};

/* Where the file system has no files without a name, it loses its name at once. */
static int open_file(const char *folder)
{
	char path[4096];
	int fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);

	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR))
		return fd;
	if (snprintf(path, sizeof(path), "%s/ipctop-load-XXXXXX", folder) >= (int)sizeof(path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return fd;
}

static int begin(struct load_worker *worker)
{
	static struct file file; /* of this process */
	const char *folder = getenv("TMPDIR");

	worker->data = &file;
	file.fd = open_file(folder && *folder ? folder : "/var/tmp");
	return file.fd < 0 ? load_worker_fail(worker, -errno, "no file in TMPDIR, or /var/tmp") : 0;
}

static int work(struct load_worker *worker)
{
	struct file *file = worker->data;

	ssize_t written = pwrite(file->fd, file->piece, PIECE, file->at);

	if (written != PIECE)
		return load_worker_fail(worker, written < 0 ? -errno : -ENOSPC, "its file can't be written");
	file->at = (file->at + PIECE) % SIZE;
	if (file->at % SYNC == 0 && fdatasync(file->fd) < 0)
		return load_worker_fail(worker, -errno, "its file can't be written");
	return 0;
}

const struct load_kind load_files = {
	.name = "files", .title = "file writes: 4 MiB in TMPDIR, or /var/tmp", .begin = begin, .work = work};

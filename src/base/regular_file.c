/* SPDX-License-Identifier: GPL-2.0-or-later */
/* regular_file.c - opens files that the user names, for reading. */
#include "src/base/regular_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int regular_file_open(const char *path, struct error_text *reason)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat status;

	if (fd < 0 || fstat(fd, &status) < 0) {
		int error = errno;

		if (fd >= 0)
			close(fd);
		return error_text_set(reason, -error, "can't read %s: %s", *path ? path : "'' (no file name)",
			strerror(error));
	}
	if (S_ISREG(status.st_mode))
		return fd;
	close(fd);
	return error_text_set(reason, -EINVAL, "%s: not a regular file", path);
}

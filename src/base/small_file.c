/* SPDX-License-Identifier: GPL-2.0-or-later */
/* small_file.c - reads files of /proc and /sys, which are small and whole in memory. */
#include "src/base/small_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

ssize_t small_file_read_fd(int fd, char *text, size_t size)
{
	size_t length = 0;
	ssize_t n = 0;

	while (length < size - 1 && (n = read(fd, text + length, size - 1 - length)) > 0)
		length += (size_t)n;
	int error = errno;

	if (n < 0)
		length = 0;
	text[length] = '\0';
	return n < 0 ? -error : (ssize_t)length;
}

ssize_t small_file_read(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	text[0] = '\0';
	if (fd < 0)
		return -errno;
	ssize_t n = small_file_read_fd(fd, text, size);

	close(fd);
	return n;
}

ssize_t small_file_read_line(const char *path, char *line, size_t size)
{
	ssize_t n = small_file_read(path, line, size);

	if (n < 0)
		return n;
	line[strcspn(line, "\n")] = '\0';
	return (ssize_t)strlen(line);
}

bool small_file_read_number(const char *path, int64_t *number)
{
	char line[32], *end;
	bool read = small_file_read(path, line, sizeof(line)) >= 0;
	long long value = strtoll(line, &end, 10);

	if (read && end != line)
		*number = value;
	return read && end != line;
}

const char *small_file_state_word(ssize_t error)
{
	return error == -EACCES || error == -EPERM ? "not readable" : "absent";
}

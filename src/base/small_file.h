/* SPDX-License-Identifier: GPL-2.0-or-later */
/* small_file.h - reads files of /proc and /sys, which are small and whole in memory. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

/* Reads up to @size - 1 bytes and ends them with 0. Returns their number, or a negative errno with @text
 * empty. */
ssize_t small_file_read(const char *path, char *text, size_t size);
/* The same of an open file. */
ssize_t small_file_read_fd(int fd, char *text, size_t size);
/* The same up to the first newline, which is left out. */
ssize_t small_file_read_line(const char *path, char *line, size_t size);

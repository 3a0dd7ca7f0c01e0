/* SPDX-License-Identifier: GPL-2.0-or-later */
/* small_file.h - reads files of /proc and /sys, which are small and whole in memory. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Reads up to @size - 1 bytes and ends them with 0. Returns their number, or a negative errno with @text
 * empty. */
ssize_t small_file_read(const char *path, char *text, size_t size);
/* The same of an open file. */
ssize_t small_file_read_fd(int fd, char *text, size_t size);
/* The same up to the first newline, which is left out. */
ssize_t small_file_read_line(const char *path, char *line, size_t size);
/* Reads the number at the start of a file. Returns false, with *@number untouched, if there is none. */
bool small_file_read_number(const char *path, int64_t *number);

/* Returns the word that is shown in place of a content that could not be read: "not readable" or "absent".
 * @error: a negative errno, or 0 for an empty file. */
const char *small_file_state_word(ssize_t error);

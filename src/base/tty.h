/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tty.h - writes to a terminal without waiting for its reader, and notices that it was closed. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Opens the terminal on @fd anew, with @access (O_RDONLY, O_WRONLY), so that O_NONBLOCK affects no other
 * process and no shell afterwards. Returns a descriptor or a negative errno. */
int tty_open(int fd, int access);

/* Writes to a descriptor of tty_open() until all @n bytes are written or @wait_ms have passed, with @anew
 * since the last byte was written. Returns the number of bytes, or a negative errno where the terminal is
 * gone. */
ssize_t tty_send(int fd, const char *bytes, size_t n, int wait_ms, bool anew);

/* Returns whether a terminal is on @fd that was closed: isatty(3) then denies it, and writes fail with EIO,
 * as on a broken disk. */
bool tty_is_gone(int fd);

/* Returns whether this is the foreground process group of the terminal on @fd: only then may its modes be
 * changed and its keys be read. True also where that is not known. */
bool tty_is_in_foreground(int fd);

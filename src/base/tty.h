/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tty.h - a terminal that is written without waiting for whoever reads it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* The terminal on @fd, opened anew with @access (O_RDONLY, O_WRONLY): O_NONBLOCK is then no other process's,
 * and no shell finds it afterwards. Returns a descriptor or a negative errno. */
int tty_open(int fd, int access);

/* Writes to one from tty_open() until all is taken, or @wait_ms have passed; @anew: since it took some last.
 * Returns how much was taken, or a negative errno where the terminal is gone. */
ssize_t tty_send(int fd, const char *bytes, size_t n, int wait_ms, bool anew);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* restore.h - what makes the terminal whole again when nobody can do it in order: after a crash,
 * or where the terminal is stalled. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

enum { RESTORE_BYTES_MAX = 256 };

/* The terminal is taken, and written through @fd, which does not block; @termios is how it was before, @bytes
 * leave the full screen. From here on the functions below work. Returns 0 or a negative errno, once: not
 * where it had worked before. */
int restore_arm(int fd, const struct termios *termios, const char *bytes, size_t n);
/* It was given back in order. */
void restore_disarm(void);
/* For good: no thread that may take it is left. */
void restore_finish(void);

/* Is the terminal taken? Where a crash gave it back, nothing may be drawn any more. */
bool restore_is_armed(void);

/* Async-signal-safe; once for each time that the terminal was taken. Waits for no reader: where the
 * terminal is stalled, what waits to be written is thrown away, and it is tried for 50 ms. Nothing that is
 * written through @fd from now on reaches the terminal. */
void restore_now(void);
/* n = 0 where the terminal is not taken. */
size_t restore_read(char *bytes, size_t size, struct termios *termios);

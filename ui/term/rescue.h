/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rescue.h - restores the terminal after a crash, or if it is stalled. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

enum { RESCUE_BYTES_MAX = 256 };

/* Called when the terminal is taken. @fd: non-blocking, for its output; @termios: its modes before; @bytes
 * leave the full screen. From here on the functions below work. Returns 0, or the first time a negative
 * errno. */
int rescue_arm(int fd, const struct termios *termios, const char *bytes, size_t n);
/* The terminal was given back normally. */
void rescue_disarm(void);
/* Frees everything. No thread may take the terminal any more. */
void rescue_finish(void);

/* Returns whether the terminal is taken. After a crash gave it back, nothing may be drawn. */
bool rescue_is_armed(void);

/* Restores the terminal, once for each time that it was taken. Async-signal-safe. If the terminal is stalled,
 * discards unsent output, and tries for 50 ms. Later writes to @fd don't reach the terminal. */
void rescue_now(void);
/* Copies the bytes and modes that restore it. Returns the number of bytes, 0 if the terminal is not taken. */
size_t rescue_read(char *bytes, size_t size, struct termios *termios);

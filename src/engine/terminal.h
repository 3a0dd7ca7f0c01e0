/* SPDX-License-Identifier: GPL-2.0-or-later */
/* terminal.h - restores the terminal when the front was killed; the keeper's part. */
#pragma once

#include <termios.h>

#include "src/ring/arena.h"

/* Called by the front: stores the bytes and modes that restore its terminal; @size 0: none. */
void terminal_note(struct arena *arena, const char *bytes, size_t size, const struct termios *termios);
/* Called by the keeper: restores it, without waiting for a terminal that is stalled. */
void terminal_restore(const struct arena *arena);

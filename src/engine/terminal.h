/* SPDX-License-Identifier: GPL-2.0-or-later */
/* terminal.h - the keeper's part in leaving a whole terminal: what to do when the front was killed. */
#pragma once

#include <termios.h>

#include "src/ring/arena.h"

/* The front notes what would make its terminal whole; @size 0: none is taken any more. */
void terminal_note(struct arena_head *head, const char *bytes, size_t size, const struct termios *termios);
/* The keeper does it, without waiting for a terminal that is stalled. */
void terminal_restore(const struct arena_head *head);

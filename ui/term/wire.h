/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wire.h - the terminal on stdout: its modes, its size, and its output, sent when it accepts it.
 *
 * Only wire_give() waits for the terminal, for at most 60 ms if it is stalled. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "src/base/error_text.h"

struct wire;

/* Leaves the terminal as it is. Returns 0 or a negative errno with its reason. */
int wire_create(struct wire **wire, struct error_text *reason);
/* After wire_give(), or before any wire_take(). */
void wire_destroy(struct wire *wire);

/* Saves the terminal's present modes for giving it back, also by restore.h. @bytes leave the full screen. */
int wire_arm(struct wire *wire, const char *bytes, size_t n);
/* Sets the modes of a program that reads single keys. */
void wire_take(struct wire *wire);
/* Sends the remaining output, and gives the terminal back. A stalled terminal loses that output. */
void wire_give(struct wire *wire);

/* Appends bytes. Returns 0 or -ENOMEM, with nothing appended. */
int wire_add(struct wire *wire, const char *bytes, size_t n);
/* Sends as much as the terminal accepts now. */
void wire_send(struct wire *wire);
/* Returns the descriptor to poll for POLLOUT while bytes are unsent; -1: none are. */
int wire_behind(const struct wire *wire);

/* Returns whether this is the terminal's foreground process group. */
bool wire_is_foreground(void);
/* Returns false if the terminal does not report it. */
bool wire_size(unsigned *width, unsigned *height);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wire.h - the way to the terminal on stdout: its modes, its size, and bytes that go when it takes them.
 *
 * Nothing here waits for the terminal, but wire_give(), and that for 60 ms at most where it is stalled. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "src/base/error_text.h"

struct wire;

/* Returns 0 or a negative errno with its reason; the terminal is as it was. */
int wire_create(struct wire **wire, struct error_text *reason);
/* After wire_give(), or before any wire_take(). */
void wire_destroy(struct wire *wire);

/* How the terminal is now, it is given back; restore.h knows it from here on. @bytes leave the full screen.
 */
int wire_arm(struct wire *wire, const char *bytes, size_t n);
/* Sets the modes of a program that reads single keys. */
void wire_take(struct wire *wire);
/* Sends what is left, and gives the terminal back. Where it takes nothing, what is left is dropped. */
void wire_give(struct wire *wire);

/* Appends bytes. Returns 0 or -ENOMEM, with nothing appended. */
int wire_add(struct wire *wire, const char *bytes, size_t n);
/* Sends what the terminal takes now. */
void wire_send(struct wire *wire);
/* What to poll for POLLOUT while something is left to be sent; -1 where nothing is. */
int wire_behind(const struct wire *wire);

/* Is this the terminal's foreground process group? */
bool wire_is_foreground(void);
/* Returns false where the terminal does not know it. */
bool wire_size(unsigned *width, unsigned *height);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text.h - text that others wrote (recordings, file names, the machine's names), made fit for a terminal.
 * Pure.
 *
 * A terminal obeys control characters, C1 ones in UTF-8 too, and bidi controls reorder what a person reads.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { TEXT_BAD = 0xfffd }; /* stands for a byte that is no part of UTF-8 */

/* The next code point of UTF-8 text that is not at its end; moves past it. TEXT_BAD for each byte that
 * belongs to none. */
uint32_t text_next(const char **text);

/* Is it neither a control character nor one that turns the direction or the line? */
bool text_is_plain(uint32_t code);

/* Writes '?' in place of each character that is not plain, and of each byte that is no UTF-8. Returns @text,
 * which does not grow. */
char *text_clean(char *text);

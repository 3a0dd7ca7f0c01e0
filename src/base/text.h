/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text.h - cleans text of others (recordings, file names, the machine's names) for a terminal, and appends
 * to texts. Pure.
 *
 * A terminal obeys control characters, C1 ones in UTF-8 too, and bidi controls reorder the text that a person
 * reads. Text is cleaned where it enters: see HACKING.md, "The wings". */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TEXT_BAD = 0xfffd }; /* in place of a byte that is no part of UTF-8 */

/* Returns the next code point of a UTF-8 text that is not at its end, and moves past it; TEXT_BAD for each
 * byte that belongs to none. */
uint32_t text_next(const char **text);

/* Returns false for control characters, and for those that change direction or line. */
bool text_is_plain(uint32_t code);

/* Writes '?' in place of each character that is not plain, and of each byte that is no UTF-8. Returns @text,
 * which does not grow. */
char *text_clean(char *text);

/* Returns whether @word is one of the words of @text, which characters of @between separate. */
bool text_has_word(const char *text, const char *word, const char *between);

/* Appends to the text in the @size bytes at @text. Cuts what does not fit. */
__attribute__((format(printf, 3, 4))) void text_print(char *text, size_t size, const char *format, ...);
/* Appends @word to the @size bytes at @text, after @between unless the text is empty. Cuts what does not fit.
 */
void text_append(char *text, size_t size, const char *between, const char *word);

/* Writes those of @words that begin with the word at @line to @found, and completes @line by the letters in
 * which they agree. There are blanks between words. @line has room for @line_size bytes. */
void text_complete(char *line, size_t line_size, const char *words, char *found, size_t found_size);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* error_text.h - a sentence beside an errno, and lists of such sentences. */
#pragma once

#include <stddef.h>

struct error_text {
	char text[512];
};

/* Writes the sentence, which has no final newline or full stop, cleaned for a terminal (text.h). @error is a
 * negative errno. Returns @error, so that a caller can write `return error_text_set(...)`. */
__attribute__((format(printf, 3, 4))) int error_text_set(
	struct error_text *reason, int error, const char *format, ...);

/* Returns the text of a negative errno; for -EMFILE the limit and its remedy. Never NULL; strerror(3)'s
 * memory. */
const char *error_text_of_errno(int error);

/* Sentences for the user that are no errors: shown on the screen, printed in the JSON. */
struct notes {
	char **text; /* owned, each of them too */
	size_t n;
};

/* Returns 0 or -ENOMEM. Does not add a sentence twice. */
__attribute__((format(printf, 2, 3))) int notes_add(struct notes *notes, const char *format, ...);
void notes_finish(struct notes *notes);

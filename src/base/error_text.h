/* SPDX-License-Identifier: GPL-2.0-or-later */
/* error_text.h - the sentence that travels beside an errno, and lists of such sentences. */
#pragma once

#include <stddef.h>

struct error_text {
	char text[512];
};

/* Writes the sentence, without a final newline or full stop; what it quotes (a file's name) is made fit for a
 * terminal (text.h). @error is a negative errno.
 * Returns @error, so that a caller can write `return error_text_set(...)`. */
__attribute__((format(printf, 3, 4))) int error_text_set(
	struct error_text *reason, int error, const char *format, ...);

/* What a negative errno says: its text, or where descriptors are short the limit and the remedy. Never NULL;
 * strerror's memory. */
const char *error_text_of_errno(int error);

/* Sentences that a person should see, but that end nothing: shown on screen, printed in the JSON. */
struct notes {
	char **text; /* owned, each of them too */
	size_t n;
};

/* Returns 0 or -ENOMEM. A sentence that is there already is not added again. */
__attribute__((format(printf, 2, 3))) int notes_add(struct notes *notes, const char *format, ...);
void notes_finish(struct notes *notes);

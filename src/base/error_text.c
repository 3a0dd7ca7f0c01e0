/* SPDX-License-Identifier: GPL-2.0-or-later */
/* error_text.c - a sentence beside an errno, and lists of such sentences. */
#include "src/base/error_text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/text.h"

int error_text_set(struct error_text *reason, int error, const char *format, ...)
{
	struct error_text written; /* @reason itself may be among the arguments */
	va_list arguments;

	va_start(arguments, format);
	int length = vsnprintf(written.text, sizeof(written.text), format, arguments);
	va_end(arguments);
	if (length >= (int)sizeof(written.text))
		memcpy(written.text + sizeof(written.text) - sizeof("..."), "...", sizeof("..."));
	text_clean(written.text);
	*reason = written;
	return error;
}

const char *error_text_of_errno(int error)
{
	return error == -EMFILE ? "no descriptors left: raise RLIMIT_NOFILE (ulimit -n)" : strerror(-error);
}

static bool notes_have(const struct notes *notes, const char *text)
{
	for (size_t i = 0; i < notes->n; i++)
		if (strcmp(notes->text[i], text) == 0)
			return true;
	return false;
}

static int notes_append(struct notes *notes, char *text)
{
	char **grown = realloc(notes->text, (notes->n + 1) * sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	notes->text = grown;
	notes->text[notes->n++] = text;
	return 0;
}

int notes_add(struct notes *notes, const char *format, ...)
{
	va_list arguments;
	char *text;

	va_start(arguments, format);
	int length = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (length < 0)
		return -ENOMEM;
	int r = notes_have(notes, text_clean(text)) ? 1 : notes_append(notes, text);

	if (r != 0)
		free(text);
	return r < 0 ? r : 0;
}

void notes_finish(struct notes *notes)
{
	for (size_t i = 0; i < notes->n; i++)
		free(notes->text[i]);
	free(notes->text);
	*notes = (struct notes){0};
}

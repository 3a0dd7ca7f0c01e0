/* SPDX-License-Identifier: GPL-2.0-or-later */
/* error_text.c - a sentence beside an errno, and lists of such sentences. */
#include "src/base/error_text.h"

#include <errno.h>
#include <stdarg.h>
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

int notes_add(struct notes *notes, const char *format, ...)
{
	char **list = realloc(notes->text, (notes->n + 1) * sizeof(*list)), *text;
	va_list arguments;

	if (!list)
		return -ENOMEM;
	notes->text = list;
	va_start(arguments, format);
	int length = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (length < 0)
		return -ENOMEM;
	text_clean(text);
	for (size_t i = 0; i < notes->n; i++)
		if (strcmp(list[i], text) == 0) {
			free(text);
			return 0;
		}
	list[notes->n++] = text;
	return 0;
}

void notes_finish(struct notes *notes)
{
	for (size_t i = 0; i < notes->n; i++)
		free(notes->text[i]);
	free(notes->text);
	*notes = (struct notes){0};
}

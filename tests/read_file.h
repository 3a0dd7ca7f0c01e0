/* SPDX-License-Identifier: GPL-2.0-or-later */
/* read_file.h - a text, whole. */
#pragma once

#include <stdio.h>
#include <stdlib.h>

/* Returns the text, to be freed, or NULL where there is none. */
static char *read_file(const char *path)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = fopen(path, "re");
	ssize_t length = file ? getdelim(&text, &size, '\0', file) : -1;

	if (file)
		fclose(file);
	if (length > 0)
		return text;
	free(text);
	return NULL;
}

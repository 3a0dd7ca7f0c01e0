/* SPDX-License-Identifier: GPL-2.0-or-later */
/* config_file.h - the configuration file: each line has the name of a long option, and its value.
 *
 * Examples are "interval 100", "interval = 100" and "quiet"; a "#" begins a comment. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "src/base/error_text.h"

struct option_reading;

enum {
	CONFIG_FILE_SIZE_MAX = 65536,
	CONFIG_FILE_LINE_MAX = 4096,
	CONFIG_FILE_NAME_SIZE = 100,
};

struct config_file {
	char name[CONFIG_FILE_NAME_SIZE]; /* for messages */
	char *text;                       /* owned, ends in '\0'; NULL: no file */
	size_t size;                      /* without the '\0' */
};

/* Places in a line: of its word, its value, and the blanks and comment at its end. */
struct config_line {
	size_t word, word_end, value, end;
	bool has_value; /* which may be empty, as in "word =" */
};

struct config_line config_line_split(const char *line, size_t length);

/* Returns @path with the path of the default file, which need not exist, or NULL if it is too long or no home
 * is known. */
const char *config_file_default(char *path, size_t size);

/* Loads the file at @path, or if that is NULL the default one, which need not exist.
 * Returns 0, or a negative errno with a sentence that names the file. */
int config_file_load(struct config_file *file, const char *path, struct error_text *reason);

void config_file_finish(struct config_file *file);

/* Reads each line into the target of @reading, and calls @check after it. Changes the text; values point into
 * it. Returns 0, or a negative errno with one sentence that names file and line. Pure. */
int config_file_read(struct config_file *file, struct option_reading *reading,
	int (*check)(const struct option_reading *reading));

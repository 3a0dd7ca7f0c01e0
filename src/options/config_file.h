/* SPDX-License-Identifier: GPL-2.0-or-later */
/* config_file.h - options that stand in a file: a line for each, in the words of the long options.
 *
 * "interval 100", "interval = 100" and "quiet" are such lines; what follows a "#" is a comment. */
#pragma once

#include <stddef.h>

#include "src/base/error_text.h"

struct option_reading;

enum {
	CONFIG_FILE_SIZE_MAX = 65536,
	CONFIG_FILE_LINE_MAX = 4096,
	CONFIG_FILE_NAME_SIZE = 100,
};

struct config_file {
	char name[CONFIG_FILE_NAME_SIZE]; /* as sentences name it */
	char *text;                       /* owned, ends in '\0'; NULL: there is none */
	size_t size;                      /* without that */
};

/* Loads the file at @path, or where that is NULL the one that is read by default, which need not be there.
 * Returns 0, or a negative errno with a sentence that names the file. */
int config_file_load(struct config_file *file, const char *path, struct error_text *reason);

void config_file_finish(struct config_file *file);

/* Reads all lines, each as its option would be. The text is written into, and what is read points into it.
 * @check: called after each line; its error is the line's. Returns 0, or a negative errno with one sentence
 * that names file and line. Pure. */
int config_file_read(struct config_file *file, struct option_reading *reading,
	int (*check)(const struct option_reading *reading));

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* config_file.h - the configuration file: each line has the name of a long option, and its value.
 *
 * Examples are "interval 100", "interval = 100" and "quiet"; a "#" begins a comment. */
#pragma once

#include <stddef.h>

#include "src/base/error_text.h"
#include "src/base/setting.h"
#include "src/options/option.h"

enum {
	CONFIG_FILE_SIZE_MAX = 65536,
	CONFIG_FILE_LINE_MAX = 4096,
	CONFIG_FILE_NAME_SIZE = 100,
};

struct config_file {
	char name[CONFIG_FILE_NAME_SIZE]; /* for messages */
	char *text;                       /* owned, ends in '\0'; NULL: no file */
	size_t size;                      /* without the '\0' */
	size_t lines[OPTION_ROWS_MAX];    /* the last one of each row of the options; 0: none */
};

/* Loads the file at @path, or if that is NULL the default one, which need not exist.
 * Returns 0, or a negative errno with a sentence that names the file. */
int config_file_load(struct config_file *file, const char *path, struct error_text *reason);

void config_file_finish(struct config_file *file);

/* Reads each line into the target of @reading, calls @check after it, and keeps its number. Changes the text;
 * values point into it. Returns 0, or a negative errno with one sentence that names file and line. Pure. */
int config_file_read(struct config_file *file, struct option_reading *reading,
	int (*check)(const struct option_reading *reading));

/* Returns the text of a file with the setting in it, the caller's to free, or NULL without memory: its value
 * in each line that has its word, or else a line more at the end, unless the setting is usual. Lines of a
 * flag that is off become comments. Comments and other lines stay as they are. Pure. */
char *config_write_text(const char *text, const struct setting *setting);

/* Replaces the file at @path as a whole, or if that is NULL the default one, which need not exist. Returns 0
 * with a sentence that says which settings were written where, or a negative errno with the reason. */
int config_write(
	const char *path, const struct setting *settings, size_t n_settings, struct error_text *sentence);

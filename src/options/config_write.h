/* SPDX-License-Identifier: GPL-2.0-or-later */
/* config_write.h - writes settings into the configuration file, whose other lines stay as they are. */
#pragma once

#include <stddef.h>

#include "src/base/error_text.h"
#include "src/base/setting.h"

/* Returns the text of a file with the setting in it, the caller's to free, or NULL without memory: its value
 * in each line that has its word, or else a line more at the end, unless the setting is usual. Lines of a
 * flag that is off become comments. Comments and
 * other lines stay as they are. Pure. */
char *config_write_text(const char *text, const struct setting *setting);

/* Replaces the file at @path as a whole, or if that is NULL the default one, which need not exist. Returns 0
 * with a sentence that says which settings were written where, or a negative errno with the reason. */
int config_write(
	const char *path, const struct setting *settings, size_t n_settings, struct error_text *sentence);

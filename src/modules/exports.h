/* SPDX-License-Identifier: GPL-2.0-or-later */
/* exports.h - the files of --json and --export, for options that name other files. */
#pragma once

#include "src/base/error_text.h"

struct config;

/* Returns 0 if neither --json nor an export replaces the file @path of @option, or a negative errno with its
 * reason. */
int exports_check_other(
	const struct config *config, const char *option, const char *path, struct error_text *reason);

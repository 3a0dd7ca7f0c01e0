/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kernel_config.h - the options that the running kernel was built with. */
#pragma once

#include <stddef.h>

/* Writes the path of the configuration: that of the kernel itself, or else that of its package. There may be
 * none. @release: as uname -r has it. */
void kernel_config_find(const char *release, char *path, size_t size);
/* Appends to @word those of @options that the configuration has, separated by commas. They are named without
 * CONFIG_. Returns 0, or a negative errno if the file can't be read. It may be compressed. */
int kernel_config_list_set(
	const char *path, const char *const *options, size_t n_options, char *word, size_t size);

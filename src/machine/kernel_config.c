/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kernel_config.c - reads the options that the running kernel was built with. */
#include "src/machine/kernel_config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "src/base/text.h"

enum { LINE_SIZE = 256 };

void kernel_config_find(const char *release, char *path, size_t size)
{
	snprintf(path, size, "/proc/config.gz");
	if (access(path, F_OK) == 0)
		return;
	snprintf(path, size, "/lib/modules/%s/config", release);
	if (access(path, F_OK) < 0)
		snprintf(path, size, "/boot/config-%s", release);
}

/* "CONFIG_KASAN=y" */
static void append_if_set(
	const char *line, const char *const *options, size_t n_options, char *word, size_t size)
{
	static const char prefix[] = "CONFIG_";
	const char *name = line + strlen(prefix);

	if (strncmp(line, prefix, strlen(prefix)) != 0)
		return;
	for (size_t i = 0; i < n_options; i++) {
		size_t length = strlen(options[i]);

		if (strncmp(name, options[i], length) == 0 && strcmp(name + length, "=y\n") == 0)
			text_append(word, size, ",", options[i]);
	}
}

int kernel_config_list_set(
	const char *path, const char *const *options, size_t n_options, char *word, size_t size)
{
	char line[LINE_SIZE];
	int error;

	errno = 0;
	gzFile file = gzopen(path, "re");

	if (!file)
		return errno ? -errno : -ENOMEM;
	while (gzgets(file, line, sizeof(line)))
		append_if_set(line, options, n_options, word, size);
	gzerror(file, &error);
	gzclose(file);
	return error == Z_OK ? 0 : -EIO;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tracing.c - whether the kernel traces. */
#include "src/machine/tracing.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "src/base/small_file.h"
#include "src/base/text.h"

const char *const tracing_folders[2] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};

static bool may_have_tracing(const char *folder)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/tracing_on", folder);
	return access(path, F_OK) == 0 || errno != ENOENT;
}

const char *tracing_folder(void)
{
	return tracing_folders[!may_have_tracing(tracing_folders[0]) && may_have_tracing(tracing_folders[1])];
}

/* Returns the length of the word, or a negative errno. */
static ssize_t read_word(const char *folder, const char *name, char word[64])
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return small_file_read_line(path, word, 64);
}

/* Appends what a folder traces. Returns 0, or the error of reading tracing_on. */
static int append_traced(const char *folder, char *text, size_t size)
{
	char word[64];
	ssize_t length = read_word(folder, "tracing_on", word);

	if (length < 0 || strcmp(word, "1") != 0)
		return length < 0 ? (int)length : 0;
	if (read_word(folder, "current_tracer", word) > 0 && strcmp(word, "nop") != 0)
		text_append(text, size, ", ", word);
	if (read_word(folder, "events/enable", word) > 0 && strcmp(word, "0") != 0)
		text_append(text, size, ", ", "events"); /* "1", or "X" for some of them */
	return 0;
}

static void append_instances(const char *folder, char *text, size_t size)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/instances", folder);
	DIR *directory = opendir(path);
	const struct dirent *entry;

	while (directory && (entry = readdir(directory)))
		if (entry->d_name[0] != '.') {
			snprintf(path, sizeof(path), "%s/instances/%s", folder, entry->d_name);
			append_traced(path, text, size);
		}
	if (directory)
		closedir(directory);
}

void tracing_read(const char *folder, char *word, size_t size)
{
	*word = '\0';
	int r = append_traced(folder, word, size);

	if (r == 0)
		append_instances(folder, word, size);
	text_clean(word);
	bool is_empty = r == -ENOENT && access(folder, F_OK) == 0; /* a place to mount it */

	if (!*word)
		snprintf(word, size, "%s",
			r == 0                        ? "off"
			: r == -EACCES || r == -EPERM ? "not readable"
			: is_empty                    ? "not mounted"
						      : "absent");
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* setting_file.c - a setting of the kernel that is the first line of a file. */
#include "src/machine/setting_file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/small_file.h"
#include "src/machine/cpus.h"
#include "src/machine/settings.h"

enum { LINE_SIZE = 4096 }; /* the scheduler's features are a long line */

/* Has the line only characters that the journal can keep? */
static bool is_plain(const char *line)
{
	for (; *line; line++)
		if (*line != '\t' && (*line < ' ' || *line > '~'))
			return false;
	return true;
}

static bool is_inverse(const char *path)
{
	const char *slash = strrchr(path, '/');

	return strncmp(slash ? slash + 1 : path, "no_", 3) == 0;
}

/* Returns "on" or "off" for the 0 or 1 of a switch's file; NULL for other texts. */
static const char *switch_word(const char *path, const char *line)
{
	return strcmp(line, "0") == 0   ? (is_inverse(path) ? "on" : "off")
	       : strcmp(line, "1") == 0 ? (is_inverse(path) ? "off" : "on")
					: NULL;
}

static const char *switch_number(const char *path, const char *word)
{
	return strcmp(word, "off") == 0  ? (is_inverse(path) ? "1" : "0")
	       : strcmp(word, "on") == 0 ? (is_inverse(path) ? "0" : "1")
					 : NULL;
}

int setting_file_read(const char *path, enum setting_form form, char value[SETTING_VALUE_SIZE])
{
	char line[LINE_SIZE];
	ssize_t length = small_file_read_line(path, line, sizeof(line));

	if (length < 0)
		return (int)length;
	if (!is_plain(line))
		return -EILSEQ;
	if (form == SETTING_CHOICE)
		settings_pick_bracketed(line);
	if (form == SETTING_PARITY && !settings_pick_parity(line))
		return -ENOENT;
	const char *word = form == SETTING_SWITCH ? switch_word(path, line) : line;

	if (!word)
		return -EILSEQ;
	if (strlen(word) >= SETTING_VALUE_SIZE)
		return -E2BIG;
	strcpy(value, word);
	return 0;
}

static bool are_numbers_equal(const char *x, const char *y)
{
	char *end_x, *end_y;
	long long a = strtoll(x, &end_x, 10), b = strtoll(y, &end_y, 10);

	return end_x > x && end_y > y && !*end_x && !*end_y ? a == b : strcmp(x, y) == 0;
}

static bool are_lists_equal(const char *x, const char *y)
{
	struct cpus a, b;

	return cpus_parse(&a, x) == 0 && cpus_parse(&b, y) == 0 ? cpus_equal(&a, &b) : strcmp(x, y) == 0;
}

static const char *skip(const char *text, const char *skipped)
{
	return text + strspn(text, skipped);
}

static bool are_masks_equal(const char *x, const char *y)
{
	if (!*x || !*y)
		return *x == *y;
	x = skip(x, "0,");
	y = skip(y, "0,");
	for (; *x && tolower((unsigned char)*x) == tolower((unsigned char)*y); y = skip(y + 1, ","))
		x = skip(x + 1, ",");
	return *x == *y;
}

/* Word by word, as long as both have words; one of them at least. */
static bool are_words_equal(const char *x, const char *y)
{
	static const char blanks[] = " \t";

	do {
		size_t n = strcspn(x, blanks);

		if (n != strcspn(y, blanks) || strncmp(x, y, n) != 0)
			return false;
		x = skip(x + n, blanks);
		y = skip(y + n, blanks);
	} while (*x && *y);
	return true;
}

bool setting_file_equal(enum setting_form form, const char *x, const char *y)
{
	switch (form) {
	case SETTING_NUMBER:
		return are_numbers_equal(x, y);
	case SETTING_FIRST:
	case SETTING_PARTITION:
		return are_words_equal(x, y);
	case SETTING_CPUS:
		return are_lists_equal(x, y);
	case SETTING_MASK:
		return are_masks_equal(x, y);
	default:
		return strcmp(x, y) == 0;
	}
}

bool setting_file_is_void(enum setting_form form, const char *value)
{
	return form == SETTING_PARTITION && strstr(value, " invalid");
}

int setting_file_write(const char *path, enum setting_form form, const char *value)
{
	if (form == SETTING_SWITCH)
		value = switch_number(path, value);
	if (!value)
		return -EINVAL;
	char line[SETTING_VALUE_SIZE + 1];
	size_t taken = form == SETTING_PARTITION ? strcspn(value, " ") : strlen(value);
	int length = snprintf(line, sizeof(line), "%.*s\n", (int)taken, value);
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	ssize_t written = write(fd, line, (size_t)length);
	int error = written < 0 ? errno : written < length ? EIO : 0;

	close(fd);
	return -error;
}

void setting_files_free(struct setting_file *files, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(files[i].path);
	free(files);
}

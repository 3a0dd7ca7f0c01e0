/* SPDX-License-Identifier: GPL-2.0-or-later */
/* config_file.c - finds the configuration file, and reads its lines. */
#include "src/options/config_file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/small_file.h"
#include "src/base/text.h"
#include "src/options/option.h"

/* --- the file --- */

/* Cuts the beginning of a long path: the end says more. */
static void name_file(struct config_file *file, const char *path)
{
	size_t length = strlen(path), room = sizeof(file->name) - 1;

	if (length <= room)
		snprintf(file->name, sizeof(file->name), "%s", path);
	else
		snprintf(file->name, sizeof(file->name), "...%s", path + length - (room - strlen("...")));
	text_clean(file->name);
}

const char *config_file_default(char *path, size_t size)
{
	const char *base = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	int length;

	if (base && *base == '/') /* the XDG specification ignores a relative one */
		length = snprintf(path, size, "%s/ipctop/config", base);
	else if (home && *home)
		length = snprintf(path, size, "%s/.config/ipctop/config", home);
	else
		return NULL;
	return (size_t)length < size ? path : NULL;
}

int config_file_load(struct config_file *file, const char *path, struct error_text *reason)
{
	char standard[PATH_MAX];

	*file = (struct config_file){0};
	if (!path) {
		path = config_file_default(standard, sizeof(standard));
		if (!path || access(path, F_OK) < 0)
			return 0;
	}
	name_file(file, path);
	file->text = malloc(CONFIG_FILE_SIZE_MAX + 2);
	ssize_t n = file->text ? small_file_read(path, file->text, CONFIG_FILE_SIZE_MAX + 2) : -ENOMEM;

	if (n >= 0 && n <= CONFIG_FILE_SIZE_MAX) {
		file->size = (size_t)n;
		return 0;
	}
	config_file_finish(file);
	if (n >= 0)
		return error_text_set(
			reason, -EFBIG, "%s: is larger than %d bytes", file->name, CONFIG_FILE_SIZE_MAX);
	return error_text_set(reason, (int)n, "%s: %s", file->name, strerror((int)-n));
}

/* Keeps the name for later messages. */
void config_file_finish(struct config_file *file)
{
	free(file->text);
	file->text = NULL;
	file->size = 0;
}

/* --- its lines --- */

static bool is_blank(char letter)
{
	return letter == ' ' || letter == '\t' || letter == '\r';
}

/* A comment begins at the start of the line, or after a blank. */
static size_t text_end(const char *line, size_t length)
{
	size_t end = 0;

	while (end < length && (line[end] != '#' || (end > 0 && !is_blank(line[end - 1]))))
		end++;
	while (end > 0 && is_blank(line[end - 1]))
		end--;
	return end;
}

/* "word", "word value" or "word = value". */
struct config_line config_line_split(const char *line, size_t length)
{
	struct config_line parts = {.end = text_end(line, length)};
	size_t at = 0;

	while (at < parts.end && is_blank(line[at]))
		at++;
	parts.word = at;
	while (at < parts.end && !is_blank(line[at]) && line[at] != '=')
		at++;
	parts.word_end = at;
	while (at < parts.end && is_blank(line[at]))
		at++;
	parts.has_value = at < parts.end;
	at += parts.has_value && line[at] == '=';
	while (at < parts.end && is_blank(line[at]))
		at++;
	parts.value = at;
	return parts;
}

static int read_word(struct option_reading *reading, const char *word, const char *value)
{
	const struct option_row *row = option_named(reading->tables, word);
	char shown[OPTION_SHOWN_SIZE];

	option_shown(word, shown);
	if (!row && !strncmp(word, "--", 2) && option_named(reading->tables, word + 2))
		return error_text_set(reading->reason, -EINVAL, "%s: leave out its dashes here", shown);
	if (!row)
		return error_text_set(reading->reason, -EINVAL,
			"%s: no such option; the words are those of the long options in %s --help", shown,
			reading->program);
	if (row->argv_only)
		return error_text_set(reading->reason, -EINVAL, "%s: is for the command line alone", shown);
	if (row->argument && !row->optional && !value)
		return error_text_set(
			reading->reason, -EINVAL, "%s needs a value: %s %s", shown, shown, row->argument);
	if (!row->argument && value)
		return error_text_set(reading->reason, -EINVAL, "%s takes no value", shown);
	reading->row = row;
	snprintf(reading->option, sizeof(reading->option), "%s", word);
	return option_read_value(reading, value);
}

static int read_line(struct option_reading *reading, char *line, size_t length,
	int (*check)(const struct option_reading *reading))
{
	int r;

	if (length > CONFIG_FILE_LINE_MAX)
		return error_text_set(
			reading->reason, -EINVAL, "the line is longer than %d bytes", CONFIG_FILE_LINE_MAX);
	if (memchr(line, '\0', length))
		return error_text_set(reading->reason, -EINVAL, "there is a NUL byte in the line");
	line[length] = '\0';
	struct config_line parts = config_line_split(line, length);

	if (parts.end == 0)
		return 0;
	line[parts.end] = line[parts.word_end] = '\0';
	r = read_word(reading, line + parts.word, parts.has_value ? line + parts.value : NULL);
	return r < 0 ? r : check(reading);
}

/* Some editors on Windows write such a mark. */
static int check_byte_order(const struct config_file *file, struct error_text *reason)
{
	static const struct {
		const char *mark, *encoding, *remedy;
	} marks[] = {
		{"\xef\xbb\xbf", "UTF-8", "save it without the mark"},
		{"\xff\xfe", "UTF-16", "save it as UTF-8, without a mark"},
		{"\xfe\xff", "UTF-16", "save it as UTF-8, without a mark"},
	};

	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++)
		if (strncmp(file->text, marks[i].mark, strlen(marks[i].mark)) == 0)
			return error_text_set(reason, -EINVAL, "%s: begins with a byte-order mark of %s: %s",
				file->name, marks[i].encoding, marks[i].remedy);
	return 0;
}

int config_file_read(struct config_file *file, struct option_reading *reading,
	int (*check)(const struct option_reading *reading))
{
	char *line = file->text, *end = file->text + file->size;
	int wrong = check_byte_order(file, reading->reason);

	if (wrong < 0)
		return wrong;

	for (size_t number = 1; line < end; number++) {
		char *newline = memchr(line, '\n', (size_t)(end - line));
		size_t length = (size_t)((newline ? newline : end) - line);
		int r = read_line(reading, line, length, check);

		if (r < 0) {
			struct error_text why = *reading->reason;

			return error_text_set(reading->reason, r, "%s:%zu: %s", file->name, number, why.text);
		}
		line += length + 1;
	}
	return 0;
}

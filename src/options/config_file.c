/* SPDX-License-Identifier: GPL-2.0-or-later */
/* config_file.c - finds the configuration file, reads its lines, and writes settings into it. */
#include "src/options/config_file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/regular_file.h"
#include "src/base/small_file.h"
#include "src/base/text.h"
#include "src/base/whole_file.h"

/* Places in a line: of its word, its value, and the blanks and comment at its end. */
struct config_line {
	size_t word, word_end, value, end;
	bool has_value; /* which may be empty, as in "word =" */
};

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

/* Returns @path with the path of the default file, which need not exist, or NULL if it is too long or no home
 * is known. */
static const char *default_path(char *path, size_t size)
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
		path = default_path(standard, sizeof(standard));
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
			reason, -EFBIG, "%s: larger than %d bytes", file->name, CONFIG_FILE_SIZE_MAX);
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
static struct config_line split_line(const char *line, size_t length)
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
		return error_text_set(
			reading->reason, -EINVAL, "%s: write it without the dashes here", shown);
	if (!row)
		return error_text_set(reading->reason, -EINVAL,
			"%s: no such option; the words are those of the long options in %s --help", shown,
			reading->program);
	if (row->argv_only)
		return error_text_set(
			reading->reason, -EINVAL, "%s: only the command line may have it", shown);
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

	reading->row = NULL;
	if (length > CONFIG_FILE_LINE_MAX)
		return error_text_set(
			reading->reason, -EINVAL, "the line is longer than %d bytes", CONFIG_FILE_LINE_MAX);
	if (memchr(line, '\0', length))
		return error_text_set(reading->reason, -EINVAL, "there is a NUL byte in the line");
	line[length] = '\0';
	struct config_line parts = split_line(line, length);

	if (parts.end == 0)
		return 0;
	line[parts.end] = line[parts.word_end] = '\0';
	r = read_word(reading, line + parts.word, parts.has_value ? line + parts.value : NULL);
	return r < 0 ? r : check(reading);
}

static void keep_number(struct config_file *file, const struct option_reading *reading, size_t number)
{
	for (size_t i = 0; reading->row && i < OPTION_ROWS_MAX; i++)
		if (option_at(reading->tables, i) == reading->row)
			file->lines[i] = number;
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
		keep_number(file, reading, number);
		line += length + 1;
	}
	return 0;
}

/* --- writing --- */

/* Writes a line of the file. Returns whether it has the setting's word: its blanks, its "=" and its comment
 * then stay. The line of a flag that is off becomes a comment. */
static bool write_line(FILE *out, const char *line, size_t length, const struct setting *setting)
{
	struct config_line parts = split_line(line, length);
	size_t word_length = parts.word_end - parts.word;
	bool is_its = strlen(setting->word) == word_length &&
		      memcmp(line + parts.word, setting->word, word_length) == 0;

	if (!is_its) {
		fwrite(line, 1, length, out);
		return false;
	}
	if (setting->is_flag) {
		fprintf(out, "%s%.*s", setting->is_usual ? "# " : "", (int)length, line);
		return true;
	}
	fwrite(line, 1, parts.has_value ? parts.value : parts.word_end, out);
	fprintf(out, "%s%s", parts.has_value ? "" : " ", setting->value);
	fwrite(line + parts.end, 1, length - parts.end, out);
	return true;
}

char *config_write_text(const char *text, const struct setting *setting)
{
	char *written = NULL;
	size_t size;
	FILE *out = open_memstream(&written, &size);
	bool found = false, ends = true; /* ends: with a line feed */

	if (!out)
		return NULL;
	while (*text) {
		size_t length = strcspn(text, "\n");

		found |= write_line(out, text, length, setting);
		ends = text[length] == '\n';
		if (ends)
			putc('\n', out);
		text += length + ends;
	}
	if (!found && !setting->is_usual)
		fprintf(out, "%s%s%s%s\n", ends ? "" : "\n", setting->word, *setting->value ? " " : "",
			setting->value);
	if (fclose(out) == 0)
		return written;
	free(written);
	return NULL;
}

/* --- the file --- */

/* Returns the file's text, the caller's to free, which is empty if there is no file. Runs in the dashboard's
 * thread, which must not wait for a FIFO. */
static char *read_text(const char *path, struct error_text *sentence)
{
	int fd = regular_file_open(path, sentence);

	if (fd < 0 && fd != -ENOENT) {
		struct error_text why = *sentence;

		error_text_set(sentence, fd, "%s, so it stays as it is", why.text);
		return NULL;
	}
	char *text = calloc(1, CONFIG_FILE_SIZE_MAX + 2);
	ssize_t n = !text ? -ENOMEM : fd < 0 ? 0 : small_file_read_fd(fd, text, CONFIG_FILE_SIZE_MAX + 2);

	if (fd >= 0)
		close(fd);
	if (n > CONFIG_FILE_SIZE_MAX)
		n = -EFBIG;
	if (n >= 0 && strlen(text) != (size_t)n)
		n = -EILSEQ; /* a NUL byte */
	if (n >= 0)
		return text;
	error_text_set(sentence, (int)n, "can't read %s, so it stays as it is: %s", path,
		error_text_of_errno((int)n));
	free(text);
	return NULL;
}

/* Puts all settings into the text, which the caller frees. @names: of those that changed it. */
static char *put_settings(
	char *text, const struct setting *settings, size_t n_settings, char *names, size_t names_size)
{
	names[0] = '\0';
	for (size_t i = 0; i < n_settings && text; i++) {
		char *changed = config_write_text(text, &settings[i]);

		if (changed && strcmp(changed, text) != 0)
			text_append(names, names_size, ", ", settings[i].word);
		free(text);
		text = changed;
	}
	return text;
}

/* Makes ".config" and "ipctop" of the default path, as the XDG specification says. Where that fails, opening
 * the file says why. */
static void make_directories(const char *path)
{
	char directory[PATH_MAX];
	const char *name = strrchr(path, '/'), *parent = name;

	while (parent && parent > path && *--parent != '/')
		;
	for (int i = 0; name && i < 2; i++) {
		const char *end = i == 0 ? parent : name;

		if (end == path)
			continue;
		snprintf(directory, sizeof(directory), "%.*s", (int)(end - path), path);
		mkdir(directory, 0700);
	}
}

static int replace_file(const char *path, const char *text, struct error_text *sentence)
{
	struct whole_file file;
	int r = whole_file_open(&file, path, sentence);

	if (r < 0)
		return r;
	fputs(text, file.out);
	return whole_file_close(&file, sentence);
}

int config_write(
	const char *path, const struct setting *settings, size_t n_settings, struct error_text *sentence)
{
	char standard[PATH_MAX], names[200];
	bool is_standard = !path;

	if (is_standard && !(path = default_path(standard, sizeof(standard))))
		return error_text_set(sentence, -ENOENT,
			"there is no place for the file: neither XDG_CONFIG_HOME nor HOME is set");
	char *text = read_text(path, sentence);

	if (!text)
		return -EIO;
	text = put_settings(text, settings, n_settings, names, sizeof(names));
	if (!text)
		return error_text_set(sentence, -ENOMEM, "there is no memory to write %s", path);
	if (is_standard && *names)
		make_directories(path);
	int r = *names ? replace_file(path, text, sentence) : 0;

	free(text);
	if (r < 0)
		return r;
	if (*names)
		return error_text_set(sentence, 0, "wrote %s to %s", names, path);
	if (access(path, F_OK) == 0)
		return error_text_set(
			sentence, 0, "%s already has these settings: nothing was written", path);
	return error_text_set(sentence, 0,
		"these settings are the usual ones, which need no file: %s was not written", path);
}

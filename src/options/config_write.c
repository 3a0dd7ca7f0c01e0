/* SPDX-License-Identifier: GPL-2.0-or-later */
/* config_write.c - writes settings into the configuration file, whose other lines stay as they are. */
#include "src/options/config_write.h"

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
#include "src/options/config_file.h"

/* Writes a line of the file. Returns whether it has the setting's word: its blanks, its "=" and its comment
 * then stay. The line of a flag that is off becomes a comment. */
static bool write_line(FILE *out, const char *line, size_t length, const struct setting *setting)
{
	struct config_line parts = config_line_split(line, length);
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

	if (is_standard && !(path = config_file_default(standard, sizeof(standard))))
		return error_text_set(sentence, -ENOENT,
			"there is no place for the file: neither XDG_CONFIG_HOME nor HOME is set");
	char *text = read_text(path, sentence);

	if (!text)
		return -EIO;
	text = put_settings(text, settings, n_settings, names, sizeof(names));
	if (!text)
		return error_text_set(sentence, -ENOMEM, "there is no memory to write %s", path);
	if (is_standard)
		make_directories(path);
	int r = *names ? replace_file(path, text, sentence) : 0;

	free(text);
	if (r < 0)
		return r;
	return *names ? error_text_set(sentence, 0, "wrote %s to %s", names, path)
		      : error_text_set(sentence, 0, "%s says the same already: nothing was written", path);
}

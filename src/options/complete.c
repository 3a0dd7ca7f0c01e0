/* SPDX-License-Identifier: GPL-2.0-or-later */
/* complete.c - what the word at the cursor of a command line may become. */
#include "src/options/complete.h"

#include <string.h>

#include "src/options/option.h"

/* Returns the row of "--name" or "-n"; NULL: none. */
static const struct option_row *row_of(const struct complete_line *line, const char *word)
{
	const struct option_row *row;

	if (word[0] != '-' || !word[1])
		return NULL;
	if (word[1] == '-')
		return option_named(line->tables, word + 2);
	for (size_t i = 0; (row = option_at(line->tables, i)); i++)
		if (row->letter == word[1] && !word[2])
			return row;
	return NULL;
}

/* Returns the row of which the word after the first @n is the value; NULL: none. */
static const struct option_row *row_of_value(const struct complete_line *line, size_t n)
{
	const struct option_row *row = n ? row_of(line, line->words[n - 1]) : NULL;

	return row && row->argument && !row->optional ? row : NULL;
}

bool complete_is_word(const struct complete_line *line, size_t i)
{
	return line->words[i][0] != '-' && !row_of_value(line, i);
}

size_t complete_n_words(const struct complete_line *line)
{
	size_t n = 0;

	for (size_t i = 0; i < line->n_words; i++)
		n += complete_is_word(line, i);
	return n;
}

/* --- what is printed --- */

/* Prints @word after the first @kept characters of the written one if its others begin @word. */
static void print_word(
	const struct complete_line *line, size_t kept, const char *word, const char *help, FILE *out)
{
	if (strncmp(word, line->written + kept, strlen(line->written + kept)) != 0)
		return;
	fprintf(out, "%.*s%s%s", (int)kept, line->written, word, help ? "\t" : "");
	for (; help && *help; help++)
		putc(*help == '\n' ? ' ' : *help, out);
	putc('\n', out);
}

void complete_word(const struct complete_line *line, const char *word, const char *help, FILE *out)
{
	print_word(line, 0, word, help, out);
}

static void print_options(const struct complete_line *line, FILE *out)
{
	const struct option_row *row;

	for (size_t i = 0; (row = option_at(line->tables, i)); i++) {
		char word[40];

		snprintf(word, sizeof(word), "--%s", row->name);
		complete_word(line, word, row->help, out);
	}
}

/* @kept: the characters before the value. A list goes on after its last comma, and a file's name follows the
 * word of "WORD=FILE". */
static enum complete_more print_values(
	const struct complete_line *line, const struct option_row *row, size_t kept, FILE *out)
{
	const char *comma = row->is_list ? strrchr(line->written, ',') : NULL;
	const char *end = row->argument && strchr(row->argument, '=') ? "=" : "";
	char word[40];

	if (!row->value || (*end && strchr(line->written + kept, '=')))
		return row->argument && strstr(row->argument, "FILE") ? COMPLETE_FILES : COMPLETE_NOTHING;
	if (comma)
		kept = (size_t)(comma + 1 - line->written);
	for (unsigned i = 0; row->value(line->names, i); i++) {
		snprintf(word, sizeof(word), "%s%s", row->value(line->names, i), end);
		print_word(line, kept, word, NULL, out);
	}
	if (row->is_list)
		print_word(line, kept, "all", NULL, out);
	return COMPLETE_NOTHING;
}

enum complete_more complete_option(const struct complete_line *line, FILE *out)
{
	const struct option_row *row = row_of_value(line, line->n_words);
	size_t length = strcspn(line->written, "=");
	char name[40];

	if (row)
		return print_values(line, row, 0, out);
	if (line->written[0] != '-')
		return COMPLETE_WORDS;
	if (!line->written[length]) {
		print_options(line, out);
		return COMPLETE_NOTHING;
	}
	snprintf(name, sizeof(name), "%.*s", (int)length, line->written);
	row = row_of(line, name);
	return row ? print_values(line, row, length + 1, out) : COMPLETE_NOTHING;
}

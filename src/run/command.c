/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command.c - the words of commands, and the search for the row of one. */
#include "src/run/command.h"

#include <errno.h>
#include <string.h>

#include "src/base/text.h"

const struct command_row *command_row_named(const struct command_row *const *rows, const char *name)
{
	while (*rows && strcmp((*rows)->name, name) != 0)
		rows++;
	return *rows;
}

const struct command_row *command_row_of(const struct command_row *const *rows, const struct command *command)
{
	if (command->kind == COMMAND_NAMED)
		return command_row_named(rows, command->row_name);
	while (*rows && (*rows)->kind != command->kind)
		rows++;
	return *rows;
}

static int copy_value(struct option_reading *reading, const char *value, char *to, size_t size)
{
	if (!*value || strlen(value) >= size)
		return option_refuse(reading, value, "must have 1 to %zu characters", size - 1);
	strcpy(to, value);
	return 0;
}

int command_read_value(struct option_reading *reading, const char *value)
{
	struct command *command = reading->target;

	return copy_value(reading, value, command->name, sizeof(command->name));
}

int command_read_words(struct option_reading *reading, const char *value)
{
	struct command *command = reading->target;

	return copy_value(reading, value, command->words, sizeof(command->words));
}

/* Joins the words. */
static int read_words(struct command *command, const struct command_row *row, char *const *words,
	struct error_text *refusal)
{
	size_t length = 0;

	for (size_t i = 0; words[i]; i++) {
		length += strlen(words[i]) + 1;
		if (!*words[i] || strpbrk(words[i], " \t\n") || length > sizeof(command->words))
			return error_text_set(refusal, -EINVAL,
				"%s: its words have no spaces, are not empty, and have at most %zu bytes together",
				row->name, sizeof(command->words) - 1);
		text_append(command->words, sizeof(command->words), " ", words[i]);
	}
	return 0;
}

char *command_usage(const struct command_row *row, char text[COMMAND_USAGE_SIZE])
{
	const char *argument = row->argument ? row->argument->argument : "";

	snprintf(text, COMMAND_USAGE_SIZE, row->is_optional ? "%s%s[%s]%s" : "%s%s%s%s", row->name,
		*argument ? " " : "", argument, row->takes_rings ? " RING..." : "");
	return text;
}

int command_read(struct command *command, const struct command_row *row, char *const *words,
	struct error_text *refusal)
{
	struct option_reading reading = {.target = command, .reason = refusal, .row = row->argument};
	size_t n_argument = row->argument != NULL;
	size_t n_max = row->takes_rings ? SIZE_MAX : n_argument;
	size_t n_min = (row->is_optional ? 0 : n_argument) + row->takes_rings;
	char usage[COMMAND_USAGE_SIZE];
	size_t n = 0;

	*command = (struct command){.kind = COMMAND_NAMED, .row_name = row->name, .ring = -1};
	if (row->kind != COMMAND_NONE)
		command->kind = row->kind;
	if (row->takes_words)
		return read_words(command, row, words, refusal);
	while (words[n])
		n++;
	if (row->takes_rings && (n > n_max || n < n_min))
		return error_text_set(
			refusal, -EINVAL, "%s: the words are: %s", row->name, command_usage(row, usage));
	if (n > n_max || n < n_min)
		return error_text_set(refusal, -EINVAL, "%s: takes %s%s%s", row->name,
			row->is_optional ? "at most " : "", n_max ? "one word, " : "no other word",
			n_max ? row->argument->argument : "");
	snprintf(reading.option, sizeof(reading.option), "%s", row->name);
	int r = n_argument && n ? option_read_value(&reading, words[0]) : 0;

	return r == 0 && row->takes_rings ? read_words(command, row, words + n_argument, refusal) : r;
}

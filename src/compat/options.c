/* SPDX-License-Identifier: GPL-2.0-or-later */
/* options.c - argv of a replaced tool, by its tables of options. */
#include "src/compat/options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <string.h>

enum { ROWS_MAX = 64, LONG_OPTION = 256 };

/* All rows of a tool, as getopt wants them. A row's value is its letter, or its place from LONG_OPTION on. */
struct grammar {
	const struct compat_option *rows[ROWS_MAX];
	size_t n_rows;
	struct option names[2 * ROWS_MAX + 1];
	size_t n_names;
	char letters[3 * ROWS_MAX + 2];
};

static int value_of_row(const struct grammar *grammar, size_t row)
{
	return grammar->rows[row]->letter ? grammar->rows[row]->letter : LONG_OPTION + (int)row;
}

static int takes(const struct compat_option *row)
{
	return !row->argument ? no_argument : row->optional ? optional_argument : required_argument;
}

static void add_name(struct grammar *grammar, const char *name, size_t row)
{
	if (name)
		grammar->names[grammar->n_names++] =
			(struct option){name, takes(grammar->rows[row]), NULL, value_of_row(grammar, row)};
}

static void add_row(struct grammar *grammar, const struct compat_option *row)
{
	static const char *const colons[] = {
		[no_argument] = "", [required_argument] = ":", [optional_argument] = "::"};
	size_t used = strlen(grammar->letters), place = grammar->n_rows;

	grammar->rows[grammar->n_rows++] = row;
	add_name(grammar, row->name, place);
	add_name(grammar, row->alias, place);
	if (row->letter)
		snprintf(grammar->letters + used, sizeof(grammar->letters) - used, "%c%s", row->letter,
			colons[takes(row)]);
}

static void grammar_init(struct grammar *grammar, const struct compat_tool *tool)
{
	*grammar = (struct grammar){.letters = ":"};
	for (size_t t = 0; t < COMPAT_TABLES_MAX && tool->options[t]; t++)
		for (const struct compat_option *row = tool->options[t]; row->name; row++)
			add_row(grammar, row);
}

/* The row of a value of getopt's, NULL where there is none. */
static const struct compat_option *find_row(const struct grammar *grammar, int value)
{
	for (size_t i = 0; i < grammar->n_rows; i++)
		if (value_of_row(grammar, i) == value)
			return grammar->rows[i];
	return NULL;
}

static void name_option(struct compat_reading *reading, const struct compat_option *row, int letter)
{
	if (row && !row->letter)
		snprintf(reading->option, sizeof(reading->option), "--%s", row->name);
	else
		snprintf(reading->option, sizeof(reading->option), "-%c", isprint(letter) ? letter : '?');
}

static int refuse_option(
	struct compat_reading *reading, const struct grammar *grammar, int what, char *const *argv)
{
	const struct compat_option *row = optopt ? find_row(grammar, optopt) : NULL;
	char shown[48];

	if (!optopt)
		return error_text_set(reading->reason, -EINVAL,
			"%s: no such option, or short for several; --help "
			"lists them",
			options_shown(argv[optind - 1], shown));
	name_option(reading, row, optopt);
	if (what == ':')
		return error_text_set(reading->reason, -EINVAL, "%s needs a value: %s %s", reading->option,
			reading->option, row->argument);
	return error_text_set(reading->reason, -EINVAL, "%s: %s", reading->option,
		row ? "takes no value" : "no such option; --help lists them");
}

/* An optional value is glued to its option, or the next word where that starts with a digit. */
static const char *take_value(struct compat_reading *reading, int argc, char *const *argv)
{
	const struct compat_option *row = reading->row;

	reading->apart = row->optional && !optarg && optind < argc && isdigit((unsigned char)*argv[optind]);
	return reading->apart ? argv[optind++] : optarg;
}

static int check_words(struct compat *compat, struct error_text *reason)
{
	char shown[48];

	if (compat->tool->takes_words || !*compat->settings.words)
		return 0;
	return error_text_set(reason, -EINVAL, "%s: %s takes options only; --help lists them",
		options_shown(*compat->settings.words, shown), compat->tool->name);
}

int compat_options_read(struct compat *compat, int argc, char **argv, struct error_text *reason)
{
	struct compat_reading reading = {.settings = &compat->settings, .reason = reason};
	struct grammar grammar;
	int value, r = 0;

	grammar_init(&grammar, compat->tool);
	opterr = 0;
	optind = 0; /* glibc and musl: start anew */
	while ((value = getopt_long(argc, argv, grammar.letters, grammar.names, NULL)) != -1) {
		if (value == '?' || value == ':')
			return refuse_option(&reading, &grammar, value, argv);
		reading.row = find_row(&grammar, value);
		name_option(&reading, reading.row, value);
		if (reading.row->read)
			r = reading.row->read(&reading, take_value(&reading, argc, argv));
		if (r < 0 || compat->settings.help)
			return r;
	}
	compat->settings.words = argv + optind;
	return check_words(compat, reason);
}

/* --- --help --- */

enum { HELP_COLUMN = 27 };

static void print_row(const struct compat_option *row, FILE *out)
{
	char argument[16] = "", words[64];

	if (row->argument)
		snprintf(argument, sizeof(argument), row->optional ? " [%s]" : " %s", row->argument);
	int length = row->letter ? snprintf(words, sizeof(words), "-%c%s", row->letter, argument) : 0;

	length += snprintf(words + length, sizeof(words) - (size_t)length, "%*s--%s",
		length < 8 ? 9 - length : 1, "", row->name);
	if (row->argument)
		length += snprintf(words + length, sizeof(words) - (size_t)length,
			row->optional ? "[=%s]" : "=%s", row->argument);
	fprintf(out, "%s", words);
	const char *line = row->help;

	if (length >= HELP_COLUMN)
		fprintf(out, "\n");
	for (length = length < HELP_COLUMN ? length : 0; line; length = 0) {
		int size = (int)strcspn(line, "\n");

		fprintf(out, "%*s%.*s\n", HELP_COLUMN - length, "", size, line);
		line = line[size] ? line + size + 1 : NULL;
	}
}

void compat_options_help(const struct compat_tool *tool, FILE *out)
{
	fprintf(out,
		"%s of ipctop " IPCTOP_VERSION
		"\nUsage:\n%s <options>%s%s\n\nFunction: %s\n\nAvailable options:\n\n",
		tool->name, tool->name, tool->takes_words ? " " : "",
		tool->takes_words ? tool->takes_words : "", tool->function);
	for (size_t t = 0; t < COMPAT_TABLES_MAX && tool->options[t]; t++)
		for (const struct compat_option *row = tool->options[t]; row->name; row++)
			print_row(row, out);
}

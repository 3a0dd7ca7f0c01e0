/* SPDX-License-Identifier: GPL-2.0-or-later */
/* option.c - getopt_long(3) over tables of options, and the readers of common values. */
#include "src/options/option.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <string.h>

#include "src/base/text.h"
#include "src/machine/cpus.h"

enum { LONG_OPTION = 256 }; /* + the index of the row: the value of a long option in getopt_long */

const struct option_row *option_at(const struct option_row *const *tables, size_t i)
{
	for (; *tables; tables++)
		for (const struct option_row *row = *tables; row->name; row++)
			if (i-- == 0)
				return row;
	return NULL;
}

/* Returns the index of the row for a value of getopt_long; past the last row if there is none. */
static size_t index_of(const struct option_row *const *tables, int value)
{
	const struct option_row *row;
	size_t i = 0;

	if (value >= LONG_OPTION)
		return (size_t)value - LONG_OPTION;
	while ((row = option_at(tables, i)) && row->letter != value)
		i++;
	return i;
}

size_t option_index(const struct option_row *const *tables, const char *text)
{
	size_t length = strcspn(text, " :"), i = 0;
	const struct option_row *row;

	if (length == 2 && text[0] == '-')
		return index_of(tables, text[1]);
	for (; (row = option_at(tables, i)); i++)
		if (!strncmp(text, "--", 2) && strlen(row->name) + 2 == length &&
			!strncmp(row->name, text + 2, length - 2))
			break;
	return i;
}

const struct option_row *option_named(const struct option_row *const *tables, const char *name)
{
	const struct option_row *row;

	for (size_t i = 0; (row = option_at(tables, i)); i++)
		if (!strcmp(row->name, name))
			return row;
	return NULL;
}

bool option_is_given(const struct option_reading *reading, const char *name)
{
	const struct option_row *row;

	for (size_t i = 0; (row = option_at(reading->tables, i)); i++)
		if (reading->given[i] && !strcmp(row->name, name))
			return true;
	return false;
}

/* --- sentences --- */

char *option_shown(const char *value, char text[OPTION_SHOWN_SIZE])
{
	if (!*value)
		return strcpy(text, "''");
	snprintf(text, OPTION_SHOWN_SIZE, "%.40s", value);
	text_clean(text);
	return strlen(value) > 40 ? strcat(text, "...") : text;
}

int option_refuse(const struct option_reading *reading, const char *value, const char *format, ...)
{
	char shown[OPTION_SHOWN_SIZE], why[432];
	va_list args;

	va_start(args, format);
	vsnprintf(why, sizeof(why), format, args);
	va_end(args);
	return error_text_set(
		reading->reason, -EINVAL, "%s %s: %s", reading->option, option_shown(value, shown), why);
}

static int refuse_unknown(const struct option_reading *reading, const char *option)
{
	return error_text_set(reading->reason, -EINVAL, "%s: no such option; %s --help lists them", option,
		reading->program);
}

/* The long option @text, "--re" or "--re=1", which is unknown or ambiguous. */
static int refuse_long(const struct option_reading *reading, const char *text)
{
	char names[128] = "", name[40], shown[OPTION_SHOWN_SIZE], written[64];
	size_t length = strcspn(text + 2, "=");
	const struct option_row *row;

	for (size_t i = 0; (row = option_at(reading->tables, i)); i++)
		if (!strncmp(row->name, text + 2, length)) {
			snprintf(name, sizeof(name), "--%s", row->name);
			text_append(names, sizeof(names), ", ", name);
		}
	snprintf(written, sizeof(written), "%.*s", (int)length + 2, text);
	option_shown(written, shown);
	if (!*names)
		return refuse_unknown(reading, shown);
	return error_text_set(reading->reason, -EINVAL, "%s: ambiguous, it may mean %s", shown, names);
}

static void name_option(struct option_reading *reading, int value)
{
	if (value >= LONG_OPTION)
		snprintf(reading->option, sizeof(reading->option), "--%s", reading->row->name);
	else
		snprintf(reading->option, sizeof(reading->option), "-%c", isprint(value) ? value : '?');
}

/* @complaint: '?' or ':' of getopt, about optopt, or about a long option if that is 0. */
static int refuse_option(struct option_reading *reading, int complaint, char *const *argv)
{
	if (optopt == 0)
		return refuse_long(reading, argv[optind - 1]);
	reading->row = option_at(reading->tables, index_of(reading->tables, optopt));
	name_option(reading, optopt);
	if (!reading->row)
		return refuse_unknown(reading, reading->option);
	if (complaint == ':')
		return error_text_set(reading->reason, -EINVAL, "%s needs a value: %s %s", reading->option,
			reading->option, reading->row->argument);
	return error_text_set(reading->reason, -EINVAL, "%s takes no value", reading->option);
}

/* --- argv --- */

struct getopt_tables {
	char letters[2 + OPTION_ROWS_MAX * 3];
	struct option names[OPTION_ROWS_MAX * 2 + 1];
};

static void make_tables(struct getopt_tables *made, const struct option_row *const *tables)
{
	struct option *name = made->names;
	char *letter = made->letters;
	const struct option_row *row;

	*made = (struct getopt_tables){0};
	*letter++ = ':'; /* getopt returns ":" for a missing value, "?" for an unknown option */
	for (int i = 0; i < OPTION_ROWS_MAX && (row = option_at(tables, (size_t)i)); i++) {
		int argument = !row->argument  ? no_argument
			       : row->optional ? optional_argument
					       : required_argument;

		*name++ = (struct option){row->name, argument, NULL, LONG_OPTION + i};
		if (row->alias)
			*name++ = (struct option){row->alias, argument, NULL, LONG_OPTION + i};
		if (row->letter)
			letter += sprintf(letter, "%c%.*s", row->letter, argument, "::");
	}
}

static const char *value_of(const struct option_row *row, int argc, char *const *argv)
{
	if (!row->optional || optarg || optind >= argc || !isdigit((unsigned char)*argv[optind]))
		return optarg;
	const char *apart = argv[optind++];

	return row->zero_is_none && strspn(apart, "0") == strlen(apart) ? NULL : apart;
}

int option_read_value(struct option_reading *reading, const char *value)
{
	const struct option_row *row = reading->row;

	if (row->has)
		*(bool *)((char *)reading->target + row->has) = true;
	return row->read ? row->read(reading, value) : 0;
}

int option_read_argv(struct option_reading *reading, int argc, char **argv)
{
	struct getopt_tables made;
	int value, r = 0;

	make_tables(&made, reading->tables);
	opterr = 0;
	optind = 0; /* glibc and musl: start anew */
	while (r == 0 && (value = getopt_long(argc, argv, made.letters, made.names, NULL)) != -1) {
		if (value == '?' || value == ':')
			return refuse_option(reading, value, argv);
		size_t index = index_of(reading->tables, value);

		reading->row = option_at(reading->tables, index);
		reading->given[index] = true;
		name_option(reading, value);
		r = reading->refuse ? reading->refuse(reading) : 0;
		if (r == 0)
			r = option_read_value(reading, value_of(reading->row, argc, argv));
		if (r == 0 && reading->row->ends)
			r = 1;
	}
	reading->words = argv + optind;
	return r;
}

/* --- values --- */

static void *field_of(const struct option_reading *reading)
{
	return (char *)reading->target + reading->row->field;
}

int option_read_true(struct option_reading *reading, const char *value)
{
	(void)value;
	*(bool *)field_of(reading) = true;
	return 0;
}

int option_read_false(struct option_reading *reading, const char *value)
{
	(void)value;
	*(bool *)field_of(reading) = false;
	return 0;
}

int option_read_enum(struct option_reading *reading, const char *value)
{
	(void)value;
	*(int *)field_of(reading) = reading->row->sets;
	return 0;
}

int option_read_text(struct option_reading *reading, const char *value)
{
	if (!*value)
		return option_refuse(reading, value, "must not be empty");
	*(const char **)field_of(reading) = value;
	return 0;
}

int option_read_number(struct option_reading *reading, const char *value)
{
	const struct option_range *range = &reading->row->range;
	uint64_t number = 0;

	if (value) {
		int r = range->units ? value_time(value, range->units, &number)
				     : value_number(value, &number);

		if (r < 0 || number < range->min || number > range->max)
			return option_refuse(reading, value, "%s must be %s", range->title, range->allowed);
	}
	if (reading->row->size == sizeof(uint64_t))
		*(uint64_t *)field_of(reading) = number;
	else
		*(uint32_t *)field_of(reading) = (uint32_t)number;
	return 0;
}

int option_read_cpus(struct option_reading *reading, const char *value)
{
	struct cpus cpus = {0};

	if (value && (cpus_parse(&cpus, value) < 0 || cpus_count(&cpus) == 0))
		return option_refuse(reading, value, "must be a list of CPUs such as 0-3,8");
	*(struct cpus *)field_of(reading) = cpus;
	return 0;
}

/* --- --help --- */

void option_print_help(FILE *out, const char *help, int column, int used)
{
	if (used >= column) {
		fprintf(out, "\n");
		used = 0;
	}
	for (; help; used = 0) {
		int length = (int)strcspn(help, "\n");

		fprintf(out, "%*s%.*s\n", column - used, "", length, help);
		help = help[length] ? help + length + 1 : NULL;
	}
}

/* ": overview (default), detail or events", in lines that fit. */
static void append_words(const struct option_row *row, const struct options_names *names, size_t width,
	char help[OPTION_HELP_SIZE])
{
	const char *word;

	for (unsigned i = 0; (word = row->value(names, i)); i++) {
		const char *line = strrchr(help, '\n'), *after = i ? "" : row->after_first;
		size_t length = strlen(help), column = line ? strlen(line + 1) : length;
		bool is_last = !row->value(names, i + 1),
		     fits = column + strlen(word) + strlen(after) + strlen(" or ,") <= width;

		text_print(help, OPTION_HELP_SIZE, "%s%s%s",
			i == 0    ? ": "
			: is_last ? (fits ? " or " : "\nor ")
				  : (fits ? ", " : ",\n"),
			word, after);
	}
}

char *option_help(const struct option_row *row, const char *help, const struct options_names *names,
	size_t width, char text[OPTION_HELP_SIZE])
{
	snprintf(text, OPTION_HELP_SIZE, "%s", help);
	if (row->after_first)
		append_words(row, names, width, text);
	return text;
}

void option_print(FILE *out, const struct option_row *row, const struct options_names *names, int column)
{
	enum { WIDTH = 80 };
	char argument[24] = "", letter[5] = "", help[OPTION_HELP_SIZE];

	if (row->letter)
		snprintf(letter, sizeof(letter), "-%c, ", row->letter);
	if (row->argument)
		snprintf(argument, sizeof(argument), row->optional ? "[=%s]" : " %s", row->argument);
	int used = fprintf(out, "  %4s--%s%s", letter, row->name, argument);

	option_print_help(
		out, option_help(row, row->help, names, (size_t)(WIDTH - column), help), column, used);
}

void option_print_all(FILE *out, const struct option_row *rows)
{
	enum { COLUMN = 24 };

	for (const struct option_row *row = rows; row->name; row++)
		option_print(out, row, NULL, COLUMN);
}

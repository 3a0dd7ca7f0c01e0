/* SPDX-License-Identifier: GPL-2.0-or-later */
/* option.h - options as rows of tables, which read argv and configuration files, and print --help.
 *
 * The grammar is that of getopt_long(3): long names may be abbreviated, and options may follow other words.
 * An optional value is glued to its option, or is the next word if that starts with a digit: "-a3", "-a 3".
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "src/base/error_text.h"
#include "src/base/values.h"

/* The rows of all tables of a program, which tests/unit/test_options.c counts. */
enum { OPTION_ROWS_MAX = 128 };
enum { OPTION_SHOWN_SIZE = 48, OPTION_HELP_SIZE = 256 };

struct option_reading;
struct options_names;

struct option_row {
	char letter;          /* 0: none */
	const char *name;     /* without its dashes */
	const char *argument; /* its name in --help; NULL: none */
	const char *help;     /* lines */
	/* @value is NULL if none is given. Returns 0 or a negative errno with its sentence. NULL: the
	 * option is accepted and has no effect. */
	int (*read)(struct option_reading *reading, const char *value);
	size_t field, size; /* of the target, by OPTION_FIELD(): where the readers below store the value */
	size_t has;         /* a bool of the target that becomes true; 0: none */
	int sets;           /* the value of option_read_enum() */
	struct option_range {
		const char *title; /* "the interval" */
		uint64_t min, max;
		const struct value_unit *units; /* NULL: a plain number */
		const char *allowed;            /* "0 (flood) to 60s, in microseconds or ..." */
	} range;
	/* Returns word @i that the value may be, NULL past the last one. NULL: no word is known. */
	const char *(*value)(const struct options_names *names, unsigned i);
	bool is_list;      /* the value is several such words with commas between them, or "all" */
	bool optional;     /* the value may be left out; without an argument's name it is ignored */
	bool zero_is_none; /* "-a 0" is "-a"; "-a0" is not */
	bool argv_only;    /* no file may have it */
	bool ends;         /* no option after it is read */
	bool measures; /* a replay can't obey it; the same holds for all of OPTIONS_WHAT and OPTIONS_HOW */
	const char *alias; /* an abbreviation that stays valid although other names begin with it; or NULL */
	/* --help lists the words of value() after the help: this is what stands after the first one, such as
	 * " (default)" or "". NULL: it does not list them. */
	const char *after_first;
};

#define OPTION_SECONDS(n) (UINT64_C(n) * 1000000000) /* of a range, in ns */
#define OPTION_FIELD(type, member) .field = offsetof(type, member), .size = sizeof(((type *)0)->member)

/* One reading of argv, or of a file. The caller sets the first four. */
struct option_reading {
	const char *program;                    /* "ipctop", whose --help lists the options */
	const struct option_row *const *tables; /* ended by NULL; each by a row without a name */
	void *target;                           /* the struct that the rows' fields are in */
	struct error_text *reason;
	/* Returns 0, or a negative errno with its sentence: then the option is not read. NULL: all are taken.
	 */
	int (*refuse)(const struct option_reading *reading);
	const struct option_row *row; /* the option being read */
	char option[32];              /* its name in messages: "-p", "--priority" */
	bool given[OPTION_ROWS_MAX];  /* for each row whether argv has it */
	char **words;                 /* the words of argv that are no options; ended by NULL */
};

/* Returns row @i of all tables; NULL past the last one. */
const struct option_row *option_at(const struct option_row *const *tables, size_t i);
/* Returns the index of the row that @text begins with, as "-p 5" and "--priority: " do; that past the last
 * one if there is none. */
size_t option_index(const struct option_row *const *tables, const char *text);
/* Returns the row of this long name, which is not abbreviated; NULL: none. */
const struct option_row *option_named(const struct option_row *const *tables, const char *name);
/* Returns whether argv has the option of this name. */
bool option_is_given(const struct option_reading *reading, const char *name);

/* Reads argv, which is reordered, into the target. Returns 0, 1 if an option ended the reading, or a
 * negative errno with one sentence that names the option, its value and the allowed values. */
int option_read_argv(struct option_reading *reading, int argc, char **argv);
/* Reads one value of reading->row. Returns 0 or a negative errno with its sentence. */
int option_read_value(struct option_reading *reading, const char *value);

/* Readers, by the type of the row's field. */
int option_read_true(struct option_reading *reading, const char *value);  /* bool */
int option_read_false(struct option_reading *reading, const char *value); /* bool */
int option_read_enum(struct option_reading *reading, const char *value);  /* int or enum: row->sets */
int option_read_text(struct option_reading *reading, const char *value);  /* const char *, into @value */
/* uint64_t, or an integer of 32 bits: a number or a time within the row's range; 0 if it is left out. */
int option_read_number(struct option_reading *reading, const char *value);
/* struct cpus; empty if the list is left out. */
int option_read_cpus(struct option_reading *reading, const char *value);

/* Sets the reason to "-p 100: SENTENCE", with the option being read. Returns -EINVAL. */
__attribute__((format(printf, 3, 4))) int option_refuse(
	const struct option_reading *reading, const char *value, const char *format, ...);
/* Writes @value for a message: cut, without control characters, '' if empty. Returns @text. */
char *option_shown(const char *value, char text[OPTION_SHOWN_SIZE]);

/* Prints the lines of an option's help from @column on, of which @used characters are printed. */
void option_print_help(FILE *out, const char *help, int column, int used);
/* Writes @help, and after it the words that --help lists, in lines of @width columns. Returns @text. */
char *option_help(const struct option_row *row, const char *help, const struct options_names *names,
	size_t width, char text[OPTION_HELP_SIZE]);
/* Prints an option as --help has it: "  -o, --show FIGURE", and the lines of its help from @column on. */
void option_print(FILE *out, const struct option_row *row, const struct options_names *names, int column);
/* Prints all of @rows, up to the one without a name, as the --help of a verb: their words need no names. */
void option_print_all(FILE *out, const struct option_row *rows);

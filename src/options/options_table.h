/* SPDX-License-Identifier: GPL-2.0-or-later */
/* options_table.h - one row for each option: getopt, --help and the man page's test read the same table. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/error_text.h"
#include "src/plan/config.h"

struct option_row;
struct options_names;
struct value_unit;

/* What is known while argv is read. */
struct options_reading {
	struct config *config;
	const struct options_names *names;
	struct error_text *reason;
	const struct option_row *row; /* whose value is read */
	char option[32];              /* as a sentence names it: "-p", "--priority" */
	/* What the check of combinations must know beyond the config. */
	const char *cpus, *affinity, *priority, *policy; /* as given, or NULL */
	struct cpus affinity_cpus;                       /* what -a named; empty: all */
	bool smp;
	uint64_t given; /* the rows that argv names, a bit each; those of a file are not among them */
};

/* Bounds of a number or a time, and the words for them. */
struct option_range {
	const char *what; /* "the interval" */
	uint64_t min, max;
	const struct value_unit *units; /* NULL: a plain number */
	const char *allowed;            /* "0 (flood) to 60s, in microseconds or ..." */
};

enum option_group { GROUP_WHAT, GROUP_HOW, GROUP_SHOWN, GROUP_OTHER, N_OPTION_GROUPS };

struct option_row {
	enum option_group group;
	char letter;          /* 0: none */
	const char *name;     /* without its dashes */
	const char *argument; /* its name in --help; NULL: takes none */
	bool optional;        /* the argument may be left out, or stand alone where it starts with a digit */
	bool argv_only;       /* makes no sense in a file */
	const char *help;
	/* @value is NULL where none was given. Returns 0 or a negative errno with its sentence. */
	int (*read)(struct options_reading *reading, const char *value);
	/* For the readers of flags, actions, words and numbers. */
	size_t field; /* where in the config */
	int sets;     /* to this */
	const struct option_range *range;
};

extern const struct option_row options_table[];           /* ended by a row without a name */
extern const char *const options_groups[N_OPTION_GROUPS]; /* their titles */

/* @value as a sentence shows it: short, printable, '' where empty. Returns @text. */
char *options_shown(const char *value, char text[48]);
/* "-p 100: WHY". Returns -EINVAL. */
int options_refuse(const char *option, const char *value, const char *why, struct error_text *reason);
/* Reads a number or a time within @range. Returns 0, or -EINVAL with its sentence; @number is untouched then.
 */
int options_ranged(const char *option, const char *value, const struct option_range *range, uint64_t *number,
	struct error_text *reason);

/* The same, of the option that is being read. */
int options_refuse_value(const struct options_reading *reading, const char *value, const char *why);

/* Appends a word of a list to @text, behind a comma where it is not the first. */
void options_append_word(char *text, size_t size, const char *word);

/* The readers of what rings there are, and where, which have a file of their own. */
int options_read_mechanisms(struct options_reading *reading, const char *value);
int options_read_cpus(struct options_reading *reading, const char *value);
int options_read_affinity(struct options_reading *reading, const char *value);
int options_read_housekeeping(struct options_reading *reading, const char *value);
int options_read_ring(struct options_reading *reading, const char *value);

/* Once all are read. Return 0 or a negative errno with its sentence. */
int options_settle(struct options_reading *reading);
/* After each line of a file: only what contradicts a line before it, for the rest depends on argv too. */
int options_settle_line(struct options_reading *reading);

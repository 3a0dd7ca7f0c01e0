/* SPDX-License-Identifier: GPL-2.0-or-later */
/* options.h - the option grammar that the replaced tools share: getopt's, abbreviated long names and all,
 * with values that may be left out or stand apart. */
#pragma once

#include <stdio.h>

#include "src/compat/compat.h"
#include "src/options/options_table.h"

/* What is known while a value is read. */
struct compat_reading {
	struct compat_settings *settings;
	const struct compat_option *row;
	char option[32]; /* as a sentence names it: "-p", "--priority" */
	bool apart;      /* its value may be left out, and is a word of its own: "-a 0" */
	struct error_text *reason;
};

struct compat_option {
	char letter;          /* 0: none */
	const char *name;     /* without its dashes */
	const char *argument; /* its name in --help; NULL: takes none */
	bool optional;        /* it may be left out, or stand apart where it starts with a digit; without
				 an argument's name it does no more than stand there */
	const char *alias;    /* one more long name: an abbreviation that one of ours would make ambiguous */
	const char *help;
	/* @value is NULL where none was given. Returns 0 or a negative errno with its sentence.
	 * NULL: the option takes no value, and asks for what is so anyway. */
	int (*read)(struct compat_reading *reading, const char *value);
	size_t field; /* where in the settings; for the readers below */
	const struct option_range *range;
};

/* -b, -D, -h, --json, --ipctop-json, -l, -p, -q: of every tool of rt-tests. */
extern const struct compat_option compat_rt_options[];

/* Reads argv, which is reordered, into the settings. Returns 0, or a negative errno with one sentence. Where
 * settings.help is set, the rest of argv was not read. */
int compat_options_read(struct compat *compat, int argc, char **argv, struct error_text *reason);
void compat_options_help(const struct compat_tool *tool, FILE *out);

/* Readers of a field of the settings: a bool that becomes true, a char pointer, and a uint64_t within the
 * row's range. */
int compat_read_flag(struct compat_reading *reading, const char *value);
int compat_read_text(struct compat_reading *reading, const char *value);
int compat_read_number(struct compat_reading *reading, const char *value);
/* -a: none is all CPUs, as "-a 0" with a space is; else one CPU, or a list of them. */
int compat_read_cpu(struct compat_reading *reading, const char *value);
int compat_read_cpus(struct compat_reading *reading, const char *value);
/* -t: none is one for each CPU, as "-t 0" with a space is where it may be left out. */
int compat_read_threads(struct compat_reading *reading, const char *value);
/* -p: SCHED_FIFO at 1 to 99, SCHED_OTHER at 0. */
int compat_read_priority(struct compat_reading *reading, const char *value);

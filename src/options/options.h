/* SPDX-License-Identifier: GPL-2.0-or-later */
/* options.h - ipctop's own command line: argv in, config or one sentence out. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "src/base/error_text.h"
#include "src/options/complete.h"
#include "src/plan/config.h"

struct config_file;
struct option_row;
struct probe;

/* Names that options accept or --help prints, and that other wings define. */
struct options_names {
	const struct probe *const *mechanisms; /* ended by NULL */
	/* Return the name of view, column, unit, window, palette, colors, export format or compat tool @i,
	 * NULL past the last one; @sort: of a column that rows can be sorted by. View, @sort, palette and
	 * colors 0 are the defaults. */
	const char *(*view)(unsigned i);
	const char *(*column)(unsigned i), *(*sort)(unsigned i), *(*unit)(unsigned i), *(*window)(unsigned i);
	const char *(*palette)(unsigned i);
	const char *(*colors)(unsigned i);
	const char *(*export)(unsigned i); /* at most CONFIG_EXPORTS_MAX */
	const char *(*tool)(unsigned i, const char **purpose);
	/* The same of a verb that has a file of its own, with the words that may follow it. */
	const char *(*verb)(unsigned i, const char **words, const char **purpose);
	unsigned localities; /* those that --pairs offers, see topology_localities(); 0: of any machine */
};

/* The rows of the options: a table for each section of --help. */
enum { OPTIONS_WHAT, OPTIONS_HOW, OPTIONS_SHOWN, OPTIONS_OTHER, N_OPTIONS_TABLES };
extern const struct option_row *const options_tables[N_OPTIONS_TABLES + 1]; /* ended by NULL */

/* Reads the options of @file, unless its text is NULL, over the defaults, and argv over both. Changes the
 * text of @file and reorders argv; @config points into both. Returns 0, or a negative errno with one sentence
 * that names the option, its value and the allowed values. If the action is ACTION_HELP or ACTION_VERSION,
 * the rest of argv was not read. Prints nothing. */
int options_parse(struct config *config, struct config_file *file, int argc, char **argv,
	const struct options_names *names, struct error_text *reason);

/* Loads the file that argv names, or else the default one, and parses both. Does not look for a file if the
 * action is ACTION_HELP or ACTION_VERSION. config_file_finish() accepts @file whatever is returned. */
int options_load(struct config *config, struct config_file *file, int argc, char **argv,
	const struct options_names *names, struct error_text *reason);

/* Puts file and line before a sentence that begins with an option, as those of the plan do, if the file has
 * it and argv has not. Returns whether it did. */
bool options_name_line(const struct config_file *file, struct error_text *reason);

/* Values of rows, NULL past the last one: figure @i that --show accepts, and word @i of --recorder. */
const char *options_figure(const struct options_names *names, unsigned i);
const char *options_recorder(const struct options_names *names, unsigned i);

/* Prints the text of --help. */
void options_help(FILE *out, const struct options_names *names);
/* Offers the words that are no options: verbs and tools, and what may follow the verbs that options_parse()
 * reads. */
enum complete_more options_complete_words(const struct complete_line *line, FILE *out);

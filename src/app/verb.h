/* SPDX-License-Identifier: GPL-2.0-or-later */
/* verb.h - a verb of the command line, such as `compare`, and what all verbs do at their end.
 *
 * A verb is a file that defines `const struct verb verb_NAME`, and its name in src/app/meson.build. */
#pragma once

#include <stdbool.h>

#include "src/base/error_text.h"
#include "src/options/complete.h"

struct option_row;
struct options_names;

struct verb {
	const char *name;                        /* the first word of the command line */
	const char *words;                       /* that may follow, for --help: "A B"; "": none */
	const char *purpose;                     /* for --help and shells; NULL: neither names the verb */
	const struct option_row *const *options; /* tables, ended by NULL */
	bool has_run;                            /* after "--" come the options of a run */
	/* Prints errors. Returns the exit status. */
	int (*main)(int argc, char **argv, const struct options_names *names);
	/* Offers the words that are no options; NULL: there are none. */
	enum complete_more (*complete)(const struct complete_line *line, FILE *out);
};

extern const struct verb *const verbs[]; /* ended by NULL */

/* For --help: returns the name of verb @i of those that have a purpose, and sets both; NULL past the last
 * one. */
const char *verb_name(unsigned i, const char **words, const char **purpose);

/* Returns the verb that the first word names, or NULL. */
const struct verb *verb_find(int argc, char *const *argv);

/* Offers the knobs that can be tried: "governor=". */
void verb_offer_knobs(const struct complete_line *line, FILE *out);

/* Prints an error. Returns EXIT_FAILURE. */
int verb_complain(const struct error_text *reason);
/* Ends output that is printed at once. Returns the exit status. */
int verb_end_output(void);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* options.h - ipctop's own command line: argv in, config or one sentence out. */
#pragma once

#include <stdio.h>

#include "src/base/error_text.h"
#include "src/plan/config.h"

struct config_file;
struct probe;

/* Names that values of options may have, and --help prints. Options know none of what bears them: main does.
 */
struct options_names {
	const struct probe *const *mechanisms; /* ended by NULL */
	/* The name of number @i, NULL past the last one: of a view, for --view, the first being the default;
	 * of a front end, with its purpose. */
	const char *(*view)(unsigned i);
	const char *(*tool)(unsigned i, const char **purpose);
};

/* Reads argv, which is reordered, into @config, defaults first.
 * Returns 0, or a negative errno with one sentence that names the option, the value and what is allowed.
 * Prints nothing: where @config's action is ACTION_HELP, the rest of argv was not read. */
int options_parse(struct config *config, int argc, char **argv, const struct options_names *names,
	struct error_text *reason);

/* The same, with the options of a file before those of argv, which win over them. @file's text is written
 * into, and @config points into it; without a text there is no file. */
int options_parse_over(struct config *config, struct config_file *file, int argc, char **argv,
	const struct options_names *names, struct error_text *reason);

/* The same, with the file that argv asks for, or else the one by default. It is not looked for where the
 * action is ACTION_HELP or ACTION_VERSION. config_file_finish() accepts @file whatever is returned. */
int options_load(struct config *config, struct config_file *file, int argc, char **argv,
	const struct options_names *names, struct error_text *reason);

/* What --help prints. */
void options_help(FILE *out, const struct options_names *names);

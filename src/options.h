/* SPDX-License-Identifier: GPL-2.0-or-later */
/* options.h - ipctop's own command line: argv in, config or one sentence out. */
#pragma once

#include <stdio.h>

#include "src/config.h"
#include "src/reason.h"

struct probe;

/* Reads argv, which is reordered, into @config, defaults first. @registry is for -m.
 * Returns 0, or a negative errno with one sentence that names the option, the value and what is allowed.
 * Prints nothing: where @config's action is ACTION_HELP, the rest of argv was not read. */
int options_parse(struct config *config, int argc, char **argv, const struct probe *const *registry,
	struct reason *reason);

/* What --help prints. */
void options_help(FILE *out, const struct probe *const *registry);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command.h - a command is a row of command_rows, for all senders: keys, mouse, signals and sockets.
 *
 * A row is a `const struct command_row command_NAME` beside the function that obeys it, and its name in
 * src/meson.build, from which the table is made. A key sends it by its name, or by its kind in commands.h. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "src/base/error_text.h"
#include "src/model/commands.h"
#include "src/options/option.h"

struct source;

/* Obeys a command in the main thread. Returns 0, or a negative errno with a sentence: then nothing was done.
 */
typedef int command_obey(struct source *source, const struct command *command, struct command_result *result,
	struct error_text *refusal);

struct command_row {
	const char *name;                  /* of `ipctop ctl` */
	const char *help;                  /* what it does */
	const struct option_row *argument; /* of struct command; NULL: it takes none */
	enum command_kind kind;            /* COMMAND_NONE: no code names it */
	bool is_optional;                  /* the argument may be left out */
	bool takes_words;                  /* any number of words, the argument's, go into command.words */
	bool takes_rings;                  /* so do one or more words after the argument, which name rings */
	bool acts;                         /* --read-only refuses it */
	command_obey *in_run, *in_replay;  /* NULL: refused there */
	const char *refusal;               /* the sentence for that; NULL: the usual one */
	/* Replaces these for a command that only reads: prints the members of its reply. It is called under
	 * the session's lock, in the sender's thread. Returns 0 or -ENOMEM. */
	int (*print)(FILE *out, const struct source *source);
	bool follows; /* its sender gets events and spikes from then on */
};

extern const struct command_row *const command_rows[]; /* ended by NULL */

/* Returns the row of this name, or NULL. */
const struct command_row *command_row_named(const struct command_row *const *rows, const char *name);
/* Returns the row of a command: by its name, or by its kind. NULL: there is none. */
const struct command_row *command_row_of(
	const struct command_row *const *rows, const struct command *command);
enum { COMMAND_USAGE_SIZE = 64 };
/* Writes "hold [RING]", "remove RING...". Returns @text. */
char *command_usage(const struct command_row *row, char text[COMMAND_USAGE_SIZE]);
/* Reads the words after the command's name. Returns 0, or a negative errno with its sentence. */
int command_read(struct command *command, const struct command_row *row, char *const *words,
	struct error_text *refusal);

/* Readers of arguments that the function that obeys reads, for all senders: into command.name, or
 * command.words. */
int command_read_value(struct option_reading *reading, const char *value);
int command_read_words(struct option_reading *reading, const char *value);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command.h - a command is a row of command_rows, for all senders: keys, mouse, signals and sockets.
 *
 * A new one is a row with the function that obeys it; one that a key sends has a kind in commands.h, too. */
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
	bool is_optional;                  /* the argument may be left out */
	bool takes_words;                  /* any number of words, the argument's, go into command.words */
	bool takes_rings;                  /* so do one or more words after the argument, which name rings */
	unsigned senders;                  /* bits of enum command_sender */
	bool acts;                         /* --read-only refuses it */
	command_obey *in_run, *in_replay;  /* NULL: refused there */
	const char *refusal;               /* the sentence for that */
	/* Replaces these for a command that only reads: prints the members of its reply. It is called
	 * under the session's lock, in the sender's thread. Returns 0 or -ENOMEM. */
	int (*print)(FILE *out, const struct source *source);
	bool follows; /* its sender gets events and spikes from then on */
};

/* Those with a kind are at its place, those without behind them. COMMAND_NONE has no name. */
extern const struct command_row command_rows[];
extern const size_t command_n_rows;

/* Returns the row of this name, or NULL. */
const struct command_row *command_named(const char *name);
enum { COMMAND_USAGE_SIZE = 64 };
/* Writes "hold [RING]", "remove RING...". Returns @text. */
char *command_usage(const struct command_row *row, char text[COMMAND_USAGE_SIZE]);
/* Reads the words after the command's name. Returns 0, or a negative errno with its sentence. */
int command_read(struct command *command, const struct command_row *row, char *const *words,
	struct error_text *refusal);

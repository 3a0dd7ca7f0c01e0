/* SPDX-License-Identifier: GPL-2.0-or-later */
/* control_json.h - the lines of a control socket: requests, replies and events. The form is
 * schema/ipctop-control.schema.json. Times are in ns since the start of the run. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "src/base/error_text.h"
#include "src/figures/tick.h"

struct config;
struct session;

/* CONTROL_VERSION is that of the interface: a client may rely on all names of its version. */
enum { CONTROL_VERSION = 1, CONTROL_WORDS_MAX = 32 };

/* A request: the name of a command, and its words. */
struct control_request {
	char *words[CONTROL_WORDS_MAX +
		    2]; /* owned, and each of them too; the command's name first, ended by NULL */
};

/* Reads a line of @length bytes, which a 0 follows; one with a 0 in it is no request. Returns 0, or a
 * negative errno with a sentence; control_request_finish() accepts both. */
int control_request_read(
	struct control_request *request, const char *line, size_t length, struct error_text *refusal);
void control_request_finish(struct control_request *request);
/* Prints a request as one line. Returns 0 or -ENOMEM. */
int control_request_print(FILE *out, char *const *words);

/* Begins a reply to @command (NULL: not known) without its last brace, or prints a whole refusal. */
void control_json_begin(FILE *out, const char *command);
void control_json_refuse(FILE *out, const char *command, const char *sentence);

/* Print members of a reply after others. Return 0 or -ENOMEM. */
int control_json_status(
	FILE *out, const struct session *session, const struct config *config, bool is_replay);
int control_json_rings(FILE *out, const struct session *session, enum figure figure);

/* The same for the names of files: their path and each suffix, of which NULL ends the list. */
int control_json_files(FILE *out, const char *path, const char *const *suffixes);

/* Prints a line for each event after the first @n_events of the session, and for each report of a spike after
 * the first @n_reports, which it then counts; if some are not kept any more, first a line that says how many.
 */
void control_json_events(FILE *out, const struct session *session, uint64_t *n_events, uint64_t *n_reports);

/* Reads a reply. Returns 1 if the command was obeyed, 0 if it was refused, with the sentence, or -EPROTO. */
int control_reply_read(const char *line, struct error_text *refusal);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_json.h - a session as JSON: the form is schema/ipctop.schema.json. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "src/base/error_text.h"
#include "src/figures/tick.h"

struct config;
struct json_object;
struct session;
struct session_ring;
struct topology;

/* The part of a report that is not in the session. */
struct report_origin {
	const char *ended_by; /* "quit", "duration", "loops", "signal SIGINT", ... */
	const struct config *config;
	const struct topology *topology;
	const char *header;    /* of a recording, in place of the two above; NULL: a run of this program */
	enum figure blocks_of; /* phases have the blocks of this figure (N_FIGURES: none), */
	bool all_blocks;       /* or of all */
};

/* Returns what the document has that is known when a run starts, as an object of the type "header". */
struct json_object *report_json_start(const struct session *session, const struct report_origin *origin);
/* Returns what was planned for a ring. */
struct json_object *report_json_ring(const struct session_ring *ring);

/* Prints the whole document, ring by ring, so that a thousand rings take the memory of one. Returns 0 or
 * -ENOMEM; errors of writing stay with @out. */
int report_json_print(FILE *out, const struct session *session, const struct report_origin *origin);

/* Writes it to a file, whole or not at all, or to standard output if @path is "-". Returns 0 or a negative
 * errno, with a reason that names the file. */
int report_json_write(const char *path, const struct session *session, const struct report_origin *origin,
	struct error_text *reason);

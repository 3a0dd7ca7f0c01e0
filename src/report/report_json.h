/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_json.h - a session as JSON: the form is schema/ipctop.schema.json. */
#pragma once

#include <stdio.h>

#include "src/base/error_text.h"

struct config;
struct session;
struct topology;

/* Prints the whole document, ring by ring, so that a thousand rings take the memory of one.
 * @ended_by: "quit", "duration", "loops", "signal SIGINT", ... Returns 0 or -ENOMEM; errors of
 * writing stay with @out. */
int report_json_print(FILE *out, const struct session *session, const struct config *config,
	const struct topology *topology, const char *ended_by);

/* Writes it to a file, whole or not at all, or to standard output where @path is "-".
 * Returns 0 or a negative errno, with a reason that names the file. */
int report_json_write(const char *path, const struct session *session, const struct config *config,
	const struct topology *topology, const char *ended_by, struct error_text *reason);

/* The same of a session that was recorded, with what its header says of the run. */
int report_json_write_recorded(const char *path, const struct session *session, const char *header,
	const char *ended_by, struct error_text *reason);

/* Before a run starts: could it be written there? As above. */
int report_json_check(const char *path, struct error_text *reason);

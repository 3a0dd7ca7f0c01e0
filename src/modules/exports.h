/* SPDX-License-Identifier: GPL-2.0-or-later */
/* exports.h - the files of --export: formats of ticks are written during the run, others at the end. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/base/error_text.h"
#include "src/base/whole_file.h"
#include "src/plan/config.h"

struct replay;
struct source;
struct topology;

/* The file of a format of ticks. */
struct export_stream {
	struct whole_file file; /* .out: NULL if it is standard output */
	bool begun;             /* it has its header */
	uint64_t n_events;      /* see struct export_format */
	int error;              /* the first one, negative: nothing is written any more */
};

struct exports {
	const struct config *config;
	const struct source *source;
	const struct topology *topology; /* of a run */
	const struct replay *replay;     /* of a playback; NULL: a run */
	struct export_stream streams[CONFIG_EXPORTS_MAX];
};

/* Checks before a run that --json and all exports can be written, and that none replaces the recording or
 * another. Returns 0 or a negative errno with its reason. */
int exports_check(const struct config *config, struct error_text *reason);
/* The same for the file of another option: that neither --json nor an export replaces it. */
int exports_check_other(
	const struct config *config, const char *option, const char *path, struct error_text *reason);

/* Opens the files of formats of ticks, before there are threads: a FIFO waits for its reader. Returns 0, or a
 * negative errno with its reason; exports_finish() accepts what is left. */
int exports_open(struct exports *exports, const struct config *config, struct error_text *reason);
/* Exports the items of a source from here on. A run has a @topology, and a playback a @replay; the other is
 * NULL. */
void exports_listen(struct exports *exports, struct source *source, const struct topology *topology,
	const struct replay *replay);
/* Writes all exports of the session, and prints a sentence for each that can't be written. @figure: as shown.
 * Returns the exit status. */
int exports_write(struct exports *exports, enum figure figure);
void exports_finish(struct exports *exports); /* drops files that are not written to their end */
